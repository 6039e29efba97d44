/**
 * The bodies of the detail queries. Only what may be shown is read: rows of single attacks also hold cookies, bodies and
 * payloads, which are never touched.
 */
import { z } from 'zod';
import type { AttackActions, AttackEvent, AttackEvents, ResponseCode } from '../../statistics/attack-details.ts';
import type { ShowAddresses } from '../../statistics/attack-sources.ts';
import { canonicalCategory } from '../../statistics/categories.ts';
import { badAnswer } from '../client/failure.ts';
import { countSchema, readColumn } from '../wire/exchange.ts';
import { plainPath, plainText, shownAddress } from '../wire/source-items.ts';

const MAX_ITEMS = 1_000;

const itemsSchema = z.object({
  items: z
    .array(z.object({ key: z.string(), num: countSchema }))
    .max(MAX_ITEMS)
    .nullish(),
});

function itemsOf(body: unknown, what: string): readonly { readonly key: string; readonly num: number }[] {
  const parsed = itemsSchema.safeParse(body);
  if (!parsed.success) throw badAnswer('statistics', `${what}: not a list of counts`);
  return parsed.data.items ?? [];
}

export function readActions(body: unknown): AttackActions {
  const counts = { blocked: 0, logged: 0, other: 0 };
  for (const { key, num } of itemsOf(body, 'action types')) counts[actionOf(key)] += num;
  return counts;
}

const actionOf = (key: string): NonNullable<AttackEvent['action']> =>
  key.toLowerCase() === 'block' ? 'blocked' : key.toLowerCase() === 'log' ? 'logged' : 'other';

/** Without its query. */
export function readLargestPath(body: unknown): string | null {
  const [first] = itemsOf(body, 'abnormal').toSorted((a, b) => b.num - a.num);
  return first === undefined || first.num === 0 ? null : plainPath(first.key);
}

const seriesSchema = z.array(z.object({ key: z.string(), timeline: z.array(z.unknown()).nullish() })).max(MAX_ITEMS);
const CODE = /^[1-5]\d\d$/;

/** The sum of each code's points, the largest first. */
export function readResponseCodes(body: unknown): readonly Omit<ResponseCode, 'path'>[] {
  const parsed = seriesSchema.safeParse(body);
  if (!parsed.success) throw badAnswer('statistics', 'response codes: not a list of series');
  const series = parsed.data.filter(({ key }) => CODE.test(key));
  if (series.length === 0 && parsed.data.length > 0) throw badAnswer('statistics', 'response codes: no known code');
  return series
    .map(({ key: code, timeline }) => {
      const { numbers } = readColumn(timeline ?? [], code, 0);
      return { code, count: numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0) };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
}

const text = z.string().nullish().catch(null);
const eventsSchema = z.object({
  total: countSchema.nullish(),
  items: z
    .array(z.object({ time: countSchema, sip: text, host: text, url: text, attack: text, rule: text, action: text }))
    .max(MAX_ITEMS)
    .nullish(),
});

export function readEvents(body: unknown, show: ShowAddresses): AttackEvents {
  const parsed = eventsSchema.safeParse(body);
  if (!parsed.success) throw badAnswer('statistics', 'events: not a list of events');
  const items = parsed.data.items ?? [];
  const events = items.map(({ time, sip, host, url, attack, rule, action }): AttackEvent => {
    const category = plainText(attack ?? '');
    return {
      atMs: time,
      host: plainText(host ?? ''),
      path: plainPath(url ?? ''),
      category: category === null ? null : canonicalCategory(category),
      rule: plainText(rule ?? ''),
      action: action == null ? null : actionOf(action),
      address: shownAddress(sip ?? '', show),
    };
  });
  return { total: parsed.data.total ?? events.length, events: events.toSorted((a, b) => b.atMs - a.atMs) };
}
