/**
 * What is usual on a site, learnt from its own past: the attacks to expect in each step of it, how far stretches of
 * several lengths stray from that, and how often.
 */

import { LRUCache } from 'lru-cache';
import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { forecastAt, type Lags, type Past, readPast } from './past.ts';
import { SCALES } from './rule.ts';
import { learnTail, straysOf, type Tail } from './tail.ts';

export interface Site {
  readonly past: Past;
  /** In steps of the past. */
  readonly lags: Lags;
  /** One for each of `SCALES`. */
  readonly tails: readonly Tail[];
}

/** Whoever watches asks every few minutes with the same past: the latest are kept. */
const MAX_SITES = 64;
const learned = new LRUCache<string, Learning>({ max: MAX_SITES });

interface Learning {
  readonly work: Iterator<void, Site | null>;
  site?: Site | null;
}

/** Stops between parts of the work. Whoever asks for what another is just learning goes on with the same work. */
export function* learnedSite(history: readonly Timeline[], lags: Lags): Generator<void, Site | null> {
  const key = `${lags.weeks} ${lags.days} ${history.map(fingerprint)}`;
  const learning: Learning = learned.get(key) ?? { work: learnSite(history, lags) };
  learned.set(key, learning);
  while (learning.site === undefined) {
    const part = learning.work.next();
    if (part.done === true) learning.site = part.value ?? null;
    else yield;
  }
  return learning.site;
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
    const visits = forecastAt(past, visitors, at, visitors.levels[hour] ?? Number.NaN, around) * perHour;
    const ratio = visitorRatio((visitors.smooth[at] ?? Number.NaN) * perHour, visits);
    expected[at] = forecastAt(past, attacks, at, attacks.levels[hour] ?? Number.NaN, around) * visitorEffect(ratio);
    if (at % STEPS_AT_ONCE === 0) yield;
  }
  const strays = straysOf(attacks.counts, expected);
  const tails: Tail[] = [];
  for (const lengthMs of SCALES) {
    yield;
    tails.push(learnTail(strays, lengthMs, stepMs));
  }
  return { past, lags, tails };
}

/** Of which each looks at a dozen others. */
const STEPS_AT_ONCE = 1_200;

const bothWays = (lags: readonly number[]): number[] => [...lags, ...lags.map((lag) => -lag)];

/** Changes of visitors below this factor are everyday, and beyond the other they explain no more attacks. */
const VISITORS_MATTER = 1.15;
const MAX_VISITORS = 4;

/** How much more is usual because there are more visitors than expected. Fewer visitors never lower it. */
export const visitorEffect = (ratio: number): number => (ratio > VISITORS_MATTER ? Math.min(ratio, MAX_VISITORS) : 1);

/** With fewer visitors an hour, a ratio says little. */
const FEW_VISITORS = 20;

/** Of what an hour has to what it should have; 1 where one is unknown. */
export function visitorRatio(seen: number, expected: number): number {
  const ratio = (seen + FEW_VISITORS) / (expected + FEW_VISITORS);
  return Number.isNaN(ratio) ? 1 : ratio;
}
