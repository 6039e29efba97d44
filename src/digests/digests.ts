/** Joins book, delivery and desk of one kind of booking. The rest of the house talks to what comes out of here. */
import type { Clock } from '../clock.ts';
import { createBook } from './book.ts';
import type { BookingKind, BookingPointer } from './booking.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from './delivery/deliver.ts';
import { createDesk, type Desk, type DeskDeps } from './desk.ts';
import type { Engine } from './ports.ts';
import type { Timing } from './timing.ts';

export interface DigestsDeps<M, D>
  extends Omit<DeliveryDeps<M, D>, 'bookingOf' | 'pause'>,
    Pick<DeskDeps<M, D>, 'tell'> {
  readonly kind?: BookingKind;
  readonly clock: Clock;
  readonly engine: Engine<Timing, BookingPointer>;
}

export function createDigests<M, D = unknown>(deps: DigestsDeps<M, D>) {
  const { records, engine, clock, log, tell, kind = 'digest' } = deps;
  const { now } = clock;
  const book = createBook<D>({ records, kind, now });
  const delivery: Delivery<M, D> = createDelivery<M, D>({
    ...deps,
    bookingOf: ({ channel, id }) => book.get(channel, id),
    pause: (booking, reason) => desk.pauseUndeliverable(booking, reason),
  });
  const desk: Desk<M, D> = createDesk<M, D>({ book, engine, delivery, now, log, tell });
  return { book, delivery, desk };
}

export type Digests<M, D> = ReturnType<typeof createDigests<M, D>>;
