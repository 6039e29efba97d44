/** A site's numbers by the minute, known exactly, with whatever happens on it, and its episode log at any instant. */
import { createEpisodeLog, type EpisodeList, type StoredBlocks } from '../../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import type { Statistics } from '../../../src/statistics/statistics.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const DAYS = 35;
/** A Wednesday. The numbers go on for two days after it. */
export const MIDNIGHT_MS = Date.UTC(2026, 2, 4);
const START_MS = MIDNIGHT_MS - DAYS * DAY_MS;

/** A time of the day of `MIDNIGHT_MS`, in minutes of UTC: `at('14:57')`. */
export function at(clock: string, days = 0): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return MIDNIGHT_MS + days * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS;
}

/** Categories of the usual attacks, which add up to all of them. */
const SHARES = { cc: 0.6, sqli: 0.25, xss: 0.15 };

/** A fixed unevenness around a level, the same every time, so that there is some spread to measure. */
function uneven(level: number, minute: number): number {
  return Math.max(0, Math.round(level * (1 + 0.3 * Math.sin(minute * 2.4) + 0.15 * Math.sin(minute * 0.77))));
}

const LENGTH = ((DAYS + 2) * DAY_MS) / MINUTE_MS;
const minuteAt = (ms: number): number => Math.min(LENGTH, Math.max(0, Math.ceil((ms - START_MS) / MINUTE_MS)));

/** By level and first minute, as nearly all tests have the same: what comes by the minute if nothing happens. */
const usualMinutes = new Map<string, ReturnType<typeof readUsual>>();

function readUsual(level: number, bornMs: number) {
  const zeros = (): number[] => new Array<number>(LENGTH).fill(0);
  const usual = { requests: zeros(), cc: zeros(), sqli: zeros(), xss: zeros() };
  for (let minute = minuteAt(bornMs); minute < LENGTH; minute++) {
    const all = uneven(level, minute);
    const [sqli, xss] = [Math.round(SHARES.sqli * all), Math.round(SHARES.xss * all)];
    usual.requests[minute] = 1_000;
    usual.cc[minute] = all - sqli - xss;
    usual.sqli[minute] = sqli;
    usual.xss[minute] = xss;
  }
  return usual;
}

/** What is added to a minute of the site, or what replaces it. */
export interface Happening {
  readonly fromMs: number;
  readonly toMs: number;
  /** Attacks more in a minute, by category. */
  readonly more?: Readonly<Record<string, number>>;
  /** All numbers of the minute: `null` is unknown. */
  readonly instead?: { readonly requests: number | null; readonly attacks: number | null };
  /** How many times as many requests. */
  readonly visitors?: number;
  /** How many times as many attacks of each category. */
  readonly attacks?: number;
  /** Moves attacks to another category without changing their number. */
  readonly turnsInto?: string;
}

export interface SiteOptions {
  readonly level?: number;
  readonly intervalMs?: number;
  /** The site's first minute. */
  readonly bornMs?: number;
}

/** The usual minutes with what happens in them. */
function minutesOf(
  happenings: readonly Happening[],
  { requests: usualRequests, ...usual }: ReturnType<typeof readUsual>,
) {
  const requests: (number | null)[] = [...usualRequests];
  const counts = new Map<string, number[]>(Object.entries(usual).map(([name, column]) => [name, [...column]]));
  const columnOf = (name: string): number[] =>
    counts.getOrInsertComputed(name, () => new Array<number>(LENGTH).fill(0));
  const totalIn = (minute: number): number => counts.values().reduce((sum, column) => sum + (column[minute] ?? 0), 0);
  const unknown = new Set<number>();
  for (const { fromMs, toMs, more = {}, instead, visitors, attacks = 1, turnsInto } of happenings) {
    const added = Object.entries(more).map(([name, count]) => [columnOf(name), count] as const);
    const all = turnsInto === undefined ? null : columnOf(turnsInto);
    for (let minute = minuteAt(fromMs); minute < minuteAt(toMs); minute++) {
      const put = (column: number[], count: number): void => {
        for (const each of counts.values()) each[minute] = 0;
        column[minute] = count;
      };
      for (const column of counts.values()) column[minute] = Math.round((column[minute] ?? 0) * attacks);
      for (const [column, count] of added) column[minute] = (column[minute] ?? 0) + count;
      if (visitors !== undefined) requests[minute] = (requests[minute] ?? 0) * visitors;
      if (all !== null) put(all, totalIn(minute));
      if (instead !== undefined) {
        if (instead.attacks === null) unknown.add(minute);
        else unknown.delete(minute);
        requests[minute] = instead.requests;
        put(columnOf('cc'), instead.attacks ?? 0);
      }
    }
  }
  const known = (column: readonly number[]): (number | null)[] =>
    unknown.size === 0 ? [...column] : column.map((count, minute) => (unknown.has(minute) ? null : count));
  const columns = [...counts].map(([name, column]) => [name, known(column)] as const);
  const totals = Array.from({ length: LENGTH }, (_, minute) => totalIn(minute));
  return { requests, attacks: known(totals), categories: new Map(columns) };
}

export function recordedSite(
  happenings: readonly Happening[] = [],
  { level = 10, intervalMs = MINUTE_MS, bornMs = START_MS }: SiteOptions = {},
) {
  const usual = usualMinutes.getOrInsertComputed(`${level} ${bornMs}`, () => readUsual(level, bornMs));
  const columns = minutesOf(happenings, usual);
  const per = intervalMs / MINUTE_MS;
  const inIntervals = (column: readonly (number | null)[]): readonly (number | null)[] => {
    if (per === 1) return column;
    return Array.from({ length: Math.floor(LENGTH / per) }, (_, index) => {
      const part = column.slice(index * per, (index + 1) * per);
      return part.includes(null) ? null : part.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    });
  };
  const numbers = {
    startMs: START_MS,
    intervalMs,
    requests: inIntervals(columns.requests),
    attacks: inIntervals(columns.attacks),
    categories: Object.fromEntries([...columns.categories].map(([name, column]) => [name, inIntervals(column)])),
  };
  const statisticsAt = recordedStatistics(numbers);
  return {
    numbers,
    statisticsAt,
    /** Attacks between two instants, all or of one category. */
    count(fromMs: number, toMs: number, category?: string): number {
      const column = category === undefined ? columns.attacks : (columns.categories.get(category) ?? []);
      const part = column.slice((fromMs - START_MS) / MINUTE_MS, (toMs - START_MS) / MINUTE_MS);
      return part.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    },
    /** The episodes of a window as they are known at an instant. */
    async within(
      fromMs: number,
      toMs: number,
      nowMs = toMs,
      statistics: Statistics = statisticsAt(nowMs),
    ): Promise<EpisodeList> {
      const list = await logOn(statistics, nowMs).within({ fromMs, toMs, hosts: [] });
      if (list === null) throw new Error('the window is too long');
      return list;
    },
  };
}

export const logOn = (statistics: Statistics, nowMs: number, blocks: StoredBlocks | null = null, zone = 'UTC') =>
  createEpisodeLog({ statistics, blocks, nowMs: () => nowMs, zone });
