/**
 * Shows when a watch would have alerted in the last days, for each sensitivity: the steps of a running watch on the same
 * records. A watch with a limit is replayed on the numbers, requested in a few large windows that previews share.
 */
import { nextTurn } from '../../clock.ts';
import type { AssessmentSources } from '../../episodes/assess.ts';
import { type RecordedNumbers, recordedStatistics } from '../../episodes/recorded-statistics.ts';
import { BotError } from '../../errors.ts';
import { SETTLE_MS, type Timeline } from '../../statistics/timeline.ts';
import { DAY_MS, MINUTE_MS } from '../../time-units.ts';
import { occurrencesIn, type TimeWindow } from '../recurrence/time-window.ts';
import { evaluate, evaluationWithoutData } from './evaluate.ts';
import type { Evaluation } from './observation.ts';
import { type ReplayedWatch, recordsBetween, replayEvaluations, replayRecords } from './replay.ts';
import { callingStrength, type FeedbackAnswer, SENSITIVITIES, type WatchSensitivity } from './sensitivity.ts';
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
  /** The project's numbers and episodes. */
  readonly project: AssessmentSources;
  readonly rule: WatchRule;
  readonly everyMs: number;
  /** People's answers to an existing watch's alerts. */
  readonly answers: readonly FeedbackAnswer[];
  /** An existing watch's quiet hours and maintenance. */
  readonly quiet?: readonly TimeWindow[];
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
/** The longest window that the service answers by the minute, as for a running watch. */
const PART_MS = DAY_MS;
const STEP_MS = MINUTE_MS;
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
  const { rule, everyMs, answers, quiet = [] } = query;
  // Records are shared anyway; numbers are requested in windows that previews share.
  const stepMs = rule.kind === 'threshold' ? 15 * MINUTE_MS : MINUTE_MS;
  const toMs = Math.floor((now.epochMilliseconds - SETTLE_MS) / stepMs) * stepMs;
  const fromMs = toMs - PREVIEW_DAYS * DAY_MS;
  // A watch runs at multiples of its interval.
  const holds = quiet.flatMap((window) => occurrencesIn(window, fromMs, toMs));
  const times = { fromMs: Math.ceil(fromMs / everyMs) * everyMs, toMs: toMs + SETTLE_MS, everyMs, holds };
  if (rule.kind === 'threshold') {
    const traffic = await fetchTraffic(query, fromMs, toMs);
    const evaluations = await evaluationsAt(traffic, query, times);
    const replayed = await replayEvaluations(times, (nowMs) => evaluations.get(nowMs) ?? evaluationWithoutData(nowMs));
    return { fromMs, toMs, known: knownShare(traffic.attacks), watches: new Map([['normal', replayed]]) };
  }
  const { project, hosts, asker } = query;
  const { records, known } = await recordsBetween(project.episodes, { fromMs, toMs, hosts, asker });
  const watches = new Map<WatchSensitivity, ReplayedWatch>();
  for (const name of SENSITIVITIES) {
    watches.set(name, await replayRecords(records, callingStrength(name, answers), times));
  }
  return { fromMs, toMs, known, watches };
}

/** What a watch with a limit would have seen at each evaluation. */
async function evaluationsAt(
  traffic: RecordedNumbers,
  { rule, hosts, zone, project }: PreviewQuery,
  { fromMs, toMs, everyMs }: { readonly fromMs: number; readonly toMs: number; readonly everyMs: number },
): Promise<Map<number, Evaluation>> {
  if (rule.kind === 'threshold' && rule.what !== 'attacks' && rule.what !== 'requests') throw noCategoryPreview();
  const statisticsAt = recordedStatistics(traffic);
  const yieldToOthers = createTimeSlices();
  const evaluations = new Map<number, Evaluation>();
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += everyMs) {
    const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
    const sources = { ...project, statistics: statisticsAt(nowMs) };
    const [evaluation] = await evaluate(sources, { rule, hosts, zone, now, everyMs, bar: 0, lookedMs: null });
    if (evaluation !== undefined) evaluations.set(nowMs, evaluation);
    await yieldToOthers();
  }
  return evaluations;
}

async function fetchTraffic(
  { project: { statistics }, hosts, zone, asker }: PreviewQuery,
  fromMs: number,
  toMs: number,
): Promise<RecordedNumbers> {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const parts: { fromMs: number; toMs: number }[] = [];
  // Parts are aligned, so that previews share the cached answers about the past.
  for (let startMs = Math.floor(fromMs / PART_MS) * PART_MS; startMs < toMs; startMs += PART_MS) {
    parts.push({ fromMs: startMs, toMs: Math.min(startMs + PART_MS, toMs) });
  }
  const timelines = await Promise.all(
    parts.map((part) =>
      statistics.timeline({ range: { from: at(part.fromMs), to: at(part.toMs) }, hosts, zone, asker }),
    ),
  );
  return onGrid(timelines, parts[0]?.fromMs ?? fromMs, toMs);
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

/** By the minute; counts of longer intervals are spread evenly. */
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
