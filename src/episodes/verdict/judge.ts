/**
 * Is this normal? Learns from the past what is usual on the site, looks for the stretch of the window that stands out
 * most, and has it explained. Pure: the same numbers always get the same verdict.
 */
import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { anomalyKind, type KindEvidence } from './anomaly-kind.ts';
import { DROP_RULES, findDrops, type KnownDrop } from './drops.ts';
import { confidenceIn, explain, missingData, usualBand } from './explain.ts';
import { changePoints } from './extent.ts';
import type { Lags } from './forecast.ts';
import {
  compareRequests,
  expectedInWindow,
  expectedPerInterval,
  onClock,
  partBetween,
  sameHours,
  shareOf,
  visitorsNow,
} from './measures.ts';
import {
  CATEGORY_RULE,
  type CategoryCounts,
  categorySpan,
  type MeasuredCategory,
  makeUpOf,
  measureCategories,
  movedCategories,
  type StretchMakeUp,
} from './moved-categories.ts';
import { type Present, readPresent } from './present.ts';
import { BARS, RULE, ruleInWords } from './rule.ts';
import {
  GATES,
  QUARTER_MS,
  type Scan,
  scanWindow,
  scoreOf,
  strongestQuarter,
  TRIES,
  type Tries,
  tailFor,
} from './scan.ts';
import { finishedPoints, gridOf, knownShare, type Totals, totalsBetween } from './series.ts';
import { learnedSite, type Site } from './site.ts';
import { deviation } from './tail.ts';
import type { Level, StrongestPart, Verdict } from './verdict.ts';

export interface JudgeInput {
  /** The window in question, half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The window and the hours before it in one timeline. */
  readonly recent: Timeline;
  /** The weeks before, in pieces of any length and interval; what the service did not give is left out. */
  readonly history: readonly Timeline[];
  /** How much earlier the same hours lie, by the calendar. */
  readonly lags: Lags;
  /** `null` where the service gave none. */
  readonly categories: CategoryCounts | null;
  /** The score from which something is called; that of a check unless given. */
  readonly bar?: number;
  /** What is usual as it was known then: what began at that time has no part in it. */
  readonly usualAsOfMs?: number;
  /** The only drop to look at, where one is known. */
  readonly drop?: KnownDrop;
}

/** A smaller known share of the window is not enough to judge it by. */
const LEAST_WINDOW = 0.34;
/** So much of the past must be known. */
const LEAST_PAST_MS = HOUR_MS;
const LONG_MS = 24 * HOUR_MS;
/** Those of an hour take less than a millisecond, those of forty days several. */
const STEPS_AT_ONCE = 300;

/** Stops between parts of the work, so that who asks can let others work in between. */
export function* judge(input: JudgeInput): Generator<void, Verdict> {
  const { recent, fromMs, toMs, usualAsOfMs } = input;
  const window = gridOf({ fromMs, toMs }, recent);
  if (window === null) return notEnoughData(input, 'No interval of the window is finished and has a number.');
  // A window of days is its own past as well.
  const isLong = toMs - fromMs >= LONG_MS && usualAsOfMs === undefined;
  const site = yield* learnedSite(isLong ? [...input.history, recent] : input.history, input.lags);
  const present = readPresent(recent, window.grid, window.windowStart, site, usualAsOfMs);
  const { grid, windowStart } = present;
  if (grid.length > STEPS_AT_ONCE) yield;
  if (knownShare(present.attacks, windowStart, grid.length) < LEAST_WINDOW) {
    return notEnoughData(input, 'Most of the window has no data.');
  }
  if (present.knownBeforeMs + pastMsOf(site) < LEAST_PAST_MS) {
    return notEnoughData(input, 'There is next to nothing to compare with.');
  }
  const makeUp = makeUpOf(input.categories, present, site, triesOf(input));
  const scan = yield* scanWindow(present, site, input.bar ?? BARS.check, triesOf(input), makeUp);
  return scan === null
    ? notEnoughData(input, 'There is nothing to compare with.')
    : judgePresent(input, present, site, scan, makeUp);
}

/** Who has a bar of its own looks again and again for what has just begun. */
const askerOf = ({ bar }: JudgeInput) => (bar === undefined ? 'check' : 'watch');
const triesOf = (input: JudgeInput): Tries => TRIES[askerOf(input)];

const pastMsOf = (site: Site | null): number => (site === null ? 0 : site.past.knownSteps * site.past.stepMs);

function judgePresent(
  input: JudgeInput,
  present: Present,
  site: Site | null,
  { oddest, called, telling }: Scan,
  makeUp: StretchMakeUp | null,
): Verdict {
  const { recent, fromMs, categories, bar = BARS.check, usualAsOfMs } = input;
  const { grid } = present;
  const judgedToMs = grid.fromMs + grid.length * grid.stepMs;
  const windowMs = judgedToMs - fromMs;
  const totals = totalsBetween(recent, fromMs, judgedToMs);
  const tail = tailFor(windowMs, present, site);
  // What two weeks had at that time by chance as well excuses a call; it is not what is usual.
  const { expected, high, low } = expectedInWindow(present, usualAsOfMs === undefined ? site : null, tail);

  const measured = categories === null ? null : measureCategories(categories, expected, totals.attacks, tail.spread);
  const latest = latestOf(categories, expected, totals, tail.spread);
  const tries = triesOf(input);
  const aloneScore = (category: MeasuredCategory): number =>
    scoreAlone(category, expected, windowMs, { present, site, tries });
  const moved = measured === null ? [] : movedCategories(measured, latest, (each) => aloneScore(each) >= bar);
  const total = oddest.matters ? oddest.score : Math.min(oddest.score, MATTERS_NOT);
  const score = Math.max(0, total, ...(measured ?? []).map(aloneScore));
  const stretch = called ?? oddest;
  const strongest = onClock(stretch, grid);
  const expectedIn = expectedPerInterval(present, recent.intervalMs);
  const finished = finishedPoints(recent).filter(({ endMs }) => endMs <= judgedToMs);
  const alone = called === null ? moved.find(({ stands }) => stands) : undefined;
  const wave =
    called !== null
      ? changePoints(finished, recent.intervalMs, strongest, ({ endMs }) => expectedIn(endMs) ?? 0)
      : alone !== undefined && categories !== null
        ? categorySpan(categories, alone)
        : null;
  // A wave that has just begun has no quarter of an hour yet: then it is as strong as it has been so far.
  const soFar = wave === null ? [] : [partBetween(finished, recent.intervalMs, wave.onsetMs, wave.endMs, expectedIn)];
  const isFresh = wave !== null && wave.endMs - wave.onsetMs < QUARTER_MS;
  const isShort = strongest.toMs - strongest.fromMs <= QUARTER_MS;
  const parts = [...(isShort ? [strongest] : []), ...(isFresh ? soFar : []), onClock(strongestQuarter(present), grid)];
  const peak = parts.find(isSurge) ?? null;
  const level: Level =
    called !== null ? (peak === null ? 'elevated' : 'surge') : alone === undefined ? 'calm' : 'elevated';
  const ongoing = wave === null ? (level === 'calm' ? false : null) : judgedToMs - wave.endMs < 2 * grid.stepMs;

  const before = totalsBetween(recent, recent.fromMs, fromMs);
  const shares = { share: shareOf(totals), shareBefore: shareOf(before) };
  const visitorFactor = visitorsNow(present);
  const drops = findDrops(recent, present, { fromMs, rule: DROP_RULES[askerOf(input)], site, known: input.drop });
  const kindEvidence: KindEvidence = {
    excess: stretch.observed - stretch.expected,
    ...compareRequests(present, stretch),
    visitorFactor,
    ...shares,
    categories: latest ?? measured,
  };
  const facts = { level, fromMs, toMs: judgedToMs, observed: totals.attacks, ...shares, visitorFactor, moved, drops };
  return {
    ...facts,
    score,
    bar,
    totals,
    expected,
    expectedFromMs: grid.fromMs + present.windowStart * grid.stepMs,
    usual: { low, high },
    references: [
      ...(before.knownMs === 0 ? [] : [{ name: 'the hours before', shiftMs: null, totals: before }]),
      ...sameHours(input.history, input.lags, fromMs, judgedToMs),
    ],
    strongest,
    telling: telling === null ? null : onClock(telling, grid),
    wanted: makeUp?.wanted ?? [],
    onsetMs: wave?.onsetMs ?? null,
    ongoing,
    endedMs: wave === null || ongoing ? null : wave.endMs,
    seenUntilMs: wave?.endMs ?? null,
    categories: (measured ?? []).map(({ name, observed, expected: due, likely }) => ({
      name,
      observed,
      expected: due,
      likely,
    })),
    kind: anomalyKind(kindEvidence, level === 'calm'),
    confidence: confidenceIn(level !== 'calm', score),
    completeness: missingData(present, pastMsOf(site), recent.stale),
    ...explain({
      ...facts,
      expected,
      usual: { low, high },
      called: called === null ? null : { part: strongest, score: called.score },
      madeUp: called !== null && called.from === makeUp?.from && called.to === makeUp.to ? makeUp : null,
      peak,
    }),
    rule: ruleInWords(bar),
    band: usualBand(recent, fromMs, present),
  };
}

/** Below every bar: whatever its chance, it is too little to matter. */
const MATTERS_NOT = 1;

/** The categories of the latest part of what is odd; what is expected of them is what is expected of it. */
function latestOf(
  categories: CategoryCounts | null,
  expected: number,
  { attacks }: Totals,
  spread: number,
): MeasuredCategory[] | null {
  if (categories === null || categories.latest === null) return null;
  const { window, latest } = categories;
  const part = (latest.toMs - latest.fromMs) / Math.max(1, window.toMs - window.fromMs);
  return measureCategories({ ...categories, window: latest }, expected * part, attacks * part, spread);
}

/**
 * As if the category's excess had come on top of a window that is otherwise exactly as expected; twice that of one that
 * was not there in any of the times compared with, because a new kind of attack is odd in itself.
 */
function scoreAlone(
  { observed, expected: usual, deviates }: MeasuredCategory,
  expected: number,
  windowMs: number,
  { present, site, tries }: { readonly present: Present; readonly site: Site | null; readonly tries: Tries },
): number {
  const excess = observed - usual;
  const perHour = (expected * HOUR_MS) / windowMs;
  const isClear = deviates >= CATEGORY_RULE.aloneDeviations && observed >= CATEGORY_RULE.aloneRatio * usual;
  if (!isClear || excess < Math.max(GATES.excess, GATES.hourShare * perHour)) return 0;
  const tail = tailFor(windowMs, present, site);
  const counted = usual < CATEGORY_RULE.newBelow ? CATEGORY_RULE.newWeight * excess : excess;
  return Math.max(
    0,
    scoreOf(tail.near(expected), deviation(expected + counted, expected, tail.spread), windowMs, tries),
  );
}

function notEnoughData({ fromMs, toMs, recent, bar = BARS.check }: JudgeInput, why: string): Verdict {
  const untilMs = Math.min(toMs, recent.settledUntilMs);
  const totals = totalsBetween(recent, fromMs, untilMs);
  return {
    level: 'not_enough_data',
    score: null,
    bar,
    fromMs,
    toMs: Math.max(fromMs, untilMs),
    totals,
    observed: totals.attacks,
    expected: null,
    usual: null,
    references: [],
    strongest: null,
    onsetMs: null,
    ongoing: null,
    endedMs: null,
    seenUntilMs: null,
    share: shareOf(totals),
    shareBefore: null,
    visitorFactor: 1,
    categories: [],
    moved: [],
    drops: [],
    kind: null,
    confidence: null,
    completeness: [],
    sentence: why,
    reasons: [why],
    rule: ruleInWords(bar),
    band: [],
  };
}

const isSurge = ({ observed, expected, ratio }: StrongestPart): boolean =>
  ratio >= RULE.surgeRatio && observed - expected >= RULE.surgeExcess;
