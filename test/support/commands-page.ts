/** The command table as a page, `docs/commands.md`, and as the usage hint of the slash command. */
import { COMMANDS, type CommandDefinition, type SubCommand } from '../../src/grammar/command-table.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

/** Who may do what, where not everyone may do everything. */
function permission(subCommands: readonly SubCommand[]): string[] {
  const named = (wanted: SubCommand['effect']) =>
    subCommands.filter(({ effect }) => effect === wanted).map(({ name }) => `\`${name}\``);
  const [changes, responses] = [named('change'), named('respond')];
  if (changes.length === 0) return [];
  const admins = 'Where `WAFBOT_ADMINS` is set, only they may';
  if (responses.length === 0) return ['', `${admins} change anything here.`];
  return [
    '',
    `${admins} ${changes.join(', ')}. ${responses.join(', ')} are answers to an alert, for everyone who may ask in the channel.`,
  ];
}

function chapter({ verb, aliases, summary, usage, examples, subCommands = [] }: CommandDefinition): string {
  return [
    `## ${verb}`,
    '',
    `Shows ${cell(summary)}.${aliases.length > 0 ? ` Also: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.` : ''}`,
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
    '<!-- Made from src/grammar/command-table.ts by `npm run docs`. -->',
    '',
    'The same sentences work as `/waf …`, as `@wafbot …` (answered in the thread it was asked in) and in a direct message.',
    '',
    '```',
    '<verb> <range> [on <host>, <host>…] [in <zone>] [vs <range> | vs previous] [privately] [csv]',
    '```',
    '',
    'The parts may stand in any order that can be understood. What was only partly understood is refused, with a caret',
    'under the part that was not, and a button for the sentence as it was probably meant. Ranges are described in',
    '[time.md](time.md).',
    '',
    'Nobody has to know a command. A greeting or a general question (`is everything ok on shop?`, `what happened last',
    'night?`, `status`) gets the check; an attack category alone (`sqli last 24h`) is asked about by itself; polite words',
    'around a command change nothing.',
    '',
    '| part | meaning |',
    '|---|---|',
    '| `on shop, blog` | only these hosts: host names that the service lists (`shop.example.org`, or `shop` where only one begins so), names added with `hosts add`, in quotes if they have spaces, or domain IDs |',
    '| `in Europe/Berlin` | read the range and show times in this zone |',
    "| (no zone) | the channel's setting if there is one, else the asker's own zone in Slack, else `WAFBOT_ZONE` |",
    '| `in project eu`, `on shop@eu` | where the bot answers for [several projects](operations.md#several-projects): about this one instead of the channel’s |',
    '| `vs project us` | with `compare`: the same window of another project |',
    '| `vs previous`, `vs yesterday` | what to compare with; without it the period of equal length before |',
    '| `privately` | for the asker alone |',
    '| `csv` | the numbers as a file too |',
    '',
    ...COMMANDS.map((command) => `${chapter(command)}\n`),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** One example a verb, as Slack shows it beside the command while it is typed. */
export function usageHint(): string {
  return COMMANDS.map(({ verb, examples }) => examples[0] ?? verb).join(' | ');
}
