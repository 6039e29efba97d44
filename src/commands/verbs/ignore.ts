/** `ignore`: categories that watches for anything unusual pass over and no answer leads with, until a date. */
import { type IgnoredCategory, isInForce } from '../../episodes/ignored.ts';
import { BotError, UsageError } from '../../errors.ts';
import type { SubCommand } from '../../grammar/command-table.ts';
import { assertFewHosts, distinctNames, quoteName } from '../../grammar/hosts.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import { nearestWord, type Word } from '../../grammar/tokens.ts';
import type { Project } from '../../projects/project.ts';
import { ignoredWords } from '../../replies/phrases.ts';
import type { Action, Entry, Line, Reply } from '../../replies/reply.ts';
import { CATEGORIES, CATEGORY_WORDS, categoryFor, categoryName } from '../../statistics/categories.ts';
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
    'ignore <category>, … [on <host>, …] [until <date>|for <time>]',
    'ignore only <category>, … [on <host>, …] [until <date>|for <time>]',
    'ignored',
    'ignore remove <category> [on <host>, …]',
    'ignore nothing [on <host>, …]',
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
/** How long an ended entry is kept, because answers about its time still depend on it. */
const REMEMBERED_MS = 100 * DAY_MS;

async function create(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { project, question, sentence, zone } = context;
  assertFewHosts(distinctNames(sentence.hosts));
  const hosts = sentence.hosts.map(({ name, id }) => ({ name, id }));
  const requested = readRules(context, args);
  const { categories, isOnly } = requested;
  const nowMs = nowOf(context);
  const isOn = (rule: IgnoredCategory): boolean => isInForce(rule, nowMs) && isAbout(rule, hosts);
  const stored = await project.ignored.change((current) => {
    const rules = categories.map((category): IgnoredCategory => {
      // Renewing it keeps the time at which it was first ignored.
      const same = current.find((rule) => rule.category === category && isOn(rule));
      const untilMs = requested.untilMs ?? (isOnly ? same?.untilMs : undefined) ?? nowMs + DEFAULT_DAYS * DAY_MS;
      return { category, hosts, fromMs: same?.fromMs ?? nowMs, untilMs, by: question.user };
    });
    const others = current.filter((rule) => !(categories.includes(rule.category) && isOn(rule)));
    const left = others
      .filter((rule) => rule.untilMs > nowMs - REMEMBERED_MS)
      .map((rule) => (isOnly && isOn(rule) ? { ...rule, untilMs: nowMs } : rule));
    const next = [...left, ...rules];
    if (next.filter((rule) => isInForce(rule, nowMs)).length > MAX_RULES) throw tooMany();
    return next;
  });
  const rules = stored.filter((rule) => isInForce(rule, nowMs));
  const own = rules.filter((rule) => categories.includes(rule.category) && isAbout(rule, hosts));
  if (own.length === 0) return nothingIgnored(hosts, rules);
  const isOpen = (await Promise.all(categories.map((category) => isReported(context, category)))).includes(true);
  const [only] = own;
  return {
    title: `Ignoring ${rulesInWords(own, hosts, zone)}`,
    headline: [`${EFFECT} It is still counted, and named as ignored.`],
    body: [
      ...(isOpen
        ? [['An alert that is open now stays until it is over: ignoring begins with what comes next.'] as Line]
        : []),
      ['Ignored by ', { user: question.user }, `, in every channel${whose(context)}.`],
    ],
    actions: [
      ...(isOpen ? [{ label: 'Snooze 2 hours', sentence: 'watch snooze 2h', effect: 'thread' } as const] : []),
      ...(own.length === 1 && only !== undefined ? [stopAction(only)] : []),
      ...(rules.length > 1 ? [{ label: 'All that is ignored', sentence: 'ignored', effect: 'thread' } as const] : []),
    ],
  };
}

/** `SQL injection, XSS on shop until the end of Fri 20 Nov`; each with its own date if those differ. */
function rulesInWords(rules: readonly IgnoredCategory[], hosts: IgnoredCategory['hosts'], zone: string): string {
  const dates = [...new Set(rules.map(({ untilMs }) => untilWords(untilMs, zone)))];
  const names = rules.map(({ category, untilMs }) =>
    dates.length === 1 ? categoryName(category) : `${categoryName(category)} until ${untilWords(untilMs, zone)}`,
  );
  const list = `${names.join(', ')}${onWords(hosts)}`;
  return dates.length === 1 ? `${list} until ${dates[0]}` : list;
}

const onWords = (hosts: IgnoredCategory['hosts']): string =>
  hosts.length === 0 ? '' : ` on ${hosts.map(({ name }) => name).join(', ')}`;

/** The answer to `ignore nothing on shop`. */
function nothingIgnored(hosts: IgnoredCategory['hosts'], left: readonly IgnoredCategory[]): Reply {
  return {
    title: `Nothing is ignored${onWords(hosts)} now`,
    headline: ['What begins from now on alerts again.'],
    body: left.length === 0 ? [] : [[`Still ignored: ${left.map(ignoredWords).join(', ')}.`]],
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

/** On exactly these hosts. */
const isAbout = (rule: IgnoredCategory, hosts: IgnoredCategory['hosts']): boolean =>
  rule.hosts.length === hosts.length && rule.hosts.every(({ id }) => hosts.some((host) => host.id === id));

const tooMany = (): BotError =>
  new BotError('limit', `At most ${MAX_RULES} categories can be ignored at a time.`, {
    hint: 'Remove one that is no longer needed.',
    next: [{ label: 'What is ignored', sentence: 'ignored' }],
  });

const FILLERS: ReadonlySet<string> = new Set(['category', 'categories', 'the', 'attacks', 'events']);
const UNTIL: ReadonlySet<string> = new Set(['until', 'till', 'for']);
const ONLY: ReadonlySet<string> = new Set(['only', 'just']);
const NOTHING: ReadonlySet<string> = new Set(['nothing', 'none']);

interface RequestedRules {
  readonly categories: readonly string[];
  /** `null` if none is named. */
  readonly untilMs: number | null;
  /** `ignore only crawlers on shop`: nothing else on these hosts. What is ignored already keeps its date. */
  readonly isOnly: boolean;
}

function readRules({ sentence, now, zone }: CommandContext, args: readonly Word[]): RequestedRules {
  const { text } = sentence;
  const at = args.findIndex(({ lower }) => UNTIL.has(lower));
  const [said, when] = at < 0 ? [args, []] : [args.slice(0, at), args.slice(at + 1)];
  const isNothing = said.length === 1 && NOTHING.has(said[0]?.lower ?? '');
  if (isNothing && at < 0) return { categories: [], untilMs: null, isOnly: true };
  const isOnly = ONLY.has(said[0]?.lower ?? '');
  const categories = readCategories(text, isOnly ? said.slice(1) : said);
  if (at < 0) return { categories, untilMs: null, isOnly };
  const until = parseUntil(when.map((word) => word.text).join(' '), now, zone);
  const [first] = when;
  const span = first === undefined ? args[at] : { start: first.start, end: when.at(-1)?.end ?? first.end };
  const isWithin =
    until !== null && until.epochMilliseconds > now.epochMilliseconds && daysUntil(until, now) <= MAX_DAYS;
  if (!isWithin) {
    const message = `Until when? Say a time within the next ${MAX_DAYS} days.`;
    throw new UsageError(message, { text, span, example: EXAMPLE });
  }
  return { categories, untilMs: until.epochMilliseconds, isOnly };
}

const daysUntil = (until: Temporal.Instant, now: Temporal.Instant): number =>
  (until.epochMilliseconds - now.epochMilliseconds) / DAY_MS;

/** `crawlers, webshells and xss`; a category's own name may have an “and”. */
function readCategories(text: string, words: readonly Word[]): readonly string[] {
  const listed = splitAt(words, (word) => word.lower === ',').flatMap((part) => {
    const named = splitAt(part, (word) => word.lower === 'and');
    return named.length === 1 || isCategory(part) ? [part] : named;
  });
  return [...new Set((listed.length === 0 ? [words] : listed).map((part) => readCategory(text, part)))];
}

function splitAt(words: readonly Word[], isSeparator: (word: Word) => boolean): Word[][] {
  const parts: Word[][] = [[]];
  for (const word of words) {
    if (!word.quoted && isSeparator(word)) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts.filter((part) => part.length > 0);
}

const phraseOf = (words: readonly Word[]): string => words.map(({ lower }) => lower).join(' ');

const isCategory = (words: readonly Word[]): boolean => categoryFor(phraseOf(words)) !== undefined;

function readCategory(text: string, words: readonly Word[]): string {
  const named = words.filter(({ lower, quoted }) => quoted || !FILLERS.has(lower));
  const phrase = phraseOf(named);
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
  const category = number === null ? readCategory(sentence.text, args) : null;
  const found =
    number === null
      ? list.find((rule) => rule.category === category && isAbout(rule, sentence.hosts))
      : list[number - 1];
  if (found === undefined) {
    throw new BotError('not_found', 'That is not ignored.', {
      next: [{ label: 'What is ignored', sentence: 'ignored' }],
    });
  }
  const nowMs = nowOf(context);
  const isFound = (rule: IgnoredCategory): boolean =>
    rule.category === found.category && isAbout(rule, found.hosts) && rule.fromMs === found.fromMs;
  const left = await project.ignored.change((current) =>
    // The time in which it was in force stays reported as it was.
    current.map((rule) => (isFound(rule) ? { ...rule, untilMs: nowMs } : rule)),
  );
  const remaining = left.filter((rule) => isInForce(rule, nowMs));
  return {
    title: `No longer ignoring ${ignoredWords(found)}`,
    headline: ['What begins from now on alerts again.'],
    body: remaining.length === 0 ? [] : [[`Still ignored: ${remaining.map(ignoredWords).join(', ')}.`]],
  };
}

/** For the form of a watch: the categories that are ignored on exactly its hosts, and all that concerns it in words. */
export async function ignoredOn(
  { ignored }: Pick<Project, 'ignored'>,
  hosts: string,
  now: Temporal.Instant,
  zone: string,
): Promise<{ readonly own: string; readonly words: readonly string[] }> {
  const names = hosts === '' ? [] : hosts.split(', ');
  const nameOf = ({ name }: { readonly name: string }): string => quoteName(name);
  const rules = (await ignored.list()).filter((rule) => isInForce(rule, now.epochMilliseconds));
  const isOwn = (rule: IgnoredCategory): boolean =>
    rule.hosts.length === names.length && rule.hosts.every((host) => names.includes(nameOf(host)));
  const concerning = rules.filter(
    (rule) => rule.hosts.length === 0 || names.length === 0 || rule.hosts.some((host) => names.includes(nameOf(host))),
  );
  return {
    own: rules
      .filter(isOwn)
      .map(({ category }) => category)
      .join(', '),
    words: concerning.map((rule) => `${ignoredWords(rule)} until ${untilWords(rule.untilMs, zone)}`),
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
          ['Ignored by ', { user: rule.by, quietly: true }],
        ],
        actions: [stopAction(rule)],
      }),
    ),
  };
}
