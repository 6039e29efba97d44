/** What a watch watches for: its stored form and its wording. */
import { BotError } from '../../errors.ts';
import { categoryName } from '../../statistics/categories.ts';
import { duration, formatCount } from '../../statistics/format.ts';
import type { Subscription } from '../subscription.ts';

export type WatchRule =
  /** Anything that a check wouldn't call calm. */
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

const MAX_PER_MINUTE = 5;

/** Every evaluation queries the service, so a channel's watches share a limit: five every minute, or twenty every five. */
export function assertFewEvaluations(watches: readonly Pick<Subscription, 'timing'>[]): void {
  const perMinute = watches.reduce((sum, { timing }) => sum + ('everyMs' in timing ? 60_000 / timing.everyMs : 0), 0);
  if (perMinute <= MAX_PER_MINUTE) return;
  const message = `Together, this channel’s watches would check more than ${MAX_PER_MINUTE} times a minute, the maximum.`;
  throw new BotError('limit', message, {
    hint: 'Check less often, for example `watch every 5m`, or remove another watch first: `watches` lists them.',
  });
}
