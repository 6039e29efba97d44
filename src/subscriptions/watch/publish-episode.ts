/**
 * Brings the channel up to date with a watch's state: posts an episode's message exactly once and edits it from then on.
 * The functions that record this in the state are pure; they also implement the record for `postExactlyOnce`.
 */
import type { Logger } from '../../observability/logger.ts';
import type { JobObserver } from '../../observability/observers.ts';
import type { Mentioned, Reply } from '../../replies/reply.ts';
import type { RunOutcome } from '../../scheduler/index.ts';
import { BUSY, type HeldLease } from '../delivery/lease.ts';
import type { EditResult, MessageEditor, PauseReason } from '../delivery/outbox.ts';
import { backoffMs, type ComposedPost, type PostExactlyOnce, type PostRecord } from '../delivery/post-exactly-once.ts';
import { jobIdOf, type Subscription } from '../subscription.ts';
import { type PendingUpdate, pendingUpdate, withPendingMessage } from './episode-lifecycle.ts';
import { withoutLateAlert } from './hold.ts';
import type { Course } from './observation.ts';
import { withoutLateReminder } from './reminders.ts';
import {
  courseOf,
  GONE,
  type News,
  type WatchState,
  type WatchStates,
  withClosing,
  withCourse,
} from './watch-state.ts';

interface EpisodePublisherDeps {
  readonly outbox: MessageEditor<Reply>;
  readonly postExactlyOnce: PostExactlyOnce<Reply>;
  readonly log: Logger;
  readonly observer?: JobObserver | undefined;
  readonly states: WatchStates;
}

interface EpisodePublication {
  readonly lease: HeldLease;
  readonly subscription: Subscription<unknown>;
  /** Which of the watch's courses the message belongs to. */
  readonly course: Course;
  readonly attempt: number;
  /** Whom the pending message mentions. */
  readonly mentions: (state: WatchState) => readonly Mentioned[];
  readonly render: (state: WatchState, update: PendingUpdate) => Reply;
  /** Used if the full message can't be built or is refused. */
  readonly renderPlainly: (state: WatchState, update: PendingUpdate) => Reply;
  readonly pause: (reason: PauseReason) => Promise<void>;
}

type PendingPost = Extract<PendingUpdate, { readonly is: 'post' | 'reply' | 'summary' }>;
type PendingEdit = Exclude<PendingUpdate, PendingPost>;

interface ComposedEpisode extends ComposedPost<Reply> {
  readonly update: PendingPost;
  readonly mentions: readonly Mentioned[];
  /** Why it notifies people. */
  readonly kind: News | 'joined' | 'over' | 'summary';
  /** Sent instead if this is refused. */
  readonly plain: Reply | null;
}

interface CourseState {
  readonly read: () => Promise<WatchState>;
  readonly change: (next: (state: WatchState) => WatchState) => Promise<void>;
}

/** Changes that people make during an update are shown right after it, but not endlessly in one run. */
const MAX_UPDATES = 6;

export function createEpisodePublisher(deps: EpisodePublisherDeps) {
  return async function publishEpisode(publication: EpisodePublication): Promise<RunOutcome> {
    const { read } = courseState(deps, publication);
    let last: PendingUpdate | null = null;
    for (let updates = 0; updates < MAX_UPDATES; updates++) {
      const state = await read();
      const update = pendingUpdate(state);
      // A post that's still pending after an attempt can't be posted now.
      if (update === null || (isPost(update) && last?.key === update.key && last.is === update.is)) return 'done';
      const outcome = isPost(update)
        ? await post(deps, publication, update)
        : await edit(deps, publication, state, update);
      if (outcome !== 'done' && outcome !== 'shown') return outcome;
      if (outcome === 'done' && !isPost(update)) return outcome;
      last = update;
    }
    return 'done';
  };
}

/** The part of the watch's record that a publication is about. */
function courseState(
  { states }: EpisodePublisherDeps,
  { subscription, course }: Pick<EpisodePublication, 'subscription' | 'course'>,
): CourseState {
  return {
    read: async () => courseOf(await states.read(subscription), course),
    change: async (next) => {
      await states.change(subscription, (all) => withCourse(all, course, next(courseOf(all, course))));
    },
  };
}

function post(deps: EpisodePublisherDeps, publication: EpisodePublication, pending: PendingPost): Promise<RunOutcome> {
  const { lease, subscription, attempt, renderPlainly } = publication;
  const job = jobIdOf(subscription);
  const state = courseState(deps, publication);
  return deps.postExactlyOnce<ComposedEpisode>({
    lease,
    job,
    channel: subscription.channel,
    threadTs: pending.is === 'summary' ? undefined : pending.threadTs,
    attempt,
    record: postRecord(deps, state, publication, pending.key),
    async compose() {
      const stored = await state.read();
      // Nothing has been sent under this key: what an earlier attempt may have sent was searched for.
      if (withoutLatePost(stored) !== stored && stored.message?.key === pending.key) {
        await state.change((each) => (each.message?.key === pending.key ? withoutLatePost(each) : each));
        return 'done';
      }
      const update = pendingUpdate(stored);
      if (update === null || !isPost(update) || update.key !== pending.key) return 'done';
      const mentions = update.is === 'post' ? publication.mentions(stored) : [];
      const current = withMentions(stored, update.key, mentions);
      const message = renderSafely(deps, publication, current, update);
      const kind = update.is === 'post' ? kindOf(update, current) : update.is === 'reply' ? 'over' : 'summary';
      const plain = renderPlainly(current, update);
      return { runId: runIdOf(job, update.key), message, update, mentions, kind, plain };
    },
  });
}

/** In the thread of another alert it notifies only those who follow that. */
const kindOf = ({ threadTs }: Extract<PendingPost, { is: 'post' }>, { message }: WatchState): News | 'joined' =>
  threadTs === undefined ? (message?.news ?? 'new') : 'joined';

/** Without a message that nobody needs any more, or that has to wait. */
const withoutLatePost = (state: WatchState): WatchState => withoutLateAlert(withoutLateReminder(state));

function renderSafely(
  { log }: EpisodePublisherDeps,
  { subscription, render, renderPlainly }: EpisodePublication,
  state: WatchState,
  update: PendingUpdate,
): Reply {
  try {
    return render(state, update);
  } catch (err) {
    log.error({ job: jobIdOf(subscription), err }, 'could not build the message of a watch');
    return renderPlainly(state, update);
  }
}

/** A throw is a bug of ours, before anything was sent. */
async function sendEdit(
  { outbox, log }: EpisodePublisherDeps,
  { subscription }: EpisodePublication,
  ts: string,
  reply: Reply,
): Promise<EditResult> {
  try {
    return await outbox.edit(subscription.channel, ts, reply);
  } catch (err) {
    log.error({ job: jobIdOf(subscription), err }, 'could not send the message of a watch');
    return { is: 'refused', reason: 'internal' };
  }
}

/** An edit can be repeated without harm, so it needs no mark, and Slack limits edits separately from posts. */
async function edit(
  deps: EpisodePublisherDeps,
  publication: EpisodePublication,
  current: WatchState,
  update: PendingEdit,
): Promise<RunOutcome | 'shown'> {
  const { lease, subscription, attempt, renderPlainly, pause } = publication;
  const job = jobIdOf(subscription);
  const { change } = courseState(deps, publication);
  if (!(await lease.stillHeld()) || lease.hasExpired()) return BUSY;
  const full = await sendEdit(deps, publication, update.ts, renderSafely(deps, publication, current, update));
  const result =
    full.is === 'refused' ? await sendEdit(deps, publication, update.ts, renderPlainly(current, update)) : full;
  switch (result.is) {
    case 'sent':
      await change((state) => withShown(state, update, result.ts));
      return 'shown';
    case 'gone':
      await change((state) => withoutFurtherUpdates(state, update.key));
      return 'shown';
    case 'refused':
      deps.log.error({ job, reason: result.reason }, 'Slack refused the message of a watch');
      await change((state) => withoutFurtherUpdates(state, update.key));
      return 'shown';
    case 'ambiguous':
      deps.log.warn({ job, reason: result.reason }, 'no response to an edit, will retry');
      return { retryAfterMs: backoffMs(attempt) };
    case 'retryable':
      return { retryAfterMs: result.retryAfterMs ?? backoffMs(attempt) };
    case 'permanent':
      await pause(result.reason);
      return 'done';
  }
}

export type PublishEpisode = ReturnType<typeof createEpisodePublisher>;

const isPost = (update: PendingUpdate): update is PendingPost =>
  update.is === 'post' || update.is === 'reply' || update.is === 'summary';

const runIdOf = (job: string, key: string): string => `${job}@${key}`;

/** The record of one message, closing reply or summary, for `postExactlyOnce`. */
function postRecord(
  { observer }: EpisodePublisherDeps,
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
    async markSending({ mentions }, { sendingAt }, replaces) {
      const sendingMs = sendingAt.epochMilliseconds;
      const replacesMs = replaces?.sendingAt.epochMilliseconds ?? null;
      let marked = false;
      await change((state) => {
        const next = withSendMark(state, key, sendingMs, replacesMs);
        marked = next !== null;
        return next === null ? state : withMentions(next, key, mentions);
      });
      return marked;
    },
    async sent({ update, kind }, ts) {
      observer?.alert(kind);
      await change((state) => withShown(state, update, ts));
    },
    notSent: ({ sendingAt }) => change((state) => withSendMark(state, key, null, sendingAt.epochMilliseconds) ?? state),
    async refused({ plain, ...composed }) {
      if (plain !== null) return { ...composed, message: plain, plain: null };
      await change((state) => withoutFurtherUpdates(state, key));
      return 'done';
    },
    undeliverable: pause,
  };
}

function owedUnder({ message, closing, summary = null }: WatchState, key: string) {
  return [message, closing, summary].find((owed) => owed?.key === key) ?? null;
}

/** The state with the message or reply of that key changed; the same state if there's none. */
function withOwed(
  state: WatchState,
  key: string,
  change: <O extends { readonly ts: string | null; readonly sendingMs: number | null }>(owed: O) => O,
): WatchState {
  const { message, closing, summary } = state;
  if (message?.key === key) return { ...state, message: change(message) };
  if (summary?.key === key) return { ...state, summary: change(summary) };
  return closing?.key === key ? { ...state, closing: change(closing) } : state;
}

/** What the message under that key mentions, so that edits can name it and no later message mentions it again. */
function withMentions(state: WatchState, key: string, mentions: readonly Mentioned[]): WatchState {
  const { message } = state;
  if (message?.key !== key || mentions.length + (message.mentions?.length ?? 0) === 0) return state;
  return { ...state, message: { ...message, mentions } };
}

/** The channel shows the update: Slack confirmed a post or an edit. */
export function withShown(state: WatchState, update: PendingUpdate, ts: string): WatchState {
  if (update.is === 'retire') return withoutReplaced(state, update.key);
  const posted = withOwed(state, update.key, (owed) => ({ ...owed, ts, sendingMs: null }));
  const { message } = posted;
  if (update.is === 'reply' || update.is === 'summary' || message?.key !== update.key) return posted;
  return { ...posted, message: { ...message, shown: Math.max(message.shown, update.revision) } };
}

const withoutReplaced = (state: WatchState, key: string): WatchState => ({
  ...state,
  replaced: state.replaced.filter((each) => each.key !== key),
});

/** The search found the message. An earlier attempt posted it, so its content may be outdated: an edit is pending. */
export function withFound(state: WatchState, key: string, ts: string): WatchState {
  const { message, episode } = state;
  const found = withOwed(state, key, (owed) => ({ ...owed, ts, sendingMs: null }));
  const sentMs = message?.key === key ? message.sendingMs : null;
  // It was sent before the end, so it doesn't say itself that it's over.
  const isEarlier = sentMs !== null && sentMs < (episode?.closedMs ?? 0);
  return withPendingMessage(isEarlier ? withClosing(found) : found);
}

/** Compare-and-set of the mark: `null` unless the message isn't posted yet and its mark is `replacesMs`. */
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

/** The message was deleted in the channel, or Slack will never accept it: the episode is no longer shown. */
export function withoutFurtherUpdates(state: WatchState, key: string): WatchState {
  const ended = withOwed(withoutReplaced(state, key), key, (owed) => ({ ...owed, ts: owed.ts ?? '' }));
  if (ended.message?.key !== key) return ended;
  return { ...ended, closing: null, message: { ...ended.message, shown: GONE } };
}
