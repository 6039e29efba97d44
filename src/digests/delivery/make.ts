/** Makes the message for a due time: the digest, or, once patience with a failing service is over, an honest line. */
import type { Clock } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Range } from '../../time/range.ts';
import { type Booking, jobIdOf } from '../booking.ts';
import type { Log } from '../ports.ts';
import type { Occasion } from './deliver.ts';
import { type Ledger, windowOf } from './ledger.ts';
import type { Ledgers } from './ledgers.ts';
import { backoffMs, type DeliveryPolicy } from './policy.ts';

export interface Made<M> {
  readonly message: M;
  readonly window: Range;
  readonly apology: boolean;
}

export interface MakerDeps<M, D> {
  readonly clock: Clock;
  readonly log: Log;
  readonly ledgers: Ledgers;
  readonly policy: DeliveryPolicy;
  readonly compose: (booking: Booking<D>, window: Range, facts: { readonly late: boolean }) => Promise<M>;
  readonly apologise: (booking: Booking<D>, window: Range, error: unknown) => M;
}

export function createMaker<M, D>({ clock, log, ledgers, policy, compose, apologise }: MakerDeps<M, D>) {
  async function composed(booking: Booking<D>, window: Range, late: boolean): Promise<M> {
    const limit = Promise.withResolvers<never>();
    const cancel = clock.after(policy.composeLimitMs, () =>
      limit.reject(new BotError('upstream_timeout', 'The statistics took too long.')),
    );
    try {
      return await Promise.race([compose(booking, window, { late }), limit.promise]);
    } finally {
      cancel();
    }
  }

  return async (
    booking: Booking<D>,
    ledger: Ledger,
    occasion: Occasion,
  ): Promise<Made<M> | { readonly retryAfterMs: number }> => {
    const window = windowOf(ledger, occasion.due.at, occasion.previousDueAt);
    try {
      return { message: await composed(booking, window, occasion.late), window, apology: false };
    } catch (error) {
      const now = clock.now();
      const { troubleSince } = await ledgers.troubled(jobIdOf(booking), now.toString());
      const sinceMs = Temporal.Instant.from(troubleSince ?? now).epochMilliseconds;
      const leftMs = sinceMs + policy.patienceMs - now.epochMilliseconds;
      log.warn({ job: jobIdOf(booking), error, leftMs }, 'a digest cannot be made');
      if (leftMs > 0) return { retryAfterMs: Math.min(backoffMs(occasion.attempt), leftMs) };
      return { message: apologise(booking, window, error), window, apology: true };
    }
  };
}
