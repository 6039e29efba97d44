/** An episode in words: the same in a watch's messages, an incident and a digest. */
import { categoryName } from '../../insight/categories.ts';
import type { EpisodeFigures, EpisodeSpan } from '../../insight/episode.ts';
import { duration, formatCount } from '../../insight/format.ts';
import type { CategoryCount } from '../../insight/timeline.ts';
import type { AnomalyKind } from '../../insight/verdict/index.ts';
import { counted } from './phrases.ts';
import type { Line } from './reply.ts';
import { clockOf, factorWords, lasting, SHAPES } from './verdict-lines.ts';

/** `up to 4.4× usual`; nothing where it is hardly more, or not known. */
export function ratioWords(ratio: number | null): string[] {
  return ratio === null || !Number.isFinite(ratio) || ratio < 1.1 ? [] : [`up to ${factorWords(ratio)}× usual`];
}

/** `2,170 attacks in 33 minutes so far, peak 120 per minute at 15:12.` */
export function countLine(
  { onsetMs, endMs }: EpisodeSpan,
  { total, peak, untilMs }: EpisodeFigures,
  zone: string,
  what: 'attack' | 'request' = 'attack',
): Line {
  const times = clockOf(zone, Temporal.Instant.fromEpochMilliseconds(onsetMs));
  const length = endMs === null ? `${lasting(untilMs - onsetMs)} so far` : lasting(endMs - onsetMs);
  const most =
    peak === null
      ? ''
      : `, peak ${formatCount(peak.count)} per ${duration(peak.intervalMs, { bareOne: true })} at ${times(peak.endMs - peak.intervalMs)}`;
  return [{ bold: counted(total, what) }, ` in ${length}${most}.`];
}

const MOST_CATEGORIES = 3;

/** `Looks targeted: SQL injection 820, XSS 456, webshell 12, 3 others 40.` What the heading names comes first. */
export function categoryLine(
  shape: AnomalyKind | null,
  categories: readonly CategoryCount[],
  leading: readonly string[],
): Line[] {
  if (categories.length === 0) return shape === null ? [] : [[`${SHAPES[shape]}.`]];
  const isLast = ({ category }: CategoryCount): number => (category === leading.at(-1) ? 1 : 0);
  const ordered = categories.toSorted((a, b) => isLast(b) - isLast(a));
  const top = ordered
    .slice(0, MOST_CATEGORIES)
    .map(({ category, count }) => `${categoryName(category)} ${formatCount(count)}`);
  const rest = ordered.slice(MOST_CATEGORIES);
  const sum = rest.reduce((total, { count }) => total + count, 0);
  const others = rest.length === 0 ? [] : [`${counted(rest.length, 'other')} ${formatCount(sum)}`];
  return [[`${shape === null ? 'By category' : SHAPES[shape]}: ${[...top, ...others].join(', ')}.`]];
}

/** `after 2 minutes`, from the call to the click. */
export const afterWords = (ms: number): string =>
  ms < 60_000 ? 'at once' : `after ${duration(ms, { units: ['day', 'hour', 'minute'], rounding: 'whole' })}`;
