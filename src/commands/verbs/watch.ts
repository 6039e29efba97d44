/** `watch`: the channel's watches, and how people respond to their alerts. */

import { isInForce } from '../../episodes/ignored.ts';
import { UsageError } from '../../errors.ts';
import { distinctNames } from '../../grammar/hosts.ts';
import type { Word } from '../../grammar/tokens.ts';
import { usableProjects } from '../../projects/choose-project.ts';
import type { ListedRunbook } from '../../projects/runbooks.ts';
import { acknowledgerWords } from '../../replies/episode-lines.ts';
import { ignoredWords } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import {
  placeOf,
  type SubscriptionWords,
  subscriptionActions,
  subscriptionLines,
} from '../../subscriptions/subscription-lines.ts';
import type { EditedSubscription, SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
import { untilWords } from '../../time/index.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';
import {
  type AnsweredSubCommand,
  answerSubCommand,
  changingSubCommands,
  chooseSubscription,
  createSubscription,
  listed,
} from './choose-subscription.ts';
import { assign, escalate, mention, nothingTo } from './watch-people.ts';

export const KIND: SubscriptionWords = {
  verb: 'watch',
  name: 'Watches',
  names: 'watches',
  example: 'watch attacks over 500 per 15m',
};

/** Names may look like hosts. */
const OF_PEOPLE = { withoutProject: true, withoutHosts: true } as const;

const SUB_COMMANDS: readonly AnsweredSubCommand[] = [
  { name: 'create', words: [], effect: 'change', bareAfter: ['watch'], otherwise: true, answer: create },
  { name: 'list', words: ['list'], effect: 'look', bareAfter: ['watches'], withoutProject: true, answer: list },
  { name: 'preview', words: ['preview', 'replay'], effect: 'look', answer: preview },
  ...changingSubCommands(KIND, { changed, removed }),
  {
    name: 'mention',
    words: ['mention', 'mentions'],
    effect: 'change',
    ...OF_PEOPLE,
    answer: (...said) => mention(CHOICE)(...said),
  },
  {
    name: 'escalate',
    words: ['escalate', 'escalation'],
    effect: 'change',
    ...OF_PEOPLE,
    answer: (...said) => escalate(CHOICE)(...said),
  },
  {
    name: 'assign',
    words: ['assign', 'reassign'],
    effect: 'respond',
    ...OF_PEOPLE,
    answer: (...said) => assign(CHOICE)(...said),
  },
  { name: 'ack', words: ['ack', 'acknowledge'], effect: 'respond', withoutProject: true, answer: ack },
  { name: 'snooze', words: ['snooze'], effect: 'respond', withoutProject: true, answer: snooze },
  { name: 'wake', words: ['wake', 'unsnooze'], effect: 'respond', withoutProject: true, answer: wake },
  { name: 'expected', words: ['expected'], effect: 'respond', withoutProject: true, answer: judge('expected') },
  { name: 'earlier', words: ['earlier'], effect: 'respond', withoutProject: true, answer: judge('earlier') },
  { name: 'undo', words: ['undo'], effect: 'respond', withoutProject: true, answer: judge(null) },
];

export const watch: Verb = {
  verb: 'watch',
  aliases: ['watches', 'snooze', 'ack'],
  summary:
    "this channel's watches: they alert when something isn't normal, at the sensitivity you choose, and keep one message up to date",
  help: { group: 'Tell me when something happens', examples: ['watch'] },
  usage: [
    'watch [quiet|normal|sensitive] [every <minutes>] [on <host>, …]',
    'watch <attacks|requests|category> over <number> per <time> [on <host>, …]',
    'watch … quiet hours <days> <time>-<time>',
    'watches',
    'watch preview [<number>] [on <host>, …]',
    'watch quiet|normal|sensitive <number>',
    'watch edit <number> [quiet|normal|sensitive] [every <minutes>] [on <host>, …]',
    'watch pause|resume|remove|ack|wake [<number>]',
    'watch mention @<name>, … [on surge] [<number>]',
    'watch mention nobody [<number>]',
    'watch escalate after <time> to @<name>, … [<number>]',
    'watch escalate never [<number>]',
    'watch assign @<name> [<number>]',
    'watch snooze <time> [<number>]',
    'watch expected|earlier|undo [<number>]',
  ],
  examples: [
    'watch',
    'watch preview',
    'watch quiet',
    'watch attacks over 500 per 15m',
    'watch edit 1 on shop',
    'watch sqli over 50 per 10m',
    'watches',
    'watch mention @oncall-security on surge',
    'watch escalate after 10m to @lead',
    'watch assign @diego',
    'watch snooze 2h',
    'watch ack',
  ],
  parts: ['hosts', 'project', 'zone'],
  subCommands: SUB_COMMANDS,
  form: { label: 'New watch', sentence: 'watch new' },
  answer: (context) => answerSubCommand(context, SUB_COMMANDS, create),
};

/** Adds what none of them alerts about, and what their alerts link to. */
async function list(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, now, zone } = context;
  const projects = usableProjects(deps, question);
  const rules = (await Promise.all(projects.map(({ ignored }) => ignored.list()))).flat();
  const notes = rules
    .filter((rule) => isInForce(rule, now.epochMilliseconds))
    .map((rule): Line => [`Ignored until ${untilWords(rule.untilMs, zone)}: ${ignoredWords(rule)}.`]);
  const runbooks = (await Promise.all(projects.map((project) => project.runbooks?.list() ?? []))).flat();
  const reply = await listed(KIND, ({ watches }, channel) => watches.explained(channel))(context, args);
  return { ...reply, notes: [...(reply.notes ?? []), ...notes, ...runbooksNote(runbooks)] };
}

/** Those that alerts show. */
function runbooksNote(runbooks: readonly ListedRunbook[]): Line[] {
  const links = runbooks.filter(({ isAllowed }) => isAllowed).map(({ url, name }) => ({ link: url, says: name }));
  if (links.length === 0) return [];
  return [['Runbooks: ', ...links.flatMap((link, at) => (at === 0 ? [link] : [', ', link])), '.']];
}

function removed({ what, hosts, project }: SubscriptionSummary): Reply {
  const headline: Line = ['This channel no longer watches for ', { bold: what }, ...placeOf({ hosts, project }), '.'];
  return { title: 'Watch removed', headline };
}

async function wake(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { id } = await choose(context, args);
  const { what } = await context.deps.watches.wake(context.question.channel, id);
  return { title: 'Snooze ended', headline: ['The watch for ', { bold: what }, ' posts again.'] };
}

const choose = (context: CommandContext, args: readonly Word[]): Promise<SubscriptionSummary> =>
  chooseSubscription(context, KIND, args);

const hostNames = ({ sentence, settings }: CommandContext): readonly string[] =>
  sentence.hosts.length > 0 || sentence.allHosts ? distinctNames(sentence.hosts) : (settings.hosts ?? []);

const SENSITIVITY = /^(quiet|normal|sensitive)$/;

/** `watch quiet 2` changes an existing one; everything else creates one, unless there is already one for the same. */
async function create(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question } = context;
  const [first, second, ...more] = args;
  if (first !== undefined && second !== undefined && more.length === 0 && SENSITIVITY.test(first.lower)) {
    if (/^[#№]?\d{1,3}$/.test(second.lower) || /^[a-z0-9]{6}$/.test(second.lower)) {
      const { id } = await choose(context, [second]);
      return changed(
        `The watch is ${first.lower} now`,
        await deps.watches.setSensitivity(question.channel, id, first.lower),
      );
    }
  }
  const watch = await createSubscription(context, KIND, hostNames(context));
  if (watch.existed === undefined) return { ...created(watch), subscription: watch.id };
  const title = watch.existed === 'changed' ? 'Watch changed' : 'This channel already has this watch';
  return {
    ...changed(watch.paused === null ? title : 'This channel already has this watch, and it is paused', watch),
    actions: [...tuneActions(watch), ...subscriptionActions(watch, KIND)],
    subscription: watch.id,
  };
}

function created(watch: SubscriptionSummary): Reply {
  const [, , ...more] = subscriptionLines(watch);
  return {
    ...changed('Watch created', watch),
    body: [["It posts here when that happens, keeps the message up to date, and says when it's over."], ...more],
    actions: [...tuneActions(watch), ...subscriptionActions(watch, KIND)],
  };
}

/** What the sub-commands about people use of this verb. */
const CHOICE = { choose, changed, openOne };

/** For a watch whose sensitivity can be chosen. */
function tuneActions({ id, isTunable = false }: SubscriptionSummary): Action[] {
  if (!isTunable) return [];
  return [{ label: 'Preview alerts', sentence: `watch preview ${id}`, effect: 'thread' }];
}

/** For the named watch, or the only one, or else for one that could be created. */
async function preview(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, sentence, project, zone } = context;
  const list = await deps.watches.list(question.channel);
  const isNew = sentence.hosts.length > 0 || sentence.allHosts || (args.length === 0 && list.length !== 1);
  const watch = isNew ? null : await choose(context, args);
  const { channel, user: asker } = question;
  const hosts = hostNames(context);
  return deps.watches.preview({ channel, id: watch?.id ?? null, project: project.storedAs, hosts, zone, asker });
}

/** `watch expected`, or with the watch and the episode that a button names. */
function judge(says: 'expected' | 'earlier' | null): AnsweredSubCommand['answer'] {
  return async (context, [first, second, ...more]) => {
    const { deps, question } = context;
    const watch = await choose(
      context,
      [first, ...more].filter((word) => word !== undefined),
    );
    if (watch.paused !== null) return changed('This watch is paused', watch);
    const episode = second?.lower ?? null;
    return deps.watches.answer(question.channel, watch.id, { says, by: question.user, episode });
  };
}

async function ack(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question } = context;
  const watch = args.length > 0 ? await choose(context, args) : await openOne(context);
  if (watch.paused !== null) return changed('This watch is paused', watch);
  const { id } = watch;
  if (!(await deps.watches.isOpen(question.channel, id))) {
    throw nothingTo('acknowledge');
  }
  const responsible = await deps.watches.acknowledge(question.channel, id, question.user);
  if (responsible === null) throw nothingTo('acknowledge');
  if (responsible.by !== question.user) {
    return {
      title: 'Somebody is on it already',
      headline: [...acknowledgerWords(responsible), ' is looking at it.'],
      actions: [{ label: 'Assign to me', sentence: `watch assign me ${id}`, effect: 'thread' }],
    };
  }
  return { title: 'Acknowledged', headline: [{ user: question.user }, ' is looking at it.'] };
}

/** If there are several watches, the one with an open episode. */
async function openOne(context: CommandContext): Promise<SubscriptionSummary> {
  const { deps, question } = context;
  const list = await deps.watches.list(question.channel);
  const open = await Promise.all(list.map(({ id }) => deps.watches.isOpen(question.channel, id)));
  const candidates = list.filter((_, at) => open[at]);
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined ? only : choose(context, []);
}

const LENGTH = /^(\d{1,4})(m|min|mins|minutes?|h|hrs?|hours?|d|days?)?$/;
const MAX_HOURS = 7 * 24;

async function snooze(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, sentence, now, zone } = context;
  const [first, second, ...others] = args.filter(({ lower }) => lower !== 'for');
  const apart = second !== undefined && /^[a-z]+$/.test(second.lower) && /^\d+$/.test(first?.lower ?? '');
  const match = LENGTH.exec(first === undefined ? '2h' : `${first.lower}${apart ? second.lower : ''}`);
  const unit = match?.[2]?.[0] ?? 'm';
  const hours = Number(match?.[1] ?? 0) * ({ m: 1 / 60, h: 1, d: 24 }[unit] ?? 0);
  if (hours <= 0 || hours > MAX_HOURS) {
    throw new UsageError('For how long? Say something between a minute and a week.', {
      text: sentence.text,
      span: first,
      example: 'watch snooze 2h',
    });
  }
  const named = apart ? others : second === undefined ? [] : [second, ...others];
  const until = now.add({ minutes: Math.round(hours * 60) });
  const subscription = await choose(context, named);
  if (subscription.paused !== null) return changed('This watch is paused', subscription);
  await deps.watches.snooze(question.channel, subscription.id, question.user, until);
  return {
    title: 'Snoozed',
    headline: [
      'Nothing new is posted until ',
      { instant: until, zone },
      ', unless it gets worse than it is now. Watch: ',
      { bold: subscription.what },
      '.',
    ],
    // Anyone here can silence an alert, so the others see who did.
    body: [['Snoozed by ', { user: question.user }, '.']],
    actions: [{ label: 'Wake it', sentence: `watch wake ${subscription.id}`, effect: 'thread' }],
  };
}

function changed(title: string, subscription: EditedSubscription): Reply {
  const [what = [], ...rest] = subscriptionLines(subscription);
  const anew: Line[] =
    subscription.startsAfresh === true
      ? [['It starts afresh: earlier alerts and answers were about what it watched before.']]
      : [];
  return {
    title,
    headline: [...what, '.'],
    body: [...rest, ...anew],
    actions: subscriptionActions(subscription, KIND),
  };
}
