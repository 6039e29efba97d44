/**
 * Reads what is left of a `watch` sentence when hosts and zone are taken out: nothing, `attacks over 500 per 15m`,
 * `sqli over 50 per 10m every 10m`. Every word must have a part to play.
 */
import { closest, distance } from 'fastest-levenshtein';
import { type Span, UsageError } from '../../errors.ts';
import { CATEGORIES } from '../../insight/categories.ts';
import { DEFAULT_EVERY_MS, type WatchRule } from './watch-rule.ts';

export interface WatchWish {
  readonly rule: WatchRule;
  readonly everyMs: number;
}

const EXAMPLE = 'watch attacks over 500 per 15m';
const MINUTE_MS = 60_000;
const SHORTEST_MS = MINUTE_MS;
const LONGEST_PER_MS = 24 * 60 * MINUTE_MS;
const LONGEST_EVERY_MS = 60 * MINUTE_MS;

const LENGTH = String.raw`(\d+)?\s*(m|min|mins|minutes?|h|hrs?|hours?)`;
const EVERY = new RegExp(String.raw`\bevery\s+${LENGTH}\b`, 'i');
const THRESHOLD = new RegExp(
  String.raw`^\s*(.+?)\s*(?:\b(?:is\s+)?(?:over|above|more\s+than|exceeds?)\b|>)\s*(\S+)\s+(?:per|in|within|/)\s*${LENGTH}\s*$`,
  'i',
);

/** `text` may be a whole sentence with the other parts blanked out, so that places of faults stay true. */
export function parseWatch(text: string): WatchWish {
  const every = EVERY.exec(text);
  const everyMs = every === null ? DEFAULT_EVERY_MS : lengthMs(every[1], every[2]);
  if (every !== null && (everyMs < SHORTEST_MS || everyMs > LONGEST_EVERY_MS)) {
    throw fault(text, 'A watch looks every 1 to 60 minutes.', spanOf(every), 'watch every 10m');
  }
  const rest = every === null ? text : blank(text, spanOf(every));
  if (/^\s*(?:normal|anything|everything|all)?\s*$/i.test(rest)) return { rule: { kind: 'verdict' }, everyMs };
  const match = THRESHOLD.exec(rest);
  if (match === null) {
    throw fault(text, 'I do not understand what to watch for.', whole(rest), EXAMPLE);
  }
  const [, subject = '', count = '', amount, unit] = match;
  const over = readCount(count);
  const overAt = rest.indexOf(count, rest.toLowerCase().indexOf(subject.toLowerCase()) + subject.length);
  if (over === null) {
    throw fault(text, `“${count}” is not a number of events.`, { start: overAt, end: overAt + count.length }, EXAMPLE);
  }
  const perMs = lengthMs(amount, unit);
  if (perMs < SHORTEST_MS || perMs > LONGEST_PER_MS) {
    const span = { start: overAt + count.length + 1, end: rest.trimEnd().length };
    throw fault(text, 'Events can be counted over 1 minute up to 24 hours.', span, EXAMPLE);
  }
  return { rule: { kind: 'threshold', what: readSubject(text, rest, subject), over, perMs }, everyMs };
}

function readSubject(text: string, rest: string, subject: string): string {
  const word = subject.toLowerCase().replace(/\s+/g, ' ');
  if (/^(?:attacks?|events?)$/.test(word)) return 'attacks';
  if (/^(?:requests?|traffic)$/.test(word)) return 'requests';
  const known = CATEGORIES.flatMap(({ field, name, words }) =>
    [field, name.toLowerCase(), ...words].map((each) => [each, field] as const),
  );
  const field = known.find(([each]) => each === word)?.[1];
  if (field !== undefined) return field;
  const names = known.map(([each]) => each);
  const nearest = closest(word, names);
  const start = rest.indexOf(subject);
  const near = distance(word, nearest) <= 2 ? { suggestion: nearest } : {};
  throw new UsageError(`“${subject}” is nothing that can be counted.`, {
    text,
    span: { start, end: start + subject.length },
    hint: `There are attacks, requests and the categories: ${CATEGORIES.map((category) => category.field).join(', ')}.`,
    example: EXAMPLE,
    ...near,
  });
}

/** `500`, `1,200`, `2k`, `1.5k`; a threshold of nothing is none. */
function readCount(text: string): number | null {
  const match = /^(\d{1,3}(?:,\d{3})+|\d{1,9}(?:\.\d{1,3})?)([km])?$/i.exec(text);
  if (match === null) return null;
  const scale = { k: 1e3, m: 1e6 }[match[2]?.toLowerCase() ?? ''] ?? 1;
  const count = Number((match[1] ?? '').replaceAll(',', '')) * scale;
  return Number.isInteger(count) && count > 0 ? count : null;
}

function lengthMs(amount: string | undefined, unit = 'm'): number {
  return Number(amount ?? 1) * (unit.toLowerCase().startsWith('h') ? 60 : 1) * MINUTE_MS;
}

const spanOf = (match: RegExpExecArray): Span => ({ start: match.index, end: match.index + match[0].length });

function whole(text: string): Span {
  const start = text.length - text.trimStart().length;
  return { start, end: Math.max(start + 1, text.trimEnd().length) };
}

const blank = (text: string, { start, end }: Span): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

function fault(text: string, message: string, span: Span, example: string): UsageError {
  return new UsageError(message, { text, span, example });
}
