/** `ignore`: categories that watches for anything unusual pass over and no answer leads with, until a date. */
import { type IgnoredCategory, isInForce } from '../../episodes/ignored.ts';
import { BotError, UsageError } from '../../errors.ts';
import type { SubCommand } from '../../grammar/command-table.ts';
import { assertFewHosts, distinctNames, quoteName } from '../../grammar/hosts.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import { nearestWord, type Word } from '../../grammar/tokens.ts';
import { ignoredWords } from '../../replies/phrases.ts';
import type { Action, Entry, Line, Reply } from '../../replies/reply.ts';
import { CATEGORIES, CATEGORY_WORDS, categoryFor } from '../../statistics/categories.ts';
import { parseUntil, untilWords } from '../../time/index.ts';
import { DAY_MS } from '../../time-units.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

const SUB_COMMANDS: readonly SubCommand[] = [
  { name: 'create', words: [], effect: 'change', otherwise: true },
  { name: 'list', words: ['list'], effect: 'look', bareAfter: ['ignore', 'ignored'] },
  { name: 'remove', words: ['remove', 'delete', 'stop'], effect: 'change' },
];

const EXAMPLE = 'ignore crawler on shop until friday';
/** A watch with a number counts everything. */
const EFFECT = 'Watches for anything unusual pass it over, and no answer leads with it.';

export const ignore: Verb = {
  verb: 'ignore',
  aliases: ['ignored'],
  summary:
    'attack categories that watches for anything unusual pass over and no answer leads with, until a date; they are still counted',
  help: { group: 'Tell me when something happens', examples: ['ignore crawler for 2 weeks'] },
  usage: [
    'ignore <category> [on <host>, …] [until <date>|for <time>]',
    'ignored',
    'ignore remove <category> [on <host>, …]',
  ],
  examples: ['ignore crawler for 2 weeks', 'ignore webshell until friday', 'ignore', 'ignore remove crawler'],
  parts: ['hosts', 'project', 'zone'],
  takesWords: true,
  subCommands: SUB_COMMANDS,
  answer: answerIgnore,
};

async function answerIgnore(context: CommandContext): Promise<Reply> {
  const { subCommand, args, text } = context.sentence;
  if (subCommand === 'list') {
    refuseLeftover(text, args);
    return listReply(context, await inForce(context));
  }
  return subCommand === 'remove' ? remove(context, args) : create(context, args);
}

const nowOf = ({ now }: CommandContext): number => now.epochMilliseconds;

async function inForce(context: CommandContext): Promise<readonly IgnoredCategory[]> {
  const rules = await context.project.ignored.list();
  return rules.filter((rule) => isInForce(rule, nowOf(context)));
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 90;
const MAX_RULES = 20;
/** How long an ended one still says how that time was reported. */
const REMEMBERED_MS = 100 * DAY_MS;

async function create(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { project, question, sentence, zone } = context;
  const { category, untilMs } = readRule(context, args);
  assertFewHosts(distinctNames(sentence.hosts));
  const hosts = sentence.hosts.map(({ name, id }) => ({ name, id }));
  const nowMs = nowOf(context);
  const rule: IgnoredCategory = { category, hosts, fromMs: nowMs, untilMs, by: question.user };
  const rules = await project.ignored.change((current) => {
    const same = current.find((other) => isSame(other, rule) && isInForce(other, nowMs));
    const others = current.filter((other) => other !== same && other.untilMs > nowMs - REMEMBERED_MS);
    if (others.filter((other) => isInForce(other, nowMs)).length >= MAX_RULES) throw tooMany();
    // It goes on from when it was first ignored.
    return [...others, same === undefined ? rule : { ...rule, fromMs: same.fromMs }];
  });
  const isOpen = await isReported(context, category);
  return {
    title: `Ignoring ${ignoredWords(rule)} until ${untilWords(untilMs, zone)}`,
    headline: [`${EFFECT} It is still counted, and named as ignored.`],
    body: [
      ...(isOpen
        ? [['An alert that is open now stays until it is over: ignoring begins with what comes next.'] as Line]
        : []),
      ['Ignored by ', { user: question.user }, `, in every channel${whose(context)}.`],
    ],
    actions: [
      ...(isOpen ? [{ label: 'Snooze 2 hours', sentence: 'watch snooze 2h', effect: 'thread' } as const] : []),
      stopAction(rule),
      ...(rules.length > 1 ? [{ label: 'All that is ignored', sentence: 'ignored', effect: 'thread' } as const] : []),
    ],
  };
}

const whose = ({ project }: CommandContext): string =>
  project.label === null ? '' : ` that asks about project ${project.label}`;

/** Whether the channel has an open alert that it may be about. */
async function isReported({ deps, question, project, now }: CommandContext, category: string): Promise<boolean> {
  const range = { from: now.subtract({ hours: 1 }), to: now };
  const reported = await deps.watches.episodes(question.channel, range, project.storedAs);
  return reported.some(({ endMs, mix, leading }) => endMs === null && (mix === category || leading.includes(category)));
}

const isSame = (a: IgnoredCategory, b: Pick<IgnoredCategory, 'category' | 'hosts'>): boolean =>
  a.category === b.category &&
  a.hosts.length === b.hosts.length &&
  a.hosts.every(({ id }) => b.hosts.some((host) => host.id === id));

const tooMany = (): BotError =>
  new BotError('limit', `At most ${MAX_RULES} categories can be ignored at a time.`, {
    hint: 'Remove one that is no longer needed.',
    next: [{ label: 'What is ignored', sentence: 'ignored' }],
  });

const FILLERS: ReadonlySet<string> = new Set(['category', 'categories', 'the', 'attacks', 'events', ',']);
const UNTIL: ReadonlySet<string> = new Set(['until', 'till', 'for']);

function readRule(context: CommandContext, args: readonly Word[]): Pick<IgnoredCategory, 'category' | 'untilMs'> {
  const { sentence, now, zone } = context;
  const at = args.findIndex(({ lower }) => UNTIL.has(lower));
  const [named, when] = at < 0 ? [args, []] : [args.slice(0, at), args.slice(at + 1)];
  const category = readCategory(sentence.text, named);
  if (at < 0) return { category, untilMs: now.add({ hours: 24 * DEFAULT_DAYS }).epochMilliseconds };
  const until = parseUntil(when.map(({ text }) => text).join(' '), now, zone);
  const [first] = when;
  const span = first === undefined ? args[at] : { start: first.start, end: when.at(-1)?.end ?? first.end };
  const isWithin =
    until !== null && until.epochMilliseconds > now.epochMilliseconds && daysUntil(until, now) <= MAX_DAYS;
  if (!isWithin) {
    throw new UsageError(`Until when? Say a time within the next ${MAX_DAYS} days.`, {
      text: sentence.text,
      span,
      example: EXAMPLE,
    });
  }
  return { category, untilMs: until.epochMilliseconds };
}

const daysUntil = (until: Temporal.Instant, now: Temporal.Instant): number =>
  (until.epochMilliseconds - now.epochMilliseconds) / DAY_MS;

function readCategory(text: string, words: readonly Word[]): string {
  const named = words.filter(({ lower, quoted }) => quoted || !FILLERS.has(lower));
  const phrase = named.map(({ lower }) => lower).join(' ');
  const category = categoryFor(phrase);
  if (category !== undefined) return category;
  const [first] = named;
  const meant = nearestWord(phrase, CATEGORY_WORDS, 2);
  const span = first === undefined ? undefined : { start: first.start, end: named.at(-1)?.end ?? first.end };
  const hint = `The categories are ${CATEGORIES.map(({ field }) => field).join(', ')}. To silence a watch, snooze it.`;
  throw new UsageError(first === undefined ? 'Ignore what? Name a category.' : `“${phrase}” isn't one category.`, {
    text,
    span,
    hint,
    corrected:
      meant === undefined || span === undefined
        ? undefined
        : `${text.slice(0, span.start)}${meant}${text.slice(span.end)}`,
    example: EXAMPLE,
  });
}

/** By category and hosts, as buttons do, or by the number in the list. */
async function remove(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { sentence, project } = context;
  const list = await inForce(context);
  const [first, ...more] = args;
  const number = /^\d{1,3}$/.test(first?.lower ?? '') && more.length === 0 ? Number(first?.lower) : null;
  const hosts = sentence.hosts.map(({ name, id }) => ({ name, id }));
  const found =
    number === null
      ? list.find((rule) => isSame(rule, { category: readCategory(sentence.text, args), hosts }))
      : list[number - 1];
  if (found === undefined) {
    throw new BotError('not_found', 'That is not ignored.', {
      next: [{ label: 'What is ignored', sentence: 'ignored' }],
    });
  }
  const nowMs = nowOf(context);
  const isFound = (rule: IgnoredCategory): boolean => isSame(rule, found) && rule.fromMs === found.fromMs;
  const left = await project.ignored.change((current) =>
    // What it was in force for stays as it was reported.
    current.map((rule) => (isFound(rule) ? { ...rule, untilMs: nowMs } : rule)),
  );
  const remaining = left.filter((rule) => isInForce(rule, nowMs));
  return {
    title: `No longer ignoring ${ignoredWords(found)}`,
    headline: ['What begins from now on alerts again.'],
    body: remaining.length === 0 ? [] : [[`Still ignored: ${remaining.map(ignoredWords).join(', ')}.`]],
  };
}

function stopAction(rule: IgnoredCategory): Action {
  const on = rule.hosts.length === 0 ? '' : ` on ${rule.hosts.map(({ name }) => quoteName(name)).join(', ')}`;
  return { label: 'Stop ignoring', sentence: `ignore remove ${rule.category}${on}`, effect: 'thread' };
}

function listReply({ deps, zone }: CommandContext, rules: readonly IgnoredCategory[]): Reply {
  if (rules.length === 0) {
    return {
      title: 'Nothing is ignored',
      headline: ['Try ', { code: `${deps.command} ${EXAMPLE}` }, '.'],
    };
  }
  return {
    title: 'What is ignored',
    headline: [`${EFFECT} It is still counted.`],
    entries: rules.map(
      (rule, at): Entry => ({
        lines: [
          [{ bold: `${at + 1}. ${ignoredWords(rule)}` }, ` until ${untilWords(rule.untilMs, zone)}`],
          ['Ignored by ', { user: rule.by }],
        ],
        actions: [stopAction(rule)],
      }),
    ),
  };
}
