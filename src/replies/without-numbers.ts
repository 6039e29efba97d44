/** Answers without numbers, each with its reason. None of them may look like calm. */

import type { TimelineSummary } from '../statistics/summary.ts';
import { timeWords } from '../time/index.ts';
import { againActions, type QuestionWindow, sentenceFor, stepActions } from './follow-ups.ts';
import { onHosts } from './phrases.ts';
import type { Action, Line, Reply } from './reply.ts';

/** No part of the window is complete yet. */
export function stillFilling(context: QuestionWindow, verb: string): Reply {
  const { hosts, range, zone, now } = context;
  const since = timeWords(range.from.epochMilliseconds, range, zone);
  return {
    title: `Too early to say: attacks since ${since} are still being logged`,
    headline: ['Attacks take up to three minutes to be logged. Ask again in a few minutes, or about a longer window.'],
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
