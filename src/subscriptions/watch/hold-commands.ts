/** What the commands for quiet hours and maintenance do: set them up for a channel's watches, list, end and remove them. */
import { isDeepStrictEqual } from 'node:util';
import { nextTurn } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import { parseTimeWindow } from '../recurrence/parse-time-window.ts';
import {
  type HoldReason,
  holdAt,
  isPast,
  occurrencesIn,
  type TimeWindow,
  type WindowTimes,
  weeklyWords,
} from '../recurrence/time-window.ts';
import type { SubscriptionService } from '../service.ts';
import { withHold } from './episode-lifecycle.ts';
import type { TypedHolds } from './watch-rule.ts';
import { holdsOf, type Watch, type WatchDetails, type WatchRunner } from './watch-runner.ts';

interface HoldCommandsDeps {
  readonly service: SubscriptionService<WatchDetails>;
  readonly runner: Pick<WatchRunner, 'change'>;
  readonly now: () => Temporal.Instant;
}

export interface HoldRequest {
  readonly channel: string;
  /** The watches that it's for; `null` means all that the channel has. */
  readonly watches: readonly string[] | null;
  readonly why: HoldReason;
  readonly when: WindowTimes;
  readonly zone: string;
  readonly by: string;
}

/** One window, and which of the channel's watches have it. */
export interface ListedHold {
  readonly window: TimeWindow;
  /** Their numbers in the channel's list, from 1 on. */
  readonly watches: readonly number[];
  /** Whether all of the channel's watches have it. */
  readonly isForAll: boolean;
  readonly isNow: boolean;
}

const MAX_WINDOWS = 10;

/** Its ID tells it from others in buttons of old messages. */
const newWindow = (requested: Omit<TimeWindow, 'id' | 'endedMs'>): TimeWindow => ({
  id: `q${crypto.randomUUID().slice(0, 5)}`,
  ...requested,
});

/** Adds one and drops those that are over. */
function withWindow(windows: readonly TimeWindow[], added: TimeWindow, now: Temporal.Instant): readonly TimeWindow[] {
  const current = windows.filter((window) => !isPast(window, now.epochMilliseconds));
  if (current.some((window) => isSameTime(window, added))) return current;
  if (current.length >= MAX_WINDOWS) {
    throw new BotError('limit', `A watch can have ${MAX_WINDOWS} quiet hours and maintenance times.`, {
      hint: 'Remove one first: `maintenance list` shows them.',
      next: [{ label: 'List them', sentence: 'maintenance list' }],
    });
  }
  return [...current, added];
}

/** The weekly ones of a watch's form, as people type them; several are separated by a semicolon. */
export const weeklyHoldsOf = (windows: readonly TimeWindow[] = [], reason: HoldReason): string =>
  windows.flatMap(({ when, why }) => (why === reason && !('fromMs' in when) ? [weeklyWords(when)] : [])).join('; ');

interface HoldOrigin {
  readonly zone: string;
  readonly by: string;
  readonly now: Temporal.Instant;
}

/** Replaces the weekly ones with what was typed. */
export const withTypedHolds = (
  windows: readonly TimeWindow[],
  { quiet, maintenance }: TypedHolds,
  origin: HoldOrigin,
) => withWeeklyHolds(withWeeklyHolds(windows, 'quiet', quiet, origin), 'maintenance', maintenance, origin);

/** `none` removes them; undefined keeps them. */
function withWeeklyHolds(
  windows: readonly TimeWindow[],
  why: HoldReason,
  typed: string | undefined,
  { zone, by, now }: HoldOrigin,
): readonly TimeWindow[] {
  if (typed === undefined) return windows;
  const isWeekly = (window: TimeWindow): boolean => window.why === why && !('fromMs' in window.when);
  const others = windows.filter((window) => !isWeekly(window));
  if (typed.trim().toLowerCase() === 'none') return others;
  let start = 0;
  return typed.split(';').reduce<readonly TimeWindow[]>((all, part) => {
    const text = part.padStart(start + part.length);
    start += part.length + 1;
    const when = parseTimeWindow(text, { why, zone, now });
    // One that stays keeps its zone, and who set it up.
    const same = windows.find((window) => isWeekly(window) && isDeepStrictEqual(window.when, when));
    return withWindow(all, same ?? newWindow({ why, when, zone, by }), now);
  }, others);
}

const isSameTime = (a: TimeWindow, b: TimeWindow): boolean =>
  JSON.stringify([a.why, a.when, a.zone]) === JSON.stringify([b.why, b.when, b.zone]);

export function createHoldCommands({ service, runner, now }: HoldCommandsDeps) {
  const watchesOf = async (channel: string): Promise<readonly Watch[]> =>
    (await service.listChannel(channel)).map(({ subscription }) => subscription);

  /** Changes the windows of a watch, which count at once. */
  async function change(
    watch: Watch,
    next: (windows: readonly TimeWindow[]) => readonly TimeWindow[],
  ): Promise<readonly TimeWindow[]> {
    const changed = await service.changeDetails(watch.channel, watch.id, (details) => ({
      rule: { kind: 'verdict' },
      ...details,
      quiet: next(details?.quiet ?? []),
    }));
    const nowMs = now().epochMilliseconds;
    await runner.change(changed, (record) => withHold(record, holdAt(holdsOf(changed, nowMs, nowMs), nowMs), nowMs));
    return changed.details?.quiet ?? [];
  }

  async function changeEach(watches: readonly Watch[], next: Parameters<typeof change>[1]): Promise<void> {
    for (const watch of watches) {
      await change(watch, next);
      // Twenty at once would hold up everyone else.
      await nextTurn();
    }
  }

  async function list(channel: string): Promise<readonly ListedHold[]> {
    const watches = await watchesOf(channel);
    const nowMs = now().epochMilliseconds;
    const windows = watches.flatMap(({ details }, at) =>
      (details?.quiet ?? []).filter((window) => !isPast(window, nowMs)).map((window) => ({ window, number: at + 1 })),
    );
    return [...Map.groupBy(windows, ({ window }) => window.id).values()].flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const numbers = [first, ...others].map(({ number }) => number);
      const isNow = holdAt(occurrencesIn(first.window, nowMs, nowMs + 1), nowMs) !== null;
      return [{ window: first.window, watches: numbers, isForAll: numbers.length === watches.length, isNow }];
    });
  }

  /** In every watch that has it. */
  async function changeOne(
    channel: string,
    id: string,
    next: (windows: readonly TimeWindow[]) => readonly TimeWindow[],
  ): Promise<void> {
    const having = (await watchesOf(channel)).filter(({ details }) => details?.quiet?.some((each) => each.id === id));
    await changeEach(having, next);
  }

  return {
    list,
    async add({ channel, watches: ids, ...requested }: HoldRequest): Promise<ListedHold | undefined> {
      const window = newWindow(requested);
      const watches = (await watchesOf(channel)).filter(({ id }) => ids === null || ids.includes(id));
      await changeEach(watches, (windows) => withWindow(windows, window, now()));
      return (await list(channel)).find((each) => isSameTime(each.window, window));
    },
    remove: (channel: string, id: string) =>
      changeOne(channel, id, (windows) => windows.filter((window) => window.id !== id)),
    /** Ends the current occurrence; a weekly one returns next week. */
    end: (channel: string, id: string) =>
      changeOne(channel, id, (windows) =>
        windows.map((window) => (window.id === id ? { ...window, endedMs: now().epochMilliseconds } : window)),
      ),
  };
}
