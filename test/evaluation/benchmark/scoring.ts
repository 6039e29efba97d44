/** How good a method's answers are, by group of event and by cause of a false alarm. */
import { type Estimate, medianOf, rateOf, shareOf } from './intervals.ts';
import type { Answers, EventLabel, Group, Labels, WeekAnswer, WeekLabel, WindowAnswer, WindowLabel } from './labels.ts';

/** From which score on a method alarms; `null` if it decides by itself. */
export interface Thresholds {
  readonly window: number | null;
  readonly windowDrop: number | null;
  readonly week: number | null;
  readonly weekDrop: number | null;
}

type ThresholdsOf = (label: { readonly seed: number }) => Thresholds;

export const OWN_DECISION: Thresholds = { window: null, windowDrop: null, week: null, weekDrop: null };

export interface WindowFigures {
  /** Right among all alarms; every other window has an event. */
  readonly precision: Estimate;
  /** Of the detectable events of a group. */
  readonly recall: Readonly<Record<Group, Estimate>>;
  /** Of the windows without any event. */
  readonly falseAlarms: Estimate;
  readonly falseDrops: Estimate;
  readonly falseByCause: Readonly<Record<string, Estimate>>;
}

export interface WeekFigures {
  /** In a week. */
  readonly falseMessages: Estimate;
  readonly falseDrops: Estimate;
  readonly falseByCause: Readonly<Record<string, Estimate>>;
  /** Of the detectable events of a group, while they go on or right after. */
  readonly found: Readonly<Record<Group, Estimate>>;
  /** Minutes from an event's beginning to the first message, over rises and mixes found. */
  readonly delay: Estimate;
}

export function scoreWindows(
  labels: readonly WindowLabel[],
  answers: ReadonlyMap<string, WindowAnswer>,
  thresholdsOf: ThresholdsOf,
): WindowFigures {
  const alarmed = (label: WindowLabel): boolean => isAlarm(answers.get(label.id), thresholdsOf(label).window);
  const dropped = (label: WindowLabel): boolean => isDrop(answers.get(label.id), thresholdsOf(label).windowDrop);
  const worldOf = ({ world }: WindowLabel): string => world;
  const normal = labels.filter(({ group }) => group === null);
  const others = labels.filter(({ group }) => group !== 'drop');
  const found = (group: Group): Estimate =>
    shareOf(
      labels.filter((label) => label.group === group && label.detectable),
      group === 'drop' ? dropped : alarmed,
      worldOf,
    );
  return {
    precision: shareOf(others.filter(alarmed), ({ group }) => group !== null, worldOf),
    recall: { rise: found('rise'), mix: found('mix'), 'slow burn': found('slow burn'), drop: found('drop') },
    falseAlarms: shareOf(normal, alarmed, worldOf),
    falseDrops: shareOf(normal, dropped, worldOf),
    falseByCause: byCause(normal, (some) => shareOf(some, alarmed, worldOf)),
  };
}

function byCause<Label extends { readonly cause: string }>(
  labels: readonly Label[],
  measure: (some: readonly Label[]) => Estimate,
): Record<string, Estimate> {
  const groups = [...Map.groupBy(labels, ({ cause }) => cause)].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(groups.map(([cause, some]) => [cause, measure(some)]));
}

const passes = (score: number | null | undefined, threshold: number): boolean =>
  score !== null && score !== undefined && score > threshold;

function isAlarm(answer: WindowAnswer | undefined, threshold: number | null): boolean {
  if (threshold !== null) return passes(answer?.score, threshold);
  return answer?.alarm ?? (answer?.level === 'elevated' || answer?.level === 'surge');
}

function isDrop(answer: WindowAnswer | undefined, threshold: number | null): boolean {
  if (threshold !== null) return passes(answer?.dropScore, threshold);
  return answer?.drop ?? (answer?.drops ?? []).length > 0;
}

const MINUTE_MS = 60_000;
const STEP_MS = 5 * MINUTE_MS;
/** The last three minutes are still being filled when a method is asked. */
export const UNSETTLED_MS = 3 * MINUTE_MS;
/** After a message from scores there is none for two hours. */
const SILENCE_MS = 120 * MINUTE_MS;
/** An event is found while it lasts or right after; a message up to an hour after it is still about it. */
const RIGHT_AFTER_MS = 15 * MINUTE_MS;
const ABOUT_MS = 60 * MINUTE_MS;

/** The cause of false messages that isn't a week's own. */
const UNKNOWN_SCANNER = 'unknown scanner';

/** When a method alarmed, and which of that was sent. */
interface Sent {
  readonly alarms: readonly number[];
  readonly messages: readonly number[];
}

export function scoreWeeks(
  labels: readonly WeekLabel[],
  answers: ReadonlyMap<string, WeekAnswer>,
  thresholdsOf: ThresholdsOf,
): WeekFigures {
  const scored = labels.map((label) => {
    const rises = sentBy(label, answers.get(label.id), 'rises', thresholdsOf(label).week);
    const drops = sentBy(label, answers.get(label.id), 'drops', thresholdsOf(label).weekDrop);
    const wrong = falseMessages(label, rises);
    return {
      id: label.id,
      cause: label.cause,
      wrong,
      byScanner: wrong.filter((atMs) => label.unknownScanners.some(([from, to]) => isAbout(atMs, from, to))).length,
      wrongDrops: falseMessages(label, drops),
      events: label.events
        .filter(({ detectable }) => detectable)
        .map((event) => ({ id: label.id, ...event, delay: delayOf(event, event.group === 'drop' ? drops : rises) })),
    };
  });
  const events = scored.flatMap((week) => week.events);
  const found = (group: Group): Estimate =>
    shareOf(
      events.filter((event) => event.group === group),
      ({ delay }) => delay !== null,
      ({ id }) => id,
    );
  const prompt = events.filter(({ group }) => group === 'rise' || group === 'mix');
  return {
    falseMessages: rateOf(scored.map(({ wrong }) => wrong.length)),
    falseDrops: rateOf(scored.map(({ wrongDrops }) => wrongDrops.length)),
    falseByCause: {
      ...byCause(scored, (some) => rateOf(some.map(({ wrong, byScanner }) => wrong.length - byScanner))),
      [UNKNOWN_SCANNER]: rateOf(scored.map(({ byScanner }) => byScanner)),
    },
    found: { rise: found('rise'), mix: found('mix'), 'slow burn': found('slow burn'), drop: found('drop') },
    delay: medianOf(prompt.flatMap(({ delay }) => (delay === null ? [] : [delay]))),
  };
}

function sentBy(
  { fromMs }: WeekLabel,
  answer: WeekAnswer | undefined,
  what: 'rises' | 'drops',
  threshold: number | null,
): Sent {
  if (threshold === null) {
    const messages = (answer?.messages ?? [])
      .filter(({ kind, drop }) => kind !== 'over' && Boolean(drop) === (what === 'drops'))
      .map(({ atMs }) => atMs);
    return { alarms: messages, messages };
  }
  const scores = (what === 'rises' ? answer?.scores : answer?.dropScores) ?? [];
  const alarms: number[] = [];
  const messages: number[] = [];
  for (const [at, score] of scores.entries()) {
    if (!passes(score, threshold)) continue;
    const atMs = fromMs + (at + 1) * STEP_MS + UNSETTLED_MS;
    alarms.push(atMs);
    if (atMs - (messages.at(-1) ?? Number.NEGATIVE_INFINITY) >= SILENCE_MS) messages.push(atMs);
  }
  return { alarms, messages };
}

/** The messages that no event explains. */
function falseMessages({ events }: WeekLabel, { messages }: Sent): number[] {
  return messages.filter((atMs) => !events.some(({ fromMs, toMs }) => isAbout(atMs, fromMs, toMs)));
}

const isAbout = (atMs: number, fromMs: number, toMs: number): boolean => atMs >= fromMs && atMs <= toMs + ABOUT_MS;

function delayOf({ fromMs, toMs }: EventLabel, { alarms }: Sent): number | null {
  const first = alarms.find((atMs) => atMs >= fromMs && atMs <= toMs + RIGHT_AFTER_MS);
  return first === undefined ? null : (first - fromMs) / MINUTE_MS;
}

export interface FalseAlarmTargets {
  /** The share of normal windows that may alarm, and the messages that may be false in a week. */
  readonly windows: number;
  readonly weeks: number;
}

/** Nothing that has stopped is reported falsely more often than this, however often a rise is. */
const DROP_TARGETS: FalseAlarmTargets = { windows: 0.005, weeks: 0.05 };

/** The lowest thresholds that keep to the targets. */
export function chooseThresholds(
  { labels, answers }: { readonly labels: Labels; readonly answers: Answers },
  targets: FalseAlarmTargets,
): Thresholds {
  const normal = labels.windows.filter(({ group }) => group === null).map(({ id }) => answers.windows.get(id));
  const windowBar = (scores: readonly number[], target: number): number =>
    scores.toSorted((a, b) => b - a)[Math.floor(target * normal.length)] ?? 0;
  const weekBar = (what: 'rises' | 'drops', target: number): number =>
    lowestBar(
      labels.weeks.flatMap(({ id }) => scoresOf(answers.weeks.get(id), what)),
      (bar) =>
        labels.weeks.reduce(
          (sum, label) => sum + falseMessages(label, sentBy(label, answers.weeks.get(label.id), what, bar)).length,
          0,
        ) <=
        target * labels.weeks.length,
    );
  return {
    window: windowBar(
      normal.map((answer) => answer?.score ?? 0),
      targets.windows,
    ),
    windowDrop: windowBar(
      normal.map((answer) => answer?.dropScore ?? 0),
      DROP_TARGETS.windows,
    ),
    week: weekBar('rises', targets.weeks),
    weekDrop: weekBar('drops', DROP_TARGETS.weeks),
  };
}

const scoresOf = (answer: WeekAnswer | undefined, what: 'rises' | 'drops'): number[] =>
  ((what === 'rises' ? answer?.scores : answer?.dropScores) ?? []).map((score) => score ?? 0);

/** Halves the scores that come into question; the fewer pass, the fewer messages are false. */
function lowestBar(scores: readonly number[], isGood: (bar: number) => boolean): number {
  const sorted = Float64Array.from(new Set(scores)).sort();
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isGood(sorted[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return sorted[low] ?? 0;
}
