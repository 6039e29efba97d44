/** An evaluation reduced to what the course of an episode depends on: how bad it is, since when, and the counts. */
import type { Timeline } from '../../insight/timeline.ts';
import { type AnomalyKind, RULE, type Verdict } from '../../insight/verdict/index.ts';

/** `between`: not bad enough to begin an episode, not calm enough to end one. */
export type ObservedLevel = 'calm' | 'between' | 'elevated' | 'surge' | 'unknown';

export interface Observation {
  /** The end of what was evaluated. */
  readonly atMs: number;
  readonly level: ObservedLevel;
  /** How bad, in steps that double; 0 when it is not. */
  readonly severity: number;
  readonly onsetMs: number | null;
  /** The most in one interval, or in the time that a threshold counts over. */
  readonly peak: ObservedPeak | null;
  /** Finished intervals, for the sum. */
  readonly points: readonly { readonly endMs: number; readonly count: number }[];
  readonly categories: readonly { readonly category: string; readonly count: number; readonly isNew: boolean }[];
  readonly kind: AnomalyKind | null;
}

export interface ObservedPeak {
  readonly count: number;
  readonly endMs: number;
  readonly intervalMs: number;
}

/** Below a verdict, but near enough to it that an episode is not over. */
const NEARLY_ELEVATED = { ratio: 1.3, score: 2.5, forMs: 15 * 60_000 };

export function observeVerdict(verdict: Verdict, timeline: Timeline): Observation {
  const points = finishedPoints(timeline, 'attacks', verdict.toMs);
  const since = points.filter(({ endMs }) => endMs > (verdict.onsetMs ?? verdict.fromMs));
  const top = since.toSorted((a, b) => b.count - a.count)[0];
  return {
    atMs: verdict.toMs,
    level: levelNow(verdict),
    severity: severityNow(verdict),
    onsetMs: verdict.onsetMs,
    peak: top === undefined ? null : { ...top, intervalMs: timeline.intervalMs },
    points,
    categories: verdict.moved.map(({ name, observed, isNew }) => ({ category: name, count: observed, isNew })),
    kind: verdict.kind,
  };
}

/** A check reports anything odd; a watch interrupts people only when it is clear. */
const NOTIFIES_FROM_SCORE = 4.75;

const isClear = (score: number, moved: Verdict['moved']): boolean =>
  score >= NOTIFIES_FROM_SCORE || moved.some(({ stands }) => stands);

/** A wave that is over counts as calm, although the evaluated hour still shows it. */
function levelNow({ level, ongoing, strongest, moved, toMs }: Verdict): ObservedLevel {
  if (level === 'not_enough_data') return 'unknown';
  if (level !== 'calm' && ongoing === false) return 'calm';
  if (level === 'surge') return level;
  if (level === 'elevated') return isClear(strongest?.deviations ?? 0, moved) ? level : 'between';
  if (strongest === null || strongest.toMs < toMs - NEARLY_ELEVATED.forMs) return 'calm';
  return strongest.ratio >= NEARLY_ELEVATED.ratio && strongest.deviations >= NEARLY_ELEVATED.score ? 'between' : 'calm';
}

/** Elevated is 1, a surge 2, and each doubling beyond that one more. */
function severityNow({ level, ongoing, strongest }: Verdict): number {
  if (ongoing === false || strongest === null) return 0;
  if (level === 'elevated') return 1;
  if (level !== 'surge') return 0;
  return 2 + Math.max(0, Math.floor(Math.log2(strongest.ratio / RULE.surgeRatio)));
}

/** An episode of a threshold ends below this share of it, so that a count near the threshold does not flap. */
const CLOSES_BELOW_SHARE = 0.8;
const SURGE_FROM_MULTIPLE = 2;
/** With a smaller share known, only a count above the threshold means anything. */
const LEAST_KNOWN_SHARE = 0.8;

interface WindowCount {
  readonly atMs: number;
  readonly count: number;
  /** The share of the time for which the service gave numbers. */
  readonly known: number;
  readonly perMs: number;
  readonly points: Observation['points'];
  readonly categories: Observation['categories'];
}

export function observeCount({ atMs, count, known, perMs, ...facts }: WindowCount, over: number): Observation {
  const bad = count > over;
  const severity = bad ? 1 + Math.floor(Math.log2(count / over)) : 0;
  const level = bad ? (count >= SURGE_FROM_MULTIPLE * over ? 'surge' : 'elevated') : levelBelow(count, over, known);
  const peak = { count, endMs: atMs, intervalMs: perMs };
  return { atMs, level, severity, onsetMs: null, kind: null, peak, ...facts };
}

function levelBelow(count: number, over: number, known: number): ObservedLevel {
  if (known < LEAST_KNOWN_SHARE) return 'unknown';
  return count > CLOSES_BELOW_SHARE * over ? 'between' : 'calm';
}

/** The finished intervals up to a moment that have a number. */
export function finishedPoints(timeline: Timeline, what: 'attacks' | 'requests', toMs: number): Observation['points'] {
  return timeline.points.flatMap((point) => {
    const count = point[what];
    return count === null || point.endMs > toMs ? [] : [{ endMs: point.endMs, count }];
  });
}
