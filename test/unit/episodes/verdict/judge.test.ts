import { describe, expect, it } from 'vitest';
import { BARS, judge, type Verdict } from '../../../../src/episodes/verdict/index.ts';
import { count } from '../../../support/counts.ts';
import { fc } from '../../../support/property.ts';
import { type HourOptions, hourInput, judged, LAGS, MINUTE_MS, NOON_MS, uneven, withBursts } from './minutes.ts';

const usual = (minute: number): number => uneven(10, minute);
/** Usual, and `more` a minute on top in `[from, to)`. */
const wave =
  (from: number, to: number, more: number) =>
  (minute: number): number =>
    usual(minute) + (minute >= from && minute < to ? more : 0);
const verdict = (options: Partial<HourOptions> = {}) => judged(hourInput({ attacks: usual, ...options }));
const startMs = NOON_MS - 60 * MINUTE_MS;
const minuteOf = (ms: number | null): number | null => (ms === null ? null : (ms - startMs) / MINUTE_MS);

describe('level', () => {
  it('is calm when nothing differs, with the counts of the service', () => {
    const calm = verdict();
    let attacks = 0;
    for (let minute = 0; minute < 60; minute++) attacks += usual(minute);
    expect(calm).toMatchObject({ level: 'calm', completeness: [], onsetMs: null, ongoing: false });
    expect(calm.totals).toEqual({ attacks, requests: 60_000, knownMs: 60 * MINUTE_MS });
    expect(calm.expected).toBeGreaterThan(attacks * 0.9);
    expect(calm.expected).toBeLessThan(attacks * 1.1);
  });

  it.each([
    ['elevated', 12],
    ['surge', 40],
  ])('is %s with %i attacks a minute more', (level, more) => {
    expect(verdict({ attacks: wave(30, 60, more) }).level).toBe(level);
  });

  it('does not call 3 instead of 0 anything', () => {
    const silent = { past: () => () => 0 };
    expect(verdict({ ...silent, attacks: (minute) => (minute === 40 ? 3 : 0) }).level).toBe('calm');
    expect(verdict({ ...silent, attacks: (minute) => (minute >= 40 ? 3 : 0) }).level).not.toBe('calm');
  });

  it('calls ten attacks in ten minutes where next to none come, and not six', () => {
    const silent = { past: () => () => 0 };
    const inTenMinutes = (count: number) => (minute: number) => (minute >= 50 && minute < 50 + count ? 1 : 0);
    expect(verdict({ ...silent, attacks: inTenMinutes(10) }).level).toBe('elevated');
    expect(verdict({ ...silent, attacks: inTenMinutes(6) }).level).toBe('calm');
  });

  it.each([
    ['every night', (days: number) => days <= 3],
    ['every week', (days: number) => days % 7 === 0],
  ])('takes for usual what comes %s, also somewhat early or late', (_, comes) => {
    const scan = wave(20, 50, 25);
    const past = (days: number) => (comes(days) ? (minute: number) => scan(minute + (days % 2 === 0 ? 8 : -8)) : usual);
    expect(verdict({ attacks: scan, past }).level).toBe('calm');
    expect(verdict({ attacks: scan, past: (days) => (days === 7 ? scan : usual) }).level).not.toBe('calm');
  });

  it('calls nothing for a scan that comes at another minute of the hour, but more than that', () => {
    const past = (days: number) => (days <= 3 ? wave(0, 20, 40) : usual);
    expect(verdict({ attacks: wave(35, 55, 40), past }).level).toBe('calm');
    expect(verdict({ attacks: wave(35, 55, 80), past }).level).toBe('surge');
    expect(verdict({ attacks: wave(35, 55, 40) }).level).toBe('surge');
  });

  it.each([
    [
      'in the hours before',
      { attacks: (minute: number) => wave(40, 60, 25)(minute) + (minute < -60 && minute > -150 ? 80 : 0) },
    ],
    ['the day before', { attacks: wave(40, 60, 25), past: (days: number) => (days === 1 ? wave(0, 60, 80) : usual) }],
    ['the week before', { attacks: wave(40, 60, 25), past: (days: number) => (days === 7 ? wave(0, 60, 80) : usual) }],
  ])('sees a new wave although there was an old one %s', (_, options) => {
    expect(verdict(options).level).not.toBe('calm');
    expect(
      verdict({ ...options, attacks: (minute) => (minute < 0 ? options.attacks(minute) : usual(minute)) }).level,
    ).toBe('calm');
  });

  it('sees a slow wave that has been going on for hours, as going on', () => {
    const slow = verdict({ attacks: wave(-300, 60, 10) });
    expect(slow).toMatchObject({ level: 'elevated', ongoing: true, endedMs: null });
    expect(minuteOf(slow.onsetMs)).toBeLessThan(-200);
  });

  it('does not take the zeros before a site existed for usual', () => {
    const young = { days: 28, past: () => () => 0, pastRequests: () => () => 0 };
    const sinceThree = (more: number) => (minute: number) =>
      minute < -180 ? 0 : usual(minute) + (minute >= 20 ? more : 0);
    const requests = (minute: number) => (minute < -180 ? 0 : 1000);
    expect(verdict({ ...young, attacks: sinceThree(0), requests }).level).toBe('calm');
    expect(verdict({ ...young, attacks: sinceThree(90), requests }).level).toBe('surge');
    // A site with requests but rarely an attack has true zeros.
    const rare = { past: () => () => 0 };
    expect(verdict({ ...rare, attacks: (minute) => (minute >= 20 ? 3 : 0) }).level).not.toBe('calm');
  });

  it('takes more attacks from more visitors for what they are', () => {
    const many = verdict({
      attacks: (minute) => usual(minute) * (minute >= 10 ? 3 : 1),
      requests: (minute) => (minute >= 10 ? 3000 : 1000),
    });
    expect(many).toMatchObject({ level: 'calm', kind: 'more visitors' });
    expect(many.visitorFactor).toBeGreaterThan(2);
  });

  it('raises a category by itself when the sum hides it', () => {
    const before = { sqli: 3000, webshell: 0 };
    const alone = verdict({ now: { sqli: 450, webshell: 150 }, before });
    expect(alone).toMatchObject({ level: 'elevated', onsetMs: null, ongoing: null });
    expect(alone.sentence).toMatch(/^Elevated: .* is new with 150\.$/);
    expect(alone.moved[0]).toMatchObject({ name: 'webshell', isNew: true });
    expect(verdict({ now: { sqli: 597, webshell: 3 }, before }).level).toBe('calm');
  });

  it('takes a burst of many kinds, and one of a kind that the weeks before had little of, for rarer than one of a usual kind', () => {
    // Bursts of about that size come every few hours.
    const past = (days: number) => (minute: number) => {
      const hour = Math.floor(minute / 60);
      const isBurst = (7 * hour + 13 * days) % 11 === 0 && minute - 60 * hour < 10;
      return usual(minute) + (isBurst ? 20 + ((hour + 3 * days) % 9) : 0);
    };
    const mixed = { sqli: 1000, xss: 1000, robot: 1000 };
    const scoreOf = (lastTen: Record<string, number>, weeks: Record<string, number> = mixed): number =>
      verdict({
        attacks: wave(50, 60, 28),
        past,
        now: { sqli: 400, xss: 300, robot: 200 },
        before: mixed,
        lastTen,
        weeks,
      }).score ?? 0;
    const oneKind = scoreOf({ sqli: 310, xss: 35, robot: 35 });
    expect(scoreOf({ sqli: 130, xss: 125, robot: 125 })).toBeGreaterThan(oneKind + 0.3);
    expect(scoreOf({ webshell: 280, sqli: 35, xss: 35, robot: 30 })).toBeGreaterThan(oneKind + 0.3);
    expect(scoreOf({ sqli: 310, xss: 35, robot: 35 }, { ...mixed, sqli: 0 })).toBeGreaterThan(oneKind + 0.3);
  });

  it('takes a burst of a kind that never came in one for rarer than bursts of its size, unless bursts are of all kinds', () => {
    // One about that large a day.
    const past = (days: number) => (minute: number) => {
      const hour = Math.floor(minute / 60);
      const isBurst = (7 * hour + 13 * days) % 23 === 0 && minute - 60 * hour < 10;
      return usual(minute) + (isBurst ? 26 + ((hour + 3 * days) % 9) : 0);
    };
    const kinds = ['sqli', 'xss', 'robot', 'lfi', 'rfi', 'cc', 'crawler', 'webshell'];
    const mixed = Object.fromEntries(kinds.map((kind) => [kind, 10_000]));
    const lastTen = { ...Object.fromEntries(kinds.map((kind) => [kind, 12])), sqli: 290 };
    const input = {
      ...hourInput({ attacks: wave(50, 60, 28), past, now: mixed, before: mixed, lastTen, weeks: mixed }),
      bar: BARS.normal,
    };
    const uncounted = judged(input);
    expect(uncounted).toMatchObject({ level: 'calm', wanted: expect.toSatisfy((all: unknown[]) => all.length > 20) });
    const scoreOf = (kindAt: (place: number) => string): number => judged(withBursts(input, kindAt)).score ?? 0;
    const never = judged(withBursts(input, (place) => (place % 2 === 0 ? 'xss' : 'robot')));
    expect(never.level).not.toBe('calm');
    expect(never.reasons.join(' ')).toMatch(
      /Most of what is more is SQL injection\. In the weeks before, \d+ bursts were as large, none of them of that kind or one as rare\./,
    );
    const seldom = scoreOf((place) => (place < 1 ? 'sqli' : 'xss'));
    expect(seldom).toBeLessThan((never.score ?? 0) - 0.2);
    expect(scoreOf(() => 'sqli')).toBeLessThan(seldom - 0.3);
    expect(scoreOf((place) => kinds[1 + (place % 7)] ?? '')).toBe(never.score);
    // Where kinds came once, another comes for the first time.
    expect(scoreOf((place) => (place < 6 ? (kinds[1 + place] ?? '') : 'webshell'))).toBeLessThan(seldom);
    const unknown = withBursts(input, () => 'xss');
    const { categories } = unknown;
    if (categories === null) throw new Error('no categories');
    const lost = { ...unknown, categories: { ...categories, bursts: (categories.bursts ?? []).map(() => null) } };
    expect(judged(lost).score).toBe(scoreOf(() => 'sqli'));
  });

  it('expects of each category what it usually has, whatever a wave in the hours before had of it', () => {
    const day = { sqli: 100, crawler: 500 };
    const { categories } = verdict({
      now: { sqli: 900, crawler: 500 },
      before: { sqli: 6000, crawler: 3000 },
      sameHours: [day, day, day],
    });
    const likely = new Map(categories.map((category) => [category.name, category.likely ?? Number.NaN]));
    expect((likely.get('sqli') ?? 0) / (likely.get('crawler') ?? 0)).toBeCloseTo(1 / 5);
  });

  it('tells when a category came that is called alone, where its counts by part of the window are known', () => {
    const parts = [{ webshell: 1 }, { webshell: 40 }, { webshell: 99 }, { webshell: 10 }];
    const over = verdict({ now: { sqli: 450, webshell: 150 }, before: { sqli: 3000, webshell: 0 }, parts });
    expect(over).toMatchObject({ level: 'elevated', ongoing: false });
    expect([over.onsetMs, over.endedMs].map(minuteOf)).toEqual([15, 45]);
  });
});

describe('data', () => {
  it('never counts intervals that may still grow', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 4, maxLength: 4 }), (last) => {
        const tail = verdict({
          attacks: (minute) => (minute < 56 ? usual(minute) : last[minute - 56]),
          unsettledMinutes: 4,
        });
        const plain = verdict({ unsettledMinutes: 4 });
        expect({ ...tail, band: [] }).toEqual({ ...plain, band: [] });
      }),
      { numRuns: count(20, 8) },
    );
  });

  it('does not take a silence of the service for calm, nor for an end of the wave', () => {
    const silent = verdict({ attacks: (minute) => (minute >= 15 ? undefined : usual(minute)) });
    expect(silent.level).toBe('not_enough_data');
    const holes = verdict({
      attacks: (minute) => (minute % 3 === 0 && minute >= 0 ? undefined : wave(20, 60, 30)(minute)),
    });
    expect(holes.level).toBe('surge');
    expect(holes.ongoing).toBe(true);
  });

  it('trusts itself less with holes, without earlier days, and with kept answers, and says so', () => {
    const holes = verdict({ attacks: (minute) => (minute >= 10 && minute < 25 ? undefined : usual(minute)) });
    expect(holes.completeness.join()).toMatch(/25 % of the window/);
    const young = verdict({ days: 2 });
    expect(young).toMatchObject({ level: 'calm' });
    expect(young.completeness).toEqual(['There is only 1 day of earlier data to compare with.']);
    const input = hourInput({ attacks: usual });
    const stale = judged({ ...input, recent: { ...input.recent, stale: true } });
    expect(stale.completeness.join()).toMatch(/kept from before/);
  });

  it('names visitors who are gone, and attacks that stop while visitors go on', () => {
    const down = verdict({ requests: (minute) => (minute >= 10 ? 20 : 1000) });
    expect(down.drops).toMatchObject([{ what: 'requests' }]);
    expect(minuteOf(down.drops[0]?.sinceMs ?? null)).toBe(10);
    expect(down.sentence).toContain('Visitors are gone');
    const quiet = verdict({ attacks: (minute) => (minute >= 10 ? 0 : usual(minute)) });
    expect(quiet).toMatchObject({ level: 'calm', drops: [{ what: 'attacks', observed: 0 }] });
    expect(minuteOf(quiet.drops[0]?.sinceMs ?? null)).toBe(10);
    expect(verdict().drops).toEqual([]);
  });

  it('has not enough data without anything, and with nothing before', () => {
    const input = hourInput({ attacks: usual });
    const nothing = { ...input.recent, points: [] };
    expect(judged({ ...input, recent: nothing }).level).toBe('not_enough_data');
    const young = hourInput({ attacks: (minute) => (minute < 0 ? undefined : usual(minute)) });
    expect(judged({ ...young, history: [] }).level).toBe('not_enough_data');
    expect(judged(young).level).toBe('calm');
  });

  it('gives one verdict for one minute and for five-minute intervals', () => {
    const input = hourInput({ attacks: wave(30, 60, 12) });
    const five = {
      ...input.recent,
      intervalMs: 5 * MINUTE_MS,
      points: [] as { endMs: number; requests: number; attacks: number }[],
    };
    for (let at = 0; at < input.recent.points.length; at += 5) {
      const part = input.recent.points.slice(at, at + 5);
      const sum = (key: 'requests' | 'attacks') => part.reduce((total, point) => total + (point[key] ?? 0), 0);
      five.points.push({ endMs: part[4]?.endMs ?? 0, requests: sum('requests'), attacks: sum('attacks') });
    }
    const coarse = judged({ ...input, recent: five });
    expect(coarse.level).toBe('elevated');
    expect(coarse.strongest).toEqual(judged(input).strongest);
  });
});

describe('onset', () => {
  it.each([
    [30, 60, true],
    [12, 34, false],
    [-45, 60, true],
  ])('finds the wave from minute %i to %i', (from, to, ongoing) => {
    const found = verdict({ attacks: wave(from, to, 30) });
    expect(Math.abs((minuteOf(found.onsetMs) ?? 999) - from)).toBeLessThanOrEqual(1);
    expect(found.ongoing).toBe(ongoing);
    if (ongoing) expect(found.endedMs).toBeNull();
    else expect(Math.abs((minuteOf(found.endedMs) ?? 999) - to)).toBeLessThanOrEqual(1);
  });

  it('does not reach back to a wave that was over long before', () => {
    const both = verdict({ attacks: (minute) => wave(40, 60, 30)(minute) + (minute >= -120 && minute < -60 ? 30 : 0) });
    expect(Math.abs((minuteOf(both.onsetMs) ?? 999) - 40)).toBeLessThanOrEqual(1);
  });

  it('finds the day of a wave in a week of hours', () => {
    const hours = 7 * 24 + 6;
    const fromMs = NOON_MS - hours * 60 * MINUTE_MS;
    const points = Array.from({ length: hours }, (_, hour) => ({
      endMs: fromMs + (hour + 1) * 60 * MINUTE_MS,
      requests: 60_000,
      attacks: uneven(600, hour) + (hour >= 100 && hour < 104 ? 3000 : 0),
    }));
    const recent = {
      fromMs,
      toMs: NOON_MS,
      intervalMs: 60 * MINUTE_MS,
      points,
      settledUntilMs: NOON_MS,
      asOfMs: NOON_MS,
      stale: false,
    };
    const week = judged({
      fromMs: fromMs + 6 * 60 * MINUTE_MS,
      toMs: NOON_MS,
      recent,
      history: [],
      lags: LAGS,
      categories: null,
    });
    expect(week.level).toBe('surge');
    expect(week.onsetMs).toBe(fromMs + 100 * 60 * MINUTE_MS);
    expect(week.endedMs).toBe(fromMs + 104 * 60 * MINUTE_MS);
  });
});

describe('parts of the work', () => {
  const input = hourInput({ attacks: wave(30, 60, 12), past: () => (minute) => uneven(11, minute) });

  it('are many while a past is learnt, and two who ask for the same share them', () => {
    const work = [judge(input), judge(input)];
    const verdicts = new Map<number, Verdict>();
    const parts = [0, 0];
    while (verdicts.size < 2) {
      work.forEach((each, at) => {
        const part = each.next();
        if (part.done === true) verdicts.set(at, part.value);
        else parts[at] = (parts[at] ?? 0) + 1;
      });
    }
    const [first = 0, second = 0] = parts;
    expect(first).toBeGreaterThan(4);
    expect(Math.abs(first - second)).toBeLessThan(2);
    expect(verdicts.get(1)).toEqual(verdicts.get(0));
    expect(judge(input).next().value).toEqual(verdicts.get(0));
  });
});

describe('properties', () => {
  it('never gets milder when attacks are added to the window', () => {
    const order = ['calm', 'elevated', 'surge'];
    const added = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(added, added, (few, extra) => {
        const level = (steps: readonly number[]) =>
          verdict({
            attacks: (minute) => usual(minute) + (minute < 0 ? 0 : (steps[Math.floor(minute / 5)] ?? 0)),
            // Visitors stay as they are: attacks are requests too.
            requests: (minute) => 1000 + (minute < 0 ? 0 : (steps[Math.floor(minute / 5)] ?? 0)),
          }).level;
        const more = few.map((count, at) => count + (extra[at] ?? 0));
        expect(order.indexOf(level(more))).toBeGreaterThanOrEqual(order.indexOf(level(few)));
      }),
      { numRuns: count(60, 20) },
    );
  });

  it('gives the band for each interval of the window, with the usual inside', () => {
    const { band, expected: total } = verdict({ attacks: wave(30, 60, 30) });
    expect(band).toHaveLength(60);
    expect(band.every(({ low, high }) => low >= 0 && high > low)).toBe(true);
    const middle = band.reduce((sum, { low, high }) => sum + (low + high) / 2, 0);
    expect(middle / (total ?? 0)).toBeGreaterThan(0.95);
    expect(middle / (total ?? 0)).toBeLessThan(1.1);
  });
});
