/** Which digest or watch a sentence means, and how a sentence creates a new one. */
import { BotError, type NextStep, UsageError } from '../../errors.ts';
import type { CommandTable } from '../../grammar/command-table.ts';
import { assertFewHosts } from '../../grammar/hosts.ts';
import { inSentence, refuseLeftover, type Sentence } from '../../grammar/sentence.ts';
import { keepOnly, nearestWord, type Word } from '../../grammar/tokens.ts';
import type { Reply } from '../../replies/reply.ts';
import type { Digests } from '../../subscriptions/digest/digest-commands.ts';
import type { SubscriptionWords } from '../../subscriptions/subscription-lines.ts';
import type { CreatedSubscription, SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
import type { Watches } from '../../subscriptions/watch/watch-commands.ts';
import { plainPunctuation } from '../../time/index.ts';
import type { CommandContext } from '../context.ts';

/** Passes on only the verb's own words, in their places, so that a mistake is marked in the typed sentence. */
export async function createSubscription(
  { sentence, question, project, zone, deps, commands }: CommandContext,
  subscriptions: Pick<Digests | Watches, 'create'>,
  { verb }: SubscriptionWords,
  hosts: readonly string[],
): Promise<CreatedSubscription> {
  // Settings may be older than the limit.
  assertFewHosts(hosts);
  const text = keepOnly(plainPunctuation(sentence.text), sentence.args);
  await deps.assertPostable(question.channel);
  try {
    const { channel, user: owner } = question;
    return await subscriptions.create({ channel, owner, text, zone, project: project.storedAs, hosts });
  } catch (error) {
    throw error instanceof UsageError
      ? inSentence(error, sentence.text, verb, correctedWord(error, sentence, commands))
      : error;
  }
}

/** The sentence with the word that was probably meant: something to watch, or a sub-command. */
function correctedWord(
  { suggestion, span }: UsageError,
  { text, args, verb }: Sentence,
  commands: CommandTable,
): { corrected?: string } {
  const [first] = args;
  const words = commands.of(verb).subCommands?.flatMap((each) => each.words) ?? [];
  const named = first === undefined ? undefined : nearestWord(first.lower, words, first.lower.length <= 4 ? 1 : 2);
  const [place, word] = suggestion === undefined ? [first, named] : [span, suggestion];
  if (place === undefined || word === undefined) return {};
  return { corrected: text.slice(0, place.start) + word + text.slice(place.end) };
}

/** IDs that the bot creates: six letters and digits. */
const ID = /^(?=.*[a-z])[2-9a-hjkmnp-z]{6}$/;

/** What `digest pause 2` means: by number in the list, by ID, or the only one. */
export async function chooseSubscription(
  { question, sentence: { text }, deps }: CommandContext,
  subscriptions: Pick<Digests | Watches, 'list'>,
  kind: SubscriptionWords,
  [word, ...more]: readonly Word[],
): Promise<SubscriptionSummary> {
  refuseLeftover(text, more);
  const list = await subscriptions.list(question.channel);
  const create: NextStep = { label: `New ${kind.verb}`, sentence: `${kind.verb} new`, opensForm: true };
  // Buttons of old messages use the ID.
  if (word !== undefined && ID.test(word.lower) && !list.some(({ id }) => id === word.lower)) {
    const next: NextStep = list.length === 0 ? create : { label: 'List them', sentence: kind.names };
    throw new BotError('not_found', `This ${kind.verb} was removed, so its old buttons no longer work.`, {
      hint:
        list.length === 0 ? `Create one: ${deps.command} ${kind.example}` : `List them: ${deps.command} ${kind.names}`,
      next: [next],
    });
  }
  if (list.length === 0) {
    throw new BotError('not_found', `This channel has no ${kind.names}.`, {
      hint: `Create one: ${deps.command} ${kind.example}`,
      next: [create],
    });
  }
  const [only] = list;
  if (word === undefined && list.length === 1 && only !== undefined) return only;
  if (word === undefined) {
    throw new UsageError(`Which one? This channel has ${list.length} ${kind.names}.`, {
      text,
      hint: 'Add its number in the list.',
      next: [{ label: 'List them', sentence: kind.names }],
    });
  }
  const number = word.lower.replace(/^[#№]/, '');
  const found = /^\d{1,3}$/.test(number)
    ? list[Number(number) - 1]
    : list.find(({ id }) => id.toLowerCase() === number);
  if (found !== undefined) return found;
  throw new UsageError(`There's no ${kind.verb} “${word.text}” in this channel.`, {
    text,
    span: word,
    hint: `They are numbered 1 to ${list.length}.`,
    next: [{ label: 'List them', sentence: kind.names }],
  });
}

/** Pauses or resumes the subscription that `args` name; `show` words it afterwards. */
export async function setPaused(
  context: CommandContext,
  subscriptions: Pick<Digests | Watches, 'list' | 'pause' | 'resume'>,
  kind: SubscriptionWords,
  args: readonly Word[],
  isPaused: boolean,
  show: (title: string, subscription: SubscriptionSummary) => Reply,
): Promise<Reply> {
  const { channel, user } = context.question;
  const found = await chooseSubscription(context, subscriptions, kind, args);
  const name = `${kind.verb.charAt(0).toUpperCase()}${kind.verb.slice(1)}`;
  if ((found.paused !== null) === isPaused)
    return show(isPaused ? `This ${kind.verb} is already paused` : `This ${kind.verb} isn't paused`, found);
  return isPaused
    ? show(`${name} paused`, await subscriptions.pause(channel, found.id, user))
    : show(`${name} resumed`, await subscriptions.resume(channel, found.id));
}
