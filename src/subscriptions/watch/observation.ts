/** An evaluation reduced to what an episode's lifecycle depends on: how bad, since when, and which record it's about. */
import { byNature, type EpisodeRecord, traitsOf } from '../../episodes/episode.ts';
import { DROP_KINDS, type DropKind } from '../../episodes/verdict/index.ts';
import { MINUTE_MS } from '../../time-units.ts';

/**
 * What a watch follows in parallel, each with its own episodes and messages: more attacks than usual, missing visitors,
 * attacks that have stopped, and each category that is unusual by its own history.
 */
export type Course = 'rise' | DropKind | `mix-${string}` | typeof OTHER_CATEGORIES;
/** Marks an evaluation in which categories couldn't be counted. It never has a state of its own. */
export const OTHER_CATEGORIES = 'other categories';
/** Those that every watch follows. */
export const STANDING_COURSES = ['rise', ...DROP_KINDS] as const;

/** `between`: not bad enough to start an episode, not calm enough to end one. */
export type ObservedLevel = 'calm' | 'between' | 'elevated' | 'surge' | 'unknown';

export interface Observation {
  /** The end of what was evaluated. */
  readonly atMs: number;
  readonly level: ObservedLevel;
  readonly onsetMs: number | null;
  /** The earliest possible beginning, if the data shows no onset. */
  readonly sinceMs: number;
  /** When it ended; `null` while it's ongoing or if there was none. */
  readonly endedMs: number | null;
  /** The record that it's about; `null` for a watch with a limit, and if there is none. */
  readonly record: EpisodeRecord | null;
  /** The records of the same course before that one, as far as they were read. */
  readonly earlier?: readonly EpisodeRecord[];
}

/** What was observed in each course at one moment. */
export type Evaluation = ReadonlyMap<Course, Observation>;

export const courseOfRecord = (record: EpisodeRecord): Course =>
  byNature<Course>(record, { rise: () => 'rise', mix: (category) => `mix-${category}`, drop: (what) => what });

/** If the newest numbers are older than this, the state is unknown. */
export const MAX_DATA_AGE_MS = 15 * MINUTE_MS;

/**
 * What the numbers up to `atMs` showed of a course's records. It doesn't depend on when it's evaluated, so a watch and a
 * preview of the past agree. `bar` is the strength from which people are alerted.
 */
export function observeRecords(records: readonly EpisodeRecord[], atMs: number, bar: number): Observation {
  const at = records.findLastIndex(({ steps: [first] }) => first !== undefined && first.atMs <= atMs);
  const record = records[at];
  const nothing = { ...observeNothing(atMs), level: 'calm' } as const;
  if (record === undefined) return nothing;
  const earlier = records.slice(0, at);
  const { onsetMs, endMs, steps, figures } = record;
  // It was ongoing when the numbers stopped, and those after the gap don't show what became of it.
  if (endMs === null && atMs - figures.untilMs >= MAX_DATA_AGE_MS) return observeNothing(atMs);
  if (endMs !== null && atMs - endMs >= traitsOf(record).goesOnMs)
    return { ...nothing, endedMs: endMs, record, earlier };
  const shown = steps.findLast((step) => step.atMs <= atMs);
  const level = shown === undefined || shown.strength < bar ? 'between' : shown.level;
  return { atMs, level, onsetMs, sinceMs: onsetMs, endedMs: null, record, earlier };
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
  return { atMs, level, onsetMs: null, sinceMs: atMs - perMs, endedMs: null, record: null };
}

function levelBelow(count: number, over: number, known: number): ObservedLevel {
  if (known < MIN_KNOWN_SHARE) return 'unknown';
  return count > CLOSES_BELOW_SHARE * over ? 'between' : 'calm';
}

/** If the service is unavailable or has only stale data, the level is unknown. */
export const observeNothing = (atMs: number): Observation => ({
  atMs,
  level: 'unknown',
  onsetMs: null,
  sinceMs: atMs,
  endedMs: null,
  record: null,
});
