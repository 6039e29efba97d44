/** `digest`: the channel's scheduled digests. */
import { distinctNames } from '../../grammar/hosts.ts';
import type { Word } from '../../grammar/tokens.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import {
  historyTable,
  placeOf,
  type SubscriptionWords,
  subscriptionActions,
  subscriptionLines,
} from '../../subscriptions/subscription-lines.ts';
import type { SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
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

const KIND: SubscriptionWords = { verb: 'digest', name: 'Digests', names: 'digests', example: 'digest daily at 09:00' };

const SUB_COMMANDS: readonly AnsweredSubCommand[] = [
  { name: 'create', words: [], effect: 'change', otherwise: true, answer: create },
  {
    name: 'list',
    words: ['list'],
    effect: 'look',
    bareAfter: ['digest', 'digests'],
    withoutProject: true,
    answer: listed(KIND),
  },
  { name: 'preview', words: ['preview'], effect: 'look', answer: preview },
  { name: 'history', words: ['history'], effect: 'look', withoutProject: true, answer: history },
  ...changingSubCommands(KIND, { changed, removed }),
  { name: 'run', words: ['run'], effect: 'change', withoutProject: true, answer: runNow },
];

export const digest: Verb = {
  verb: 'digest',
  aliases: ['digests'],
  summary: "this channel's scheduled digests: each covers the time since the one before, with no gap and no overlap",
  help: { group: 'Tell me when something happens', examples: ['digest daily at 09:00'] },
  usage: [
    'digest <schedule> [on <host>, …] [in <zone>]',
    'digest handover <schedule> [in <zone>]',
    'digest',
    'digest edit <number> [<schedule>] [on <host>, …] [in <zone>]',
    'digest preview|pause|resume|remove|history|run now [<number>]',
  ],
  examples: [
    'digest daily at 09:00',
    'digest weekdays 8:30 in Europe/Berlin',
    'digest mondays 9am',
    'digest every 4 hours',
    'digest handover daily at 08:00',
    'digest monthly on the 1st at 7:00',
    'digest preview',
    'digest edit 1 weekdays 8:30',
    'digest pause 1',
  ],
  parts: ['hosts', 'project', 'zone'],
  subCommands: SUB_COMMANDS,
  form: { label: 'New digest', sentence: 'digest new' },
  answer: (context) => answerSubCommand(context, SUB_COMMANDS, create),
};

async function create(context: CommandContext): Promise<Reply> {
  const hosts = distinctNames(context.sentence.hosts);
  const digest = await createSubscription(context, KIND, hosts);
  return { ...changed('Digest scheduled', digest), subscription: digest.id };
}

const choose = (context: CommandContext, args: readonly Word[]): Promise<SubscriptionSummary> =>
  chooseSubscription(context, KIND, args);

async function preview(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { id } = await choose(context, args);
  return { ...(await context.deps.digests.preview(context.question.channel, id)), quiet: true };
}

function removed({ what, hosts, project }: SubscriptionSummary): Reply {
  const headline: Line = ['No more digest ', { bold: what }, ...placeOf({ hosts, project }), ' in this channel.'];
  return { title: 'Digest removed', headline };
}

async function history(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { id, what, zone } = await choose(context, args);
  const runs = await context.deps.digests.history(context.question.channel, id);
  if (runs.length === 0) return { title: 'Digest history', headline: [{ bold: what }, " hasn't run yet."] };
  return {
    title: 'Digest history',
    headline: [{ bold: what }, runs.length === 1 ? ', the only run so far.' : `, the last ${runs.length} runs.`],
    table: historyTable(runs, zone),
  };
}

async function runNow(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { id, what } = await choose(
    context,
    args.filter(({ lower }) => lower !== 'now'),
  );
  await context.deps.digests.runNow(context.question.channel, id);
  return {
    title: 'Digest on its way',
    headline: [{ bold: what }, ' is being posted now. It covers the time since the last one.'],
    quiet: true,
  };
}

function changed(title: string, digest: SubscriptionSummary): Reply {
  const { nextRuns, zone, paused } = digest;
  const [what = [], state = []] = subscriptionLines(digest);
  const runs: Line =
    paused !== null || nextRuns.length === 0
      ? state
      : [
          'Next runs, in your time: ',
          ...nextRuns.flatMap((instant, at): Line => [at === 0 ? '' : ', ', { instant, zone }]),
          '.',
        ];
  return {
    title,
    headline: [...what, '.'],
    body: [runs, ['Each digest covers the time since the one before.']],
    actions: [
      { label: 'Preview', sentence: `digest preview ${digest.id}`, effect: 'thread' },
      ...subscriptionActions(digest, KIND),
    ],
  };
}
