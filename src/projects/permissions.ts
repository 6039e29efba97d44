/** Who may ask, how much, and who may change what others see. What a sentence does is said by the command table. */

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

interface Asker {
  readonly user: string;
  readonly channel: string;
}

export function isAllowedChannel({ allowedChannels }: Pick<Policy, 'allowedChannels'>, channel: string): boolean {
  return allowedChannels === null || allowedChannels.includes(channel);
}

export function mayAsk(policy: Policy, { channel, user }: Asker): boolean {
  // Admins may ask anywhere: someone has to be able to find out why nobody else can.
  return isAllowedChannel(policy, channel) || policy.admins?.includes(user) === true;
}

export function assertMayAsk(policy: Policy, asker: Asker): void {
  if (mayAsk(policy, asker)) return;
  throw new BotError('forbidden', 'I may not answer in this channel.', {
    hint: 'An admin of this bot can allow it.',
    people: policy.admins ?? [],
  });
}

/** A project can be for some of the bot's channels only. */
export function mayAskAbout({ allowedChannels }: Pick<Policy, 'allowedChannels'>, { admins }: Policy, asker: Asker) {
  return mayAsk({ allowedChannels, admins }, asker);
}

/** `next` helps whoever may only look. */
export function assertAllowed(
  effect: CommandEffect,
  { admins }: Policy,
  { user }: Asker,
  next: readonly NextStep[] = [],
): void {
  if (effect !== 'change' || admins === null || admins.includes(user)) return;
  throw new BotError('forbidden', 'Only an admin of this bot may change that.', { people: admins, next });
}

/** So that nobody's questions are all that the bot and the service are busy with. */
const AT_ONCE = 5;
const PER_MINUTE = 30;

interface AskedText {
  readonly user: string;
  readonly text: string;
}

export interface QuestionLimit {
  /** Answers a question of a person, or rejects when they have asked too much. */
  run<T>(question: AskedText, answer: () => Promise<T>): Promise<T>;
}

export function createQuestionLimit(now: () => Temporal.Instant): QuestionLimit {
  const underWay = new Map<string, number>();
  const asked = new Map<string, number>();
  let minute = 0;

  function assertNotTooMany(question: AskedText): void {
    const { user } = question;
    const nowMs = now().epochMilliseconds;
    const thisMinute = Math.floor(nowMs / MINUTE_MS);
    if (thisMinute !== minute) asked.clear();
    minute = thisMinute;
    if ((underWay.get(user) ?? 0) >= AT_ONCE) throw tooManyAtOnce(question);
    if ((asked.get(user) ?? 0) >= PER_MINUTE) throw tooManyThisMinute(question, (thisMinute + 1) * MINUTE_MS - nowMs);
  }

  return {
    async run(question, answer) {
      const { user } = question;
      assertNotTooMany(question);
      asked.set(user, (asked.get(user) ?? 0) + 1);
      underWay.set(user, (underWay.get(user) ?? 0) + 1);
      try {
        return await answer();
      } finally {
        const left = (underWay.get(user) ?? 0) - 1;
        if (left > 0) underWay.set(user, left);
        else underWay.delete(user);
      }
    },
  };
}

/** The same question, for when there is room again. */
function again({ text }: AskedText): NextStep[] {
  return text.trim() === '' ? [] : [{ label: 'Try again', sentence: text }];
}

function tooManyAtOnce(question: AskedText): BotError {
  return new BotError(
    'limit',
    `You have ${AT_ONCE} questions under way, and I answer no more at once for one person.`,
    { hint: 'Wait for one of the answers, then ask again.', next: again(question) },
  );
}

function tooManyThisMinute(question: AskedText, waitMs: number): BotError {
  const message = `You have asked ${PER_MINUTE} questions within a minute, and I answer no more for one person.`;
  const wait = duration(waitMs, { units: ['second'], rounding: 'up' });
  return new BotError('limit', message, {
    hint: `Ask again in ${wait}. What you want to know again and again, a digest or a watch tells by itself.`,
    next: again(question),
  });
}
