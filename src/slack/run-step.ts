/**
 * Runs a workflow step: answers it in its channel as if the person who runs the workflow had typed it there, and
 * returns the finding and numbers to the workflow.
 *
 * Each execution is completed or failed once. Its record in the store stays until Slack has confirmed the end, so
 * another process, or the next start, ends what was left behind: it finds the answer that was posted by the ID of the
 * record, and brings it up to date instead of posting another. Slack itself refuses a second end.
 */
import { randomUUID } from 'node:crypto';
import { elapsedMsOf, sleep } from '../clock.ts';
import type { Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { ObserveQuestion } from '../observability/observers.ts';
import { errorReply } from '../replies/error-reply.ts';
import { plainText, subjectWords } from '../replies/phrases.ts';
import type { Action, Line } from '../replies/reply.ts';
import { summarise } from '../statistics/timeline.ts';
import {
  type AnswerDependencies,
  AnsweredElsewhere,
  createAnswer,
  createDelivery,
  MAX_AGE_MS,
  type PendingQuestion,
  type PendingQuestions,
  type ResumedQuestion,
} from './answer-question.ts';
import { plainLine } from './blocks/message.ts';
import { type IsAnswered, ONLY_COLLEAGUES, type UserProfiles } from './middleware.ts';
import type { ReplyTarget, WorkflowStep } from './posting/reply-target.ts';
import { type SlackClients, type SlackFailure, slackFailure } from './transport/web-api.ts';

/** Steps that have ended, for as long as Slack may repeat their events. */
export interface EndedSteps {
  has(execution: string): Promise<boolean>;
  add(execution: string): Promise<unknown>;
}

interface StepDependencies extends AnswerDependencies {
  readonly clients: SlackClients;
  readonly pending: Pick<PendingQuestions, 'add'>;
  readonly profiles: UserProfiles;
  readonly isAnswered: IsAnswered;
  readonly endedSteps: EndedSteps;
  readonly observeQuestion: ObserveQuestion;
}

/** Where a step's answer goes. */
export type StepTarget = ReplyTarget & { readonly step: WorkflowStep };

/** What came with the event, which a later process doesn't have. */
interface ReceivedStep {
  /** The step's own token, valid until it ends. */
  readonly token: string;
  readonly acknowledge: () => Promise<void>;
}

/** How a step ends. */
type StepEnd = { readonly outputs: StepOutputs } | { readonly error: string };

interface StepOutputs extends Record<string, string | number> {
  readonly verdict: string;
  readonly finding: string;
  readonly numbers: string;
}

export interface Steps {
  /** Never rejects. */
  run(text: string, target: StepTarget, by: ReceivedStep | ResumedQuestion): Promise<void>;
  /** Fails a step that can't be run. Never rejects. */
  refuse(execution: string, error: string, received: ReceivedStep): Promise<void>;
}

export function createSteps(deps: StepDependencies): Steps {
  const { pending, endedSteps, clock, log } = deps;
  const elapsedMs = elapsedMsOf(clock);
  const outcomeOf = createStepOutcome(deps);
  const endInSlack = createStepEnding(deps);
  const forget = (err: unknown): void => log.warn({ err }, 'could not record the end of a workflow step');

  async function end(execution: string, how: StepEnd, token: string | undefined): Promise<boolean> {
    const isEnded = await endInSlack(execution, how, token);
    if (isEnded) await endedSteps.add(execution).catch(forget);
    return isEnded;
  }

  /** `null` if it was run already. */
  async function receive(text: string, target: StepTarget, { acknowledge }: ReceivedStep) {
    const isEnded = await endedSteps.has(target.step.execution).catch(() => false);
    const question = isEnded ? null : await pending.add(text, target);
    // Only once it's stored: Slack repeats what isn't acknowledged.
    await acknowledge();
    return question;
  }

  async function run(text: string, target: StepTarget, by: ReceivedStep | ResumedQuestion): Promise<void> {
    const { channel, step } = target;
    const startedMs = elapsedMs();
    const question = 'acknowledge' in by ? await receive(text, target, by) : by;
    if (question === null) return log.info({ channel }, 'workflow step was already run');
    const answered = deps.observeQuestion();
    const reference = randomUUID().slice(0, 8);
    const shownTs = 'noticeTs' in by ? by.noticeTs : null;
    const { how, verb, outcome } = await outcomeOf(text, target, { question, shownTs, reference });
    const token = 'token' in by ? by.token : undefined;
    // What couldn't be ended is left to the next start.
    if (how !== null && (await end(step.execution, how, token))) await question.take().catch(forget);
    const durationMs = elapsedMs() - startedMs;
    answered({ reference, verb, outcome, durationMs });
    log.info({ reference, verb, outcome, durationMs: Math.round(durationMs), channel }, 'workflow step done');
  }

  const unexpected = (err: unknown): void => log.error({ err }, 'workflow step failed');
  return {
    run: (text, target, by) => run(text, target, by).catch(unexpected),
    async refuse(execution, error, { token, acknowledge }) {
      await acknowledge()
        .then(() => end(execution, { error }, token))
        .catch(unexpected);
    },
  };
}

interface RunningStep {
  readonly question: PendingQuestion;
  /** The answer that the previous process posted. */
  readonly shownTs: string | null;
  readonly reference: string;
}

/** Asks, and posts the answer. `how` is `null` if another process ends the step. */
function createStepOutcome(deps: StepDependencies) {
  const { commands, clients, clock, log, command } = deps;
  const answer = createAnswer(deps);
  const { deliverEventually } = createDelivery(deps);

  /** The link to the posted answer; `null` if nobody but the person sees it. */
  async function post(reply: Reply, target: StepTarget, { question, shownTs }: RunningStep): Promise<string | null> {
    const { channel, user } = target;
    const beforeSend = async (): Promise<void> => {
      if (!(await question.isOurs())) throw new AnsweredElsewhere('another process runs this step');
    };
    const place = { ...target, postId: question.noticeId, beforeSend };
    const ts = await deliverEventually(reply, shownTs === null ? place : { ...place, replaceTs: shownTs }, question);
    if (ts === null) return null;
    const ignore = (err: unknown): null => {
      log.warn({ channel, err }, 'could not link or remember the answer of a workflow step');
      return null;
    };
    await commands.remember({ user, channel, thread: ts }, reply).catch(ignore);
    return clients.read.chat
      .getPermalink({ channel, message_ts: ts })
      .then(({ permalink = null }) => permalink, ignore);
  }

  return async function outcomeOf(text: string, target: StepTarget, running: RunningStep) {
    const { question, reference } = running;
    let verb = 'none';
    try {
      assertRecent(question, clock.now());
      await assertMayRun(deps, target);
      const found = await answer(text, target, { reference, leftBehind: question.leftBehind });
      verb = found.verb;
      const { reply, outcome } = found;
      if (reply.failed === true) return { how: { error: failureWords(reply, text) }, verb, outcome };
      const link = target.step.posts ? await post(reply, target, running) : null;
      return { how: { outputs: stepOutputs(reply, link) }, verb, outcome };
    } catch (error) {
      if (error instanceof AnsweredElsewhere) return { how: null, verb, outcome: 'elsewhere' as const };
      const isRefusal = error instanceof BotError;
      if (isRefusal) log.info({ reference, code: error.code, channel: target.channel }, 'workflow step refused');
      else log.error({ reference, err: error, channel: target.channel }, 'workflow step failed');
      const failure = slackFailure(error) === null ? error : NOT_ACCEPTED;
      const how = { error: failureWords(errorReply(failure, { command, reference }), text) };
      return { how, verb, outcome: isRefusal ? ('refused' as const) : ('failed' as const) };
    }
  };
}

const NOT_ACCEPTED = new BotError('limit', 'Slack didn’t accept the answer.', {
  hint: 'Run the workflow again in a minute.',
});

function assertRecent({ askedAt }: PendingQuestion, now: Temporal.Instant): void {
  if (now.since(askedAt).total('milliseconds') <= MAX_AGE_MS) return;
  throw new BotError('stopping', 'I was away when this step was due.', { hint: 'Run the workflow again.' });
}

/** Without a workspace: Slack doesn't say where the person belongs. */
const UNKNOWN_TEAM = '';

/** As for a command, only colleagues in the channel. What they may ask there is checked with the sentence. */
async function assertMayRun({ clients, profiles, isAnswered }: StepDependencies, target: StepTarget): Promise<void> {
  const { user } = target;
  if (!(await isAnswered({ user, team: (await profiles.team(user)) ?? UNKNOWN_TEAM }))) throw ONLY_COLLEAGUES;
  if (await isMember(clients, target)) return;
  throw new BotError('forbidden', 'You can only run this step for a channel that you are in.', {
    hint: 'Join the channel, or choose another one in the workflow. If it is private, invite me there.',
  });
}

const PAGE_SIZE = 200;
const MAX_PAGES = 10;

/** False for a private channel that the bot isn't in: Slack doesn't say who is. */
async function isMember({ read }: SlackClients, { user, channel, step: { team } }: StepTarget): Promise<boolean> {
  // A token of an organization lists the channels of one workspace.
  const options = { user, types: 'public_channel,private_channel', limit: PAGE_SIZE, team_id: team };
  let cursor = '';
  for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== ''); page++) {
    const { channels = [], response_metadata } = await read.users.conversations({ ...options, cursor });
    if (channels.some(({ id }) => id === channel)) return true;
    cursor = response_metadata?.next_cursor ?? '';
  }
  return false;
}

/** Long enough for a short outage; steps that still couldn't be ended are left to the next start. */
const MAX_ATTEMPTS = 8;
const MAX_WAIT_MS = 30_000;
const ENDED: ReadonlySet<string> = new Set(['execution_not_in_running_state', 'function_execution_not_found']);
const REFUSED_TOKEN: ReadonlySet<string> = new Set([
  'token_revoked',
  'token_expired',
  'invalid_auth',
  'access_denied',
  'not_allowed_token_type',
]);
const NOT_UNDERSTOOD =
  'Slack didn’t accept the numbers of this step. The operator of this bot can find out why in its log.';

/** True once Slack has confirmed the end of the step, or that it had ended. */
function createStepEnding({ clients, clock, log }: Pick<StepDependencies, 'clients' | 'clock' | 'log'>) {
  function call(execution: string, how: StepEnd, token: string | undefined): Promise<unknown> {
    const id = { function_execution_id: execution, ...(token !== undefined && { token }) };
    return 'error' in how
      ? clients.post.functions.completeError({ ...id, ...how })
      : clients.post.functions.completeSuccess({ ...id, ...how });
  }

  return async function endInSlack(execution: string, end: StepEnd, ownToken: string | undefined): Promise<boolean> {
    let how = end;
    let token = ownToken;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const failure = await call(execution, how, token).then(() => null, failureOf);
      if (failure === null) return true;
      const facts = { reason: 'reason' in failure ? failure.reason : failure.kind, attempt };
      if (failure.kind !== 'refused') {
        log.warn(facts, 'could not end a workflow step, retrying');
        await sleep(clock, waitMs(failure, attempt));
      } else if (ENDED.has(failure.reason)) {
        log.info(facts, 'workflow step had already ended');
        return true;
      } else if (token !== undefined && REFUSED_TOKEN.has(failure.reason)) token = undefined;
      else if ('outputs' in how) {
        log.error({ ...facts, problems: failure.messages }, 'Slack refused the outputs of a workflow step');
        how = { error: NOT_UNDERSTOOD };
      } else break;
    }
    log.error({}, 'could not end a workflow step');
    return false;
  };
}

function failureOf(error: unknown): SlackFailure {
  const failure = slackFailure(error);
  if (failure === null) throw error;
  return failure;
}

const waitMs = (failure: SlackFailure, attempt: number): number =>
  failure.kind === 'rate_limited' ? failure.retryAfterMs : Math.min(MAX_WAIT_MS, 500 * 2 ** attempt);

const MAX_WORDS = 3_000;

/** A workflow puts these into messages of its own, where nothing may become a mention or a link. */
const asText = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›').slice(0, MAX_WORDS);

/** Numbers that aren't known are left out. */
export function stepOutputs({ title, level, subject, chart, ...reply }: Reply, link: string | null): StepOutputs {
  const { headline = [], body = [], also = [], notes = [] } = reply;
  const about = subject === undefined ? [] : [subjectWords(subject)];
  const lines = [...about, ...[headline, ...body, ...also, ...notes].map((line: Line) => plainText(line))];
  const numbers = lines.filter((line) => line !== '').join('\n');
  const { requests, attacks } =
    chart?.kind === 'timeline' ? summarise(chart.timeline) : { requests: null, attacks: null };
  return {
    verdict: level ?? 'not_enough_data',
    finding: asText(title),
    // An output that is required can't be empty.
    numbers: asText(numbers === '' ? title : numbers),
    ...(attacks !== null && { attacks }),
    ...(requests !== null && { requests }),
    ...(link !== null && { link }),
  };
}

const MAX_INSTEAD = 2;

/** What went wrong and what to do, in one paragraph: there are no buttons. */
function failureWords({ title, headline = [], body = [], actions = [] }: Reply, asked: string): string {
  const lines = [[`${title}.`], headline, ...body]
    .map((line) => plainLine(line, MAX_WORDS))
    .filter((line) => line !== '');
  const isInstead = ({ effect, sentence }: Action): boolean => effect === 'again' && sentence !== asked;
  const instead = actions.filter(isInstead).map(({ sentence }) => sentence);
  const offer = instead.length === 0 ? [] : [`Instead: ${instead.slice(0, MAX_INSTEAD).join(', or ')}`];
  return [...lines, ...offer].join(' ').slice(0, MAX_WORDS);
}
