/** `hosts`: the names for domain IDs. */
import { BotError, UsageError } from '../../errors.ts';
import { findHost, type HostAlias, hostNames, isDomainId, quoteName } from '../../grammar/hosts.ts';
import { isReserved, refuseLeftover } from '../../grammar/sentence.ts';
import type { Word } from '../../grammar/tokens.ts';
import { inProject } from '../../replies/follow-ups.ts';
import { counted } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { summarise } from '../../statistics/timeline.ts';
import { parseRange } from '../../time/index.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

const MAX_HOSTS = 500;
const MAX_SHOWN = 90;
const MAX_ENGINES = 20;
/** More hosts behind an engine are counted instead of named. */
const MAX_BEHIND = 5;
/** Quotes and brackets have a meaning in sentences, and invisible characters can't be typed. */
const NOT_IN_NAMES = /["<>]|[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

export const hosts: Verb = {
  verb: 'hosts',
  aliases: ['host'],
  summary: 'the host names that the service lists and the names people added; `on <name>` works with both',
  help: { group: 'Set things up', examples: ['hosts'] },
  usage: ['hosts', 'hosts add <name> <domain ID or listed host>', 'hosts remove <name>'],
  examples: ['hosts', 'hosts add shop 3ac26c59e15a4a11bb680a103a29ddb6'],
  parts: ['project'],
  takesWords: true,
  subCommands: [
    { name: 'list', words: ['list'], effect: 'look', bareAfter: ['hosts', 'host'] },
    { name: 'add', words: ['add'], effect: 'change' },
    { name: 'remove', words: ['remove', 'delete', 'rm'], effect: 'change' },
  ],
  form: { label: 'Add a host', sentence: 'hosts add' },
  answer: async (context) => inProject(await answerHosts(context), context.project.label, context.commands),
};

async function answerHosts(context: CommandContext): Promise<Reply> {
  const { text, subCommand, args } = context.sentence;
  const values = args.filter((word) => word.quoted || word.text !== ',');
  if (subCommand === 'list') {
    refuseLeftover(text, values);
    return listHosts(context);
  }
  if (subCommand === 'add') return addHost(context, values);
  if (subCommand === 'remove') return removeHost(context, values);
  const [word] = values;
  throw new UsageError(`“${word?.text}” doesn't work with hosts.`, {
    text,
    span: word,
    hint: 'You can list, add and remove.',
    example: 'hosts add shop <domain ID>',
  });
}

const ADD: Action = { label: 'Add a host', sentence: 'hosts add', effect: 'modal' };

async function listHosts({ project, deps }: CommandContext): Promise<Reply> {
  const { aliases, listed: names } = await hostNames(project, 'renewed');
  const listed = names.filter(({ isEngine }) => isEngine !== true);
  const engines = Map.groupBy(
    names.filter(({ isEngine }) => isEngine === true),
    ({ name }) => name,
  );
  if (aliases.length + listed.length === 0) {
    return {
      title: 'Hosts',
      headline: [
        'No hosts yet. Add one with ',
        { code: `${deps.command} hosts add shop <domain ID>` },
        '; then ',
        { code: 'on shop' },
        ' works everywhere.',
      ],
      actions: [{ ...ADD, style: 'primary' }],
    };
  }
  const tagOf = new Map(listed.map(({ id, tag }) => [id, tag]));
  const rows = [...aliases, ...listed].map(({ name, id }) => [name, id, tagOf.get(id) ?? '']);
  const width = listed.length === 0 ? 2 : COLUMNS.length;
  const more = rows.length - MAX_SHOWN;
  const nameOf = new Map(listed.map(({ id, name }) => [id, name]));
  const behind = [...engines].map(
    ([name, hosts]): Line => [
      { code: `on ${quoteName(name)}` },
      ` means ${hosts.length > MAX_BEHIND ? counted(hosts.length, 'host') : hosts.map(({ id }) => nameOf.get(id) ?? id).join(', ')}: `,
      `the ${hosts.length === 1 ? 'host' : 'hosts'} behind this dedicated engine.`,
    ],
  );
  return {
    title: listed.length === 0 ? 'Hosts' : `${counted(listed.length, 'host')} listed by the service`,
    headline:
      listed.length === 0
        ? [{ bold: String(aliases.length) }, aliases.length === 1 ? ' name added.' : ' names added.']
        : [
            aliases.length === 0
              ? ''
              : `${counted(aliases.length, 'name')} added here ${aliases.length === 1 ? 'comes' : 'come'} first. `,
            'A unique prefix is enough: ',
            { code: `on ${listed[0]?.name.split('.')[0]}` },
          ],
    table: { columns: COLUMNS.slice(0, width), rows: rows.slice(0, MAX_SHOWN).map((row) => row.slice(0, width)) },
    body: behind.length > 0 ? behind.slice(0, MAX_ENGINES) : undefined,
    notes: more > 0 ? [[`${more} more aren't shown, but you can still ask about them.`]] : undefined,
    actions: [ADD],
  };
}

const COLUMNS = [
  { name: 'Name', align: 'left' },
  { name: 'Domain ID', align: 'left' },
  { name: 'In the console', align: 'left' },
] as const;

async function addHost(context: CommandContext, words: readonly Word[]): Promise<Reply> {
  const { sentence, deps, question, aliases, now } = context;
  const [name, id, extra] = words;
  const example = 'hosts add shop 3ac26c59e15a4a11bb680a103a29ddb6';
  if (name === undefined || id === undefined) {
    const next = [
      { label: 'Add a host', sentence: `hosts add${name === undefined ? '' : ` ${quoteName(name.text)}`}` },
    ];
    throw new UsageError('Add a name and a domain ID.', {
      text: sentence.text,
      example,
      next: next.map((step) => ({ ...step, opensForm: true })),
    });
  }
  const refuse = (message: string, span: Word): never => {
    throw new UsageError(message, { text: sentence.text, span, example });
  };
  if (extra !== undefined) refuse('That has one word too many. Put a name of several words in quotes.', extra);
  if (name.text.trim() === '' || name.text.length > 60 || NOT_IN_NAMES.test(name.text))
    refuse('A name has 1 to 60 characters and no quotes or brackets.', name);
  const { listed } = await hostNames(context.project, isDomainId(id.text) ? 'added' : 'renewed');
  // A listed host can be named instead of its ID.
  const meant = findHost(id.text, { aliases: [], listed });
  if (meant === null) {
    throw new UsageError("That doesn't look like a domain ID, which has 16 to 64 letters and digits.", {
      text: sentence.text,
      span: id,
      example,
    });
  }
  if (isDomainId(name.text)) refuse("A name can't look like a domain ID.", name);
  if (isReserved(name.text.trim(), context.commands) || readsAsTime(name.text, now)) {
    refuse("That word already has a meaning in sentences, so it can't be a name.", name);
  }
  const before = aliases.find((alias) => alias.name.toLowerCase() === name.lower);
  if (before === undefined && aliases.length >= MAX_HOSTS)
    refuse(`There are already ${MAX_HOSTS} names. Remove one first.`, name);
  await deps.hosts.set(name.lower, { name: name.text, id: meant.id, addedBy: question.user });
  const seen = await trafficOf(context, meant.id);
  const quoted = quoteName(name.text);
  return {
    title: `Host ${before === undefined ? 'added' : 'changed'} · ${seen.finding}`,
    headline: [
      { bold: name.text },
      ' now means ',
      { code: meant.id },
      before === undefined ? '.' : ` (was ${before.id}).`,
      ...(seen.says === '' ? [] : [` ${seen.says}`]),
    ],
    actions: [
      { label: 'Show it', sentence: `timeline last 24h on ${quoted}`, effect: 'thread' },
      ...(seen.isDoubtful
        ? [{ label: 'Change the ID', sentence: `hosts add ${quoted}`, effect: 'modal' } as const]
        : []),
    ],
  };
}

/** Long enough for a quiet site, short enough for one request. */
const LOOK_BACK_DAYS = 7;

interface SeenTraffic {
  /** For the heading. */
  readonly finding: string;
  readonly says: string;
  readonly isDoubtful: boolean;
}

/** Whether the service has seen traffic for an ID: it accepts a wrong one, whose answers then look calm. */
async function trafficOf({ deps, now, zone }: CommandContext, id: string): Promise<SeenTraffic> {
  const range = { from: now.subtract({ hours: LOOK_BACK_DAYS * 24 }), to: now };
  const within = `in the last ${LOOK_BACK_DAYS} days`;
  try {
    const { requests } = summarise(await deps.statistics.timeline({ range, hosts: [id], zone }));
    if (requests === null) return { finding: 'traffic unknown', says: notChecked(''), isDoubtful: false };
    if (requests > 0) return { finding: `${counted(requests, 'request')} ${within}`, says: '', isDoubtful: false };
    return {
      finding: `no traffic seen ${within}`,
      says: `Is the ID right? The service counted no requests for it ${within}.`,
      isDoubtful: true,
    };
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    if (error.code === 'not_found') {
      const says = `${error.message} Is the ID right?`;
      return { finding: "the service doesn't know this ID", says, isDoubtful: true };
    }
    return { finding: 'traffic unknown', says: notChecked(error.message), isDoubtful: false };
  }
}

const notChecked = (why: string): string => `I couldn't check whether it has traffic. ${why}`.trim();

async function removeHost({ sentence, deps, project }: CommandContext, words: readonly Word[]): Promise<Reply> {
  const [name, ...more] = words;
  const { aliases, listed } = await hostNames(project);
  const example = `hosts remove ${quoteName(aliases[0]?.name ?? 'shop')}`;
  if (name === undefined) throw new UsageError('Which name do you want to remove?', { text: sentence.text, example });
  const alias: HostAlias | undefined = aliases.find((known) => known.name.toLowerCase() === name.lower);
  if (alias === undefined) {
    const isListed = findHost(name.text, { aliases: [], listed })?.name !== undefined && !isDomainId(name.text);
    const message = isListed
      ? `“${name.text}” comes from the service. Only names that were added here can be removed.`
      : `There's no host “${name.text}”.`;
    throw new UsageError(message, { text: sentence.text, span: name, example });
  }
  refuseLeftover(sentence.text, more);
  await deps.hosts.delete(name.lower);
  return {
    title: 'Host removed',
    headline: [{ bold: alias.name }, ' is no longer a name for ', { code: alias.id }, '.'],
    actions: [{ label: 'Undo', sentence: `hosts add ${quoteName(alias.name)} ${alias.id}`, effect: 'replace' }],
  };
}

/** Whether a name would be read as a time. */
function readsAsTime(name: string, now: Temporal.Instant): boolean {
  try {
    return parseRange(name, { now, zone: 'UTC' }).readAs === undefined;
  } catch {
    return false;
  }
}
