/**
 * The fault test of pagers: episodes begin and end while the processes that page about them are killed with `kill -9`, and the
 * receivers lose answers. At the end each receiver must have each state of each episode, once by its ID.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROUTING_KEY, startPagerReceivers, WEBHOOK_SECRET } from '../support/pager-receivers.ts';
import { startRedis } from '../support/redis.ts';
import { createPool } from './chaos.ts';
import { createMovedClock, openPageReplica, type PageReplicaOptions, START_MS, WATCH } from './page-replica.ts';
import { between, createRandom, type Random } from './random.ts';

export interface PageChaosOptions {
  readonly store: 'sqlite' | 'redis';
  readonly kills: number;
  readonly seed: number;
}

export interface PageChaosReport {
  readonly kills: number;
  readonly episodes: number;
  /** Requests that arrived, with repetitions, and how many of them a receiver takes for new by their ID. */
  readonly received: number;
  readonly distinct: number;
  /** Episodes that lack a state at some receiver, or have it under two IDs. */
  readonly flawed: readonly string[];
  readonly refused: readonly string[];
  readonly seconds: number;
}

const TICK_MS = 5 * 60_000;
/** In minutes, from one surge to the next: each is over before the next one begins. */
const SURGE = 40;
const EVERY = 100;
const FIRST = 20;
const LOST_ANSWERS = 0.15;
const BROKEN = 0.1;
/** After the last surge, until everything must have arrived. */
const LIMIT_MS = 90_000;
const KILLS_PER_EPISODE = 6;
const MAX_KILL_AFTER_MS = 150;
/** Processes are told the time here, so one that waits for the processor signs with the time of long ago. */
const TOLERANCE_SECONDS = 86_400;

export async function runPageChaos({ store: kind, kills, seed }: PageChaosOptions): Promise<PageChaosReport> {
  const random = createRandom(seed);
  const started = Date.now();
  const dir = mkdtempSync(join(tmpdir(), 'wafbot-pages-'));
  const redis = kind === 'redis' ? await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']) : undefined;
  const clock = createMovedClock();
  const receivers = await startPagerReceivers(
    () => clock.now().epochMilliseconds,
    () => {
      const dice = random();
      return dice < BROKEN ? 503 : dice < BROKEN + LOST_ANSWERS ? 'lost' : null;
    },
    TOLERANCE_SECONDS,
  );
  const count = Math.ceil(kills / KILLS_PER_EPISODE);
  const surges = Array.from({ length: count }, (_, at) => [FIRST + at * EVERY, FIRST + at * EVERY + SURGE] as const);
  const store = redis?.url ?? `sqlite:${join(dir, 'wafbot.db')}`;
  const replica = { store, url: receivers.url, routingKey: ROUTING_KEY, webhookSecret: WEBHOOK_SECRET, surges };
  const watch = await createWatch(replica);
  const pool = createPool('page-replica.ts', { ...replica, watch }, redis ? 2 : 1);
  const ticks = Math.ceil((count * EVERY) / 5);
  const killed = createKills(random, pool, ticks / kills);
  try {
    await pool.fill();
    let limitMs = Number.POSITIVE_INFINITY;
    for (let tick = 1; Date.now() < limitMs; tick += 1) {
      if (tick === ticks) limitMs = Date.now() + LIMIT_MS;
      if (tick > ticks) receivers.behave();
      if (tick > ticks && flawedIn(receivers, count).length === 0) break;
      clock.move(START_MS + tick * TICK_MS);
      await Promise.all([pool.tell(String(START_MS + tick * TICK_MS)), tick > ticks ? null : killed.maybe(tick)]);
      await pool.fill();
    }
    await pool.killAll();
    const ids = receivers.webhooks.map(({ id }) => id);
    return {
      ...{ kills: killed.count(), episodes: count, received: ids.length, distinct: new Set(ids).size },
      flawed: flawedIn(receivers, count),
      refused: receivers.refusals,
      seconds: Math.round((Date.now() - started) / 1_000),
    };
  } finally {
    await pool.killAll();
    await receivers.close();
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** In one of so many ticks, at any moment of what is done in it. */
function createKills(random: Random, pool: ReturnType<typeof createPool>, everyTicks: number) {
  let count = 0;
  return {
    count: () => count,
    async maybe(tick: number): Promise<void> {
      if (Math.floor(tick / everyTicks) === Math.floor((tick - 1) / everyTicks)) return;
      count += 1;
      await wait(between(random, 0, MAX_KILL_AFTER_MS));
      await pool.killOne(random);
    },
  };
}

async function createWatch(replica: PageReplicaOptions): Promise<string> {
  const setup = await openPageReplica(replica);
  const { id } = await setup.watches.watches.create(WATCH);
  await setup.store.close();
  return id;
}

const ACTIONS = { begun: 'trigger', worse: 'trigger', acknowledged: 'acknowledge', over: 'resolve' } as const;

/** What is wrong, episode by episode; everything is wrong before all of them have arrived. */
function flawedIn(receivers: Awaited<ReturnType<typeof startPagerReceivers>>, count: number): string[] {
  const once = [...new Map(receivers.webhooks.map((event) => [event.id, event])).values()];
  const byEpisode = Map.groupBy(once, ({ data }) => String(data.episode));
  const ended = new Set(receivers.posts.filter(isEnded).map(({ labels }) => labels.episode));
  const flawed = [...byEpisode].flatMap(([key, pages]) => {
    const inOrder = pages.toSorted((a, b) => Number(a.data.number) - Number(b.data.number));
    const states = inOrder.map(({ data }) => String(data.state));
    // A surge asks for another acknowledgment.
    const isWhole = /^begun,(worse,)?acknowledged,(worse,acknowledged,)*over$/.test(states.join(','));
    const hasGap = inOrder.some(({ data }, at) => data.number !== at + 1);
    const isPaged = receivers.incidents.get(key) === 'resolved' && hasAll(receivers.events, key, states);
    return isWhole && !hasGap && isPaged && ended.has(key) ? [] : [`${key}: ${states.join(', ')}`];
  });
  return byEpisode.size === count ? flawed : [...flawed, `${byEpisode.size} of ${count} episodes`];
}

type Receivers = Awaited<ReturnType<typeof startPagerReceivers>>;

const isEnded = ({ annotations }: Receivers['posts'][number]): boolean => annotations?.state === 'over';

/** PagerDuty has no IDs of events, so repetitions are allowed: at least as many of each action as there are states. */
function hasAll(events: Receivers['events'], key: string, states: readonly string[]): boolean {
  const actions = events.filter(({ dedup_key }) => dedup_key === key).map(({ event_action }) => event_action);
  const needed = states.flatMap((state) => Object.entries(ACTIONS).find(([name]) => name === state)?.[1] ?? []);
  const countOf = (list: readonly string[], action: string): number => list.filter((each) => each === action).length;
  return needed.every((action) => countOf(actions, action) >= countOf(needed, action));
}
