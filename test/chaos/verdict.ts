/** Counts what should have been told against what was: due time by due time, digest by digest. */
import type { Post } from './slack-peer.ts';

export interface Tally {
  /** Due times of all digests in the time that was tested. */
  readonly expected: number;
  readonly delivered: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly messages: number;
}

/** A late message stands for all the due times in its window; a slot told twice or a run posted twice is a duplicate. */
export function tally(
  posts: readonly Post[],
  jobs: readonly string[],
  fromMs: number,
  toMs: number,
  everyMs: number,
): Tally {
  const told = new Map(jobs.map((job) => [job, new Map<number, number>()]));
  const runs = new Set<string>();
  let duplicated = 0;
  for (const { runId, from, to } of posts) {
    if (runs.has(runId)) duplicated += 1;
    runs.add(runId);
    const slots = told.get(runId.slice(0, runId.indexOf('@')));
    for (let slot = Date.parse(from) + everyMs; slots && slot <= Date.parse(to); slot += everyMs) {
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
    }
  }
  let expected = 0;
  let delivered = 0;
  for (const slots of told.values()) {
    for (let slot = fromMs + everyMs; slot <= toMs; slot += everyMs) {
      const times = slots.get(slot) ?? 0;
      expected += 1;
      if (times > 0) delivered += 1;
      if (times > 1) duplicated += times - 1;
    }
  }
  return { expected, delivered, lost: expected - delivered, duplicated, messages: posts.length };
}
