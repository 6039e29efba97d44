/**
 * Answers that are asked for again: shared while in flight, kept for long once their window is over and settled, kept
 * for the running minute while it is not, and shown with their age when the service is down.
 */
import { createHash } from 'node:crypto';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Text } from './answer-text.ts';
import type { Kept } from './kept.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Window } from './window.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Attacks take two to three minutes to be logged: what ends later than this before an answer may still grow. */
export const SETTLE_MS = 3 * MINUTE_MS;
const SETTLED_KEEP_MS = 7 * 24 * HOUR_MS;
/** How old an answer may be to stand in for one that cannot be had. */
const STALE_KEEP_MS = 6 * HOUR_MS;
/** An answer this young is good enough also when the minute has just turned. */
const FRESH_MS = 15_000;

const DOWN: readonly string[] = ['upstream_timeout', 'upstream_unavailable', 'upstream_rate_limited'];

/** How an entry begins: its window and the instant it was asked for. */
const HEAD = /^(\d+) (\d+) (\d+) /;

interface Entry<T> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
  readonly value: T;
}

export interface Answer<T> extends Entry<T> {
  readonly stale: boolean;
}

export interface AnswersOptions<T> {
  readonly kept: Kept;
  readonly now: () => number;
  readonly log: Logger;
  /** What is asked; part of every key, with the service and the project it was asked of. */
  readonly kind: string;
  readonly scope: string;
  readonly text: Text<T>;
  /** Asks the service. */
  readonly fetch: (window: Window, signal: AbortSignal) => Promise<T>;
}

export function createAnswers<T>({ kept, now, log, kind, scope, text, fetch }: AnswersOptions<T>) {
  const flights = createSingleFlight<Answer<T>>();

  const rest = ({ hosts, offset }: Window) => {
    const names = hosts.length === 0 ? 'all' : createHash('sha256').update(JSON.stringify(hosts)).digest('hex');
    return `${kind}:${scope}:${offset}:${names}`;
  };
  const keyOf = (window: Window) => `answer:${window.fromMs}-${window.toMs}:${rest(window)}`;
  /** Where the last answer of a moving window is found: the last 24 hours by length, today by its start. */
  const trails = (window: Window) => [
    `last:${window.toMs - window.fromMs}:${rest(window)}`,
    `since:${window.fromMs}:${rest(window)}`,
  ];
  const isSettled = (entry: { toMs: number; asOfMs: number }) => entry.toMs <= entry.asOfMs - SETTLE_MS;

  function isFresh(entry: Entry<T>, nowMs: number): boolean {
    if (isSettled(entry)) return true;
    const sameMinute = Math.floor(entry.asOfMs / MINUTE_MS) === Math.floor(nowMs / MINUTE_MS);
    return sameMinute || (nowMs >= entry.asOfMs && nowMs - entry.asOfMs < FRESH_MS);
  }

  async function read(key: string): Promise<Entry<T> | undefined> {
    const stored = await kept.get(key);
    const match = typeof stored === 'string' ? HEAD.exec(stored) : null;
    if (match === null) return undefined;
    const [head, fromMs, toMs, asOfMs] = match;
    const value = text.read(match.input.slice(head.length));
    return value === undefined
      ? undefined
      : { fromMs: Number(fromMs), toMs: Number(toMs), asOfMs: Number(asOfMs), value };
  }

  function keep(key: string, window: Window, entry: Entry<T>): void {
    const settled = isSettled(entry);
    const head = `${entry.fromMs} ${entry.toMs} ${entry.asOfMs} `;
    kept.set(key, `${head}${text.write(entry.value)}`, settled ? SETTLED_KEEP_MS : STALE_KEEP_MS);
    if (!settled) for (const trail of trails(window)) kept.set(trail, key, STALE_KEEP_MS);
  }

  async function standIn(window: Window): Promise<Entry<T> | undefined> {
    const moving = window.toMs > now() - SETTLE_MS;
    for (const trail of moving ? trails(window) : []) {
      const key = await kept.get(trail);
      const entry = typeof key === 'string' ? await read(key) : undefined;
      if (entry !== undefined && now() - entry.asOfMs <= STALE_KEEP_MS) return entry;
    }
    return undefined;
  }

  async function find(window: Window, exactly: boolean, signal: AbortSignal): Promise<Answer<T>> {
    const key = keyOf(window);
    const exact = await read(key);
    const asOfMs = now();
    if (exact !== undefined && isFresh(exact, asOfMs)) return { ...exact, stale: false };
    try {
      const value = await fetch(window, signal);
      const entry = { fromMs: window.fromMs, toMs: window.toMs, asOfMs, value };
      keep(key, window, entry);
      return { ...entry, stale: false };
    } catch (error) {
      if (!(error instanceof BotError && DOWN.includes(error.code)) || signal.aborted) throw error;
      const old = exact ?? (exactly ? undefined : await standIn(window));
      if (old === undefined) throw error;
      log.warn({ ...error.detail, code: error.code, ageMs: now() - old.asOfMs }, 'showing a kept answer');
      return { ...old, stale: true };
    }
  }

  return {
    /** With `exactly`, only this very window will do, never one like it from before. */
    get: (window: Window, exactly: boolean, signal?: AbortSignal): Promise<Answer<T>> =>
      flights.fly(`${keyOf(window)}${exactly ? ' exactly' : ''}`, (abort) => find(window, exactly, abort), signal),
    abortAll: flights.abortAll,
  };
}
