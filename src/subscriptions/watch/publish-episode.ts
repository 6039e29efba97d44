/**
 * Brings the channel up to date with a watch's state: posts the message of an episode exactly once and edits it from then
 * on. The changes of the state that record this are pure, and also the watch's record for `postExactlyOnce`.
 */

import type { Logger } from '../../observability/logger.ts';
import type { Reply } from '../../replies/reply.ts';
import type { RunOutcome } from '../../scheduler/index.ts';
import { BUSY, type HeldLease } from '../delivery/lease.ts';
import type { EditResult, MessageEditor, PauseReason } from '../delivery/outbox.ts';
import { backoffMs, type ComposedPost, type PostExactlyOnce, type PostRecord } from '../delivery/post-exactly-once.ts';
import { jobIdOf, type Subscription } from '../subscription.ts';
import { type PendingUpdate, pendingUpdate, withPendingMessage } from './episode-lifecycle.ts';
import { type Course, courseOf, GONE, type WatchState, type WatchStates, withCourse } from './watch-state.ts';

interface EpisodePublisherDeps {
  readonly outbox: MessageEditor<Reply>;
  readonly postExactlyOnce: PostExactlyOnce<Reply>;
  readonly log: Logger;
  readonly states: WatchStates;
}

interface EpisodePublication {
  readonly lease: HeldLease;
  readonly subscription: Subscription<unknown>;
  /** Whose message it is. */
  readonly course: Course;
  readonly attempt: number;
  readonly render: (state: WatchState, update: PendingUpdate) => Reply;
  /** For when the full message cannot be made or is refused. */
  readonly renderPlainly: (state: WatchState, update: PendingUpdate) => Reply;
  readonly pause: (reason: PauseReason) => Promise<void>;
}

type PendingPost = Extract<PendingUpdate, { readonly is: 'post' | 'reply' }>;
type PendingEdit = Exclude<PendingUpdate, PendingPost>;

interface ComposedEpisode extends ComposedPost<Reply> {
  readonly update: PendingPost;
  /** To send instead if this is refused. */
  readonly plain: Reply | null;
}

interface CourseState {
  readonly read: () => Promise<WatchState>;
  readonly change: (next: (state: WatchState) => WatchState) => Promise<void>;
}

/** What people change while a message is on its way is shown right after it, but not for ever in one run. */
const MOST_UPDATES = 6;

export function createEpisodePublisher({ outbox, postExactlyOnce, log, states }: EpisodePublisherDeps) {
  /** The part of the state that a publication is about. */
  function stateIn({ subscription, course }: EpisodePublication): CourseState {
    return {
      read: async () => courseOf(await states.read(subscription), course),
      change: async (next) => {
        await states.change(subscription, (all) => withCourse(all, course, next(courseOf(all, course))));
      },
    };
  }

  function post(publication: EpisodePublication, pending: PendingPost): Promise<RunOutcome> {
    const { lease, subscription, attempt, renderPlainly } = publication;
    const job = jobIdOf(subscription);
    return postExactlyOnce<ComposedEpisode>({
      lease,
      job,
      channel: subscription.channel,
      ...(pending.is === 'reply' ? { threadTs: pending.threadTs } : {}),
      attempt,
      record: owedRecord(stateIn(publication), publication, pending.key),
      async compose() {
        const state = await stateIn(publication).read();
        const update = pendingUpdate(state);
        if (update === null || !isPost(update) || update.key !== pending.key) return 'done';
        const message = renderSafely(publication, state, update);
        return { runId: runIdOf(job, update.key), message, update, plain: renderPlainly(state, update) };
      },
    });
  }

  function renderSafely(publication: EpisodePublication, state: WatchState, update: PendingUpdate): Reply {
    const { subscription, render, renderPlainly } = publication;
    try {
      return render(state, update);
    } catch (error) {
      log.error({ job: jobIdOf(subscription), error }, 'the message of a watch cannot be made');
      return renderPlainly(state, update);
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
  ): Promise<RunOutcome | 'shown'> {
    const { lease, subscription, attempt, renderPlainly, pause } = publication;
    const job = jobIdOf(subscription);
    if (!(await lease.stillHeld())) return BUSY;
    const full = await send(publication, update.ts, renderSafely(publication, current, update));
    const result = full.is === 'refused' ? await send(publication, update.ts, renderPlainly(current, update)) : full;
    switch (result.is) {
      case 'sent':
        await stateIn(publication).change((state) => withShown(state, update, result.ts));
        return 'shown';
      case 'gone':
        await stateIn(publication).change((state) => withoutFurtherUpdates(state, update.key));
        return 'shown';
      case 'refused':
        log.error({ job, reason: result.reason }, 'Slack refuses the message of a watch');
        await stateIn(publication).change((state) => withoutFurtherUpdates(state, update.key));
        return 'shown';
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
    const { read } = stateIn(publication);
    let last: PendingUpdate | null = null;
    for (let updates = 0; updates < MOST_UPDATES; updates++) {
      const state = await read();
      const update = pendingUpdate(state);
      // A post that is still pending after it was tried cannot be made now.
      if (update === null || (isPost(update) && last?.key === update.key && last.is === update.is)) return 'done';
      const outcome = isPost(update) ? await post(publication, update) : await edit(publication, state, update);
      if (outcome !== 'done' && outcome !== 'shown') return outcome;
      if (outcome === 'done' && !isPost(update)) return outcome;
      last = update;
    }
    return 'done';
  };
}

export type PublishEpisode = ReturnType<typeof createEpisodePublisher>;

const isPost = (update: PendingUpdate): update is PendingPost => update.is === 'post' || update.is === 'reply';

const runIdOf = (job: string, key: string): string => `${job}@${key}`;

/** The record of one message or closing reply, for `postExactlyOnce`. */
function owedRecord(
  { read, change }: CourseState,
  { subscription, pause }: EpisodePublication,
  key: string,
): PostRecord<ComposedEpisode> {
  const job = jobIdOf(subscription);
  return {
    async unconfirmed() {
      const owed = owedUnder(await read(), key);
      if (owed === null || owed.ts !== null || owed.sendingMs === null) return null;
      const sendingAt = Temporal.Instant.fromEpochMilliseconds(owed.sendingMs);
      return { runId: runIdOf(job, key), sendingAt, token: String(owed.sendingMs) };
    },
    found: (_mark, ts) => change((state) => withFound(state, key, ts)),
    absent: async () => {},
    async markSending(_post, { sendingAt }, replaces) {
      const sendingMs = sendingAt.epochMilliseconds;
      const replacesMs = replaces?.sendingAt.epochMilliseconds ?? null;
      let marked = false;
      await change((state) => {
        const next = withSendMark(state, key, sendingMs, replacesMs);
        marked = next !== null;
        return next ?? state;
      });
      return marked;
    },
    sent: ({ update }, ts) => change((state) => withShown(state, update, ts)),
    notSent: ({ sendingAt }) => change((state) => withSendMark(state, key, null, sendingAt.epochMilliseconds) ?? state),
    async refused({ update, plain, ...composed }) {
      if (plain !== null) return { ...composed, update, message: plain, plain: null };
      await change((state) => withoutFurtherUpdates(state, key));
      return 'done';
    },
    undeliverable: pause,
  };
}

function owedUnder({ message, closing }: WatchState, key: string) {
  return message?.key === key ? message : closing?.key === key ? closing : null;
}

/** The state with the message or reply of that key changed; the same state when there is none. */
function withOwed(
  state: WatchState,
  key: string,
  change: <O extends { readonly ts: string | null; readonly sendingMs: number | null }>(owed: O) => O,
): WatchState {
  const { message, closing } = state;
  if (message?.key === key) return { ...state, message: change(message) };
  return closing?.key === key ? { ...state, closing: change(closing) } : state;
}

/** The channel shows the update, by the answer to a post or an edit. */
export function withShown(state: WatchState, update: PendingUpdate, ts: string): WatchState {
  if (update.is === 'retire') return withoutReplaced(state, update.key);
  const posted = withOwed(state, update.key, (owed) => ({ ...owed, ts, sendingMs: null }));
  const { message } = posted;
  if (update.is === 'reply' || message?.key !== update.key) return posted;
  return { ...posted, message: { ...message, shown: Math.max(message.shown, update.revision) } };
}

const withoutReplaced = (state: WatchState, key: string): WatchState => ({
  ...state,
  replaced: state.replaced.filter((each) => each.key !== key),
});

/** The search found the message. An earlier attempt posted it, so what it shows may be outdated: an edit is pending. */
export function withFound(state: WatchState, key: string, ts: string): WatchState {
  return withPendingMessage(withOwed(state, key, (owed) => ({ ...owed, ts, sendingMs: null })));
}

/** Compare-and-set of the mark: `null` unless the message is still to be posted and holds the mark `replacesMs`. */
function withSendMark(
  state: WatchState,
  key: string,
  sendingMs: number | null,
  replacesMs: number | null,
): WatchState | null {
  const owed = owedUnder(state, key);
  if (owed === null || owed.ts !== null || owed.sendingMs !== replacesMs) return null;
  return withOwed(state, key, (each) => ({ ...each, sendingMs }));
}

/** The message was deleted in the channel, or Slack will never accept it: this episode is not shown any more. */
export function withoutFurtherUpdates(state: WatchState, key: string): WatchState {
  const ended = withOwed(withoutReplaced(state, key), key, (owed) => ({ ...owed, ts: owed.ts ?? '' }));
  if (ended.message?.key !== key) return ended;
  return { ...ended, closing: null, message: { ...ended.message, shown: GONE } };
}
