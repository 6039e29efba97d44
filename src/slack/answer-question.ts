/**
 * Turns a question into exactly one visible answer, even if it's slow, refused or fails. All listeners that take a question
 * end here.
 *
 * A slow answer is announced. In a channel, the notice is a message that is edited into the answer; an ephemeral notice
 * can't be edited later, so it says that the answer follows.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, sleep, withTimeout } from '../clock.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { errorReply } from '../replies/error-reply.ts';
import { renderLine } from './blocks/message.ts';
import type { UserProfiles } from './middleware.ts';
import type { DeliverReply } from './posting/deliver-reply.ts';
import type { CallDependencies, PostAndConfirm } from './posting/post-and-confirm.ts';
import { ephemeralPlace, ephemeralThreadTs, type ReplyTarget } from './posting/reply-target.ts';
import type { Respond } from './posting/response-url.ts';
import { slackFailure } from './transport/web-api.ts';

/** Never rejects: what can't be shown to the asker is logged. */
export type AnswerQuestion = (text: string, target: ReplyTarget) => Promise<void>;

/** `refused`: the asker can fix it. `failed`: only the operator or the service can. */
type QuestionOutcome = 'answered' | 'refused' | 'failed';

export interface AnsweredQuestion {
  readonly outcome: QuestionOutcome;
  /** From the question to the delivery of its answer. */
  readonly durationMs: number;
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
  readonly startProgressNotice: StartProgressNotice;
  readonly onAnswered: (question: AnsweredQuestion) => void;
}

/** Slack names a wait of up to five minutes. */
const MAX_DELIVERIES = 4;

const OPERATOR_FAULT = /^(upstream_|not_posted$|storage$|config$|internal$)/;

export function createAnswerQuestion(deps: AnswerQuestionDependencies): AnswerQuestion {
  const { commands, userZone, deliverReply, startProgressNotice, log, clock, command } = deps;

  return async function answerQuestion(text, target) {
    const { user, channel, threadTs, follows = false } = target;
    const asked = { text, user, channel, thread: follows ? (threadTs ?? null) : undefined };
    const startedMs = clock.now().epochMilliseconds;
    const isPrivate = () => commands.isPrivate({ ...asked, userZone: null });

    async function answer(): Promise<{ readonly reply: Reply; readonly outcome: QuestionOutcome }> {
      try {
        const reply = await commands.answer({ ...asked, userZone: await userZone(user) });
        return { reply, outcome: 'answered' };
      } catch (error) {
        const reference = randomUUID().slice(0, 8);
        const code = error instanceof BotError ? error.code : 'internal';
        const facts = { reference, code, channel, err: error };
        const outcome = OPERATOR_FAULT.test(code) ? 'failed' : 'refused';
        if (outcome === 'failed') log.error(facts, 'question failed');
        else log.info(facts, 'question refused');
        // An error is as private as the answer would have been, and a refusal embarrasses nobody in public.
        const privately = code === 'forbidden' || (await isPrivate().catch(() => false));
        return { reply: { ...errorReply(error, { command, reference, asked: text }), privately }, outcome };
      }
    }

    /** While Slack limits every way to the asker, nothing has been posted: the answer comes once Slack accepts it. */
    async function deliverEventually(deliver: () => Promise<void>): Promise<void> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await deliver();
        } catch (error) {
          const failure = slackFailure(error);
          if (failure?.kind !== 'rate_limited' || attempt >= MAX_DELIVERIES) throw error;
          log.warn({ channel, retryAfterMs: failure.retryAfterMs }, 'Slack limits every way to answer, waiting');
          await sleep(clock, failure.retryAfterMs);
        }
      }
    }

    async function reportFailedDelivery(error: unknown): Promise<void> {
      const reference = randomUUID().slice(0, 8);
      log.error({ reference, channel, err: error }, 'could not deliver the answer');
      // If Slack itself failed, another message would fail too, or be a second answer.
      if (slackFailure(error) === null)
        await deliverReply(errorReply(error, { command, reference, asked: text }), target);
    }

    /** For the thread it is in, for the thread below its answer, and in a direct message for what is typed next. */
    async function remember(reply: Reply, { threadTs: thread }: ReplyTarget, ts: string | null): Promise<void> {
      const places = [thread ?? ts ?? undefined, ...(channel.startsWith('D') && thread === undefined ? [null] : [])];
      for (const place of places) await commands.remember({ user, channel, thread: place }, reply);
    }

    const notice = startProgressNotice({ text, isPrivate }, target);
    let { reply, outcome } = await answer();
    try {
      const finished = await notice.finish(reply);
      await deliverEventually(async () => {
        const ts = await deliverReply(finished.reply, finished.target);
        await remember(finished.reply, target, ts).catch((error: unknown) =>
          log.warn({ channel, err: error }, 'could not remember the question'),
        );
      });
    } catch (error) {
      outcome = 'failed';
      await reportFailedDelivery(error).catch((second: unknown) =>
        log.error({ channel, err: second }, 'could not report the failure'),
      );
    }
    deps.onAnswered({ outcome, durationMs: clock.now().epochMilliseconds - startedMs });
  };
}

/** Schedules the notice for a question that is about to be answered. */
export type StartProgressNotice = (question: NoticedQuestion, target: ReplyTarget) => ProgressNotice;

interface NoticedQuestion {
  readonly text: string;
  /** Whether only the asker will see the answer. */
  readonly isPrivate: () => Promise<boolean>;
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

  async function postNotice(text: string, { channel, threadTs }: ReplyTarget): Promise<string> {
    const { ts } = await postAndConfirm({ channel, thread_ts: threadTs, text }, randomUUID());
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
    { text, isPrivate }: NoticedQuestion,
    target: ReplyTarget,
    isAnswered: () => boolean,
  ): Promise<string | null> {
    const notice = noticeText(text);
    // A failure means that it isn't known whether the answer is private: then a notice could be one too many.
    const ephemeral = target.ephemeral || (await isPrivate());
    // An ephemeral notice can't be taken back, so it must not come next to the answer.
    if (isAnswered()) return null;
    const ts = ephemeral ? null : await postNotice(notice, target).catch(ignore);
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
    let shown: Promise<string | null> | undefined;
    let isAnswered = false;
    const cancel = clock.after(SLOW_AFTER_MS, () => {
      shown = show(question, target, () => isAnswered).catch(ignore);
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

function noticeText(question: string): string {
  return renderLine(['Working on ', question === '' ? 'your question' : { code: question.slice(0, MAX_QUOTE) }, ' …']);
}
