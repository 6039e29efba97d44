/**
 * Reads the tables: `@ reference` lines set the moment and zone, the others say what a phrase means there. The examples of
 * the grammar come first; the tables beside them have what would be too much there.
 */
import { EXAMPLES_READ_AT, RULE_GROUPS } from '../../../src/time/grammar/rule-groups.ts';
import { calendar } from './tables/calendar.ts';
import { clock } from './tables/clock.ts';
import { clockChanges } from './tables/clock-changes.ts';
import { dates } from './tables/dates.ts';
import { german } from './tables/german.ts';
import { iso } from './tables/iso.ts';
import { math } from './tables/math.ts';
import { named } from './tables/named.ts';
import { pairs } from './tables/pairs.ts';
import { refused } from './tables/refused.ts';
import { rolling } from './tables/rolling.ts';
import { since } from './tables/since.ts';
import { spellings } from './tables/spellings.ts';
import { zones } from './tables/zones.ts';

export interface Row {
  readonly phrase: string;
  readonly reference: string;
  readonly now: Temporal.Instant;
  readonly zone: string;
  /** As written in the table. */
  readonly meaning: string;
  readonly expect:
    | {
        readonly from: Temporal.Instant;
        readonly to: Temporal.Instant;
        readonly zone: string;
        readonly readAs: string | undefined;
      }
    | { readonly refused: string };
}

/** By title: every group of rules, then the tables. */
export const TABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(RULE_GROUPS.map(({ title, examples }) => [title, `@ ${EXAMPLES_READ_AT}\n${examples}`])),
  rolling,
  calendar,
  named,
  dates,
  spellings,
  pairs,
  clock,
  since,
  math,
  iso,
  zones,
  clockChanges,
  refused,
  german,
};

const OFFSET = /[+-]\d\d:\d\d$/;

function instantOf(text: string, now: Temporal.Instant, zone: string): Temporal.Instant {
  if (text === 'now') return now;
  const local = text.replace(' ', 'T');
  if (OFFSET.test(local) && local.includes('T')) return Temporal.Instant.from(local);
  return Temporal.PlainDateTime.from(local).toZonedDateTime(zone).toInstant();
}

export function readTable(table: string): Row[] {
  const rows: Row[] = [];
  let reference: Temporal.ZonedDateTime | undefined;
  for (const line of table.split('\n')) {
    if (line.startsWith('@ ')) {
      // Refuses a reference whose offset is not that of its zone.
      if (/^@ \d{4}/.test(line)) reference = Temporal.ZonedDateTime.from(line.slice(2), { offset: 'reject' });
    }
    const [phrase, meaning] = line.split('=>').map((part) => part.trim());
    if (!reference || phrase === undefined || meaning === undefined) continue;
    const [now, zone] = [reference.toInstant(), reference.timeZoneId];
    const base = { phrase, meaning, now, zone, reference: reference.toString() };
    if (meaning.startsWith('refused: ')) {
      rows.push({ ...base, expect: { refused: meaning.slice('refused: '.length) } });
      continue;
    }
    const [said = '', readAs] = meaning.split(' as ');
    const [range = '', readIn = zone] = said.split(' in ');
    const [from, to] = range.split(' .. ').map((end) => instantOf(end, now, zone));
    if (from && to) rows.push({ ...base, expect: { from, to, zone: readIn, readAs } });
  }
  return rows;
}

export const ALL_ROWS: readonly Row[] = Object.values(TABLES).flatMap(readTable);
export const UNDERSTOOD: readonly Row[] = ALL_ROWS.filter(({ expect }) => 'from' in expect);
