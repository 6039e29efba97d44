/** `watch`: the channel's watches, and what people tell them: acknowledged, snoozed. */
import { BotError, UsageError } from '../../errors.ts';
import type { CommandContext } from '../context.ts';
import type { SubCommandName } from '../grammar/command-table.ts';
import { refuseLeftover } from '../grammar/sentence.ts';
import type { Word } from '../grammar/tokens.ts';
import type { SubscriptionSummary } from '../ports.ts';
import type { Reply } from '../replies/reply.ts';
import {
  listReply,
  type SubscriptionWords,
  subscriptionActions,
  subscriptionLines,
} from '../replies/subscription-lines.ts';
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
  async pause(context, args) {
    const { deps, question } = context;
    const { id } = await choose(context, args);
    return changed('Watch paused', await deps.watches.pause(question.channel, id, question.user));
  },
  async resume(context, args) {
    const { id } = await choose(context, args);
    return changed('Watch resumed', await context.deps.watches.resume(context.question.channel, id));
  },
  async remove(context, args) {
    const { id } = await choose(context, args);
    const { what } = await context.deps.watches.remove(context.question.channel, id);
    return { title: 'Watch removed', headline: ['Nobody watches for ', { bold: what }, ' here any more.'] };
  },
  ack,
  snooze,
  async wake(context, args) {
    const { id } = await choose(context, args);
    const { what } = await context.deps.watches.wake(context.question.channel, id);
    return { title: 'Watch awake', headline: ['The watch for ', { bold: what }, ' speaks again.'] };
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

async function create(context: CommandContext): Promise<Reply> {
  const { sentence, settings, deps } = context;
  const hosts = sentence.hosts.length > 0 ? sentence.hosts.map(({ name }) => name) : (settings.hosts ?? []);
  return {
    ...changed('Watch made', await createSubscription(context, deps.watches, KIND, hosts)),
    body: [['It speaks only when something changes: one message, edited while it lasts, closed when it is calm.']],
  };
}

async function ack(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question } = context;
  const { id, what } = args.length > 0 ? await choose(context, args) : await openOne(context);
  if (!(await deps.watches.isOpen(question.channel, id))) {
    throw new BotError('not_found', 'There is nothing to acknowledge: all is calm.');
  }
  await deps.watches.acknowledge(question.channel, id, question.user);
  return { title: 'Acknowledged', headline: [{ user: question.user }, ' has it in hand: ', { bold: what }, '.'] };
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
      ...(first === undefined ? {} : { span: first }),
      example: 'watch snooze 2h',
    });
  }
  const named = apart ? others : second === undefined ? [] : [second, ...others];
  const until = now.add({ minutes: Math.round(hours * 60) });
  const subscription = await choose(context, named);
  await deps.watches.snooze(question.channel, subscription.id, question.user, until);
  return {
    title: 'Snoozed',
    headline: [
      'The watch for ',
      { bold: subscription.what },
      ' posts nothing new until ',
      { instant: until, zone },
      '.',
    ],
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
