/** Who may ask, how much, and who may change what others see. A sentence's effect comes from its verb. */

import { BotError, type NextStep } from '../errors.ts';
import type { CommandEffect } from '../grammar/command-table.ts';
import { duration } from '../statistics/format.ts';
import { MINUTE_MS } from '../time-units.ts';

export interface Policy {
  /** `null`: everywhere. */
  readonly allowedChannels: readonly string[] | null;
  /** `null`: everyone may do everything. */
  readonly admins: readonly string[] | null;
}

export interface Asker {
  readonly user: string;
  readonly channel: string;
}

export interface AskedText extends Asker {
  readonly text: string;
}

export function isAllowedChannel({ allowedChannels }: Pick<Policy, 'allowedChannels'>, channel: string): boolean {
  return allowedChannels === null || allowedChannels.includes(channel);
}

export function mayAsk(policy: Policy, { channel, user }: Asker): boolean {
  // Admins may ask anywhere, because someone has to find out why nobody else can.
  return isAllowedChannel(policy, channel) || policy.admins?.includes(user) === true;
}

export function assertMayAsk(policy: Policy, asker: Asker): void {
  if (mayAsk(policy, asker)) return;
  throw new BotError('forbidden', "I'm not allowed to answer in this channel.", {
    hint: 'An admin of this bot can allow it.',
    people: policy.admins ?? [],
  });
}

/** A project can be limited to some of the bot's channels. */
export function mayAskAbout({ allowedChannels }: Pick<Policy, 'allowedChannels'>, { admins }: Policy, asker: Asker) {
  return mayAsk({ allowedChannels, admins }, asker);
}

/** `next` is for people who may only look. */
export function assertAllowed(
  effect: CommandEffect,
  { admins }: Policy,
  { user }: Asker,
  next: readonly NextStep[] = [],
): void {
  if (effect !== 'change' || admins === null || admins.includes(user)) return;
  throw new BotError('forbidden', 'Only an admin of this bot can change that.', { people: admins, next });
}

/** Limits that keep one person from using up the bot and the service. */
const MAX_CONCURRENT = 5;
const MAX_PER_MINUTE = 30;

export interface QuestionLimit {
  /** Answers the question, or rejects if the person has asked too many. */
  run<T>(question: AskedText, answer: () => Promise<T>): Promise<T>;
}

export function createQuestionLimit(now: () => Temporal.Instant): QuestionLimit {
  const running = new Map<string, number>();
  const recent = new Map<string, number>();
  let minute = 0;

  function assertNotTooMany(question: AskedText): void {
    const { user } = question;
    const nowMs = now().epochMilliseconds;
    const thisMinute = Math.floor(nowMs / MINUTE_MS);
    if (thisMinute !== minute) recent.clear();
    minute = thisMinute;
    if ((running.get(user) ?? 0) >= MAX_CONCURRENT) throw tooManyAtOnce(question);
    if ((recent.get(user) ?? 0) >= MAX_PER_MINUTE)
      throw tooManyThisMinute(question, (thisMinute + 1) * MINUTE_MS - nowMs);
  }

  return {
    async run(question, answer) {
      const { user } = question;
      assertNotTooMany(question);
      recent.set(user, (recent.get(user) ?? 0) + 1);
      running.set(user, (running.get(user) ?? 0) + 1);
      try {
        return await answer();
      } finally {
        const left = (running.get(user) ?? 0) - 1;
        if (left > 0) running.set(user, left);
        else running.delete(user);
      }
    },
  };
}

/** The same question again. */
function again({ text }: AskedText): NextStep[] {
  return text.trim() === '' ? [] : [{ label: 'Try again', sentence: text }];
}

function tooManyAtOnce(question: AskedText): BotError {
  return new BotError('limit', `You already have ${MAX_CONCURRENT} questions in progress, which is the limit.`, {
    hint: 'Wait for an answer, then ask again.',
    next: again(question),
  });
}

function tooManyThisMinute(question: AskedText, waitMs: number): BotError {
  const message = `You've asked ${MAX_PER_MINUTE} questions in a minute, which is the limit.`;
  const wait = duration(waitMs, { units: ['second'], rounding: 'up' });
  return new BotError('limit', message, {
    hint: `Ask again in ${wait}. For recurring questions, create a digest or a watch.`,
    next: again(question),
  });
}
