/**
 * The fault test: digests fall due without pause, their processes are killed at random with `kill -9`, the peer loses
 * answers. At the end every due time of every digest must have been told exactly once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { jobIdOf } from '../../src/subscriptions/subscription.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { openReplica } from './assemble.ts';
import { between, createRandom, type Random } from './random.ts';
import { type SlackPeer, startSlackPeer } from './slack-peer.ts';
import { type Tally, tally } from './verdict.ts';

export interface ChaosOptions {
  readonly scheduler: 'embedded' | 'redis';
  readonly kills: number;
  readonly digests: number;
  readonly everyMs: number;
  readonly seed: number;
  /** How often Redis itself is killed too, as a share of the kills. */
  readonly redisKills?: number;
}

export interface ChaosReport extends Tally {
  readonly kills: number;
  readonly redisKills: number;
  readonly lookups: number;
  readonly seconds: number;
}

/** For hangs: what is due at the end is waited for until it has come. */
const DELIVERY_LIMIT_MS = 240_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { scheduler, kills, everyMs, seed } = options;
  const random = createRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'wafbot-chaos-'));
  const peer = await startSlackPeer(createRandom(seed + 1));
  const redis =
    scheduler === 'redis' ? await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']) : undefined;
  const store = redis ? redis.url : `sqlite:${join(dir, 'wafbot.db')}`;
  const started = Date.now();
  const pool = createPool(store, peer, redis ? 2 : 1);
  try {
    const jobs = await createDigests(store, peer, options);
    const fromMs = Math.floor(Date.now() / everyMs) * everyMs;
    let redisKills = 0;
    await pool.fill();
    for (let kill = 0; kill < kills; kill += 1) {
      await wait(between(random, 20, 2_500));
      if (redis && random() < (options.redisKills ?? 0)) {
        redisKills += 1;
        await bounce(redis, random);
      }
      await pool.killOne(random);
      await pool.fill();
    }
    peer.behave();
    const toMs = Math.floor(Date.now() / everyMs) * everyMs;
    await allDelivered(peer, jobs, fromMs, toMs, everyMs);
    await pool.killAll();
    const counts = tally(peer.posts, jobs, fromMs, toMs, everyMs);
    return { ...counts, kills, redisKills, lookups: peer.finds(), seconds: Math.round((Date.now() - started) / 1_000) };
  } finally {
    await pool.killAll();
    await peer.close();
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Creates the digests, through a replica that is closed before the killing starts. */
async function createDigests(
  store: string,
  peer: SlackPeer,
  { digests: count, everyMs }: ChaosOptions,
): Promise<string[]> {
  const setup = await openReplica(store, peer.port, 'setup');
  const jobs: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const created = await setup.digests.service.create({
      channel: `C${Math.floor(n / 5)}`,
      owner: 'U1',
      zone: 'UTC',
      hosts: [],
      timing: { everyMs },
    });
    jobs.push(jobIdOf(created));
  }
  await setup.scheduler.stop();
  await setup.store.close();
  return jobs;
}

function createPool(store: string, peer: SlackPeer, size: number) {
  const alive = new Set<ChildProcess>();
  async function spawnOne(): Promise<void> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'replica.ts'), store, String(peer.port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    alive.add(child);
    // A replica that meets Redis in the middle of a restart refuses to start, as it should; a supervisor starts it again.
    const gone = once(child, 'exit').then(() => alive.delete(child));
    await Promise.race([once(child.stdout, 'data'), gone]);
  }
  async function end(child: ChildProcess): Promise<void> {
    if (!alive.has(child)) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  return {
    async fill() {
      while (alive.size < size) await spawnOne();
    },
    async killOne(random: Random) {
      const child = [...alive][between(random, 0, alive.size)];
      if (child) await end(child);
    },
    killAll: () => Promise.all([...alive].map(end)),
  };
}

async function bounce(redis: RedisServer, random: Random): Promise<void> {
  await redis.kill();
  await wait(between(random, 10, 500));
  await redis.revive();
}

/** Waits until everything due by `toMs` has been told, or it is clear that something never will be. */
async function allDelivered(peer: SlackPeer, jobs: readonly string[], fromMs: number, toMs: number, everyMs: number) {
  const limit = Date.now() + DELIVERY_LIMIT_MS;
  while (Date.now() < limit && tally(peer.posts, jobs, fromMs, toMs, everyMs).lost > 0) await wait(250);
}
