/**
 * What the overviews dialect reports beyond counts: what was blocked, how servers responded, and single attacks. Only what may be
 * shown is read: rows of single attacks also hold cookies, bodies and payloads, which are never touched.
 */
import { z } from 'zod';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import {
  type AttackActions,
  type AttackEvent,
  type AttackEvents,
  MAX_EVENTS,
  type ResponseCode,
} from '../../statistics/attack-details.ts';
import type { ShowAddresses } from '../../statistics/attack-sources.ts';
import { canonicalCategory } from '../../statistics/categories.ts';
import { badAnswer } from '../client/failure.ts';
import { countSchema, itemsSchema, MAX_ITEMS, type QueryWindow, readAs, readColumn } from '../wire/exchange.ts';
import { plainPath, plainText, shownAddress } from '../wire/source-items.ts';
import { DETAILS, type DetailName, type Dialect, notOffered } from './dialect.ts';
import { isRefusedWindow, type OverviewsService } from './overviews-service.ts';

export const ACTIONS_PATH = 'waf/overviews/attack/action-types';
export const RESPONSES_PATH = 'waf/overviews/response-code/timeline';
export const ABNORMAL_PATH = 'waf/overviews/abnormal';
export const EVENTS_PATH = 'waf/event';

const PATHS: Readonly<Record<DetailName, string>> = {
  actions: ACTIONS_PATH,
  responses: RESPONSES_PATH,
  events: EVENTS_PATH,
};
/** The server errors that the service lists paths for. */
const LISTED_CODES: readonly string[] = ['500', '502'];

type Details = Pick<Dialect, DetailName | 'offers'>;

export function createOverviewDetails(service: OverviewsService, show: ShowAddresses): Details {
  const { ask, unlessMissing, traits } = service;

  async function offered<T>(detail: DetailName, work: () => Promise<T>): Promise<T> {
    await traits.load();
    try {
      const found = await unlessMissing(PATHS[detail], async () => ({ value: await work() }));
      if (found === null) throw notOffered(detail);
      return found.value;
    } catch (error) {
      throw isRefusedWindow(error)
        ? new BotError('limit', DETAILS[detail].replace(/\.$/, ' for this window.'), {
            cause: error,
            reason: { is: 'window_not_offered' },
          })
        : error;
    }
  }

  /** The path that responded with this code most often. */
  async function pathOf(code: string, window: QueryWindow, signal: AbortSignal): Promise<string | null> {
    const more = [
      ['code', code],
      ['top', '1'],
    ] as const;
    const asked = unlessMissing(ABNORMAL_PATH, () => ask(ABNORMAL_PATH, window, signal, { more, isExtra: true }));
    const body = await nullIfUnavailable(asked);
    return body === null ? null : nullIfUnavailable(Promise.try(readLargestPath, body));
  }

  return {
    actions: (window, signal) =>
      offered('actions', async () => readActions(await ask(ACTIONS_PATH, window, signal, { isExtra: true }))),
    responses: (window, signal) =>
      offered('responses', async () => {
        const more = [['response_source', 'UPSTREAM']] as const;
        const [body, ...paths] = await Promise.all([
          ask(RESPONSES_PATH, window, signal, { more, isExtra: true }),
          ...LISTED_CODES.map((code) => pathOf(code, window, signal)),
        ]);
        const codes = readResponseCodes(body);
        return { codes: codes.map((each) => ({ ...each, path: paths[LISTED_CODES.indexOf(each.code)] ?? null })) };
      }),
    events: (window, signal) =>
      offered('events', async () => {
        const more = [
          ['page', '1'],
          ['pagesize', String(MAX_EVENTS)],
        ] as const;
        return readEvents(await ask(EVENTS_PATH, window, signal, { more }), show);
      }),
    offers: (detail) => !traits.current.missing.includes(PATHS[detail]),
  };
}

function readActions(body: unknown): AttackActions {
  const counts = { blocked: 0, logged: 0, other: 0 };
  for (const { key, num } of readAs(itemsSchema, body, 'action types').items ?? []) counts[actionOf(key)] += num;
  return counts;
}

const actionOf = (key: string): NonNullable<AttackEvent['action']> =>
  key.toLowerCase() === 'block' ? 'blocked' : key.toLowerCase() === 'log' ? 'logged' : 'other';

/** Without its query. */
function readLargestPath(body: unknown): string | null {
  const [first] = (readAs(itemsSchema, body, 'abnormal').items ?? []).toSorted((a, b) => b.num - a.num);
  return first === undefined || first.num === 0 ? null : plainPath(first.key);
}

const seriesSchema = z.array(z.object({ key: z.string(), timeline: z.array(z.unknown()).nullish() })).max(MAX_ITEMS);
const CODE = /^[1-5]\d\d$/;

/** The sum of each code's points, the largest first. */
function readResponseCodes(body: unknown): readonly Omit<ResponseCode, 'path'>[] {
  const given = readAs(seriesSchema, body, 'response codes');
  const series = given.filter(({ key }) => CODE.test(key));
  if (series.length === 0 && given.length > 0) throw badAnswer('statistics', 'response codes: no known code');
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

function readEvents(body: unknown, show: ShowAddresses): AttackEvents {
  const { total, items } = readAs(eventsSchema, body, 'events');
  const events = (items ?? []).map(({ time, sip, host, url, attack, rule, action }): AttackEvent => {
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
  return { total: total ?? events.length, events: events.toSorted((a, b) => b.atMs - a.atMs) };
}
