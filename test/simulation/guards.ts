/**
 * The parts of the code that keep faults from being seen, each with what it looks like without it. Histories must find that one
 * is missing: `npm run simulate -- --guards` switches them off one at a time.
 */
import { registerHooks } from 'node:module';

export interface Guard {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** In that file exactly once. */
  readonly code: string;
  readonly without: string;
  /** Guards of one layer cover for each other, so that only the lack of all of them shows. */
  readonly layer?: string;
}

export const GUARDS: readonly Guard[] = [
  {
    name: 'search before a message is sent again',
    file: 'subscriptions/delivery/post-exactly-once.ts',
    code: 'const outcome = mark === null ? null : await resolve(deps, attempt, mark);',
    without: 'const outcome = mark === null ? null : (await attempt.record.absent(mark), null);',
  },
  {
    name: 'mark before a message is sent',
    file: 'subscriptions/delivery/post-exactly-once.ts',
    code: 'if (!(await record.markSending(composed, mark, replaces))) return BUSY;',
    without: 'await record.markSending(composed, mark, replaces);',
    layer: 'one process posts',
  },
  {
    name: 'lease: taken',
    file: 'subscriptions/delivery/lease.ts',
    code: 'if (!(await leases.acquire(key, owner, leaseMs))) return BUSY;',
    without: 'await leases.acquire(key, owner, leaseMs);',
    layer: 'one process posts',
  },
  {
    name: 'lease: checked before a post',
    file: 'subscriptions/delivery/post-exactly-once.ts',
    code: 'if (!(await lease.stillHeld())) return BUSY;',
    without: '',
    layer: 'one process posts',
  },
  {
    name: 'lease: its time before a post',
    file: 'subscriptions/delivery/post-exactly-once.ts',
    code: 'if (lease.hasExpired()) {',
    without: 'if (lease.hasExpired() && !lease.hasExpired()) {',
    layer: 'one process posts',
  },
  {
    name: 'lease: checked before an edit',
    file: 'subscriptions/watch/publish-episode.ts',
    code: 'if (!(await lease.stillHeld()) || lease.hasExpired()) return BUSY;',
    without: '',
  },
  {
    name: 'digest: compare-and-set of the mark',
    file: 'subscriptions/digest/delivery-log.ts',
    code: '|| (log.open !== undefined && log.open.token !== replacesToken)',
    without: '',
    layer: 'one process posts',
  },
  {
    name: 'digest: no mark for a due time that had its run',
    file: 'subscriptions/digest/delivery-log.ts',
    code: 'if (isDone(log, due) || (log.open',
    without: 'if ((log.open',
    layer: 'digest: a due time has one run',
  },
  {
    name: 'digest: nothing composed for a due time that had its run',
    file: 'subscriptions/digest/digest-runner.ts',
    code: "if (isDone(deliveryLog, context.due)) return 'done';",
    without: '',
    layer: 'digest: a due time has one run',
  },
  {
    name: 'digest: no trouble noted for a run that is done',
    file: 'subscriptions/digest/delivery-log.ts',
    code: 'log.troubleSince === undefined && !isDone(log, due)',
    without: 'log.troubleSince === undefined',
  },
  {
    name: 'digest: late is judged when it is composed',
    file: 'subscriptions/digest/digest-runner.ts',
    code: 'isLate(context.due, clock.now())',
    without: 'isLate(context.due, context.due.at)',
  },
  {
    name: 'watch: compare-and-set of the mark',
    file: 'subscriptions/watch/publish-episode.ts',
    code: 'owed.ts !== null || owed.sendingMs !== replacesMs',
    without: 'owed.ts !== null',
    layer: 'one process posts',
  },
  {
    name: 'watch: an episode whose end was reported is known',
    file: 'subscriptions/watch/episode-lifecycle.ts',
    code: '|| isKnown(state, observation)',
    without: '',
  },
  {
    name: 'watch: a repeated evaluation changes nothing',
    file: 'subscriptions/watch/episode-lifecycle.ts',
    code: 'observation.atMs <= state.lookedMs',
    without: 'observation.atMs <= Number.NEGATIVE_INFINITY',
  },
  {
    name: 'watch: a retry is not an evaluation',
    file: 'subscriptions/watch/evaluate.ts',
    code: 'return untilMs - lookedMs < apartMs ? moments : [...moments, untilMs];',
    without: 'return [...moments, untilMs];',
  },
  {
    name: 'watch: an end is shown before the next episode begins',
    file: 'subscriptions/watch/episode-lifecycle.ts',
    code: 'if (mustPublishFirst(state, observation)) return state;',
    without: '',
  },
  {
    name: 'watch: maintenance holds alerts back',
    file: 'subscriptions/watch/hold.ts',
    code: "held?.now === 'maintenance' ||",
    without: '',
  },
  {
    name: 'watch: an alert that was not sent waits, too',
    file: 'subscriptions/watch/publish-episode.ts',
    code: 'withoutLateAlert(withoutLateReminder(state))',
    without: '(void withoutLateAlert, withoutLateReminder(state))',
  },
  {
    name: 'watch: nobody is reminded of what somebody is on',
    file: 'subscriptions/watch/reminders.ts',
    code: 'if (episode.acknowledged !== null) return',
    without: 'if (episode.acknowledged !== null && episode.acknowledged === null) return',
    layer: 'watch: no reminder once somebody is on it',
  },
  {
    name: 'watch: a reminder that nobody needs is not sent',
    file: 'subscriptions/watch/reminders.ts',
    code: 'return isNeeded ? state : withoutUnsentReminder(state);',
    without: 'return isNeeded || !isNeeded ? state : withoutUnsentReminder(state);',
    layer: 'watch: no reminder once somebody is on it',
  },
  {
    name: 'watch: what is ignored does not alert',
    file: 'subscriptions/watch/evaluate.ts',
    code: 'const episodes = records.filter(({ ignored }) => ignored !== true);',
    without: 'const episodes = records;',
  },
  {
    name: 'store: compare-and-set',
    file: 'store/create-store.ts',
    code: 'if (await swap(name, key, text, nextText)) return next;',
    without: 'await swap(name, key, await read(name, key), nextText); return next;',
  },
  {
    name: 'store: nothing created for what an emptied store lost',
    file: 'subscriptions/jobs.ts',
    code: 'await deps.assertStored?.();',
    without: '',
  },
  {
    name: 'scheduler: lost runs are put again',
    file: 'subscriptions/jobs.ts',
    code: 'stopReconciling = reconcilePeriodically({',
    without: 'void (() => void reconcilePeriodically); stopReconciling = ((..._: unknown[]) => () => {})({',
  },
  {
    name: 'question: a repeated delivery is dropped in the process',
    file: 'slack/middleware.ts',
    code: 'if (seen.has(key)) return false;',
    without: '',
  },
  {
    name: 'question: a repeated delivery is dropped by the store',
    file: 'slack/middleware.ts',
    code: 'return await withTimeout(clock, STORE_LIMIT_MS, () => firstInStore(key), storeTooSlow);',
    without: 'await withTimeout(clock, STORE_LIMIT_MS, () => firstInStore(key), storeTooSlow); return true;',
  },
  {
    name: 'question: not taken over from a process that lives',
    file: 'slack/answer-question.ts',
    code: 'gone.set(record.owner, await locks.acquire(lockOf(record.owner), owner, LEASE_MS))',
    without: 'gone.set(record.owner, true)',
  },
  {
    name: 'question: taken over from the one that had it',
    file: 'slack/answer-question.ts',
    code: 'if (current?.owner !== last) return current;',
    without: 'if (current === undefined) return current;',
  },
  {
    name: 'question: not taken over once it is answered',
    file: 'slack/answer-question.ts',
    code: 'if (answered) return current;',
    without: '',
  },
  {
    name: 'question: not answered by a process that lost it',
    file: 'slack/answer-question.ts',
    code: "if (!isTaken) throw new AnsweredElsewhere('another process answers this question');",
    without: 'void isTaken;',
  },
  {
    name: 'question: how often it was taken over',
    file: 'slack/answer-question.ts',
    code: '(current.owner === owner && (current.leftBehind ?? 0) === leftBehind)',
    without: 'current.owner === owner',
  },
  {
    name: 'question: put back if nothing became visible',
    file: 'slack/answer-question.ts',
    code: 'await store.update(key, (current) => (isOurs(current) ? record : current)).catch(failed);',
    without: '',
  },
  {
    name: 'question: a process that stood still reads what came meanwhile',
    file: 'clock.ts',
    code: 'if (nowMs() - dueMs > FROZEN_MS)',
    without: 'if (nowMs() - dueMs > Number.POSITIVE_INFINITY)',
  },
  {
    name: 'watch: catches up from when it was created',
    file: 'subscriptions/watch/watch-runner.ts',
    code: '> 2 * everyMsOf(watch) ? createdMs : null',
    without: '> 2 * everyMsOf(watch) ? null : null',
  },
  {
    name: 'numbers: not final if the clock was set back meanwhile',
    file: 'waf/cache.ts',
    code: 'asOfMs: Math.min(beforeMs, now())',
    without: 'asOfMs: beforeMs',
  },
  {
    name: 'numbers: asked for again once they are final',
    file: 'waf/cache.ts',
    code: ' && !isSettled({ toMs, asOfMs: nowMs })',
    without: '',
  },
];

/** What is switched off at once: a guard, or a layer of them. */
export const CASES: readonly string[] = [...new Set(GUARDS.map(({ name, layer }) => layer ?? name))];

/** Guards by name, or a layer. Has to be called before the code is imported. */
export function switchOff(name: string): void {
  const guards = GUARDS.filter((each) => each.name === name || each.layer === name);
  if (guards.length === 0) throw new Error(`There is no guard “${name}”.`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const inFile = guards.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (inFile.length === 0) return loaded;
      const source = inFile.reduce(withoutGuard, String(loaded.source));
      return { ...loaded, source };
    },
  });
}

function withoutGuard(source: string, { file, code, without }: Guard): string {
  if (!source.includes(code)) throw new Error(`${file} has no “${code}”.`);
  return source.replace(code, () => without);
}
