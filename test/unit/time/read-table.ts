/** Reads the tables: `@ reference` lines set the moment and zone, the others say what a phrase means there. */
import { calendar } from './tables/calendar.ts';
import { clock } from './tables/clock.ts';
import { clockChanges } from './tables/clock-changes.ts';
import { dates } from './tables/dates.ts';
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
    | { readonly from: Temporal.Instant; readonly to: Temporal.Instant; readonly zone: string }
    | { readonly refused: string };
}

/** By kind, in the order of the documentation. */
export const TABLES: Readonly<Record<string, string>> = {
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
    const [range = '', readIn = zone] = meaning.split(' in ');
    const [from = '', to = ''] = range.split(' .. ');
    rows.push({ ...base, expect: { from: instantOf(from, now, zone), to: instantOf(to, now, zone), zone: readIn } });
  }
  return rows;
}

export const ALL_ROWS: readonly Row[] = Object.values(TABLES).flatMap(readTable);
export const UNDERSTOOD: readonly Row[] = ALL_ROWS.filter(({ expect }) => 'from' in expect);
