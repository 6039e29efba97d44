/**
 * A year of daily digests in minutes: the real store, scheduler, delivery log and answer cache, on a clock that moves
 * from day to day; posting costs nothing. After the first quarter, neither the store nor the heap may grow.
 * `-- year --digests 1000 --days 365` for other numbers.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { openScheduler } from '../../src/scheduler/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createLocalLeases } from '../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import { parseSchedule } from '../../src/subscriptions/recurrence/parse-schedule.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import { createAnswerCache, createBestEffortCache, createReplicaSharing } from '../../src/waf/cache.ts';
import { createHurriedClock } from '../support/hurried-clock.ts';
import { quietLog as log } from './bot-here.ts';
import { isQuick, machineLoad, target } from './figures.ts';

const { values } = parseArgs({
  strict: false,
  options: { digests: { type: 'string' }, days: { type: 'string' }, folder: { type: 'string' } },
});
const DIGESTS = Number(values.digests ?? (isQuick ? 40 : 100));
const DAYS = Number(values.days ?? (isQuick ? 90 : 365));
const DAY_MS = 86_400_000;
const KINDS = 8;
const ANSWER = 'x'.repeat(8_000);

const folder = mkdtempSync(join(typeof values.folder === 'string' ? values.folder : tmpdir(), 'wafbot-year-'));
const url = `sqlite:${join(folder, 'wafbot.db')}`;
const clock = createHurriedClock(Date.UTC(2026, 0, 1, 12));
const store = await openStore(url, { log, now: clock.now });
const scheduler = await openScheduler<Recurrence, SubscriptionRef>(url, { store, clock, repeatStrategy, log });
const cache = createBestEffortCache(store.space('cache-answers'), log);
let requested = 0;
const answers = createAnswerCache<string>({
  cache,
  replicas: createReplicaSharing({ cache, locks: null, owner: 'bench', sleep: async () => undefined, log }),
  now: () => clock.now().epochMilliseconds,
  log,
  scope: 'bench',
  schema: z.string(),
  async fetch() {
    requested += 1;
    return ANSWER;
  },
});
let posted = 0;
let day = Promise.withResolvers<void>();
const { service, runner } = createDigestDelivery<string>({
  records: store,
  leases: createLocalLeases(clock),
  scheduler,
  outbox: {
    async send() {
      posted += 1;
      if (posted % DIGESTS === 0) day.resolve();
      return { is: 'sent', ts: `${posted}.0` };
    },
    find: async () => null,
  },
  rateLimiter: createPostRateLimiter({ clock }),
  clock,
  log,
  owner: 'bench',
  async compose({ hosts }, { from, to }) {
    const [fromMs, toMs] = [from.epochMilliseconds, to.epochMilliseconds];
    const { value } = await answers.get({ fromMs, toMs, hosts, offset: '+00:00' });
    return { message: value, tail: null };
  },
  apologise: () => '',
  notifyOwner: async () => undefined,
});
const schedule = parseSchedule('daily at 09:00', 'UTC');
for (let n = 0; n < DIGESTS; n += 1) {
  await service.create({
    channel: `C${n}`,
    owner: `U${n}`,
    zone: 'UTC',
    hosts: [`host-${n % KINDS}`],
    timing: { schedule },
  });
}
await scheduler.start((job, context) => runner.run(job.payload, context));

const MB = 2 ** 20;
const storedMb = (): number =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / MB;
const startedMs = clock.now().epochMilliseconds;
const begun = performance.now();
const months: { readonly storedMb: number; readonly heapMb: number }[] = [];
let cpuBefore = process.cpuUsage();
let postedBefore = 0;
for (let passed = 1; passed <= DAYS; passed += 1) {
  day = Promise.withResolvers();
  clock.moveTo(startedMs + passed * DAY_MS);
  await day.promise;
  await cache.flush();
  if (passed % Math.max(1, Math.floor(DAYS / 12)) !== 0) continue;
  const { user, system } = process.cpuUsage(cpuBefore);
  globalThis.gc?.();
  const month = { storedMb: storedMb(), heapMb: process.memoryUsage().heapUsed / MB };
  months.push(month);
  const cpuMs = (user + system) / 1_000 / (posted - postedBefore);
  console.log(
    `day ${String(passed).padStart(3)}: stored ${month.storedMb.toFixed(1)} MB, heap ${month.heapMb.toFixed(1)} MB, ${cpuMs.toFixed(2)} ms of CPU per digest`,
  );
  cpuBefore = process.cpuUsage();
  postedBefore = posted;
}
await scheduler.stop();
await store.close();
rmSync(folder, { recursive: true, force: true });
console.log(
  `${DIGESTS} daily digests for ${DAYS} days: ${posted} posted, ${requested} requests to the service, ${Math.round((performance.now() - begun) / 1_000)} s; ${machineLoad()}`,
);
const [, , third = months.at(-1)] = months;
const last = months.at(-1);
if (third === undefined || last === undefined) throw new Error('too few days');
target('store after the last month, compared with the third', last.storedMb / third.storedMb, 1.25, '×');
target('heap after the last month, compared with the third', last.heapMb / third.heapMb, 1.25, '×');
process.exit();
