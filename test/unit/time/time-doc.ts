/** Renders `docs/time.md` from the grammar's rules and their tested examples. */
import { PARTS_OF_DAY } from '../../../src/time/grammar/clock-time.ts';
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

<!-- Generated from the examples in src/time/grammar/ by \`npm run docs\`. -->

The time ranges you can type, and what they mean. The examples were typed at ${EXAMPLES_READ_AT}. The end isn't part of a
range, and a range that reaches past now is cut there. A phrase that isn't understood to its last word is refused, never guessed.

${RULE_GROUPS.map(renderGroup).join('\n')}
## Fixed readings
- Parts of the day: ${partsOfDay()}.
- Zones: by name (\`Europe/Berlin\`), city (\`in Berlin\`) or offset (\`+05:30\`, \`UTC+2\`), in any case.
- Abbreviations are fixed offsets in every season, except ET, CT, MT, PT and their names, which follow their city: ${abbreviations()}.
- A time that a clock change skipped moves forward by the length of the change. A time that occurs twice means the first.
`;
