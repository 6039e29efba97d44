/** A person's digests and watches, for the Home tab: what, next run, last outcome, and what can be done about it. */
import { bookingActions, bookingLines } from './booking-words.ts';
import type { BookingSummary } from './ports.ts';
import type { Action, Line, Piece } from './reply.ts';

/** Something a person has set up in a channel. */
export interface HomeEntry {
  readonly channel: string;
  readonly lines: readonly Line[];
  /** Said in that channel, where others can see what became of it. */
  readonly actions: readonly Action[];
}

export function homeEntries(bookings: readonly BookingSummary[], verb: 'digest' | 'watch'): HomeEntry[] {
  return bookings.map((booking) => {
    const { channel } = booking;
    const [what = [], state = []] = bookingLines(booking);
    // A direct message has no name to show.
    const where: Piece = channel.startsWith('D') ? 'In direct messages,' : { channel };
    const lines: Line[] = [[where, ` ${verb}: `, ...what], state];
    return { channel, lines, actions: bookingActions(booking, { verb }) };
  });
}
