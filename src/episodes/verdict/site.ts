/**
 * What is usual on a site, learnt from its own past: the attacks to expect in each step of it, how far stretches of
 * several lengths stray from that, and how often.
 */

import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { forecastAt, type Lags } from './forecast.ts';
import { type Past, readPast } from './past.ts';
import { learnTail, SCALES, type SiteTail, type Strays, straysOf } from './tail.ts';

export interface Site {
  readonly past: Past;
  /** In steps of the past. */
  readonly lags: Lags;
  readonly strays: Strays;
  readonly mood: Mood;
  /** One for each of `SCALES`. */
  readonly tails: readonly SiteTail[];
}

export interface Mood {
  /** How much of a recent deviation goes on. */
  readonly follows: number;
  /** Deviations up to this are moods; much larger ones are waves and not followed. */
  readonly reach: number;
}

/** Whoever watches asks every few minutes with the same past: the latest are kept. */
const MOST_KEPT = 64;
const kept = new Map<string, Learning>();

interface Learning {
  readonly work: Iterator<void, Site | null>;
  site?: Site | null;
}

/** Stops between parts of the work. Whoever asks for what another is just learning goes on with the same work. */
export function* learnedSite(history: readonly Timeline[], lags: Lags): Generator<void, Site | null> {
  const learning = learningOf(`${lags.weeks} ${lags.days} ${history.map(fingerprint)}`, history, lags);
  while (learning.site === undefined) {
    const part = learning.work.next();
    if (part.done === true) learning.site = part.value ?? null;
    else yield;
  }
  return learning.site;
}

function learningOf(key: string, history: readonly Timeline[], lags: Lags): Learning {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const learning: Learning = { work: learnSite(history, lags) };
  kept.set(key, learning);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return learning;
}

/** Sums that no two different timelines share. */
function fingerprint({ fromMs, toMs, intervalMs, settledUntilMs, points }: Timeline): string {
  let attacks = 0;
  let requests = 0;
  let order = 0;
  points.forEach((point, at) => {
    attacks += point.attacks ?? -1;
    requests += point.requests ?? -1;
    order += (at + 1) * ((point.attacks ?? -1) + 3 * (point.requests ?? -1)) + (point.endMs % 9_973);
  });
  const until = Math.min(toMs, settledUntilMs);
  return `${fromMs}-${until}/${intervalMs}:${points.length}:${attacks}:${requests}:${order}`;
}

function* learnSite(history: readonly Timeline[], lagsMs: Lags): Generator<void, Site | null> {
  const past = yield* readPast(history);
  if (past === null) return null;
  const { stepMs, length, attacks, visitors } = past;
  const inSteps = (all: readonly number[]): number[] => all.map((ms) => Math.round(ms / stepMs));
  const lags = { weeks: inSteps(lagsMs.weeks), days: inSteps(lagsMs.days) };
  // Within the past what came later says as much about a step as what came before it.
  const around = { weeks: bothWays(lags.weeks), days: bothWays(lags.days) };
  const perHour = Math.max(1, Math.round(HOUR_MS / stepMs));
  const expected = new Float64Array(length);
  for (let at = 0; at < length; at++) {
    const hour = Math.floor(at / perHour);
    const forecast = forecastAt(past, attacks, at, attacks.levels[hour] ?? Number.NaN, around);
    const visits = forecastAt(past, visitors, at, visitors.levels[hour] ?? Number.NaN, around);
    const ratio = visitorRatio(
      (visitors.smooth[at] ?? Number.NaN) * perHour,
      (visits?.expected ?? Number.NaN) * perHour,
    );
    expected[at] = (forecast?.expected ?? Number.NaN) * visitorEffect(ratio);
    if (at % STEPS_AT_ONCE === 0) yield;
  }
  const plain = straysOf(attacks.counts, expected);
  const mood = learnMood(plain, perHour);
  for (let at = 0; at < length; at++)
    expected[at] = (expected[at] ?? Number.NaN) * moodEffect(mood, plain, at, perHour);
  const strays = straysOf(attacks.counts, expected);
  const tails: SiteTail[] = [];
  for (const lengthMs of SCALES) {
    yield;
    tails.push(learnTail(strays, lengthMs, stepMs, around));
  }
  return { past, lags, strays, mood, tails };
}

/** Of which each looks at a dozen others. */
const STEPS_AT_ONCE = 1_200;

const bothWays = (lags: readonly number[]): number[] => [...lags, ...lags.map((lag) => -lag)];

/** A site of which nothing is known. */
export const PRIOR_MOOD: Mood = { follows: 0.3, reach: 0.3 };

/** Changes of visitors below this factor are everyday, and beyond the other they explain no more attacks. */
const VISITORS_MATTER = 1.15;
const MOST_VISITORS = 4;

/** How much more is usual because there are more visitors than expected. Fewer visitors never lower it. */
export const visitorEffect = (ratio: number): number => (ratio > VISITORS_MATTER ? Math.min(ratio, MOST_VISITORS) : 1);

/** With fewer visitors an hour, a ratio says little. */
const FEW_VISITORS = 20;

/** Of what an hour has to what it should have; 1 where one is unknown. */
export function visitorRatio(seen: number, expected: number): number {
  const ratio = (seen + FEW_VISITORS) / (expected + FEW_VISITORS);
  return Number.isNaN(ratio) ? 1 : ratio;
}

/** The mood of a moment is how the three hours went that end an hour before it. */
const MOOD_HOURS = { from: 4, to: 1 };
const FEW_IN_MOOD = 10;
const LEAST_HOURS = 24;

/** The logarithm of seen over expected in steps `[from, to)`; 0 where too little is known. */
function strayed({ seen, expected, known }: Strays, from: number, to: number): number {
  if (from < 0 || to >= known.length) return 0;
  if (((known[to] ?? 0) - (known[from] ?? 0)) * 2 < to - from) return 0;
  const came = (seen[to] ?? 0) - (seen[from] ?? 0);
  const due = (expected[to] ?? 0) - (expected[from] ?? 0);
  return Math.log((came + FEW_IN_MOOD) / (due + FEW_IN_MOOD));
}

function learnMood(strays: Strays, perHour: number): Mood {
  const before: number[] = [];
  const after: number[] = [];
  for (let at = MOOD_HOURS.from * perHour; at + perHour < strays.known.length; at += perHour) {
    const recent = strayed(strays, at - MOOD_HOURS.from * perHour, at - MOOD_HOURS.to * perHour);
    if (recent === 0) continue;
    before.push(recent);
    after.push(strayed(strays, at, at + perHour));
  }
  if (before.length < LEAST_HOURS) return PRIOR_MOOD;
  const sorted = Float64Array.from(before, Math.abs).sort();
  const reach = Math.max(0.1, 1.5 * 1.4826 * (sorted[Math.floor(sorted.length / 2)] ?? 0));
  let product = 0;
  let square = 0;
  before.forEach((recent, index) => {
    const mild = asMood(recent, reach);
    product += mild * Math.max(-1, Math.min(1, after[index] ?? 0));
    square += mild * mild;
  });
  return { follows: Math.max(0, Math.min(0.9, square > 0 ? product / square : 0)), reach };
}

/** A mood counts in full, a deviation beyond three moods not at all. */
function asMood(strays: number, reach: number): number {
  const size = Math.abs(strays);
  if (size <= reach) return strays;
  return size >= 3 * reach ? 0 : Math.sign(strays) * reach * (1 - (size - reach) / (2 * reach));
}

/** What the mood before step `at` does to what is expected in it. */
export function moodEffect({ follows, reach }: Mood, strays: Strays, at: number, perHour: number): number {
  const recent = strayed(strays, at - MOOD_HOURS.from * perHour, at - MOOD_HOURS.to * perHour);
  return Math.exp(follows * asMood(recent, reach));
}
