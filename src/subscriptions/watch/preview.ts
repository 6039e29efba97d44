/**
 * Replays the last days of a channel's own numbers and says when a watch would have called, for each sensitivity. The
 * numbers are asked for in few and large windows that others can share, and the looks leave time for everybody else.
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
  /** Of a watch that is there; else one would watch for anything on these hosts. */
  readonly id: string | null;
  /** As it is stored. */
  readonly project: string | null;
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly asker: string;
}

export interface PreviewQuery {
  /** Of the project it is about. */
  readonly statistics: Statistics;
  readonly rule: WatchRule;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly asker: string;
}

export interface Preview {
  readonly fromMs: number;
  readonly toMs: number;
  /** The share of the time that the service has numbers for. */
  readonly known: number;
  readonly watches: ReadonlyMap<WatchSensitivity, ReplayedWatch>;
}

interface PreviewDeps {
  readonly now: () => Temporal.Instant;
}

export const PREVIEW_DAYS = 14;
/** What a verdict compares with lies up to four weeks back; what the service does not have any more is unknown. */
const REFERENCE_DAYS = 28;
/** The longest window that the service answers in steps of five minutes. */
const PART_MS = 3 * DAY_MS;
const STEP_MS = 5 * MINUTE_MS;
const FILLING_MS = 3 * MINUTE_MS;
/** Looks may take this long before others get their turn. */
const SLICE_MS = 8;
/** More people than this do not wait for a replay at once. */
const MOST_WAITING = 4;

export function createPreview({ now }: PreviewDeps) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function record({ statistics, hosts, zone, asker }: PreviewQuery, fromMs: number, toMs: number) {
    const at = Temporal.Instant.fromEpochMilliseconds;
    const parts: { fromMs: number; toMs: number }[] = [];
    // Parts begin at the same instants whoever asks when, so that the service is asked once for those in the past.
    for (let startMs = Math.floor(fromMs / PART_MS) * PART_MS; startMs < toMs; startMs += PART_MS) {
      parts.push({ fromMs: startMs, toMs: Math.min(startMs + PART_MS, toMs) });
    }
    const isRecent = (part: { toMs: number }): boolean => part.toMs > toMs - PREVIEW_DAYS * DAY_MS;
    const timelines = await Promise.all(
      parts.map((part) => {
        const asked = statistics.timeline({ range: { from: at(part.fromMs), to: at(part.toMs) }, hosts, zone, asker });
        // Without the days that are replayed there is nothing to say; without those before, less to compare with.
        return isRecent(part) ? asked : nullIfUnavailable(asked);
      }),
    );
    return onGrid(
      timelines.filter((timeline) => timeline !== null),
      parts[0]?.fromMs ?? fromMs,
      toMs,
    );
  }

  async function replay(query: PreviewQuery): Promise<Preview> {
    const { rule, hosts, zone } = query;
    if (rule.kind === 'threshold' && rule.what !== 'attacks' && rule.what !== 'requests') {
      throw new BotError(
        'limit',
        'A watch for one category cannot be replayed: the service counts categories only by window.',
        {
          hint: 'Replay the watch for anything unusual: `watch preview`.',
        },
      );
    }
    const toMs = Math.floor((now().epochMilliseconds - FILLING_MS) / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
    const fromMs = toMs - PREVIEW_DAYS * DAY_MS;
    const traffic = await record(query, fromMs - REFERENCE_DAYS * DAY_MS, toMs);
    const known = knownShare(traffic.attacks.slice(-Math.round((toMs - fromMs) / STEP_MS)));
    const names: readonly WatchSensitivity[] = rule.kind === 'threshold' ? ['normal'] : SENSITIVITIES;
    let sliceMs = performance.now();
    const replayed = await replayAtBars(
      {
        statisticsAt: recordedStatistics(traffic),
        rule,
        hosts,
        zone,
        fromMs: fromMs + FILLING_MS,
        toMs: toMs + FILLING_MS,
        inStrides: true,
        async breathe() {
          if (performance.now() - sliceMs < SLICE_MS) return;
          await nextTurn();
          sliceMs = performance.now();
        },
      },
      names.map((name) => callingBar(name)),
    );
    const nothing: ReplayedWatch = { messages: [], episodes: [] };
    return { fromMs, toMs, known, watches: new Map(names.map((name, at) => [name, replayed[at] ?? nothing])) };
  }

  /** One replay after another: each takes seconds of work. */
  return async function preview(query: PreviewQuery): Promise<Preview> {
    if (waiting >= MOST_WAITING) {
      throw new BotError('limit', 'Several previews are being made already.', { hint: 'Ask again in a minute.' });
    }
    waiting += 1;
    const turn = last.then(() => replay(query));
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      waiting -= 1;
    }
  };
}

export type RunPreview = ReturnType<typeof createPreview>;

const knownShare = (values: readonly (number | null)[]): number =>
  values.length === 0 ? 0 : values.filter((value) => value !== null).length / values.length;

/** In steps of five minutes; the numbers of longer intervals are spread over them. */
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
