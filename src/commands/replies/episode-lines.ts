/** An episode in words: the same in a watch's messages, a check, an incident and a digest. */
import { duration } from '../../insight/format.ts';
import { factorWords } from './verdict-lines.ts';

/** `up to 4.4× usual`; nothing where it is hardly more, or not known. */
export function ratioWords(ratio: number | null): string[] {
  return ratio === null || !Number.isFinite(ratio) || ratio < 1.1 ? [] : [`up to ${factorWords(ratio)}× usual`];
}

/** `after 2 minutes`, from the call to the click. */
export const afterWords = (ms: number): string =>
  ms < 60_000 ? 'at once' : `after ${duration(ms, { units: ['day', 'hour', 'minute'], rounding: 'whole' })}`;
