/**
 * Reads what is left of a `watch` sentence when hosts and zone are taken out: nothing, `quiet`, `attacks over 500 per
 * 15m`, `sqli over 50 per 10m every 10m`. A word without a meaning here is refused.
 */

import { type Span, UsageError } from '../../errors.ts';
import { blankOut, nearestWord, type TextToken, tokenize, touch } from '../../grammar/tokens.ts';
import { CATEGORIES } from '../../statistics/categories.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { isSensitivity, type WatchSensitivity } from './sensitivity.ts';
import { DEFAULT_EVERY_MS, type WatchRule } from './watch-rule.ts';

interface ParsedWatch {
  readonly rule: WatchRule;
  readonly everyMs: number;
  /** `null` where none is named. */
  readonly sensitivity: WatchSensitivity | null;
}

const EXAMPLE = 'watch attacks over 500 per 15m';
const SHORTEST_MS = MINUTE_MS;
const LONGEST_PER_MS = 24 * 60 * MINUTE_MS;
const LONGEST_EVERY_MS = 60 * MINUTE_MS;

const MINUTES = ['m', 'min', 'mins', 'minute', 'minutes'];
const HOURS = ['h', 'hr', 'hrs', 'hour', 'hours'];
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ...MINUTES.map((word) => [word, MINUTE_MS] as const),
  ...HOURS.map((word) => [word, 60 * MINUTE_MS] as const),
]);
const EVERYTHING: ReadonlySet<string> = new Set(['anything', 'everything', 'all']);
const PER: ReadonlySet<string> = new Set(['per', 'in', 'within', '/']);
const OVER: ReadonlySet<string> = new Set(['over', 'above', 'exceed', 'exceeds']);

/** `text` may be a whole sentence with the other parts blanked out, so that places of faults stay true. */
export function parseWatch(text: string): ParsedWatch {
  const all = tokenize(text);
  const every = findEvery(all);
  const everyMs = every?.ms ?? DEFAULT_EVERY_MS;
  if (every !== null && (everyMs < SHORTEST_MS || everyMs > LONGEST_EVERY_MS)) {
    throw fault(text, 'A watch looks every 1 to 60 minutes.', every, 'watch every 10m');
  }
  const rest = every === null ? text : blankOut(text, [every]);
  const tokens = every === null ? all : all.filter(({ start }) => start < every.start || start >= every.end);
  const { sensitivity, others } = takeSensitivity(tokens);
  const [only, ...more] = others;
  if (only === undefined || (more.length === 0 && EVERYTHING.has(only.lower))) {
    return { rule: { kind: 'verdict' }, everyMs, sensitivity: sensitivity?.name ?? null };
  }
  const threshold = readThreshold(others);
  if (threshold === null) throw fault(text, 'I do not understand what to watch for.', extentOf(others), EXAMPLE);
  if (sensitivity !== null) {
    throw fault(
      text,
      'A watch that counts calls over the number you give; it has no sensitivity.',
      sensitivity,
      EXAMPLE,
    );
  }
  const { subject, count, perMs } = threshold;
  const over = readCount(rest.slice(count.start, count.end));
  if (over === null) {
    throw fault(text, `“${rest.slice(count.start, count.end)}” is not a number of events.`, count, EXAMPLE);
  }
  if (perMs < SHORTEST_MS || perMs > LONGEST_PER_MS) {
    const span = { start: count.end + 1, end: extentOf(others).end };
    throw fault(text, 'Events can be counted over 1 minute up to 24 hours.', span, EXAMPLE);
  }
  return {
    rule: { kind: 'threshold', what: readSubject(text, rest, subject), over, perMs },
    everyMs,
    sensitivity: null,
  };
}

/** `quiet`, `normal` or `sensitive` before or after everything else. */
function takeSensitivity(tokens: readonly TextToken[]) {
  for (const at of [0, tokens.length - 1]) {
    const token = tokens[at];
    const isAlone = !touch(tokens[at - 1], token) && !touch(token, tokens[at + 1]);
    if (token === undefined || !isAlone || !isSensitivity(token.lower)) continue;
    const { start, end, lower: name } = token;
    return { sensitivity: { start, end, name }, others: tokens.toSpliced(at, 1) };
  }
  return { sensitivity: null, others: tokens };
}

/** The first `every 10m`, `every 5 minutes` or `every hour`. */
function findEvery(tokens: readonly TextToken[]): (Span & { readonly ms: number }) | null {
  for (const [at, token] of tokens.entries()) {
    if (token.lower !== 'every' || isWithinWord(tokens, at) || touch(token, tokens[at + 1])) continue;
    const length = readLength(tokens, at + 1);
    if (length !== null && !isWithinWord(tokens, length.next)) {
      return { start: token.start, end: tokens[length.next - 1]?.end ?? token.end, ms: length.ms };
    }
  }
  return null;
}

/** Whether the token at `at` goes on with the letters or digits right before it. */
function isWithinWord(tokens: readonly TextToken[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  return touch(before, token) && before?.kind !== 'mark' && token?.kind !== 'mark';
}

/** `15m`, `2 hours`, `hour` at `at`, and the index of the token after it. */
function readLength(tokens: readonly TextToken[], at: number): { readonly ms: number; readonly next: number } | null {
  const amount = tokens[at]?.kind === 'number' ? tokens[at] : undefined;
  const unitAt = amount === undefined ? at : at + 1;
  const unitMs = UNITS_MS.get(tokens[unitAt]?.lower ?? '');
  return unitMs === undefined ? null : { ms: Number(amount?.text ?? 1) * unitMs, next: unitAt + 1 };
}

interface ThresholdWords {
  readonly subject: Span;
  readonly count: Span;
  readonly perMs: number;
}

/** `<subject> over <count> per <time>`, read from its end: only the subject may be of any length. */
function readThreshold(tokens: readonly TextToken[]): ThresholdWords | null {
  const per = readPer(tokens);
  if (per === null) return null;
  const lastOfCount = tokens[per.at - 1];
  if (lastOfCount === undefined || touch(lastOfCount, tokens[per.at])) return null;
  let countAt = per.at - 1;
  while (touch(tokens[countAt - 1], tokens[countAt])) countAt -= 1;
  for (let at = 1; at < per.at; at++) {
    const after = afterComparison(tokens, at);
    const [first, lastOfSubject, firstOfCount] = [tokens[0], tokens[at - 1], tokens[after ?? per.at]];
    // The number may touch the sign (`attacks>500`), but nothing may stand between the two.
    if (after === null || after < countAt || after >= per.at) continue;
    if (first === undefined || lastOfSubject === undefined || firstOfCount === undefined) continue;
    return {
      subject: { start: first.start, end: lastOfSubject.end },
      count: { start: firstOfCount.start, end: lastOfCount.end },
      perMs: per.ms,
    };
  }
  return null;
}

/** `per 15m`, `within 2 hours`, `/ 10m` at the very end, also written as one word: `perhour`. */
function readPer(tokens: readonly TextToken[]): { readonly at: number; readonly ms: number } | null {
  const last = tokens.length - 1;
  for (const at of [last - 2, last - 1]) {
    const length = PER.has(tokens[at]?.lower ?? '') ? readLength(tokens, at + 1) : null;
    if (length?.next === tokens.length) return { at, ms: length.ms };
  }
  const [, unit = ''] = /^(?:per|in|within)([a-z]+)$/.exec(tokens[last]?.lower ?? '') ?? [];
  const ms = UNITS_MS.get(unit);
  return ms === undefined ? null : { at: last, ms };
}

/** The index after `over`, `is above`, `more than` or `>` at `at`; `null` when none of them stands there. */
function afterComparison(tokens: readonly TextToken[], at: number): number | null {
  if (tokens[at]?.text === '>') return at + 1;
  if (isWithinWord(tokens, at)) return null;
  const isFollowed = (word: string, by: number): boolean =>
    tokens[by - 1]?.lower === word && tokens[by] !== undefined && !touch(tokens[by - 1], tokens[by]);
  const from = isFollowed('is', at + 1) ? at + 1 : at;
  const isMoreThan = isFollowed('more', from + 1) && tokens[from + 1]?.lower === 'than';
  const after = isMoreThan ? from + 2 : OVER.has(tokens[from]?.lower ?? '') ? from + 1 : null;
  return after === null || isWithinWord(tokens, after) ? null : after;
}

function readSubject(text: string, rest: string, span: Span): string {
  const subject = rest.slice(span.start, span.end);
  const word = subject.toLowerCase().replace(/\s+/g, ' ');
  if (/^(?:attacks?|events?)$/.test(word)) return 'attacks';
  if (/^(?:requests?|traffic)$/.test(word)) return 'requests';
  const known = CATEGORIES.flatMap(({ field, name, words }) =>
    [field, name.toLowerCase(), ...words].map((each) => [each, field] as const),
  );
  const field = known.find(([each]) => each === word)?.[1];
  if (field !== undefined) return field;
  const suggestion = nearestWord(
    word,
    known.map(([each]) => each),
    2,
  );
  throw new UsageError(`“${subject}” is nothing that can be counted.`, {
    text,
    span,
    hint: `There are attacks, requests and the categories: ${CATEGORIES.map((category) => category.field).join(', ')}.`,
    example: EXAMPLE,
    suggestion,
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

function extentOf(tokens: readonly TextToken[]): Span {
  return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 1 };
}

function fault(text: string, message: string, { start, end }: Span, example: string): UsageError {
  return new UsageError(message, { text, span: { start, end }, example });
}
