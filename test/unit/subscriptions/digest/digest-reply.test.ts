import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { createEpisodeLog } from '../../../../src/episodes/episode-log.ts';
import { rememberIgnored } from '../../../../src/episodes/ignored.ts';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../../../src/errors.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import type { Statistics, StatisticsQuery } from '../../../../src/statistics/statistics.ts';
import { createDigestReply } from '../../../../src/subscriptions/digest/digest-reply.ts';

const NOW = Temporal.Instant.from('2026-03-10T09:10:00Z');
const MINUTES = 3 * 1440;
const recorded = recordedStatistics({
  startMs: NOW.epochMilliseconds - MINUTES * 60_000,
  intervalMs: 60_000,
  requests: Array.from({ length: MINUTES }, () => 100),
  attacks: Array.from({ length: MINUTES }, (_, at) => 3 + (at % 4)),
  categories: {
    sqli: Array.from({ length: MINUTES }, () => 3),
    xss: Array.from({ length: MINUTES }, (_, at) => at % 4),
  },
})(NOW.epochMilliseconds);

afterEach(() => {
  vi.useRealTimers();
});

/** The digest of the hour before nine. */
function composed(statistics: Statistics, names: readonly string[] = []) {
  const nowMs = () => NOW.epochMilliseconds;
  const compose = createDigestReply({
    statistics,
    ignored: rememberIgnored(),
    episodes: createEpisodeLog({ statistics, blocks: null, nowMs, zone: 'UTC' }),
    hosts: { entries: async () => names.map((name) => [name, { name, id: name, addedBy: 'U1' }] as const) },
    clock: { ...systemClock, now: () => NOW },
    reported: async () => [],
    linkTo: async () => null,
  });
  const to = Temporal.Instant.from('2026-03-10T09:00:00Z');
  const range = { from: to.subtract({ hours: 1 }), to };
  return compose({ id: 'd1', channel: 'C1', zone: 'UTC', hosts: [] }, range, { late: false, tail: null });
}

it.each([
  ['does not tell', new BotError('limit', 'Categories for today only.'), "doesn't provide categories for this window"],
  // Row 6: one failing query doesn't take the digest with it.
  [
    'fails to tell',
    new BotError('upstream_unavailable', 'The service is down.'),
    'No categories: The service is down.',
  ],
])('says that a service %s the categories of its time, and tells the rest', async (_, failure, note) => {
  const { message: reply } = await composed({ ...recorded, distribution: () => Promise.reject(failure) });
  expect(reply.notes?.map(plainText).join(' ')).toContain(note);
  expect(reply.table).toBeUndefined();
  expect([reply.headline ?? [], ...(reply.body ?? [])].map(plainText).join(' ')).toContain('270 attacks');
});

it('says what the categories are if only the timeline fails, judges nothing, and leaves the time to the next one', async () => {
  const failure = new BotError('upstream_unavailable', 'The service is down.');
  const statistics: Statistics = { ...recorded, timeline: () => Promise.reject(failure) };
  const { message: reply, ...rest } = await composed(statistics);
  expect(rest).toEqual({ tail: null, failure });
  expect(reply.title).toBe('Last hour: 270 attacks, unknown whether that is normal');
  expect(reply.level).toBe('not_enough_data');
  expect(plainText(reply.headline)).toBe('No timeline: The service is down.');
  expect(reply.table?.rows.map(([name, events]) => [name, events])).toEqual([
    ['SQL injection', '180'],
    ['XSS', '90'],
  ]);
  await expect(composed({ ...statistics, distribution: () => Promise.reject(failure) })).rejects.toBe(failure);
});

describe('the host of what it leads with', () => {
  const START = MINUTES - 60;
  const surging = (at: number): number => (at >= START && at < START + 20 ? 60 : 0);
  const numbers = (attacks: (at: number) => number): Statistics =>
    recordedStatistics({
      startMs: NOW.epochMilliseconds - MINUTES * 60_000,
      intervalMs: 60_000,
      requests: Array.from({ length: MINUTES }, () => 100),
      attacks: Array.from({ length: MINUTES }, (_, at) => attacks(at)),
      categories: { sqli: Array.from({ length: MINUTES }, (_, at) => attacks(at)) },
    })(NOW.epochMilliseconds);
  const [all, one, other] = [
    numbers((at) => 3 + (at % 4) + surging(at)),
    numbers(surging),
    numbers((at) => 3 + (at % 4)),
  ];

  it('is named', async () => {
    const timeline = (query: StatisticsQuery) =>
      (query.hosts.includes('shop') ? one : query.hosts.includes('blog') ? other : all).timeline(query);
    const { message } = await composed({ ...all, timeline }, ['shop', 'blog']);
    expect(plainText(message.headline)).toMatch(
      /1,[23]\d\d attacks, .* usual, .*, on shop \((100|9\d) % of the excess\)\.$/,
    );
  });

  it('is left out if the service takes long about it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const timeline = (query: StatisticsQuery) =>
      query.hosts.length > 0 ? new Promise<never>(() => {}) : all.timeline(query);
    const digest = composed({ ...all, timeline }, ['shop', 'blog']);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(plainText((await digest).message.headline)).toMatch(/1,[23]\d\d attacks, .* usual, [^(]*\.$/);
  });
});

it('names the minutes without numbers in its headline', async () => {
  const fromMs = Date.UTC(2026, 2, 10, 8, 10);
  const isKept = ({ endMs }: { readonly endMs: number }) => endMs <= fromMs || endMs > fromMs + 30 * 60_000;
  const timeline: Statistics['timeline'] = async (...query) => {
    const answer = await recorded.timeline(...query);
    return { ...answer, points: answer.points.filter(isKept) };
  };
  const { message: reply } = await composed({ ...recorded, timeline });
  expect(plainText(reply.headline ?? [])).toContain('No numbers for 30 minutes.');
});
