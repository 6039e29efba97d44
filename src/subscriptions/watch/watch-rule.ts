/** What a watch watches for, as it is stored and in words. */
import { categoryName } from '../../insight/categories.ts';
import { duration, formatCount } from '../../insight/numbers.ts';

export type WatchRule =
  /** Whatever a check would not call calm. */
  | { readonly kind: 'verdict' }
  | {
      readonly kind: 'threshold';
      /** `attacks`, `requests`, or the field of a category. */
      readonly what: string;
      readonly over: number;
      readonly perMs: number;
    };

export const DEFAULT_EVERY_MS = 5 * 60_000;

/** `attacks over 500 per 15 minutes` */
export function describeRule(rule: WatchRule): string {
  if (rule.kind === 'verdict') return 'anything that is not normal';
  return `${nameOf(rule.what)} over ${formatCount(rule.over)} per ${describeLength(rule.perMs)}`;
}

function nameOf(what: string): string {
  return what === 'attacks' || what === 'requests' ? what : categoryName(what);
}

/** After "per" or "every": `minute`, `15 minutes`, `2 hours`. */
export const describeLength = (ms: number): string => duration(ms, { units: ['hour', 'minute'], bareOne: true });
