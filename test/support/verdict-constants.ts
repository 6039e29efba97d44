/** The verdict's page with a table of every threshold of the rule: values from the rule itself, meanings from its comments. */
import { readFileSync } from 'node:fs';
import * as rule from '../../src/episodes/verdict/rule.ts';
import { exactDuration } from '../../src/statistics/format.ts';
import { withReport } from '../evaluation/report.ts';

const PAGE = 'docs/verdict-details.md';
const SOURCE = 'src/episodes/verdict/rule.ts';
/** A comment, and the constant or field it stands before. */
const NAMED = /(?:\/\*\*\s((?:(?!\*\/)[\s\S])*?) ?\*\/\n)?^(?:export const ([A-Z_]+)\b[^=]*= (\{\n)?| {2}(\w+): )/gm;

function constantsTable(): string {
  const groups = new Map(Object.entries(rule).filter(([, value]) => typeof value === 'object'));
  const rows: string[][] = [];
  let group = '';
  for (const [, comment = '', constant, opening, field = ''] of readFileSync(SOURCE, 'utf8').matchAll(NAMED)) {
    const meaning = comment.replace(/\s*\n\s*\*/g, '').trim();
    group = constant ?? group;
    const fields: Readonly<Record<string, unknown>> = { ...groups.get(group) };
    if (constant !== undefined) rows.push([`**${group}**`, opening === undefined ? shown('', fields) : '', meaning]);
    else if (field in fields) rows.push([`\`${field}\``, shown(field, fields[field]), meaning]);
  }
  return [['threshold', 'value', 'meaning'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function shown(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => shown(name, each)).join(', ');
  if (typeof value === 'number') return name.endsWith('Ms') ? exactDuration(value) : String(value);
  return Object.entries({ ...(typeof value === 'object' ? value : null) })
    .map(([field, each]) => `${field} ${shown(field, each)}`)
    .join(', ');
}

export const verdictPage = (): string => withReport(readFileSync(PAGE, 'utf8'), 'constants', [constantsTable()]);
