import { describe, expect, it } from 'vitest';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../../../src/errors.ts';
import { leadingHostWords } from '../../../../src/replies/host-lines.ts';
import type { Statistics, StatisticsQuery } from '../../../../src/statistics/statistics.ts';
import type { AnswerLimit, CategoryCount, Distribution } from '../../../../src/statistics/timeline.ts';
import { type EvaluationQuery, evaluate, measure, unseenOf } from '../../../../src/subscriptions/watch/evaluate.ts';
import { type Evaluation, observeCount, observeNothing } from '../../../../src/subscriptions/watch/observation.ts';
import { replayEvaluations } from '../../../../src/subscriptions/watch/replay.ts';
import { episodeLog } from '../../../support/episodes.ts';
import { at, recordedSite } from '../../episodes/recorded-site.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');

const look = async (counts: readonly CategoryCount[], limits: readonly AnswerLimit[], what = 'sqli') => {
  const distribution: Distribution = {
    fromMs: 0,
    toMs: 0,
    counts,
    settledUntilMs: 0,
    asOfMs: 0,
    stale: false,
    ...(limits.length === 0 ? {} : { limits }),
  };
  const statistics: Statistics = {
    timeline: () => Promise.reject(new Error('a category has no timeline')),
    distribution: async () => distribution,
  };
  const rule = { kind: 'threshold', what, over: 50, perMs: 900_000 } as const;
  const sources = { statistics, episodes: episodeLog(statistics, () => NOW) };
  const looks = await evaluate(sources, { ...QUERY, rule });
  return looks.map((each) => each.get('rise')?.level).join();
};

describe('a watch for a category', () => {
  it.each<[string, number, readonly AnswerLimit[], string]>([
    ['all are named, and it has none', 900, [], 'calm'],
    ['it cannot be over: even the least of the largest is not', 40, ['largest'], 'calm'],
    ['it may be over: the least of the largest is', 60, ['largest'], 'unknown'],
    ['only groups are told', 10, ['groups'], 'unknown'],
  ])('%s', async (_, leastNamed, limits, level) => {
    expect(
      await look(
        [
          { category: 'xss', count: 5_000 },
          { category: 'cc', count: leastNamed },
        ],
        limits,
      ),
    ).toBe(level);
  });

  it('that is named is counted, whatever else is not', async () => {
    expect(await look([{ category: 'sqli', count: 60 }], ['largest'])).toBe('elevated');
    expect(await look([{ category: 'cc', count: 3 }], ['groups'], 'cc')).toBe('calm');
  });
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = NOW.epochMilliseconds;
const SITE_DAYS = 30;

/** About ten attacks a minute, and more at some hours before now; `null` where the service lost its numbers. */
function site(more: (hoursAgo: number) => number | null) {
  const startMs = NOW_MS - SITE_DAYS * DAY_MS;
  const attacks = Array.from({ length: SITE_DAYS * 1440 }, (_, minute) => {
    const extra = more((NOW_MS - startMs - minute * MINUTE_MS) / HOUR_MS);
    return extra === null ? null : 10 + ((minute * 7919) % 5) - 2 + extra;
  });
  const requests = attacks.map((count) => (count === null ? null : 1_000 + count));
  const numbers = { startMs, intervalMs: MINUTE_MS, requests, attacks, categories: null };
  const statistics = recordedStatistics(numbers)(NOW_MS);
  return { statistics, episodes: episodeLog(statistics, () => NOW) };
}

const QUERY: EvaluationQuery = {
  rule: { kind: 'verdict' },
  bar: 2,
  everyMs: 5 * MINUTE_MS,
  lookedMs: null,
  hosts: [],
  zone: 'UTC',
  now: NOW,
};
const COUNTING = { ...QUERY, rule: { kind: 'threshold', what: 'attacks', over: 150, perMs: 5 * MINUTE_MS } } as const;

/** Between so many hours ago, sixty attacks a minute more. */
const surges =
  (...spans: readonly (readonly [from: number, to: number])[]) =>
  (hoursAgo: number): number =>
    spans.some(([from, to]) => hoursAgo <= from && hoursAgo > to) ? 60 : 0;

/** How the level changed from look to look. */
async function levels(sources: Parameters<typeof evaluate>[0], query: EvaluationQuery): Promise<string[]> {
  const all = (await evaluate(sources, query)).map((look) => look.get('rise')?.level ?? 'none');
  return all.filter((level, at) => level !== all[at - 1]);
}

describe('a watch that runs again', () => {
  /** The ends of what it sees, in minutes after its last evaluation. */
  async function seenAfter(minutes: number, everyMinutes: number): Promise<number[]> {
    const [now] = await evaluate(
      site(() => 0),
      COUNTING,
    );
    const untilMs = now?.get('rise')?.atMs ?? 0;
    const lookedMs = untilMs - minutes * MINUTE_MS;
    const looks = await evaluate(
      site(() => 0),
      { ...COUNTING, lookedMs, everyMs: everyMinutes * MINUTE_MS },
    );
    return looks.map((look) => ((look.get('rise')?.atMs ?? 0) - lookedMs) / MINUTE_MS);
  }

  it.each([
    ['within minutes evaluates nothing, as when a message is retried', 5, 3, []],
    ['on time evaluates the end', 5, 5, [5]],
    ['a minute of data early, as rounding has it, evaluates the end', 5, 4, [4]],
    ['some minutes late evaluates the end, and nothing just before it', 5, 8, [8]],
    ['late by a run evaluates both', 5, 10, [5, 10]],
    ['every minute evaluates every minute', 1, 1, [1]],
    ['every hour evaluates every five minutes of it', 60, 16, [5, 10, 16]],
    ['every hour and soon again evaluates nothing', 60, 2, []],
  ])('%s (every %i, after %i)', async (_, every, after, expected) => {
    expect(await seenAfter(after, every)).toEqual(expected);
  });
});

describe('what a watch sees after an interruption', () => {
  const twice = surges([30, 29.5], [3, 2.5]);

  it('is everything that it has missed, in order', async () => {
    const lookedMs = NOW_MS - 40 * HOUR_MS;
    const waves = ['calm', 'surge', 'calm', 'surge', 'calm'];
    // Between the beginning and a surge there may be a look that sees something, but not enough.
    const strong = (seen: string[]) => seen.filter((level) => level !== 'between' && level !== 'elevated');
    expect(strong(await levels(site(twice), { ...QUERY, lookedMs }))).toEqual(waves);
    expect(strong(await levels(site(twice), { ...COUNTING, lookedMs }))).toEqual(waves);
    expect(await levels(site(twice), QUERY)).toEqual(['calm']);
  });

  it('counts by the minute, however long it was', async () => {
    const lookedMs = NOW_MS - 50 * HOUR_MS - 2 * MINUTE_MS;
    const looks = await evaluate(site(twice), { ...COUNTING, lookedMs });
    expect(looks.map((look) => look.get('rise')?.level)).not.toContain('unknown');
    expect(looks.map((look) => look.get('rise')?.level).filter((level) => level === 'surge').length).toBe(10);
  });

  it('is no more than three days of it', async () => {
    const looks = await evaluate(site(twice), { ...QUERY, lookedMs: NOW_MS - 20 * DAY_MS });
    const first = looks[0]?.get('rise')?.atMs ?? 0;
    expect(NOW_MS - first).toBeLessThanOrEqual(3 * DAY_MS + 5 * MINUTE_MS);
  });

  it('is the present too where the service has lost what was in between', async () => {
    const lost = site((hoursAgo) => (hoursAgo <= 44 && hoursAgo > 16 ? null : surges([1, 0])(hoursAgo)));
    const seen = await levels(lost, { ...QUERY, lookedMs: NOW_MS - 46 * HOUR_MS });
    expect(seen.at(-1)).toBe('surge');
  });

  it('is nothing while the service has nothing new, and what it does not answer is no answer', async () => {
    const silent = site((hoursAgo) => (hoursAgo <= 0.5 ? null : 0));
    expect(await levels(silent, { ...QUERY, lookedMs: NOW_MS - HOUR_MS })).toEqual(['unknown']);
    const down = () => Promise.reject(new BotError('upstream_unavailable', 'The service is down.'));
    const statistics = { timeline: down, distribution: down };
    const sources = { statistics, episodes: episodeLog(statistics, () => NOW) };
    await expect(evaluate(sources, QUERY)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

describe('the hosts of a rise', () => {
  const busy = recordedSite([{ fromMs: at('08:20'), toMs: at('09:00'), more: { sqli: 60 } }]);
  const calm = recordedSite();
  const now = Temporal.Instant.fromEpochMilliseconds(at('09:00'));
  const names = {
    entries: async () => ['shop', 'blog'].map((name) => [name, { name, id: name, addedBy: 'U1' }] as const),
  };
  const whole = busy.statisticsAt(at('09:00'));
  const quiet = calm.statisticsAt(at('09:00'));
  /** All of the attack is on shop. */
  const statistics: Statistics = {
    timeline: (query) => (query.hosts.includes('blog') ? quiet : whole).timeline(query),
    distribution: (query) => whole.distribution(query),
  };
  const sources = { statistics, episodes: episodeLog(statistics, () => now), hosts: names };
  const query = { rule: { kind: 'verdict' }, hosts: [], zone: 'UTC', now } as const;

  it('are named as the record stands, and those of the message before where they can not be told', async () => {
    const list = await sources.episodes.within({ fromMs: at('08:00'), toMs: at('09:00'), hosts: [] });
    const [record] = list?.episodes ?? [];
    if (record === undefined) throw new Error('there is no rise');
    const first = await measure(sources, query, record);
    expect(first?.on?.map(({ name }) => name)).toEqual(['shop']);
    expect(leadingHostWords(first?.on ?? [])).toMatch(/^on shop \(\d+ % of the excess\)$/);
    const on = [{ name: 'shop', share: 0.5 }];
    expect((await measure(sources, query, { ...record, on }))?.on).toEqual(first?.on);
    const failing = {
      ...statistics,
      timeline: (each: StatisticsQuery) =>
        each.hosts.length > 0
          ? Promise.reject(new BotError('upstream_timeout', 'Too slow.'))
          : statistics.timeline(each),
    };
    expect((await measure({ ...sources, statistics: failing }, query, { ...record, on }))?.on).toEqual(on);
  });

  it('are unknown of a watch for one host and of what has stopped', async () => {
    const list = await sources.episodes.within({ fromMs: at('08:00'), toMs: at('09:00'), hosts: [] });
    const [record] = list?.episodes ?? [];
    if (record === undefined) throw new Error('there is no rise');
    expect((await measure(sources, { ...query, hosts: ['shop'] }, record))?.on).toEqual([]);
    expect((await measure(sources, query, { ...record, drop: 'attacks' }))?.on).toEqual([]);
  });
});

describe('numbers that were read before another process looked', () => {
  const minute = (count: number): number => NOW.epochMilliseconds + count * 60_000;
  const calmAt = (count: number) =>
    new Map([['rise', observeCount({ atMs: minute(count), count: 0, known: 1, perMs: 300_000 }, 100)]] as const);
  const blind = new Map([['rise', observeNothing(minute(6))]] as const);
  const unseen = (lookedMs: number) =>
    unseenOf([calmAt(5), calmAt(10), blind], lookedMs, 300_000).map((each) => each.get('rise')?.atMs);

  it('are no evaluation of their own if that was less than four minutes before', () => {
    expect(unseen(minute(0))).toEqual([minute(5), minute(10), minute(6)]);
    expect(unseen(minute(2))).toEqual([minute(10), minute(6)]);
    expect(unseen(minute(9))).toEqual([minute(6)]);
    expect(unseen(Number.POSITIVE_INFINITY)).toEqual([minute(5), minute(10), minute(6)]);
  });
});

describe('a category that goes on across noon', () => {
  interface Going {
    readonly from?: string;
    readonly to?: string;
    readonly turnsInto?: string;
    readonly isDown?: (nowMs: number) => boolean;
  }

  /** What a watch says that looks every five minutes while the categories can be counted, or not. */
  async function said({ from = '11:20', to = '14:10', turnsInto = 'webshell', isDown = () => false }: Going) {
    const numbers = recordedSite([{ fromMs: at(from), toMs: at(to), turnsInto }], { level: 40 });
    let nowMs = at(from);
    const statistics: Statistics = {
      timeline: (query) => numbers.statisticsAt(nowMs).timeline(query),
      async distribution(query) {
        if (isDown(nowMs)) throw new BotError('upstream_unavailable', 'not now');
        return numbers.statisticsAt(nowMs).distribution(query);
      },
    };
    const now = () => Temporal.Instant.fromEpochMilliseconds(nowMs);
    const sources = { statistics, episodes: episodeLog(statistics, now) };
    const times = { fromMs: nowMs, toMs: at('16:00') };
    const evaluations = new Map<number, Evaluation>();
    let query: EvaluationQuery = { ...QUERY, bar: 2.1 };
    for (; nowMs <= times.toMs; nowMs += 5 * MINUTE_MS) {
      const [evaluation] = (await evaluate(sources, { ...query, now: now() })).slice(-1);
      if (evaluation === undefined) throw new Error('nothing was evaluated');
      evaluations.set(nowMs, evaluation);
      // As a watch that has alerted to it.
      const categoriesSinceMs = evaluation.get(`mix-${turnsInto}`)?.onsetMs ?? query.categoriesSinceMs;
      query = { ...query, lookedMs: evaluation.get('rise')?.atMs ?? null, categoriesSinceMs };
    }
    const { messages } = await replayEvaluations(times, (ms) => evaluations.get(ms) ?? new Map());
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    return messages.map(({ kind, atMs, onsetMs }) => [kind, clock(onsetMs), clock(atMs)]);
  }

  it.each([
    ['webshell', '11:20', '11:50', '12:35'],
    ['webshell', '11:20', '12:05', '12:50'],
    ['webshell', '11:20', '12:50', '13:35'],
    ['xss', '11:20', '14:10', '14:55'],
    ['xss', '07:00', '15:10', '15:55'],
  ])('%s from %s until %s is told once, and at %s that it is over', async (turnsInto, from, to, over) => {
    const [first, ...more] = await said({ turnsInto, from, to });
    expect(first?.slice(0, 2)).toEqual(['new', from]);
    expect(more).toEqual([['over', from, over]]);
  });

  it.each([
    ['after noon', '12:20', '13:10'],
    ['at noon', '11:50', '12:30'],
  ])('is not over because the service cannot count categories %s', async (_, from, to) => {
    expect(await said({ isDown: (ms) => ms >= at(from) && ms < at(to) })).toEqual(await said({}));
  });

  it('is over when the service could not count categories for an hour', async () => {
    const [, last] = await said({ isDown: (ms) => ms >= at('12:20') });
    expect(last).toEqual(['over', '11:20', '13:25']);
  });
});
