/** The buttons below a verdict: what one would do next, most likely first. */

import type { Assessment } from '../episodes/assess.ts';
import { leadOf } from '../episodes/episode-log.ts';
import { namedHosts } from '../grammar/hosts.ts';
import type { Range } from '../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';
import { againActions, type QuestionWindow, sentenceFor, threadAction, whyAction } from './follow-ups.ts';
import type { Action, Reply } from './reply.ts';
import { isTooLong } from './verdict-finding.ts';

const DOCTOR: Action = { label: 'Doctor', sentence: 'doctor', effect: 'thread' };

/** `level` is that of the heading, which differs from the verdict's if that rests on cached numbers. */
export function verdictActions(
  context: QuestionWindow,
  verb: 'check' | 'incident',
  { episodes, dayBefore }: Pick<Assessment, 'episodes' | 'dayBefore'>,
  { level, watched }: { readonly level: Reply['level']; readonly watched: boolean },
): Action[] {
  const why = whyAction(context, verb);
  const again = againActions(context, verb);
  if (level === 'not_enough_data') {
    const retry = again.map((action): Action => ({ ...action, label: 'Try again' }));
    const week = { from: context.now.subtract({ hours: 7 * 24 }), to: context.now };
    const hosts: Action[] = context.hosts.length === 0 ? [] : [{ label: 'Hosts', sentence: 'hosts', effect: 'thread' }];
    const lastDays: Action = {
      label: 'Last 7 days',
      sentence: sentenceFor(context, isTooLong(context.range) ? 'check' : 'timeline', week),
      effect: 'thread',
    };
    return [...retry, lastDays, ...hosts, DOCTOR, why];
  }
  const lead = leadOf(episodes);
  // A drop has no attackers to name.
  const isSurge = lead !== undefined && lead.drop === undefined;
  const onset = lead === undefined ? null : aroundOnset(lead.onsetMs, context.now);
  return [
    why,
    ...(isSurge ? [threadAction('Who?', context, 'who')] : []),
    threadAction('By category', context, 'attacks'),
    onset === null
      ? {
          label: dayLabel(context.range),
          sentence: sentenceFor(context, 'compare', context.range, { versus: dayBefore }),
          effect: 'thread',
        }
      : { label: 'Zoom to the start', sentence: sentenceFor(context, 'timeline', onset), effect: 'thread' },
    ...(watched ? [] : [watchAction(context)]),
    ...(isSurge ? [] : again),
  ];
}

const watchAction = ({ hosts }: QuestionWindow): Action => ({
  label: 'Watch this channel',
  sentence: `watch${namedHosts(hosts)}`,
  effect: 'thread',
});

function dayLabel({ from, to }: Range): string {
  const days = (to.epochMilliseconds - from.epochMilliseconds) / DAY_MS;
  return days > 1 ? 'Compare with the days before' : 'Compare with the day before';
}

const BEFORE_ONSET = { minutes: 15 };
const AFTER_ONSET = { minutes: 45 };

function aroundOnset(onsetMs: number, now: Temporal.Instant): Range {
  const onset = Temporal.Instant.fromEpochMilliseconds(Math.floor(onsetMs / MINUTE_MS) * MINUTE_MS);
  const to = onset.add(AFTER_ONSET);
  return { from: onset.subtract(BEFORE_ONSET), to: Temporal.Instant.compare(to, now) > 0 ? now : to };
}
