/** An evaluation reduced to what an episode's lifecycle depends on: how bad, since when, and which categories lead. */
import type { AnomalyKind, Drop, Verdict } from '../../episodes/verdict/index.ts';
import { leadingTogether } from '../../statistics/movers.ts';
import { MINUTE_MS } from '../../time-units.ts';

/** `between`: not bad enough to start an episode, not calm enough to end one. */
export type ObservedLevel = 'calm' | 'between' | 'elevated' | 'surge' | 'unknown';

export interface Observation {
  /** The end of what was evaluated. */
  readonly atMs: number;
  readonly level: ObservedLevel;
  readonly onsetMs: number | null;
  /** The earliest possible beginning, if the data shows no onset. */
  readonly sinceMs: number;
  /** When the anomaly ended; `null` while it's ongoing or if there was none. */
  readonly endedMs: number | null;
  readonly kind: AnomalyKind | null;
  /** The categories above their normal range, and those that lead now: one, or several close to each other. */
  readonly moved: readonly string[];
  readonly leading: readonly string[];
  /** The kind of drop, if the observation is about one. */
  readonly drop?: Drop['what'];
}

/** Scores of a verdict. */
export interface CallingBar {
  /** From here on people are alerted. */
  readonly calls: number;
  /** Down to here an episode stays open, so that one near the bar doesn't flap. */
  readonly holds: number;
}

/** The verdict must have been requested at `bar.holds` or lower. */
export function observeVerdict(verdict: Verdict, bar: CallingBar): Observation {
  const level = levelNow(verdict, bar);
  const isCalm = level === 'calm' || level === 'unknown';
  return {
    atMs: verdict.toMs,
    level,
    onsetMs: isCalm ? null : verdict.onsetMs,
    sinceMs: verdict.fromMs,
    endedMs: verdict.endedMs,
    kind: isCalm ? null : verdict.kind,
    moved: isCalm ? [] : verdict.moved.map(({ name }) => name),
    leading: isCalm ? [] : leadingNow(verdict),
  };
}

/** A drop that was found or followed; `undefined` if there's none. An ongoing drop has a single level. */
export function observeDrop(what: Drop['what'], atMs: number, drop: Drop | undefined): Observation {
  const isOngoing = drop !== undefined && drop.endedMs === null;
  return {
    atMs,
    level: isOngoing ? 'elevated' : 'calm',
    onsetMs: isOngoing ? drop.sinceMs : null,
    sinceMs: drop?.sinceMs ?? atMs,
    endedMs: drop?.endedMs ?? null,
    kind: null,
    moved: [],
    leading: [],
    drop: what,
  };
}

/** Nobody is alerted about a burst that has been back to normal for this long; it's about to end. */
const FADED_MS = 5 * MINUTE_MS;

/** A wave that has ended counts as calm, although the evaluated hour still shows it. */
function levelNow({ level, score, ongoing, seenUntilMs, toMs }: Verdict, { calls, holds }: CallingBar): ObservedLevel {
  if (level === 'not_enough_data' || score === null) return 'unknown';
  if (level === 'calm' || ongoing === false || score < holds) return 'calm';
  return score < calls || toMs - (seenUntilMs ?? toMs) >= FADED_MS ? 'between' : level;
}

/** Of the categories close to each other in the evaluated hour, the most surprising recent one comes first. */
function leadingNow({ categories, moved }: Verdict): string[] {
  const lately = moved.map(({ name }) => name);
  const place = (name: string): number => (lately.includes(name) ? lately.indexOf(name) : lately.length);
  const together = leadingTogether(categories).map(({ name }) => name);
  return together.toSorted((a, b) => place(a) - place(b));
}

/** A threshold's episode ends below this share of it, so that a count near the threshold doesn't flap. */
const CLOSES_BELOW_SHARE = 0.8;
const SURGE_FROM_MULTIPLE = 2;
/** With less data than this, only a count above the threshold is meaningful. */
const MIN_KNOWN_SHARE = 0.8;

interface WindowCount {
  readonly atMs: number;
  readonly count: number;
  /** The share of the time with data. */
  readonly known: number;
  readonly perMs: number;
}

export function observeCount({ atMs, count, known, perMs }: WindowCount, over: number): Observation {
  const level =
    count > over ? (count >= SURGE_FROM_MULTIPLE * over ? 'surge' : 'elevated') : levelBelow(count, over, known);
  return {
    atMs,
    level,
    onsetMs: null,
    sinceMs: atMs - perMs,
    endedMs: null,
    kind: null,
    moved: [],
    leading: [],
  };
}

function levelBelow(count: number, over: number, known: number): ObservedLevel {
  if (known < MIN_KNOWN_SHARE) return 'unknown';
  return count > CLOSES_BELOW_SHARE * over ? 'between' : 'calm';
}
