/** The commands as a page, `docs/commands.md`, and as the usage hint of the slash command. */
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import type { CommandDefinition, SubCommand } from '../../src/grammar/command-table.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

/** Who may do what, if not everyone may do everything. */
function permission(subCommands: readonly SubCommand[]): string[] {
  const named = (wanted: SubCommand['effect']) =>
    subCommands.filter(({ effect }) => effect === wanted).map(({ name }) => `\`${name}\``);
  const [changes, responses] = [named('change'), named('respond')];
  if (changes.length === 0) return [];
  const admins = 'If `WAFBOT_ADMINS` is set, only admins may';
  if (responses.length === 0) return ['', `${admins} change anything here.`];
  return [
    '',
    `${admins} ${changes.join(', ')}. ${responses.join(', ')} are responses to an alert, for everyone who may ask in the channel.`,
  ];
}

function chapter({ verb, aliases, summary, usage, examples, subCommands = [], draws }: CommandDefinition): string {
  return [
    `## ${verb}`,
    '',
    [
      `Shows ${cell(summary)}.`,
      ...(draws ? ['Draws a chart.'] : []),
      ...(aliases.length > 0 ? [`Also: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`] : []),
    ].join(' '),
    ...permission(subCommands),
    '',
    '```',
    ...usage.map((line) => `/waf ${line}`),
    '```',
    '',
    'For example:',
    '',
    '```',
    ...examples.map((example) => `/waf ${example}`),
    '```',
  ].join('\n');
}

export function commandsPage(): string {
  return `${[
    '# Commands',
    '',
    '<!-- Generated from src/commands/verbs/ by `npm run docs`. -->',
    '',
    'The same sentences work as `/waf …`, as `@wafbot …` (answered in the thread it was asked in) and in a direct message.',
    '',
    '```',
    '<verb> <range> [on <host>, <host>…] [in <zone>] [vs <range> | vs previous] [privately] [csv] [why]',
    '```',
    '',
    'The parts can come in any order. A sentence that is only partly understood is refused, with a caret under the part',
    'that was not and a button for what you probably meant. The same goes for a part that a command does not take, such',
    'as `doctor csv`. [time.md](time.md) lists the ranges.',
    '',
    "You don't need to know a command. A greeting or a general question (`is everything ok on shop?`, `what happened last",
    'night?`, `status`) gets the check, and an attack category alone (`sqli last 24h`) gets its numbers. Polite words around',
    'a command change nothing.',
    '',
    '| part | meaning |',
    '|---|---|',
    '| `on shop, blog` | only these hosts: names that the service lists (`shop.example.org`, or just `shop` if the prefix is unique), names added with `hosts add` (in quotes if they have spaces), or domain IDs |',
    '| `in Europe/Berlin` | read the range and show times in this zone |',
    "| (no zone) | the channel's setting, else your own time zone in Slack, else `WAFBOT_ZONE` |",
    "| `in project eu`, `on shop@eu` | with [several projects](operations.md#several-projects): this one instead of the channel's |",
    '| `vs project us` | with `compare`: the same window of another project |',
    '| `vs previous`, `vs yesterday` | what to compare with; by default, the same time before |',
    '| `privately` | only you see the answer |',
    '| `csv` | adds the numbers as a file |',
    '| `why` | the numbers and reasons behind the answer |',
    '',
    ...COMMANDS.all.map((command) => `${chapter(command)}\n`),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** One example per verb, which Slack shows while the command is typed. */
export function usageHint(): string {
  return COMMANDS.all.map(({ verb, examples }) => examples[0] ?? verb).join(' | ');
}
