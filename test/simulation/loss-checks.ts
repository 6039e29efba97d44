/**
 * What must hold once the store was emptied: whoever ran then isn't ready, nothing more is posted or created, and each owner of a
 * digest or watch is told once. A process that starts later can't know.
 *
 * A reconciliation that had read a digest when the store was emptied may still schedule its job: BullMQ can't make that depend on
 * the record. Such a job finds nothing to run, and the next process that starts removes it.
 */
import { BotError } from '../../src/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import type { Replica, Surroundings } from './replica.ts';
import type { PostedMessage } from './slack-model.ts';
import type { Supervisor } from './supervisor.ts';

/** A call to Slack that was under way may still post. */
const UNDER_WAY_MS = 15 * SECOND_MS;
const CHECK_LIMIT_MS = 10 * SECOND_MS;
/** A reconciliation that is under way takes at most this long, on a slow store. */
const RECONCILIATION_MS = MINUTE_MS;
/** As long as a process takes to start once everything has healed. */
const START_LIMIT_MS = MINUTE_MS;
const NOTICE = 'Your digests and watches are gone';

export function createLossChecks({ world, store, queue, slack }: Surroundings, supervisor: Supervisor) {
  let witnesses: readonly Replica[] = [];
  let stillMs = 0;
  const addedLate: string[] = [];

  queue?.onAdded.push((id, life) => {
    const emptiedMs = store.emptiedMs();
    const sinceMs = Math.max(emptiedMs ?? Infinity, life.frozenUntilMs);
    if (world.nowMs() > sinceMs + RECONCILIATION_MS) addedLate.push(id);
  });

  store.onEmptied.push(() => {
    witnesses = supervisor.running();
    // What froze before it can only notice when it thaws.
    stillMs = Math.max(world.nowMs(), ...witnesses.map(({ life }) => life.frozenUntilMs)) + UNDER_WAY_MS;
  });

  async function isReady({ assertReady }: Replica): Promise<boolean> {
    try {
      await world.passFor(CHECK_LIMIT_MS, assertReady());
      return true;
    } catch (error) {
      return !(error instanceof BotError && error.reason?.is === 'storage_lost');
    }
  }

  /** Those that are left once another process has started. */
  async function leftoverJobs(): Promise<number> {
    if (queue === null || queue.count() === 0) return 0;
    supervisor.start('next');
    await world.passUntil(world.nowMs() + START_LIMIT_MS);
    return queue.count();
  }

  function wrongNotices(owners: ReadonlySet<string>): string[] {
    return [...owners].flatMap((owner) => {
      const told = slack.messages.filter(({ channel, text }) => channel === `D${owner}` && text.startsWith(NOTICE));
      return told.length === 1 ? [] : [`${owner} was told ${told.length} times that the store was emptied`];
    });
  }

  return {
    /** Returns the violations by this message alone. */
    seen({ id }: PostedMessage): string[] {
      const isLate = store.emptiedMs() !== null && world.nowMs() > stillMs;
      return isLate && /^(digest|watch)\//.test(id ?? '') ? [`posted after the store was emptied: ${id}`] : [];
    },
    async violations(owners: ReadonlySet<string>): Promise<string[]> {
      if (store.emptiedMs() === null) return [];
      const left = witnesses.filter(({ life }) => life.alive);
      const found: string[] = [];
      for (const replica of left) {
        if (await isReady(replica)) found.push(`${replica.life.name} is ready although the store was emptied`);
      }
      const created = store.count('digests') + store.count('watches');
      if (created > 0) found.push(`${created} digests or watches created after the store was emptied`);
      found.push(...addedLate.map((id) => `${id} scheduled long after the store was emptied`));
      if (left.length > 0) found.push(...wrongNotices(owners));
      const jobs = await leftoverJobs();
      if (jobs > 0) found.push(`${jobs} jobs of an emptied store are still scheduled after a start`);
      return found;
    },
  };
}
