/**
 * The book of digests, or of watches: one record a channel, holding that channel's bookings. So the list of a channel
 * is one read, its limit holds between replicas, and no change can bring back what another has removed.
 */
import { BotError } from '../errors.ts';
import type { Booking, BookingKind, BookingState } from './booking.ts';
import type { Records } from './ports.ts';

export const BOOKINGS_PER_CHANNEL = 20;

export type NewBooking<D> = Omit<Booking<D>, 'id' | 'kind' | 'createdAt' | 'state'>;

export interface BookDeps {
  readonly records: Records;
  readonly kind: BookingKind;
  readonly now: () => Temporal.Instant;
  readonly newId?: () => string;
}

export interface Book<D> {
  create(booking: NewBooking<D>): Promise<Booking<D>>;
  get(channel: string, id: string): Promise<Booking<D> | undefined>;
  listByChannel(channel: string): Promise<readonly Booking<D>[]>;
  listByOwner(owner: string): Promise<readonly Booking<D>[]>;
  all(): AsyncIterable<Booking<D>>;
  /** Changes the state from what it is; handing back the same state changes nothing. Undefined when there is no such. */
  setState(channel: string, id: string, change: (state: BookingState) => BookingState): Promise<Booking<D> | undefined>;
  /** Resolves to what was removed. */
  remove(channel: string, id: string): Promise<Booking<D> | undefined>;
}

const SPACES = { digest: 'digests', watch: 'watches' } as const;

export function createBook<D = unknown>({ records, kind, now, newId = randomId }: BookDeps): Book<D> {
  type Page = readonly Booking<D>[];
  const space = SPACES[kind];
  const pages = records.space<Page>(space);
  const page = async (channel: string): Promise<Page> => (await pages.get(channel)) ?? [];

  async function* all(): AsyncGenerator<Booking<D>> {
    for await (const [, bookings] of records.list<Page>(space)) yield* bookings;
  }

  return {
    async create(booking) {
      const made: Booking<D> = {
        ...booking,
        id: newId(),
        kind,
        createdAt: now().toString(),
        state: { is: 'active' },
      };
      await records.update<Page>(space, booking.channel, (bookings = []) => {
        if (bookings.length >= BOOKINGS_PER_CHANNEL) throw full(kind);
        return [...bookings, made];
      });
      return made;
    },
    async get(channel, id) {
      return (await page(channel)).find((booking) => booking.id === id);
    },
    listByChannel: page,
    async listByOwner(owner) {
      const owned: Booking<D>[] = [];
      for await (const booking of all()) if (booking.owner === owner) owned.push(booking);
      return owned;
    },
    all,
    async setState(channel, id, change) {
      const bookings = await records.update<Page>(space, channel, (current) => {
        const booking = current?.find((one) => one.id === id);
        if (!current || !booking) return current;
        const state = change(booking.state);
        return state === booking.state ? current : current.map((one) => (one.id === id ? { ...one, state } : one));
      });
      return bookings?.find((booking) => booking.id === id);
    },
    async remove(channel, id) {
      let removed: Booking<D> | undefined;
      await records.update<Page>(space, channel, (current) => {
        removed = current?.find((one) => one.id === id);
        if (!current || !removed) return current;
        return current.length === 1 ? undefined : current.filter((one) => one.id !== id);
      });
      return removed;
    },
  };
}

function full(kind: BookingKind): BotError {
  const many = SPACES[kind];
  return new BotError('limit', `This channel already has ${BOOKINGS_PER_CHANNEL} ${many}, which is the limit.`, {
    hint: `Remove one first: \`${kind} list\` shows them.`,
  });
}

/** Six letters and digits that are hard to confuse: a billion, more than enough apart within one channel. */
function randomId(): string {
  const letters = '23456789abcdefghjkmnpqrstuvwxyz';
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]).join('');
}
