/** What the overviews dialect reports beyond counts: what was blocked, how servers responded, and single attacks. */
import { BotError, nullIfUnavailable } from '../../errors.ts';
import { MAX_EVENTS } from '../../statistics/attack-details.ts';
import type { ShowAddresses } from '../../statistics/attack-sources.ts';
import type { QueryWindow } from '../wire/exchange.ts';
import { DETAILS, type DetailName, type Dialect, notOffered } from './dialect.ts';
import { readActions, readEvents, readLargestPath, readResponseCodes } from './overviews-detail-items.ts';
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
