/** An episode in words: the same in a watch's messages, a check, an incident and a digest. */

import {
  type Acknowledgment,
  byNature,
  changesOf,
  type Episode,
  type EpisodeFigures,
  hasBecomeUsual,
  type Natured,
  natureOf,
  type ReportedEpisode,
  timesUsual,
  traitsOf,
} from '../episodes/episode.ts';
import type { CategoryChange, DropKind } from '../episodes/verdict/index.ts';
import { categoryName, leadingFirst } from '../statistics/categories.ts';
import { capitalized, duration, formatCount } from '../statistics/format.ts';
import type { Times } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import { counted } from './phrases.ts';
import type { Line } from './reply.ts';

/** Below this, it's hardly more than usual. */
const MIN_TIMES_USUAL = 1.15;

/** `4.4× usual`: the count divided by what was expected in the same time; nothing if it's hardly more. */
export function usualWords(figures: Pick<EpisodeFigures, 'total' | 'expected'> | null): string[] {
  const times = timesUsual(figures);
  return times === null || times < MIN_TIMES_USUAL ? [] : [`${factorWords(times)}× usual`];
}

/** `4.4`, `12` */
export const factorWords = (ratio: number): string =>
  ratio < 9.95 ? ratio.toFixed(1).replace(/\.0$/, '') : formatCount(ratio);

/** `about 490 expected` */
export const expectedWords = (expected: number): string =>
  expected < 0.5 ? 'hardly any expected' : `about ${formatCount(expected)} expected`;

/** `, about 490 expected`; nothing if that's unknown, or wasn't stored by an earlier version. */
export const expectedAfter = (expected: number | null | undefined): string =>
  expected == null ? '' : `, ${expectedWords(expected)}`;

/** `null` if it couldn't be counted. */
type DropCounts = Pick<EpisodeFigures, 'total' | 'expected' | 'visitorsUnknown'> | null;

type DropWords = Readonly<Record<'name' | 'meanwhile' | 'advice', string>> & { readonly notes: readonly Line[] };

/** What it's called, what went on meanwhile if anybody knows, its likely reason with what to look at, and what its counts are of. */
export function dropWords(what: DropKind, counts: DropCounts = null, isOver = false): DropWords {
  switch (what) {
    case 'requests':
      return {
        name: 'Visitors gone',
        meanwhile: '',
        advice: 'The site or the network in front of it may be down. Open it, then check its servers.',
        notes: [["Visits are requests that aren't attacks."]],
      };
    case 'attacks': {
      const isUnknown = counts?.visitorsUnknown === true;
      return {
        name: (counts?.total ?? 0) === 0 ? 'No attacks' : 'Hardly any attacks',
        meanwhile: isUnknown ? '' : `while visitors ${isOver ? 'kept' : 'keep'} coming`,
        advice: isUnknown
          ? 'The site may be down, or logging may have stopped. Open the site, then check the firewall and its log.'
          : "Rules may be off, or logging may have stopped. Check the firewall's rules and its log.",
        notes: [],
      };
    }
  }
}

/** `visitors gone`, `more Webshell than usual`: for an episode of which only the time is known. */
export const bareName = (episode: Natured & Pick<Episode, 'worst'>): string =>
  byNature(episode, {
    rise: () => (episode.worst === 'surge' ? 'surge' : 'more attacks than usual'),
    mix: (category) => `more ${categoryName(category)} than usual`,
    drop: (what) => dropWords(what).name.toLowerCase(),
  });

/** `Visitors gone since 03:12 · 4 visits, about 900 expected`, `No attacks 03:12 – 04:02, while visitors kept coming · about 240 expected` */
export function dropTitle(what: DropKind, counts: DropCounts, when: string, isOver: boolean): string {
  const { name, meanwhile } = dropWords(what, counts, isOver);
  const title = `${name} ${when}${meanwhile === '' ? '' : `, ${meanwhile}`}`;
  if (counts === null || counts.expected === null) return title;
  const { total, expected } = counts;
  const { unit } = traitsOf({ drop: what });
  // The name says it of attacks.
  const units = unit === 'attack' ? '' : ` ${unit}s`;
  return total === 0
    ? `${title} · about ${formatCount(expected)}${units} expected`
    : `${title} · ${formatCount(total)}${units}, about ${formatCount(expected)} expected`;
}

/** `led by SQL injection`; if that has changed, `now mostly XSS, at first SQL injection`, at the end `SQL injection, then XSS`. */
export function kindWords(leading: readonly string[], isOver: boolean): string[] {
  const kinds = [...new Set(leading)].map(categoryName);
  const [first] = kinds;
  const [last] = leading.slice(-1).map(categoryName);
  if (first === undefined || last === undefined) return [];
  // Next to a number, the name alone would read as the category of all attacks.
  if (kinds.length === 1) return [`led by ${first}`];
  if (isOver) return [kinds.join(', then ')];
  return [first === last ? `mostly ${last} again` : `now mostly ${last}, at first ${first}`];
}

type MaybeUsual = Parameters<typeof hasBecomeUsual>[0];

const USUAL = {
  rise: 'this many attacks',
  mix: 'so many of them',
  attacks: 'so few attacks',
  requests: 'so few visits',
};

/** What follows the numbers of what has lasted so long that its end isn't one. */
export const usualByNowWords = (episode: MaybeUsual): string =>
  hasBecomeUsual(episode)
    ? ` Not over by then: after ${counted(traitsOf(episode).heldDays, 'day')}, ${USUAL[natureOf(episode)]} count as usual.`
    : '';

/** `from 7 Mar 16:10 on, usual after 3 days`: when it was, if its end isn't one. */
export const usualSinceWords = (episode: MaybeUsual, times: Times): string | null =>
  hasBecomeUsual(episode)
    ? `from ${times(episode.onsetMs)} on, usual after ${counted(traitsOf(episode).heldDays, 'day')}`
    : null;

/** `Runbook: SQL injection, shop`, each a link. */
export const runbookLines = (runbooks: readonly { readonly name: string; readonly url: string }[]): Line[] =>
  runbooks.length === 0
    ? []
    : [
        [
          'Runbook: ',
          ...runbooks.flatMap(({ name, url }, at): Line => [at === 0 ? '' : ', ', { link: url, says: name }]),
        ],
      ];

/** `alert held back by maintenance` */
export const heldBackWords = ({ by }: NonNullable<ReportedEpisode['heldBack']>): string =>
  `alert held back by ${by === 'quiet' ? 'quiet hours' : by}`;

/** `after 2 minutes`, from the alert to the click. */
export const afterWords = (ms: number): string =>
  ms < MINUTE_MS ? 'within a minute' : `after ${duration(ms, { units: ['day', 'hour', 'minute'], rounding: 'whole' })}`;

/** `@maya`, or `Maya Jones in PagerDuty`. `quietly`: nobody is notified. */
export const acknowledgerWords = ({ by, via }: Pick<Acknowledgment, 'by' | 'via'>, quietly?: 'quietly'): Line =>
  via === undefined ? [quietly === undefined ? { user: by } : { user: by, quietly: true }] : [`${by} in ${via}`];

/** An episode with what was counted in it. */
export type EpisodeNumbers = Pick<Episode, 'leading'> & { readonly figures: EpisodeFigures };

/** The categories that rose in an episode, the leading one first, with what *Why?* says was expected; none if it's unknown. */
export function risenIn({ figures, leading }: EpisodeNumbers): readonly CategoryChange[] {
  const known = changesOf(figures.categories);
  const [first] = known.filter(({ name }) => name === leading.at(-1));
  const risen = leadingFirst(known);
  const ordered = first === undefined ? risen : [first, ...risen.filter(({ name }) => name !== first.name)];
  const whole = wholeShares(
    known.map(({ expected }) => expected),
    figures.expected,
  );
  const shown = new Map(known.map(({ name }, at) => [name, whole[at] ?? 0]));
  return ordered.map((each) => ({ ...each, expected: shown.get(each.name) || each.expected }));
}

/**
 * Rounded so that they add up to the rounded sum: those closest to the next number are rounded up. `of` is what they are
 * shares of: less than one may be missing, of categories that are too small to be listed.
 */
export function wholeShares(values: readonly number[], of: number | null = null): number[] {
  const exact = values.reduce((total, value) => total + value, 0);
  const sum = Math.round(of !== null && values.length > 0 && of >= exact && of - exact < 1 ? of : exact);
  const whole = values.map(Math.floor);
  const missing = sum - whole.reduce((total, value) => total + value, 0);
  const up = new Set(
    values
      .map((value, at) => ({ at, part: value - Math.floor(value) }))
      .toSorted((a, b) => b.part - a.part)
      .slice(0, missing)
      .map(({ at }) => at),
  );
  return whole.map((value, at) => value + (up.has(at) ? 1 : 0));
}

/** `On shop (98 % of the excess). Above usual: SQL injection 820 (59 expected), XSS 456 (43).`; the numbers are of all hosts. */
export function risenLine(risen: readonly CategoryChange[], where: string | null = null): Line[] {
  const place = where === null ? [] : [`${capitalized(where)}.`];
  const above = risen.length === 0 ? [] : [`Above usual: ${risenWords(risen)}.`];
  const line = [...place, ...above].join(' ');
  return line === '' ? [] : [[line]];
}

const MAX_CATEGORIES = 3;

/** `SQL injection 820 (59 expected), XSS 456 (43)` */
function risenWords(risen: readonly CategoryChange[]): string {
  const named = risen.slice(0, MAX_CATEGORIES).map(({ name, observed, expected }, at) => {
    const usual = isNew(expected) ? 'new' : `${fewWords(expected)}${at === 0 ? ' expected' : ''}`;
    return `${categoryName(name)} ${formatCount(observed)} (${usual})`;
  });
  const more = risen.length > MAX_CATEGORIES ? `, and ${risen.length - MAX_CATEGORIES} more` : '';
  return `${named.join(', ')}${more}`;
}

/** Only what had no event at all in the weeks before is new. */
export const isNew = (expected: number | null): boolean => expected === 0;

/** `59`; of a fraction `<1`, because it isn't none. */
export const fewWords = (expected: number): string => (expected > 0 && expected < 0.5 ? '<1' : formatCount(expected));
