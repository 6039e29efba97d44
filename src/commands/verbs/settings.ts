/** `settings`: a channel's preferences. */
import { UsageError } from '../../errors.ts';
import type { SubCommand } from '../../grammar/command-table.ts';
import { assertFewHosts, hostMeant, hostNames, type KnownHosts } from '../../grammar/hosts.ts';
import { knownProjects, unknownProject } from '../../grammar/named-project.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import type { Word } from '../../grammar/tokens.ts';
import { assertAnyUsable, usableProjects } from '../../projects/choose-project.ts';
import type { Project } from '../../projects/project.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { resolveZone } from '../../time/index.ts';
import type { ChannelSettings } from '../channel-records.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

const SUB_COMMANDS: readonly SubCommand[] = [
  { name: 'list', words: ['list'], effect: 'look', bareAfter: ['settings', 'setting', 'config'] },
  { name: 'zone', words: ['zone'], effect: 'change' },
  { name: 'hosts', words: ['hosts', 'host'], effect: 'change' },
  { name: 'project', words: ['project'], effect: 'change' },
  { name: 'private', words: ['private', 'privately'], effect: 'change' },
  { name: 'public', words: ['public', 'publicly'], effect: 'change' },
  { name: 'reset', words: ['reset'], effect: 'change' },
];

export const settings: Verb = {
  verb: 'settings',
  aliases: ['setting', 'config'],
  summary: "this channel's zone, default hosts and project, and whether answers are public or private",
  help: { group: 'Set things up', examples: ['settings'] },
  usage: [
    'settings',
    'settings zone <zone>',
    'settings hosts <host>, …',
    'settings project <name>',
    'settings private',
    'settings public',
    'settings zone <zone> hosts <host>, … private|public',
    'settings reset',
  ],
  examples: ['settings', 'settings zone Europe/Berlin', 'settings private', 'settings zone UTC hosts none public'],
  parts: [],
  takesWords: true,
  subCommands: SUB_COMMANDS,
  form: { label: 'Settings', sentence: 'settings' },
  answer: answerSettings,
};

/** What to set, `undefined` to unset it; `null` unsets everything. */
type Change = { readonly [K in keyof ChannelSettings]: ChannelSettings[K] | undefined } | null;

async function answerSettings(context: CommandContext): Promise<Reply> {
  const { deps, question, sentence } = context;
  const settings = (await deps.settings.get(question.channel)) ?? {};
  if (sentence.subCommand === 'list') {
    refuseLeftover(sentence.text, sentence.args);
    return show(context, settings, 'Channel settings');
  }
  const change = await readChange(context);
  const next: ChannelSettings = change === null ? {} : { ...settings, ...change };
  if (Object.values(next).every((value) => value === undefined)) await deps.settings.delete(question.channel);
  else await deps.settings.set(question.channel, next);
  return show(context, next, 'Settings changed');
}

/** One setting or several: `zone Europe/Berlin hosts shop, blog private`. */
async function readChange(context: CommandContext): Promise<Change> {
  const { text, subCommand, args } = context.sentence;
  if (subCommand === null) {
    const [word] = args;
    throw new UsageError(`There's no setting “${word?.text}”.`, {
      text,
      span: word,
      hint: 'The settings are zone, hosts, project, private, public and reset.',
      example: 'settings zone Europe/Berlin',
    });
  }
  const parts: { readonly name: string; readonly values: readonly Word[] }[] = [];
  let rest = { name: subCommand, words: args.filter(({ text: word, quoted }) => quoted || word !== ',') };
  for (;;) {
    const end = rest.words.findIndex((word) => keywordOf(word) !== undefined);
    parts.push({ name: rest.name, values: end < 0 ? rest.words : rest.words.slice(0, end) });
    const next = rest.words[end];
    const name = next === undefined ? undefined : keywordOf(next);
    if (name === undefined) break;
    rest = { name, words: rest.words.slice(end + 1) };
  }
  if (parts.some(({ name }) => name === 'reset')) {
    for (const { name, values } of parts) if (name === 'reset') refuseLeftover(text, values);
    return null;
  }
  const namesHosts = parts.some(({ name }) => name === 'hosts');
  const chosen = parts.find(({ name }) => name === 'project');
  if (namesHosts || chosen !== undefined) assertAnyUsable(context.deps, context.question);
  const project = chosen === undefined ? context.project : readProject(context, chosen.values);
  const named = await hostNames(project ?? ownProject(context) ?? context.project, namesHosts ? 'renewed' : 'added');
  const known = { ...named, project: project?.label ?? null };
  const changes = parts.map(({ name, values }) => readOne(context, name, values, known));
  // Host names belong to a project, so another project has no default hosts yet.
  return Object.assign(chosen === undefined ? {} : { project: project?.name, hosts: undefined }, ...changes);
}

function keywordOf({ lower, quoted }: Word): string | undefined {
  return quoted
    ? undefined
    : SUB_COMMANDS.find(({ words, effect }) => effect === 'change' && words.includes(lower))?.name;
}

function readOne(context: CommandContext, name: string, values: readonly Word[], known: KnownHosts): Change {
  if (name === 'project') return {};
  if (name === 'zone') return { zone: readZone(context, values) };
  if (name === 'hosts') return { hosts: readHostNames(context, values, known) };
  refuseLeftover(context.sentence.text, values);
  return { privately: name === 'private' };
}

/** The project of a channel that has chosen none; undefined if none can be used there. */
const ownProject = ({ deps, question }: CommandContext): Project | undefined => usableProjects(deps, question)[0];

function readProject(
  { deps, question, sentence: { text } }: CommandContext,
  [word, ...more]: readonly Word[],
): Project | undefined {
  const usable = usableProjects(deps, question);
  const names = usable.map(({ name }) => name).filter((name) => name !== '');
  const example = `settings project ${names[0] ?? 'none'}`;
  refuseLeftover(text, more);
  if (names.length === 0) throw new UsageError('This bot has only one project.', { text, example: 'settings' });
  if (word === undefined) throw new UsageError('Which project?', { text, hint: knownProjects(names), example });
  if (word.lower === 'none') return undefined;
  const project = usable.find(({ name }) => name === word.lower);
  if (project === undefined) throw unknownProject(text, word, names);
  return project;
}

function readZone({ sentence: { text } }: CommandContext, values: readonly Word[]): string | undefined {
  const example = 'settings zone Europe/Berlin';
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) throw new UsageError('Which zone?', { text, example });
  const name = values.map((word) => word.text).join(' ');
  if (name.toLowerCase() === 'none') return undefined;
  const zone = resolveZone(name);
  if (zone !== null) return zone;
  const span = { start: first.start, end: last.end };
  throw new UsageError(`I don't know the time zone “${name}”.`, { text, span, example });
}

function readHostNames(
  { sentence: { text } }: CommandContext,
  values: readonly Word[],
  known: KnownHosts,
): readonly string[] | undefined {
  const words = values.filter((word) => word.quoted || word.lower !== 'and');
  const [first, ...more] = words;
  if (first === undefined) throw new UsageError('Which hosts?', { text, example: 'settings hosts none' });
  if (!first.quoted && (first.lower === 'none' || first.lower === 'all')) {
    refuseLeftover(text, more);
    return undefined;
  }
  const names = words.map((word) => hostMeant(text, word, known).name);
  const distinct = [...new Set(names)];
  assertFewHosts(distinct);
  return distinct;
}

function show(context: CommandContext, settings: ChannelSettings, title: string): Reply {
  const { deps, question } = context;
  const { zone, hosts, privately } = settings;
  const own = question.userZone === null ? deps.zone : `each person's own (yours is ${question.userZone})`;
  const body: Line[] = [
    [{ bold: 'Zone: ' }, zone ?? own],
    ...projectLine(context, settings),
    [{ bold: 'Hosts: ' }, hosts === undefined ? 'all' : hostsLine(context, settings)],
    [{ bold: 'Answers: ' }, privately ? 'private, only the asker sees them' : 'public, in the channel'],
  ];
  return {
    title,
    headline: [`Times in your questions here are in ${zone ?? question.userZone ?? deps.zone}.`],
    body,
    actions: [{ label: 'Change', sentence: 'settings', effect: 'modal' }],
  };
}

/** Host names are shown only where their project can be used. */
function hostsLine(context: CommandContext, { project, hosts = [] }: ChannelSettings): string {
  const { deps, question } = context;
  const usable = usableProjects(deps, question);
  const isUsable = project === undefined ? usable.length > 0 : usable.some(({ name }) => name === project);
  return isUsable ? hosts.join(', ') : 'those of a project that can’t be used here';
}

/** The channel's project, and the others that can be named. */
function projectLine(context: CommandContext, { project }: ChannelSettings): Line[] {
  const { deps, question } = context;
  if (deps.projects.length === 1) return [];
  const first = ownProject(context)?.name;
  const own = project ?? (first === undefined ? 'none can be used here' : `${first} (the default)`);
  const others = usableProjects(deps, question)
    .map(({ name }) => name)
    .filter((name) => name !== (project ?? first));
  const also = others.length === 0 ? '' : `; ${others.join(', ')} with “in project ${others[0]}”`;
  return [[{ bold: 'Project: ' }, `${own}${also}`]];
}
