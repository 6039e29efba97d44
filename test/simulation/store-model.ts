/**
 * A store in memory that behaves like SQLite (one process, a failing disk) or like Redis (any number of processes, latency,
 * lost answers, restarts, emptying). It implements `Backend`, so the store on top is the real one.
 */
import type { KeyvStoreAdapter } from 'keyv';
import { BotError } from '../../src/errors.ts';
import { type Backend, isCache } from '../../src/store/create-store.ts';
import type { Locks, Turns } from '../../src/store/store.ts';
import { SECOND_MS } from '../../src/time-units.ts';
import type { Life, World } from './world.ts';

interface Entry {
  readonly text: string;
  readonly expiresMs: number | null;
}

interface Lock {
  readonly owner: string;
  readonly untilMs: number | null;
}

/** What a history may do to the store. */
interface StoreWeather {
  /** Longest time of a command. */
  slowMs: number;
  /** Nothing answers. */
  away: boolean;
  /** Writes fail: the disk or the memory is full. */
  full: boolean;
  /** The share of commands that are done without an answer. */
  lostReplies: number;
}

export interface StoreModel {
  readonly kind: 'sqlite' | 'redis';
  readonly weather: StoreWeather;
  open(life: Life): Backend;
  /** A command to the same server, for what else is on it. */
  readonly perform: Perform;
  readonly onEmptied: (() => void)[];
  /** Everything is gone, as after FLUSHALL or a failover to an empty replica. */
  empty(): void;
  /** When everything was lost; `null` if it wasn't. */
  emptiedMs(): number | null;
  /** Whether a command failed or was slow in that time. */
  hadTrouble(fromMs: number, toMs: number): boolean;
  /** As stored, without an event. */
  peek(space: string, key: string): unknown;
  /** How many records a space has. */
  count(space: string): number;
}

export interface StoreModelOptions {
  /** A broken seam, to prove that histories find it: which writes are acknowledged but not done. */
  readonly forgets?: (space: string) => boolean;
}

/** The real client gives up on a command after this. */
const COMMAND_LIMIT_MS = 2_000;

type Perform = <Result>(life: Life, isWrite: boolean, command: () => Result) => Promise<Result>;

export function createStoreModel(world: World, kind: StoreModel['kind'], broken: StoreModelOptions = {}): StoreModel {
  const weather: StoreWeather = { slowMs: kind === 'sqlite' ? 2 : 8, away: false, full: false, lostReplies: 0 };
  const spaces = new Map<string, Map<string, Entry>>();
  const locks = new Map<string, Lock>();
  const turns = new Map<string, number>();
  const troubles: number[] = [];
  let emptiedMs: number | null = null;
  const perform = createPerform(world, kind, weather, {
    onTrouble: () => void troubles.push(world.nowMs()),
    isEmptied: () => emptiedMs !== null,
  });

  // Redis has a clock of its own.
  const nowMs = kind === 'redis' ? world.nowMs : world.wallMs;
  const entriesOf = (space: string): Map<string, Entry> => {
    const entries = spaces.get(space) ?? new Map<string, Entry>();
    spaces.set(space, entries);
    return entries;
  };
  const read = (space: string, key: string): string | undefined => {
    const entry = entriesOf(space).get(key);
    return entry === undefined || (entry.expiresMs ?? Infinity) <= nowMs() ? undefined : entry.text;
  };
  const write = (space: string, key: string, text: string, ttlMs?: number): void => {
    if (broken.forgets?.(space)) return;
    entriesOf(space).set(key, { text, expiresMs: ttlMs === undefined ? null : nowMs() + ttlMs });
  };
  const remove = (space: string, key: string): boolean => {
    const existed = read(space, key) !== undefined;
    entriesOf(space).delete(key);
    return existed;
  };
  const records = { read, write, remove, entriesOf };

  const onEmptied: (() => void)[] = [];
  return {
    kind,
    weather,
    perform,
    onEmptied,
    open: (life) => openBackend({ nowMs, kind, records, locks, turns, spaces, perform }, life),
    empty() {
      emptiedMs = world.nowMs();
      troubles.push(emptiedMs);
      world.fault('store: emptied');
      spaces.clear();
      locks.clear();
      turns.clear();
      for (const clear of onEmptied) clear();
    },
    emptiedMs: () => emptiedMs,
    hadTrouble: (fromMs, toMs) => troubles.some((ms) => ms >= fromMs - COMMAND_LIMIT_MS && ms <= toMs),
    count: (space) => entriesOf(space).size,
    peek(space, key) {
      const text = read(space, key);
      return text === undefined ? undefined : JSON.parse(text).value;
    },
  };
}

/** What people wait for gives up after this. */
const SLOW_MS = 500;
/** Of the share of calls to others: there are many more commands. */
const STALLS_SHARE = 0.1;
const MAX_LATE_S = 90;

interface StoreEvents {
  readonly onTrouble: () => void;
  readonly isEmptied: () => boolean;
}

function createPerform(
  world: World,
  kind: StoreModel['kind'],
  weather: StoreWeather,
  { onTrouble, isEmptied }: StoreEvents,
): Perform {
  const { chance } = world;
  return (life, isWrite, command) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof command>>();
    // An interval outlives the process that set it; what it sends doesn't.
    if (!life.alive) return promise;
    const ms = chance.between(0, weather.slowMs);
    // One process has nobody who could take over from it.
    if (kind === 'redis') world.stall(life, STALLS_SHARE);
    if (weather.away || weather.full || ms >= SLOW_MS) onTrouble();
    if (weather.away) {
      // A broken connection shows at once, a silent one after the limit.
      const isSilent = chance.happens(0.5);
      world.after(isSilent ? COMMAND_LIMIT_MS : ms, life, () => reject(unreachable(kind)));
      // A Redis that was frozen carries out what it had received, long after its sender gave up.
      if (isSilent && chance.happens(0.3)) world.after(chance.between(2, MAX_LATE_S) * SECOND_MS, null, late);
      return promise;
    }
    // SQLite is in the process: nothing can come between what it does and its answer.
    const answer = (settle: () => void): void => (kind === 'sqlite' ? settle() : world.after(ms / 2, life, settle));
    const isLost = chance.happens(weather.lostReplies);
    // Redis carries out what has been sent, perhaps even by a process that has died.
    const outlivesItsSender = kind === 'redis' && chance.happens(0.5);
    world.after(ms / 2, kind === 'redis' ? null : life, () => {
      if (!life.alive && !outlivesItsSender) return;
      if (weather.full && isWrite) {
        answer(() => reject(full(kind)));
        return;
      }
      const result = command();
      if (isLost) onTrouble();
      if (isLost) world.fault('store: answer lost');
      if (isLost) world.after(COMMAND_LIMIT_MS, life, () => reject(unreachable(kind)));
      else answer(() => resolve(result));
    });
    return promise;

    function late(): void {
      // What empties a store drops its connections.
      if (weather.away || isEmptied() || (weather.full && isWrite)) return;
      world.fault('store: command carried out late');
      command();
    }
  };
}

interface Shared {
  readonly nowMs: () => number;
  readonly kind: StoreModel['kind'];
  readonly records: {
    readonly read: (space: string, key: string) => string | undefined;
    readonly write: (space: string, key: string, text: string, ttlMs?: number) => void;
    readonly remove: (space: string, key: string) => boolean;
    readonly entriesOf: (space: string) => ReadonlyMap<string, Entry>;
  };
  readonly locks: Map<string, Lock>;
  readonly turns: Map<string, number>;
  readonly spaces: ReadonlyMap<string, ReadonlyMap<string, Entry>>;
  readonly perform: Perform;
}

const PAGE = 200;

function openBackend(shared: Shared, life: Life): Backend {
  const { kind, records, spaces, perform } = shared;
  const { read, write, remove, entriesOf } = records;
  // A leftover lease of the process before is that of a dead one.
  if (kind === 'sqlite') {
    for (const [key, { untilMs }] of shared.locks) if (untilMs !== null) shared.locks.delete(key);
  }
  return {
    adapter: (space) => keyvAdapter(shared, life, space),
    read: (space, key) => perform(life, false, () => read(space, key)),
    swap: (space, key, expected, next) =>
      perform(life, true, () => {
        if (read(space, key) !== expected) return false;
        if (next === undefined) remove(space, key);
        else write(space, key, next);
        return true;
      }),
    async *entries(space) {
      const keys = await perform(life, false, () => [...entriesOf(space).keys()].sort());
      for (let from = 0; from < keys.length; from += PAGE) {
        const page = keys.slice(from, from + PAGE);
        const texts = await perform(life, false, () => page.map((key) => read(space, key)));
        for (const [at, key] of page.entries()) {
          const text = texts[at];
          if (text !== undefined) yield [key, text] as const;
        }
      }
    },
    spaces: () =>
      perform(life, false, () => [...spaces].flatMap(([name, entries]) => (entries.size > 0 ? [name] : [])).sort()),
    locks: locksOf(shared, life),
    ...(kind === 'redis' ? { turns: turnsOf(shared, life) } : {}),
    exclusive: kind === 'sqlite',
    ping: () => perform(life, false, () => undefined),
    close: async () => {},
  };
}

function keyvAdapter({ records, perform }: Shared, life: Life, space: string): KeyvStoreAdapter {
  const { read, write, remove, entriesOf } = records;
  // Losing a cache does no harm, so it isn't what fails.
  const isWrite = !isCache(space);
  const adapter: KeyvStoreAdapter = {
    opts: { dialect: 'simulation', url: 'simulation://' },
    namespace: space,
    on: () => adapter,
    get: <V>(key: string) => perform(life, false, () => stored<V>(read(space, key))),
    getMany: <V>(keys: string[]) => perform(life, false, () => keys.map((key) => stored<V>(read(space, key)))),
    set: (key: string, text: string, ttl?: number) => perform(life, isWrite, () => write(space, key, text, ttl)),
    setMany: (entries: { key: string; value: string; ttl?: number }[]) =>
      perform(life, isWrite, () => {
        for (const { key, value, ttl } of entries) write(space, key, value, ttl);
      }),
    has: (key: string) => perform(life, false, () => read(space, key) !== undefined),
    delete: (key: string) => perform(life, isWrite, () => remove(space, key)),
    deleteMany: (keys: string[]) =>
      perform(life, isWrite, () => keys.map((key) => remove(space, key)).some((existed) => existed)),
    clear: () =>
      perform(life, isWrite, () => {
        for (const key of [...entriesOf(space).keys()]) remove(space, key);
      }),
  };
  return adapter;
}

/** Keyv types the result as any value, although an adapter only ever holds the serialized text. */
function stored<V>(text: string | undefined): V | undefined;
function stored(text: unknown): unknown {
  return text;
}

function locksOf({ nowMs, locks, perform }: Shared, life: Life): Locks {
  const holder = (key: string): string | undefined => {
    const lock = locks.get(key);
    return lock === undefined || (lock.untilMs ?? Infinity) <= nowMs() ? undefined : lock.owner;
  };
  const hold = (key: string, owner: string, ttlMs: number | undefined): true => {
    locks.set(key, { owner, untilMs: ttlMs === undefined ? null : nowMs() + ttlMs });
    return true;
  };
  return {
    acquire: (key, owner, ttlMs) => perform(life, true, () => holder(key) === undefined && hold(key, owner, ttlMs)),
    renew: (key, owner, ttlMs) => perform(life, true, () => holder(key) === owner && hold(key, owner, ttlMs)),
    release: (key, owner) => perform(life, true, () => holder(key) === owner && locks.delete(key)),
  };
}

function turnsOf({ nowMs, turns, perform }: Shared, life: Life): Turns {
  const leftMs = (key: string): number => Math.max(0, (turns.get(key) ?? 0) - nowMs());
  const take = (key: string, ms: number): void => {
    turns.set(key, nowMs() + Math.max(1, Math.ceil(ms)));
  };
  return {
    take: (asked) =>
      perform(life, true, () => {
        const waits = asked.map(({ key }) => leftMs(key));
        if (waits.every((ms) => ms === 0)) for (const { key, everyMs } of asked) take(key, everyMs);
        return waits;
      }),
    hold: (key, ms) =>
      perform(life, true, () => {
        if (leftMs(key) < ms) take(key, ms);
      }),
  };
}

const detailOf = (kind: StoreModel['kind']) => ({ detail: { storage: kind } });

const unreachable = (kind: StoreModel['kind']): BotError =>
  new BotError('storage', 'Can’t reach the storage right now.', detailOf(kind));

const full = (kind: StoreModel['kind']): BotError =>
  new BotError('storage', 'The storage is full, so nothing can be saved.', {
    ...detailOf(kind),
    reason: { is: 'storage_full' },
  });
