/**
 * The world of one simulated history: its time, its chance and its record. Everything that takes time is an event in one
 * queue, and one seed decides how long each takes and which of two at the same moment comes first. Nothing here waits for the
 * machine: a seed gives the same history each time.
 */
import { createHash } from 'node:crypto';
import TinyQueue from 'tinyqueue';
import type { Clock } from '../../src/clock.ts';
import { between, createRandom } from '../chaos/random.ts';

/** A process of the bot. What it still waits for when it ends never comes. */
export interface Life {
  readonly name: string;
  alive: boolean;
  /** Until when the process stands still, as on a machine that sleeps. */
  frozenUntilMs: number;
}

export interface Chance {
  /** Whether something of that probability happens. */
  happens(probability: number): boolean;
  /** A whole number, `to` excluded. */
  between(from: number, to: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  fraction(): number;
}

interface Happening {
  readonly atMs: number;
  readonly order: number;
  /** Whose event it is; `null` for peers, which go on whatever becomes of the bot. */
  readonly life: Life | null;
  readonly run: () => void;
}

export type World = ReturnType<typeof createWorld>;

/** A timer of a real process fires a little late. */
const MAX_TIMER_DELAY_MS = 4;
const MAX_TRACE = 20_000;
/** Any number, so that people have another chance than the rest of their history. */
const PEOPLE = 0x5eed;
const REAL_TIMER = 'a real timer was set';

export function createWorld(seed: number, startMs: number) {
  const chance = createChance(seed);
  const peopleChance = createChance(seed ^ PEOPLE);
  const queue = new TinyQueue<Happening>([], (a, b) => a.atMs - b.atMs || a.order - b.order);
  const trace: string[] = [];
  const digest = createHash('sha256');
  const faults = new Map<string, number>();
  const turns = createTurns();
  /** The share of calls to others in which the caller's process stands still for a while. */
  const weather = { stalls: 0 };
  const onClockSet = new Set<() => void>();
  let nowMs = startMs;
  /** By how much the clock of the bot's machines is ahead. */
  let aheadMs = 0;
  let latestWallMs = startMs;
  const clockSets: number[] = [];
  let events = 0;

  function at(atMs: number, life: Life | null, run: () => void): void {
    queue.push({ atMs: Math.max(Math.ceil(atMs), nowMs), order: chance.fraction(), life, run });
  }

  function record(line: string): void {
    const text = `${Temporal.Instant.fromEpochMilliseconds(nowMs).toString().slice(0, 23)} ${line}`;
    digest.update(text);
    trace.push(text);
    if (trace.length > MAX_TRACE) trace.shift();
  }

  /** Runs the next event up to a moment; false if there is none. */
  async function step(untilMs: number): Promise<boolean> {
    const next = queue.peek();
    if (next === undefined || next.atMs > untilMs) return false;
    queue.pop();
    const { life, run } = next;
    if (life !== null && !life.alive) return true;
    if (life !== null && life.frozenUntilMs > next.atMs) {
      queue.push({ ...next, atMs: life.frozenUntilMs });
      return true;
    }
    nowMs = Math.max(nowMs, next.atMs);
    events += 1;
    run();
    await turns.settle();
    return true;
  }

  function fault(kind: string, line = ''): void {
    faults.set(kind, (faults.get(kind) ?? 0) + 1);
    record(`fault: ${kind}${line === '' ? '' : ` (${line})`}`);
  }

  function freeze(life: Life, ms: number): void {
    fault('process frozen', `${life.name} for ${ms} ms`);
    // Standing still once more doesn't end it sooner.
    life.frozenUntilMs = Math.max(life.frozenUntilMs, nowMs + ms);
  }

  async function passUntil(untilMs: number): Promise<void> {
    await turns.settle();
    while (await step(untilMs));
    nowMs = Math.max(nowMs, untilMs);
  }

  return {
    chance,
    /** For what some histories have and others don't: drawing from it changes nothing else. */
    peopleChance,
    weather,
    freeze,
    /** Perhaps long enough to lose a lease, and often just until another has taken over. */
    stall(life: Life, share = 1): void {
      if (chance.happens(weather.stalls * share))
        freeze(life, chance.happens(0.5) ? chance.between(31_000, 38_000) : chance.between(1_000, 120_000));
    },
    /** The time that really passes, as at Slack and in Redis. */
    nowMs: (): number => nowMs,
    /** What the clock of the bot's machines shows. */
    wallMs: (): number => nowMs + aheadMs,
    /** Somebody, or a time server, sets that clock. */
    setClock(byMs: number): void {
      fault('clock set', `${byMs > 0 ? 'forward' : 'back'} by ${Math.round(Math.abs(byMs) / 1_000)} s`);
      latestWallMs = Math.max(latestWallMs, nowMs + aheadMs);
      aheadMs += byMs;
      clockSets.push(nowMs);
      for (const hear of onClockSet) hear();
    },
    clockIsAheadMs: (): number => aheadMs,
    /** It was set back, and shows a time that it has shown before. */
    isBeforeItsTime: (): boolean => nowMs + aheadMs < latestWallMs,
    clockWasSet: (fromMs: number, toMs: number): boolean => clockSets.some((ms) => ms >= fromMs && ms <= toMs),
    onClockSet,
    at,
    after: (delayMs: number, life: Life | null, run: () => void): void => at(nowMs + delayMs, life, run),
    step,
    passUntil,
    /** The result of work that takes at most this long. */
    async passFor<Result>(ms: number, work: Promise<Result>): Promise<Result> {
      work.catch(() => {});
      await passUntil(nowMs + ms);
      return work;
    },
    record,
    fault,
    faults: (): ReadonlyMap<string, number> => faults,
    events: (): number => events,
    trace: (): readonly string[] => trace,
    traceHash: (): string => digest.copy().digest('hex').slice(0, 16),
    clockOf: (life: Life): Clock => clockOf(life),
    /** Inside, the machine's own time and chance are those of this world, and a real timer is an error. */
    inside: <Result>(work: () => Promise<Result>): Promise<Result> =>
      withGlobals(
        {
          ...{ nowMs: () => nowMs + aheadMs, chance, every, immediate: turns.immediate },
          onTimer: () => record(REAL_TIMER),
        },
        work,
      ),
    usedRealTime: (): boolean => trace.some((line) => line.endsWith(REAL_TIMER)),
  };

  /** For code that renews in the time of its store. Returns what ends it. */
  function every(run: () => void, ms: number): { clear(): void } {
    let isOver = false;
    const again = (): void =>
      at(nowMs + ms, null, () => {
        if (isOver) return;
        again();
        run();
      });
    again();
    return {
      clear() {
        isOver = true;
      },
    };
  }

  function clockOf(life: Life): Clock {
    return {
      now: () => Temporal.Instant.fromEpochMilliseconds(nowMs + aheadMs),
      elapsedMs: () => nowMs,
      after(delayMs, run) {
        let isCancelled = false;
        const lateMs = chance.between(0, MAX_TIMER_DELAY_MS);
        at(nowMs + Math.max(0, Math.ceil(delayMs)) + lateMs, life, () => {
          if (!isCancelled) run();
        });
        return () => {
          isCancelled = true;
        };
      },
    };
  }
}

function createChance(seed: number): Chance {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[between(random, 0, items.length)] ?? items[0];
  return {
    happens: (probability) => random() < probability,
    between: (from, to) => between(random, from, to),
    pick,
    fraction: random,
  };
}

/** Counts the turns of the event loop that code has asked for, so that time stands still until it has had them. */
function createTurns() {
  const realImmediate = globalThis.setImmediate;
  let waiting = 0;
  return {
    immediate(run: (...args: unknown[]) => void, ...args: unknown[]): void {
      waiting += 1;
      realImmediate(() => {
        waiting -= 1;
        run(...args);
      });
    },
    /** Until everything that code can do without further events is done. */
    async settle(): Promise<void> {
      do await new Promise((resolve) => void realImmediate(resolve));
      while (waiting > 0);
    },
  };
}

interface SimulatedGlobals {
  readonly nowMs: () => number;
  readonly chance: Chance;
  readonly immediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => void;
  readonly every: (run: () => void, ms: number) => { clear(): void };
  readonly onTimer: () => void;
}

async function withGlobals<Result>(
  { nowMs, chance, immediate, every, onTimer }: SimulatedGlobals,
  work: () => Promise<Result>,
): Promise<Result> {
  const replaced = [
    replace(Date, 'now', nowMs),
    replace(globalThis, 'setImmediate', immediate),
    replace(globalThis, 'setTimeout', () => {
      onTimer();
      throw new Error('a real timer in a simulated history');
    }),
    replace(globalThis, 'setInterval', every),
    replace(globalThis, 'clearInterval', (interval: { clear(): void }) => interval.clear()),
    replace(Math, 'random', chance.fraction),
    replace(crypto, 'getRandomValues', (bytes: Uint8Array) => bytes.map(() => chance.between(0, 256))),
  ];
  try {
    return await work();
  } finally {
    for (const restore of replaced) restore();
  }
}

/** Returns a function that undoes it. */
function replace(holder: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, before);
  };
}
