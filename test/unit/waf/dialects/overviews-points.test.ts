import { describe, expect, it } from 'vitest';
import { BotError } from '../../../../src/errors.ts';
import {
  countsFromRates,
  habitsFrom,
  labelByShape,
  toSeries,
} from '../../../../src/waf/dialects/overviews-timeline.ts';
import {
  cutToWindow,
  fixedWindows,
  holdingWindow,
  sameFixedWindow,
} from '../../../../src/waf/dialects/overviews-windows.ts';
import {
  readLargestCategories,
  readOverviewTimeline,
  readTotals,
} from '../../../../src/waf/dialects/overviews-wire.ts';
import { fc } from '../../../support/property.ts';

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 2, 10, 12);
const at = (minutes: readonly number[]) => minutes.map((minute) => FROM + minute * MINUTE);
const window = (minutes: number) => ({ fromMs: FROM, toMs: FROM + minutes * MINUTE });
const raw = (minutes: readonly number[], numbers: readonly number[]) => ({
  requests: { times: at(minutes), numbers },
  attacks: null,
});
const totals = (requests: number, attacks = 0) => ({
  requests,
  attacks,
  groups: { WEB_ATTACK: null, CRAWLER: null, PRECISE: null, CC: null },
});

describe('the habits of a service', () => {
  it.each<[string, number[], number[], number, 'start' | 'end' | null, 'counts' | 'rates' | 'neither' | null]>([
    ['points at the start', [0, 1, 2], [100, 200, 300], 600, 'start', 'counts'],
    ['points at the end', [1, 2, 3], [100, 200, 300], 600, 'end', 'counts'],
    ['points at both edges that add up without the last', [0, 1, 2, 3], [100, 200, 300, 400], 600, 'start', 'counts'],
    ['points at both edges that add up without the first', [0, 1, 2, 3], [400, 100, 200, 300], 600, 'end', 'counts'],
    ['points at both edges that add up either way', [0, 1, 2, 3], [100, 200, 300, 100], 600, null, 'counts'],
    ['rates at the start', [0, 1, 2], [50, 60, 70], 10_830, 'start', 'rates'],
    ['rates at the end', [1, 2, 3], [50, 60, 70], 10_830, 'end', 'rates'],
    ['neither counts nor rates', [0, 1, 2], [50, 60, 70], 1_000_000, 'start', 'neither'],
    ['no traffic, but points', [1, 2, 3], [0, 0, 0], 0, 'end', null],
    ['nothing at all', [], [], 0, null, null],
    ['a total that nothing accounts for', [], [], 500_000, null, 'neither'],
  ])('%s', (_, minutes, numbers, total, label, unit) => {
    expect(habitsFrom(raw(minutes, numbers), totals(total), window(3))).toEqual({ label, unit });
  });

  it('a hole at an edge is no label', () => {
    expect(labelByShape(at([1, 2]), window(4), MINUTE)).toBe(null);
  });
});

describe('points as intervals', () => {
  it.each<['start' | 'end' | null, number[], number[]]>([
    ['start', [0, 1, 2], [1, 2, 3]],
    ['end', [1, 2, 3], [1, 2, 3]],
    ['end', [0, 1, 2, 3], [1, 2, 3]],
    ['start', [0, 1, 2, 3], [1, 2, 3]],
    [null, [1, 2, 3], [1, 2, 3]],
    [null, [0, 1, 2], [1, 2, 3]],
  ])('labeled with their %s at %j end at %j', (label, minutes, ends) => {
    const { ends: found, intervalMs } = toSeries(raw(minutes, minutes), label, window(3));
    expect([found, intervalMs]).toEqual([at(ends), MINUTE]);
  });
});

describe('counts from rates', () => {
  const series = (requests: (number | null)[], attacks: (number | null)[]) => ({
    intervalMs: MINUTE,
    ends: at(requests.map((_, n) => n + 1)),
    requests,
    attacks,
  });

  it('add up to the total exactly, in proportion', () => {
    const { requests, limits } = countsFromRates(series([10, 20, 31], [0, 0, 0]), totals(3_701));
    expect([requests, limits]).toEqual([[607, 1213, 1881], ['rates']]);
  });

  it('of nothing are nothing; of what rounds away, or is far off, not known; holes stay', () => {
    expect(countsFromRates(series([0, 0], [0, 0]), totals(0, 0))).toMatchObject({ requests: [0, 0], attacks: [0, 0] });
    expect(countsFromRates(series([10, null], [0, 1]), totals(590, 9))).toMatchObject({
      requests: [590, null],
      attacks: [null, null],
    });
  });
});

describe('fixed windows', () => {
  const NOW = FROM + 30 * MINUTE + 12_345;
  const DAY = 1440 * MINUTE;
  const MIDNIGHT = FROM - 12 * 60 * MINUTE;

  it('are five, but for today at midnight', () => {
    expect(fixedWindows(NOW).map(({ recent }) => recent)).toEqual(['yesterday', 'today', '3days', '1week', '1month']);
    expect(fixedWindows(MIDNIGHT).map(({ recent }) => recent)).not.toContain('today');
  });

  it.each<[string, number, number, string | undefined, string | undefined]>([
    ['yesterday', MIDNIGHT - DAY, MIDNIGHT, 'yesterday', 'yesterday'],
    ['yesterday but for a minute', MIDNIGHT - DAY, MIDNIGHT - MINUTE, undefined, 'yesterday'],
    ['today until a few minutes ago', MIDNIGHT, NOW - 4 * MINUTE, 'today', 'today'],
    ['today until an hour ago', MIDNIGHT, NOW - 60 * MINUTE, undefined, 'today'],
    ['the last hour', NOW - 60 * MINUTE, NOW, undefined, 'today'],
    ['the last day', NOW - DAY, NOW, undefined, '3days'],
    ['the seven days', MIDNIGHT - 6 * DAY, NOW, '1week', '1week'],
    ['a day three weeks ago', MIDNIGHT - 21 * DAY, MIDNIGHT - 20 * DAY, undefined, '1month'],
    ['a day six weeks ago', MIDNIGHT - 42 * DAY, MIDNIGHT - 41 * DAY, undefined, undefined],
  ])('%s', (_, fromMs, toMs, same, holding) => {
    expect(sameFixedWindow({ fromMs, toMs }, NOW)?.recent).toBe(same);
    expect(holdingWindow({ fromMs, toMs }, NOW)?.recent).toBe(holding);
  });

  it('cut at their steps lose what an edge goes through, and say so', () => {
    const ten = { intervalMs: 10 * MINUTE, ends: at([10, 20, 30]), requests: [1, 2, 4], attacks: [0, 0, 0] };
    const part = (fromMinute: number, toMinute: number) =>
      cutToWindow(ten, { fromMs: FROM + fromMinute * MINUTE, toMs: FROM + toMinute * MINUTE });
    expect(part(10, 30)).toMatchObject({ requests: [2, 4], limits: [] });
    expect(part(5, 30)).toMatchObject({ requests: [2, 4], limits: ['steps'] });
    expect(part(10, 25)).toMatchObject({ requests: [2], limits: ['steps'] });
  });
});

describe('bodies', () => {
  const refused = expect.objectContaining({ code: 'upstream_bad_response' });
  const failureOf = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  it.each<[string, (body: unknown) => unknown, unknown]>([
    ['an object for a list', readOverviewTimeline, { key: 'ACCESS' }],
    ['a thousand series', readOverviewTimeline, Array.from({ length: 1000 }, () => ({ key: 'ACCESS', timeline: [] }))],
    ['neither series', readOverviewTimeline, [{ key: 'CC', timeline: [] }]],
    ['a series that is no list', readOverviewTimeline, [{ key: 'ACCESS', timeline: 7 }]],
    ['half a request', readOverviewTimeline, [{ key: 'ACCESS', timeline: [{ time: FROM, num: 0.5 }] }]],
    [
      'too many points',
      readOverviewTimeline,
      [{ key: 'ACCESS', timeline: new Array(60_000).fill({ time: 1, num: 1 }) }],
    ],
    [
      'two numbers for a time',
      readOverviewTimeline,
      [{ key: 'ACCESS', timeline: [1, 2].map((num) => ({ time: FROM, num })) }],
    ],
    ['totals as an object', readTotals, { ACCESS: 5 }],
    ['a total that is no number', readTotals, [{ key: 'ACCESS', num: 'five' }]],
    ['categories as a list', readLargestCategories, []],
    ['a category without a name', readLargestCategories, { attack_type: { items: [{ num: 5 }] } }],
    ['a negative category', readLargestCategories, { attack_type: { items: [{ key: 'sqli', num: -5 }] } }],
    ['a name without end', readLargestCategories, { attack_type: { items: [{ key: 'x'.repeat(5000), num: 5 }] } }],
  ])('%s is refused', (_, read, body) => {
    expect(failureOf(() => read(body))).toEqual(refused);
  });

  it('whatever is sent is read or refused, never a fault of the program', () => {
    const names = ['key', 'num', 'time', 'timeline', 'attack_type', 'items', 'toString', 'valueOf', '__proto__'];
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('ACCESS', 'ATTACK', 'CC', 'sqli', null, -1, 0.5, 7, FROM, true),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(values, (value) => {
        const body: unknown = JSON.parse(JSON.stringify(value));
        for (const read of [readOverviewTimeline, readTotals, readLargestCategories]) {
          const found = failureOf(() => read(body));
          if (found instanceof Error) expect(found).toBeInstanceOf(BotError);
        }
      }),
    );
  });

  it('what is not there is not known; more keys and fields make no difference', () => {
    expect(readTotals([null, 7, { key: 'ACCESS', num: 5, more: [] }, { key: 'X', num: 'x' }])).toMatchObject({
      requests: 5,
      attacks: null,
    });
    expect(readOverviewTimeline([])).toEqual({ requests: null, attacks: null });
    expect(readLargestCategories({ geo: null })).toEqual([]);
  });
});
