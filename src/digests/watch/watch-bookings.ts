/** The channel's watches as the commands see them: in words, with what they saw last. */
import type { BookingSummary, RunSummary, Watches } from '../../commands/ports.ts';
import { BotError } from '../../errors.ts';
import type { Booking } from '../booking.ts';
import type { Desk } from '../desk.ts';
import { reasonInWords } from '../digest-bookings.ts';
import { timetable } from '../timing.ts';
import { acknowledge, snooze, wake } from './answers.ts';
import { isOpen, type WatchState } from './episode.ts';
import type { ObservedLevel } from './observation.ts';
import { parseWatch } from './parse-watch.ts';
import { DEFAULT_EVERY_MS, describeRule, lengthInWords } from './watch-rule.ts';
import type { WatchDetails, WatchRunner } from './watch-runner.ts';

export interface WatchBookingsDeps {
  readonly desk: Desk<unknown, WatchDetails>;
  readonly runner: WatchRunner;
  readonly now: () => Temporal.Instant;
}

const SEEN: Readonly<Record<ObservedLevel, string>> = {
  calm: 'calm',
  between: 'calm, but only just',
  elevated: 'elevated',
  surge: 'surge',
  unknown: 'could not see',
};

export function createWatchBookings({ desk, runner, now }: WatchBookingsDeps): Watches {
  async function summaryOf(booking: Booking<WatchDetails>): Promise<BookingSummary> {
    const { id, channel, owner, zone, hosts, state, timing, details } = booking;
    const watch = await runner.state(booking);
    const everyMs = 'everyMs' in timing ? timing.everyMs : DEFAULT_EVERY_MS;
    return {
      id,
      what: `${describeRule(details?.rule ?? { kind: 'verdict' })}, every ${lengthInWords(everyMs)}`,
      channel,
      owner,
      zone,
      hosts,
      nextRuns: state.is === 'active' ? [timetable.next(timing, now()).at] : [],
      lastRun: lastLook(watch),
      paused:
        state.is === 'paused'
          ? { by: state.by === 'wafbot' ? null : state.by, reason: reasonInWords(state.reason ?? '') }
          : null,
    };
  }

  async function find(channel: string, id: string): Promise<Booking<WatchDetails>> {
    const found = (await desk.listChannel(channel)).find(({ booking }) => booking.id === id);
    if (found !== undefined) return found.booking;
    throw new BotError('not_found', 'There is no such watch in this channel.', { hint: 'List them with watches.' });
  }

  /** Changes the state as people wish and shows it. What cannot be shown now is shown by the next run. */
  async function tell(channel: string, id: string, change: (state: WatchState) => WatchState): Promise<BookingSummary> {
    const booking = await find(channel, id);
    await runner.change(booking, change);
    await runner.refresh(booking);
    return summaryOf(booking);
  }

  const all = (views: readonly { readonly booking: Booking<WatchDetails> }[]): Promise<BookingSummary[]> =>
    Promise.all(views.map(({ booking }) => summaryOf(booking)));

  return {
    async create({ channel, owner, text, zone, hosts }) {
      const { rule, everyMs } = parseWatch(text);
      const sentence = text.trim().replace(/\s+/g, ' ');
      const wanted = { channel, owner, timing: { everyMs }, zone, hosts, sentence, details: { rule } };
      return summaryOf(await desk.create(wanted));
    },
    list: async (channel) => all(await desk.listChannel(channel)),
    listOwned: async (owner) => all(await desk.listOwner(owner)),
    pause: async (channel, id, by) => summaryOf(await desk.pause(channel, id, by)),
    resume: async (channel, id) => summaryOf(await desk.resume(channel, id)),
    remove: async (channel, id) => summaryOf(await desk.remove(channel, id)),
    async history(channel, id) {
      const last = lastLook(await runner.state(await find(channel, id)));
      return last === null ? [] : [last];
    },
    isOpen: async (channel, id) => isOpen(await runner.state(await find(channel, id))),
    acknowledge: (channel, id, by) =>
      tell(channel, id, (state) => acknowledge(state, by, now().epochMilliseconds)?.state ?? state),
    snooze: (channel, id, by, until) => tell(channel, id, (state) => snooze(state, by, until.epochMilliseconds).state),
    wake: (channel, id) => tell(channel, id, (state) => wake(state).state),
  };
}

function lastLook({ seen, lookedMs, snoozed }: WatchState): RunSummary | null {
  if (seen === null || lookedMs < 0) return null;
  const at = Temporal.Instant.fromEpochMilliseconds(lookedMs);
  const says = `${SEEN[seen]}${snoozed === null ? '' : ', snoozed'}`;
  return { due: at, at, late: false, ok: seen !== 'unknown', says };
}
