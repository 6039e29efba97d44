/** What a watch and the plain methods would have told a channel in a week, and how much of it was worth telling. */
import { createEpisodeLog } from '../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { recordsBetween, replayRecords } from '../../src/subscriptions/watch/replay.ts';
import { callingStrength, SENSITIVITIES } from '../../src/subscriptions/watch/sensitivity.ts';
import { PLAIN_METHODS } from './methods/plain-methods.ts';
import { alarmsOf, STEP_MS, stepsUntil } from './methods/steps.ts';
import type { LabelledStream, StreamEvent } from './streams.ts';

export interface Told {
  /** Messages that no event explains. */
  readonly wrong: number;
  /** For each detectable event, minutes until it was told; `null` where it never was. */
  readonly delays: readonly (number | null)[];
}

export interface StreamOutcome extends Pick<LabelledStream, 'id' | 'site' | 'circumstance' | 'events'> {
  readonly weeks: number;
  /** The watch at each of `WATCH_BARS`. */
  readonly watched: readonly Told[];
  /** The plain methods in their order. */
  readonly methods: readonly Told[];
}

/** The settings that people can choose, then bars in between and beyond, for the trade-off. */
export const WATCH_BARS: readonly (readonly [name: string, calls: number])[] = [
  ...SENSITIVITIES.map((name) => [name, callingStrength(name)] as const),
  ...[1.6, 1.8, 2.2, 3].map((strength) => [`from ${strength}`, strength] as const),
];
export const NORMAL = SENSITIVITIES.indexOf('normal');

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
/** An event is told while it lasts or right after; a message up to an hour after it is still about it. */
const RIGHT_AFTER_MS = 15 * MINUTE_MS;
const ABOUT_MS = 60 * MINUTE_MS;
/** A plain method is given the same patience as a watch: after an alarm it is silent for two hours. */
const QUIET_MS = 2 * 60 * MINUTE_MS;
const UNSETTLED_MS = 3 * MINUTE_MS;

export async function streamOutcome(stream: LabelledStream, withMethods = true): Promise<StreamOutcome> {
  const { id, site, circumstance, events, fromMs, toMs, zone, numbers } = stream;
  const statistics = recordedStatistics(numbers)(toMs);
  const log = createEpisodeLog({ statistics, blocks: null, nowMs: () => toMs, zone });
  const { records } = await recordsBetween(log, { fromMs, toMs, hosts: [] });
  const replayed = await Promise.all(WATCH_BARS.map(([, calls]) => replayRecords(records, calls, { fromMs, toMs })));
  return {
    id,
    site,
    circumstance,
    events,
    weeks: (toMs - fromMs) / WEEK_MS,
    watched: replayed.map(({ messages }) => {
      const posts = messages.filter(({ kind, drop }) => kind !== 'over' && drop === undefined).map(({ atMs }) => atMs);
      return toldBy(posts, posts, events);
    }),
    methods: withMethods ? plainTold(stream) : [],
  };
}

/** `alarms` may be more than the messages that are posted: an event in the silence after a message counts as found. */
function toldBy(posts: readonly number[], alarms: readonly number[], events: readonly StreamEvent[]): Told {
  const isAbout = (atMs: number, event: StreamEvent): boolean => atMs >= event.fromMs && atMs <= event.toMs + ABOUT_MS;
  return {
    wrong: posts.filter((atMs) => !events.some((event) => isAbout(atMs, event))).length,
    delays: events
      .filter(({ detectable }) => detectable)
      .map((event) => {
        const first = alarms.find((atMs) => atMs >= event.fromMs && atMs <= event.toMs + RIGHT_AFTER_MS);
        return first === undefined ? null : (first - event.fromMs) / MINUTE_MS;
      }),
  };
}

function plainTold({ numbers, fromMs, toMs, events }: LabelledStream): Told[] {
  const steps = stepsUntil(numbers, toMs);
  const from = steps.length - Math.floor((toMs - fromMs) / STEP_MS);
  return PLAIN_METHODS.map((method) => {
    const posts: number[] = [];
    const alarms: number[] = [];
    alarmsOf(method, steps, from).forEach((alarmed, at) => {
      // Told when the numbers of the step are complete.
      const atMs = fromMs + (at + 1) * STEP_MS + UNSETTLED_MS;
      if (alarmed) alarms.push(atMs);
      if (alarmed && atMs - (posts.at(-1) ?? Number.NEGATIVE_INFINITY) >= QUIET_MS) posts.push(atMs);
    });
    return toldBy(posts, alarms, events);
  });
}

export interface StreamMeasures {
  /** In a channel and week. */
  readonly wrong: number;
  readonly found: number;
  /** Minutes, over those found. */
  readonly delay: number;
}

export function streamMeasures(
  outcomes: readonly StreamOutcome[],
  pick: (outcome: StreamOutcome) => Told | undefined,
): StreamMeasures {
  const weeks = outcomes.reduce((sum, outcome) => sum + outcome.weeks, 0);
  const told = outcomes.map(pick);
  const wrong = told.reduce((sum, each) => sum + (each?.wrong ?? 0), 0);
  const delays = told.flatMap((each) => each?.delays ?? []);
  const found = delays.filter((delay) => delay !== null).sort((a, b) => a - b);
  return {
    wrong: wrong / weeks,
    found: delays.length === 0 ? Number.NaN : found.length / delays.length,
    delay: found[Math.floor((found.length - 1) / 2)] ?? Number.NaN,
  };
}
