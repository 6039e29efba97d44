/** `help`: what people want to do, each with examples, and the chapters of the command table. */
import { UsageError } from '../../errors.ts';
import { type CommandDefinition, commandFor, nearestCommand, type Verb } from '../../grammar/command-table.ts';
import { isTalk } from '../../grammar/talk.ts';
import { usableProjects } from '../../projects/choose-project.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import type { CommandContext } from '../context.ts';

export async function answerHelp(context: CommandContext): Promise<Reply> {
  const { sentence, deps } = context;
  const { topic, args, text } = sentence;
  if (topic === 'thanks') return welcome();
  const commands = args.map(({ lower }) => commandFor(lower.replace(/^\//, '').replace(/[?!.]+$/, '')));
  const command = commands.find((each) => each !== undefined);
  if (command !== undefined) return describeCommand(command, deps.command);
  const word = topic === null ? args.find((each) => !isTalk(each)) : undefined;
  if (word === undefined) return overview(deps.command, projectNames(context));
  const suggestion = nearestCommand(word.lower);
  throw new UsageError(`There is no command “${word.text}”.`, {
    text,
    span: word,
    ...(suggestion === undefined
      ? { example: 'help' }
      : { suggestion: `help ${suggestion}`, corrected: `help ${suggestion}` }),
  });
}

const ask = (sentence: string): Action => ({ label: sentence, sentence, effect: 'ask' });

function welcome(): Reply {
  return { title: 'You are welcome', actions: [ask('check'), ask('help')], quiet: true };
}

/** What people come for, in the order in which they do. Every command is in one of these lines. */
export const WISHES: readonly {
  readonly wish: string;
  readonly examples: readonly string[];
  readonly verbs: readonly Verb[];
  /** Trying an example would change something. */
  readonly changes?: true;
}[] = [
  { wish: 'Are we under attack?', examples: ['check', 'was everything ok last night?'], verbs: ['check'] },
  {
    wish: 'What happened?',
    examples: ['timeline yesterday 14:00-16:00', 'attacks last 24h', 'sqli this week', 'incident last 3h'],
    verbs: ['timeline', 'attacks', 'incident'],
  },
  { wish: 'How does it compare?', examples: ['compare today vs yesterday'], verbs: ['compare'] },
  {
    wish: 'Tell me when something happens',
    examples: ['watch', 'digest daily at 09:00'],
    verbs: ['watch', 'digest'],
    changes: true,
  },
  {
    wish: 'Set things up',
    examples: ['hosts', 'settings', 'doctor'],
    verbs: ['hosts', 'settings', 'doctor', 'join', 'help'],
  },
];

/** The first things to try; a watch changes something, so it is made in a form. */
const TRY: readonly Action[] = [
  ask('check'),
  ask('timeline last 24h'),
  ask('attacks yesterday'),
  ask('compare today vs yesterday'),
  { label: 'New watch', sentence: 'watch new', effect: 'modal' },
];

/** Where there is a choice. */
const projectNames = ({ deps, question }: CommandContext): string[] =>
  deps.projects.length === 1 ? [] : usableProjects(deps, question).map(({ name }) => name);

function overview(slash: string, projects: readonly string[]): Reply {
  return {
    title: 'What you can ask',
    headline: ['In plain words: what, when, and if you like on which hosts.'],
    body: WISHES.map(({ wish, examples }): Line => [{ bold: wish }, ' ', ...listed(examples)]),
    notes: [
      ['Times: ', ...listed(['last 24h', 'yesterday 14:00-16:00', 'since 9am', 'Jan 3 - Jan 5'])],
      [
        'Add ',
        { code: 'privately' },
        ' for your eyes only, ',
        { code: 'csv' },
        ' for a file, ',
        { code: 'in UTC' },
        ' for a zone.',
      ],
      ...(projects.length < 2
        ? []
        : [[`Projects: ${projects.join(', ')}. Add `, { code: `in project ${projects.at(-1)}` }, ' to name one.']]),
      [
        'All of a command: ',
        { code: `${slash} help timeline` },
        '. A mention of me and a direct message work as well.',
      ],
    ],
    actions: TRY,
    quiet: true,
  };
}

const listed = (examples: readonly string[]): Line =>
  examples.flatMap((example, at): Line => [at === 0 ? '' : ', ', { code: example }]);

function describeCommand(
  { verb, summary, usage, aliases, examples, subCommands }: CommandDefinition,
  slash: string,
): Reply {
  const also: Line[] = aliases.length > 0 ? [[{ bold: 'Also: ' }, aliases.join(', ')]] : [];
  return {
    title: `Help: ${verb}`,
    headline: [`${slash} ${verb} shows ${summary}.`],
    body: [
      ...usage.map((line): Line => [{ code: `${slash} ${line}` }]),
      ...also,
      [{ bold: 'For example: ' }, ...listed(examples)],
    ],
    // Where a command changes something, trying its examples would.
    actions: subCommands === undefined ? examples.slice(0, 4).map(ask) : [ask(verb === 'watch' ? 'watches' : verb)],
    quiet: true,
  };
}
