/** Answers that have no numbers to tell, each with its reason: nothing of this may look like calm. */

import type { TimelineSummary } from '../statistics/summary.ts';
import { againActions, type QuestionWindow, sentenceFor, stepActions } from './follow-ups.ts';
import { onHosts, timeWords } from './phrases.ts';
import type { Action, Line, Reply } from './reply.ts';

/** Nothing of the window is complete yet. */
export function stillFilling(context: QuestionWindow, verb: string): Reply {
  const { hosts, range, zone, now } = context;
  const since = timeWords(range.from.epochMilliseconds, range, zone);
  return {
    title: `Too early to say: attacks since ${since} are still being logged`,
    headline: ['Attacks take up to three minutes to be logged. Ask again in a few minutes, or about a longer time.'],
    subject: { hosts, range, zone, now },
    actions: [...againActions(context, verb), ...stepActions(context, verb).slice(0, 1)],
  };
}

const OLD_DATA: Line = ['The service keeps data for a limited time; a window that is too old has none.'];

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
    headline: ['No request was counted at all, so nothing can be said about attacks.'],
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
  return ['The service has no numbers for this window, which is not the same as no attacks.'];
}
