/**
 * The matrix: every verb on every kind of service in the family. Each number in an answer that names requests, attacks or a
 * category is held against the traffic that the local service was made of, for the window that the answer counts and the
 * one it is compared with. What a service can't report may be missing from an answer, but never be another number.
 */
import { describe, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import type { ServiceHabits } from '../../../playground/service/overviews.ts';
import { loggedBetween } from '../../../playground/service/statistics.ts';
import { columnsOf, type TrafficModel } from '../../../playground/service/traffic.ts';
import { BotError } from '../../../src/errors.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { canonicalCategory, categoryName } from '../../../src/statistics/categories.ts';
import { compactCount } from '../../../src/statistics/format.ts';
import { compareLikeWithLike } from '../../../src/statistics/like-with-like.ts';
import { parseRange, type Range } from '../../../src/time/index.ts';
import { disagreements, type NamedNumber, namedNumbers } from '../../support/agreement.ts';
import { DAY, START } from '../../support/waf-stage.ts';
import { openVerdictStage, text } from './verdict-stage.ts';

const SEED = 53;
const NOW = Temporal.Instant.fromEpochMilliseconds(START);

/** The range of each sentence; the comparison is the verb's own unless the sentence names one. */
const QUESTIONS: readonly (readonly [verb: string, range: string, rest?: string])[] = [
  ['timeline', 'today'],
  ['timeline', 'last 18h', 'csv'],
  ['timeline', 'yesterday'],
  ['timeline', 'last 30 days'],
  ['attacks', 'today'],
  ['attacks', 'yesterday', 'csv'],
  ['attacks', 'last 7 days'],
  ['attacks', 'last 28 days'],
  ['attacks', 'last month'],
  ['compare', 'yesterday'],
  ['compare', 'last 3h', 'vs previous'],
  ['compare', 'last 20 days', 'vs previous'],
  ['check', 'last 2h'],
  ['check', 'yesterday'],
  ['incident', 'yesterday 14:00-16:00'],
  ['who', 'yesterday'],
];

interface Kind {
  readonly habits?: Partial<ServiceHabits>;
  readonly hosts?: TrafficModel['hosts'];
  readonly retentionDays?: number;
  readonly loggingMs?: number;
}

type Counts = ReadonlyMap<string, number>;

/** Everything the service has logged of a window, by the name that answers give it. */
function truthOf(model: TrafficModel, { from, to }: Range, { retentionDays, habits }: Kind): Counts {
  const keptFromMs = retentionDays === undefined ? Number.NEGATIVE_INFINITY : START - retentionDays * DAY;
  const [fromMs, toMs] = [Math.max(from.epochMilliseconds, keptFromMs), to.epochMilliseconds];
  const truth = new Map<string, number>();
  if (fromMs >= toMs) return truth;
  const [requests = 0, ...counts] = loggedBetween(model, { fromMs, toMs, hosts: [] }, START);
  const fields = columnsOf(model).slice(1);
  for (const [at, count] of counts.entries()) {
    const field = fields[at] ?? '';
    const name = categoryName(canonicalCategory(field));
    if (!habits?.unknownCategories?.includes(field)) truth.set(name, (truth.get(name) ?? 0) + count);
  }
  truth.set('requests', requests);
  truth.set('attacks', sumOf(counts));
  return truth;
}

/** The same, where attacks are the sum of the categories that are known. */
function inCategories(truth: Counts): Counts {
  const known = [...truth].filter(([name]) => name !== 'requests' && name !== 'attacks');
  return new Map([['attacks', sumOf(known.map(([, count]) => count))]]);
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Of the minutes for which the service sends points at all. */
function inPoints(model: TrafficModel, { from, to }: Range, every: number): Counts {
  const truth = new Map([
    ['requests', 0],
    ['attacks', 0],
  ]);
  for (let toMs = from.epochMilliseconds + 60_000; toMs <= to.epochMilliseconds; toMs += 60_000) {
    if ((toMs / 60_000) % every === 0) continue;
    const [requests = 0, ...counts] = loggedBetween(model, { fromMs: toMs - 60_000, toMs, hosts: [] }, START);
    truth.set('requests', (truth.get('requests') ?? 0) + requests);
    truth.set('attacks', (truth.get('attacks') ?? 0) + sumOf(counts));
  }
  return truth;
}

/** Without the parts of steps at the edges. */
const inSteps = ({ from, to }: Range, minutes: number): Range => ({
  from: from.round({ smallestUnit: 'minute', roundingIncrement: minutes, roundingMode: 'ceil' }),
  to: to.round({ smallestUnit: 'minute', roundingIncrement: minutes, roundingMode: 'floor' }),
});

const isWritten = (value: string, count: number): boolean =>
  Number(value.replaceAll(',', '')) === count || value === compactCount(count);

/** Numbers of an answer that differ from the truth, and how many were checked. */
function check(reply: Reply, now: readonly Counts[], before: readonly Counts[]): { wrong: string[]; checked: number } {
  const isRates = text(reply.notes).includes('rates');
  const wrong: string[] = [];
  let checked = 0;
  for (const { thing, value, where } of namedNumbers(reply) as NamedNumber[]) {
    const isBefore = thing.endsWith(' before');
    const name = isBefore ? thing.slice(0, -' before'.length) : thing;
    const truths = (isBefore ? before : now).flatMap((counts) => counts.get(name) ?? []);
    const isNamed = [...now, ...before].some((counts) => counts.has(name));
    if (!isNamed || /[kMBT%]/.test(value.replace(/ [kMBT]$/, ''))) continue;
    checked += 1;
    // What is spread over time from rates is an estimate, and said to be.
    const isEstimate = isRates && where !== 'the heading' && where !== 'the text';
    const near = (count: number): boolean =>
      isEstimate && Math.abs(Number(value.replaceAll(',', '')) / count - 1) < 0.01;
    if (!truths.some((count) => isWritten(value, count) || near(count)))
      wrong.push(`${thing}: ${value} in ${where}, not ${truths}`);
  }
  return { wrong, checked };
}

/**
 * Points are left out minute by minute, which longer intervals would hide, and `who` then counts addresses without a
 * total. Thousands of hosts take long to draw.
 */
function isAskable({ habits, hosts = [] }: Kind, verb: string, words: string): boolean {
  if (hosts.length > 100) return verb === 'timeline' && words === 'today';
  return habits?.missingEvery === undefined || (verb !== 'who' && !/days|month/.test(words));
}

let cells = 0;
let numbers = 0;

describe.each(Object.entries(SERVICE_KINDS) as [string, Kind][])('on a service of the kind “%s”', (_, kind) => {
  it('every number of every verb is true', { timeout: 240_000 }, async () => {
    const open = await openVerdictStage(SEED, [], kind, { dialect: 'auto' });
    const model: TrafficModel = { ...open.world, hosts: kind.hosts ?? open.world.hosts, loggingMs: kind.loggingMs };
    const wrong: string[] = [];
    try {
      for (const [verb, words, rest = ''] of QUESTIONS) {
        if (!isAskable(kind, verb, words)) continue;
        const sentence = `${verb} ${words} ${rest}`.trim();
        cells += 1;
        try {
          const reply = await open.ask(sentence);
          const context = { now: NOW.round({ smallestUnit: 'minute', roundingMode: 'floor' }), zone: 'UTC' };
          const range = parseRange(words, context);
          const versus = rest.includes('previous') ? 'previous' : null;
          const windows = compareLikeWithLike({ range, versus, ...context });
          if (windows === null) throw new Error(`nothing of ${words} is settled`);
          const every = kind.habits?.missingEvery ?? 0;
          const notes = text(reply.notes);
          const truths = (window: Range): Counts[] => {
            const whole = truthOf(model, window, kind);
            return [
              whole,
              ...(every === 0 ? [] : [inCategories(whole), inPoints(model, window, every)]),
              // Where an answer says that it counts whole steps, or up to now, that is what it must have counted.
              ...(notes.includes('in steps of')
                ? [5, 10, 60].map((step) => truthOf(model, inSteps(window, step), kind))
                : []),
              ...(notes.includes('still filling in') ? [truthOf(model, { ...window, to: context.now }, kind)] : []),
            ];
          };
          const isGone = (window: Range): boolean =>
            kind.retentionDays !== undefined && window.from.epochMilliseconds < START - kind.retentionDays * DAY;
          // What is gone in part is not compared at all.
          const before = isGone(windows.against) ? [] : truths(windows.against);
          // A check of the last hours judges whole minutes, but lists categories up to now.
          const listed = verb === 'check' ? [truthOf(model, range, kind)] : [];
          const found = check(reply, [...truths(windows.counted), ...listed], before);
          numbers += found.checked;
          wrong.push(...found.wrong.map((each) => `${sentence}: ${each}`));
          // The rows of `who` share their first column.
          if (every === 0 && verb !== 'who') wrong.push(...disagreements(reply).map((each) => `${sentence}: ${each}`));
        } catch (error) {
          // A service may lack something: then the answer says what works instead.
          if (!(error instanceof BotError) || error.code !== 'limit' || error.hint === undefined) throw error;
        }
      }
      expect(wrong).toEqual([]);
    } finally {
      await open.stage.close();
    }
  });
});

it('checked every verb on every kind', () => {
  expect(cells).toBeGreaterThan(QUESTIONS.length * (Object.keys(SERVICE_KINDS).length - 2));
  expect(numbers).toBeGreaterThan(1_500);
  process.stdout.write(`${cells} answers on ${Object.keys(SERVICE_KINDS).length} kinds, ${numbers} numbers checked\n`);
});
