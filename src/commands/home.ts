/** A person's digests and watches, for the Home tab: what, next run, last outcome, and what can be done about it. */

import type { SubscriptionSummary } from './ports.ts';
import type { Action, Line, Piece } from './replies/reply.ts';
import { bookingActions, bookingLines } from './replies/subscription-lines.ts';

/** Something a person has set up in a channel. */
export interface HomeEntry {
  readonly channel: string;
  readonly lines: readonly Line[];
  /** Said in that channel, where others can see what became of it. */
  readonly actions: readonly Action[];
}

export function homeEntries(subscriptions: readonly SubscriptionSummary[], verb: 'digest' | 'watch'): HomeEntry[] {
  return subscriptions.map((subscription) => {
    const { channel } = subscription;
    const [what = [], state = []] = bookingLines(subscription);
    // A direct message has no name to show.
    const where: Piece = channel.startsWith('D') ? 'In direct messages,' : { channel };
    const lines: Line[] = [[where, ` ${verb}: `, ...what], state];
    return { channel, lines, actions: bookingActions(subscription, { verb }) };
  });
}
