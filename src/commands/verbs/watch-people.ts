/** `watch mention`: whom the alerts of a watch reach beyond the channel. */
import { UsageError } from '../../errors.ts';
import type { Word } from '../../grammar/tokens.ts';
import type { Mentioned, Reply } from '../../replies/reply.ts';
import type { SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
import { type AlertLevel, levelWords, namesOf } from '../../subscriptions/watch/alert-policy.ts';
import type { CommandContext, FoundMentioned } from '../context.ts';

/** What the sub-commands share with `watch` itself. */
interface WatchChoice {
  readonly choose: (context: CommandContext, args: readonly Word[]) => Promise<SubscriptionSummary>;
  readonly changed: (title: string, watch: SubscriptionSummary) => Reply;
}

const NOBODY = /^(nobody|noone|no-one|none|off)$/;
const MAX_MENTIONED = 5;

export const mention =
  ({ choose, changed }: WatchChoice) =>
  async (context: CommandContext, args: readonly Word[]): Promise<Reply> => {
    const { deps, question, sentence } = context;
    const { channel } = question;
    const { named, others } = await takeReference(context, args);
    const { from, rest } = takeLevel(sentence.text, others);
    if (rest.length === 0) throw whom(sentence.text, 'Whom should alerts mention?', 'watch mention @oncall on surge');
    const { id } = await choose(context, named);
    if (rest.length === 1 && NOBODY.test(rest[0]?.lower ?? '')) {
      return changed('Alerts mention nobody now', await deps.watches.setPolicy(channel, id, { mention: undefined }));
    }
    const who = await findAll(context, rest);
    const watch = await deps.watches.setPolicy(channel, id, { mention: { who, from } });
    return changed(`Alerts mention ${namesOf(who)} ${levelWords(from)}`, watch);
  };

/** The watch that the last word names, by its number or ID. */
async function takeReference({ deps, question }: CommandContext, args: readonly Word[]) {
  const last = args.at(-1);
  const isReference =
    last !== undefined &&
    (/^[#№]?\d{1,3}$/.test(last.lower) ||
      (await deps.watches.list(question.channel)).some(({ id }) => id === last.lower));
  return isReference ? { named: [last], others: args.slice(0, -1) } : { named: [], others: args };
}

const LEVELS: Readonly<Record<string, AlertLevel>> = {
  surge: 'surge',
  surges: 'surge',
  elevated: 'elevated',
  anything: 'elevated',
  everything: 'elevated',
  alerts: 'elevated',
};
const TALK = /^(and|all|every|any|the|a|an|from|on|at|up|upwards?|onwards?)$/;

/** `on surge`, `from elevated on`; in every alert if it names none. */
function takeLevel(
  text: string,
  words: readonly Word[],
): { readonly from: AlertLevel; readonly rest: readonly Word[] } {
  const at = words.findIndex(({ lower, quoted }) => !quoted && /^(on|from|at)$/.test(lower));
  const own = words.slice(0, at < 0 ? undefined : at).filter(({ lower, quoted }) => quoted || lower !== 'and');
  if (at < 0) return { from: 'elevated', rest: own };
  const named = words.slice(at).filter(({ lower }) => !TALK.test(lower));
  const [word, other] = named;
  const from = LEVELS[word?.lower ?? ''];
  if (from !== undefined && other === undefined) return { from, rest: own };
  throw new UsageError('Alerts have two levels: elevated and surge.', {
    text,
    span: other ?? word ?? words[at],
    example: 'watch mention @oncall on surge',
  });
}

/** Everyone that the words name, each once. */
async function findAll(context: CommandContext, words: readonly Word[]): Promise<readonly Mentioned[]> {
  const { text } = context.sentence;
  const extra = words[MAX_MENTIONED];
  if (extra !== undefined) {
    const message = `A watch can mention up to ${MAX_MENTIONED} people or groups.`;
    throw new UsageError(message, { text, span: extra, hint: 'Mention a user group instead.' });
  }
  const found: Mentioned[] = [];
  for (const word of words) {
    const who = await context.deps.findMentioned(word.text.replace(/^@/, ''));
    if ('nearest' in who) throw unknownName(context, word, who);
    if (!found.some(({ name }) => name === who.name)) found.push(who);
  }
  return found;
}

const WHY_NO_GROUPS = {
  listed: '',
  missing_scope:
    'If it’s a user group: this app can’t read those yet. Whoever runs the bot can add the scope usergroups:read at api.slack.com/apps and reinstall it.',
  free_plan: 'If it’s a user group: those need a paid Slack plan. Mention people instead.',
};

function unknownName(
  { sentence: { text } }: CommandContext,
  word: Word,
  { nearest, groups }: Extract<FoundMentioned, { nearest: unknown }>,
): UsageError {
  const name = word.text.replace(/^@/, '');
  const [first, ...more] = nearest.map((each) => `@${each}`);
  const hint =
    first === undefined
      ? 'In a message to the bot, Slack completes names as you type them.'
      : more.length === 0
        ? ''
        : `The nearest names are ${[first, ...more].join(', ')}.`;
  return new UsageError(`There’s nobody called “${name}” in this workspace.`, {
    text,
    span: word,
    suggestion: first,
    corrected: first === undefined ? undefined : `${text.slice(0, word.start)}${first}${text.slice(word.end)}`,
    hint: [hint, WHY_NO_GROUPS[groups]].filter((part) => part !== '').join(' ') || undefined,
  });
}

const whom = (text: string, message: string, example: string): UsageError => new UsageError(message, { text, example });
