/** `watch mention`, `watch escalate` and `watch assign`: whom the alerts of a watch reach, and who is responsible for one. */
import { BotError, UsageError } from '../../errors.ts';
import type { Word } from '../../grammar/tokens.ts';
import type { Mentioned, Reply } from '../../replies/reply.ts';
import { duration } from '../../statistics/format.ts';
import type { SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
import { type AlertLevel, levelWords, namesOf } from '../../subscriptions/watch/alert-policy.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
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

const ESCALATE = 'watch escalate after 10m to @lead';
const MAX_STEPS = 3;
const MIN_AFTER_MS = MINUTE_MS;
const MAX_AFTER_MS = 24 * HOUR_MS;

export const escalate =
  ({ choose, changed }: WatchChoice) =>
  async (context: CommandContext, args: readonly Word[]): Promise<Reply> => {
    const { deps, question, sentence } = context;
    const { channel } = question;
    const { named, others } = await takeReference(context, args);
    const [first] = others;
    if (others.length === 1 && first !== undefined && /^(never|nobody|none|off)$/.test(first.lower)) {
      const { id } = await choose(context, named);
      const off = await deps.watches.setPolicy(channel, id, { escalation: undefined });
      return changed('Alerts are no longer repeated', off);
    }
    const { afterMs, rest } = takeWait(sentence.text, others);
    const extra = rest[MAX_STEPS];
    if (extra !== undefined) {
      const message = `An alert can escalate to up to ${MAX_STEPS} people or groups, one after the other.`;
      throw new UsageError(message, { text: sentence.text, span: extra, example: ESCALATE });
    }
    if (rest.length === 0) throw whom(sentence.text, 'Escalate to whom?', ESCALATE);
    const { id } = await choose(context, named);
    const to = await findAll(context, rest);
    const watch = await deps.watches.setPolicy(channel, id, { escalation: { afterMs, to } });
    return changed(`Alerts are repeated after ${duration(afterMs)} without an answer`, watch);
  };

const WAIT = /^(\d{1,4})(m|min|mins|minutes?|h|hrs?|hours?)$/;

/** `after 10m to @lead, @cto`: the time, then the names. */
function takeWait(text: string, words: readonly Word[]): { readonly afterMs: number; readonly rest: readonly Word[] } {
  const said = words.filter(({ lower, quoted }) => quoted || !/^(after|within|then|to|and)$/.test(lower));
  const [first, second, ...others] = said;
  const isApart = /^\d+$/.test(first?.lower ?? '') && /^[a-z]+$/.test(second?.lower ?? '');
  const match = WAIT.exec(`${first?.lower ?? ''}${isApart ? second?.lower : ''}`);
  const afterMs = Number(match?.[1] ?? 0) * (match?.[2]?.startsWith('h') ? HOUR_MS : MINUTE_MS);
  if (afterMs < MIN_AFTER_MS || afterMs > MAX_AFTER_MS) {
    throw new UsageError('After how long without an answer? Say something between a minute and a day.', {
      text,
      span: first,
      example: ESCALATE,
    });
  }
  return { afterMs, rest: isApart || second === undefined ? others : [second, ...others] };
}

export const assign =
  ({
    choose,
    changed,
    openOne,
  }: WatchChoice & { readonly openOne: (context: CommandContext) => Promise<SubscriptionSummary> }) =>
  async (context: CommandContext, args: readonly Word[]): Promise<Reply> => {
    const { deps, question, sentence } = context;
    const { named, others } = await takeReference(context, args);
    const [word, extra] = others.filter(({ lower, quoted }) => quoted || lower !== 'to');
    if (word === undefined || extra !== undefined) {
      const example = 'watch assign @diego';
      throw new UsageError('Assign it to whom? Name one person.', { text: sentence.text, span: extra, example });
    }
    const watch = named.length > 0 ? await choose(context, named) : await openOne(context);
    if (watch.paused !== null) return changed('This watch is paused', watch);
    const [who] = word.lower === 'me' ? [{ user: question.user }] : await findAll(context, [word]);
    if (who === undefined || !('user' in who)) {
      throw new UsageError('Only a person can be responsible, not a group.', { text: sentence.text, span: word });
    }
    const responsible = await deps.watches.assign(question.channel, watch.id, who.user, question.user);
    if (responsible === null) throw nothingTo('assign');
    return {
      title: 'Assigned',
      headline: [{ user: who.user }, ' is responsible now, says ', { user: question.user }, '.'],
    };
  };

/** Calm before, or over just now. */
export const nothingTo = (verb: 'acknowledge' | 'assign'): BotError =>
  new BotError('not_found', `There’s nothing to ${verb}: no alert is open.`);

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
