/** A person's digests and watches, for the Home tab: what, next run, last outcome, and what can be done from there. */
import { bookingLines } from './booking-words.ts';
import type { BookingSummary } from './ports.ts';
import type { Action, Line } from './reply.ts';

/** Something a person has set up. */
export interface HomeEntry {
  readonly lines: readonly Line[];
  readonly actions: readonly Action[];
}

/** Changing one happens in its channel, where others can see it; from here it is found. */
export function homeEntries(bookings: readonly BookingSummary[]): HomeEntry[] {
  return bookings.map((booking) => {
    const [what = [], state = []] = bookingLines(booking);
    return { lines: [[{ channel: booking.channel }, ': ', ...what], state], actions: [] };
  });
}
