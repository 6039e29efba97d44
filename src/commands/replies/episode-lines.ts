/** An episode in words: the same in a watch's messages, a check, an incident and a digest. */
import { categoryName } from '../../insight/categories.ts';
import { type EpisodeFigures, timesUsual } from '../../insight/episode.ts';
import { duration, formatCount } from '../../insight/format.ts';

/** Less is hardly more than usual. */
const WORTH_SAYING = 1.15;

/** `4.4× usual`: what was counted, divided by what was expected in the same time; nothing where it is hardly more. */
export function usualWords(counted: Pick<EpisodeFigures, 'total' | 'expected'> | null): string[] {
  const times = timesUsual(counted);
  return times === null || times < WORTH_SAYING ? [] : [`${factorWords(times)}× usual`];
}

/** `4.4`, `12` */
export const factorWords = (ratio: number): string =>
  ratio < 9.95 ? ratio.toFixed(1).replace(/\.0$/, '') : formatCount(ratio);

/** `about 490 expected` */
export const expectedWords = (expected: number): string =>
  expected < 0.5 ? 'hardly any expected' : `about ${formatCount(expected)} expected`;

/** `SQL injection`; where that has changed, `now mostly XSS, at first SQL injection`, in the end `SQL injection, then XSS`. */
export function kindWords(leading: readonly string[], isOver: boolean): string[] {
  const kinds = [...new Set(leading)].map(categoryName);
  const [first] = kinds;
  const [last] = leading.slice(-1).map(categoryName);
  if (first === undefined || last === undefined) return [];
  if (kinds.length === 1 || isOver) return [kinds.join(', then ')];
  return [first === last ? `mostly ${last} again` : `now mostly ${last}, at first ${first}`];
}

/** `after 2 minutes`, from the call to the click. */
export const afterWords = (ms: number): string =>
  ms < 60_000 ? 'at once' : `after ${duration(ms, { units: ['day', 'hour', 'minute'], rounding: 'whole' })}`;
