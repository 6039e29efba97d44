/**
 * What a watch says of two events when it couldn't look in between, because the bot was stopped or the service was down:
 * on both stores, with two replicas where the store allows it. Time is the test's own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import { createEpisodeLog, type StoredBlock } from '../../src/episodes/episode-log.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../src/errors.ts';
import { onlyProject } from '../../src/projects/project.ts';
import type { Reply } from '../../src/replies/reply.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createLocalLeases } from '../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createWatches } from '../../src/subscriptions/watch/create-watches.ts';
import { allEpisodesOf } from '../../src/subscriptions/watch/watch-state.ts';
import { createFakeOutbox } from '../support/channel.ts';
import { createManualClock } from '../support/clock.ts';
import { casesOf } from '../support/counts.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';

const MINUTE_MS = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;
const LOG = { debug() {}, info() {}, warn() {}, error() {} };
const scheduler = { put: async () => {}, remove: async () => {}, nextRunAt: async () => undefined };

/** Minutes are counted from here. */
const START = Temporal.Instant.from('2026-03-10T15:00:00Z');
const HISTORY = 29 * DAY;
const at = (minute: number): Temporal.Instant => START.add({ minutes: minute });
const clockTime = (minute: number): string => at(minute).toString().slice(11, 16);

type Span = readonly [from: number, to: number];
const isIn = (minute: number, span: Span | undefined): boolean =>
  span !== undefined && minute >= span[0] && minute < span[1];

interface Events {
  readonly surges?: readonly Span[];
  readonly webshell?: Span;
  readonly visitorsGone?: Span;
  readonly attacksGone?: Span;
}

/** About ten attacks a minute for weeks, sixty more in each surge. */
function numbersOf({ surges = [], webshell, visitorsGone, attacksGone }: Events) {
  const minutes = Array.from({ length: HISTORY + 4 * DAY }, (_, index) => index - HISTORY);
  const usual = (minute: number): number => 10 + ((((minute + HISTORY) * 7919) % 5) - 2);
  const shells = minutes.map((minute) => (isIn(minute, webshell) ? 4 : 0));
  const sqli = minutes.map((minute) => {
    if (isIn(minute, attacksGone)) return 0;
    return usual(minute) + (surges.some((span) => isIn(minute, span)) ? 60 : 0);
  });
  const attacks = sqli.map((count, index) => count + (shells[index] ?? 0));
  const requests = attacks.map((count, index) => count + (isIn(index - HISTORY, visitorsGone) ? 0 : 200));
  const startMs = START.epochMilliseconds - HISTORY * MINUTE_MS;
  return { startMs, intervalMs: MINUTE_MS, requests, attacks, categories: { sqli, webshell: shells } };
}

/** The same watch through all lives of the bot. */
async function stage(events: Events, openStores: () => Promise<readonly Store[]>, text: string) {
  const clock = createManualClock(at(-30));
  const recorded = recordedStatistics(numbersOf(events));
  const channel = createFakeOutbox<Reply>(clock.now);
  const shown = new Map<string, string>();
  let isDown = false;
  let beforeEdit: (() => Promise<unknown>) | undefined;
  const asked = (): Statistics => {
    if (isDown) throw new BotError('upstream_unavailable', 'The service is down.');
    return recorded(clock.now().epochMilliseconds);
  };
  const statistics: Statistics = {
    timeline: async (query) => asked().timeline(query),
    distribution: async (query) => asked().distribution(query),
  };
  const outbox: Parameters<typeof createWatches>[0]['outbox'] = {
    async send(...post) {
      const result = await channel.outbox.send(...post);
      if (result.is === 'sent') shown.set(result.ts, post[1].title ?? '');
      return result;
    },
    find: channel.outbox.find,
    async edit(_channel, ts, reply) {
      const act = beforeEdit;
      beforeEdit = undefined;
      await act?.();
      shown.set(ts, reply.title ?? '');
      return { is: 'sent', ts };
    },
  };
  const leases = createLocalLeases(clock);
  const replicaOn = (store: Store) => {
    const nowMs = () => clock.now().epochMilliseconds;
    const space = store.space<StoredBlock>('episodes');
    const blocks = {
      get: (key: string) => space.get<StoredBlock>(key),
      set: (key: string, block: StoredBlock) => space.set(key, block),
    };
    const projects = onlyProject({
      statistics,
      episodes: createEpisodeLog({ statistics, blocks, nowMs, zone: 'UTC' }),
      hosts: { entries: async () => [], set: async () => {}, delete: async () => {} },
      lastVerdicts: createLastVerdicts(),
    });
    return createWatches({
      records: store,
      leases: store.exclusive ? leases : store.locks,
      owner: crypto.randomUUID(),
      rateLimiter: createPostRateLimiter({ clock, perChannelMs: 0, betweenMs: 0 }),
      ...{ scheduler, outbox, clock, log: LOG, notifyOwner: async () => {}, projects, commands: COMMANDS },
    });
  };
  let stores = await openStores();
  let replicas = stores.map(replicaOn);
  const create = { channel: 'C1', owner: 'U1', text, zone: 'UTC', project: null, hosts: [] };
  const { id } = (await replicas[0]?.watches.create(create)) ?? { id: '' };
  const ref = { kind: 'watch', channel: 'C1', id } as const;

  async function untilDone({ runner }: (typeof replicas)[number]): Promise<void> {
    for (let attempt = 1; attempt < 50; attempt++) {
      const result = await runner.run(ref, { attempt });
      if (result === 'done') return;
      await clock.advance(result.retryAfterMs);
    }
    throw new Error('never done');
  }
  return {
    /** Every replica is asked to run at each due time. */
    async run(from: number, to: number): Promise<void> {
      for (let minute = from; minute <= to; minute += 5) {
        await clock.advanceTo(at(minute));
        await Promise.all(replicas.map(untilDone));
      }
    },
    async restart(): Promise<void> {
      for (const store of stores) await store.close();
      stores = await openStores();
      replicas = stores.map(replicaOn);
    },
    /** Minutes, on the day of the start. */
    async maintenance([from, to]: Span): Promise<void> {
      const when = { fromMs: at(from).epochMilliseconds, untilMs: at(to).epochMilliseconds };
      await replicas[0]?.watches.holds.add({
        ...{ channel: 'C1', watches: null, why: 'maintenance', when, zone: 'UTC', by: 'U1' },
      });
    },
    /** Acts while the next edit is on its way. */
    beforeNextEdit(act: () => Promise<unknown>): void {
      beforeEdit = act;
    },
    acknowledge: async (by: string) => (await replicas[0]?.watches.acknowledge('C1', id, by))?.by ?? null,
    /** One run of the last replica; it may find the watch busy. */
    evaluate: () => replicas.at(-1)?.runner.run(ref, { attempt: 1 }),
    advanceTo: (minute: number) => clock.advanceTo(at(minute)),
    setDown(down: boolean): void {
      isDown = down;
    },
    leapTo: (minute: number) => clock.leap(at(minute).epochMilliseconds - clock.now().epochMilliseconds),
    /** What the messages in the channel say now, in the order they were posted. */
    messages: () => channel.posted.filter(({ threadTs }) => threadTs === undefined).map(({ ts }) => shown.get(ts)),
    /** The threads in which the end was told. */
    closings: () => channel.posted.flatMap(({ threadTs }) => threadTs ?? []),
    async episodes() {
      const record = await replicas[0]?.runner.state(ref);
      return record === undefined ? [] : allEpisodesOf(record);
    },
    close: async () => {
      for (const store of stores) await store.close();
    },
  };
}

/** `Over: surge 15:00 – 15:40`, or with the date of another day. */
const over = ([from, to]: Span, what = 'surge'): RegExp =>
  new RegExp(`^Over: ${what} (\\d+ Mar )?${clockTime(from)} – ${clockTime(to)}`);

/** How long; a second surge that is over when the watch looks again, and one that goes on then. */
const INTERRUPTIONS: readonly (readonly [name: string, minutes: number, secondFrom: number])[] = [
  ['5 minutes', 5, 2 * HOUR],
  ['2 hours', 2 * HOUR, 70],
  ['2 hours, just before its end', 2 * HOUR, 2 * HOUR],
  ['2 days', 2 * DAY, DAY],
];

/** In the short run, the other store is shown the one case that replicas can spoil, and one of each kind of trouble. */
function contract(
  openStores: () => Promise<readonly Store[]>,
  reset: () => Promise<void>,
  isChosen: (name: string) => boolean = () => true,
): void {
  let open: Awaited<ReturnType<typeof stage>> | undefined;
  afterEach(async () => {
    await open?.close();
    open = undefined;
    await reset();
  });
  async function begun(events: Events, text = 'anything'): Promise<Awaited<ReturnType<typeof stage>>> {
    open = await stage(events, openStores, text);
    return open;
  }

  describe.each(['the bot was stopped', 'the service was down'])('while %s', (how) => {
    it.each(casesOf(INTERRUPTIONS, ([name]) => isChosen(name)))(
      'for %s: two surges, two messages, each closed with its times',
      async (_, length, from) => {
        const [first, second]: [Span, Span] = [
          [0, 40],
          [from, from + 35],
        ];
        const s = await begun({ surges: [first, second] });
        await s.run(-5, 20);
        expect(s.messages()).toEqual([expect.stringMatching(/^Surge since 15:00 · /)]);
        if (how === 'the service was down') {
          s.setDown(true);
          // What it says at first and after a while; looks in between say nothing else.
          await s.run(25, Math.min(20 + length, 60));
          s.leapTo(20 + length);
          s.setDown(false);
        } else {
          s.leapTo(20 + length);
          await s.restart();
        }
        const resumedAt = 25 + length;
        // The second one is a return, which is over after an hour of calm.
        await s.run(resumedAt, Math.max(resumedAt, second[1] + 80));
        expect(s.messages()).toEqual([expect.stringMatching(over(first)), expect.stringMatching(over(second))]);
        expect(new Set(s.closings()).size).toBe(s.closings().length);
        expect((await s.episodes()).map(({ onsetMs, endMs }) => [onsetMs, endMs])).toEqual(
          [first, second].map((span) => span.map((minute) => at(minute).epochMilliseconds)),
        );
      },
    );

    it('for 2 hours: a watch with a limit has two episodes, too', async () => {
      const s = await begun(
        {
          surges: [
            [0, 40],
            [80, 115],
          ],
        },
        'attacks over 200 per 5m',
      );
      await s.run(-5, 20);
      s.setDown(how === 'the service was down');
      if (how === 'the service was down') await s.run(25, 40);
      s.leapTo(140);
      s.setDown(false);
      if (how !== 'the service was down') await s.restart();
      await s.run(145, 195);
      expect(s.messages()).toHaveLength(2);
      const [first, second] = await s.episodes();
      for (const [episode, from, to] of [
        [first, 0, 40],
        [second, 80, 115],
      ] as const) {
        expect(Math.abs((episode?.onsetMs ?? 0) - at(from).epochMilliseconds)).toBeLessThanOrEqual(5 * MINUTE_MS);
        expect(Math.abs((episode?.endMs ?? 0) - at(to).epochMilliseconds)).toBeLessThanOrEqual(8 * MINUTE_MS);
      }
      for (const message of s.messages()) expect(message).toMatch(/^Over: attacks over 200 per 5 minutes, /);
    });
  });

  it.each([
    ['during it', 30],
    ['until long after it', 100],
  ])('maintenance with the bot stopped %s: one summary, and no alert', async (_, backAt) => {
    const s = await begun({ surges: [[10, 45]] });
    await s.maintenance([5, 65]);
    await s.run(-5, 20);
    s.leapTo(backAt - 5);
    await s.restart();
    await s.run(backAt, 75);
    // Right after it was posted, and again when there's nothing to say.
    await s.restart();
    await s.run(Math.max(backAt, 75) + 5, 130);
    expect(s.messages()).toEqual(['During maintenance, 15:05 – 16:05: 1 alert held back']);
    expect(s.closings()).toEqual([]);
    expect(await s.episodes()).toMatchObject([{ firstTs: null, heldBack: { by: 'maintenance', reported: true } }]);
  });

  describe('an acknowledgment that races with the end', () => {
    const SURGE: Span = [0, 40];
    /** The look at which it's over. */
    const LAST = 65;
    const outcome = async (s: Awaited<ReturnType<typeof stage>>) => {
      await s.run(LAST + 5, LAST + 30);
      const [episode, ...others] = await s.episodes();
      return { by: episode?.acknowledged?.by, others, messages: s.messages(), closings: s.closings().length };
    };
    const once = { others: [], messages: [expect.stringMatching(over(SURGE))], closings: 1 };

    it('is too late and says so if the end came first: nothing is reopened', async () => {
      const s = await begun({ surges: [SURGE] });
      await s.run(-5, LAST - 5);
      expect(s.messages()).toEqual([expect.stringMatching(/^Surge 15:00 – /)]);
      await s.advanceTo(LAST);
      let answer: unknown;
      // It's stored that it's over, and the other replica is about to show it.
      s.beforeNextEdit(async () => {
        answer = await s.acknowledge('U7');
      });
      await s.evaluate();
      expect(answer).toBeNull();
      expect(await outcome(s)).toEqual({ by: undefined, ...once });
    });

    it('counts if it came first: the end follows, once', async () => {
      const s = await begun({ surges: [SURGE] });
      await s.run(-5, LAST - 5);
      await s.advanceTo(LAST);
      // It's stored who is on it, and this replica is about to show it.
      s.beforeNextEdit(async () => s.evaluate());
      expect(await s.acknowledge('U7')).toBe('U7');
      await s.run(LAST, LAST);
      expect(await outcome(s)).toEqual({ by: 'U7', ...once });
    });

    it('leaves one message and one end, whoever wins', async () => {
      const s = await begun({ surges: [SURGE] });
      await s.run(-5, LAST - 5);
      await s.advanceTo(LAST);
      const [answer] = await Promise.all([s.acknowledge('U7'), s.evaluate()]);
      const { by, ...rest } = await outcome(s);
      expect(answer ?? undefined).toBe(by);
      expect(rest).toEqual(once);
    });
  });

  const WEBSHELL: Span = [45, 75];
  const GONE: Span = [30, 70];
  it.each<[string, Events, readonly RegExp[]]>([
    [
      'another category rises',
      { surges: [[0, 80]], webshell: WEBSHELL },
      [over([0, 80]), over(WEBSHELL, 'Webshell unusually high')],
    ],
    ['visitors are gone', { surges: [[0, 80]], visitorsGone: GONE }, [over([0, 80]), over(GONE, 'visitors gone')]],
    [
      'attacks are gone after it',
      { surges: [[0, 40]], attacksGone: [42, 100] },
      [over([0, 40]), over([42, 100], 'no attacks')],
    ],
  ])('%s: a message for each, once, closed with its times', async (_, events, titles) => {
    const s = await begun(events);
    await s.run(-5, 150);
    expect(s.messages()).toEqual(titles.map((title) => expect.stringMatching(title)));
    expect(s.closings().toSorted()).toEqual([...new Set(s.closings())].toSorted());
    expect(s.closings()).toHaveLength(2);
  });
}

describe('on SQLite', () => {
  let dir = mkdtempSync(join(tmpdir(), 'wafbot-interrupted-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  contract(
    async () => [await openStore(`sqlite:${join(dir, 'wafbot.db')}`, { log: LOG, now: () => START })],
    async () => {
      rmSync(dir, { recursive: true, force: true });
      dir = mkdtempSync(join(tmpdir(), 'wafbot-interrupted-'));
    },
  );
});

describe.skipIf(!redisAvailable)(`on Redis, with two replicas${redisNote}`, () => {
  let redis: RedisServer;
  let prefix = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open = () => openStore(`${redis.url}/${prefix}`, { log: LOG, now: () => START });
  contract(
    () => Promise.all([open(), open()]),
    async () => {
      prefix += 1;
    },
    (name) => name === '2 hours',
  );
});
