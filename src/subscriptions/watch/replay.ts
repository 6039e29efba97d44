/**
 * What a watch would have told a channel: its looks over a past time, through the same evaluation and the same lifecycle
 * as a watch that runs, on numbers that are already here.
 */
import type { Statistics } from '../../commands/ports.ts';
import { advance, pendingUpdate } from './episode-lifecycle.ts';
import { evaluate } from './evaluate.ts';
import { withShown } from './publish-episode.ts';
import { DEFAULT_EVERY_MS, type WatchRule } from './watch-rule.ts';
import { INITIAL_STATE, type WatchState } from './watch-state.ts';

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
}

export async function replayWatch(query: ReplayQuery): Promise<ReplayedMessage[]> {
  const { statisticsAt, rule, hosts, zone, fromMs, toMs, everyMs = DEFAULT_EVERY_MS } = query;
  const messages: ReplayedMessage[] = [];
  let state: WatchState = INITIAL_STATE;
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += everyMs) {
    const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
    const { observation } = await evaluate(statisticsAt(nowMs), { rule, hosts, zone, now });
    state = advance(state, observation, nowMs);
    const update = pendingUpdate(state);
    const { episode } = state;
    if (update === null || episode === null) continue;
    state = withShown(state, update, String(nowMs));
    if (update.is === 'edit') continue;
    const kind = update.is === 'post' ? 'new' : 'over';
    messages.push({
      atMs: nowMs,
      kind,
      level: kind === 'over' ? episode.worst : episode.level,
      onsetMs: episode.onsetMs,
    });
  }
  return messages;
}
