/**
 * Turns a question into exactly one visible answer, even if it's slow, refused or fails, or the process ends first. All
 * listeners that take a question end here.
 *
 * A slow answer is announced. In a channel, the notice is a message that is edited into the answer; an ephemeral notice
 * can't be edited later, so it says that the answer follows.
 *
 * Questions that are acknowledged but not answered yet are records in the store: the next start, or another replica,
 * answers what a process left behind. One process answers each: it takes the record right before anything becomes
 * visible, and shows nothing if another has it by then. While the store is down, people are still answered, but a
 * restart loses their questions.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, elapsedMsOf, sleep, withTimeout } from '../clock.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { codeOf, isOperatorFault } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { ObserveQuestion, QuestionOutcome } from '../observability/observers.ts';
import { errorReply } from '../replies/error-reply.ts';
import type { Line } from '../replies/reply.ts';
import { MINUTE_MS } from '../time-units.ts';
import { renderLine } from './blocks/message.ts';
import { currentDelivery, STORE_LIMIT_MS, type UserProfiles } from './middleware.ts';
import { type DeliverReply, findPosted, type PostAndConfirm } from './posting/deliver-reply.ts';
import { ephemeralPlace, ephemeralThreadTs, type ReplyTarget } from './posting/reply-target.ts';
import type { Respond } from './posting/response-url.ts';
import { type CallDependencies, slackFailure } from './transport/web-api.ts';

/**
 * Never rejects: what can't be shown to the asker is logged. `resumed`: the question was asked before a restart and is
 * stored already.
 */
export type AnswerQuestion = (text: string, target: ReplyTarget, resumed?: ResumedQuestion) => Promise<void>;

export interface ResumedQuestion extends PendingQuestion {
  /** The notice that the previous process posted; `null` if there is none. */
  readonly noticeTs: string | null;
}

export interface AnswerDependencies {
  readonly commands: Commands;
  readonly userZone: UserProfiles['zone'];
  readonly deliverReply: DeliverReply;
  readonly log: Logger;
  readonly clock: Clock;
  /** The slash command's name, such as `/waf`. */
  readonly command: string;
}

interface AnswerQuestionDependencies extends AnswerDependencies {
  readonly pending: Pick<PendingQuestions, 'add'>;
  readonly startProgressNotice: StartProgressNotice;
  readonly observeQuestion: ObserveQuestion;
}

/** Slack asks for waits of up to five minutes. */
const MAX_DELIVERIES = 4;

export function createAnswerQuestion(deps: AnswerQuestionDependencies): AnswerQuestion {
  const { commands, startProgressNotice, pending, log, clock } = deps;
  const answer = createAnswer(deps);
  const elapsedMs = elapsedMsOf(clock);
  const { deliverEventually, reportFailedDelivery } = createDelivery(deps);

  /** Remembered for its thread, for the thread below its answer, and in a direct message for what is typed next. */
  async function remember(reply: Reply, { user, channel, threadTs: thread }: ReplyTarget, ts: string | null) {
    const places = [thread ?? ts ?? undefined, ...(channel.startsWith('D') && thread === undefined ? [null] : [])];
    for (const place of places) await commands.remember({ user, channel, thread: place }, reply);
  }

  return async function answerQuestion(text, asked, resumed) {
    const startedMs = elapsedMs();
    const question = resumed ?? (await pending.add(text, asked));
    if (question === null) return log.info({ channel: asked.channel }, 'question was already answered');
    const target = { ...asked, beforeSend: question.take };
    const isPrivate = () => commands.isPrivate({ ...questionOf(text, target), userZone: null });
    const { noticeId: id, isOurs } = question;
    const shownTs = resumed?.noticeTs ?? null;
    const notice = startProgressNotice({ text, isPrivate, isOurs, id, shownTs }, target);
    const answered = deps.observeQuestion();
    const reference = randomUUID().slice(0, 8);
    let { reply, verb, outcome } = await answer(text, target, { reference, leftBehind: question.leftBehind });
    try {
      const finished = await notice.finish(reply);
      const ts = await deliverEventually(finished.reply, finished.target, question);
      await remember(finished.reply, target, ts).catch((error: unknown) =>
        log.warn({ channel: target.channel, err: error }, 'could not remember the question'),
      );
    } catch (error) {
      outcome = error instanceof AnsweredElsewhere ? 'elsewhere' : 'failed';
      if (outcome === 'elsewhere') log.info({ channel: target.channel }, 'another process answers');
      else
        await reportFailedDelivery(error, text, target, reference).catch((second: unknown) =>
          log.error({ channel: target.channel, err: second }, 'could not report the failure'),
        );
    }
    const durationMs = elapsedMs() - startedMs;
    answered({ reference, verb, outcome, durationMs });
    log.info(
      { reference, verb, outcome, durationMs: Math.round(durationMs), channel: target.channel },
      'question done',
    );
  };
}

const questionOf = (text: string, { user, channel, threadTs, follows = false, viewed, step }: ReplyTarget) => {
  const thread = follows ? (threadTs ?? null) : undefined;
  return { text, user, channel, thread, viewed, ...(step !== undefined && { verbs: [step.verb] }) };
};

export function createAnswer({ commands, userZone, log, command }: AnswerDependencies) {
  return async function answer(
    text: string,
    target: ReplyTarget,
    { reference, leftBehind }: { readonly reference: string; readonly leftBehind: number },
  ): Promise<{ readonly reply: Reply; readonly verb: string; readonly outcome: QuestionOutcome }> {
    const { user, channel } = target;
    let verb = 'none';
    const onVerb = (understood: string): void => {
      verb = understood;
    };
    const asked = { ...questionOf(text, target), leftBehind, onVerb };
    try {
      const reply = await commands.answer({ ...asked, userZone: await userZone(user) });
      return { reply: leftBehind === 0 ? reply : afterRestart(reply, text), verb, outcome: 'answered' };
    } catch (error) {
      const code = codeOf(error);
      const facts = { reference, code, channel, err: error };
      const outcome = isOperatorFault(code) ? 'failed' : 'refused';
      if (outcome === 'failed') log.error(facts, 'question failed');
      else log.info(facts, 'question refused');
      // An error is as private as the answer would have been, and a refusal embarrasses nobody in public.
      const isPrivate = () => commands.isPrivate({ ...asked, userZone: null });
      const privately = code === 'forbidden' || (await isPrivate().catch(() => false));
      return { reply: { ...errorReply(error, { command, reference, asked: text }), privately }, verb, outcome };
    }
  };
}

/** Says why it comes late, and for which question: a typed command isn't visible. */
function afterRestart(reply: Reply, text: string): Reply {
  const note: Line = ['Asked before I restarted: ', { code: text === '' ? 'help' : text.slice(0, MAX_QUOTE) }];
  return { ...reply, notes: [note, ...(reply.notes ?? [])] };
}

export function createDelivery({ deliverReply, log, clock, command }: AnswerDependencies) {
  /** If Slack limits every way to the asker, nothing was posted: the answer follows once Slack accepts it. */
  async function deliverEventually(reply: Reply, target: ReplyTarget, question: PendingQuestion) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await deliverReply(reply, target);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'rate_limited' || attempt >= MAX_DELIVERIES) throw error;
        const { retryAfterMs } = failure;
        log.warn({ channel: target.channel, retryAfterMs }, 'Slack limits every way to answer, waiting');
        await question.putBack();
        await sleep(clock, retryAfterMs);
      }
    }
  }

  async function reportFailedDelivery(
    error: unknown,
    text: string,
    target: ReplyTarget,
    reference: string,
  ): Promise<void> {
    log.error({ reference, channel: target.channel, err: error }, 'could not deliver the answer');
    // If Slack itself failed, another message would fail too, or be a second answer.
    if (slackFailure(error) === null)
      await deliverReply(errorReply(error, { command, reference, asked: text }), target);
  }

  return { deliverEventually, reportFailedDelivery };
}

/** Schedules the notice for a question that is about to be answered. */
export type StartProgressNotice = (question: NoticedQuestion, target: ReplyTarget) => ProgressNotice;

interface NoticedQuestion {
  readonly text: string;
  /** Whether only the asker will see the answer. */
  readonly isPrivate: () => Promise<boolean>;
  /** False if another process answers it by now, with a notice of its own. */
  readonly isOurs: () => Promise<boolean>;
  /** Carried by the notice. */
  readonly id: string;
  /** A notice that is posted already. */
  readonly shownTs: string | null;
}

interface ProgressNotice {
  /** Cancels a notice that isn't shown yet; returns what to deliver and where: a posted notice is edited. */
  finish(reply: Reply): Promise<{ readonly reply: Reply; readonly target: ReplyTarget }>;
}

interface ProgressNoticeDependencies extends Omit<CallDependencies, 'retryOnRateLimit'> {
  readonly postAndConfirm: PostAndConfirm;
  readonly respond: Respond;
}

export const SLOW_AFTER_MS = 2_500;
/** How long a finished answer waits for its notice to be posted. */
export const NOTICE_LIMIT_MS = 3_000;
const MAX_QUOTE = 200;

export function createProgressNotices(deps: ProgressNoticeDependencies): StartProgressNotice {
  const { clients, postAndConfirm, respond, log, clock } = deps;

  async function postNotice(text: string, id: string, { channel, threadTs }: ReplyTarget): Promise<string> {
    const { ts } = await postAndConfirm({ channel, thread_ts: threadTs, text }, id);
    return ts;
  }

  /** Uses one of the five responses of a response_url; the answer needs at most three. */
  async function postEphemeralNotice(notice: string, target: ReplyTarget): Promise<null> {
    const text = `${notice} The answer follows.`;
    const { responseUrl } = target;
    if (responseUrl === undefined) await clients.post.chat.postEphemeral({ ...ephemeralPlace(target), text });
    else await respond(responseUrl, { text }, { inChannel: false, threadTs: ephemeralThreadTs(target) });
    return null;
  }

  const ignore = (error: unknown): null => {
    log.debug({ err: error }, 'could not show a progress notice');
    return null;
  };

  /** The message to edit into the answer, or `null`. */
  async function show(
    { text, isPrivate, isOurs, id }: NoticedQuestion,
    target: ReplyTarget,
    isAnswered: () => boolean,
  ): Promise<string | null> {
    const notice = noticeText(text);
    // If this fails, it isn't known whether the answer is private, so no notice is shown.
    const ephemeral = target.ephemeral || (await isPrivate());
    if (!(await isOurs())) return null;
    // An ephemeral notice can't be taken back, so it must not come next to the answer.
    if (isAnswered()) return null;
    const ts = ephemeral ? null : await postNotice(notice, id, target).catch(ignore);
    return ts ?? (isAnswered() ? null : postEphemeralNotice(notice, target));
  }

  /** The notice to edit. If Slack is still posting it when the answer is ready, it's deleted once it appears. */
  async function settled(shown: Promise<string | null> | undefined, { channel }: ReplyTarget): Promise<string | null> {
    if (shown === undefined) return null;
    return withTimeout(
      clock,
      NOTICE_LIMIT_MS,
      () => shown,
      () => {
        void shown
          .then((ts) => (ts === null ? null : clients.read.chat.delete({ channel, ts })))
          .catch((error: unknown) => log.debug({ err: error }, 'could not delete a late progress notice'));
        return null;
      },
    );
  }

  return function startProgressNotice(question, target) {
    // The bot's own message will be edited: its old content stays until the new answer is ready.
    if (target.replaceTs !== undefined) return { finish: async (reply) => ({ reply, target }) };
    const { shownTs } = question;
    let shown = shownTs === null ? undefined : Promise.resolve<string | null>(shownTs);
    let isAnswered = false;
    const cancel = clock.after(SLOW_AFTER_MS, () => {
      shown ??= show(question, target, () => isAnswered).catch(ignore);
    });
    return {
      async finish(reply) {
        cancel();
        isAnswered = true;
        const ts = await settled(shown, target);
        if (ts === null) return { reply, target };
        // Everyone has seen the notice, so even a reply meant only for the asker has to replace it.
        return { reply: { ...reply, quiet: false }, target: { ...target, replaceTs: ts } };
      },
    };
  };
}

/** Answers what another process left behind, in place of the notice that it posted. */
export function createResumeQuestion(
  { clients, log }: Pick<CallDependencies, 'clients' | 'log'>,
  answerQuestion: AnswerQuestion,
): ResumeQuestion {
  return async function resumeQuestion(text, target, question) {
    const { channel, threadTs } = target;
    const query = { channel, threadTs, id: question.noticeId, since: question.askedAt };
    const notice = await findPosted(clients, query).catch((err: unknown) => {
      log.warn({ channel, err }, 'could not search for a progress notice');
      return null;
    });
    await answerQuestion(text, target, { ...question, noticeTs: notice?.ts ?? null });
  };
}

function noticeText(question: string): string {
  return renderLine(['Working on ', question === '' ? 'your question' : { code: question.slice(0, MAX_QUOTE) }, ' …']);
}

/** Not the `response_url`: whoever reads it in the store could post there. */
type StoredTarget = Omit<ReplyTarget, 'responseUrl' | 'beforeSend'>;

export interface StoredQuestion {
  /** The process that answers it. */
  readonly owner: string;
  readonly text: string;
  readonly target: StoredTarget;
  readonly askedAt: string;
  readonly noticeId: string;
  /** How many processes have left it behind. */
  readonly leftBehind?: number;
  /** An answered question that was left behind stays for a while, for the process that had it first. */
  readonly answered?: boolean;
}

/** How long a silent process counts as alive. */
const LEASE_MS = 15_000;
export const LOOK_EVERY_MS = 1_900;
/** After this many, the question itself may be what crashes the process. */
const MAX_LEFT_BEHIND = 2;
/** By then, people have asked again. */
export const MAX_AGE_MS = 30 * MINUTE_MS;
const TAKE_LIMIT_MS = 2_000;

/** Another process answers the question. */
export class AnsweredElsewhere extends Error {
  override readonly name = 'AnsweredElsewhere';
}

/** A question under way in this process. */
export interface PendingQuestion {
  /** Carried by the notice that the answer takes time, so that a later process finds and edits it. */
  readonly noticeId: string;
  readonly askedAt: Temporal.Instant;
  /** How many processes have left it behind. */
  readonly leftBehind: number;
  /** False if another process has taken it over. Never rejects: while the store is down, it counts as ours. */
  isOurs(): Promise<boolean>;
  /** Before anything becomes visible. Rejects only with `AnsweredElsewhere`. */
  take(): Promise<void>;
  /** After `take`, if nothing became visible. */
  putBack(): Promise<void>;
}

/** Answers a question that another process left behind. Never rejects. */
export type ResumeQuestion = (text: string, target: ReplyTarget, question: PendingQuestion) => Promise<void>;

export interface PendingQuestions {
  /** `null` if the question is answered already, or about to be. Never rejects. */
  add(text: string, target: ReplyTarget): Promise<PendingQuestion | null>;
  /** To be called before the first question. Rejects if the store is away. */
  open(): Promise<void>;
  /** Answers what other processes left behind, now and later. */
  resumeWith(answer: ResumeQuestion): void;
  /** Leaves the rest to others. */
  close(): Promise<void>;
}

/** The part of the store that this needs. */
export interface QuestionStore {
  update(
    key: string,
    change: (current: StoredQuestion | undefined) => StoredQuestion | undefined,
  ): Promise<StoredQuestion | undefined>;
  list(): AsyncIterable<readonly [key: string, question: StoredQuestion]>;
  readonly locks: {
    acquire(key: string, owner: string, ttlMs: number): Promise<boolean>;
    renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
    release(key: string, owner: string): Promise<boolean>;
  };
  /** No other process can be using it. */
  readonly exclusive: boolean;
}

interface PendingQuestionsDeps {
  readonly store: QuestionStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Drops the delivery if Slack repeats it. */
  readonly markSeen: (delivery: string) => Promise<unknown>;
}

const lockOf = (owner: string): string => `questions:${owner}`;

export function createPendingQuestions({ store, clock, log, markSeen }: PendingQuestionsDeps): PendingQuestions {
  const { locks } = store;
  const { track, confirm } = createTracking(store, clock, log);
  let owner: string = randomUUID();
  const waiting = new Set<() => void>();
  let isClosed = false;

  async function keepLease(): Promise<void> {
    if (await locks.renew(lockOf(owner), owner, LEASE_MS)) return;
    if (await locks.acquire(lockOf(owner), owner, LEASE_MS)) return;
    // Another process is taking over the questions under this name.
    owner = randomUUID();
    await locks.acquire(lockOf(owner), owner, LEASE_MS);
  }

  async function takeOver(key: string, { owner: last, askedAt }: StoredQuestion, answer: ResumeQuestion) {
    const isOld = clock.now().since(askedAt).total('milliseconds') > MAX_AGE_MS;
    const taken = await store.update(key, (current) => {
      if (current?.owner !== last) return current;
      const { answered = false, leftBehind = 0 } = current;
      // A workflow waits until its step ends, however late.
      const isAwaited = current.target.step !== undefined && !answered && leftBehind < MAX_LEFT_BEHIND;
      if (isOld && !isAwaited) return undefined;
      if (answered) return current;
      // It stays until it's old: without a record, each process that had the question would think it's still its own.
      return leftBehind >= MAX_LEFT_BEHIND ? current : { ...current, owner, leftBehind: leftBehind + 1 };
    });
    if (taken?.owner !== owner) return;
    await markSeen(key);
    log.info({ channel: taken.target.channel }, 'answering a question from before a restart');
    void answer(taken.text, taken.target, track(key, taken));
  }

  async function takeOverAll(answer: ResumeQuestion): Promise<void> {
    await confirm();
    const gone = new Map([[owner, false]]);
    for await (const [key, record] of store.list()) {
      // Free only if the process that held it has ended, or has been silent for long.
      if (!gone.has(record.owner)) gone.set(record.owner, await locks.acquire(lockOf(record.owner), owner, LEASE_MS));
      if (gone.get(record.owner) === true && !isClosed) await takeOver(key, record, answer);
    }
    for (const [name, isGone] of gone) if (isGone) await locks.release(lockOf(name), owner);
  }

  /** In a store that only this process uses, there are no other processes to take over from. */
  function repeat(task: () => Promise<void>): void {
    task()
      .catch((err: unknown) => log.warn({ err }, 'could not check the questions under way'))
      .then(() => {
        if (isClosed || store.exclusive) return;
        const cancel = clock.after(LOOK_EVERY_MS, () => {
          waiting.delete(cancel);
          repeat(task);
        });
        waiting.add(cancel);
      });
  }

  return {
    async add(text, { responseUrl: _url, beforeSend: _before, ...target }) {
      const asked = { text, target, askedAt: clock.now().toString() };
      const record: StoredQuestion = { ...asked, owner, noticeId: randomUUID() };
      const isFree = (current: StoredQuestion | undefined): boolean =>
        current === undefined || (current.owner !== record.owner && current.answered !== true);
      const key = currentDelivery() ?? randomUUID();
      const storing = () => store.update(key, (current) => (isFree(current) ? record : current));
      const stored = await withTimeout(clock, STORE_LIMIT_MS, storing, () => record).catch((err: unknown) => {
        log.warn({ err }, 'could not store a question; a restart would lose it');
        return record;
      });
      return stored === record ? track(key, record) : null;
    },
    open: keepLease,
    resumeWith(answer) {
      // On its own timer: renewing a lease must not wait for questions that others left behind.
      repeat(keepLease);
      repeat(() => takeOverAll(answer));
    },
    async close() {
      isClosed = true;
      for (const cancel of waiting) cancel();
      await confirm();
      await locks.release(lockOf(owner), owner);
    },
  };
}

function createTracking(store: Pick<QuestionStore, 'update'>, clock: Clock, log: Logger) {
  /** Taken over, but not confirmed by the store. */
  const unconfirmed = new Map<string, () => Promise<unknown>>();
  const failed = (err: unknown): void => log.warn({ err }, 'could not update a stored question');

  function track(key: string, record: StoredQuestion): PendingQuestion {
    const { owner, leftBehind = 0 } = record;
    // Also compares the count: this process may have taken it back from another.
    const isOurs = (current: StoredQuestion | undefined): boolean =>
      current === undefined || (current.owner === owner && (current.leftBehind ?? 0) === leftBehind);
    /** False if another process has taken it. */
    async function remove(): Promise<boolean> {
      const left = await store.update(key, (current) => {
        if (current === undefined || !isOurs(current)) return current;
        return leftBehind > 0 ? { ...current, answered: true } : undefined;
      });
      unconfirmed.delete(key);
      return isOurs(left);
    }

    async function take(): Promise<void> {
      unconfirmed.set(key, remove);
      const removed = withTimeout(clock, TAKE_LIMIT_MS, remove, () => true);
      const isTaken = await removed.catch((error: unknown) => {
        failed(error);
        return true;
      });
      if (!isTaken) throw new AnsweredElsewhere('another process answers this question');
    }

    let taking: Promise<void> | null = null;
    return {
      noticeId: record.noticeId,
      askedAt: Temporal.Instant.from(record.askedAt),
      leftBehind,
      isOurs: () =>
        withTimeout(
          clock,
          STORE_LIMIT_MS,
          async () => isOurs(await store.update(key, (current) => current)),
          () => true,
        ).catch(() => true),
      async take() {
        taking ??= take();
        await taking;
      },
      async putBack() {
        taking = null;
        unconfirmed.delete(key);
        await store.update(key, (current) => (isOurs(current) ? record : current)).catch(failed);
      },
    };
  }

  return {
    track,
    async confirm(): Promise<void> {
      for (const remove of unconfirmed.values()) await remove();
    },
  };
}
