/** `docs/cli.md`: the commands of `wafbot`. */
import { SHELL_COMMANDS } from '../../src/cli.ts';

const escaped = (text: string): string => text.replaceAll('|', '\\|');

export function cliPage(): string {
  const rows = Object.entries(SHELL_COMMANDS).map(([name, { usage, summary }]) => {
    const command = ['wafbot', name, usage ?? ''].join(' ').trim();
    return `| \`${escaped(command)}\` | ${summary} |`;
  });
  return `${[
    '# The command',
    '',
    '<!-- Generated from src/cli.ts by `npm run docs`. -->',
    '',
    '`wafbot --help` lists the commands, `wafbot <command> --help` shows the options of one, and `wafbot --version` the version. Settings come from',
    'the environment or from a file `.env` in the working directory ([configuration.md](configuration.md)). In a checkout, `wafbot` is',
    '`node src/wafbot.js`; in the image, commands follow its name. `migrate`, the former name of `copy-store`, still works.',
    '',
    '| command | |',
    '|---|---|',
    ...rows,
    '',
    'A command that fails says why in one line and exits with 1. `start`, `playground` and `check-config` list every fault of the settings',
    'and exit with 78; [operations.md](operations.md#health-readiness-metrics) has the other exit codes of a bot.',
  ].join('\n')}\n`;
}
