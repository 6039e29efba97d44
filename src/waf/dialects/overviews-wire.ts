/** The bodies of the overviews queries: series and totals under upper-case keys, and lists of the largest. */
import { z } from 'zod';
import { badAnswer } from '../client/failure.ts';
import { assertFewNames, itemsSchema, type PointColumn, readAs, readColumn, readCount } from '../wire/exchange.ts';

/** All requests, all attacks, and the four groups of attacks. One offering says TOTAL_ATTACK. */
export interface WindowTotals {
  readonly requests: number | null;
  readonly attacks: number | null;
  readonly groups: Readonly<Record<'WEB_ATTACK' | 'CRAWLER' | 'PRECISE' | 'CC', number | null>>;
}

export interface RawTimeline {
  /** Times as the service labels them; `null` for a missing series. */
  readonly requests: PointColumn | null;
  readonly attacks: PointColumn | null;
}

/** Many more than the six that are known. */
const MAX_KEYS = 100;

function entries(body: unknown, what: string): readonly Record<string, unknown>[] {
  if (!Array.isArray(body) || body.length > MAX_KEYS) throw badAnswer('statistics', `${what}: not a short list`);
  return body.map((entry: unknown) => (typeof entry === 'object' && entry !== null ? { ...entry } : {}));
}

const isNamed =
  (keys: readonly string[]) =>
  ({ key }: Record<string, unknown>): boolean =>
    typeof key === 'string' && keys.includes(key);

export function readOverviewTimeline(body: unknown): RawTimeline {
  const series = entries(body, 'timeline');
  const column = (...keys: readonly string[]): PointColumn | null => {
    const found = series.find(isNamed(keys));
    if (found === undefined || found.timeline === null || found.timeline === undefined) return null;
    if (!Array.isArray(found.timeline)) throw badAnswer('statistics', `timeline: ${keys[0]} is not a list`);
    return readColumn(found.timeline, String(keys[0]), 0);
  };
  const timeline = { requests: column('ACCESS'), attacks: column('ATTACK', 'TOTAL_ATTACK') };
  if (timeline.requests === null && timeline.attacks === null && series.length > 0) {
    throw badAnswer('statistics', 'timeline: neither ACCESS nor ATTACK');
  }
  return timeline;
}

export function readTotals(body: unknown): WindowTotals {
  const totals = entries(body, 'statistics');
  const total = (...keys: readonly string[]): number | null => {
    const given = totals.find(isNamed(keys))?.num;
    if (given === undefined || given === null) return null;
    const num = readCount(given);
    if (num === undefined) throw badAnswer('statistics', `statistics: ${keys[0]} is no number`);
    return num;
  };
  const groups = {
    WEB_ATTACK: total('WEB_ATTACK'),
    CRAWLER: total('CRAWLER'),
    PRECISE: total('PRECISE'),
    CC: total('CC'),
  };
  return { requests: total('ACCESS'), attacks: total('ATTACK', 'TOTAL_ATTACK'), groups };
}

const classificationSchema = z.object({ attack_type: itemsSchema.nullish() });

export function readLargestCategories(body: unknown) {
  const items = readAs(classificationSchema, body, 'classification').attack_type?.items ?? [];
  assertFewNames(items.map(({ key }) => key));
  return items.map(({ key, num }) => ({ category: key, count: num }));
}
