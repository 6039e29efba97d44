/**
 * What it costs when 100, 1,000 and 10,000 digests fall due in one moment, beyond Slack's own rateLimiter: the queue is set to
 * no delay and posting costs nothing, so what remains is ours. Read the ratios of processor time: the cost of one must
 * not grow with all. The time on the wall is mostly the disk, which makes every step durable before the next.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openScheduler } from '../../src/scheduler/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import { createLocalLeases } from '../../src/subscriptions/posting/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/posting/post-rate-limiter.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import { parseSchedule } from '../../src/subscriptions/recurrence/parse-schedule.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import { createAnswerCache } from '../../src/waf/cache/answer-cache.ts';
import { createBestEffortCache } from '../../src/waf/cache/best-effort-cache.ts';
import { createReplicaSharing } from '../../src/waf/cache/request-sharing.ts';
import { createOffsetClock } from '../support/offset-clock.ts';

const QUESTIONS = 10;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const silent = () => undefined;
const log = {
  debug: silent,
  info: silent,
  warn: silent,
  error: (detail: object, message: string) => console.error(message, detail),
};

interface Row {
  digests: number;
  'wall ms': number;
  'cpu ms': number;
  'cpu ms each': number;
  'against 100': string;
  'heap MB': number;
  'service calls': number;
  'at Slack’s pace, s': number;
}

async function measure(count: number): Promise<Row> {
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  let peak = heapBefore;
  const dir = mkdtempSync(join(tmpdir(), 'wafbot-bench-'));
  const clock = createOffsetClock();
  const url = `sqlite:${join(dir, 'wafbot.db')}`;
  const store = await openStore(url, { log, now: clock.now });
  const scheduler = await openScheduler<Recurrence, SubscriptionRef>(url, { store, clock, repeatStrategy, log });
  let asked = 0;
  const cache = createBestEffortCache(store.space('cache-answers'), log);
  const answers = createAnswerCache<string>({
    cache,
    replicas: createReplicaSharing({ cache, locks: null, owner: 'bench', sleep: async () => undefined, log }),
    now: () => clock.now().epochMilliseconds,
    log,
    scope: 'bench',
    codec: { write: (text) => text, read: (text) => text },
    async fetch() {
      asked += 1;
      return 'x'.repeat(2_000);
    },
  });
  const all = Promise.withResolvers<void>();
  let posted = 0;
  const { service, runner } = createDigestDelivery<string>({
    records: store,
    leases: createLocalLeases(clock.now),
    scheduler,
    outbox: {
      async send() {
        // Posting is I/O: it gives the event loop its turn, which is also when memory is looked at.
        await setImmediate();
        posted += 1;
        if (posted % 100 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed);
        if (posted === count) all.resolve();
        return { is: 'sent', ts: `${posted}.0` };
      },
      find: async () => null,
    },
    rateLimiter: createPostRateLimiter({ clock, perChannelMs: 0, betweenMs: 0 }),
    clock,
    log,
    owner: 'bench',
    async compose({ hosts }, { from, to }) {
      // An hour earlier, so that the numbers are final however long this takes.
      const [fromMs, toMs] = [from.epochMilliseconds - HOUR_MS, to.epochMilliseconds - HOUR_MS];
      return (await answers.get({ fromMs, toMs, hosts, offset: '+00:00' }, true)).value;
    },
    apologise: () => '',
    notifyOwner: async () => undefined,
  });
  const schedule = parseSchedule('daily at 09:00', 'Europe/Berlin');
  for (let n = 0; n < count; n += 1) {
    const hosts = [`host-${n % QUESTIONS}`];
    await service.create({
      channel: `C${n}`,
      owner: 'U1',
      zone: schedule.zone,
      hosts,
      timing: { schedule },
    });
  }
  clock.forward(DAY_MS);
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  await scheduler.start((job, context) => runner.run(job.payload, context));
  await all.promise;
  await scheduler.stop();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = (user + system) / 1_000;
  await store.close();
  rmSync(dir, { recursive: true, force: true });
  return {
    digests: count,
    'wall ms': Math.round(wallMs),
    'cpu ms': Math.round(cpuMs),
    'cpu ms each': Number((cpuMs / count).toFixed(3)),
    'against 100': '',
    'heap MB': Math.round((peak - heapBefore) / 1_048_576),
    'service calls': asked,
    'at Slack’s pace, s': (count * 200) / 1_000,
  };
}

await measure(100);
const rows: Row[] = [];
for (const count of [100, 1_000, 10_000]) rows.push(await measure(count));
const base = rows[0]?.['cpu ms each'] ?? 1;
for (const row of rows) row['against 100'] = `× ${(row['cpu ms each'] / base).toFixed(2)}`;
console.table(rows);
const [, thousand, tenThousand] = rows;
const growth = (tenThousand?.['cpu ms each'] ?? 0) / (thousand?.['cpu ms each'] ?? 1);
console.log(`one of 10,000 costs ${growth.toFixed(2)} times one of 1,000 (linear growth: about 1)`);
if (growth > 2 || rows.some((row) => row['service calls'] !== QUESTIONS)) process.exitCode = 1;
