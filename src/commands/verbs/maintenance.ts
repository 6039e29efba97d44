/** `maintenance` and `quiet`: when the channel's watches hold their alerts back. */
import { BotError, type NextStep, UsageError } from '../../errors.ts';
import { distinctNames } from '../../grammar/hosts.ts';
import { inSentence, refuseLeftover } from '../../grammar/sentence.ts';
import { keepOnly, type Word } from '../../grammar/tokens.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { parseTimeWindow } from '../../subscriptions/recurrence/parse-time-window.ts';
import type { HoldReason, WindowTimes } from '../../subscriptions/recurrence/time-window.ts';
import type { ListedHold } from '../../subscriptions/watch/hold-commands.ts';
import { nextWords, windowLine } from '../../subscriptions/watch/hold-words.ts';
import { plainPunctuation } from '../../time/index.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';
import { type AnsweredSubCommand, answerSubCommand, chooseSubscription } from './choose-subscription.ts';
import { KIND as WATCH } from './watch.ts';

const common = { effect: 'change', withoutProject: true } as const;

const SUB_COMMANDS: readonly AnsweredSubCommand[] = [
  { name: 'create', words: [], otherwise: true, ...common, answer: create },
  {
    name: 'list',
    words: ['list'],
    bareAfter: ['maintenance', 'quiet'],
    effect: 'look',
    withoutProject: true,
    answer: list,
  },
  { name: 'end', words: ['end', 'stop', 'over'], ...common, answer: end },
  { name: 'remove', words: ['remove', 'delete', 'rm'], ...common, answer: remove },
];

export const maintenance: Verb = {
  verb: 'maintenance',
  aliases: ['quiet'],
  summary:
    "when this channel's watches hold alerts back: quiet hours let only a surge through, maintenance lets nothing through, and one message afterwards sums up what happened",
  help: { group: 'Tell me when something happens', examples: ['maintenance now for 2h'] },
  usage: [
    'maintenance <days> <time>-<time> [for watch <number>] [on <host>, …] [in <zone>]',
    'quiet <days> <time>-<time> [below surge] [for watch <number>] [on <host>, …] [in <zone>]',
    'maintenance now for <time>|until <time> [for watch <number>]',
    'maintenance once <day>|today|tomorrow|<date> <time>-<time>',
    'maintenance',
    'maintenance end [<number>]',
    'maintenance remove [<number>]',
  ],
  examples: [
    'maintenance now for 2h',
    'maintenance saturday 02:00-04:00',
    'quiet weekdays 22:00-06:00 below surge',
    'maintenance once sunday 02:00-04:00',
    'maintenance 21 Nov 02:00-04:00',
    'maintenance',
    'maintenance end',
    'maintenance remove 1',
  ],
  parts: ['hosts', 'zone'],
  subCommands: SUB_COMMANDS,
  saidAs:
    /^(?:maintenance\b|quiet (?:list|end|stop|remove|delete|rm)\b|quiet (?=.*(?:\d ?(?:-|to|until|till|and) ?\d|\b(?:for|until) \d))[^?]*$)/,
  phrases: [{ words: ['quiet', 'hours'] }],
  answer: (context) => answerSubCommand(context, SUB_COMMANDS, create),
};

const reasonIn = ({ sentence }: CommandContext): HoldReason =>
  /^\s*maintenance\b/i.test(sentence.text) ? 'maintenance' : 'quiet';

async function create(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, zone } = context;
  const why = reasonIn(context);
  const at = args.findIndex(({ lower }, index) => lower === 'watch' && index > 0);
  const isFor = args[at - 1]?.lower === 'for';
  const named = at < 0 ? [] : args.slice(at + 1, at + 2);
  const own = at < 0 ? args : args.toSpliced(isFor ? at - 1 : at, isFor ? 3 : 2);
  const when = readWhen(context, why, own);
  const watches = await watchesMeant(context, at < 0 ? null : named);
  const { channel, user: by } = question;
  const added = await deps.watches.holds.add({ channel, watches, why, when, zone, by });
  return added === undefined ? list(context, []) : created(context, added);
}

function readWhen({ sentence, zone, deps }: CommandContext, why: HoldReason, words: readonly Word[]): WindowTimes {
  try {
    // To the second, so that what begins now has begun.
    return parseTimeWindow(keepOnly(plainPunctuation(sentence.text), words), { why, zone, now: deps.now() });
  } catch (error) {
    throw error instanceof UsageError ? inSentence(error, sentence.text, why).changed({ next: [LIST] }) : error;
  }
}

/** Those that the sentence names, by number or by hosts; `null` means all. Throws if the channel has none. */
async function watchesMeant(context: CommandContext, named: readonly Word[] | null): Promise<readonly string[] | null> {
  const { deps, question, sentence } = context;
  if (named !== null) return [(await chooseSubscription(context, WATCH, named)).id];
  const all = await deps.watches.list(question.channel);
  if (all.length === 0) return [(await chooseSubscription(context, WATCH, [])).id];
  const hosts = distinctNames(sentence.hosts);
  if (hosts.length === 0) return null;
  const own = all.filter((watch) => watch.hosts.length > 0 && watch.hosts.every((host) => hosts.includes(host)));
  if (own.length > 0) return own.map(({ id }) => id);
  throw new BotError('not_found', `No watch here is about ${hosts.join(', ')} alone.`, {
    hint: `Leave out the host to hold back the alerts of all watches here, or create one: ${deps.command} watch on ${hosts[0]}`,
    next: [{ label: 'List watches', sentence: 'watches' }],
  });
}

const EFFECTS: Readonly<Record<HoldReason, string>> = {
  quiet: 'Nothing below a surge alerts then.',
  maintenance: 'Nothing alerts then.',
};

function created({ now }: CommandContext, added: ListedHold): Reply {
  const { window, isNow } = added;
  const { why, when } = window;
  const title = isNow ? 'In effect now' : 'fromMs' in when ? 'Scheduled once' : 'Scheduled every week';
  const [what = ''] = windowLine(window, now);
  return {
    title: `${why === 'quiet' ? 'Quiet hours' : 'Maintenance'}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    headline: [what, `${watchWords(added)}.`],
    body: [
      [nextWords(window, now)],
      [`${EFFECTS[why]} What happened goes into the digest and into one message afterwards.`],
    ],
    actions: [...changeActions(added), { label: 'List all', sentence: 'maintenance', effect: 'thread' }],
  };
}

const watchWords = ({ watches, isForAll }: ListedHold): string =>
  isForAll ? '' : `, ${watchNumbers({ watches })} only`;

const watchNumbers = ({ watches }: Pick<ListedHold, 'watches'>): string =>
  `watch ${watches.join(', ').replace(/, (\d+)$/, ' and $1')}`;

function changeActions({ window: { id, why }, isNow }: ListedHold): Action[] {
  const name = why === 'quiet' ? 'quiet hours' : 'maintenance';
  return [
    ...(isNow ? [{ label: 'End now', sentence: `maintenance end ${id}`, effect: 'thread' } as const] : []),
    {
      label: 'Remove',
      sentence: `maintenance remove ${id}`,
      effect: 'thread',
      style: 'danger',
      confirm: [`This removes the ${name} from this channel’s watches.`],
    },
  ];
}

async function list({ deps, question, sentence, now }: CommandContext, args: readonly Word[]): Promise<Reply> {
  refuseLeftover(sentence.text, args);
  const all = await deps.watches.holds.list(question.channel);
  const title = 'Quiet hours and maintenance';
  if (all.length === 0) {
    return {
      title,
      headline: [
        'None in this channel. Set some up with ',
        { code: `${deps.command} quiet weekdays 22:00-06:00` },
        '.',
      ],
      actions: [{ label: 'List watches', sentence: 'watches', effect: 'thread' }],
    };
  }
  const [only] = all;
  return {
    title,
    headline: [
      all.some(({ isNow }) => isNow) ? 'Alerts are being held back now.' : 'Alerts aren’t held back right now.',
    ],
    body: all.map(
      (each, at): Line => [
        `${at + 1}. `,
        ...windowLine(each.window, now),
        each.isForAll ? '' : ` For ${watchNumbers(each)} only.`,
      ],
    ),
    notes: [['Change one with ', { code: `${deps.command} maintenance end 1` }, ' or ', { code: 'remove 1' }, '.']],
    actions: all.length === 1 && only !== undefined ? changeActions(only) : [],
  };
}

async function end(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, now } = context;
  const current = (await deps.watches.holds.list(question.channel)).filter(({ isNow }) => isNow);
  const ended = args.length === 0 ? current : [await choose(context, args)].filter(({ isNow }) => isNow);
  if (ended.length === 0) throw new BotError('not_found', 'No alerts are being held back now.', { next: [LIST] });
  for (const { window } of ended) await deps.watches.holds.end(question.channel, window.id);
  const again = (await deps.watches.holds.list(question.channel)).filter(({ window }) =>
    ended.some((each) => each.window.id === window.id),
  );
  return {
    title: 'Ended: alerts are sent again',
    headline: ['What is still going on alerts now. The rest is summed up in one message.'],
    body: again.map(({ window }) => windowLine(window, now)),
    actions: [{ label: 'List watches', sentence: 'watches', effect: 'thread' }],
  };
}

async function remove(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { deps, question, now } = context;
  const { window } = await choose(context, args);
  await deps.watches.holds.remove(question.channel, window.id);
  const [what = ''] = windowLine(window, now);
  const left = (await deps.watches.holds.list(question.channel)).length;
  return {
    title: `${window.why === 'quiet' ? 'Quiet hours' : 'Maintenance'} removed`,
    headline: [what, ' no longer holds alerts back.'],
    body: left === 0 ? [] : [[`${left} left in this channel.`]],
    actions: left === 0 ? [] : [{ label: 'List the rest', sentence: 'maintenance', effect: 'thread' }],
  };
}

const LIST: NextStep = { label: 'List them', sentence: 'maintenance' };

/** By its number in the list, by ID, or the only one. */
async function choose(
  { deps, question, sentence: { text } }: CommandContext,
  [word, ...more]: readonly Word[],
): Promise<ListedHold> {
  refuseLeftover(text, more);
  const all = await deps.watches.holds.list(question.channel);
  const [only] = all;
  if (only === undefined) throw new BotError('not_found', 'This channel has no quiet hours and no maintenance.');
  if (word === undefined && all.length === 1) return only;
  if (word === undefined)
    throw new UsageError(`Which one? This channel has ${all.length}.`, { text, hint: 'Add its number.', next: [LIST] });
  const number = word.lower.replace(/^[#№]/, '');
  const found = /^\d{1,2}$/.test(number) ? all[Number(number) - 1] : all.find(({ window }) => window.id === number);
  if (found !== undefined) return found;
  if (/^q[0-9a-f]{5}$/.test(number)) throw new BotError('not_found', 'That was removed, or is over.', { next: [LIST] });
  throw new UsageError(`There’s no “${word.text}” in the list.`, {
    text,
    span: word,
    hint: `They are numbered 1 to ${all.length}.`,
    next: [LIST],
  });
}
