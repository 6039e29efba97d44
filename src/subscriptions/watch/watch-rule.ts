/**
 * What a watch watches for: its stored form, its wording, and what people type for it. That is what's left of a `watch` sentence
 * without hosts and zone: nothing, `quiet`, `attacks over 500 per 15m`, `sqli over 50 per 10m every 10m`. Unknown words are
 * refused.
 */
import { BotError, type Span, UsageError } from '../../errors.ts';
import { blankOut, nearestWord, type TextToken, tokenize, touch } from '../../grammar/tokens.ts';
import { CATEGORIES, CATEGORY_WORDS, categoryFor, categoryName } from '../../statistics/categories.ts';
import { duration, formatCount } from '../../statistics/format.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { HoldReason } from '../recurrence/time-window.ts';
import type { Subscription } from '../subscription.ts';
import { isSensitivity, type WatchSensitivity } from './sensitivity.ts';

export type WatchRule =
  /** Anything that a check wouldn't call calm. */
  | { readonly kind: 'verdict' }
  | {
      readonly kind: 'threshold';
      /** `attacks`, `requests`, or the field of a category. */
      readonly what: string;
      readonly over: number;
      readonly perMs: number;
    };

export const DEFAULT_EVERY_MS = 5 * 60_000;

/** How often a watch runs. */
export const everyMsOf = ({ timing }: Pick<Subscription, 'timing'>): number =>
  'everyMs' in timing ? timing.everyMs : DEFAULT_EVERY_MS;

/** `attacks over 500 per 15 minutes` */
export function describeRule(rule: WatchRule): string {
  if (rule.kind === 'verdict') return 'anything unusual';
  return `${nameOf(rule.what)} over ${formatCount(rule.over)} per ${describeLength(rule.perMs)}`;
}

function nameOf(what: string): string {
  return what === 'attacks' || what === 'requests' ? what : categoryName(what);
}

/** After "per" or "every": `minute`, `15 minutes`, `2 hours`. */
export const describeLength = (ms: number): string => duration(ms, { units: ['hour', 'minute'], bareOne: true });

const MAX_PER_MINUTE = 5;

/** Every evaluation queries the service, so a channel's watches share a limit: five every minute, or twenty every five. */
export function assertFewEvaluations(watches: readonly Pick<Subscription, 'timing'>[]): void {
  const perMinute = watches.reduce((sum, { timing }) => sum + ('everyMs' in timing ? 60_000 / timing.everyMs : 0), 0);
  if (perMinute <= MAX_PER_MINUTE) return;
  const message = `Together, this channel’s watches would check more than ${MAX_PER_MINUTE} times a minute, the maximum.`;
  throw new BotError('limit', message, {
    hint: 'Check less often, for example `watch every 5m`, or remove another watch first: `watches` lists them.',
  });
}

export type TypedHolds = Readonly<Partial<Record<HoldReason, string>>>;

interface ParsedWatch {
  readonly rule: WatchRule;
  /** `false`: it's the default. */
  readonly isRuleNamed: boolean;
  readonly everyMs: number;
  readonly isEveryNamed: boolean;
  /** `null` if none is given. */
  readonly sensitivity: WatchSensitivity | null;
  /** Quiet hours and maintenance as typed, at their positions; only those that were given. */
  readonly holds: TypedHolds;
}

const EXAMPLE = 'watch attacks over 500 per 15m';
const MIN_MS = MINUTE_MS;
const MAX_PER_MS = DAY_MS;
const MAX_EVERY_MS = HOUR_MS;

const MINUTES = ['m', 'min', 'mins', 'minute', 'minutes'];
const HOURS = ['h', 'hr', 'hrs', 'hour', 'hours'];
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ...MINUTES.map((word) => [word, MINUTE_MS] as const),
  ...HOURS.map((word) => [word, HOUR_MS] as const),
]);
const EVERYTHING: ReadonlySet<string> = new Set(['anything', 'everything', 'all']);
const PER: ReadonlySet<string> = new Set(['per', 'in', 'within', '/']);
const OVER: ReadonlySet<string> = new Set(['over', 'above', 'exceed', 'exceeds']);

/** `text` may be a whole sentence with the other parts blanked out, so that error spans stay valid. */
export function parseWatch(text: string): ParsedWatch {
  const holds = [...text.matchAll(HOLDS)].map((match, at, all): [HoldReason, string] => {
    const end = all[at + 1]?.index ?? text.length;
    const typed = text.slice(match.index + match[0].length, end);
    return [/^q/i.test(match[0]) ? 'quiet' : 'maintenance', typed.padStart(end).padEnd(text.length)];
  });
  const first = text.search(HOLDS);
  const parsed = parseRule(first < 0 ? text : text.slice(0, first).padEnd(text.length));
  return { ...parsed, holds: Object.fromEntries(holds) };
}

/** `quiet hours weekdays 22:00-06:00 maintenance saturday 02:00-04:00`, after everything else. */
const HOLDS = /\bquiet\s+hours\b|\bmaintenance\b/gi;

function parseRule(text: string): Omit<ParsedWatch, 'holds'> {
  const all = tokenize(text);
  const every = findEvery(all);
  const everyMs = every?.ms ?? DEFAULT_EVERY_MS;
  if (every !== null && (everyMs < MIN_MS || everyMs > MAX_EVERY_MS)) {
    throw fault(text, 'A watch checks every 1 to 60 minutes.', every, 'watch every 10m');
  }
  const rest = every === null ? text : blankOut(text, [every]);
  const tokens = every === null ? all : all.filter(({ start }) => start < every.start || start >= every.end);
  const { sensitivity, others } = takeSensitivity(tokens);
  const named = { isRuleNamed: others.length > 0, isEveryNamed: every !== null };
  const [only, ...more] = others;
  if (only === undefined || (more.length === 0 && EVERYTHING.has(only.lower))) {
    return { rule: { kind: 'verdict' }, everyMs, sensitivity: sensitivity?.name ?? null, ...named };
  }
  const threshold = readThreshold(others);
  if (threshold === null) throw fault(text, 'I don’t understand what to watch for.', extentOf(others), EXAMPLE);
  if (sensitivity !== null) {
    throw fault(text, 'A watch with a number has no sensitivity.', sensitivity, EXAMPLE);
  }
  const { subject, count, perMs } = threshold;
  const over = readCount(rest.slice(count.start, count.end));
  if (over === null) {
    throw fault(text, `“${rest.slice(count.start, count.end)}” isn’t a whole number above zero.`, count, EXAMPLE);
  }
  if (perMs < MIN_MS || perMs > MAX_PER_MS) {
    const span = { start: count.end + 1, end: extentOf(others).end };
    throw fault(text, 'The period must be between 1 minute and 24 hours.', span, EXAMPLE);
  }
  return {
    rule: { kind: 'threshold', what: readSubject(text, rest, subject), over, perMs },
    everyMs,
    sensitivity: null,
    ...named,
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

/** Whether the token at `at` continues the letters or digits right before it. */
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

/** `<subject> over <count> per <time>`, read from its end, because only the subject can have any length. */
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
    // The number may touch the sign (`attacks>500`), but nothing may come between them.
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

/** The index after `over`, `is above`, `more than` or `>` at `at`; `null` if there's none. */
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
  const field = categoryFor(word);
  if (field !== undefined) return field;
  const suggestion = nearestWord(word, CATEGORY_WORDS, 2);
  throw new UsageError(`I can’t count “${subject}”.`, {
    text,
    span,
    hint: `You can count attacks, requests and these categories: ${CATEGORIES.map((category) => category.field).join(', ')}, and newer ones such as iprank.`,
    example: EXAMPLE,
    suggestion,
  });
}

/** `500`, `1,200`, `2k`, `1.5k`; zero is refused. */
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
