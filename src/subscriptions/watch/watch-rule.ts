/** What a watch watches for, as it is stored and in words. */
import { BotError } from '../../errors.ts';
import { categoryName } from '../../statistics/categories.ts';
import { duration, formatCount } from '../../statistics/format.ts';
import type { Subscription } from '../subscription.ts';

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
  if (rule.kind === 'verdict') return 'anything unusual';
  return `${nameOf(rule.what)} over ${formatCount(rule.over)} per ${describeLength(rule.perMs)}`;
}

function nameOf(what: string): string {
  return what === 'attacks' || what === 'requests' ? what : categoryName(what);
}

/** After "per" or "every": `minute`, `15 minutes`, `2 hours`. */
export const describeLength = (ms: number): string => duration(ms, { units: ['hour', 'minute'], bareOne: true });

const LOOKS_PER_MINUTE = 5;

/** Every look asks the service, so that a channel's watches are limited together: five each minute, or twenty each 5. */
export function assertFewLooks(watches: readonly Pick<Subscription, 'timing'>[]): void {
  const looks = watches.reduce((sum, { timing }) => sum + ('everyMs' in timing ? 60_000 / timing.everyMs : 0), 0);
  if (looks <= LOOKS_PER_MINUTE) return;
  const message = `The watches of this channel would look more than ${LOOKS_PER_MINUTE} times a minute in all, which is the limit.`;
  throw new BotError('limit', message, {
    hint: 'Let it look less often, such as `watch every 5m`, or remove another one first: `watches` shows them.',
  });
}
