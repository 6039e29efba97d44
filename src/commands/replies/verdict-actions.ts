/** Where a verdict leads: closer to the onset, to the categories, to the day before, to a watch. */
import type { Verdict } from '../../insight/verdict/index.ts';
import type { Range } from '../../time/index.ts';
import { namedHosts } from '../grammar/hosts.ts';
import type { WindowAsk } from '../verb.ts';
import { say, threadAction } from './actions.ts';
import type { Action } from './reply.ts';

const BEFORE_ONSET = { minutes: 15 };
const AFTER_ONSET = { minutes: 45 };

export function verdictActions(ask: WindowAsk, verdict: Verdict, dayBefore: Range): Action[] {
  const onset = verdict.onsetMs === null ? null : aroundOnset(verdict.onsetMs, ask.now);
  return [
    ...(onset === null
      ? []
      : [{ label: 'Zoom to the onset', sentence: say(ask, 'timeline', onset), effect: 'thread' } as const]),
    threadAction('By category', ask, 'attacks'),
    {
      label: dayLabel(ask.range),
      sentence: say(ask, 'compare', ask.range, { versus: dayBefore }),
      effect: 'thread',
    },
    watchAction(ask),
  ];
}

function dayLabel({ from, to }: Range): string {
  const days = (to.epochMilliseconds - from.epochMilliseconds) / 86_400_000;
  return days > 1 ? 'Compare with the days before' : 'Compare with the day before';
}

function aroundOnset(onsetMs: number, now: Temporal.Instant): Range {
  const onset = Temporal.Instant.fromEpochMilliseconds(Math.floor(onsetMs / 60_000) * 60_000);
  const to = onset.add(AFTER_ONSET);
  return { from: onset.subtract(BEFORE_ONSET), to: Temporal.Instant.compare(to, now) > 0 ? now : to };
}

function watchAction({ hosts }: WindowAsk): Action {
  return { label: 'Watch this channel', sentence: `watch${namedHosts(hosts)}`, effect: 'thread' };
}
