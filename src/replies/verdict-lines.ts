/** A verdict in words: the finding for the heading, and at most three lines below it. */

import type { EpisodeFigures } from '../episodes/episode.ts';
import type { CategoryChange, Drop, Level, Verdict } from '../episodes/verdict/index.ts';
import { distinctNames, type Host } from '../grammar/hosts.ts';
import { categoryName } from '../statistics/categories.ts';
import { type DurationStyle, duration, formatCount } from '../statistics/format.ts';
import { leadingFirst } from '../statistics/movers.ts';
import { clock, dayAndMonth, zoned } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import {
  DROP_ADVICE,
  dropCounted,
  dropTitle,
  type EpisodeNumbers,
  expectedWords,
  factorWords,
  kindWords,
  NEW_BELOW,
  risenIn,
  SHAPES,
  shapeLine,
  usualWords,
} from './episode-lines.ts';
import { counted, onHosts } from './phrases.ts';
import type { Line, Reply } from './reply.ts';

export const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  calm: 'Calm',
  elevated: 'Elevated',
  surge: 'Surge',
  not_enough_data: 'Not enough data',
};

/** Measured durations: `56 minutes`, `2.5 hours`, `3 days`. */
export const MEASURED: DurationStyle = { units: ['day', 'hour', 'minute'], rounding: 'tenths' };

/** An episode that is over doesn't get the color of an ongoing one. */
export function shownLevel(level: Level, { onsetMs, endedMs, ongoing, drops }: Verdict): NonNullable<Reply['level']> {
  const isAlarm = level === 'elevated' || level === 'surge';
  const isRiseOver = endedMs !== null && ongoing !== true;
  const isDropOver = drops.length > 0 && drops.every((drop) => drop.endedMs !== null);
  const isOver = drops.length === 0 ? isRiseOver : isDropOver && (isRiseOver || onsetMs === null);
  return isAlarm && isOver ? 'past' : level;
}

export type Times = (ms: number) => string;

/** `14:57`, with the day where it is another than today. */
export function clockOf(zone: string, now: Temporal.Instant): Times {
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  return (ms) => {
    const at = zoned(ms, zone);
    return at.toPlainDate().equals(today) ? clock(at) : `${dayAndMonth(at)} ${clock(at)}`;
  };
}

/** `14:40 – 15:15`, with the day only once. */
export function spanInWords(fromMs: number, toMs: number, zone: string, now: Temporal.Instant): string {
  const [from, to] = [zoned(fromMs, zone), zoned(toMs, zone)];
  const times = clockOf(zone, now);
  const end = from.toPlainDate().equals(to.toPlainDate()) ? clock(to) : times(toMs);
  return `${times(fromMs)} – ${end}`;
}

/** Some services report rates that are too coarse to count intervals from, but know the attacks of the whole window. */
export interface WindowKnowledge {
  readonly isOfRates: boolean;
  readonly attacks: number | null;
}

/** What a finding is about, beyond the verdict itself. */
export interface FindingContext {
  readonly hosts: readonly Host[];
  readonly zone: string;
  readonly now: Temporal.Instant;
  /** What is known of the window where its intervals have no numbers. */
  readonly known?: WindowKnowledge | undefined;
  /** The episode's counts and leading categories, the same in every answer about it. */
  readonly episode?: EpisodeNumbers | null;
}

/** The heading and the lines below it. */
export type FindingWords = Required<Pick<Reply, 'title' | 'body'>> & { readonly level: Level };

export function findingOf(verdict: Verdict, context: FindingContext): FindingWords {
  if (isWithoutTraffic(verdict)) return noTraffic(verdict, context);
  const drop = leadingDrop(verdict);
  if (drop !== undefined) return dropFinding(verdict, drop, context);
  if (verdict.level === 'not_enough_data' || verdict.expected === null) return notEnough(verdict, context);
  return verdict.level === 'calm' ? calmFinding(verdict, context) : anomalyFinding(verdict, verdict.expected, context);
}

/** The drop that is the finding. A rise takes precedence, unless it's over and the drop isn't. */
export function leadingDrop({
  drops,
  onsetMs,
  endedMs,
  ongoing,
}: Pick<Verdict, 'drops' | 'onsetMs' | 'endedMs' | 'ongoing'>): Drop | undefined {
  const goesOn = drops.find((drop) => drop.endedMs === null);
  if (onsetMs === null) return goesOn ?? drops[0];
  return endedMs !== null && ongoing !== true ? goesOn : undefined;
}

/** The same from cached numbers, because the service doesn't respond. It must not read as the current state. */
export function asOfEarlier(
  { title, body, level }: FindingWords,
  cachedMs: number,
  { zone, now }: FindingContext,
): FindingWords {
  const then = level === 'not_enough_data' ? 'last numbers' : LEVEL_NAMES[level].toLowerCase();
  const age = duration(Math.max(MINUTE_MS, now.epochMilliseconds - cachedMs), { ...MEASURED, rounding: 'whole' });
  return {
    title: `Can't reach your WAF statistics · ${then} at ${clockOf(zone, now)(cachedMs)}`,
    level: 'not_enough_data',
    body: [['Last numbers, from ', { bold: `${age} ago` }, `: ${title}.`], ...body].slice(0, 3),
  };
}

/** Not a single request, now or before: this may not be a host of the project at all. */
function isWithoutTraffic({ totals, drops, references }: Verdict): boolean {
  if (totals.knownMs === 0 || totals.requests > 0 || totals.attacks > 0 || drops.length > 0) return false;
  return references.every((reference) => reference.totals.requests === 0);
}

function noTraffic({ fromMs, toMs }: Verdict, { hosts }: FindingContext): FindingWords {
  const ids = hosts.map(({ id }) => id).join(', ');
  const whose = onHosts(hosts).replace(' on ', ' for ');
  const ask =
    hosts.length === 0 ? 'is the project right?' : hosts.length === 1 ? 'is its ID right?' : 'are the IDs right?';
  const which: Line = hosts.length === 0 ? [] : [` Host ${hosts.length === 1 ? 'ID' : 'IDs'}: `, { code: ids }];
  return {
    title: `No traffic seen${whose}: ${ask}`,
    level: 'not_enough_data',
    body: [[`Not a single request in ${lasting(toMs - fromMs)}, nor before that.`, ...which]],
  };
}

function notEnough({ sentence, totals }: Verdict, { hosts, known: window }: FindingContext): FindingWords {
  if (totals.knownMs === 0 && window?.isOfRates === true && window.attacks !== null) {
    const why = 'The service reports rounded rates over time, which are too coarse to judge.';
    const line: Line = [`${why} In total: `, { bold: counted(window.attacks, 'attack') }, '.'];
    return { title: 'Not enough data to judge', level: 'not_enough_data', body: [line] };
  }
  const known =
    totals.knownMs === 0
      ? []
      : [
          `${counted(totals.attacks, 'attack')} of ${counted(totals.requests, 'request')} counted in ${lasting(totals.knownMs)}.`,
        ];
  const ask =
    totals.knownMs > 0 || hosts.length === 0 ? [] : [`Is the ID of ${distinctNames(hosts).join(', ')} right?`];
  return {
    title: 'Not enough data to judge',
    level: 'not_enough_data',
    body: [[[sentence, ...known, ...ask].join(' ')]],
  };
}

function dropFinding(verdict: Verdict, drop: Drop, { zone, now }: FindingContext): FindingWords {
  const { observed, usual, level } = verdict;
  const { what, sinceMs, untilMs, endedMs, observed: total, expected } = drop;
  const isOver = endedMs !== null;
  const when = isOver ? spanInWords(sinceMs, endedMs, zone, now) : `since ${clockOf(zone, now)(sinceMs)}`;
  const length = `${lasting(untilMs - sinceMs)}${isOver ? '' : ' so far'}`;
  const course = isOver ? ` Over since ${clockOf(zone, now)(endedMs)}.` : ` ${DROP_ADVICE[what]}`;
  const rest =
    usual === null
      ? []
      : [[`${counted(observed, 'attack')} in ${judgedTime(verdict, now)}${rangeWords(observed, usual)}.`]];
  return {
    title: dropTitle(what, { total, expected }, when, isOver),
    level: level === 'surge' ? 'surge' : 'elevated',
    body: [[...dropCounted(what, { total, expected }, length), course], ...rest],
  };
}

/** `, 690–840 is usual` */
function rangeWords(observed: number, { low, high }: NonNullable<Verdict['usual']>): string {
  const range = `${formatCount(low)}–${formatCount(high)}`;
  if (observed > high) return `, a little above the usual ${range}`;
  return observed < Math.round(low) ? `, below the usual ${range}` : `, ${range} is usual`;
}

function calmFinding(verdict: Verdict, { now }: FindingContext): FindingWords {
  const { observed, usual, kind, visitorFactor } = verdict;
  const range = usual === null ? '' : rangeWords(observed, usual);
  const visitors =
    kind === 'more visitors'
      ? [[`${SHAPES[kind]}: ${factorWords(visitorFactor)} times as many. Attacks rose no more than visitors did.`]]
      : [];
  return {
    title: `Calm · ${counted(observed, 'attack')} in ${judgedTime(verdict, now)}${range}`,
    level: 'calm',
    body: visitors,
  };
}

function anomalyFinding(
  verdict: Verdict,
  expected: number,
  { zone, now, episode = null }: FindingContext,
): FindingWords {
  const { level, observed, onsetMs, endedMs, ongoing, drops, kind, visitorFactor } = verdict;
  const times = clockOf(zone, now);
  const isOver = endedMs !== null && ongoing !== true;
  const risen = episode === null ? risenCategories(verdict) : risenIn(episode);
  const title = [
    levelAndTime(verdict, { zone, now }),
    ...usualWords(episode?.figures ?? { total: observed, expected }),
    ...leadingWords(risen, episode?.leading ?? [], isOver),
  ].join(' · ');
  const course =
    onsetMs === null ? '' : isOver ? ` Over since ${times(endedMs)}.` : ongoing === true ? ' Still ongoing.' : '';
  const window = judgedTime(verdict, now);
  const counts: Line =
    episode === null || onsetMs === null
      ? [{ bold: counted(observed, 'attack') }, ` in ${window}, ${expectedWords(expected)}.${course}`]
      : [...episodeCounts(onsetMs, episode.figures, isOver), `; ${formatCount(observed)} in ${window}.${course}`];
  return {
    title,
    level,
    body: [
      counts,
      ...shapeLine({ kind, isOver, visitorFactor, total: episode?.figures.total ?? observed }, risen),
      ...drops.map((drop) => dropLine(drop, { zone, now })),
    ].slice(0, 3),
  };
}

/** `1,992 attacks in 33 minutes so far, about 430 expected` */
function episodeCounts(onsetMs: number, { total, expected, untilMs }: EpisodeFigures, isOver: boolean): Line {
  const length = lasting(untilMs - onsetMs);
  const usually = expected === null ? '' : `, ${expectedWords(expected)}`;
  return [{ bold: counted(total, 'attack') }, ` in ${length}${isOver ? '' : ' so far'}${usually}`];
}

/** A window that ended longer ago than this, or than a hundredth of it, isn't called the last so many minutes. */
const RECENT_MS = 10 * MINUTE_MS;
const RECENT_SHARE = 0.01;

/** `the last 57 minutes`, or for a window in the past `the 2 hours you asked about`. */
function judgedTime({ fromMs, toMs }: Pick<Verdict, 'fromMs' | 'toMs'>, now: Temporal.Instant): string {
  const length = lasting(toMs - fromMs);
  const agoMs = now.epochMilliseconds - toMs;
  return agoMs <= Math.max(RECENT_MS, RECENT_SHARE * (toMs - fromMs))
    ? `the last ${length}`
    : `the ${length} you asked about`;
}

/** `Surge since 14:57`, `Surge 14:57 – 15:12` */
export function levelAndTime(
  { level, onsetMs, endedMs, ongoing }: Pick<Verdict, 'level' | 'onsetMs' | 'endedMs' | 'ongoing'>,
  { zone, now }: Pick<FindingContext, 'zone' | 'now'>,
): string {
  if (onsetMs === null) return LEVEL_NAMES[level];
  const isOver = endedMs !== null && ongoing !== true;
  const when = isOver ? spanInWords(onsetMs, endedMs, zone, now) : `since ${clockOf(zone, now)(onsetMs)}`;
  return `${LEVEL_NAMES[level]} ${when}`;
}

/** The categories that rose, the leading one first, even if that one is always large. */
export function risenCategories({
  moved,
  categories,
}: Pick<Verdict, 'moved' | 'categories'>): readonly CategoryChange[] {
  const first = leadingFirst(categories)[0]?.name;
  const names = new Set(moved.map(({ name }) => name));
  const above = ({ name, observed, expected }: CategoryChange): number => (name === first ? 1e12 : observed - expected);
  return categories
    .filter(({ name, observed, expected }) => name === first || (names.has(name) && observed > expected))
    .toSorted((a, b) => above(b) - above(a));
}

/** `led by SQL injection`, or `new: Webshell` if there was none before. */
function leadingWords([first]: readonly CategoryChange[], kinds: readonly string[], isOver: boolean): string[] {
  const isOne = kinds.length === 0 || (kinds.length === 1 && kinds[0] === first?.name);
  if (!isOne || first === undefined) return kindWords(kinds, isOver);
  return first.expected < NEW_BELOW ? [`new: ${categoryName(first.name)}`] : kindWords([first.name], isOver);
}

/** Below a rise that leads the answer: `Visitors gone since 14:10 · 4 of about 900 visits.` */
function dropLine(
  { what, sinceMs, endedMs, observed: total, expected }: Drop,
  { zone, now }: Pick<FindingContext, 'zone' | 'now'>,
): Line {
  const isOver = endedMs !== null;
  const when = isOver ? spanInWords(sinceMs, endedMs, zone, now) : `since ${clockOf(zone, now)(sinceMs)}`;
  return [`${dropTitle(what, { total, expected }, when, isOver)}.`];
}

export const lasting = (ms: number): string => duration(Math.max(MINUTE_MS, ms), MEASURED);
