/** The verdict's page with a table of every constant of the rule, read from the sources with their comments. */
import { globSync, readFileSync } from 'node:fs';
import { withReport } from '../evaluation/report.ts';

const PAGE = 'docs/verdict-details.md';
const CONSTANT = /(?:\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\n)?(?:export )?const ([A-Z][A-Z_]+)\b[^=]*= ([\s\S]*?);\n/g;

function constantsTable(): string {
  const rows = globSync('src/episodes/verdict/*.ts')
    .sort()
    .filter((file) => !file.endsWith('calibration.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(CONSTANT)]
        .filter(([, , , value = '']) => /^[[{\d]/.test(value) && !value.includes("'"))
        .map(([, comment = '', name = '', value = '']) => [
          `\`${name}\``,
          `\`${value
            .replace(/\/\*\*[\s\S]*?\*\//g, '')
            .replace(/\s+/g, ' ')
            .replace(/,? ([}\]])/g, ' $1')}\``,
          comment
            .replace(/\s*\n \*/g, ' ')
            .replace(/\s+/g, ' ')
            .trim()
            .replaceAll('|', '\\|'),
        ]),
    );
  return [['constant', 'value', 'meaning'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

export const verdictPage = (): string => withReport(readFileSync(PAGE, 'utf8'), 'constants', [constantsTable()]);
