/** `watch`: the channel's watches, and what people tell them: acknowledged, snoozed. */
import { BotError, UsageError } from '../../errors.ts';
import type { SubCommandName } from '../../grammar/command-table.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import type { Word } from '../../grammar/tokens.ts';
import type { Action, Reply } from '../../replies/reply.ts';
import {
  listReply,
  type SubscriptionWords,
  subscriptionActions,
  subscriptionLines,
} from '../../subscriptions/subscription-lines.ts';
import type { SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
import type { CommandContext } from '../context.ts';
import { chooseSubscription, createSubscription } from './choose-subscription.ts';

const KIND: SubscriptionWords = {
  verb: 'watch',
  name: 'Watches',
  names: 'watches',
  example: 'watch attacks over 500 per 15m',
};

type Handler = (context: CommandContext, args: readonly Word[]) => Promise<Reply>;

const HANDLERS: Readonly<Partial<Record<SubCommandName, Handler>>> = {
  async list({ deps, question }) {
    return listReply(await deps.watches.list(question.channel), KIND, deps.command);
  },
  preview,
  async pause(context, args) {
    const { deps, question } = context;
    const watch = await choose(context, args);
    if (watch.paused !== null) return changed('This watch is paused already', watch);
    return changed('Watch paused', await deps.watches.pause(question.channel, watch.id, question.user));
  },
  async resume(context, args) {
    const watch = await choose(context, args);
    if (watch.paused === null) return changed('This watch is not paused', watch);
    return changed('Watch resumed', await context.deps.watches.resume(context.question.channel, watch.id));
  },
  async remove(context, args) {
    const { id } = await choose(context, args);
    const { what } = await context.deps.watches.remove(context.question.channel, id);
    return { title: 'Watch removed', headline: ['This channel no longer watches for ', { bold: what }, '.'] };
  },
  ack,
  snooze,
  expected: (context, args) => answer(context, args, 'expected'),
  earlier: (context, args) => answer(context, args, 'earlier'),
  undo: (context, args) => answer(context, args, null),
  async wake(context, args) {
    const { id } = await choose(context, args);
    const { what } = await context.deps.watches.wake(context.question.channel, id);
    return { title: 'Snooze ended', headline: ['The watch for ', { bold: what }, ' posts again.'] };
  },
};

export async function answerWatch(context: CommandContext): Promise<Reply> {
  const { subCommand, args } = context.sentence;
  const handler = (subCommand === null ? undefined : HANDLERS[subCommand]) ?? create;
  return handler(
    context,
    args.filter(({ text }) => text !== ','),
  );
}

async function choose(context: CommandContext, [word, ...more]: readonly Word[]): Promise<SubscriptionSummary> {
  refuseLeftover(context.sentence.text, more);
  return chooseSubscription(context, context.deps.watches, KIND, word);
}

const hostNames = ({ sentence, settings }: CommandContext): readonly string[] =>
  sentence.hosts.length > 0 ? sentence.hosts.map(({ name }) => name) : (settings.hosts ?? []);

const SENSITIVITY = /^(quiet|normal|sensitive)$/;

/** `watch quiet 2` sets one that is there; everything else makes one, unless there is one for the same. */
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
  const watch = await createSubscription(context, deps.watches, KIND, hostNames(context));
  if (watch.existed === undefined) return made(watch);
  const title =
    watch.existed === 'changed' ? 'The watch of this channel was changed' : 'This channel has this watch already';
  return {
    ...changed(watch.paused === null ? title : 'This channel has this watch already, and it is paused', watch),
    actions: [...tuneActions(watch), ...subscriptionActions(watch, KIND)],
  };
}

function made(watch: SubscriptionSummary): Reply {
  const [, , ...more] = subscriptionLines(watch);
  return {
    ...changed('Watch made', watch),
    body: [['It posts here when that happens, keeps the message up to date, and says when it is over.'], ...more],
    actions: [...tuneActions(watch), ...subscriptionActions(watch, KIND)],
  };
}

/** For a watch whose bar can be chosen. */
function tuneActions({ id, isTunable = false }: SubscriptionSummary): Action[] {
  if (!isTunable) return [];
  return [
    { label: 'Preview alerts', sentence: `watch preview ${id}`, effect: 'thread' },
    { label: 'Quiet', sentence: `watch quiet ${id}`, effect: 'thread' },
    { label: 'Sensitive', sentence: `watch sensitive ${id}`, effect: 'thread' },
  ];
}

/** Of the watch that is named or the only one; where there is none, of the one that could be made. */
async function preview(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, sentence, project, zone } = context;
  const list = await deps.watches.list(question.channel);
  const isNew = sentence.hosts.length > 0 || (args.length === 0 && list.length !== 1);
  const watch = isNew ? null : await choose(context, args);
  const { channel, user: asker } = question;
  const hosts = hostNames(context);
  return deps.watches.preview({ channel, id: watch?.id ?? null, project: project.storedAs, hosts, zone, asker });
}

/** `watch expected`, or with the watch and the episode that a button names. */
async function answer(
  context: CommandContext,
  args: readonly Word[],
  says: 'expected' | 'earlier' | null,
): Promise<Reply> {
  const { deps, question } = context;
  const [first, second, ...more] = args;
  const watch = await choose(
    context,
    [first, ...more].filter((word) => word !== undefined),
  );
  if (watch.paused !== null) return changed('This watch is paused', watch);
  const episode = second?.lower ?? null;
  return deps.watches.answer(question.channel, watch.id, { says, by: question.user, episode });
}

async function ack(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question } = context;
  const watch = args.length > 0 ? await choose(context, args) : await openOne(context);
  if (watch.paused !== null) return changed('This watch is paused', watch);
  const { id } = watch;
  if (!(await deps.watches.isOpen(question.channel, id))) {
    throw new BotError('not_found', 'There is nothing to acknowledge: all is calm.');
  }
  await deps.watches.acknowledge(question.channel, id, question.user);
  return { title: 'Acknowledged', headline: [{ user: question.user }, ' is looking at it.'] };
}

/** Of several watches, the one with an open episode. */
async function openOne(context: CommandContext): Promise<SubscriptionSummary> {
  const { deps, question } = context;
  const list = await deps.watches.list(question.channel);
  const open = await Promise.all(list.map(({ id }) => deps.watches.isOpen(question.channel, id)));
  const candidates = list.filter((_, at) => open[at]);
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined ? only : choose(context, []);
}

const LENGTH = /^(\d{1,4})(m|min|mins|minutes?|h|hrs?|hours?|d|days?)?$/;
const LONGEST_HOURS = 7 * 24;

async function snooze(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, sentence, now, zone } = context;
  const [first, second, ...others] = args.filter(({ lower }) => lower !== 'for');
  const apart = second !== undefined && /^[a-z]+$/.test(second.lower) && /^\d+$/.test(first?.lower ?? '');
  const match = LENGTH.exec(first === undefined ? '2h' : `${first.lower}${apart ? second.lower : ''}`);
  const unit = match?.[2]?.[0] ?? 'm';
  const hours = Number(match?.[1] ?? 0) * ({ m: 1 / 60, h: 1, d: 24 }[unit] ?? 0);
  if (hours <= 0 || hours > LONGEST_HOURS) {
    throw new UsageError('For how long? From a minute to a week.', {
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
    headline: ['Nothing new is posted until ', { instant: until, zone }, '. Watch: ', { bold: subscription.what }, '.'],
    // Whoever may ask here can silence an alarm, so the others see who did.
    body: [['Snoozed by ', { user: question.user }, '.']],
    actions: [{ label: 'Wake it', sentence: `watch wake ${subscription.id}`, effect: 'thread' }],
  };
}

function changed(title: string, subscription: SubscriptionSummary): Reply {
  const [what = [], ...rest] = subscriptionLines(subscription);
  return {
    title,
    headline: [...what, '.'],
    body: rest,
    actions: subscriptionActions(subscription, KIND),
  };
}
