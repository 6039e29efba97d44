/**
 * One process of the bot as far as watches and pagers go, made to be killed: `node page-replica.ts <options as JSON>`. The harness
 * moves its time: each line is an instant, at which it evaluates the watch and acknowledges what is open, and then says so.
 */
import { createInterface } from 'node:readline';
import { type Clock, sleep, systemClock } from '../../src/clock.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import { createEpisodeLog, type StoredBlock } from '../../src/episodes/episode-log.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { openPagers } from '../../src/pagers/index.ts';
import { onlyProject } from '../../src/projects/project.ts';
import { Secret } from '../../src/secret.ts';
import { openStore } from '../../src/store/index.ts';
import { createLocalLeases } from '../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createWatches } from '../../src/subscriptions/watch/create-watches.ts';
import { log } from './assemble.ts';

export interface PageReplicaOptions {
  readonly store: string;
  /** Of all receivers. */
  readonly url: string;
  readonly routingKey: string;
  readonly webhookSecret: string;
  /** Surges, in minutes since the start. */
  readonly surges: readonly (readonly [from: number, to: number])[];
}

export const START_MS = Date.parse('2026-03-10T15:00:00Z');
export const WATCH = { channel: 'C1', owner: 'U1', text: 'anything', zone: 'UTC', project: null, hosts: [] } as const;
const MINUTE_MS = 60_000;
const HISTORY = 29 * 24 * 60;
/** What a killed process holds is free soon. */
const LEASE_MS = 1_500;
/** Between two instants of the harness, time runs this much faster, so that retries are due before the next one. */
const SPEED = 200;
const MAX_DRIFT_MS = 4 * MINUTE_MS;

/** Time as the harness moves it. */
export function createMovedClock(): Clock & { move(toMs: number): void } {
  let [baseMs, movedMs] = [START_MS, Date.now()];
  return {
    now: () => Temporal.Instant.fromEpochMilliseconds(baseMs + Math.min((Date.now() - movedMs) * SPEED, MAX_DRIFT_MS)),
    elapsedMs: () => performance.now(),
    after: (delayMs, run, purpose) => systemClock.after(purpose === 'limit' ? delayMs : delayMs / SPEED, run),
    move(toMs) {
      [baseMs, movedMs] = [toMs, Date.now()];
    },
  };
}

/** About ten attacks a minute for weeks, sixty more in each surge. */
function numbersOf(surges: PageReplicaOptions['surges']) {
  const length = HISTORY + Math.max(...surges.map(([, to]) => to)) + 24 * 60;
  const minutes = Array.from({ length }, (_, index) => index - HISTORY);
  const sqli = minutes.map((minute, index) => {
    const surge = surges.find(([from, to]) => minute >= from && minute < to);
    return 10 + (((index * 7919) % 5) - 2) + (surge === undefined ? 0 : 60);
  });
  const requests = sqli.map((count) => count + 200);
  const startMs = START_MS - HISTORY * MINUTE_MS;
  return { startMs, intervalMs: MINUTE_MS, requests, attacks: sqli, categories: { sqli } };
}

export async function openPageReplica(options: PageReplicaOptions) {
  const clock = createMovedClock();
  const nowMs = (): number => clock.now().epochMilliseconds;
  const store = await openStore(options.store, { log, now: clock.now });
  const recorded = recordedStatistics(numbersOf(options.surges));
  const statistics = {
    timeline: async (...query: Parameters<ReturnType<typeof recorded>['timeline']>) =>
      recorded(nowMs()).timeline(...query),
    distribution: async (...query: Parameters<ReturnType<typeof recorded>['distribution']>) =>
      recorded(nowMs()).distribution(...query),
  };
  const pagers = openPagers(
    {
      pagerduty: { url: options.url, routingKey: new Secret(options.routingKey) },
      alertmanager: { url: options.url },
      webhook: { url: `${options.url}/hook?team=security`, secret: new Secret(options.webhookSecret) },
      from: 'elevated',
    },
    {
      ...{ store, clock, log },
      isWatched: (page) =>
        watches.runner.isPagingAbout({ kind: 'watch', channel: page.channel, id: page.watch }, page.episode),
      giveUp: new AbortController().signal,
      lockMs: LEASE_MS,
    },
  );
  const blocks = store.space<StoredBlock>('episodes');
  let ts = Date.now();
  const projects = onlyProject({
    statistics,
    episodes: createEpisodeLog({
      statistics,
      blocks: { get: (key) => blocks.get(key), set: (key, block) => blocks.set(key, block) },
      nowMs,
      zone: 'UTC',
    }),
    hosts: { entries: async () => [], set: async () => {}, delete: async () => {} },
    lastVerdicts: createLastVerdicts(),
  });
  const watches = createWatches({
    records: store,
    leaseMs: LEASE_MS,
    leases: store.exclusive ? createLocalLeases(clock) : store.locks,
    owner: `replica-${process.pid}`,
    rateLimiter: createPostRateLimiter({ clock, perChannelMs: 0, betweenMs: 0 }),
    scheduler: { put: async () => {}, remove: async () => {} },
    // Slack is another test's business.
    outbox: {
      async send() {
        ts += 1;
        return { is: 'sent', ts: String(ts) };
      },
      find: async () => null,
      edit: async (_channel, at) => ({ is: 'sent', ts: at }),
    },
    ...{ clock, log, projects, commands: COMMANDS, notifyOwner: async () => {}, pages: pagers.queue },
  });
  return { store, clock, pagers, watches };
}

if (import.meta.main) {
  const options: PageReplicaOptions & { readonly watch: string } = JSON.parse(process.argv[2] ?? '');
  const { clock, pagers, watches } = await openPageReplica(options);
  const ref = { kind: 'watch', channel: WATCH.channel, id: options.watch } as const;
  pagers.start();
  process.stdout.write('ready\n');
  systemClock.after(10 * MINUTE_MS, () => process.exit(2));
  // The harness ends us; should it be gone itself, so are we.
  for await (const line of createInterface({ input: process.stdin })) {
    clock.move(Number(line));
    while ((await watches.runner.run(ref, { attempt: 1 }).catch(() => 'failed')) !== 'done')
      await sleep(systemClock, 50);
    if (await watches.watches.isOpen(WATCH.channel, options.watch).catch(() => false))
      await watches.watches.acknowledge(WATCH.channel, options.watch, 'U1').catch(() => null);
    process.stdout.write(`${line}\n`);
  }
  process.exit(0);
}
