/**
 * Replays the last days of traffic to show when a watch would have alerted, for each sensitivity. The data is requested in
 * a few large windows that previews share, and the evaluations yield to other work.
 */
import { nextTurn } from '../../clock.ts';
import { recordedStatistics } from '../../episodes/recorded-statistics.ts';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import type { Timeline } from '../../statistics/timeline.ts';
import { DAY_MS, MINUTE_MS } from '../../time-units.ts';
import { type ReplayedWatch, replayAtBars } from './replay.ts';
import { callingBar, SENSITIVITIES, type WatchSensitivity } from './sensitivity.ts';
import type { WatchRule } from './watch-rule.ts';

export interface PreviewRequest {
  readonly channel: string;
  /** An existing watch; `null` for a new one for anything unusual on these hosts. */
  readonly id: string | null;
  /** The project's stored name. */
  readonly project: string | null;
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly asker: string;
}

export interface PreviewQuery {
  /** The project's statistics. */
  readonly statistics: Statistics;
  readonly rule: WatchRule;
  /** Domain IDs; none means the whole project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly asker: string;
}

export interface Preview {
  readonly fromMs: number;
  readonly toMs: number;
  /** The share of the time for which the service has data. */
  readonly known: number;
  readonly watches: ReadonlyMap<WatchSensitivity, ReplayedWatch>;
}

interface PreviewDeps {
  readonly now: () => Temporal.Instant;
}

export const PREVIEW_DAYS = 14;
/** A verdict compares with up to four weeks before; what the service no longer has is unknown. */
const REFERENCE_DAYS = 28;
/** The longest window that the service answers in steps of five minutes. */
const PART_MS = 3 * DAY_MS;
const STEP_MS = 5 * MINUTE_MS;
const LOGGING_DELAY_MS = 3 * MINUTE_MS;
/** How long evaluations may run before other work gets the event loop. */
const SLICE_MS = 8;
const MAX_WAITING = 4;

export type RunPreview = ReturnType<typeof createPreview>;

/** Runs one replay after another: each takes seconds of CPU time. */
export function createPreview({ now }: PreviewDeps) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async function preview(query: PreviewQuery): Promise<Preview> {
    if (waiting >= MAX_WAITING) {
      throw new BotError('limit', 'Several previews are already running.', { hint: 'Try again in a minute.' });
    }
    waiting += 1;
    const result = last.then(() => replay(query, now()));
    last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      waiting -= 1;
    }
  };
}

async function replay(query: PreviewQuery, now: Temporal.Instant): Promise<Preview> {
  const { rule, hosts, zone } = query;
  if (rule.kind === 'threshold' && rule.what !== 'attacks' && rule.what !== 'requests') throw noCategoryPreview();
  const toMs = Math.floor((now.epochMilliseconds - LOGGING_DELAY_MS) / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
  const fromMs = toMs - PREVIEW_DAYS * DAY_MS;
  const traffic = await fetchTraffic(query, fromMs - REFERENCE_DAYS * DAY_MS, toMs);
  const known = knownShare(traffic.attacks.slice(-Math.round((toMs - fromMs) / STEP_MS)));
  const names: readonly WatchSensitivity[] = rule.kind === 'threshold' ? ['normal'] : SENSITIVITIES;
  const replayed = await replayAtBars(
    {
      statisticsAt: recordedStatistics(traffic),
      rule,
      hosts,
      zone,
      fromMs: fromMs + LOGGING_DELAY_MS,
      toMs: toMs + LOGGING_DELAY_MS,
      inStrides: true,
      yieldToOthers: createTimeSlices(),
    },
    names.map((name) => callingBar(name)),
  );
  const nothing: ReplayedWatch = { messages: [], episodes: [] };
  return { fromMs, toMs, known, watches: new Map(names.map((name, at) => [name, replayed[at] ?? nothing])) };
}

async function fetchTraffic({ statistics, hosts, zone, asker }: PreviewQuery, fromMs: number, toMs: number) {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const parts: { fromMs: number; toMs: number }[] = [];
  // Parts are aligned, so that previews share the cached answers about the past.
  for (let startMs = Math.floor(fromMs / PART_MS) * PART_MS; startMs < toMs; startMs += PART_MS) {
    parts.push({ fromMs: startMs, toMs: Math.min(startMs + PART_MS, toMs) });
  }
  const isReplayed = (part: { toMs: number }): boolean => part.toMs > toMs - PREVIEW_DAYS * DAY_MS;
  const timelines = await Promise.all(
    parts.map((part) => {
      const range = { from: at(part.fromMs), to: at(part.toMs) };
      const timeline = statistics.timeline({ range, hosts, zone, asker });
      // The replayed days are required; the days before only improve the comparison.
      return isReplayed(part) ? timeline : nullIfUnavailable(timeline);
    }),
  );
  return onGrid(
    timelines.filter((timeline) => timeline !== null),
    parts[0]?.fromMs ?? fromMs,
    toMs,
  );
}

/** Yields to other work once a slice of time is used up. */
function createTimeSlices(): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    if (performance.now() - startedMs < SLICE_MS) return;
    await nextTurn();
    startedMs = performance.now();
  };
}

function noCategoryPreview(): BotError {
  const message = 'A watch for one category can’t be replayed: the service has no timeline of categories.';
  return new BotError('limit', message, { hint: 'Replay the watch for anything unusual: `watch preview`.' });
}

const knownShare = (values: readonly (number | null)[]): number =>
  values.length === 0 ? 0 : values.filter((value) => value !== null).length / values.length;

/** In steps of five minutes; counts of longer intervals are spread evenly. */
function onGrid(timelines: readonly Timeline[], startMs: number, toMs: number) {
  const length = Math.max(0, Math.round((toMs - startMs) / STEP_MS));
  const requests = new Array<number | null>(length).fill(null);
  const attacks = new Array<number | null>(length).fill(null);
  const add = (column: (number | null)[], at: number, value: number | null): void => {
    if (value !== null && at >= 0 && at < length) column[at] = (column[at] ?? 0) + value;
  };
  for (const { points, intervalMs } of timelines) {
    const steps = Math.max(1, Math.round(intervalMs / STEP_MS));
    for (const point of points) {
      const first = Math.floor((point.endMs - intervalMs - startMs) / STEP_MS);
      for (let at = first; at < first + steps; at++) {
        add(requests, at, point.requests === null ? null : point.requests / steps);
        add(attacks, at, point.attacks === null ? null : point.attacks / steps);
      }
    }
  }
  return { startMs, intervalMs: STEP_MS, requests, attacks, categories: null };
}
