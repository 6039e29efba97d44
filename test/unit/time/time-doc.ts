/** Renders docs/time.md from the groups of rules and their examples, so that the page can neither promise nor forget anything. */
import { PARTS_OF_DAY } from '../../../src/time/grammar/part-of-day.ts';
import { EXAMPLES_READ_AT, RULE_GROUPS } from '../../../src/time/grammar/rule-groups.ts';
import type { RuleGroup } from '../../../src/time/model.ts';
import { ZONE_ABBREVIATIONS } from '../../../src/time/zones/zones.ts';
import { type Row, readTable } from './read-table.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text.includes('`') ? `\`\` ${cell(text)} \`\`` : `\`${cell(text)}\``);

function meaningOf({ meaning }: Row): string {
  const [range = '', readAs] = meaning.split(' as ');
  const said = cell(range.replace(' .. ', ' – '));
  return readAs === undefined ? said : `${said}, read as ${code(readAs)}`;
}

function renderGroup({ title, about, examples }: RuleGroup): string {
  const rows = readTable(`@ ${EXAMPLES_READ_AT}\n${examples}`);
  const lines = rows.map((row) => `| ${code(row.phrase)} | ${meaningOf(row)} |`);
  const table = ['| phrase | meaning |', '|---|---|', ...lines].join('\n');
  return `## ${title}\n${about.replace(/\s*\n\s*/g, ' ')}\n\n${table}\n`;
}

const partsOfDay = (): string => [...PARTS_OF_DAY].map(([name, { from, to }]) => `${name} ${from}–${to}`).join(', ');

function abbreviations(): string {
  const byZone = Map.groupBy([...ZONE_ABBREVIATIONS], ([, zone]) => zone);
  return [...byZone]
    .map(([zone, names]) => `${names.map(([name]) => name.toUpperCase()).join(', ')} = ${zone}`)
    .join('; ');
}

export const renderTimeDoc = (): string => `# Time ranges

What can be typed where a range is asked for, and what it means. The examples are read at
${EXAMPLES_READ_AT}; an end is not part of the range. A range that reaches past now is cut there. Where a
phrase cannot be read to its last word, it is refused, never guessed.

This page is made from the examples that stand beside the rules of the grammar: \`npm run docs\`.

${RULE_GROUPS.map(renderGroup).join('\n')}
## Fixed readings
- Parts of the day, in hours: ${partsOfDay()}.
- Abbreviations are fixed offsets, whatever the season; ET, CT, MT, PT and their names follow their city: ${abbreviations()}.
- Zones may be named in full (\`Europe/Berlin\`), by city (\`in Berlin\`), or as offset (\`+05:30\`, \`UTC+2\`), in any case.
- A time that a clock change skipped is as much later as the change; one that happened twice is the first.
`;
