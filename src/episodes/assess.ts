/**
 * What a verdict is based on, asked in few calls: the window with the hours before it in one, the weeks before in pieces
 * that stay the same for hours and days and are kept, and the categories. Only when something stands out are the
 * categories of the same hours of earlier days asked for as well. All but the first may fail without costing the verdict.
 */
import { inTurns, nextTurn } from '../clock.ts';
import { BotError, nullIfUnavailable } from '../errors.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { type Range, wholeMinutes } from '../time/index.ts';
import { DAY_MS } from '../time-units.ts';
import {
  between,
  hoursBefore,
  isFinerAlone,
  lagsOf,
  latestRange,
  piecesBefore,
  quartersOf,
  shifted,
  wholeDays,
  wholeHours,
} from './assessed-windows.ts';
import { type Episode, type EpisodeSpan, overlaps } from './episode.ts';
import { type Drop, type JudgeInput, judge, type KnownDrop, RULE, type Verdict, withDrops } from './verdict/index.ts';

export interface AssessmentQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  /** What `categoriesBefore` holds. */
  readonly categoriesAgainst?: 'hours before' | 'day before';
  /** The score from which something is called; that of a check unless given. */
  readonly bar?: number;
  /** Whoever can wait is not told that a time was calm while the service withholds what it would be compared with. */
  readonly needsPast?: boolean;
  /** What is expected goes by what was usual until then. */
  readonly usualAsOfMs?: number;
  /** The only drop to look at, where one is known. */
  readonly drop?: KnownDrop;
}

export interface Assessment {
  readonly verdict: Verdict;
  /** The window alone, at the interval of the service. */
  readonly timeline: Timeline;
  readonly categories: Distribution | null;
  readonly categoriesBefore: Distribution | null;
  /** The same hours of the day before; for a window of several days, of as many days before. */
  readonly dayBefore: Range;
}

/** For whoever can wait: never answered with numbers that were kept from before. */
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
    // In one zone, so that those of all zones share the answers.
    ...piecesBefore(fromMs).map((range) => {
      const piece = statistics.timeline({ range, hosts, zone: 'UTC' });
      return query.needsPast === true ? piece.catch(nullUnlessPassing) : nullIfUnavailable(piece);
    }),
  ]);
  // Weeks were read just now, and weeks are learnt from next.
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
    categories: categories === null ? null : { window: categories, before, ...NOT_COUNTED },
    bar,
    usualAsOfMs,
    drop,
  };
  const told = await withKinds(input, await inTurns(judge(input)), countsIn, () =>
    Promise.all(
      // In one zone, as the timelines are.
      piecesBefore(fromMs).map((range) => nullIfUnavailable(statistics.distribution({ range, hosts, zone: 'UTC' }))),
    ),
  );
  const closer = await closerLook(told.input, told.verdict, countsIn);
  await nextTurn();
  const categoriesBefore = against === null ? before : await against;
  return { ...closer, timeline: since(recent, fromMs), categoriesBefore, dayBefore };
}

/** In one call, or in two where that one would be answered in longer intervals than the window alone. */
async function withHoursBefore(numbersIn: (range: Range) => Promise<Timeline>, { from, to }: Range): Promise<Timeline> {
  const earlier = from.subtract({ milliseconds: RULE.trailingMs });
  if (!isFinerAlone({ from, to })) return numbersIn({ from: earlier, to });
  const [before, window] = await Promise.all([numbersIn({ from: earlier, to: from }), numbersIn({ from, to })]);
  if (before.intervalMs !== window.intervalMs) return numbersIn({ from: earlier, to });
  // The hours before may have been asked for earlier. What was final then still is.
  const isFinal = before.settledUntilMs >= from.epochMilliseconds;
  const { settledUntilMs, asOfMs } = isFinal ? window : before;
  const points = [...before.points, ...window.points];
  return { ...window, fromMs: before.fromMs, points, settledUntilMs, asOfMs, stale: window.stale || before.stale };
}

/** A verdict on less than this has little to go by. */
const LEAST_JUDGED_MS = 15 * 60_000;
/** Of a longer drop the last days are counted. */
const LONGEST_FOLLOWED_MS = 8 * DAY_MS;

/**
 * A drop that is known, as far as there are numbers: how much is missing by what was usual before it, and whether it is
 * over. Whoever tells of it asks here, so that a watch, a check, an incident and a digest have the same numbers. `null`
 * where the service does not answer.
 */
export async function followDrop(
  statistics: Statistics,
  query: Pick<AssessmentQuery, 'hosts' | 'zone'>,
  { what, sinceMs, endedMs }: KnownDrop,
  nowMs: number,
): Promise<Drop | null> {
  const toMs = endedMs ?? nowMs;
  const fromMs = Math.max(Math.min(sinceMs, toMs - LEAST_JUDGED_MS), toMs - LONGEST_FOLLOWED_MS);
  const drop = { what, sinceMs: Math.max(sinceMs, fromMs), endedMs };
  const asked = { ...query, range: between(fromMs, toMs), usualAsOfMs: sinceMs, drop };
  const seen = await nullIfUnavailable(assess(statistics, asked));
  const found = seen?.verdict.drops[0];
  return found === undefined ? null : { ...found, sinceMs };
}

/** What is told of a drop in a watch's messages is told in every answer: its times, and its numbers where they are final. */
export async function withToldDrops(
  statistics: Statistics,
  { hosts, zone, range }: AssessmentQuery,
  assessment: Assessment,
  told: readonly (EpisodeSpan & Pick<Episode, 'drop' | 'figures'>)[],
): Promise<Assessment> {
  const { verdict } = assessment;
  const { fromMs, toMs } = verdict;
  if (verdict.level === 'not_enough_data') return assessment;
  const latest = new Map<Drop['what'], Drop>();
  for (const { drop: what, onsetMs: sinceMs, endMs, figures } of told) {
    if (what === undefined || !overlaps({ onsetMs: sinceMs, endMs }, fromMs, toMs)) continue;
    // An end after what was judged is not known yet.
    const endedMs = endMs !== null && endMs <= toMs ? endMs : null;
    const known = { what, sinceMs, endedMs };
    const drop =
      endedMs !== null && figures?.expected != null
        ? { ...known, untilMs: endedMs, observed: figures.total, expected: figures.expected }
        : await followDrop(statistics, { hosts, zone }, known, range.to.epochMilliseconds);
    if (drop !== null) latest.set(what, { ...drop, endedMs });
  }
  if (latest.size === 0) return assessment;
  const others = verdict.drops.filter(({ what }) => !latest.has(what));
  return { ...assessment, verdict: withDrops(verdict, [...latest.values(), ...others]) };
}

/** What the service does not have is not waited for; what it fails to give now, it may give later. */
function nullUnlessPassing(error: unknown): Promise<null> {
  const isPassing = error instanceof BotError && PASSING.has(error.code);
  return isPassing ? Promise.reject(error) : nullIfUnavailable(Promise.reject(error));
}

const PASSING: ReadonlySet<string> = new Set(['upstream_unavailable', 'upstream_timeout', 'upstream_rate_limited']);

const NOT_COUNTED = { latest: null, sameHours: [], parts: [], stretch: null, weeks: [], bursts: null } as const;

/**
 * Where the kinds of attacks in a stretch would tell more about how rare it is, they are counted, and those of the weeks
 * before; and where it is of a kind that may never have come in bursts, those of their bursts.
 */
async function withKinds(
  input: JudgeInput,
  verdict: Verdict,
  countsIn: (range: Range) => Promise<Distribution | null>,
  countWeeks: () => Promise<(Distribution | null)[]>,
): Promise<{ input: JudgeInput; verdict: Verdict }> {
  const { telling = null } = verdict;
  if (input.categories === null || telling === null) return { input, verdict };
  const [stretch, weeks] = await Promise.all([countsIn(between(telling.fromMs, telling.toMs)), countWeeks()]);
  const known = { ...input.categories, stretch, weeks: weeks.filter((counts) => counts !== null) };
  const closer = { ...input, categories: known };
  const seen = await inTurns(judge(closer));
  if (seen.wanted === undefined || seen.wanted.length === 0) return { input: closer, verdict: seen };
  const bursts = await Promise.all(seen.wanted.map(({ fromMs, toMs }) => countsIn(between(fromMs, toMs))));
  const closest = { ...input, categories: { ...known, bursts } };
  return { input: closest, verdict: await inTurns(judge(closest)) };
}

/**
 * Where something stands out, its categories are counted without what is still filling, as its attacks are, and held
 * against those of the same hours of earlier days too.
 */
async function closerLook(
  input: JudgeInput,
  first: Verdict,
  countsIn: (range: Range) => Promise<Distribution | null>,
): Promise<Pick<Assessment, 'verdict' | 'categories'>> {
  const { categories, lags, fromMs } = input;
  const { level, onsetMs, moved, toMs } = first;
  const isOdd = level === 'elevated' || level === 'surge';
  if (categories === null || (!isOdd && moved.length === 0)) {
    return { verdict: first, categories: categories?.window ?? null };
  }
  const isFilling = categories.window.toMs > toMs;
  const latestPart = latestRange(first);
  const same = isOdd ? [...lags.days.slice(0, 2), ...lags.weeks] : [];
  const [settled, latest, sameHours, parts] = await Promise.all([
    isFilling ? countsIn(between(fromMs, toMs)) : null,
    latestPart === null ? null : countsIn(latestPart),
    Promise.all(same.map((lag) => countsIn(wholeHours(fromMs - lag, toMs - lag)))),
    Promise.all(isOdd && onsetMs === null ? quartersOf(fromMs, toMs).map(countsIn) : []),
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
        sameHours: sameHours.filter((counts) => counts !== null),
        parts: isWhole ? parts : [],
      },
    }),
  );
  return { verdict, categories: window };
}

function since(timeline: Timeline, fromMs: number): Timeline {
  const points = timeline.points.filter(({ endMs }) => endMs - timeline.intervalMs >= fromMs);
  return { ...timeline, fromMs, points };
}
