/** Answers without numbers, each with its reason. None of them may look like calm. */

import { BotError, orFailure } from '../errors.ts';
import { rankCategories, totalOf } from '../statistics/categories.ts';
import { compareLikeWithLike } from '../statistics/comparison.ts';
import { capitalized } from '../statistics/format.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { TimelineSummary } from '../statistics/timeline.ts';
import { timeWords } from '../time/index.ts';
import { againActions, asCounted, type QuestionWindow, sentenceFor, stepActions, threadAction } from './follow-ups.ts';
import {
  categoryTable,
  counted,
  fillingNote,
  limitNotes,
  loggedLate,
  missingLine,
  onHosts,
  retentionNote,
} from './phrases.ts';
import type { Action, Line, Reply } from './reply.ts';

/** No part of the window is complete yet. */
export function stillFilling(context: QuestionWindow, verb: string): Reply {
  const { hosts, range, zone, now } = context;
  const since = timeWords(range.from.epochMilliseconds, range, zone);
  return {
    title: `Too early to say: attacks since ${since} are still being logged`,
    headline: [`${capitalized(loggedLate())}. Ask again in a few minutes, or about a longer window.`],
    subject: { hosts, range, zone, now },
    actions: [...againActions(context, verb), ...stepActions(context, verb).slice(0, 1)],
  };
}

const OLD_DATA: Line = ['The service keeps data for a limited time, so an old window may have none.'];

/** The service had no number, or no request, for the window. */
export function withoutTraffic(context: QuestionWindow, verb: string, summary: TimelineSummary): Reply {
  const { hosts, range, zone, now } = context;
  const again: Action = { label: 'Try again', sentence: sentenceFor(context, verb, range), effect: 'replace' };
  const subject = { hosts, range, zone, now };
  if (summary.intervals === 0) {
    return {
      title: `No data${onHosts(hosts)}`,
      headline: noData(),
      subject,
      notes: [OLD_DATA],
      actions: [again, ...stepActions(context, verb), { label: 'Doctor', sentence: 'doctor', effect: 'thread' }],
    };
  }
  const names = onHosts(hosts).slice(' on '.length);
  const question = hosts.length === 1 ? 'is its ID right?' : 'are their IDs right?';
  return {
    title: hosts.length === 0 ? 'No traffic seen on any host' : `No traffic seen for ${names}: ${question}`,
    headline: ['Not a single request was counted, so this says nothing about attacks.'],
    subject,
    actions: [
      ...(hosts.length === 0
        ? []
        : [
            { label: 'Hosts', sentence: 'hosts', effect: 'thread' } as const,
            {
              label: 'All hosts',
              sentence: sentenceFor({ ...context, hosts: [] }, verb, range),
              effect: 'thread',
            } as const,
          ]),
      ...stepActions(context, verb),
      ...againActions(context, verb),
    ],
  };
}

export function noData(): Line {
  return ["The service has no numbers for this window. That isn't the same as no attacks."];
}

interface Asked extends QuestionWindow {
  readonly deps: { readonly statistics: Pick<Statistics, 'distribution'> };
}

/**
 * The total and the categories, without a verdict, if the service fails to return only the timeline. An outage, and
 * what the service doesn't offer at all, stay errors.
 */
export async function withoutTimeline(context: Asked, verb: string, answer: Promise<Reply>): Promise<Reply> {
  const found = await orFailure(answer);
  if (!(found instanceof BotError)) return found;
  const { range, hosts, zone, now, deps } = context;
  const comparison = found.code === 'limit' ? null : compareLikeWithLike({ range, now, zone });
  if (comparison === null) throw found;
  const query = { range: comparison.counted, hosts: hosts.map(({ id }) => id), zone, freshOnly: true };
  const distribution = await orFailure(deps.statistics.distribution(query));
  if (distribution instanceof BotError) throw found;
  const judges = verb !== 'timeline';
  const total = counted(totalOf(distribution), 'attack');
  const subject = { hosts, range, zone, now };
  return {
    title: `${total} · ${judges ? 'unknown whether that is normal' : 'no timeline'}`,
    level: judges ? 'not_enough_data' : undefined,
    headline: missingLine('timeline', found),
    subject,
    table: categoryTable(rankCategories(distribution, null), 1, distribution.unknownCategories),
    notes: [
      ...limitNotes([distribution]),
      ...retentionNote([distribution], now, zone),
      ...fillingNote(subject, comparison),
    ],
    actions: [
      { label: 'Try again', sentence: sentenceFor(context, verb, range), effect: 'replace' },
      threadAction('By category', asCounted(context, comparison), 'attacks'),
      { label: 'Doctor', sentence: 'doctor', effect: 'thread' },
    ],
  };
}
