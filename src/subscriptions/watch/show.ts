/** Brings the channel up to the state: posts once, edits, and finds out what became of a post that may have gone out. */
import type { Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Outbox, PauseReason, SendResult } from '../ports.ts';
import { defaultPolicy } from '../posting/delivery-policy.ts';
import { delivered, found, lost, sending } from './state-changes.ts';
import { type Effect, owed } from './step.ts';
import type { WatchState } from './watch-state.ts';

/** `gone`: there is no such message any more. */
export type EditResult = SendResult | { readonly is: 'gone' };

export interface ShowDeps {
  readonly outbox: Outbox<Reply> & { edit(channel: string, ts: string, message: Reply): Promise<EditResult> };
  readonly now: () => Temporal.Instant;
  readonly log: Logger;
  readonly keep: (job: string, change: (state: WatchState) => WatchState) => Promise<WatchState>;
}

export type Shown = 'done' | { readonly retryAfterMs?: number } | { readonly permanent: PauseReason };

const MOST_TURNS = 3;

type Owed = Exclude<Effect, { is: 'nothing' }>;

export function createShow({ outbox, now, log, keep }: ShowDeps) {
  const nowMs = (): number => now().epochMilliseconds;

  /** A post of an earlier attempt, of which nobody knows. Resolves to the state when that is settled. */
  async function settle(job: string, channel: string, key: string, sinceMs: number): Promise<WatchState | Shown> {
    const restMs = sinceMs + defaultPolicy.settleMs - nowMs();
    if (restMs > 0) return { retryAfterMs: restMs };
    const since = Temporal.Instant.fromEpochMilliseconds(sinceMs - defaultPolicy.clockSkewMs);
    const there = await outbox.find(channel, runIdOf(job, key), since).catch((error: unknown) => {
      log.warn({ job, error }, 'cannot look for a message that may have been posted; will look again');
      return undefined;
    });
    if (there === undefined) return {};
    if (there !== null && 'permanent' in there) return there;
    return keep(job, (state) => (there === null ? sending(state, key, null) : found(state, key, there.ts).state));
  }

  async function deliver(job: string, channel: string, effect: Owed, reply: Reply): Promise<Shown> {
    const posting = effect.is === 'post';
    if (posting) await keep(job, (state) => sending(state, effect.key, nowMs()));
    const result: EditResult = await (posting
      ? outbox.send(channel, reply, runIdOf(job, effect.key))
      : outbox.edit(channel, effect.ts, reply)
    ).catch(() => ({ is: 'ambiguous', reason: 'unknown' }) as const);
    switch (result.is) {
      case 'sent':
        await keep(job, (state) => delivered(state, effect, result.ts));
        return 'done';
      case 'gone':
        await keep(job, (state) => lost(state, effect.key));
        return 'done';
      case 'ambiguous':
        log.warn({ job, reason: result.reason }, 'no answer about a message of a watch');
        // An edit may simply be made again; a post is looked for first.
        return { retryAfterMs: defaultPolicy.settleMs };
      case 'retryable':
        await keep(job, (state) => sending(state, effect.key, null));
        return result.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs };
      case 'refused':
        log.error({ job, reason: result.reason }, 'Slack refuses the message of a watch');
        await keep(job, (state) => lost(state, effect.key));
        return 'done';
      case 'permanent':
        await keep(job, (state) => sending(state, effect.key, null));
        return { permanent: result.reason };
    }
  }

  return async (
    job: string,
    channel: string,
    kept: WatchState,
    render: (state: WatchState) => Reply,
  ): Promise<Shown> => {
    let state = kept;
    const { message } = state;
    if (message !== null && message.ts === null && message.sendingMs !== null) {
      const settled = await settle(job, channel, message.key, message.sendingMs);
      if (!isState(settled)) return settled;
      state = settled;
    }
    // What people change while a message is on its way is shown right after it.
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const effect = owed(state);
      if (effect.is === 'nothing') return 'done';
      const outcome = await deliver(job, channel, effect, render(state));
      if (outcome !== 'done') return outcome;
      state = await keep(job, (current) => current);
    }
    return 'done';
  };
}

const isState = (settled: WatchState | Shown): settled is WatchState =>
  typeof settled === 'object' && 'revision' in settled;

/** The same for every attempt at a message, by whichever replica: it is what the search looks for. */
const runIdOf = (job: string, key: string): string => `${job}@${key}`;
