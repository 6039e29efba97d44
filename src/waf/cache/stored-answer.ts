/**
 * Answers as they are stored: when they were asked for, how long they stay good, and their compact text. A store
 * serialises a text much faster than thousands of values. Text that cannot be read counts as absent.
 */

import { type NamedSources, SOURCE_KINDS } from '../../statistics/attack-sources.ts';
import { SETTLE_MS } from '../../statistics/settled.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { Breakdown } from '../dialects/dialect.ts';
import type { PointSeries } from '../wire/series.ts';

/** What the service said about a window, and when it was asked. */
export interface DatedAnswer<T> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
  readonly value: T;
}

/** Whether the numbers were final when they were asked for. */
export function isSettled({ toMs, asOfMs }: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>): boolean {
  return toMs <= asOfMs - SETTLE_MS;
}

/** Whether another question would bring nothing new: final, or asked for within the last minute. */
export function isFresh(answer: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>, nowMs: number): boolean {
  return isSettled(answer) || Math.abs(nowMs - answer.asOfMs) < MINUTE_MS;
}

export interface AnswerCodec<T> {
  write(value: T): string;
  read(text: string): T | undefined;
}

/** `<from> <to> <as of> ` before the value. */
const HEAD = /^(\d+) (\d+) (\d+) /;

export function writeAnswer<T>({ fromMs, toMs, asOfMs, value }: DatedAnswer<T>, codec: AnswerCodec<T>): string {
  return `${fromMs} ${toMs} ${asOfMs} ${codec.write(value)}`;
}

/** An answer that is stored elsewhere. */
export interface KeptAnswer extends Omit<DatedAnswer<never>, 'value'> {
  readonly key: string;
}

export function writeReference({ fromMs, toMs, asOfMs, key }: KeptAnswer): string {
  return `${fromMs} ${toMs} ${asOfMs} ${key}`;
}

export function readReference(stored: unknown): KeptAnswer | undefined {
  const head = readHead(stored);
  return head === undefined ? undefined : { ...head, key: String(stored).replace(HEAD, '') };
}

function readHead(stored: unknown): Omit<DatedAnswer<never>, 'value'> | undefined {
  const match = typeof stored === 'string' ? HEAD.exec(stored) : null;
  if (match === null) return undefined;
  const [, fromMs, toMs, asOfMs] = match;
  return { fromMs: Number(fromMs), toMs: Number(toMs), asOfMs: Number(asOfMs) };
}

export function readAnswer<T>(stored: unknown, codec: AnswerCodec<T>): DatedAnswer<T> | undefined {
  const head = readHead(stored);
  if (head === undefined || typeof stored !== 'string') return undefined;
  const value = codec.read(stored.replace(HEAD, ''));
  return value === undefined ? undefined : { ...head, value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `[interval, ends, requests, attacks, limits]`; of ends without a hole only the first is written, no limits not at all. */
export const seriesCodec: AnswerCodec<PointSeries> = {
  write({ intervalMs, ends, requests, attacks, limits = [] }) {
    const [first = 0] = ends;
    const regular = ends.length > 0 && ends.every((end, i) => end === first + i * intervalMs);
    const columns = [intervalMs, regular ? first : ends, requests, attacks];
    return JSON.stringify(limits.length === 0 ? columns : [...columns, limits]);
  },
  read(text) {
    const value = parse(text);
    if (!Array.isArray(value)) return undefined;
    const [intervalMs, where, requests, attacks, limits] = value as [unknown, unknown, unknown, unknown, unknown];
    if (typeof intervalMs !== 'number' || !Array.isArray(requests) || !Array.isArray(attacks)) return undefined;
    const ends = typeof where === 'number' ? requests.map((_, i) => where + i * intervalMs) : where;
    if (!Array.isArray(ends) || ends.length !== requests.length || ends.length !== attacks.length) return undefined;
    return { intervalMs, ends, requests, attacks, ...(Array.isArray(limits) ? { limits } : {}) };
  },
};

/** A list of counts alone where nothing is missing. */
export const countsCodec: AnswerCodec<Breakdown> = {
  write: ({ counts, limits }) => JSON.stringify(limits.length === 0 ? counts : { counts, limits }),
  read(text) {
    const value = parse(text);
    if (Array.isArray(value)) return { counts: value, limits: [] };
    const { counts, limits } = (value ?? {}) as Record<string, unknown>;
    return Array.isArray(counts) && Array.isArray(limits) ? { counts, limits } : undefined;
  },
};

export const sourcesCodec: AnswerCodec<NamedSources> = {
  write: (sources) => JSON.stringify(SOURCE_KINDS.map((kind) => sources[kind])),
  read(text) {
    const value = parse(text);
    if (!Array.isArray(value) || value.length !== SOURCE_KINDS.length) return undefined;
    const [addresses, paths, hosts, countries] = value;
    return value.every((list) => list === null || Array.isArray(list))
      ? { addresses, paths, hosts, countries }
      : undefined;
  },
};
