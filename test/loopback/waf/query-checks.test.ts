/** The doctor's line for every query: what came back, what is missing and what that costs, on every kind of service. */
import { afterEach, describe, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import type { Answer } from '../../../playground/service/refusals.ts';
import { distribution, timeline } from '../../../playground/service/statistics.ts';
import { formatCount } from '../../../src/statistics/format.ts';
import { casesOf } from '../../support/counts.ts';
import { DAY, HOUR, MINUTE, openStage, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const DETAILS = ['blocked share', 'server responses', 'single events'];
const QUERIES = ['timeline', 'history', 'categories', 'sources', ...DETAILS, 'host names'];
const TO = Math.floor((START - 3 * MINUTE) / MINUTE) * MINUTE;
const HOUR_BEFORE = { fromMs: TO - HOUR, toMs: TO, hosts: [] };
const WHEN = 'from 11:31 to 12:31 UTC';

type KindName = keyof typeof SERVICE_KINDS;
/** The local service takes a minute for weeks of 2,000 hosts; for the doctor they are one long list of hosts. */
const KINDS = (Object.keys(SERVICE_KINDS) as KindName[]).filter((kind) => kind !== '2,000 hosts');
const FEW: readonly KindName[] = ['events', 'fixed windows', 'missing points and unknown categories'];

const open = async (kind: KindName) => {
  stage = await openStage(SERVICE_KINDS[kind]);
  return stage.client('token', { dialect: 'auto' });
};

const linesOf = async (client = stage.client('token', { dialect: 'auto' })): Promise<Record<string, string>> => {
  const findings = await client.probe();
  return Object.fromEntries(
    findings.map(({ what, ok, says, fix }) => [
      what,
      `${ok ? '✓' : '✗'} ${says}${fix === undefined ? '' : ` Fix: ${fix}`}`,
    ]),
  );
};

const requestsOf = ({ requests }: { requests: readonly { num: number }[] }) =>
  requests.reduce((sum, { num }) => sum + num, 0);
const countsOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
const model = () => ({ seed: 1, hosts: stage.service.hosts });

describe('a line for every query', () => {
  it.each(casesOf(KINDS, (kind) => FEW.includes(kind)))('with its true numbers: %s', async (kind) => {
    const lines = await linesOf(await open(kind));
    expect(Object.keys(lines).filter((what) => QUERIES.includes(what))).toEqual(QUERIES);
    expect(Object.values(lines).filter((line) => line.startsWith('✗'))).toEqual([]);
    // These report less than the traffic has.
    if (kind === 'missing points and unknown categories' || kind === 'logged ten minutes late') return;
    const requests = requestsOf(timeline(model(), HOUR_BEFORE, 0, START));
    const attacks = countsOf(distribution(model(), HOUR_BEFORE, START));
    expect(lines.timeline).toContain(`${formatCount(requests)} requests and ${formatCount(attacks)} attacks ${WHEN}`);
    if (kind !== 'fixed windows')
      expect(lines.categories).toMatch(new RegExp(`^✓ ${formatCount(attacks)} attacks in \\d+`));
  });

  it.each<[KindName, string, RegExp]>([
    ['events', 'history', /^✓ Numbers for the last 35 days\.$/],
    ['events', 'blocked share', /^✓ This service doesn't report what was blocked\./],
    ['events', 'single events', /^✓ This service doesn't list single events\./],
    ['overviews', 'blocked share', /^✓ 440 of 773 attacks blocked \(57 %\) from/],
    ['overviews', 'server responses', /^✓ [\d,]+ responses with 4 codes from/],
    ['overviews', 'single events', /^✓ The latest 10 of 773 attacks from/],
    ['events', 'sources', /`who` can't show paths, hosts, countries\.$/],
    ['overviews, points labeled by their end', 'timeline', /Points are labeled with their end/],
    ['qps as rates', 'timeline', /When the attacks came isn't known\. .*rates per second/],
    ['fixed windows', 'timeline', /It only answers for today, yesterday and the last 3, 7 and 30 days\./],
    ['fixed windows', 'history', /^✓ Numbers for the last 28 days\.$/],
    [
      'fixed windows',
      'categories',
      /attacks in 13 categories yesterday \(UTC\)\. .*a watch for one category sees nothing/,
    ],
    ['fixed windows', 'sources', /yesterday \(UTC\)\.$/],
    ['categories by recent only', 'categories', /in 10 categories .*It only gives the ten largest categories/],
    [
      'ten largest categories',
      'categories',
      /It only gives the ten largest categories: any other is unknown, not zero/,
    ],
    ['four groups', 'categories', /in 4 groups .*It groups the categories into four/],
    [
      'events kept for 30 days',
      'history',
      /^✓ The service keeps 30 days: nothing before 2026-02-09 can be compared\.$/,
    ],
    ['overviews kept for 30 days, zeros before', 'history', /^✓ The service keeps 30 days: nothing before 2026-02-09/],
    [
      'missing points and unknown categories',
      'timeline',
      /7 of 60 intervals are missing: they are unknown, not zero\./,
    ],
    ['missing points and unknown categories', 'categories', /Not known: XSS\. That isn't zero\.$/],
  ])('%s: what is particular about its %s', async (kind, what, words) => {
    expect((await linesOf(await open(kind)))[what]).toMatch(words);
  });

  it('yesterday stands in with its true numbers where only whole days have categories', async () => {
    const lines = await linesOf(await open('fixed windows'));
    const midnight = Math.floor(START / DAY) * DAY;
    const truth = countsOf(distribution(model(), { fromMs: midnight - DAY, toMs: midnight, hosts: [] }, START));
    expect(lines.categories).toContain(`${formatCount(truth)} attacks`);
  });
});

const bare = (status: number): Answer => ({ status, body: {} });

describe('one query that fails is one line that fails', () => {
  it.each<[string, 'timeline' | 'distribution' | 'sources', string, RegExp]>([
    [
      'timeline',
      'timeline',
      'timeline',
      /`timeline`, `check`, `compare` and digests show attacks by category only, and watches have no data\./,
    ],
    ['categories', 'distribution', 'categories', /`attacks` and `compare` show totals only/],
    ['sources', 'sources', 'sources', /`who` can't show who attacks\./],
  ])('%s, forbidden or down', async (_, call, what, cost) => {
    stage = await openStage();
    const client = stage.client('token', { dialect: 'events' });
    const states = async () => Object.entries(await linesOf(client)).filter(([, line]) => line.startsWith('✗'));
    for (const [answer, words] of [
      [bare(403), /isn't allowed to read this project's statistics \(403\)\. .*Fix: .*waf:event:get/],
      [bare(503), /is overloaded or down \(503\)\. .*Fix: Try again/],
      [
        { status: 200, body: { sqli: 'many', requests: [{ time: START, num: 'many' }], items: 'x' } },
        /doesn't make sense: \w/,
      ],
    ] as const) {
      stage.service.misbehave({ kind: 'answer', answer }, { on: call });
      const failed = await states();
      expect(failed.map(([name]) => name)).toEqual([what]);
      expect(failed[0]?.[1]).toMatch(cost);
      expect(failed[0]?.[1]).toMatch(words);
      stage.service.resetFaults();
      // Nothing is taken from an earlier answer: as soon as it is fixed, the line is fine.
      expect(await states()).toEqual([]);
    }
  });

  it('on overviews too, where the other queries show their numbers', async () => {
    const client = await open('overviews');
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.00012003' }, { on: ['distribution', 'classification'] });
    const lines = await linesOf(client);
    expect(lines.categories).toMatch(/^✗ .*`attacks` and `compare` show totals only/);
    expect(lines.sources).toMatch(/^✗ /);
    expect(lines['blocked share']).toMatch(/^✓ 440 of 773/);
    expect(lines.timeline).toMatch(/^✓ 84,176 requests/);
    expect(lines['statistics service']).toMatch(/^✓ /);
  });

  it('queries that fail in different ways are told apart', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'answer', answer: bare(503) }, { on: 'timeline' });
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: ['distribution', 'sources'] });
    const lines = await linesOf(stage.client('token', { dialect: 'events' }));
    expect([lines.timeline, lines.categories, lines.sources].map((line) => line?.slice(0, 1))).toEqual(['✗', '✗', '✗']);
    expect(lines.token).toBeUndefined();
  });

  it('a service without any traffic is asked about', async () => {
    stage = await openStage({ hosts: [] });
    const lines = await linesOf();
    expect(lines.timeline).toMatch(
      /^✓ 0 requests and 0 attacks .* Fix: If the sites have traffic, check WAF_PROJECT_ID/,
    );
    expect(lines.history).toContain('No requests in the last 35 days');
  });
});

it('each query is made once, and the weeks of history once a day', async () => {
  const client = await open('events');
  await client.probe();
  const before = stage.service.requests.length;
  await client.probe();
  const calls = stage.service.requests.slice(before).map(({ call }) => call ?? 'root');
  expect(calls.toSorted()).toEqual(
    ['root', 'root', 'timeline', 'distribution', 'sources', 'cloud hosts', 'dedicated hosts'].toSorted(),
  );
});
