/** One contract for both dialects and all the habits that regions have: the same traffic, the same numbers. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceHabits } from '../../../playground/service/overviews.ts';
import { distribution, timeline } from '../../../playground/service/statistics.ts';
import type { Timeline } from '../../../src/statistics/timeline.ts';
import { casesOf } from '../../support/counts.ts';
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

type Told = 'all' | 'largest' | 'groups';

interface Region {
  readonly name: string;
  readonly habits: Partial<ServiceHabits>;
  /** What it tells of categories. */
  readonly tells?: Told;
}

const OVERVIEWS = { speaks: ['overviews'] } as const;
const QPS = { ...OVERVIEWS, without: ['request timeline'], attackKey: 'TOTAL_ATTACK' } as const;

const REGIONS: readonly Region[] = [
  { name: 'events', habits: {} },
  { name: 'overviews, points labeled at their start', habits: OVERVIEWS },
  { name: 'overviews, points labeled at their end', habits: { ...OVERVIEWS, label: 'end' } },
  { name: 'qps as counts, labeled at their start', habits: QPS },
  { name: 'qps as counts, labeled at their end', habits: { ...QPS, label: 'end' } },
  {
    name: 'without the distribution',
    habits: { ...OVERVIEWS, without: ['distribution'], noSuchQuery: 'WAF.00014009' },
    tells: 'largest',
  },
  {
    name: 'totals and qps alone',
    habits: {
      ...QPS,
      without: ['request timeline', 'classification', 'distribution'],
      label: 'end',
      noSuchQuery: 'WAF.00014009',
    },
    tells: 'groups',
  },
  { name: 'a distribution by names of windows', habits: { ...OVERVIEWS, categories: 'recent' }, tells: 'largest' },
  { name: 'gaps answered by a bare 404', habits: { ...QPS, noSuchQuery: 'bare' } },
];

const MIDNIGHT = Math.floor(START / DAY) * DAY;

const sumOf = (points: Timeline['points'], series: 'requests' | 'attacks') =>
  points.reduce((sum, point) => sum + (point[series] ?? Number.NaN), 0);

const FEW = ['events', 'overviews, points labeled at their end', 'totals and qps alone', 'without the distribution'];

describe.each(casesOf(REGIONS, ({ name }) => FEW.includes(name)))('$name', ({ habits, tells = 'all' }) => {
  const asked = habits.speaks?.includes('overviews') ? 'overviews' : 'events';

  it('timelines have the numbers of the traffic, interval by interval', async () => {
    stage = await openStage({ habits, seed: 5 });
    const client = stage.client('token', { dialect: 'auto' });
    const shop = [stage.service.hosts[0]?.id ?? ''];
    for (const asked of [
      question(HOUR, START - DAY),
      question(DAY, START),
      question(3 * DAY, MIDNIGHT),
      question(7 * DAY, MIDNIGHT),
      question(30 * DAY, MIDNIGHT),
      question(6 * HOUR, START - HOUR, shop),
    ]) {
      const answer = await client.timeline(asked);
      const window = { fromMs: answer.fromMs, toMs: answer.toMs, hosts: asked.hosts };
      const truth = timeline({ seed: 5, hosts: stage.service.hosts }, window, 0, START);
      expect(answer.points.map(({ endMs, requests }) => [endMs, requests])).toEqual(
        truth.requests.map(({ time, num }) => [time, num]),
      );
      expect(answer.points.map(({ attacks }) => attacks)).toEqual(truth.attacks.map(({ num }) => num));
      expect(answer.limits).toBeUndefined();
    }
  });

  it('the categories are those of the traffic, and what is not told is said', async () => {
    stage = await openStage({ habits, seed: 5 });
    const answer = await stage.client('aksk', { dialect: asked }).distribution(question(DAY, START - 2 * DAY));
    const window = { fromMs: START - 3 * DAY - 30_000, toMs: START - 2 * DAY - 30_000, hosts: [] };
    const truth = distribution({ seed: 5, hosts: stage.service.hosts }, window, START);
    const total = Object.values(truth).reduce((sum, count) => sum + count, 0);
    expect(answer.counts.reduce((sum, { count }) => sum + count, 0)).toBe(total);
    const named = answer.counts.filter(({ category }) => category !== 'rest' && category !== 'web_attack');
    const told = Object.fromEntries(named.map(({ category, count }) => [category, count]));
    if (tells === 'all') expect(told).toEqual(truth);
    else expect(truth).toMatchObject(told);
    expect(answer.limits ?? []).toEqual(tells === 'all' ? [] : [tells]);
    if (tells === 'largest') expect(named).toHaveLength(10);
    if (tells === 'groups') expect(Object.keys(told).sort()).toEqual(['cc', 'custom', 'robot']);
  });

  it('an ID that is none is told as such', async () => {
    stage = await openStage({ habits, hosts: [] });
    const error = await failing(stage.client('token', { dialect: asked }).timeline(question(HOUR, START, ['no such'])));
    expect(error.code).toBe('not_found');
  });
});

describe('a service that answers for fixed windows only', () => {
  const habits = { ...OVERVIEWS, windows: 'fixed' } as const;

  it('any window is cut out of its days, or of the shortest window that holds it, at the steps of that', async () => {
    stage = await openStage({ habits });
    const client = stage.client('token', { dialect: 'auto' });
    const traffic = { seed: 1, hosts: stage.service.hosts };
    for (const [lengthMs, toMs, stepMs] of [
      [3 * HOUR, START, MINUTE],
      [3 * HOUR, MIDNIGHT - 2 * HOUR, MINUTE],
      [3 * HOUR, MIDNIGHT + 2 * HOUR, MINUTE],
      [30 * HOUR, MIDNIGHT + 2 * HOUR, 5 * MINUTE],
      [2 * DAY, MIDNIGHT - 3 * DAY, 10 * MINUTE],
      [7 * DAY, MIDNIGHT - 10 * DAY, HOUR],
    ] as const) {
      const answer = await client.timeline(question(lengthMs, toMs));
      const truth = timeline(traffic, { fromMs: answer.fromMs, toMs: answer.toMs, hosts: [] }, 0, START);
      expect(answer.intervalMs).toBe(stepMs);
      expect(sumOf(answer.points, 'requests')).toBe(truth.requests.reduce((sum, { num }) => sum + num, 0));
      expect(answer.limits).toBeUndefined();
    }
  });

  it('says so where the steps do not fit the window', async () => {
    stage = await openStage({ habits });
    const client = stage.client('token', { dialect: 'auto' });
    const answer = await client.timeline(question(3 * HOUR + 10 * MINUTE, MIDNIGHT - 20 * DAY));
    expect(answer).toMatchObject({ intervalMs: HOUR, limits: ['steps'] });
    expect(answer.points).toHaveLength(3);
    const error = await failing(client.timeline(question(20 * MINUTE, MIDNIGHT - 20 * DAY + 40 * MINUTE)));
    expect([error.code, error.hint]).toEqual(['limit', expect.stringContaining('longer window')]);
  });

  it('windows within the same one are one call', async () => {
    stage = await openStage({ habits });
    const client = stage.client('token', { dialect: 'auto' });
    await client.timeline(question(HOUR, START - HOUR));
    const before = stage.service.calls('request timeline').length;
    const weeks = [1, 2, 3].map((back) => client.timeline(question(7 * DAY, MIDNIGHT - back * 7 * DAY)));
    await Promise.all(weeks);
    expect(stage.service.calls('request timeline').length).toBe(before + 1);
  });

  it('categories are told for those windows, and for others it is said', async () => {
    stage = await openStage({ habits });
    const client = stage.client('token', { dialect: 'auto' });
    const yesterday = await client.distribution(question(DAY, MIDNIGHT));
    expect(yesterday.limits).toBeUndefined();
    const window = { fromMs: MIDNIGHT - DAY, toMs: MIDNIGHT, hosts: [] };
    const truth = distribution({ seed: 1, hosts: stage.service.hosts }, window, START);
    expect(Object.fromEntries(yesterday.counts.map(({ category, count }) => [category, count]))).toEqual(truth);
    const error = await failing(client.distribution(question(2 * HOUR, START - HOUR)));
    expect([error.code, error.message]).toEqual(['limit', expect.stringContaining('today, yesterday')]);
  });
});

describe('qps as rates', () => {
  const habits = { ...QPS, qps: 'rates' } as const;

  it('has the totals of the window, spread as the rates are', async () => {
    stage = await openStage({ habits });
    const answer = await stage.client('token', { dialect: 'auto' }).timeline(question(DAY, MIDNIGHT));
    const window = { fromMs: MIDNIGHT - DAY, toMs: MIDNIGHT, hosts: [] };
    const truth = timeline({ seed: 1, hosts: stage.service.hosts }, window, 0, START);
    expect(sumOf(answer.points, 'requests')).toBe(truth.requests.reduce((sum, { num }) => sum + num, 0));
    const off = answer.points.map(({ requests }, at) => Math.abs((requests ?? 0) - (truth.requests[at]?.num ?? 0)));
    // Half a request per second, and what scaling adds.
    expect(Math.max(...off)).toBeLessThan(45);
    expect(answer.limits).toEqual(['rates']);
  });

  it('few attacks, which all round to none, are not known rather than zero', async () => {
    stage = await openStage({ habits });
    const answer = await stage.client('token', { dialect: 'auto' }).timeline(question(HOUR, MIDNIGHT));
    expect(answer.points.every(({ attacks }) => attacks === null)).toBe(true);
  });
});

describe('several hosts', () => {
  it.each(['all', 'first'] as const)('are all counted where a service takes %s of them', async (hosts) => {
    stage = await openStage({ habits: { ...OVERVIEWS, hosts, without: ['distribution'] } });
    const client = stage.client('token', { dialect: 'auto' });
    const [shop = '', api = '', blog = ''] = stage.service.hosts.map(({ id }) => id);
    for (const asked of [
      [shop, api],
      [api, blog, shop],
    ]) {
      const window = { fromMs: MIDNIGHT - DAY, toMs: MIDNIGHT, hosts: asked };
      const truth = timeline({ seed: 1, hosts: stage.service.hosts }, window, 0, START);
      const answer = await client.timeline(question(DAY, MIDNIGHT, asked));
      expect(answer.points.map(({ requests }) => requests)).toEqual(truth.requests.map(({ num }) => num));
      const { counts } = await client.distribution(question(DAY, MIDNIGHT, asked));
      const attacks = truth.attacks.reduce((sum, { num }) => sum + num, 0);
      expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(attacks);
    }
    const calls = stage.service.calls('request timeline').map(({ search }) => search.getAll('hosts').length);
    expect(Math.max(...calls)).toBe(hosts === 'all' ? 3 : 1);
    const says = (await client.probe()).map((finding) => finding.says).join(' ');
    expect(says.includes('several hosts are queried one by one')).toBe(hosts === 'first');
  });
});

describe('what was found out', () => {
  const says = async (way: Way = 'token') => {
    const findings = await stage.client(way, { dialect: 'auto' }).probe();
    return findings.map((finding) => finding.says).join(' ');
  };

  it('is told by the doctor', async () => {
    stage = await openStage({ habits: { ...QPS, label: 'end' } });
    expect(await says()).toContain('overviews dialect, detected by a probe');
    expect(await says()).toContain('from the qps query. Points are labeled with their end, and the timeline agrees');
  });

  it('names gaps and rates', async () => {
    stage = await openStage({ habits: { ...QPS, qps: 'rates', without: ['request timeline', 'distribution'] } });
    await stage.client('token', { dialect: 'auto' }).distribution(question(HOUR));
    expect(await says()).toMatch(/rates per second.*only gives the ten largest categories/);
  });

  it('is kept: the next start compares nothing again', async () => {
    stage = await openStage({ habits: QPS });
    await stage.client('token', { dialect: 'auto' }).timeline(question(HOUR, START - DAY));
    const before = stage.service.requests.length;
    await stage.client('token', { dialect: 'auto' }).timeline(question(HOUR, START - 2 * DAY));
    const after = stage.service.requests.slice(before).map(({ call }) => call);
    expect(after).toEqual(['qps timeline']);
  });

  it('does not settle on a silent service: it is looked at again when there is traffic', async () => {
    stage = await openStage({ habits: { ...QPS, label: 'end' }, hosts: [] });
    const client = stage.client('token', { dialect: 'overviews' });
    expect((await client.timeline(question(HOUR, START - DAY))).points.every(({ requests }) => requests === 0)).toBe(
      true,
    );
    expect((await client.probe()).find(({ what }) => what === 'timeline')?.says).toContain('no traffic yet to compare');
  });
});

it('the headers and the enterprise project that the dialect needs are sent, and signed', async () => {
  stage = await openStage({ habits: OVERVIEWS });
  await stage
    .client('aksk', { dialect: 'overviews', enterpriseProject: 'all_granted_eps' })
    .timeline(question(HOUR, START - DAY));
  const call = stage.service.calls('request timeline')[0];
  expect(call?.headers).toMatchObject({ 'content-type': 'application/json;charset=utf8', 'x-language': 'en-us' });
  expect(call?.headers.authorization).toContain('content-type;');
  expect(call?.search.get('enterprise_project_id')).toBe('all_granted_eps');
  expect(call?.search.has('timezone')).toBe(false);
});

it('answers of one dialect never stand in for those of the other', async () => {
  stage = await openStage({ habits: { speaks: ['events', 'overviews'] } });
  await stage.client('token', { dialect: 'events' }).timeline(question(HOUR, START - DAY));
  await stage.client('token', { dialect: 'overviews' }).timeline(question(HOUR, START - DAY));
  expect(stage.service.calls('timeline')).toHaveLength(1);
  expect(stage.service.calls('request timeline').length).toBeGreaterThan(0);
});

it('a month in single minutes, too long for one answer, is asked for in halves', async () => {
  stage = await openStage({ habits: OVERVIEWS });
  const client = stage.client('token', { dialect: 'overviews', maxBodyBytes: 150_000 });
  const answer = await client.timeline(question(DAY, MIDNIGHT));
  const window = { fromMs: MIDNIGHT - DAY, toMs: MIDNIGHT, hosts: [] };
  const truth = timeline({ seed: 1, hosts: stage.service.hosts }, window, 0, START);
  expect(answer.points.map(({ requests }) => requests)).toEqual(truth.requests.map(({ num }) => num));
});
