/**
 * Assesses a time window: fetches what a verdict needs (the window and the hours before it, four weeks of baseline, the
 * categories) and judges it. Only the first of these calls must succeed. The edges of the fetched windows stay the same for
 * hours or days, so that the answers can be cached.
 */
import { inTurns, nextTurn } from '../clock.ts';
import { BotError, nullIfUnavailable } from '../errors.ts';
import { comparableDistributions } from '../statistics/comparable.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { type Range, wholeMinutes } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../time-units.ts';
import { type Drop, type JudgeInput, judge, type KnownDrop, type Lags, RULE, type Verdict } from './verdict/index.ts';

export interface AssessmentQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  /** The time that `categoriesBefore` covers. */
  readonly categoriesAgainst?: 'hours before' | 'day before';
  /** The score from which something counts as unusual; defaults to that of a check. */
  readonly bar?: number;
  /** Fail rather than call a time calm while the service can't provide the baseline. For callers that can retry. */
  readonly needsPast?: boolean;
  /** Expect what was usual until this instant. */
  readonly usualAsOfMs?: number;
  /** Evaluate only this drop. */
  readonly drop?: KnownDrop;
}

export interface Assessment {
  readonly verdict: Verdict;
  /** The window alone, at the service's interval. */
  readonly timeline: Timeline;
  readonly categories: Distribution | null;
  readonly categoriesBefore: Distribution | null;
  /** The window's own timeline, then all that it was compared with. */
  readonly compared: readonly Timeline[];
  /** The same hours a day earlier; for a window of several days, that many days earlier. */
  readonly dayBefore: Range;
}

/** Never answers from stale cache entries. For callers that can retry. */
export const freshOnly = (statistics: Statistics): Statistics => ({
  timeline: (query) => statistics.timeline({ ...query, freshOnly: true }),
  distribution: (query) => statistics.distribution({ ...query, freshOnly: true }),
});

export async function assess(statistics: Statistics, query: AssessmentQuery): Promise<Assessment> {
  const { hosts, zone, bar, usualAsOfMs, drop } = query;
  const range = wholeMinutes(query.range);
  const fromMs = range.from.epochMilliseconds;
  const dayBefore = shifted(range, wholeDays(range), zone);
  const countsIn = (part: Range) => nullIfUnavailable(statistics.distribution({ range: part, hosts, zone }));
  const against = query.categoriesAgainst === 'day before' ? countsIn(dayBefore) : null;
  const [recent, categories, before, ...pieces] = await Promise.all([
    withHoursBefore((part) => statistics.timeline({ range: part, hosts, zone }), range),
    countsIn(range),
    countsIn(hoursBefore(range)),
    // Always in UTC, so that channels in all time zones share the cached answers.
    ...piecesBefore(fromMs).map((range) => {
      const piece = statistics.timeline({ range, hosts, zone: 'UTC' });
      return query.needsPast === true ? piece.catch(nullUnlessTransient) : nullIfUnavailable(piece);
    }),
  ]);
  // Judging weeks of data takes a while; let other requests have the event loop first.
  await nextTurn();
  const toMs = Math.min(range.to.epochMilliseconds, recent.toMs);
  const history = pieces.filter((piece) => piece !== null);
  const lags = lagsOf(range, zone);
  const input: JudgeInput = {
    fromMs,
    toMs,
    recent,
    history,
    lags,
    categories:
      categories === null ? null : { window: categories, before: ifComparable(categories, before), ...NOT_COUNTED },
    bar,
    usualAsOfMs,
    drop,
  };
  const judged = await withBurstCategories(input, await inTurns(judge(input)), countsIn, () =>
    Promise.all(
      piecesBefore(fromMs).map((range) => nullIfUnavailable(statistics.distribution({ range, hosts, zone: 'UTC' }))),
    ),
  );
  const closer = await withCategoryDetails(judged.input, judged.verdict, countsIn);
  await nextTurn();
  const categoriesBefore = against === null ? before : await against;
  const timeline = since(recent, fromMs);
  return { ...closer, timeline, categoriesBefore, compared: [timeline, ...history], dayBefore };
}

/** One call, or two if a single one would come in longer intervals than the window alone. */
async function withHoursBefore(numbersIn: (range: Range) => Promise<Timeline>, { from, to }: Range): Promise<Timeline> {
  const earlier = trailingRange({ from, to });
  if (!isFinerAlone({ from, to })) return numbersIn({ from: earlier.from, to });
  const [before, window] = await Promise.all([numbersIn(earlier), numbersIn({ from, to })]);
  if (before.intervalMs !== window.intervalMs) return numbersIn({ from: earlier.from, to });
  // The hours before may come from the cache; what was final then still is.
  const isFinal = before.settledUntilMs >= from.epochMilliseconds;
  const { settledUntilMs, asOfMs } = isFinal ? window : before;
  const points = [...before.points, ...window.points];
  const gaps = [...(before.gaps ?? []), ...(window.gaps ?? [])];
  const stale = window.stale || before.stale;
  return { ...window, fromMs: before.fromMs, points, gaps, settledUntilMs, asOfMs, stale };
}

/** A shorter window has too little data for a verdict. */
export const MIN_ASSESSED_MS = 15 * MINUTE_MS;
/** Of a longer drop, only the last days are counted. */
const MAX_FOLLOWED_MS = 8 * DAY_MS;

/**
 * Updates a known drop: how much is missing compared to what was usual before it, and whether it's over. Watch, check,
 * incident and digest all use this, so their numbers agree. `null` if the service doesn't answer.
 */
export async function followDrop(
  statistics: Statistics,
  query: Pick<AssessmentQuery, 'hosts' | 'zone'>,
  { what, sinceMs, endedMs }: KnownDrop,
  nowMs: number,
): Promise<Drop | null> {
  const toMs = endedMs ?? nowMs;
  const fromMs = Math.max(Math.min(sinceMs, toMs - MIN_ASSESSED_MS), toMs - MAX_FOLLOWED_MS);
  const drop = { what, sinceMs: Math.max(sinceMs, fromMs), endedMs };
  const window = { ...query, range: between(fromMs, toMs), usualAsOfMs: sinceMs, drop };
  const assessment = await nullIfUnavailable(assess(statistics, window));
  const found = assessment?.verdict.drops[0];
  return found === undefined ? null : { ...found, sinceMs };
}

/** Rethrows what a retry may fix; a baseline that the service doesn't have is just missing. */
function nullUnlessTransient(error: unknown): Promise<null> {
  const isTransient = error instanceof BotError && TRANSIENT.has(error.code);
  return isTransient ? Promise.reject(error) : nullIfUnavailable(Promise.reject(error));
}

const TRANSIENT: ReadonlySet<string> = new Set(['upstream_unavailable', 'upstream_timeout', 'upstream_rate_limited']);

const NOT_COUNTED = { latest: null, sameHours: [], parts: [], stretch: null, weeks: [], bursts: null } as const;

/**
 * If the verdict wants to know how rare a burst of this category is, counts the burst's categories and those of the
 * baseline weeks; then, if asked for, those of the earlier bursts.
 */
async function withBurstCategories(
  input: JudgeInput,
  verdict: Verdict,
  countsIn: (range: Range) => Promise<Distribution | null>,
  countWeeks: () => Promise<(Distribution | null)[]>,
): Promise<{ input: JudgeInput; verdict: Verdict }> {
  const { telling = null } = verdict;
  if (input.categories === null || telling === null) return { input, verdict };
  const [stretch, weeks] = await Promise.all([countsIn(between(telling.fromMs, telling.toMs)), countWeeks()]);
  const { window } = input.categories;
  const known = { ...input.categories, stretch, weeks: weeks.flatMap((counts) => ifComparable(window, counts) ?? []) };
  const withWeeks = { ...input, categories: known };
  const second = await inTurns(judge(withWeeks));
  if (second.wanted === undefined || second.wanted.length === 0) return { input: withWeeks, verdict: second };
  const bursts = await Promise.all(second.wanted.map(({ fromMs, toMs }) => countsIn(between(fromMs, toMs))));
  const withBursts = { ...input, categories: { ...known, bursts } };
  return { input: withBursts, verdict: await inTurns(judge(withBursts)) };
}

/**
 * If something is unusual, counts its categories without the minutes still filling in, as its attacks are counted, and
 * compares them with the same hours of earlier days too.
 */
async function withCategoryDetails(
  input: JudgeInput,
  first: Verdict,
  countsIn: (range: Range) => Promise<Distribution | null>,
): Promise<Pick<Assessment, 'verdict' | 'categories'>> {
  const { categories, lags, fromMs } = input;
  const { level, onsetMs, moved, toMs } = first;
  const isUnusual = level === 'elevated' || level === 'surge';
  if (categories === null || (!isUnusual && moved.length === 0)) {
    return { verdict: first, categories: categories?.window ?? null };
  }
  const isFilling = categories.window.toMs > toMs;
  const latestPart = latestRange(first);
  const same = isUnusual ? [...lags.days.slice(0, 2), ...lags.weeks] : [];
  const [settled, latest, sameHours, parts] = await Promise.all([
    isFilling ? countsIn(between(fromMs, toMs)) : null,
    latestPart === null ? null : countsIn(latestPart),
    Promise.all(same.map((lag) => countsIn(wholeHours(fromMs - lag, toMs - lag)))),
    Promise.all(isUnusual && onsetMs === null ? quartersOf(fromMs, toMs).map(countsIn) : []),
  ]);
  const window = settled ?? categories.window;
  const isWhole = parts.every((part) => part !== null);
  const verdict = await inTurns(
    judge({
      ...input,
      categories: {
        ...categories,
        window,
        latest,
        sameHours: sameHours.flatMap((counts) => ifComparable(window, counts) ?? []),
        parts: isWhole ? parts : [],
      },
    }),
  );
  return { verdict, categories: window };
}

/** The earlier categories, unless the service can't report them as it does those of the window. */
function ifComparable(window: Distribution, earlier: Distribution | null): Distribution | null {
  return earlier === null || typeof comparableDistributions(window, earlier) === 'string' ? null : earlier;
}

function since(timeline: Timeline, fromMs: number): Timeline {
  const points = timeline.points.filter(({ endMs }) => endMs - timeline.intervalMs >= fromMs);
  const gaps = timeline.gaps?.filter(({ toMs }) => toMs > fromMs);
  // The totals are those of the longer window.
  return { ...timeline, fromMs, points, gaps, totals: undefined };
}

const WEEKS = 4;
/** The newest piece of the baseline ends at a multiple of this, so it's fetched again only that often. */
const PIECE_MS = 6 * HOUR_MS;
/** How much of an ongoing wave counts as its latest part. */
const LATEST_MS = 30 * MINUTE_MS;

/** In whole minutes; empty quarters of a short window are left out. */
function quartersOf(fromMs: number, toMs: number): Range[] {
  const edges = [0, 1, 2, 3, 4].map((at) => Math.round((fromMs + ((toMs - fromMs) * at) / 4) / MINUTE_MS) * MINUTE_MS);
  return edges
    .slice(1)
    .map((edge, at) => between(edges[at] ?? fromMs, edge))
    .filter(({ from, to }) => msBetween(from, to) > 0);
}

/** The latest part of a wave; `null` if that's the whole window. */
function latestRange({ onsetMs, endedMs, fromMs, toMs }: Verdict): Range | null {
  if (onsetMs === null) return null;
  const endMs = Math.min(endedMs ?? toMs, toMs);
  const startMs = Math.max(onsetMs, fromMs, endMs - LATEST_MS);
  return startMs - fromMs < 10 * MINUTE_MS || endMs <= startMs ? null : between(startMs, endMs);
}

export const between = (fromMs: number, toMs: number): Range => ({
  from: Temporal.Instant.fromEpochMilliseconds(fromMs),
  to: Temporal.Instant.fromEpochMilliseconds(toMs),
});

const wholeHours = (fromMs: number, toMs: number): Range =>
  between(Math.floor(fromMs / HOUR_MS) * HOUR_MS, Math.ceil(toMs / HOUR_MS) * HOUR_MS);

/** The four weeks before and the current week so far. Weeks have fixed edges, so an answer is good for days. */
function piecesBefore(fromMs: number): Range[] {
  const endMs = Math.floor(fromMs / PIECE_MS) * PIECE_MS;
  const weekMs = Math.floor(endMs / WEEK_MS) * WEEK_MS;
  const weeks = Array.from({ length: WEEKS }, (_, back) =>
    between(weekMs - (back + 1) * WEEK_MS, weekMs - back * WEEK_MS),
  );
  return [...weeks.reverse(), ...(endMs > weekMs ? [between(weekMs, endMs)] : [])];
}

/** Follows the zone's calendar, so the hours stay the same across a daylight saving change. */
function lagsOf({ to }: Range, zone: string): Lags {
  const lag = (days: number): number => msBetween(daysEarlier(to, days, zone), to);
  return { days: [1, 2, 3].map(lag), weeks: [1, 2, 3, 4].map((weeks) => lag(7 * weeks)) };
}

function shifted({ from, to }: Range, days: number, zone: string): Range {
  return { from: daysEarlier(from, days, zone), to: daysEarlier(to, days, zone) };
}

/** Enough whole days to cover the window, so that the days before can't overlap it. */
function wholeDays({ from, to }: Range): number {
  return Math.max(1, Math.ceil(msBetween(from, to) / DAY_MS));
}

const msBetween = (from: Temporal.Instant, to: Temporal.Instant): number =>
  to.epochMilliseconds - from.epochMilliseconds;

function daysEarlier(instant: Temporal.Instant, days: number, zone: string): Temporal.Instant {
  return instant.toZonedDateTimeISO(zone).subtract({ days }).toInstant();
}

/** The hours just before a window. */
export function trailingRange({ from }: Range): Range {
  return { from: from.subtract({ milliseconds: RULE.trailingMs }), to: from };
}

/** Up to a day comes by the minute: whether that holds for this window, but not together with the hours before it. */
function isFinerAlone({ from, to }: Range): boolean {
  const lengthMs = msBetween(from, to);
  return lengthMs <= DAY_MS && lengthMs + RULE.trailingMs > DAY_MS;
}

/** Six hours before the hour in which the window begins, or as long as the window if that's longer. */
function hoursBefore({ from, to }: Range): Range {
  const endMs = Math.floor(from.epochMilliseconds / HOUR_MS) * HOUR_MS;
  return between(endMs - Math.max(RULE.trailingMs, msBetween(from, to)), endMs);
}
