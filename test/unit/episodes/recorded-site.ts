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

/** A fixed unevenness around a level, the same every time, so that there is some spread to measure. */
function uneven(level: number, minute: number): number {
  return Math.max(0, Math.round(level * (1 + 0.3 * Math.sin(minute * 2.4) + 0.15 * Math.sin(minute * 0.77))));
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

/** Categories of the usual attacks, which add up to all of them. */
const SHARES = { cc: 0.6, sqli: 0.25, xss: 0.15 };

export function recordedSite(
  happenings: readonly Happening[] = [],
  { level = 10, intervalMs = MINUTE_MS, bornMs = START_MS }: SiteOptions = {},
) {
  const length = ((DAYS + 2) * DAY_MS) / MINUTE_MS;
  const names = [
    ...new Set([
      ...Object.keys(SHARES),
      ...happenings.flatMap(({ more = {}, turnsInto }) => [
        ...Object.keys(more),
        ...(turnsInto === undefined ? [] : [turnsInto]),
      ]),
    ]),
  ];
  const columns = {
    requests: new Array<number | null>(length).fill(0),
    attacks: new Array<number | null>(length).fill(0),
    categories: new Map(names.map((name) => [name, new Array<number | null>(length).fill(0)])),
  };
  for (let minute = 0; minute < length; minute++) {
    const ms = START_MS + minute * MINUTE_MS;
    const counts = new Map(names.map((name) => [name, 0]));
    let requests: number | null = 0;
    if (ms >= bornMs) {
      const usual = uneven(level, minute);
      counts.set('sqli', Math.round(SHARES.sqli * usual)).set('xss', Math.round(SHARES.xss * usual));
      counts.set('cc', usual - (counts.get('sqli') ?? 0) - (counts.get('xss') ?? 0));
      requests = 1_000;
    }
    let known = true;
    for (const { fromMs, toMs, more = {}, instead, visitors, attacks = 1, turnsInto } of happenings) {
      if (ms < fromMs || ms >= toMs) continue;
      for (const [name, count] of counts) counts.set(name, Math.round(count * attacks));
      for (const [name, count] of Object.entries(more)) counts.set(name, (counts.get(name) ?? 0) + count);
      if (visitors !== undefined) requests = (requests ?? 0) * visitors;
      if (turnsInto !== undefined) {
        const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
        for (const name of names) counts.set(name, 0);
        counts.set(turnsInto, all);
      }
      if (instead !== undefined) {
        known = instead.attacks !== null;
        requests = instead.requests;
        for (const name of names) counts.set(name, 0);
        counts.set('cc', instead.attacks ?? 0);
      }
    }
    columns.requests[minute] = requests;
    columns.attacks[minute] = known ? [...counts.values()].reduce((sum, count) => sum + count, 0) : null;
    for (const [name, column] of columns.categories) column[minute] = known ? (counts.get(name) ?? 0) : null;
  }
  const inIntervals = (column: readonly (number | null)[]): (number | null)[] => {
    const per = intervalMs / MINUTE_MS;
    return Array.from({ length: Math.floor(length / per) }, (_, index) => {
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
