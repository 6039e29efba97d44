/**
 * Replays a watch over past episodes: the same steps as a running watch, on the records that it would have read at each
 * moment.
 */
import { inTurns } from '../../clock.ts';
import { BLOCK_MS, blockStart } from '../../episodes/block.ts';
import type { EpisodeRecord } from '../../episodes/episode.ts';
import type { EpisodeLog } from '../../episodes/episode-log.ts';
import type { DropKind } from '../../episodes/verdict/index.ts';
import { SETTLE_MS } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import type { Hold } from '../recurrence/time-window.ts';
import { advanceThrough, pendingUpdate } from './episode-lifecycle.ts';
import { evaluationAt } from './evaluate.ts';
import type { Evaluation } from './observation.ts';
import { withOneAlert } from './one-alert.ts';
import { PAGE_KINDS } from './paging.ts';
import { withShown } from './publish-episode.ts';
import { DEFAULT_EVERY_MS } from './watch-rule.ts';
import {
  allEpisodesOf,
  courseOf,
  coursesOf,
  INITIAL_STATE,
  type PastEpisode,
  type WatchedEpisode,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';

interface ReplayedMessage {
  readonly atMs: number;
  /** What notifies people: a new alert, one that joins it or says that it got worse, and an end. Edits notify nobody. */
  readonly kind: 'new' | 'update' | 'over';
  readonly level: WatchedEpisode['level'];
  readonly onsetMs: number;
  readonly drop?: (typeof PAGE_KINDS)[DropKind];
}

export interface ReplayedWatch {
  readonly messages: readonly ReplayedMessage[];
  /** The last ones, oldest first. */
  readonly episodes: readonly PastEpisode[];
}

interface ReplayTimes {
  /** The first evaluation, and the end of the last. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly everyMs?: number;
  /** When alerts are held back. */
  readonly holds?: readonly Hold[];
}

/** The records of any length of time, oldest first, and the share of that time that could be judged. */
export async function recordsBetween(
  log: EpisodeLog,
  { fromMs, toMs, ...whose }: Parameters<EpisodeLog['within']>[0],
): Promise<{ records: EpisodeRecord[]; known: number }> {
  const parts: { fromMs: number; toMs: number }[] = [];
  for (let startMs = blockStart(fromMs); startMs < toMs; startMs += BLOCK_MS) {
    parts.push({ fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, startMs + BLOCK_MS) });
  }
  const lists = await Promise.all(parts.map((part) => log.within({ ...whose, ...part })));
  const found = new Map(lists.flatMap((list) => list?.episodes ?? []).map((episode) => [episode.id, episode]));
  const judgedMs = parts.reduce((sum, part, at) => sum + (lists[at]?.judged ? part.toMs - part.fromMs : 0), 0);
  return {
    records: [...found.values()].toSorted((a, b) => a.onsetMs - b.onsetMs),
    known: judgedMs / Math.max(1, toMs - fromMs),
  };
}

/** A watch for anything unusual that alerts from a strength on. */
export function replayRecords(
  episodes: readonly EpisodeRecord[],
  bar: number,
  times: ReplayTimes,
): Promise<ReplayedWatch> {
  return replayEvaluations(times, (nowMs) => evaluationAt(episodes, nowMs - SETTLE_MS, bar));
}

/** Any watch, by what it would have seen at each moment. */
export function replayEvaluations(
  times: ReplayTimes,
  evaluateAt: (nowMs: number) => Evaluation,
): Promise<ReplayedWatch> {
  return inTurns(replaying(times, evaluateAt));
}

/** Other work gets the event loop after each part. */
const PART_MS = 4 * HOUR_MS;

function* replaying(
  { fromMs, toMs, everyMs = DEFAULT_EVERY_MS, holds = [] }: ReplayTimes,
  evaluateAt: (nowMs: number) => Evaluation,
): Generator<void, ReplayedWatch> {
  const messages: ReplayedMessage[] = [];
  let record: WatchRecord = INITIAL_STATE;
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += everyMs) {
    record = advanceThrough(record, [evaluateAt(nowMs)], nowMs, { holds });
    for (const course of coursesOf(record)) {
      // An alert that joins another one waits until that is posted.
      record = withOneAlert(record);
      const state = courseOf(record, course);
      if (pendingUpdate(state) === null) continue;
      record = withCourse(record, course, published(state, nowMs, messages));
    }
    if ((nowMs - fromMs) % PART_MS === 0) yield;
  }
  return { messages, episodes: allEpisodesOf(record) };
}

function published(before: WatchState, nowMs: number, messages: ReplayedMessage[]): WatchState {
  let state = before;
  for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
    const { episode, message } = state;
    if (episode !== null && (update.is === 'post' || update.is === 'close')) {
      const isUpdate = episode.joins !== undefined || message?.news === 'worse' || message?.news === 'jump';
      const kind = update.is === 'close' ? 'over' : isUpdate ? 'update' : 'new';
      const level = kind === 'over' ? episode.worst : episode.level;
      const drop = episode.drop === undefined ? {} : { drop: PAGE_KINDS[episode.drop] };
      messages.push({ atMs: nowMs, kind, level, onsetMs: episode.onsetMs, ...drop });
    }
    state = withShown(state, update, `${nowMs}-${update.key}`);
  }
  return state;
}
