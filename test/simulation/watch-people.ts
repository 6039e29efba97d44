/**
 * People who set up quiet hours and maintenance for a watch while things go wrong, end them early, acknowledge its alerts and assign
 * them. What they ask for may fail, or work although they hear of a failure. Their chance is their own, so that histories without
 * them are the same with and without this file.
 */
import { EVERY_DAY } from '../../src/subscriptions/recurrence/schedule.ts';
import type { HoldReason, WindowTimes } from '../../src/subscriptions/recurrence/time-window.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import type { Replica, Surroundings } from './replica.ts';
import type { Supervisor } from './supervisor.ts';

/** A time in which nothing, or nothing below a surge, may alert. */
export interface PlannedHold {
  readonly why: HoldReason;
  readonly fromMs: number;
  readonly untilMs: number;
  /** From when on it's certainly stored; infinite as long as nobody has heard so. */
  knownMs: number;
  /** From when on it may be over early: somebody has asked for that. */
  endingMs: number;
}

const MAX_LENGTH_MINUTES = 25;
const MAX_AHEAD_MINUTES = 15;
const PERSON = 'UPERSON';
const ASSIGNED = 'UASSIGNED';

export function createWatchPeople({ world }: Surroundings, supervisor: Supervisor, endMs: number) {
  const chance = world.peopleChance;
  const holds: PlannedHold[] = [];

  /** False if it isn't known whether it worked. */
  async function attempt(what: string, work: (replica: Replica) => Promise<unknown>): Promise<boolean> {
    const ready = supervisor.ready();
    const replica = ready[chance.between(0, ready.length)];
    if (replica === undefined) return false;
    world.record(`${PERSON} wants: ${what}`);
    try {
      await work(replica);
      world.record(`${PERSON} hears that it worked: ${what}`);
      return true;
    } catch (error) {
      world.record(`${PERSON} hears that it failed: ${what} (${String(error)})`);
      return false;
    }
  }

  async function addHold(channel: string): Promise<void> {
    const why = chance.pick<HoldReason>(['maintenance', 'maintenance', 'quiet']);
    const aheadMs = chance.happens(0.5) ? 0 : chance.between(1, MAX_AHEAD_MINUTES) * MINUTE_MS;
    const nowMs = world.nowMs();
    const fromMs = aheadMs === 0 ? nowMs : wholeMinute(nowMs + aheadMs);
    const untilMs = Math.min(wholeMinute(fromMs + chance.between(3, MAX_LENGTH_MINUTES) * MINUTE_MS), endMs);
    const isWeekly = aheadMs > 0 && chance.happens(0.5);
    if (untilMs <= fromMs) return;
    const when: WindowTimes = isWeekly
      ? { weekdays: EVERY_DAY, fromMinute: minuteOfDay(fromMs), toMinute: minuteOfDay(untilMs) }
      : { fromMs, untilMs };
    const hold = { why, fromMs, untilMs, ...{ knownMs: Number.POSITIVE_INFINITY, endingMs: Number.POSITIVE_INFINITY } };
    holds.push(hold);
    const request = { channel, watches: null, why, when, zone: 'UTC', by: PERSON };
    const what = `${why} from ${clockTime(fromMs)} until ${clockTime(untilMs)}`;
    if (await attempt(what, ({ jobs }) => jobs.watches.holds.add(request))) hold.knownMs = world.nowMs();
  }

  async function endHold(channel: string): Promise<void> {
    const isRemoved = chance.happens(0.3);
    // Whichever it is that is ended.
    for (const hold of holds) hold.endingMs = Math.min(hold.endingMs, world.nowMs());
    await attempt(isRemoved ? 'remove a hold' : 'end a hold', async ({ jobs: { watches } }) => {
      const listed = (await watches.holds.list(channel)).filter(({ isNow }) => isRemoved || isNow);
      const found = listed[chance.between(0, listed.length)];
      if (found === undefined) return;
      await (isRemoved ? watches.holds.remove : watches.holds.end)(channel, found.window.id);
    });
  }

  return {
    holds,
    act({ channel, id }: { readonly channel: string; readonly id: string }): void {
      const deed = chance.pick(['hold', 'hold', 'end', 'assign', 'acknowledge'] as const);
      if (deed === 'hold') void addHold(channel);
      if (deed === 'end') void endHold(channel);
      if (deed === 'assign')
        void attempt('assign the alert', ({ jobs }) => jobs.watches.assign(channel, id, ASSIGNED, PERSON));
      if (deed === 'acknowledge')
        void attempt('acknowledge the alert', ({ jobs }) => jobs.watches.acknowledge(channel, id, PERSON));
    },
  };
}

const wholeMinute = (ms: number): number => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;
const minuteOfDay = (ms: number): number => (ms % DAY_MS) / MINUTE_MS;
const clockTime = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString().slice(11, 16);

/** A message that was on its way when a hold began may still come: for as long as a process can have its lease, and a call takes. */
const ON_ITS_WAY_MS = 45 * SECOND_MS;

/** What holds back alerts at a moment, whatever was under way when it began. */
export const holdsAt = (holds: readonly PlannedHold[], ms: number): readonly HoldReason[] =>
  holds
    .filter(({ fromMs, knownMs }) => Math.max(fromMs, knownMs) + ON_ITS_WAY_MS < ms)
    .filter(({ untilMs, endingMs }) => ms < Math.min(untilMs, endingMs))
    .map(({ why }) => why);

/** How many summaries there may be: times that overlap or touch count as one, unless one of them may have ended early. */
export function maxSummaries(holds: readonly PlannedHold[]): number {
  if (holds.some(({ endingMs }) => Number.isFinite(endingMs))) return holds.length;
  let [count, untilMs] = [0, Number.NEGATIVE_INFINITY];
  for (const hold of holds.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (hold.fromMs > untilMs) count += 1;
    untilMs = Math.max(untilMs, hold.untilMs);
  }
  return count;
}
