/** Both queries, both ways of authenticating, as the interface has them. */
import { afterEach, describe, expect, it } from 'vitest';
import { distribution, timeline } from '../../../playground/service/statistics.ts';
import { countOf } from '../../../src/statistics/categories.ts';
import { summarise } from '../../../src/statistics/timeline.ts';
import { eventually } from '../../support/clock.ts';
import {
  DAY,
  failing,
  HOUR,
  MINUTE,
  openStage,
  question,
  START,
  type Stage,
  type Way,
} from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** Windows are asked for in whole minutes. */
const AT = Math.floor(START / MINUTE) * MINUTE;

describe.each<Way>(['token', 'aksk'])('by %s', (way) => {
  it('the timeline is asked for exactly as specified, and its numbers arrive unchanged', async () => {
    stage = await openStage();
    const hosts = stage.service.hosts.slice(0, 2).map((host) => host.id);
    const answer = await stage.client(way).timeline(question(HOUR, AT - DAY, hosts, 'Asia/Kolkata'));
    const [asked] = stage.service.calls('timeline');
    expect(asked?.method).toBe('GET');
    const [path, search] = (asked?.target ?? '').split('?');
    expect(path).toBe(`/v1/${stage.service.projectId}/waf/event/timeline`);
    expect(search).toBe(
      `from=${AT - DAY - HOUR}&to=${AT - DAY}&timezone=%2B05%3A30&hosts=${hosts[0]}&hosts=${hosts[1]}`,
    );
    expect(asked?.body).toBe('');
    const world = { seed: 1, hosts: stage.service.hosts };
    const window = { fromMs: AT - DAY - HOUR, toMs: AT - DAY, hosts };
    const truth = timeline(world, window, 5.5 * HOUR, AT);
    expect(answer).toMatchObject({ fromMs: window.fromMs, toMs: window.toMs, intervalMs: MINUTE, stale: false });
    expect(answer.points).toEqual(
      truth.requests.map(({ time, num }, i) => ({ endMs: time, requests: num, attacks: truth.attacks[i]?.num })),
    );
  });

  it('the distribution has no timezone and all thirteen categories', async () => {
    stage = await openStage();
    const answer = await stage.client(way).distribution(question(DAY, AT - DAY, [], 'Asia/Kolkata'));
    expect(stage.service.calls('distribution')[0]?.target).toBe(
      `/v1/${stage.service.projectId}/waf/event/attack/type?from=${AT - 2 * DAY}&to=${AT - DAY}`,
    );
    const window = { fromMs: AT - 2 * DAY, toMs: AT - DAY, hosts: [] };
    const truth = distribution({ seed: 1, hosts: stage.service.hosts }, window, AT);
    expect(Object.fromEntries(answer.counts.map(({ category, count }) => [category, count]))).toEqual(truth);
    expect(answer.counts.map(({ category }) => category)).toHaveLength(13);
  });

  it('a negative offset and the offset at the start of the range are sent', async () => {
    stage = await openStage();
    const client = stage.client(way);
    const autumn = Temporal.Instant.from('2025-11-03T12:00:00Z').epochMilliseconds;
    // The clocks of St. John's go back in the middle of this range.
    await client.timeline(question(3 * DAY, autumn, [], 'America/St_Johns'));
    expect(stage.service.calls('timeline')[0]?.search.get('timezone')).toBe('-02:30');
    expect(stage.service.calls('timeline')[0]?.status).toBe(200);
  });

  it('the last minutes are marked as unsettled, whole minutes are asked for', async () => {
    stage = await openStage();
    const answer = await stage.client(way).timeline(question(HOUR));
    expect(answer.toMs).toBe(Math.floor(START / MINUTE) * MINUTE);
    expect(answer.asOfMs).toBe(START);
    expect(answer.points.filter((point) => point.endMs > answer.settledUntilMs)).toHaveLength(3);
  });
});

it('seconds, disorder, repeated points and unknown fields make no difference', async () => {
  stage = await openStage();
  const client = stage.client('token');
  const plain = await client.timeline(question(HOUR, START - DAY));
  await stage.answers.clear();
  stage.service.misbehave({ kind: 'seconds' }, { times: 1 });
  expect(await client.timeline(question(HOUR, START - DAY))).toEqual(plain);
  await stage.answers.clear();
  stage.service.misbehave({ kind: 'disorder' }, { times: 1 });
  expect(await client.timeline(question(HOUR, START - DAY))).toEqual(plain);
  await stage.answers.clear();
  stage.service.misbehave({ kind: 'change', change: (body) => ({ ...body, total: 'x', by: [] }) }, { times: 1 });
  expect(await client.timeline(question(HOUR, START - DAY))).toEqual(plain);
});

it('missing categories are zero, names for the same are added up, unknown ones come last as they are', async () => {
  stage = await openStage();
  const change = () => ({ sqli: 3, zeroday: 7, antileakage: 2, leakage: 4, custom: 1, custom_custom: 5 });
  stage.service.misbehave({ kind: 'change', change });
  const { counts } = await stage.client('token').distribution(question(HOUR, START - DAY));
  expect(counts).toHaveLength(15);
  expect(counts.filter(({ count }) => count > 0)).toEqual([
    { category: 'sqli', count: 3 },
    { category: 'custom', count: 6 },
    { category: 'leakage', count: 6 },
    { category: 'zeroday', count: 7 },
  ]);
});

it('a series that is not there has no numbers, which is not zero', async () => {
  stage = await openStage();
  stage.service.misbehave({ kind: 'change', change: ({ requests }) => ({ requests }) });
  const { points } = await stage.client('token').timeline(question(HOUR, START - DAY));
  expect(points.every((point) => point.attacks === null && typeof point.requests === 'number')).toBe(true);
});

it.each<[string, (body: Record<string, unknown>) => unknown]>([
  ['nothing of what was asked', () => ({ odd: true })],
  ['a word for a number', () => ({ requests: [{ time: START - DAY, num: 'twelve' }], attacks: [] })],
  ['a number with a unit', () => ({ requests: [{ time: START - DAY, num: '12k' }], attacks: [] })],
  ['a negative number', () => ({ requests: [{ time: START - DAY, num: -1 }], attacks: [] })],
  ['half a request', () => ({ requests: [{ time: START - DAY, num: 1.5 }], attacks: [] })],
  ['a time as text', () => ({ requests: [{ time: '2026', num: 1 }], attacks: [] })],
  ['a point without time', () => ({ requests: [{ num: 1 }], attacks: [] })],
  ['an object for a list', () => ({ requests: {}, attacks: [] })],
  ['another window', () => ({ requests: [{ time: START - 9 * DAY, num: 1 }], attacks: [] })],
  [
    'two numbers for one interval',
    () => ({ requests: [1, 2].map((num) => ({ time: START - DAY, num })), attacks: [] }),
  ],
  ['a list', () => []],
  ['null', () => null],
])('a timeline of %s is an error, not a number', async (_, change) => {
  stage = await openStage();
  stage.service.misbehave({ kind: 'change', change });
  const error = await failing(stage.client('token').timeline(question(HOUR, START - DAY)));
  expect(error.code).toBe('upstream_bad_response');
  expect(stage.service.calls('timeline')).toHaveLength(1);
});

it.each<[string, unknown]>([
  ['a word for a number', { sqli: 'three' }],
  ['a fraction as text', { sqli: '3.5' }],
  ['a negative number', { sqli: -3 }],
  ['a nested object', { sqli: { count: 3 } }],
  ['a list', [1, 2]],
  ['an error with a good status', { error_code: 'WAF.1025', error_msg: 'Invalid time' }],
])('a distribution of %s is an error, not a number', async (_, body) => {
  stage = await openStage();
  stage.service.misbehave({ kind: 'change', change: () => body });
  expect((await failing(stage.client('token').distribution(question(HOUR, START - DAY)))).code).toBe(
    'upstream_bad_response',
  );
});

describe('questions too big for one call', () => {
  it('a long range is asked for in parts and answered as one, with one interval', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const answer = await client.timeline(question(75 * DAY, AT - DAY, [], 'Asia/Kolkata'));
    const asked = stage.service
      .calls('timeline')
      .map(({ search }) => [Number(search.get('from')), Number(search.get('to'))]);
    expect(asked).toHaveLength(3);
    expect(asked.every(([from = 0, to = 0]) => to - from <= 30 * DAY)).toBe(true);
    expect(asked.every((part, i) => i === 0 || part[0] === asked[i - 1]?.[1])).toBe(true);
    expect(answer.intervalMs).toBe(HOUR);
    expect(answer).toMatchObject({ fromMs: AT - 76 * DAY, toMs: AT - DAY });
    const ends = answer.points.map((point) => point.endMs);
    expect(ends.every((end, i) => i === 0 || end - (ends[i - 1] ?? 0) === HOUR)).toBe(true);
    const world = { seed: 1, hosts: stage.service.hosts };
    const truth = timeline(world, { fromMs: AT - 76 * DAY, toMs: AT - DAY, hosts: [] }, 5.5 * HOUR, AT);
    expect(answer.points.map((point) => point.requests)).toEqual(truth.requests.map((point) => point.num));
    expect(answer.points.map((point) => point.attacks)).toEqual(truth.attacks.map((point) => point.num));
    const categories = await client.distribution(question(75 * DAY, AT - DAY));
    expect(categories.counts.reduce((sum, { count }) => sum + count, 0)).toBe(
      answer.points.reduce((sum, point) => sum + (point.attacks ?? 0), 0),
    );
  });

  it('parts are of like length, so that no crumb comes with other intervals, and nothing is lost', async () => {
    stage = await openStage();
    const answer = await stage.client('token', { maxRangeDays: 8 }).timeline({ ...question(10 * DAY, START - DAY) });
    const direct = await stage.client('token', { answers: stage.tokens }).timeline(question(10 * DAY, START - DAY));
    const total = (points: typeof answer.points) => points.reduce((sum, point) => sum + (point.requests ?? 0), 0);
    expect(new Set(answer.points.slice(1).map((p, i) => p.endMs - (answer.points[i]?.endMs ?? 0))).size).toBe(1);
    expect(total(answer.points)).toBe(total(direct.points));
  });

  it('never asks more than a few at a time', async () => {
    stage = await openStage();
    const held = stage.service.hold({ on: 'timeline' });
    const client = stage.client('token', { maxRangeDays: 1, concurrency: 3 });
    const asking = client.timeline(question(10 * DAY, Math.floor(START / HOUR) * HOUR - DAY));
    await eventually(() => stage.service.calls('timeline').length >= 3, 'three questions');
    // Asked after them and answered: a fourth on its way would have arrived as well.
    await stage.client('aksk').distribution(question(HOUR, START - DAY));
    expect(stage.service.calls('timeline')).toHaveLength(3);
    held.release();
    await asking;
    expect(stage.service.calls('timeline')).toHaveLength(10);
  });

  it('asks for nothing more after one part has failed', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.1003' }, { on: 'timeline', times: 1 });
    const client = stage.client('token', { maxRangeDays: 1, concurrency: 1 });
    expect((await failing(client.timeline(question(5 * DAY, START - DAY)))).code).toBe('not_found');
    expect(stage.service.calls('timeline')).toHaveLength(1);
  });

  it('more hosts than a URL carries are asked for in parts and summed', async () => {
    const hosts = Array.from({ length: 1500 }, (_, i) => i.toString(16).padStart(32, '0'));
    const base = { name: 'x', visitsPerMinute: 5, peakHour: 12, swing: 0.5, weekend: 1, attacks: { sqli: 0.1 } };
    stage = await openStage({ hosts: [0, 700, 1499].map((i) => ({ ...base, id: hosts[i] ?? '' })) });
    const client = stage.client('aksk');
    const answer = await client.timeline(question(HOUR, START - DAY, hosts));
    expect(stage.service.calls('timeline').map((call) => call.status)).toEqual([200, 200]);
    const all = await client.timeline(question(HOUR, START - DAY));
    expect(answer.points).toEqual(all.points);
  });
});

it('a range the service refuses is told as such', async () => {
  stage = await openStage({ maxRangeDays: 7 });
  const error = await failing(stage.client('token').timeline(question(8 * DAY)));
  expect([error.code, error.hint]).toEqual(['limit', expect.stringContaining('30 days')]);
});

it('data the service no longer has is absent, not zero', async () => {
  stage = await openStage({ retentionDays: 30 });
  const answer = await stage.client('token').timeline(question(20 * DAY, START - 20 * DAY));
  expect(answer.points.at(0)?.endMs).toBeGreaterThan(START - 30 * DAY);
  expect(answer.intervalMs).toBe(HOUR);
});

it('numbers as strings are the same numbers, in both dialects', async () => {
  for (const speaks of ['events', 'overviews'] as const) {
    const answers = [];
    for (const numbers of ['numbers', 'strings'] as const) {
      stage = await openStage({ habits: { speaks: [speaks], numbers } });
      const client = stage.client('token', { dialect: speaks });
      const query = question(HOUR, START - DAY);
      const [timeline, distribution] = [await client.timeline(query), await client.distribution(query)];
      answers.push([timeline.points, distribution.counts, (await client.sources(query)).addresses]);
      if (speaks !== 'overviews' || numbers !== 'strings') await stage.close();
    }
    expect(answers[1]).toEqual(answers[0]);
  }
});

it('a category that is null is unknown, not zero', async () => {
  stage = await openStage({ habits: { unknownCategories: ['xss'] } });
  const distribution = await stage.client('token').distribution(question(HOUR, START - DAY));
  expect(distribution.unknownCategories).toEqual(['xss']);
  expect(distribution.counts.map(({ category }) => category)).not.toContain('xss');
  expect(countOf(distribution, 'xss')).toBeNull();
  expect(countOf(distribution, 'sqli')).toBeGreaterThan(0);
});

it('rates too coarse for attacks come with the totals of the window', async () => {
  const rates = { speaks: ['overviews'], without: ['request timeline'], qps: 'rates' } as const;
  stage = await openStage({ habits: rates });
  const query = question(HOUR, START - DAY);
  const timeline = await stage.client('token', { dialect: 'overviews' }).timeline(query);
  const { attacks, requests } = summarise(timeline);
  await stage.close();
  stage = await openStage();
  expect({ attacks, requests }).toMatchObject({
    attacks: summarise(await stage.client('token').timeline(query)).attacks,
    requests: summarise(await stage.client('token').timeline(query)).requests,
  });
});

describe.each(['gaps', 'zeros'] as const)('data that is gone, shown as %s', (beyondRetention) => {
  const DAYS_KEPT = 30;
  const open = async () => {
    stage = await openStage({ retentionDays: DAYS_KEPT, habits: { beyondRetention } });
    return stage.client('token');
  };
  const keptFromMs = START - DAYS_KEPT * DAY;

  it('is a gap of the timeline, with no numbers', async () => {
    const timeline = await (await open()).timeline(question(20 * DAY, START - 20 * DAY));
    expect(timeline.gaps).toMatchObject([
      { fromMs: Math.floor(START / MINUTE) * MINUTE - 40 * DAY, reason: 'retention' },
    ]);
    expect(Math.abs((timeline.gaps?.[0]?.toMs ?? 0) - keptFromMs)).toBeLessThanOrEqual(HOUR);
    expect(timeline.points.every(({ endMs }) => endMs > keptFromMs - HOUR)).toBe(true);
  });

  it('is a gap of the distribution, for one host too', async () => {
    const client = await open();
    const host = stage.service.hosts[0]?.id ?? '';
    for (const hosts of [[], [host]]) {
      const distribution = await client.distribution(question(20 * DAY, START - 20 * DAY, hosts));
      expect(distribution.gaps).toMatchObject([
        { fromMs: Math.floor(START / MINUTE) * MINUTE - 40 * DAY, reason: 'retention' },
      ]);
    }
  });

  it('is found out with one call, and not asked about again that day', async () => {
    const client = await open();
    for (const weeks of [4, 5, 6]) await client.distribution(question(7 * DAY, START - weeks * 7 * DAY));
    expect(stage.service.calls('timeline').length).toBeLessThanOrEqual(2);
  });

  it('is no gap where the data is still there', async () => {
    const client = await open();
    expect((await client.distribution(question(7 * DAY, START - 7 * DAY))).gaps).toBeUndefined();
    expect((await client.timeline(question(7 * DAY, START - 7 * DAY))).gaps).toBeUndefined();
  });
});
