/** `help`: what can be asked, with examples, and the usage of each command. */
import { UsageError } from '../../errors.ts';
import type { CommandDefinition } from '../../grammar/command-table.ts';
import { isTalk } from '../../grammar/talk.ts';
import { usableProjects } from '../../projects/choose-project.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import type { CommandContext } from '../context.ts';
import { thingsToAsk } from '../things-to-ask.ts';
import type { Verb } from '../verb.ts';

export const help: Verb = {
  verb: 'help',
  aliases: ['?', 'usage'],
  summary: 'what can be asked, with examples that work when copied',
  help: { group: 'Set things up', examples: ['help'] },
  usage: ['help [command]'],
  examples: ['help', 'help timeline'],
  parts: [],
  takesWords: true,
  impliedBy: 'help',
  answer: answerHelp,
};

async function answerHelp(context: CommandContext): Promise<Reply> {
  const { sentence, deps, commands } = context;
  const { topic, args, text } = sentence;
  if (topic === 'thanks') return welcome();
  const named = args.map(({ lower }) => commands.find(lower.replace(/^\//, '').replace(/[?!.]+$/, '')));
  const command = named.find((each) => each !== undefined);
  if (command !== undefined) return describeCommand(command, deps.command);
  const word = topic === null ? args.find((each) => !isTalk(each)) : undefined;
  if (word === undefined) return overview(context);
  const suggestion = commands.nearest(word.lower);
  const corrected = suggestion === undefined ? undefined : `help ${suggestion}`;
  throw new UsageError(`There's no command “${word.text}”.`, {
    text,
    span: word,
    suggestion: corrected,
    corrected,
    example: corrected === undefined ? 'help' : undefined,
  });
}

const ask = (sentence: string): Action => ({ label: sentence, sentence, effect: 'ask' });

function welcome(): Reply {
  return { title: "You're welcome", actions: [ask('check'), ask('help')], quiet: true };
}

/** The first things to try. A watch changes something, so it opens a form. */
const TRY: readonly Action[] = [
  ask('check'),
  ask('timeline last 24h'),
  ask('attacks yesterday'),
  ask('compare today vs yesterday'),
  { label: 'New watch', sentence: 'watch new', effect: 'modal' },
];

/** None if there is only one. */
const projectNames = ({ deps, question }: CommandContext): string[] =>
  deps.projects.length === 1 ? [] : usableProjects(deps, question).map(({ name }) => name);

function overview(context: CommandContext): Reply {
  const projects = projectNames(context);
  return {
    title: 'What you can ask',
    headline: ['In plain words: what, when, and if you like, on which hosts.'],
    body: thingsToAsk(context.commands).map(
      ({ group, questions, changes }): Line => [{ bold: group }, ' ', ...listed([...questions, ...changes])],
    ),
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
        'More about a command: ',
        { code: `${context.deps.command} help timeline` },
        '. You can also mention me or send me a direct message.',
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
    // The examples of a command with sub-commands would change something.
    actions: subCommands === undefined ? examples.slice(0, 4).map(ask) : [ask(listWord(subCommands) ?? verb)],
    quiet: true,
  };
}

/** The command that lists what the sub-commands change. */
const listWord = (subCommands: NonNullable<CommandDefinition['subCommands']>): string | undefined =>
  subCommands.find(({ name }) => name === 'list')?.bareAfter?.[0];
