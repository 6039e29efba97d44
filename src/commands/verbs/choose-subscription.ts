/** Which digest or watch a sentence means, and how a sentence creates a new one. */
import { BotError, type NextStep, UsageError } from '../../errors.ts';
import type { CommandTable, SubCommand } from '../../grammar/command-table.ts';
import { assertFewHosts, distinctNames } from '../../grammar/hosts.ts';
import { inSentence, refuseLeftover, type Sentence } from '../../grammar/sentence.ts';
import { keepOnly, nearestWord, type Word } from '../../grammar/tokens.ts';
import type { Reply } from '../../replies/reply.ts';
import { capitalized } from '../../statistics/format.ts';
import { listReply, remainingReply, type SubscriptionWords } from '../../subscriptions/subscription-lines.ts';
import type {
  CreatedSubscription,
  EditedSubscription,
  SubscriptionSummary,
} from '../../subscriptions/subscription-summary.ts';
import { plainPunctuation } from '../../time/index.ts';
import type { CommandContext } from '../context.ts';

/** Passes on only the verb's own words, in their places, so that a mistake is marked in the typed sentence. */
export async function createSubscription(
  { sentence, question, project, zone, deps, commands }: CommandContext,
  { verb, names }: SubscriptionWords,
  hosts: readonly string[],
): Promise<CreatedSubscription> {
  // Settings may be older than the limit.
  assertFewHosts(hosts);
  const text = keepOnly(plainPunctuation(sentence.text), sentence.args);
  await deps.assertPostable(question.channel);
  try {
    const { channel, user: owner } = question;
    return await deps[names].create({ channel, owner, text, zone, project: project.storedAs, hosts });
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

const isNumberOrId = ({ lower }: Word): boolean => /^[#№]?\d{1,3}$/.test(lower) || ID.test(lower);

/**
 * `watch edit 2 quiet on shop`: only what is named changes. Without anything else, it's shown with a button that opens its form.
 */
async function editSubscription(
  context: CommandContext,
  kind: SubscriptionWords,
  args: readonly Word[],
): Promise<{ readonly isEdited: boolean; readonly subscription: EditedSubscription }> {
  const { sentence, question, project, deps, commands } = context;
  const [first] = args;
  const isNamed = first !== undefined && isNumberOrId(first);
  const found = await chooseSubscription(context, kind, isNamed ? [first] : []);
  const words = isNamed ? args.slice(1) : args;
  const namesHosts = sentence.hosts.length > 0 || sentence.allHosts;
  if (words.length === 0 && !namesHosts && sentence.namedZone === null) return { isEdited: false, subscription: found };
  if (project.label !== found.project && (namesHosts || /\bproject\b/i.test(question.text)))
    throw inOtherProject(kind, found.project ?? '');
  const hosts = namesHosts ? distinctNames(sentence.hosts) : null;
  assertFewHosts(hosts ?? []);
  await deps.assertPostable(question.channel);
  const text = keepOnly(plainPunctuation(sentence.text), words);
  try {
    const { channel, user: by } = question;
    const edit = { channel, by, id: found.id, text, zone: sentence.namedZone, hosts };
    return { isEdited: true, subscription: await deps[kind.names].edit(edit) };
  } catch (error) {
    throw error instanceof UsageError
      ? inSentence(error, sentence.text, kind.verb, correctedWord(error, { ...sentence, args: words }, commands))
      : error;
  }
}

function inOtherProject({ verb }: SubscriptionWords, project: string): BotError {
  return new BotError('usage', `This ${verb} is in project ${project}, and stays there.`, {
    hint: `To name its hosts, add \`in project ${project}\`. For another project, create a new ${verb}.`,
  });
}

/** What `digest pause 2` means: by number in the list, by ID, or the only one. */
export async function chooseSubscription(
  { question, sentence: { text }, deps }: CommandContext,
  kind: SubscriptionWords,
  [word, ...more]: readonly Word[],
): Promise<SubscriptionSummary> {
  refuseLeftover(text, more);
  const list = await deps[kind.names].list(question.channel);
  const create: NextStep = { label: `New ${kind.verb}`, sentence: `${kind.verb} new`, opensForm: true };
  const next: NextStep[] = [list.length === 0 ? create : { label: 'List them', sentence: kind.names }];
  const hint =
    list.length === 0 ? `Create one: ${deps.command} ${kind.example}` : `List them: ${deps.command} ${kind.names}`;
  // Buttons of old messages use the ID.
  if (word !== undefined && ID.test(word.lower) && !list.some(({ id }) => id === word.lower)) {
    const message = `This ${kind.verb} was removed, so its old buttons no longer work.`;
    throw new BotError('not_found', message, { hint, next });
  }
  if (list.length === 0) throw new BotError('not_found', `This channel has no ${kind.names}.`, { hint, next });
  const [only] = list;
  if (word === undefined && list.length === 1 && only !== undefined) return only;
  if (word === undefined) {
    const message = `Which one? This channel has ${list.length} ${kind.names}.`;
    throw new UsageError(message, { text, hint: 'Add its number in the list.', next });
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
    next,
  });
}

type SubCommandAnswer = (context: CommandContext, args: readonly Word[]) => Promise<Reply>;

export interface AnsweredSubCommand extends SubCommand {
  readonly answer: SubCommandAnswer;
}

type ReadSubscriptions = (deps: CommandContext['deps'], channel: string) => Promise<readonly SubscriptionSummary[]>;

export const listed =
  (kind: SubscriptionWords, read: ReadSubscriptions = (deps, at) => deps[kind.names].list(at)): SubCommandAnswer =>
  async ({ deps, question, sentence }, args) => {
    refuseLeftover(sentence.text, args);
    return listReply(await read(deps, question.channel), kind, deps.command);
  };

interface Replies {
  readonly changed: (title: string, subscription: EditedSubscription) => Reply;
  readonly removed: (subscription: SubscriptionSummary) => Reply;
}

/** Edits, pauses, resumes and removes the subscription that the sentence names. */
export function changingSubCommands(kind: SubscriptionWords, { changed, removed }: Replies): AnsweredSubCommand[] {
  const name = capitalized(kind.verb);

  const setPaused =
    (isPaused: boolean): SubCommandAnswer =>
    async (context, args) => {
      const { channel, user } = context.question;
      const subscriptions = context.deps[kind.names];
      const found = await chooseSubscription(context, kind, args);
      if ((found.paused !== null) === isPaused)
        return changed(isPaused ? `This ${kind.verb} is already paused` : `This ${kind.verb} isn't paused`, found);
      return isPaused
        ? changed(`${name} paused`, await subscriptions.pause(channel, found.id, user))
        : changed(`${name} resumed`, await subscriptions.resume(channel, found.id));
    };

  const edit: SubCommandAnswer = async (context, args) => {
    const { isEdited, subscription } = await editSubscription(context, kind, args);
    const reply = changed(isEdited ? `${name} changed` : `This ${kind.verb}`, subscription);
    return { ...reply, subscription: subscription.id };
  };

  const remove: SubCommandAnswer = async (context, args) => {
    const { channel } = context.question;
    const { id } = await chooseSubscription(context, kind, args);
    const gone = removed(await context.deps[kind.names].remove(channel, id));
    return remainingReply(gone, await context.deps[kind.names].list(channel), kind);
  };

  const common = { effect: 'change', withoutProject: true } as const;
  return [
    { name: 'edit', words: ['edit', 'change'], ...common, answer: edit },
    { name: 'pause', words: ['pause', 'stop'], ...common, answer: setPaused(true) },
    { name: 'resume', words: ['resume', 'start', 'continue'], ...common, answer: setPaused(false) },
    { name: 'remove', words: ['remove', 'delete', 'rm'], ...common, answer: remove },
  ];
}

/** `create` is for words that name no sub-command. */
export function answerSubCommand(
  context: CommandContext,
  subCommands: readonly AnsweredSubCommand[],
  create: SubCommandAnswer,
): Promise<Reply> {
  const { subCommand, args } = context.sentence;
  const requested = subCommands.find(({ name }) => name === subCommand);
  return (requested?.answer ?? create)(
    context,
    args.filter(({ text }) => text !== ','),
  );
}
