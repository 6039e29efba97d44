/** `runbook`: links that alerts and *Why?* show, for a category or a host. */
import { BotError, UsageError } from '../../errors.ts';
import { hostMeant, hostNames } from '../../grammar/hosts.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import type { Word } from '../../grammar/tokens.ts';
import {
  createRunbooks,
  type ListedRunbook,
  ofCategory,
  ofHost,
  type RunbookSubject,
  type Runbooks,
} from '../../projects/runbooks.ts';
import { inProject } from '../../replies/follow-ups.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { categoryFor, categoryName } from '../../statistics/categories.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';
import { type AnsweredSubCommand, answerSubCommand } from './choose-subscription.ts';

const SUB_COMMANDS: readonly AnsweredSubCommand[] = [
  { name: 'set', words: [], otherwise: true, effect: 'change', answer: set },
  { name: 'list', words: ['list'], bareAfter: ['runbooks', 'runbook'], effect: 'look', answer: list },
  { name: 'remove', words: ['remove', 'delete', 'rm'], effect: 'change', answer: remove },
];

const EXAMPLE = 'runbook sqli https://wiki.example.org/sqli';

export const runbook: Verb = {
  verb: 'runbook',
  aliases: ['runbooks'],
  summary: 'the runbooks that alerts and “Why?” link to, for a category or a host',
  help: { group: 'Set things up', examples: ['runbook list'] },
  usage: ['runbooks', 'runbook <category|host> <address>|none', 'runbook remove <category|host>'],
  examples: ['runbook list', EXAMPLE, 'runbook remove sqli'],
  parts: ['project'],
  takesWords: true,
  subCommands: SUB_COMMANDS,
  answer: async (context) =>
    inProject(await answerSubCommand(context, SUB_COMMANDS, set), context.project.label, context.commands),
};

/** A project that was set up without a store for them allows none. */
const runbooksOf = ({ project }: CommandContext): Runbooks =>
  project.runbooks ?? createRunbooks({ set: async () => {}, delete: async () => {}, entries: async () => [] }, []);

/** Filler words next to the address and the name. */
const FILLER = /^(for|on|at|is|category|host|:|=)$/;

const NONE = /^(none|nothing|off)$/;

async function removeIfAny(context: CommandContext, named: readonly Word[]): Promise<Reply> {
  const { key, name } = await subjectOf(context, named);
  await runbooksOf(context).remove(key);
  return { title: `No runbook for ${name}`, headline: ['Alerts and Why? have no link for it.'] };
}

async function set(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const { sentence, question, deps } = context;
  const at = args.findIndex(({ lower }) => /^<?[a-z][a-z0-9+.-]*:\/\//.test(lower));
  const address = args[at];
  const named = (at < 0 ? args : args.slice(0, at)).filter(({ lower, quoted }) => quoted || !FILLER.test(lower));
  // The form also sends this, perhaps without a runbook to remove.
  if (address === undefined && NONE.test(named.at(-1)?.lower ?? '')) return removeIfAny(context, named.slice(0, -1));
  if (address === undefined)
    throw new UsageError('What is the address of the runbook?', {
      text: sentence.text,
      span: named.at(-1),
      example: EXAMPLE,
    });
  // A comma is part of an address.
  const typed = /^\S+/.exec(sentence.text.slice(address.start))?.[0] ?? '';
  const end = address.start + typed.length;
  refuseLeftover(
    sentence.text,
    args.filter(({ start }) => start >= end),
  );
  const subject = await subjectOf(context, named);
  const { name, url } = await runbooksOf(context).set(subject, typed.replace(/^<|>$/g, ''), question.user);
  return {
    title: `Runbook for ${name} set`,
    headline: [{ link: url, says: url }, ' is linked from alerts and from Why? from now on.'],
    body: [['Remove it with ', { code: `${deps.command} runbook remove ${nameWords(name)}` }, '.']],
    actions: [{ label: 'List runbooks', sentence: 'runbooks', effect: 'thread' }],
  };
}

const nameWords = (name: string): string => (/\s/.test(name) ? `"${name}"` : name);

/** The category or the host that the words name. */
async function subjectOf(
  { sentence: { text }, project }: CommandContext,
  words: readonly Word[],
): Promise<RunbookSubject> {
  const [first, ...more] = words;
  if (first === undefined) throw new UsageError('For which category or host?', { text, example: EXAMPLE });
  const phrase = words.map(({ lower }) => lower).join(' ');
  const field = categoryFor(phrase);
  if (field !== undefined) return ofCategory(field, categoryName(field));
  refuseLeftover(text, more);
  const names = await hostNames(project, 'renewed');
  return ofHost(hostMeant(text, first, { ...names, project: project.label }));
}

async function list(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  refuseLeftover(context.sentence.text, args);
  const all = await runbooksOf(context).list();
  if (all.length === 0) {
    return {
      title: 'Runbooks',
      headline: ['None yet. Set one with ', { code: `${context.deps.command} ${EXAMPLE}` }, '.'],
    };
  }
  return {
    title: 'Runbooks',
    headline: ['Alerts and Why? link to the one of the leading category, and to those of the hosts.'],
    body: all.map(lineOf),
  };
}

const lineOf = ({ name, url, by, isAllowed }: ListedRunbook): Line =>
  isAllowed
    ? [{ bold: name }, ': ', { link: url, says: url }, ', by ', { user: by, quietly: true }, '.']
    : [
        { bold: name },
        ': not shown, because WAFBOT_RUNBOOK_HOSTS no longer allows its address. By ',
        { user: by, quietly: true },
        '.',
      ];

async function remove(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const words = args.filter(({ lower, quoted }) => quoted || !FILLER.test(lower));
  const all = await runbooksOf(context).list();
  // A host may be gone from the list by now.
  const phrase = words.map(({ lower }) => lower).join(' ');
  const named = all.find(({ name }) => name.toLowerCase() === phrase);
  const { key, name } = named ?? (await subjectOf(context, words));
  if (!all.some((each) => each.key === key))
    throw new BotError('not_found', `There’s no runbook for ${name}.`, {
      next: [{ label: 'List runbooks', sentence: 'runbooks' }],
    });
  await runbooksOf(context).remove(key);
  return {
    title: `Runbook for ${name} removed`,
    headline: ['Alerts and Why? no longer link to it.'],
    actions: all.length === 1 ? [] : [{ label: 'List the rest', sentence: 'runbooks', effect: 'thread' }],
  };
}
