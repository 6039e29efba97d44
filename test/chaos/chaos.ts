/**
 * The fault test: digests fall due without pause, their processes are killed at random with `kill -9`, and so is Redis,
 * while Slack loses answers. At the end every due time of every digest must have been told exactly once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { openStore } from '../../src/store/index.ts';
import { jobIdOf } from '../../src/subscriptions/subscription.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { log, openReplica, type ReplicaOptions, SHIFTS } from './assemble.ts';
import { between, createRandom, type Random } from './random.ts';
import { type SlackMood, type SlackPeer, startSlackPeer } from './slack-peer.ts';
import { type DueTimes, type Tally, tally } from './verdict.ts';

export interface ChaosOptions {
  readonly scheduler: 'embedded' | 'redis';
  /**
   * When digests are due: all of them again and again, so that a late one is soon followed by the next; or each once, as
   * a daily one is, so that nothing covers up for what was lost.
   */
  readonly due: { readonly everyMs: number } | 'once';
  readonly digests: number;
  readonly kills: number;
  /** How many of the kills hit Redis instead of a process, as a share. */
  readonly redisKills?: number;
  readonly slack?: Partial<SlackMood>;
  /**
   * Before the kills, replaces the processes one after another by those of a version that migrates the store. `from` is a
   * checkout of the version before; left out, it's this one.
   */
  readonly upgrade?: { readonly from?: string | undefined };
  readonly seed: number;
}

export interface ChaosReport extends Omit<Tally, 'slowestMs'> {
  readonly kills: number;
  readonly redisKills: number;
  readonly lookups: number;
  /** Digests that the migration hasn't reached; `null` if there was none. */
  readonly unmigrated: number | null;
  /** From the due time to the message, of those with a message of their own. */
  readonly slowestSeconds: number;
  readonly seconds: number;
}

/** Everything told, exactly once, and nothing passed over in silence. A run in which nothing was due shows nothing. */
export const isFlawless = ({ expected, lost, duplicated, unmarked }: Omit<Tally, 'slowestMs'>): boolean =>
  expected > 0 && lost + duplicated + unmarked === 0;

/** For hangs: what is due at the end is waited for until it has come. */
const DELIVERY_LIMIT_MS = 120_000;
const LONGEST_PAUSE_MS = 2_500;
/** For as long as an upgrade takes. */
const UPGRADE_PAUSES = 6;
/** Before the first due time everything has been made and the first processes run. */
const LEAD_MS = 8_000;

interface MadeDigest {
  readonly job: string;
  readonly everyMs: number;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { scheduler, kills, seed } = options;
  const random = createRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'wafbot-chaos-'));
  const peer = await startSlackPeer(createRandom(seed + 1), { lostAnswers: 0.08, chatter: 0, ...options.slack });
  const redis =
    scheduler === 'redis' ? await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']) : undefined;
  const store = redis ? redis.url : `sqlite:${join(dir, 'wafbot.db')}`;
  const started = Date.now();
  const shift = options.due === 'once' ? 'minutes' : 'exact';
  const replica: ReplicaOptions = { store, apiUrl: peer.apiUrl, shift };
  const pool = createPool(programIn(options.upgrade?.from), replica, redis ? 2 : 1);
  try {
    const made = await createDigests(replica, options);
    const fromMs = Date.now();
    let redisKills = 0;
    await pool.fill();
    const newer = { program: programIn(), options: { ...replica, isNewer: true } };
    const pause = () => wait(between(random, 1_000, LONGEST_PAUSE_MS));
    if (options.upgrade !== undefined) await pool.upgrade(newer, pause);
    for (let kill = 0; kill < kills; kill += 1) {
      await wait(between(random, 20, LONGEST_PAUSE_MS));
      if (redis && random() < (options.redisKills ?? 0)) {
        redisKills += 1;
        await bounce(redis, random);
      } else {
        await pool.killOne(random);
      }
      await pool.fill();
    }
    peer.behave();
    // What is due once is waited for, however quickly the kills went; of what is due for ever, the first time is.
    const firstMs = ({ everyMs }: MadeDigest): number =>
      options.due === 'once' ? 2 * everyMs : Math.ceil(fromMs / everyMs) * everyMs;
    const toMs = Math.max(Date.now(), ...made.map(firstMs));
    const dueTimes = dueTimesOf(made, fromMs, toMs);
    await allDelivered(peer, dueTimes, shift);
    await pool.killAll();
    const { slowestMs, ...counts } = tally(peer.posts, dueTimes, SHIFTS[shift]);
    return {
      ...counts,
      kills,
      redisKills,
      lookups: peer.lookups(),
      unmigrated: options.upgrade === undefined ? null : await countUnmigrated(store),
      slowestSeconds: Math.round(slowestMs / 1_000),
      seconds: Math.round((Date.now() - started) / 1_000),
    };
  } finally {
    await pool.killAll();
    await peer.close();
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Creates the digests, through a replica that is closed before the killing starts. */
async function createDigests(
  replica: ReplicaOptions,
  { digests: count, due, kills, upgrade }: ChaosOptions,
): Promise<MadeDigest[]> {
  const setup = await openReplica(replica, 'setup');
  const made: MadeDigest[] = [];
  const firstMs = Date.now() + LEAD_MS;
  const spreadMs = (kills + (upgrade === undefined ? 0 : UPGRADE_PAUSES)) * (LONGEST_PAUSE_MS / 2);
  for (let n = 0; n < count; n += 1) {
    // Spread over the time of the upgrade and the kills. The second multiple is the due time, the next one decades away.
    const onceMs = Math.round((firstMs + (n / count) * spreadMs) / 2);
    const everyMs = due === 'once' ? onceMs : due.everyMs;
    const created = await setup.digests.service.create({
      channel: `C${Math.floor(n / 5)}`,
      // The same wish of the same person would count once.
      owner: `U${n}`,
      zone: 'UTC',
      hosts: [],
      timing: { everyMs },
    });
    made.push({ job: jobIdOf(created), everyMs });
  }
  await setup.scheduler.stop();
  await setup.store.close();
  return made;
}

function dueTimesOf(made: readonly MadeDigest[], fromMs: number, toMs: number): DueTimes {
  return new Map(
    made.map(({ job, everyMs }) => {
      const dues: number[] = [];
      for (let dueMs = Math.ceil(fromMs / everyMs) * everyMs; dueMs <= toMs; dueMs += everyMs) dues.push(dueMs);
      return [job, dues];
    }),
  );
}

/** How many channels have a digest without the field that the migration adds. */
async function countUnmigrated(url: string): Promise<number> {
  const store = await openStore(url, { log, now: systemClock.now });
  const channels = await Array.fromAsync(store.list<readonly object[]>('digests'));
  await store.close();
  return channels.filter(([, digests]) => !digests.every((digest) => 'added' in digest)).length;
}

const HERE = resolve(import.meta.dirname, '../..');
const programIn = (checkout = HERE): string => join(checkout, 'test/chaos/replica.ts');

/** Processes of that program, as many as given, until they're killed. */
export function createPool(firstProgram: string, firstOptions: object, size: number) {
  const alive = new Set<ChildProcess>();
  let [program, options] = [firstProgram, firstOptions];
  async function spawnOne(): Promise<void> {
    const child = spawn(process.execPath, [resolve(import.meta.dirname, program), JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    alive.add(child);
    // It may be gone when it's told something.
    child.stdin?.on('error', () => undefined);
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
    /** Replaces one process after another, as a rollout does. */
    async upgrade(next: { readonly program: string; readonly options: object }, pause: () => Promise<void>) {
      ({ program, options } = next);
      for (const child of [...alive]) {
        await pause();
        await end(child);
        await spawnOne();
      }
    },
    async killOne(random: Random) {
      const child = [...alive][between(random, 0, alive.size)];
      if (child) await end(child);
    },
    /** Resolves once each has answered with the same line, or is gone. */
    async tell(line: string) {
      await Promise.all(
        [...alive].map(async (child) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const listen = (chunk: Buffer) => String(chunk).includes(line) && resolve();
          child.stdout?.on('data', listen);
          child.once('exit', resolve);
          child.stdin?.write(`${line}\n`);
          await promise;
          child.stdout?.off('data', listen);
          child.off('exit', resolve);
        }),
      );
    },
    killAll: () => Promise.all([...alive].map(end)),
  };
}

async function bounce(redis: RedisServer, random: Random): Promise<void> {
  await redis.kill();
  await wait(between(random, 10, 500));
  await redis.revive();
}

/** Waits until everything due has been told, or it is clear that something never will be. */
async function allDelivered(peer: SlackPeer, dueTimes: DueTimes, shift: ReplicaOptions['shift']): Promise<void> {
  const limit = Date.now() + DELIVERY_LIMIT_MS;
  while (Date.now() < limit && tally(peer.posts, dueTimes, SHIFTS[shift]).lost > 0) await wait(250);
}
