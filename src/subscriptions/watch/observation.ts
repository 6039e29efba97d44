/** An evaluation reduced to what the course of an episode depends on: how bad it is, since when, and what leads. */

import type { AnomalyKind, Drop, Verdict } from '../../episodes/verdict/index.ts';
import { leadingTogether } from '../../statistics/movers.ts';

/** `between`: not bad enough to begin an episode, not calm enough to end one. */
export type ObservedLevel = 'calm' | 'between' | 'elevated' | 'surge' | 'unknown';

export interface Observation {
  /** The end of what was evaluated. */
  readonly atMs: number;
  readonly level: ObservedLevel;
  readonly onsetMs: number | null;
  /** The earliest it can have begun, where the numbers give no onset. */
  readonly sinceMs: number;
  /** When what stood out was over; `null` while it goes on, and where nothing did. */
  readonly endedMs: number | null;
  readonly kind: AnomalyKind | null;
  /** The categories that are above their usual, and those that lead now: one, or several that are near each other. */
  readonly moved: readonly string[];
  readonly leading: readonly string[];
  /** What has stopped, where that is what was looked at. */
  readonly drop?: Drop['what'];
}

/** Scores of a verdict. */
export interface CallingBar {
  /** From here on people are called. */
  readonly calls: number;
  /** Down to here an episode goes on, so that one near the bar does not come and go. */
  readonly holds: number;
}

/** The verdict must have been asked for at the bar that holds an episode, or at a lower one. */
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

/** A drop that was looked for, or followed; `undefined` where there is none. One that goes on has one level. */
export function observeDrop(what: Drop['what'], atMs: number, drop: Drop | undefined): Observation {
  const goesOn = drop !== undefined && drop.endedMs === null;
  return {
    atMs,
    level: goesOn ? 'elevated' : 'calm',
    onsetMs: goesOn ? drop.sinceMs : null,
    sinceMs: drop?.sinceMs ?? atMs,
    endedMs: drop?.endedMs ?? null,
    kind: null,
    moved: [],
    leading: [],
    drop: what,
  };
}

/** Nobody is called for a burst when so much of its time has been as usual again; a little later it is over. */
const FADED_MS = 5 * 60_000;

/** A wave that is over counts as calm, although the evaluated hour still shows it. */
function levelNow({ level, score, ongoing, seenUntilMs, toMs }: Verdict, { calls, holds }: CallingBar): ObservedLevel {
  if (level === 'not_enough_data' || score === null) return 'unknown';
  if (level === 'calm' || ongoing === false || score < holds) return 'calm';
  return score < calls || toMs - (seenUntilMs ?? toMs) >= FADED_MS ? 'between' : level;
}

/** Of those that are near each other in the evaluated hour, the one that has surprised most of late comes first. */
function leadingNow({ categories, moved }: Verdict): string[] {
  const lately = moved.map(({ name }) => name);
  const place = (name: string): number => (lately.includes(name) ? lately.indexOf(name) : lately.length);
  const together = leadingTogether(categories).map(({ name }) => name);
  return together.toSorted((a, b) => place(a) - place(b));
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
  if (known < LEAST_KNOWN_SHARE) return 'unknown';
  return count > CLOSES_BELOW_SHARE * over ? 'between' : 'calm';
}
