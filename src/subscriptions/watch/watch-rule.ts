/** What a watch looks out for, and how to say it. */
import { categoryName } from '../../insight/categories.ts';
import { formatCount } from '../../insight/numbers.ts';

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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** `attacks over 500 per 15 minutes` */
export function describeRule(rule: WatchRule): string {
  if (rule.kind === 'verdict') return 'anything that is not normal';
  return `${nameOf(rule.what)} over ${formatCount(rule.over)} per ${lengthInWords(rule.perMs)}`;
}

export function nameOf(what: string): string {
  return what === 'attacks' || what === 'requests' ? what : categoryName(what);
}

export function lengthInWords(ms: number): string {
  const [count, unit] = ms % HOUR_MS === 0 ? [ms / HOUR_MS, 'hour'] : [Math.round(ms / MINUTE_MS), 'minute'];
  return count === 1 ? unit : `${count} ${unit}s`;
}
