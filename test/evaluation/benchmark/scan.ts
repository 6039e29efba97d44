/**
 * The simple alternative to the rule: a scan over sums of five minutes to two hours. Each is compared with the same time of
 * up to four weeks, at the level of the last day, and counts for as much as it is rare among the site's own sums.
 */
import type { RecordedNumbers } from '../../../src/episodes/recorded-statistics.ts';
import { DAY, HOUR, known, mad, mean, median, type Steps, stepsUntil, WEEK } from '../methods/steps.ts';

export interface ScanScores {
  /** Powers of ten: 2 is as rare as once in a hundred sums. */
  readonly rises: readonly number[];
  readonly drops: readonly number[];
}

/** Steps of five minutes. */
const LENGTHS = [2, 3, 6, 12, 24];
/** The part of a site's own sums whose tail is extrapolated. */
const TAIL = 0.05;
const MIN_IN_CATEGORY = 15;
const MIN_LOST = 30;
/** At least so much of an hour's steps must be known. */
const MIN_KNOWN = HOUR / 2;

/** A score for each of the last `count` steps before an instant. */
export function scan(numbers: RecordedNumbers, untilMs: number, count: number): ScanScores {
  const columnOf = (attacks: RecordedNumbers['attacks']): Steps => stepsUntil({ ...numbers, attacks }, untilMs);
  const [attacks, requests] = [columnOf(numbers.attacks), columnOf(numbers.requests)];
  const from = attacks.length - count;
  const visitors = requests.map((each, at) => each - (attacks[at] ?? 0));
  const [usual, crowd] = [expectedOf(attacks), expectedOf(visitors)];
  const busier = busierBy(visitors, crowd);
  const expected = usual.map((each, at) => each * (busier[at] ?? 1));
  const rises = LENGTHS.map((length) => rarities(attacks, expected, length, from));
  const categories = Object.values(numbers.categories ?? {}).map((column) =>
    categoryScores(columnOf(column), busier, from),
  );
  const drops = [dropScores(attacks, usual, from, MIN_LOST), dropScores(visitors, crowd, from, 3 * MIN_LOST)];
  return { rises: highest([...rises, ...categories], count), drops: highest(drops, count) };
}

const highest = (lists: readonly (readonly number[])[], count: number): number[] =>
  Array.from({ length: count }, (_, at) => Math.max(0, ...lists.map((list) => list[at] ?? 0)));

/** Sums of any steps `[from, to)`; unknown ones add nothing. */
function sumsOf(steps: Steps): (from: number, to: number) => number {
  const sums = new Float64Array(steps.length + 1);
  for (let at = 0; at < steps.length; at++) sums[at + 1] = (sums[at] ?? 0) + (steps[at] || 0);
  return (from, to) => (sums[Math.max(0, to)] ?? 0) - (sums[Math.max(0, from)] ?? 0);
}

/** The middle of the same hour of four weeks, or of the day before where there are fewer, at the level of the last day. */
function expectedOf(steps: Steps): Steps {
  const [sum, known] = [sumsOf(steps), sumsOf(steps.map((each) => (Number.isNaN(each) ? 0 : 1)))];
  const meanOf = (from: number, to: number): number => sum(from, to) / Math.max(1, known(from, to));
  const usual = steps.map((each, at) => {
    if (Number.isNaN(each)) return each;
    const weeks = [1, 2, 3, 4].map((week) => at - week * WEEK).filter((then) => known(then - 6, then + 7) >= MIN_KNOWN);
    const means = weeks.map((then) => meanOf(then - 6, then + 7));
    return means.length >= 2 ? (mean(means) + median(means)) / 2 : meanOf(at - DAY, at);
  });
  const usualSum = sumsOf(usual);
  return usual.map((each, at) => {
    const level = sum(at - DAY, at) / Math.max(1, usualSum(at - DAY, at));
    return each * Math.min(3, Math.max(0.3, level));
  });
}

/** More visitors bring more attacks, up to four times. */
function busierBy(visitors: Steps, crowd: Steps): Steps {
  const [seen, expected] = [sumsOf(visitors), sumsOf(crowd)];
  return visitors.map((_, at) => {
    const more = (seen(at - 2, at + 1) + 20) / (expected(at - 2, at + 1) + 20);
    return Math.min(4, more > 1.3 ? more : 1);
  });
}

function rarities(steps: Steps, expected: Steps, length: number, from: number): number[] {
  const [sum, usual] = [sumsOf(steps), sumsOf(expected)];
  const deviates = (spread: number): Steps =>
    steps.map((_, at) => {
      const level = usual(at + 1 - length, at + 1);
      return (sum(at + 1 - length, at + 1) - level) / Math.sqrt(level + 1 + (spread * level) ** 2);
    });
  const typical = (mean(known(expected, DAY, from)) || 0) * length;
  const spread = (1.4826 * mad([...deviates(0).subarray(DAY, from)])) / Math.sqrt(typical + 1);
  const scaled = deviates(Math.min(1, spread));
  const before = scaled.slice(DAY, from).sort().reverse();
  const tail = [...before.subarray(0, Math.floor(before.length * TAIL))];
  const limit = tail.at(-1) ?? 3;
  const excess = Math.max(0.3, mean(tail.map((each) => each - limit)));
  return [...scaled.subarray(from)].map((each) => -Math.log10(TAIL) + (each - limit) / excess / Math.LN10);
}

/** An hour of a category is unusual beyond its largest hour of the weeks before. */
function categoryScores(steps: Steps, busier: Steps, from: number): number[] {
  const sum = sumsOf(steps.map((each, at) => each / (busier[at] ?? 1)));
  const hours = Array.from(steps, (_, at) => sum(at + 1 - HOUR, at + 1));
  const largest = Math.max(MIN_IN_CATEGORY, ...hours.slice(0, from));
  return hours.slice(from).map((hour) => (hour > largest ? 3 + 3 * Math.log10(hour / largest) : 0));
}

/** What is missing from 20 minutes with a tenth of the expected or less. */
function dropScores(steps: Steps, expected: Steps, from: number, least: number): number[] {
  return Array.from(steps.subarray(from), (_, at) => {
    const last = known(steps, from + at - 3, from + at + 1);
    const lost = mean(known(expected, from + at - 3, from + at + 1)) * 4;
    return last.length === 4 && lost >= least && mean(last) * 4 <= lost / 10 ? lost : 0;
  });
}
