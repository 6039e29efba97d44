/** Which digest or watch a sentence means, and what is wrong with a wish for a new one. */
import { BotError, type Span, UsageError } from '../../errors.ts';
import type { Word } from '../grammar/tokens.ts';
import type { SubscriptionSummary, Subscriptions } from '../ports.ts';
import type { SubscriptionKind } from '../replies/subscription-lines.ts';
import type { Ask } from '../verb.ts';

/** A wish that was not understood, told of the whole sentence, with an example that has its verb. */
export function aboutSentence(error: unknown, { sentence: { text } }: Ask, { verb }: SubscriptionKind): unknown {
  if (!(error instanceof UsageError)) return error;
  const { message, span, suggestion, example, hint } = error;
  return new UsageError(message, {
    text,
    ...(span === undefined ? {} : { span: withoutBlanks(text, span) }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(hint === undefined ? {} : { hint }),
    ...(example === undefined ? {} : { example: example.startsWith(verb) ? example : `${verb} ${example}` }),
  });
}

function withoutBlanks(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const blanks = part.length - part.trimStart().length;
  return { start: start + blanks, end: start + Math.max(blanks + 1, part.trimEnd().length) };
}

/** What `digest pause 2` means: by number in the list, by id, or the only one there is. */
export async function chooseBooking(
  ask: Ask,
  subscriptions: Subscriptions,
  kind: SubscriptionKind,
  word: Word | undefined,
): Promise<SubscriptionSummary> {
  const list = await subscriptions.list(ask.question.channel);
  const { text } = ask.sentence;
  if (list.length === 0) {
    throw new BotError('not_found', `This channel has no ${kind.names}.`, {
      hint: `Make one: ${ask.deps.command} ${kind.example}`,
    });
  }
  const [only] = list;
  if (word === undefined && list.length === 1 && only !== undefined) return only;
  if (word === undefined) {
    throw new UsageError(`Which one? This channel has ${list.length} ${kind.names}.`, {
      text,
      hint: `List them with ${ask.deps.command} ${kind.names}.`,
      example: `${kind.verb} pause 1`,
    });
  }
  const number = word.lower.replace(/^[#№]/, '');
  const found = /^\d{1,3}$/.test(number)
    ? list[Number(number) - 1]
    : list.find(({ id }) => id.toLowerCase() === number);
  if (found !== undefined) return found;
  throw new UsageError(`There is no ${kind.verb} “${word.text}” in this channel.`, {
    text,
    span: word,
    hint: `They are numbered 1 to ${list.length}.`,
    example: `${kind.verb} pause 1`,
  });
}
