/** Validates one input line of `judge`. */

import type { RecordedNumbers } from '../episodes/recorded-statistics.ts';
import { UsageError } from '../errors.ts';
import { resolveZone } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { isRecord } from '../untrusted-input.ts';

export interface NumbersLine {
  readonly id: unknown;
  readonly zone: string;
  readonly nowMs: number;
  readonly numbers: RecordedNumbers;
  /** The window to judge, half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly watchFromMs: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const MIN_INTERVAL_MS = 1_000;
/** The year 10000. */
const MAX_MS = 253_402_300_800_000;
/** A watch evaluates every five minutes, so a longer time would take minutes. */
const MAX_SPAN_DAYS = 1_100;
const MAX_CATEGORIES = 200;

export function readNumbersLine(value: unknown): NumbersLine {
  if (!isRecord(value)) throw new UsageError('The line is not a JSON object.');
  const zone = typeof value.zone === 'string' ? resolveZone(value.zone) : null;
  if (zone === null) throw new UsageError('zone must be a time zone such as Europe/Berlin.');
  const nowMs = instant(value, 'nowMs');
  const startMs = instant(value, 'startMs');
  const { intervalMs } = value;
  if (typeof intervalMs !== 'number' || !Number.isSafeInteger(intervalMs) || intervalMs < MIN_INTERVAL_MS) {
    throw new UsageError(`intervalMs must be a whole number of milliseconds, at least ${MIN_INTERVAL_MS}.`);
  }
  const requests = column(value.requests, 'requests');
  const attacks = column(value.attacks, 'attacks', requests.length);
  const toMs = value.toMs === undefined ? nowMs : instant(value, 'toMs');
  const fromMs = value.fromMs === undefined ? toMs - HOUR_MS : instant(value, 'fromMs');
  if (fromMs >= toMs) throw new UsageError('The window ends before it starts: fromMs must be before toMs.');
  if (toMs > nowMs) throw new UsageError('The window is in the future: toMs must not be after nowMs.');
  const watchFromMs = value.watchFromMs === undefined ? undefined : instant(value, 'watchFromMs');
  if (watchFromMs !== undefined && watchFromMs > nowMs) throw new UsageError('watchFromMs must not be after nowMs.');
  assertShort(fromMs, toMs, 'The window');
  assertShort(watchFromMs ?? nowMs, nowMs, 'The time from watchFromMs to nowMs');
  const numbers = { startMs, intervalMs, requests, attacks, categories: categories(value.categories, requests.length) };
  return { id: value.id ?? null, zone, nowMs, numbers, fromMs, toMs, watchFromMs };
}

function assertShort(fromMs: number, toMs: number, what: string): void {
  if (toMs - fromMs > MAX_SPAN_DAYS * DAY_MS) throw new UsageError(`${what} is longer than ${MAX_SPAN_DAYS} days.`);
}

function instant(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || Math.abs(value) > MAX_MS) {
    throw new UsageError(`${name} must be a whole number of milliseconds since 1970, before the year 10000.`);
  }
  return value;
}

const isCount = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0);

function column(value: unknown, name: string, length?: number): readonly (number | null)[] {
  if (!Array.isArray(value) || value.length === 0) throw new UsageError(`${name} must be a list of numbers.`);
  const wrong = value.findIndex((each) => !isCount(each));
  if (wrong >= 0) throw new UsageError(`${name}[${wrong}] must be a non-negative number or null.`);
  if (length !== undefined && value.length !== length) {
    throw new UsageError(`${name} has ${value.length} numbers, but requests has ${length}.`);
  }
  return value;
}

function categories(value: unknown, length: number): RecordedNumbers['categories'] {
  if (value === undefined) return null;
  if (!isRecord(value)) throw new UsageError('categories must be an object with a list of numbers for each category.');
  const entries = Object.entries(value);
  if (entries.length > MAX_CATEGORIES) throw new UsageError(`There are more than ${MAX_CATEGORIES} categories.`);
  return Object.fromEntries(entries.map(([name, counts]) => [name, column(counts, `categories.${name}`, length)]));
}
