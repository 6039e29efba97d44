/** No sentence of a verdict is false: every number in every sentence is computed again from the numbers that went in. */
import { describe, expect, it } from 'vitest';
import { BARS, type JudgeInput, RULE, type Verdict } from '../../../../src/episodes/verdict/index.ts';
import { GATES } from '../../../../src/episodes/verdict/scan.ts';
import { categoryName } from '../../../../src/statistics/categories.ts';
import { formatCount, formatShare } from '../../../../src/statistics/format.ts';
import type { Distribution } from '../../../../src/statistics/timeline.ts';
import { count } from '../../../support/counts.ts';
import { fc } from '../../../support/property.ts';
import { hourInput, judged, MINUTE_MS, uneven, withBursts } from './minutes.ts';

const scenario = fc.record({
  level: fc.constantFrom(0, 1, 4, 12, 60),
  waves: fc.array(
    fc.record({
      from: fc.integer({ min: -240, max: 55 }),
      minutes: fc.integer({ min: 3, max: 200 }),
      more: fc.constantFrom(0.5, 1, 2, 5, 12),
    }),
    { maxLength: 2 },
  ),
  visitors: fc.constantFrom(0.02, 0.5, 1, 1, 1, 3),
  stopsAt: fc.option(fc.integer({ min: 5, max: 50 })),
  share: fc.constantFrom(0.1, 0.5, 0.9),
  unsettledMinutes: fc.constantFrom(0, 3),
  days: fc.constantFrom(0.5, 3, 28),
  sensitivity: fc.constantFrom('check' as const, 'quiet' as const),
  stretchShare: fc.constantFrom(0.4, 0.6, 0.95),
  inWeeks: fc.constantFrom(12, 90_000),
  endsInBurst: fc.boolean(),
  /** So many hours lie between two bursts of the past; and which of them is not of the most frequent kind. */
  burstEvery: fc.constantFrom(null, 19, 27, 60, 300),
  otherKind: fc.integer({ min: 1, max: 6 }),
});

/** So many times the usual more. */
const BURST = 3;

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function inputOf({
  level,
  waves,
  visitors,
  stopsAt,
  share,
  unsettledMinutes,
  days,
  sensitivity,
  stretchShare,
  inWeeks,
  endsInBurst,
  burstEvery,
  otherKind,
}: Scenario): JudgeInput {
  const attacks = (minute: number): number => {
    if (stopsAt !== null && minute >= stopsAt) return 0;
    const more = waves.reduce(
      (sum, wave) => sum + (minute >= wave.from && minute < wave.from + wave.minutes ? wave.more : 0),
      endsInBurst && minute >= 50 ? BURST : 0,
    );
    return Math.round(uneven(level, minute) + more * Math.max(level, 1));
  };
  const requests = (minute: number): number => Math.round(attacks(minute) + 900 * (minute >= 10 ? visitors : 1));
  let inWindow = 0;
  for (let minute = 0; minute < 60; minute++) inWindow += attacks(minute);
  const main = Math.round(inWindow * share);
  const now = { sqli: main, xss: inWindow - main, robot: 0 };
  const before = { sqli: 150 * level, xss: 200 * level, robot: 10 };
  const past = (daysBack: number) => (minute: number) => {
    const hour = Math.floor(minute / 60) - 24 * daysBack;
    const isBurst = burstEvery !== null && hour % burstEvery === 0 && ((minute % 60) + 60) % 60 < 10;
    return Math.round(uneven(level, minute) + (isBurst ? BURST * Math.max(level, 1) : 0));
  };
  let lately = 0;
  for (let minute = 50; minute < 60; minute++) lately += attacks(minute);
  const part = Math.round(lately * stretchShare);
  const lastTen = { sqli: part, xss: lately - part, robot: 0 };
  const weeks = { sqli: inWeeks, xss: 90_000, robot: 900 };
  const input = hourInput({ attacks, requests, now, before, past, unsettledMinutes, days, lastTen, weeks });
  const kindAt = (place: number): string => (place % otherKind === 0 ? 'xss' : place % 5 === 0 ? 'sqli' : 'robot');
  return withBursts({ ...input, bar: BARS[sensitivity] }, kindAt);
}

/** What the service counted between two instants. */
function countBetween({ recent }: JudgeInput, fromMs: number, toMs: number) {
  const inside = recent.points.filter(({ endMs }) => endMs > fromMs && endMs <= toMs);
  return {
    attacks: inside.reduce((sum, { attacks }) => sum + (attacks ?? 0), 0),
    requests: inside.reduce((sum, { requests }) => sum + (requests ?? 0), 0),
  };
}

const number = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));

const UNIT_MINUTES: Readonly<Record<string, number>> = { d: 1440, h: 60, m: 1 };

/** `57 minutes`, `2 h 57 min`, `6 days 23 h` */
const minutesIn = (text: string | undefined): number =>
  [...(text ?? '').matchAll(/(\d+) ([dhm])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_MINUTES[unit ?? ''] ?? Number.NaN),
    0,
  );

/** Each kind of sentence with what must hold of its numbers; every sentence must be of one kind. */
const KINDS: readonly (readonly [RegExp, (groups: readonly string[], verdict: Verdict, input: JudgeInput) => void])[] =
  [
    [
      /^([\d,]+) attacks? in (\d[\w ]+), about ([\d,]+) expected, ([\d,]+) to ([\d,]+) is usual\.$/,
      ([observed, minutes, expected, low, high], verdict, input) => {
        const { fromMs, toMs } = verdict;
        expect(number(observed)).toBe(countBetween(input, fromMs, toMs).attacks);
        expect(minutesIn(minutes)).toBe((toMs - fromMs) / MINUTE_MS);
        expect(number(expected)).toBe(Math.round(verdict.expected ?? -1));
        expect(number(low)).toBeLessThanOrEqual(number(expected));
        expect(number(high)).toBeGreaterThanOrEqual(number(expected));
      },
    ],
    [
      /^([\d,]+) attacks? in (\d[\w ]+) where about ([\d,]+) (?:is|are) expected; on this site chance brings that (about|less than) once in ([\d,]+) such windows\.$/,
      ([observed, minutes, expected, how, windows], { strongest, score, bar }, input) => {
        if (strongest === null) throw new Error('nothing stands out');
        const { fromMs, toMs } = strongest;
        expect(number(observed)).toBe(countBetween(input, fromMs, toMs).attacks);
        expect(minutesIn(minutes)).toBe((toMs - fromMs) / MINUTE_MS);
        expect(number(expected)).toBe(Math.round(strongest.expected));
        expect(strongest.observed / strongest.expected).toBeGreaterThanOrEqual(GATES.longRatio);
        expect(strongest.observed - strongest.expected).toBeGreaterThanOrEqual(GATES.excess);
        // At least as rare as the bar asks for, and no rarer than the oddest stretch.
        if (how === 'about') {
          expect(Math.log10(number(windows))).toBeGreaterThan(bar - 0.03);
          expect(Math.log10(number(windows))).toBeLessThan((score ?? 0) + 0.03);
        } else expect(score).toBeGreaterThan(4);
      },
    ],
    [
      /^It is of many kinds, as bursts of single scanners are not; most is (.+)\.$/,
      ([name], { strongest, telling }, { categories }) => {
        expect(telling).toMatchObject({ fromMs: strongest?.fromMs, toMs: strongest?.toMs });
        const [most, next] = risen(categories?.stretch, strongest?.expected ?? 0, categories?.before);
        expect(name).toBe(categoryName(most?.category ?? ''));
        expect(most?.more).toBeLessThanOrEqual(0.5 * ((strongest?.observed ?? 0) - (strongest?.expected ?? 0)) + 1e-6);
        expect(next?.more).toBeGreaterThan(0);
      },
    ],
    [
      /^Most of what is more is (.+), of which the weeks before had ([\d,]+)\.$/,
      ([name, inWeeks], { strongest }, { categories }) => {
        const [most] = risen(categories?.stretch, strongest?.expected ?? 0, categories?.before);
        expect(name).toBe(categoryName(most?.category ?? ''));
        expect(most?.more).toBeGreaterThan(0.5 * ((strongest?.observed ?? 0) - (strongest?.expected ?? 0)));
        const had = categories?.weeks[0]?.counts.find(({ category }) => category === most?.category)?.count ?? 0;
        expect(number(inWeeks)).toBe(had);
      },
    ],
    [
      /^Most of what is more is (.+)\. In the weeks before, (?:(one) burst was|([\d,]+) bursts were) as large, (?:(none|[\d,]+) of them )?of (?:that kind or one as rare|many kinds)\.$/,
      ([name, one, count, asRare], { strongest }, { categories }) => {
        const [most] = risen(categories?.stretch, strongest?.expected ?? 0, categories?.before);
        expect(name).toBe(categoryName(most?.category ?? ''));
        const bursts = categories?.bursts ?? [];
        expect(one === undefined ? number(count) : 1).toBe(bursts.length);
        // Each was made of one kind alone.
        const kinds = bursts.map((burst) => burst?.counts.find((each) => each.count > 0)?.category);
        const times = (kind: string | undefined): number => kinds.filter((each) => each === kind).length;
        const rare = kinds.filter((kind) => times(kind) <= times(most?.category) + 1 || kind === most?.category);
        expect(asRare === 'none' ? 0 : number(asRare ?? '1')).toBe(rare.length);
      },
    ],
    [
      /^A surge because ([\d,]+) attacks? in (\d[\w ]+) where about ([\d,]+) (?:is|are) expected: at least 3 times as many and 60 more\.$/,
      ([observed, minutes, expected], { level }) => {
        expect(level).toBe('surge');
        expect(minutesIn(minutes)).toBeLessThanOrEqual(15);
        expect(number(observed)).toBeGreaterThanOrEqual(RULE.surgeRatio * (number(expected) - 0.5));
        expect(number(observed) - number(expected)).toBeGreaterThanOrEqual(RULE.surgeExcess - 1);
      },
    ],
    [
      /^Attacks are (\S+ %) of requests(?:, (\S+ %) in the hours before)?\.$/,
      ([share, before], { fromMs, toMs }, input) => {
        const part = ({ attacks, requests }: { attacks: number; requests: number }) => formatShare(attacks / requests);
        expect(share).toBe(part(countBetween(input, fromMs, toMs)));
        if (before !== undefined) expect(before).toBe(part(countBetween(input, input.recent.fromMs, fromMs)));
      },
    ],
    [
      /^Visitors are ([\d.]+) times what would be expected\.$/,
      ([factor], { visitorFactor, fromMs, toMs }, input) => {
        expect(Math.abs(number(factor) - visitorFactor)).toBeLessThanOrEqual(0.051);
        const { attacks, requests } = countBetween(input, fromMs, toMs);
        const seen = (requests - attacks) / ((toMs - fromMs) / MINUTE_MS) / 900;
        // All days before had 900 a minute.
        if (input.history[0]?.points.length === 4002) expect(visitorFactor / seen).toBeCloseTo(1, 0);
        expect(visitorFactor >= 1.3 || visitorFactor <= 0.7).toBe(true);
      },
    ],
    [
      /^Moved: (.+)\.$/,
      ([list], { moved }, input) => {
        for (const words of (list ?? '').split('; ')) {
          const isNamed = moved.find(({ name }) => words.startsWith(categoryName(name)));
          const { name = '', expected = 0 } = isNamed ?? {};
          const count = input.categories?.window.counts.find(({ category }) => category === name)?.count ?? 0;
          const grown = `${categoryName(name)} ${formatCount(count)} instead of about ${formatCount(expected)}`;
          expect(words).toBe(expected < 0.5 ? `${categoryName(name)} is new with ${formatCount(count)}` : grown);
          expect(count).toBeGreaterThan(expected);
        }
      },
    ],
    [
      /^Attacks have stopped while visitors go on: ([\d,]+) where about ([\d,]+) are expected\.$/,
      ([observed, expected], { drops }) => checkDrop('attacks', observed, expected, drops),
    ],
    [
      /^Visitors are gone: ([\d,]+) requests that are no attack where about ([\d,]+) are expected\.$/,
      ([observed, expected], { drops }) => checkDrop('requests', observed, expected, drops),
    ],
  ];

/** How many more of each category than its part of the expected, the largest first. */
function risen(stretch: Distribution | null | undefined, expected: number, before: Distribution | null | undefined) {
  const all = (before?.counts ?? []).reduce((sum, { count }) => sum + count, 0);
  const usual = (name: string): number => before?.counts.find(({ category }) => category === name)?.count ?? 0;
  return (stretch?.counts ?? [])
    .map(({ category, count }) => ({ category, more: count - (expected * usual(category)) / all }))
    .sort((a, b) => b.more - a.more);
}

function checkDrop(what: string, observed = '', expected = '', drops: Verdict['drops'] = []): void {
  const drop = drops.find((each) => each.what === what);
  expect(number(observed)).toBe(Math.round(drop?.observed ?? -1));
  expect(number(expected)).toBe(Math.round(drop?.expected ?? -1));
  expect(number(observed)).toBeLessThanOrEqual(0.1 * number(expected) + 1);
}

function checkSentence(sentence: string, verdict: Verdict, input: JudgeInput): void {
  const kind = KINDS.find(([pattern]) => pattern.test(sentence));
  if (kind === undefined) throw new Error(`no kind of sentence: ${sentence}`);
  kind[1]((kind[0].exec(sentence) ?? []).slice(1), verdict, input);
}

const LEVEL_WORDS = { calm: 'Calm', elevated: 'Elevated', surge: 'Surge', not_enough_data: '' };

function checkedVerdict(drawn: Scenario): Verdict {
  const input = inputOf(drawn);
  const verdict = judged(input);
  if (verdict.level === 'not_enough_data') return verdict;
  for (const reason of verdict.reasons) checkSentence(reason, verdict, input);
  expect(verdict.sentence.startsWith(`${LEVEL_WORDS[verdict.level]}: `)).toBe(true);
  const [whole = '', second = ''] = verdict.reasons;
  const finding = verdict.sentence.slice(verdict.sentence.indexOf(': ') + 2);
  const isStretch = finding.includes('where about') && verdict.level !== 'calm' && verdict.onsetMs !== null;
  if (isStretch) expect(second.startsWith(finding.split('.')[0] ?? '')).toBe(true);
  else if (verdict.level === 'calm') expect(finding.startsWith(whole)).toBe(true);
  else expect(verdict.moved.some(({ stands }) => stands)).toBe(true);
  if (verdict.kind === 'targeted attack') expect(verdict.share).toBeGreaterThan(verdict.shareBefore ?? 1);
  expect((verdict.score ?? 0) >= verdict.bar).toBe(verdict.level !== 'calm');
  return verdict;
}

describe('every sentence', () => {
  it('is true of the numbers that went in', () => {
    fc.assert(
      fc.property(scenario, (drawn) => void checkedVerdict(drawn)),
      { numRuns: count(150, 30) },
    );
  });

  it('is true of the bursts of the weeks before', () => {
    const plain = { visitors: 1, stopsAt: null, days: 28, inWeeks: 90_000, endsInBurst: true } as const;
    let told = 0;
    fc.assert(
      fc.property(scenario, (drawn) => {
        const { reasons } = checkedVerdict({ ...drawn, ...plain, waves: [], level: drawn.level < 4 ? 4 : drawn.level });
        told += reasons.filter((reason) => reason.includes('as large')).length;
      }),
      { numRuns: count(100, 20) },
    );
    expect(told).toBeGreaterThan(0);
  });
});
