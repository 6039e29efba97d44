/** Counts what should have been told against what was: due time by due time, digest by digest. */
import type { Post } from './slack-peer.ts';

/** The due times of a digest that fall into the test. */
export type DueTimes = ReadonlyMap<string, readonly number[]>;

export interface Tally {
  /** Due times of all digests in the time that was tested. */
  readonly expected: number;
  /** Told by a message of its own within a minute. */
  readonly onTime: number;
  /** Told by a message that says that it is late. */
  readonly late: number;
  /** Told later, or by the message of another due time, without a word about it. */
  readonly unmarked: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly messages: number;
  /** From the due time to the message, of those with a message of their own. */
  readonly slowestMs: number;
}

/** Until when a digest due at an instant covers. */
type CoversTo = (dueAt: Temporal.Instant) => Temporal.Instant;

const ON_TIME_MS = 60_000;

/** A due time told twice, or a run posted twice, is a duplicate. */
export function tally(posts: readonly Post[], dueTimes: DueTimes, coversTo: CoversTo): Tally {
  const byJob = Map.groupBy(posts, ({ runId }) => runId.slice(0, runId.indexOf('@')));
  let duplicated = posts.length - new Set(posts.map(({ runId }) => runId)).size;
  let slowestMs = 0;
  const counts = { expected: 0, onTime: 0, late: 0, unmarked: 0, lost: 0 };
  for (const [job, dues] of dueTimes) {
    for (const dueMs of dues) {
      const toMs = coversTo(Temporal.Instant.fromEpochMilliseconds(dueMs)).epochMilliseconds;
      const [first, ...more] = (byJob.get(job) ?? []).filter(
        ({ from, to }) => Date.parse(from) < toMs && toMs <= Date.parse(to),
      );
      const outcome = outcomeOf(first, dueMs, toMs);
      if (first !== undefined && outcome === 'onTime') slowestMs = Math.max(slowestMs, first.atMs - dueMs);
      counts.expected += 1;
      duplicated += more.filter(({ runId }) => runId !== first?.runId).length;
      counts[outcome] += 1;
    }
  }
  return { ...counts, duplicated, messages: posts.length, slowestMs };
}

function outcomeOf(post: Post | undefined, dueMs: number, toMs: number): 'onTime' | 'late' | 'unmarked' | 'lost' {
  if (post === undefined) return 'lost';
  if (post.late) return 'late';
  return Date.parse(post.to) === toMs && post.atMs <= dueMs + ON_TIME_MS ? 'onTime' : 'unmarked';
}
