/**
 * What a watch would have told a channel: its looks over a past time, through the same evaluation and the same lifecycle
 * as a watch that runs, on numbers that are already here.
 */
import type { Statistics } from '../../commands/ports.ts';
import { advance, pendingUpdate } from './episode-lifecycle.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { observeVerdict } from './observation.ts';
import { withShown } from './publish-episode.ts';
import { type CallingBar, callingBar } from './sensitivity.ts';
import { DEFAULT_EVERY_MS, type WatchRule } from './watch-rule.ts';
import { episodesOf, INITIAL_STATE, type PastEpisode, type WatchState } from './watch-state.ts';

export interface ReplayedMessage {
  readonly atMs: number;
  /** What notifies people: a new episode, news of one that goes on, and its end. Edits notify nobody. */
  readonly kind: 'new' | 'update' | 'over';
  readonly level: 'elevated' | 'surge';
  readonly onsetMs: number;
}

interface ReplayQuery {
  /** The statistics as they were at an instant. */
  readonly statisticsAt: (nowMs: number) => Statistics;
  readonly rule: WatchRule;
  readonly hosts: readonly string[];
  readonly zone: string;
  /** The first look, and the last instant at which it may look. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly everyMs?: number;
  /** Waited for between looks, so that a long replay lets others work. */
  readonly breathe?: () => Promise<unknown>;
}

export interface ReplayedWatch {
  readonly messages: readonly ReplayedMessage[];
  /** The last ones, the oldest first. */
  readonly episodes: readonly PastEpisode[];
}

export async function replayWatch(query: ReplayQuery, bar = callingBar()): Promise<readonly ReplayedMessage[]> {
  const [replayed] = await replayAtBars(query, [bar]);
  return replayed?.messages ?? [];
}

/** Several watches that differ in their bar alone: each look is evaluated once. */
export async function replayAtBars(query: ReplayQuery, bars: readonly CallingBar[]): Promise<ReplayedWatch[]> {
  const { statisticsAt, rule, hosts, zone, fromMs, toMs, everyMs = DEFAULT_EVERY_MS, breathe } = query;
  const lowest = { calls: 0, looksToCall: 1, holds: Math.min(...bars.map(({ holds }) => holds)) };
  const watches = bars.map((bar) => ({ bar, state: INITIAL_STATE, messages: [] as ReplayedMessage[] }));
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += everyMs) {
    const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
    const evaluation = await evaluate(statisticsAt(nowMs), { rule, bar: lowest, hosts, zone, now });
    for (const watch of watches) {
      watch.state = look(watch.state, evaluation, nowMs, watch.bar, (message) => watch.messages.push(message));
    }
    await breathe?.();
  }
  return watches.map(({ state, messages }) => ({ messages, episodes: episodesOf(state) }));
}

function look(
  before: WatchState,
  { observation, verdict }: Evaluation,
  nowMs: number,
  bar: CallingBar,
  tell: (message: ReplayedMessage) => unknown,
): WatchState {
  const seen = verdict === null ? observation : observeVerdict(verdict, bar);
  let state = advance(before, seen, nowMs, bar);
  for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
    const { episode, message } = state;
    if (episode !== null && (update.is === 'post' || update.is === 'close')) {
      const isNews = message?.news === 'worse' || message?.news === 'another kind';
      const kind = update.is === 'close' ? 'over' : isNews ? 'update' : 'new';
      const level = kind === 'over' ? episode.worst : episode.level;
      tell({ atMs: nowMs, kind, level, onsetMs: episode.onsetMs });
    }
    state = withShown(state, update, `${nowMs}-${update.key}`);
  }
  return state;
}
