/** Digests while attacks are logged late: together they report every attack exactly once. */
import { expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../../playground/service/hosts.ts';
import { bucketMs, distribution, loggedBetween, timeline } from '../../../../playground/service/statistics.ts';
import type { TrafficModel } from '../../../../playground/service/traffic.ts';
import { createEpisodeLog } from '../../../../src/episodes/episode-log.ts';
import { rememberIgnored } from '../../../../src/episodes/ignored.ts';
import { BotError } from '../../../../src/errors.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import type { Reply } from '../../../../src/replies/reply.ts';
import type { Statistics, StatisticsQuery } from '../../../../src/statistics/statistics.ts';
import { SETTLE_MS } from '../../../../src/statistics/timeline.ts';
import { openStore } from '../../../../src/store/index.ts';
import { createLocalLeases } from '../../../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../../../src/subscriptions/digest/create-digests.ts';
import { apology, createDigestReply } from '../../../../src/subscriptions/digest/digest-reply.ts';
import { parseSchedule } from '../../../../src/subscriptions/recurrence/parse-schedule.ts';
import { createFakeOutbox } from '../../../support/channel.ts';
import { createManualClock } from '../../../support/clock.ts';
import { count } from '../../../support/counts.ts';
import { createRecordingLog } from '../../../support/log.ts';
import { fc } from '../../../support/property.ts';

const MINUTE = 60_000;
const START_MS = Date.parse('2027-01-04T00:00:00Z');
const START_MINUTE = START_MS / MINUTE;

/** The local service's numbers without its wire. Weeks of baseline are refused: judging them isn't the point here. */
function statisticsOf(model: TrafficModel, now: () => Temporal.Instant, asked: StatisticsQuery[]): Statistics {
  const windowOf = ({ range: { from, to } }: StatisticsQuery) => {
    const window = { fromMs: from.epochMilliseconds, toMs: to.epochMilliseconds, hosts: [] };
    if (window.toMs - window.fromMs > 2 * 86_400_000) throw new BotError('limit', 'Too long.');
    return window;
  };
  const stamp = () => {
    const asOfMs = now().epochMilliseconds;
    return { asOfMs, settledUntilMs: asOfMs - SETTLE_MS, stale: false };
  };
  return {
    async timeline(query) {
      asked.push(query);
      const window = windowOf(query);
      const { requests, attacks } = timeline(model, window, 0, now().epochMilliseconds);
      const points = requests.map(({ time, num }, at) => ({
        endMs: time,
        requests: num,
        attacks: attacks[at]?.num ?? null,
      }));
      return { ...window, intervalMs: bucketMs(window.toMs - window.fromMs), points, ...stamp() };
    },
    async distribution(query) {
      const window = windowOf(query);
      const counts = Object.entries(distribution(model, window, now().epochMilliseconds));
      return { ...window, counts: counts.map(([category, n]) => ({ category, count: n })), ...stamp() };
    },
  };
}

async function openDigests(schedule: string, model: TrafficModel) {
  const clock = createManualClock(new Date(START_MS).toISOString());
  const log = createRecordingLog();
  const store = await openStore('memory:', { log, now: clock.now });
  const slack = createFakeOutbox<Reply>(clock.now);
  const asked: StatisticsQuery[] = [];
  const statistics = statisticsOf(model, clock.now, asked);
  const compose = createDigestReply({
    statistics,
    ignored: rememberIgnored(),
    episodes: createEpisodeLog({ statistics, blocks: null, nowMs: () => clock.now().epochMilliseconds, zone: 'UTC' }),
    hosts: { entries: async () => [] },
    clock,
    reported: async () => [],
    linkTo: async () => null,
  });
  const { service, runner } = createDigestDelivery<Reply>({
    records: store,
    leases: createLocalLeases(clock),
    // The test runs the digests itself.
    scheduler: { put: async () => {}, remove: async () => {} },
    outbox: slack.outbox,
    rateLimiter: createPostRateLimiter({ clock, perChannelMs: 0, betweenMs: 0 }),
    clock,
    log,
    owner: 'one',
    compose,
    apologise: apology,
    notifyOwner: async () => undefined,
  });
  const timing = { schedule: parseSchedule(schedule, 'UTC') };
  const digest = await service.create({ channel: 'C1', owner: 'U1', zone: 'UTC', hosts: [], timing });
  let previousDueAt = clock.now();
  return {
    clock,
    asked,
    /** The n-th after the start. */
    async runDue(minutes: number) {
      const at = Temporal.Instant.fromEpochMilliseconds(START_MS + minutes * MINUTE);
      await clock.advanceTo(at);
      expect(await runner.run(digest, { due: { at, key: `${at}` }, previousDueAt, late: false, attempt: 1 })).toBe(
        'done',
      );
      previousDueAt = at;
    },
    runNow: () => service.runNow(digest),
    replies: () => slack.posted.map(({ message }) => message),
    close: () => store.close(),
  };
}

const linesOf = ({ headline = [], body = [], notes = [] }: Reply): string[] =>
  [headline, ...body, ...notes].map((line) => plainText(line));

/** Of the line with the totals: `1.2 k requests, 428 attacks, …` */
function attacksIn(reply: Reply): number {
  const totals = linesOf(reply).find((line) => line.includes(' requests, ')) ?? '';
  return Number(/([\d,]+) attacks?/.exec(totals)?.[1]?.replaceAll(',', ''));
}

const attacksLogged = (model: TrafficModel, fromMs: number, toMs: number, nowMs: number): number =>
  loggedBetween(model, { fromMs, toMs, hosts: [] }, nowMs)
    .slice(1)
    .reduce((sum, n) => sum + n, 0);

const totalOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

const PERIODS = { 'every 15 minutes': 15, hourly: 60, 'every 4 hours': 240, 'daily at 00:00': 1440 } as const;
type Period = keyof typeof PERIODS;

const world = fc.record({
  seed: fc.integer({ min: 1, max: 5 }),
  lagMs: fc.integer({ min: 0, max: 600_000 }),
  waves: fc.array(
    fc.record({
      kind: fc.constantFrom('step' as const, 'ramp' as const, 'spike' as const),
      fromMinute: fc.integer({ min: START_MINUTE - 30, max: START_MINUTE + 240 }),
      minutes: fc.integer({ min: 5, max: 120 }),
      perMinute: fc.integer({ min: 1, max: 60 }),
    }),
    { maxLength: 4 },
  ),
  /** How many seconds after which digest one more is requested. */
  requested: fc.array(
    fc.record({ after: fc.integer({ min: 1, max: 4 }), seconds: fc.integer({ min: 60, max: 840 }) }),
    {
      maxLength: 2,
    },
  ),
});

it.each(Object.keys(PERIODS) as Period[])(
  'digests %s report every attack exactly once, however late it is logged',
  async (schedule) => {
    const minutes = PERIODS[schedule];
    const digests = minutes > 240 ? 2 : 5;
    await fc.assert(
      fc.asyncProperty(world, async ({ seed, lagMs, waves, requested }) => {
        const model = { seed, hosts: DEFAULT_HOSTS, waves, seededWaves: false, loggingMs: lagMs };
        const own = await openDigests(schedule, model);
        for (let n = 1; n <= digests; n += 1) {
          await own.runDue(n * minutes);
          const extra = requested.find(({ after }) => after === n);
          if (extra === undefined || n === digests) continue;
          await own.clock.advance(extra.seconds * 1_000);
          await own.runNow();
        }
        const lastMs = START_MS + digests * minutes * MINUTE;
        const reported = totalOf(own.replies().map(attacksIn));
        expect(reported).toBe(attacksLogged(model, START_MS - SETTLE_MS, lastMs - SETTLE_MS, lastMs));
        await own.close();
      }),
      { numRuns: count(20, 6, 10) },
    );
  },
  60_000,
);

it('four 15-minute digests while logging takes ten minutes add up, each with what came late, in as many calls', async () => {
  const model = { seed: 3, hosts: DEFAULT_HOSTS, seededWaves: false, loggingMs: 600_000 };
  const own = await openDigests('every 15 minutes', model);
  for (const minutes of [15, 30, 45, 60, 75]) await own.runDue(minutes);
  const [first, ...later] = own.replies();
  expect(linesOf(first ?? { title: '' }).join('\n')).not.toContain('logged late');
  const late = later.map((reply) =>
    /Includes (\d+) attacks? from before (\S+) that were logged late/.exec(linesOf(reply).join('\n')),
  );
  expect(late.map((line) => line?.[2])).toEqual(['00:12', '00:27', '00:42', '00:57']);
  // The sum is the ground truth: nothing is in no digest or in two.
  const lastMs = START_MS + 75 * MINUTE;
  expect(totalOf(own.replies().map(attacksIn))).toBe(
    attacksLogged(model, START_MS - SETTLE_MS, lastMs - SETTLE_MS, lastMs),
  );
  const fromPrevious = own.asked.filter(({ range: { to } }) => `${to}` === '2027-01-04T00:27:00Z');
  // One call for the window and the quarter of an hour before.
  expect(fromPrevious.map(({ range: { from } }) => `${from}`)).toEqual(['2027-01-03T23:57:00Z']);
  await own.close();
});
