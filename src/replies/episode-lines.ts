/** An episode in words: the same in a watch's messages, a check, an incident and a digest. */

import { type Episode, type EpisodeFigures, timesUsual } from '../episodes/episode.ts';
import type { AnomalyKind, CategoryChange, Drop } from '../episodes/verdict/index.ts';
import { categoryName } from '../statistics/categories.ts';
import { duration, formatCount, formatShare } from '../statistics/format.ts';
import { leadingFirst } from '../statistics/movers.ts';
import { counted } from './phrases.ts';
import type { Line } from './reply.ts';

/** Less is hardly more than usual. */
const WORTH_SAYING = 1.15;

/** `4.4× usual`: what was counted, divided by what was expected in the same time; nothing where it is hardly more. */
export function usualWords(figures: Pick<EpisodeFigures, 'total' | 'expected'> | null): string[] {
  const times = timesUsual(figures);
  return times === null || times < WORTH_SAYING ? [] : [`${factorWords(times)}× usual`];
}

/** `4.4`, `12` */
export const factorWords = (ratio: number): string =>
  ratio < 9.95 ? ratio.toFixed(1).replace(/\.0$/, '') : formatCount(ratio);

/** `about 490 expected` */
export const expectedWords = (expected: number): string =>
  expected < 0.5 ? 'hardly any expected' : `about ${formatCount(expected)} expected`;

type DropKind = Drop['what'];
/** `null` where it could not be counted. */
type DropCounts = Pick<EpisodeFigures, 'total' | 'expected'> | null;

/** `Visitors gone`, `No attacks` */
export const dropName = (what: DropKind, counts: DropCounts = null): string =>
  what === 'requests' ? 'Visitors gone' : (counts?.total ?? 0) === 0 ? 'No attacks' : 'Hardly any attacks';

/** `Visitors gone since 03:12 · 4 of about 900 visits`, `No attacks 03:12 – 04:02, while visitors went on · about 240 expected` */
export function dropTitle(what: DropKind, counts: DropCounts, when: string, isOver: boolean): string {
  const meanwhile = what === 'requests' ? '' : `, while visitors ${isOver ? 'went' : 'go'} on`;
  const title = `${dropName(what, counts)} ${when}${meanwhile}`;
  if (counts === null || counts.expected === null) return title;
  const { total, expected } = counts;
  const visits = what === 'requests' ? ' visits' : '';
  return total === 0
    ? `${title} · about ${formatCount(expected)}${visits} expected`
    : `${title} · ${formatCount(total)} of about ${formatCount(expected)}${visits}`;
}

/** `4 visits in 12 minutes so far, about 900 expected.` */
export function dropCounted(what: DropKind, { total, expected }: NonNullable<DropCounts>, length: string): Line {
  const usually = expected === null ? '' : `, ${expectedWords(expected)}`;
  return [{ bold: counted(total, what === 'requests' ? 'visit' : 'attack') }, ` in ${length}${usually}.`];
}

/** What may be the reason, and what to look at. */
export const DROP_ADVICE: Readonly<Record<DropKind, string>> = {
  requests: 'The site, or the network in front of it, may be down: open it, then look at its servers.',
  attacks: 'Rules may be off, or logging may have stopped: look at the rules of the firewall and at its log.',
};

export const WHAT_VISITS_ARE = 'Visits are requests that are not attacks.';

/** `led by SQL injection`; where that has changed, `now mostly XSS, at first SQL injection`, in the end `SQL injection, then XSS`. */
export function kindWords(leading: readonly string[], isOver: boolean): string[] {
  const kinds = [...new Set(leading)].map(categoryName);
  const [first] = kinds;
  const [last] = leading.slice(-1).map(categoryName);
  if (first === undefined || last === undefined) return [];
  // Beside a number it must not read as the kind of all of them.
  if (kinds.length === 1) return [`led by ${first}`];
  if (isOver) return [kinds.join(', then ')];
  return [first === last ? `mostly ${last} again` : `now mostly ${last}, at first ${first}`];
}

/** `after 2 minutes`, from the call to the click. */
export const afterWords = (ms: number): string =>
  ms < 60_000 ? 'at once' : `after ${duration(ms, { units: ['day', 'hour', 'minute'], rounding: 'whole' })}`;

/** An episode with what was counted in it. */
export type EpisodeNumbers = Pick<Episode, 'leading'> & { readonly figures: EpisodeFigures };

/** The categories that rose in an episode, what leads first; none where it is not known what was expected of them. */
export function risenIn({ figures, leading }: EpisodeNumbers): readonly CategoryChange[] {
  const known = figures.categories.flatMap(({ category: name, count: observed, expected }) =>
    // What an earlier version has stored does not say what was expected.
    expected == null ? [] : [{ name, observed, expected }],
  );
  const [first] = known.filter(({ name }) => name === leading.at(-1));
  const risen = leadingFirst(known);
  return first === undefined ? risen : [first, ...risen.filter(({ name }) => name !== first.name)];
}

export const SHAPES: Readonly<Record<AnomalyKind, string>> = {
  'more visitors': 'More visitors than usual',
  'targeted attack': 'Mostly a few kinds',
  flood: 'Looks like a flood',
  'false-positive storm': 'Looks like a rule that misfires',
};

/** What it looks like, or looked like once it is over. */
const shapeWords = (kind: AnomalyKind, isOver: boolean): string =>
  isOver ? SHAPES[kind].replace('Looks', 'Looked').replace('misfires', 'misfired') : SHAPES[kind];

interface Shape {
  readonly kind: AnomalyKind | null;
  readonly isOver: boolean;
  /** Where more visitors came, how many times as many. */
  readonly visitorFactor?: number;
  /** Of all attacks, of which the kinds are a part. */
  readonly total: number;
}

/** `3 kinds make 81 %: SQL injection 820 (59 expected), XSS 456 (43), Local file inclusion 335 (13).` */
export function shapeLine({ kind, isOver, visitorFactor, total }: Shape, risen: readonly CategoryChange[]): Line[] {
  const visitors =
    kind === 'more visitors' && visitorFactor !== undefined ? `, ${factorWords(visitorFactor)} times as many` : '';
  const shape = kind === null ? null : `${shapeWords(kind, isOver)}${visitors}`;
  if (risen.length === 0) return shape === null ? [] : [[`${shape}.`]];
  const lead = kind === 'targeted attack' ? (kindsWords(risen, total) ?? shape) : shape;
  return [[`${lead ?? 'Above the usual'}: ${risenWords(risen)}.`]];
}

const NUMBERS = ['1 kind makes', '2 kinds make', '3 kinds make'];
const MOST_OF_IT = 0.5;

/** `3 kinds make 81 %`; `null` where those that are named are less than half. */
function kindsWords(risen: readonly CategoryChange[], total: number): string | null {
  const named = risen.slice(0, MOST_CATEGORIES);
  const share = named.reduce((sum, { observed }) => sum + observed, 0) / total;
  const many = NUMBERS[named.length - 1];
  // The service counts attacks and their kinds apart, so there can be more of the latter.
  return many === undefined || !(share >= MOST_OF_IT && share <= 1) ? null : `${many} ${formatShare(share)}`;
}

const MOST_CATEGORIES = 3;
/** Of less than this a window holds none as a rule. */
export const NEW_BELOW = 0.5;

/** `SQL injection 820 (59 expected), XSS 456 (43)` */
export function risenWords(risen: readonly CategoryChange[]): string {
  const named = risen.slice(0, MOST_CATEGORIES).map(({ name, observed, expected }, at) => {
    const usual = expected < NEW_BELOW ? 'new' : `${formatCount(expected)}${at === 0 ? ' expected' : ''}`;
    return `${categoryName(name)} ${formatCount(observed)} (${usual})`;
  });
  const more = risen.length > MOST_CATEGORIES ? `, and ${risen.length - MOST_CATEGORIES} more` : '';
  return `${named.join(', ')}${more}`;
}
