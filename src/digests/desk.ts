/**
 * Where digests (or watches) are made, paused, resumed and removed: keeps the book, the engine and the ledger in step.
 * The book is the truth; whatever a crash left undone between the three is put right at the next start.
 */
import { BotError } from '../errors.ts';
import type { Book, NewBooking } from './book.ts';
import { type Booking, type BookingPointer, type BookingState, jobIdOf, pointerOf } from './booking.ts';
import type { Delivered, Delivery, Occasion } from './delivery/deliver.ts';
import type { RunEntry } from './delivery/ledger.ts';
import type { Engine, Log } from './ports.ts';
import { type Timing, timetable } from './timing.ts';

export interface DeskDeps<M, D> {
  readonly book: Book<D>;
  readonly engine: Engine<Timing, BookingPointer>;
  readonly delivery: Pick<Delivery<M, D>, 'run' | 'history' | 'skipTo' | 'settledUntil' | 'forget'>;
  readonly now: () => Temporal.Instant;
  readonly log: Log;
  /** Tells the owner, in a direct message, that a booking was paused. A throw means that it may be tried again. */
  readonly tell: (booking: Booking<D>, reason: string) => Promise<void>;
}

export interface BookingView<D> {
  readonly booking: Booking<D>;
  readonly nextRunAt: Temporal.Instant | undefined;
  readonly lastRun: RunEntry | undefined;
}

export const BOT = 'wafbot';

export function createDesk<M, D>({ book, engine, delivery, now, log, tell }: DeskDeps<M, D>) {
  const jobOf = (booking: Booking<D>) => ({
    id: jobIdOf(booking),
    timing: booking.timing,
    payload: pointerOf(booking),
  });

  async function setState(channel: string, id: string, change: (state: BookingState) => BookingState) {
    const booking = await book.setState(channel, id, change);
    if (!booking)
      throw new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
    return booking;
  }

  async function pause(channel: string, id: string, by: string, reason?: string): Promise<Booking<D>> {
    const booking = await setState(channel, id, (state) =>
      state.is === 'paused'
        ? state
        : {
            is: 'paused',
            at: now().toString(),
            by,
            ...(reason === undefined ? {} : { reason }),
            ...(by === BOT ? { owner: 'to-be-told' as const } : {}),
          },
    );
    await engine.remove(jobIdOf(booking));
    return booking;
  }

  /** Says it once: whoever moves the mark on speaks, and a mark left by a crash is not spoken for again. */
  async function tellOwner({ channel, id, state: before }: Booking<D>): Promise<void> {
    if (before.is !== 'paused' || before.owner !== 'to-be-told') return;
    let mine = false;
    const mark = (from: string, to: 'to-be-told' | 'being-told' | 'told') => (state: BookingState) => {
      mine = state.is === 'paused' && state.owner === from;
      return mine && state.is === 'paused' ? { ...state, owner: to } : state;
    };
    const booking = await book.setState(channel, id, mark('to-be-told', 'being-told'));
    if (!booking || !mine) return;
    try {
      await tell(booking, before.reason ?? '');
      await book.setState(channel, id, mark('being-told', 'told'));
    } catch (error) {
      log.warn({ job: jobIdOf(booking), error }, 'cannot tell an owner that a booking was paused; will try again');
      await book.setState(channel, id, mark('being-told', 'to-be-told'));
    }
  }

  async function resume(channel: string, id: string): Promise<Booking<D>> {
    const booking = await setState(channel, id, (state) => (state.is === 'active' ? state : { is: 'active' }));
    await delivery.skipTo(booking, timetable.latest(booking.timing, now()).at);
    await engine.put(jobOf(booking));
    return booking;
  }

  async function view(booking: Booking<D>): Promise<BookingView<D>> {
    const [nextRunAt, runs] = await Promise.all([engine.nextRunAt(jobIdOf(booking)), delivery.history(booking)]);
    return { booking, nextRunAt, lastRun: runs.at(-1) };
  }

  return {
    async create(wanted: NewBooking<D>): Promise<Booking<D>> {
      const booking = await book.create(wanted);
      // From here on everything is to be told, also if the first runs fail: the first digest covers a whole period.
      await delivery.skipTo(booking, timetable.latest(booking.timing, now()).at);
      await engine.put(jobOf(booking));
      return booking;
    },
    pause,
    resume,
    /** Because it cannot be delivered: pauses and tells the owner, once. */
    async pauseUndeliverable(booking: Booking<D>, reason: string): Promise<void> {
      await tellOwner(await pause(booking.channel, booking.id, BOT, reason));
    },
    async remove(channel: string, id: string): Promise<Booking<D>> {
      const removed = await book.remove(channel, id);
      if (!removed)
        throw new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
      await engine.remove(jobIdOf(removed));
      await delivery.forget(removed);
      return removed;
    },
    listChannel: async (channel: string) => Promise.all((await book.listByChannel(channel)).map(view)),
    listOwner: async (owner: string) => Promise.all((await book.listByOwner(owner)).map(view)),
    history: (pointer: BookingPointer) => delivery.history(pointer),
    /** Delivers at once what has come up since the last digest. `attempt` counts the caller's own repeats. */
    runNow(booking: Booking<D>, at = now(), attempt = 1): Promise<Delivered> {
      const occasion: Occasion = {
        due: { at, key: `now/${at}` },
        previousDueAt: timetable.previous(booking.timing, at).at,
        late: false,
        attempt,
      };
      return delivery.run(pointerOf(booking), occasion);
    },
    /** The jobs there should be, for the engine to be reconciled with at the start; what was missed comes late. */
    async *jobs() {
      for await (const booking of book.all()) {
        if (booking.state.is !== 'active') continue;
        const since = await delivery.settledUntil(booking);
        yield since ? { ...jobOf(booking), since } : jobOf(booking);
      }
    },
    /** Owners who have not heard yet, because they could not be reached or the process died. */
    async tellOwners(): Promise<void> {
      for await (const booking of book.all()) await tellOwner(booking);
    },
    /** Takes up again what was paused for a reason that is gone: a token that works again, a channel rejoined. */
    async resumeWhere(matches: (booking: Booking<D>, reason: string) => boolean): Promise<number> {
      let count = 0;
      for await (const booking of book.all()) {
        const { state } = booking;
        if (state.is !== 'paused' || state.by !== BOT || !matches(booking, state.reason ?? '')) continue;
        await resume(booking.channel, booking.id);
        count += 1;
      }
      return count;
    },
  };
}

export type Desk<M, D> = ReturnType<typeof createDesk<M, D>>;
