/**
 * An episode: a time with unusually many attacks, or with attacks or visitors missing; its stored figures, and what was expected
 * of each category.
 */
import { countOf, maxCountOf, totalOf } from '../statistics/categories.ts';
import type { CategoryCount, Distribution, Timeline } from '../statistics/timeline.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';
import {
  BARS,
  CATEGORY,
  type CategoryChange,
  DROPS,
  type DropKind,
  MIX,
  RISE,
  type StrengthStep,
} from './verdict/index.ts';

export interface EpisodeSpan {
  /** When it began according to the data, or else the first evaluation that noticed it. */
  readonly onsetMs: number;
  /** When it ended according to the data; `null` while it's ongoing. */
  readonly endMs: number | null;
}

export interface EpisodePeak {
  readonly count: number;
  readonly endMs: number;
  readonly intervalMs: number;
}

export interface EpisodeCategory extends CategoryCount {
  /** `null` if unknown. */
  readonly expected: number | null;
}

/** Those of which it's known what was expected. */
export const changesOf = (categories: readonly EpisodeCategory[]): CategoryChange[] =>
  categories.flatMap(({ category: name, count: observed, expected }) =>
    // Records of an earlier version don't have it.
    expected == null ? [] : [{ name, observed, expected }],
  );

/** Counts from the onset to the end, or as far as they were final: attacks, or requests if visitors are missing. */
export interface EpisodeFigures {
  readonly untilMs: number;
  readonly total: number;
  /** Based on what was usual before the onset: a long episode must not become its own baseline. `null` if unknown. */
  readonly expected: number | null;
  /** The highest interval. */
  readonly peak: EpisodePeak | null;
  /** Largest first, without empty ones. */
  readonly categories: readonly EpisodeCategory[];
  /** Attacks are gone, and visitors may be as well. */
  readonly visitorsUnknown?: boolean;
}

export interface Episode extends EpisodeSpan {
  readonly id: string;
  /** The record it was found as; earlier versions didn't store it. */
  readonly record?: string;
  /** What is missing. If absent there was more than usual, as in everything that earlier versions stored. */
  readonly drop?: DropKind;
  /** The category that is unusual by its own history, while the total need not be. */
  readonly mix?: string;
  /** Its highest level. */
  readonly worst: 'elevated' | 'surge';
  /** The categories that have led it, in order: the last one leads now, or led at the end. None of a drop. */
  readonly leading: readonly string[];
  readonly figures: EpisodeFigures | null;
  /** Who is on it, and who asked them to be. */
  readonly acknowledged: Acknowledgment | null;
  /** Oldest first; earlier versions didn't store it. */
  readonly history?: readonly EpisodeEvent[];
}

export interface Acknowledgment {
  /** A user's ID; with `via`, a name there. */
  readonly by: string;
  readonly atMs: number;
  readonly assignedBy?: string;
  /** Where it was acknowledged, if that wasn't in Slack. */
  readonly via?: 'PagerDuty';
}

/** What happened to an episode besides its numbers: to its level, or by a person. */
export interface EpisodeEvent {
  readonly what: 'worse' | 'acknowledged' | 'assigned' | 'unacknowledged' | 'reminded' | 'snoozed' | 'awake' | 'over';
  readonly atMs: number;
  readonly by?: string;
  readonly via?: Acknowledgment['via'];
  readonly to?: string;
  readonly untilMs?: number;
}

/** More than usual, more of a category, or what is missing. A new one doesn't compile until all that depends on it is said. */
export type EpisodeNature = 'rise' | 'mix' | DropKind;

/** What an episode's nature depends on. */
export type Natured = Pick<Episode, 'drop' | 'mix'>;

export const natureOf = ({ drop, mix }: Natured): EpisodeNature => drop ?? (mix === undefined ? 'rise' : 'mix');

/** What to say of an episode or do about it: for each nature, so that nothing counts as a rise by default. */
export function byNature<T>(
  { drop, mix }: Natured,
  of: { readonly rise: () => T; readonly mix: (category: string) => T; readonly drop: (what: DropKind) => T },
): T {
  if (drop !== undefined) return of.drop(drop);
  return mix === undefined ? of.rise() : of.mix(mix);
}

/**
 * In which numbers it's found, what is counted of it, for how many days the level stays as it was, and how
 * long it counts as ongoing after its last sign.
 */
const TRAITS = {
  rise: { series: 'attacks', unit: 'attack', heldDays: RISE.heldDays, goesOnMs: RISE.recentMs },
  mix: { series: 'attacks', unit: 'event', heldDays: CATEGORY.followedDays, goesOnMs: MIX.pauseMs },
  attacks: { series: 'attacks', unit: 'attack', heldDays: DROPS.heldDays, goesOnMs: RISE.recentMs },
  requests: { series: 'requests', unit: 'visit', heldDays: DROPS.heldDays, goesOnMs: RISE.recentMs },
} as const satisfies Record<EpisodeNature, object>;

export const traitsOf = (episode: Natured) => TRAITS[natureOf(episode)];

/** Two of a different nature, or of different categories, are never the same. */
export const isAlike = (a: Natured, b: Natured): boolean => a.drop === b.drop && a.mix === b.mix;

/** Whether they are alike and share time. */
export const coincides = (episode: Natured & EpisodeSpan, record: EpisodeRecord): boolean =>
  isAlike(episode, record) && overlaps(episode, record.onsetMs, record.figures.untilMs);

/**
 * An episode as it was found in settled numbers, once for everyone. Every answer about a window, every watch and every
 * digest reads these records, so that all of them give the same times and numbers.
 */
export interface EpisodeRecord extends Omit<Episode, 'acknowledged' | 'history'> {
  readonly figures: EpisodeFigures;
  /** How rare it is on this site: 2 is once in 100 hours. */
  readonly strength: number;
  /** How strong it had become and when, oldest first, as the numbers up to then showed. */
  readonly steps: readonly StrengthStep[];
  /** How fast it had become and when, oldest first; only of a rise. */
  readonly paces?: readonly Pace[];
  /** It consists of what people chose to ignore. Decided whenever it's read, and never stored. */
  readonly ignored?: true;
}

/** Attacks per minute over the five minutes until an instant. */
interface Pace {
  readonly atMs: number;
  readonly perMinute: number;
}

/** Counts the complete intervals within the span, without what was to be expected. */
export function episodeFigures(
  { onsetMs, endMs }: EpisodeSpan,
  timeline: Timeline,
  { distribution = null, what = 'attacks' }: FigureDetails = {},
): EpisodeFigures {
  const { intervalMs, settledUntilMs, toMs } = timeline;
  const untilMs = Math.max(onsetMs, Math.min(endMs ?? toMs, toMs, settledUntilMs));
  let total = 0;
  let peak: EpisodePeak | null = null;
  for (const point of timeline.points) {
    const count = point[what];
    if (count === null || point.endMs > untilMs || point.endMs - intervalMs < onsetMs) continue;
    total += count;
    if (count > (peak?.count ?? 0)) peak = { count, endMs: point.endMs, intervalMs };
  }
  const categories = (distribution?.counts ?? [])
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map((each) => ({ ...each, expected: null }));
  return { untilMs, total, expected: null, peak, categories };
}

interface FigureDetails {
  readonly distribution?: Distribution | null;
  readonly what?: 'attacks' | 'requests';
}

/** A multiple of less than this would be misleading. */
const MIN_EXPECTED = 1;

/** How many times the usual it was over its whole length; `null` if unknown. */
export function timesUsual(counted: Pick<EpisodeFigures, 'total' | 'expected'> | null): number | null {
  // Earlier versions didn't store what was expected.
  const { total, expected = null } = counted ?? { total: 0 };
  return expected === null || expected < MIN_EXPECTED ? null : total / expected;
}

/** Whether what a watch has reported is this record. Of what earlier versions stored, the time says so. */
export const isReportOf = (reported: Episode, record: EpisodeRecord): boolean =>
  reported.record === undefined ? coincides(reported, record) : reported.record === record.id;

export const overlaps = (a: EpisodeSpan, fromMs: number, toMs: number): boolean =>
  a.onsetMs < toMs && (a.endMs ?? Number.POSITIVE_INFINITY) > fromMs;

/** An episode that a watch has reported to its channel. */
export interface ReportedEpisode extends Episode {
  readonly watch: string;
  /** The watch's threshold, such as `attacks over 500 per 15 minutes`; `null` if it watches for anything unusual. */
  readonly limit: string | null;
  /** Host names as given in the watch; none means the whole project. */
  readonly hosts: readonly string[];
  /** When the channel was alerted. */
  readonly openedMs: number;
  /** Its first message in the channel; `null` if there was none. */
  readonly firstTs: string | null;
  /** What held its alert back. */
  readonly heldBack?: { readonly by: 'quiet' | 'maintenance' } | undefined;
}

/** Of a category that has been there before, even where nothing at all is expected. */
const LEAST = 0.001;

/** Largest first. What is expected of the categories adds up to what is expected in total. */
export function withExpected(
  counted: Distribution,
  reference: readonly Distribution[],
  expected: number | null,
): EpisodeCategory[] {
  const names = new Set([counted, ...reference].flatMap(({ counts }) => counts.map(({ category }) => category)));
  const shareOf = (category: string): number | null => {
    const shares = reference.map((each) => {
      const count = maxCountOf(each, category);
      return count === null ? null : count / totalOf(each);
    });
    return shares.length === 0 || shares.includes(null)
      ? null
      : shares.reduce<number>((sum, share) => sum + (share ?? 0), 0) / shares.length;
  };
  const shares = new Map([...names].map((name) => [name, shareOf(name)]));
  const all = [...shares.values()].reduce<number>((sum, share) => sum + (share ?? 0), 0);
  return [...names]
    .map((category): EpisodeCategory => {
      const share = shares.get(category) ?? null;
      const usual = expected === null || share === null || all === 0 ? null : (expected * share) / all;
      // Zero is of what was never seen.
      const isKnown = usual !== null && (share ?? 0) > 0;
      return { category, count: countOf(counted, category) ?? 0, expected: isKnown ? Math.max(usual, LEAST) : usual };
    })
    .filter(
      ({ category, count, expected: usual }) =>
        (count > 0 || (usual ?? 0) >= 0.5) && countOf(counted, category) !== null,
    )
    .toSorted((a, b) => b.count - a.count);
}

/** The same for everyone who finds it. */
export const recordId = (nature: string, onsetMs: number): string => `${nature}-${Math.round(onsetMs / MINUTE_MS)}`;

/** From then on it's no longer an episode, as it may be here to stay. */
export const usualFromMs = (episode: Pick<Episode, 'onsetMs'> & Natured): number =>
  episode.onsetMs + traitsOf(episode).heldDays * DAY_MS;

/** Whether it ended when its level was no longer held, so that it isn't over. */
export const hasBecomeUsual = (episode: EpisodeSpan & Natured): boolean =>
  episode.endMs !== null && Math.abs(episode.endMs - usualFromMs(episode)) < RISE.pauseMs;

/** In which the level stays as it was. */
export const heldTime = (episode: EpisodeSpan & Natured) => ({
  fromMs: episode.onsetMs,
  toMs: Math.min(episode.endMs ?? Number.POSITIVE_INFINITY, usualFromMs(episode)),
  isUsual: hasBecomeUsual(episode) || (episode.endMs ?? Number.POSITIVE_INFINITY) > usualFromMs(episode),
});

/** The times of long drops, and of long rises that alert. */
export const heldTimes = (episodes: readonly (EpisodeSpan & Natured & Pick<EpisodeRecord, 'strength'>)[]) =>
  episodes
    .filter((episode) =>
      byNature(episode, { rise: () => episode.strength >= BARS.normal, mix: () => false, drop: () => true }),
    )
    .map(heldTime)
    .filter(({ fromMs, toMs }) => toMs - fromMs > RISE.longMs);
