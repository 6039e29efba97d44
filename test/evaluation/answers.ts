/** What the statistics service would have answered at a moment, as the bot sees it. */
import { distribution as distributionAt, timeline as timelineAt } from '../../playground/service/statistics.ts';
import type { Distribution, Timeline } from '../../src/insight/timeline.ts';
import type { JudgeInput } from '../../src/insight/verdict/index.ts';
import type { LabelledWindow } from './labelled-set.ts';

const MINUTE_MS = 60_000;
const DAY = 1440;
const TRAILING = 360;
const UNSETTLED_MS = 4 * MINUTE_MS;

export interface Answers {
  /** All that a verdict on the window `[toMinute - length, toMinute)` may know at its end. */
  input(toMinute: number): JudgeInput;
  readonly lengthMinutes: number;
}

/** `lastMinute` is the latest end of a window that will be asked for. */
export function answersFor(labelled: LabelledWindow, lastMinute = labelled.toMinute): Answers {
  const { site, world, fromMinute, toMinute, without } = labelled;
  const length = toMinute - fromMinute;
  const earliest = fromMinute - TRAILING - 60;
  const whole = new Map(
    [0, DAY, 7 * DAY].map((back) => [back, pointsBetween(labelled, earliest - back, lastMinute - back)]),
  );

  function slice(back: number, from: number, to: number, nowMs: number): Timeline {
    const fromMs = (from - back) * MINUTE_MS;
    const toMs = (to - back) * MINUTE_MS;
    const points = (whole.get(back) ?? []).filter(({ endMs }) => endMs > fromMs && endMs <= toMs);
    return {
      fromMs,
      toMs,
      intervalMs: MINUTE_MS,
      points,
      settledUntilMs: nowMs - UNSETTLED_MS,
      asOfMs: nowMs,
      stale: false,
    };
  }

  function categories(from: number, to: number, nowMs: number): Distribution {
    const window = { fromMs: from * MINUTE_MS, toMs: to * MINUTE_MS, hosts: site.asked };
    const counts = Object.entries(distributionAt(world, window, nowMs)).map(([category, count]) => ({
      category,
      count,
    }));
    return { ...window, counts, settledUntilMs: nowMs - UNSETTLED_MS, asOfMs: nowMs, stale: false };
  }

  return {
    lengthMinutes: length,
    input(to) {
      const from = to - length;
      const nowMs = to * MINUTE_MS;
      const day = (name: 'day' | 'week', back: number) =>
        without.includes(name)
          ? null
          : { timeline: slice(back, from - TRAILING, to, nowMs), shiftMs: back * MINUTE_MS };
      return {
        fromMs: from * MINUTE_MS,
        toMs: nowMs,
        recent: slice(0, from - TRAILING, to, nowMs),
        dayBefore: day('day', DAY),
        weekBefore: day('week', 7 * DAY),
        categories: categories(from, to, nowMs),
        categoriesBefore: categories(from - TRAILING, from, nowMs),
      };
    },
  };
}

function pointsBetween({ site, world, hole }: LabelledWindow, from: number, to: number): Timeline['points'] {
  const points: Timeline['points'][number][] = [];
  // Half days at most, so that the service answers in minutes.
  for (let start = from; start < to; start += DAY / 2) {
    const end = Math.min(to, start + DAY / 2);
    const window = { fromMs: start * MINUTE_MS, toMs: end * MINUTE_MS, hosts: site.asked };
    // Asked long after, so that every minute is complete; what would still be filling is never judged anyway.
    const { requests, attacks } = timelineAt(world, window, 0, window.toMs + DAY * MINUTE_MS);
    requests.forEach(({ time, num }, at) => {
      const minute = time / MINUTE_MS - 1;
      const lost = hole !== null && minute >= hole[0] && minute < hole[1];
      if (!lost) points.push({ endMs: time, requests: num, attacks: attacks[at]?.num ?? null });
    });
  }
  return points;
}
