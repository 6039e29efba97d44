/**
 * Brings the channel up to date with a watch's state: posts the message of an episode exactly once and edits it from then
 * on. The changes of the state that record this are pure, and also the watch's record for `postExactlyOnce`.
 */
import type { Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import type { RunOutcome } from '../../scheduler/index.ts';
import { BUSY, type HeldLease } from '../posting/lease.ts';
import type { EditResult, MessageEditor, PauseReason } from '../posting/outbox.ts';
import { backoffMs, type ComposedPost, type PostExactlyOnce, type PostRecord } from '../posting/post-exactly-once.ts';
import { jobIdOf, type Subscription } from '../subscription.ts';
import { type PendingUpdate, pendingUpdate, withPendingMessage } from './episode-lifecycle.ts';
import type { WatchState, WatchStates } from './watch-state.ts';

interface EpisodePublisherDeps {
  readonly outbox: MessageEditor<Reply>;
  readonly postExactlyOnce: PostExactlyOnce<Reply>;
  readonly log: Logger;
  readonly states: WatchStates;
}

interface EpisodePublication {
  readonly lease: HeldLease;
  readonly subscription: Subscription<unknown>;
  readonly attempt: number;
  readonly render: (state: WatchState) => Reply;
  /** For when the full message cannot be made or is refused. */
  readonly renderPlainly: (state: WatchState) => Reply;
  readonly pause: (reason: PauseReason) => Promise<void>;
}

interface ComposedEpisode extends ComposedPost<Reply> {
  readonly update: PendingUpdate;
  /** To send instead if this is refused. */
  readonly plain: Reply | null;
}

type PendingEdit = Extract<PendingUpdate, { readonly ts: string }>;

/** What people change while a message is on its way is shown right after it, but not for ever in one run. */
const MOST_EDITS = 3;

export function createEpisodePublisher({ outbox, postExactlyOnce, log, states }: EpisodePublisherDeps) {
  function post(publication: EpisodePublication): Promise<RunOutcome> {
    const { lease, subscription, attempt, renderPlainly } = publication;
    const job = jobIdOf(subscription);
    return postExactlyOnce<ComposedEpisode>({
      lease,
      job,
      channel: subscription.channel,
      attempt,
      record: episodeRecord(states, publication),
      async compose() {
        const state = await states.read(subscription);
        const update = pendingUpdate(state);
        if (update?.is !== 'post') return 'done';
        const message = renderSafely(publication, state);
        return { runId: runIdOf(job, update.key), message, update, plain: renderPlainly(state) };
      },
    });
  }

  function renderSafely({ subscription, render, renderPlainly }: EpisodePublication, state: WatchState): Reply {
    try {
      return render(state);
    } catch (error) {
      log.error({ job: jobIdOf(subscription), error }, 'the message of a watch cannot be made');
      return renderPlainly(state);
    }
  }

  /** A throw is a fault of our own, before anything was sent. */
  async function send(publication: EpisodePublication, ts: string, reply: Reply): Promise<EditResult> {
    const { subscription } = publication;
    try {
      return await outbox.edit(subscription.channel, ts, reply);
    } catch (error) {
      log.error({ job: jobIdOf(subscription), error }, 'the message of a watch cannot be sent');
      return { is: 'refused', reason: 'internal' };
    }
  }

  /** An edit may be repeated without harm, so it needs no mark, and Slack limits it apart from posts. */
  async function edit(
    publication: EpisodePublication,
    current: WatchState,
    update: PendingEdit,
  ): Promise<RunOutcome | 'edited'> {
    const { lease, subscription, attempt, renderPlainly, pause } = publication;
    const job = jobIdOf(subscription);
    if (!(await lease.stillHeld())) return BUSY;
    const full = await send(publication, update.ts, renderSafely(publication, current));
    const result = full.is === 'refused' ? await send(publication, update.ts, renderPlainly(current)) : full;
    switch (result.is) {
      case 'sent':
        await states.change(subscription, (state) => withShown(state, update, result.ts));
        return 'edited';
      case 'gone':
        await states.change(subscription, (state) => withoutFurtherUpdates(state, update.key));
        return 'done';
      case 'refused':
        log.error({ job, reason: result.reason }, 'Slack refuses the message of a watch');
        await states.change(subscription, (state) => withoutFurtherUpdates(state, update.key));
        return 'done';
      case 'ambiguous':
        log.warn({ job, reason: result.reason }, 'no answer to an edit; will edit again');
        return { retryAfterMs: backoffMs(attempt) };
      case 'retryable':
        return { retryAfterMs: result.retryAfterMs ?? backoffMs(attempt) };
      case 'permanent':
        await pause(result.reason);
        return 'done';
    }
  }

  return async function publishEpisode(publication: EpisodePublication): Promise<RunOutcome> {
    const read = () => states.read(publication.subscription);
    if (pendingUpdate(await read())?.is === 'post') {
      const outcome = await post(publication);
      if (outcome !== 'done') return outcome;
    }
    for (let edits = 0; edits < MOST_EDITS; edits++) {
      const state = await read();
      const update = pendingUpdate(state);
      if (update === null || update.is === 'post') return 'done';
      const outcome = await edit(publication, state, update);
      if (outcome !== 'edited') return outcome;
    }
    return 'done';
  };
}

export type PublishEpisode = ReturnType<typeof createEpisodePublisher>;

const runIdOf = (job: string, key: string): string => `${job}@${key}`;

function episodeRecord(states: WatchStates, { subscription, pause }: EpisodePublication): PostRecord<ComposedEpisode> {
  const job = jobIdOf(subscription);
  const change = (next: (state: WatchState) => WatchState) => states.change(subscription, next);
  const keyOf = (runId: string) => runId.slice(job.length + 1);
  return {
    async unconfirmed() {
      const { message } = await states.read(subscription);
      if (message === null || message.ts !== null || message.sendingMs === null) return null;
      const sendingAt = Temporal.Instant.fromEpochMilliseconds(message.sendingMs);
      return { runId: runIdOf(job, message.key), sendingAt, token: String(message.sendingMs) };
    },
    found: ({ runId }, ts) => change((state) => withFound(state, keyOf(runId), ts)),
    absent: async () => {},
    async markSending({ update }, { sendingAt }, replaces) {
      const sendingMs = sendingAt.epochMilliseconds;
      const replacesMs = replaces?.sendingAt.epochMilliseconds ?? null;
      let marked = false;
      await change((state) => {
        const next = withSendMark(state, update.key, sendingMs, replacesMs);
        marked = next !== null;
        return next ?? state;
      });
      return marked;
    },
    sent: ({ update }, ts) => change((state) => withShown(state, update, ts)),
    notSent: ({ runId, sendingAt }) =>
      change((state) => withSendMark(state, keyOf(runId), null, sendingAt.epochMilliseconds) ?? state),
    async refused({ update, plain, ...composed }) {
      if (plain !== null) return { ...composed, update, message: plain, plain: null };
      await change((state) => withoutFurtherUpdates(state, update.key));
      return 'done';
    },
    undeliverable: pause,
  };
}

/** The channel shows the update, by the answer to a post or an edit. */
export function withShown(state: WatchState, update: PendingUpdate, ts: string): WatchState {
  const { message } = state;
  if (message === null || message.key !== update.key) return state;
  const shown = Math.max(message.shown, update.revision);
  return { ...state, message: { ...message, ts, shown, sendingMs: null } };
}

/** The search found the message. An earlier attempt posted it, so what it shows may be outdated: an edit is pending. */
export function withFound(state: WatchState, key: string, ts: string): WatchState {
  const { message } = state;
  if (message === null || message.key !== key) return state;
  return withPendingMessage({ ...state, message: { ...message, ts, sendingMs: null } });
}

/** Compare-and-set of the mark: `null` unless the message is still to be posted and holds the mark `replacesMs`. */
function withSendMark(
  state: WatchState,
  key: string,
  sendingMs: number | null,
  replacesMs: number | null,
): WatchState | null {
  const { message } = state;
  if (message === null || message.key !== key || message.ts !== null || message.sendingMs !== replacesMs) return null;
  return { ...state, message: { ...message, sendingMs } };
}

/** The message was deleted in the channel, or Slack will never accept it: this episode is not shown any more. */
export function withoutFurtherUpdates(state: WatchState, key: string): WatchState {
  if (state.message?.key !== key) return state;
  return { ...state, message: { ...state.message, ts: state.message.ts ?? '', shown: Number.MAX_SAFE_INTEGER } };
}
