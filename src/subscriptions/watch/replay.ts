/**
 * Replays a watch over past data: the same evaluation and the same lifecycle as a running watch, on statistics that have
 * already been fetched.
 */
import type { Level } from '../../episodes/verdict/index.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { advance, pendingUpdate } from './episode-lifecycle.ts';
import { confirmCalm, type Evaluation, evaluate, evaluateDrop } from './evaluate.ts';
import { type CallingBar, type Observation, observeVerdict } from './observation.ts';
import { withShown } from './publish-episode.ts';
import { barNow, callingBar } from './sensitivity.ts';
import { DEFAULT_EVERY_MS, type WatchRule } from './watch-rule.ts';
import {
  allEpisodesOf,
  COURSES,
  type Course,
  courseOf,
  DROP_COURSES,
  INITIAL_STATE,
  isOpen,
  type PastEpisode,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';

export interface ReplayedMessage {
  readonly atMs: number;
  /** What notifies people: a new episode, an update of an ongoing one, and its end. Edits notify nobody. */
  readonly kind: 'new' | 'update' | 'over';
  /** For a drop, the verdict's level at that time. */
  readonly level: Level;
  readonly onsetMs: number;
  readonly drop?: 'attacks_gone' | 'visitors_gone';
}

interface ReplayQuery {
  /** The statistics as they were at an instant. */
  readonly statisticsAt: (nowMs: number) => Statistics;
  readonly rule: WatchRule;
  readonly hosts: readonly string[];
  readonly zone: string;
  /** The first evaluation, and the end of the last. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly everyMs?: number;
  /** Awaited between evaluations, so that a long replay doesn't block other work. */
  readonly yieldToOthers?: () => Promise<unknown>;
  /** Evaluate hours in which nothing comes near a bar only twice. */
  readonly inStrides?: boolean;
}

export interface ReplayedWatch {
  readonly messages: readonly ReplayedMessage[];
  /** The last ones, oldest first. */
  readonly episodes: readonly PastEpisode[];
}

export async function replayWatch(query: ReplayQuery, bar = callingBar()): Promise<readonly ReplayedMessage[]> {
  const [replayed] = await replayAtBars(query, [bar]);
  return replayed?.messages ?? [];
}

const STRIDE_MS = 25 * 60_000;
/** A score within this distance of the lowest bar may exceed it between two strides. */
const NEAR = 0.5;

const isIdle = (record: WatchRecord): boolean =>
  COURSES.map((course) => courseOf(record, course)).every((state) => state.suspicion === null && !isOpen(state));

/** Replays several watches that differ only in their bar: each point in time is evaluated once. */
export async function replayAtBars(replay: ReplayQuery, bars: readonly CallingBar[]): Promise<ReplayedWatch[]> {
  const { statisticsAt, rule, hosts, zone, fromMs, toMs, everyMs = DEFAULT_EVERY_MS, yieldToOthers } = replay;
  const lowest = bars.toSorted((a, b) => a.calls - b.calls)[0] ?? callingBar();
  const watches = bars.map((bar) => ({ bar, state: INITIAL_STATE as WatchRecord, messages: [] as ReplayedMessage[] }));
  const evaluateAt = (nowMs: number): Promise<Evaluation> => {
    const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
    return evaluate(statisticsAt(nowMs), { rule, bar: lowest, hosts, zone, now });
  };
  const stride = replay.inStrides === true && rule.kind === 'verdict' ? Math.floor(STRIDE_MS / everyMs) * everyMs : 0;
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += everyMs) {
    const aheadMs = nowMs + stride;
    if (stride > 0 && aheadMs <= toMs && watches.every(({ state }) => isIdle(state))) {
      // The hour before the stride's end includes everything that the skipped evaluations would see.
      const { verdict } = await evaluateAt(aheadMs);
      await yieldToOthers?.();
      if (verdict?.score != null && verdict.score < lowest.calls - NEAR && verdict.drops.length === 0) {
        nowMs = aheadMs;
        continue;
      }
    }
    const evaluation = await evaluateAt(nowMs);
    for (const watch of watches) {
      const { state, messages } = watch;
      const bar = barNow(watch.bar, state, nowMs);
      const { verdict } = evaluation;
      const seen = verdict === null ? evaluation.observation : observeVerdict(verdict, bar);
      const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
      const query = { rule, bar, hosts, zone, now };
      const openIn = (course: Course) => {
        const current = courseOf(state, course);
        return isOpen(current) ? current.episode : null;
      };
      const statistics = statisticsAt(nowMs);
      const report = (message: ReplayedMessage) => messages.push(message);
      const observation = await confirmCalm(statistics, query, seen, openIn('rise'));
      watch.state = withCourse(state, 'rise', step(state, observation, nowMs, report));
      for (const what of rule.kind === 'verdict' ? DROP_COURSES : []) {
        const dropped = await evaluateDrop(statistics, query, evaluation, what, openIn(what));
        const level = verdict?.level ?? 'not_enough_data';
        const next = step(courseOf(watch.state, what), dropped, nowMs, (message) =>
          report({ ...message, level, drop: what === 'attacks' ? 'attacks_gone' : 'visitors_gone' }),
        );
        watch.state = withCourse(watch.state, what, next);
      }
    }
    await yieldToOthers?.();
  }
  return watches.map(({ state, messages }) => ({ messages, episodes: allEpisodesOf(state) }));
}

function step(
  before: WatchState,
  observation: Observation,
  nowMs: number,
  report: (message: ReplayedMessage) => unknown,
): WatchState {
  let state = advance(before, observation, nowMs);
  for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
    const { episode, message } = state;
    if (episode !== null && (update.is === 'post' || update.is === 'close')) {
      const isNews = message?.news === 'worse' || message?.news === 'another kind';
      const kind = update.is === 'close' ? 'over' : isNews ? 'update' : 'new';
      const level = kind === 'over' ? episode.worst : episode.level;
      report({ atMs: nowMs, kind, level, onsetMs: episode.onsetMs });
    }
    state = withShown(state, update, `${nowMs}-${update.key}`);
  }
  return state;
}
