/** `help`: generated from the command table, so it is always complete. */
import { UsageError } from '../../errors.ts';
import type { CommandContext } from '../context.ts';
import { COMMANDS, type CommandDefinition, commandFor } from '../grammar/command-table.ts';
import { nearestCommand } from '../grammar/sentence.ts';
import type { Line, Reply } from '../replies/reply.ts';

export async function answerHelp({ sentence, deps }: CommandContext): Promise<Reply> {
  const [word] = sentence.args;
  if (word === undefined) return overview(deps.command);
  const command = commandFor(word.lower.replace(/^\//, ''));
  if (command !== undefined) return describeCommand(command, deps.command);
  const suggestion = nearestCommand(word.lower);
  throw new UsageError(`There is no command “${word.text}”.`, {
    text: sentence.text,
    span: word,
    example: 'help timeline',
    ...(suggestion === undefined ? {} : { suggestion: `help ${suggestion}` }),
  });
}

function overview(slash: string): Reply {
  const line = ({ verb, summary, examples }: CommandDefinition): Line => [
    { bold: verb },
    `: ${summary}. `,
    { code: `${slash} ${examples[0] ?? verb}` },
  ];
  return {
    title: 'What you can ask',
    headline: ['Ask in plain words: what, when, and if you like on which hosts and in which zone.'],
    body: COMMANDS.map(line),
    notes: [
      [
        'Times: ',
        ...['last 24h', 'yesterday 14:00-16:00', 'this week', 'since 9am', 'Jan 3 - Jan 5'].flatMap(
          (example, index): Line => [index === 0 ? '' : ', ', { code: example }],
        ),
      ],
      ['The same sentences work after a mention of me, in threads too, and in a direct message.'],
      ['Add ', { code: 'privately' }, ' for your eyes only, ', { code: 'csv' }, ' for the numbers as a file.'],
    ],
    quiet: true,
  };
}

function describeCommand(command: CommandDefinition, slash: string): Reply {
  const also: Line[] = command.aliases.length > 0 ? [[{ bold: 'Also: ' }, command.aliases.join(', ')]] : [];
  return {
    title: `Help: ${command.verb}`,
    headline: [`${slash} ${command.verb} shows ${command.summary}.`],
    body: [
      ...command.usage.map((usage): Line => [{ code: `${slash} ${usage}` }]),
      ...also,
      [{ bold: 'Try:' }],
      ...command.examples.map((example): Line => [{ code: `${slash} ${example}` }]),
    ],
    quiet: true,
  };
}
