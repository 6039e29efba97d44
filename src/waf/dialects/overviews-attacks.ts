/**
 * Attacks in the overviews dialect. By category: all of them, or the largest, or four groups, as the service allows. By source:
 * the largest of every kind, or only the addresses if that is all there is.
 */
import { BotError } from '../../errors.ts';
import type { NamedSources, ShowAddresses } from '../../statistics/attack-sources.ts';
import { REST, WEB_ATTACKS } from '../../statistics/categories.ts';
import type { CategoryCount } from '../../statistics/timeline.ts';
import { isRequestRefused } from '../client/failure.ts';
import type { QueryWindow } from '../wire/exchange.ts';
import { readAddresses, readSources } from '../wire/source-items.ts';
import { type Breakdown, noSources } from './dialect.ts';
import { ATTACK_SOURCE_PATH, ATTACK_TYPE_PATH, readDistribution } from './events.ts';
import { isRefusedWindow, type OverviewsService } from './overviews-service.ts';
import { holdingWindow, sameFixedWindow } from './overviews-windows.ts';
import { readLargestCategories, type WindowTotals } from './overviews-wire.ts';

export const CLASSIFICATION = 'waf/overviews/classification';
/** The service's own limit. */
const MAX_NAMED = 10;
/** How far `recent` may differ from the totals of what should be the same window. */
const MAX_DIFFERENCE = 0.01;

export function createOverviewCategories(service: OverviewsService) {
  const { ask, totals, unlessMissing, traits, now } = service;

  /** `null` if the service doesn't name all categories for this window. */
  async function byType(window: QueryWindow, signal: AbortSignal): Promise<Breakdown | null> {
    const all = (body: unknown): Breakdown => ({ ...readDistribution(body), limits: [] });
    if (traits.current.categories === 'any') {
      const found = await unlessBadRequest(() => ask(ATTACK_TYPE_PATH, window, signal));
      if (found !== null) return all(found);
    }
    // Editions that refuse times take the name of a window instead.
    const fixed = sameFixedWindow(window, now());
    if (fixed === undefined) return null;
    const insteadOfTimes = [['recent', fixed.recent]] as const;
    const found = await unlessBadRequest(() => ask(ATTACK_TYPE_PATH, window, signal, { insteadOfTimes }));
    if (found === null) return null;
    traits.learn({ categories: 'recent' });
    const recent = { ...all(found), toMs: fixed.toMs };
    // It isn't documented which midnight `recent` means, so it only counts if its attacks add up to those of this
    // window.
    const { attacks } = await totals(window, signal);
    return attacks !== null && Math.abs(sumOf(recent.counts) - attacks) <= MAX_DIFFERENCE * attacks ? recent : null;
  }

  async function largest(window: QueryWindow, signal: AbortSignal): Promise<Breakdown> {
    const more = [['top', String(MAX_NAMED)]] as const;
    const [body, sums] = await Promise.all([
      unlessMissing(CLASSIFICATION, () => ask(CLASSIFICATION, window, signal, { more })),
      totals(window, signal),
    ]);
    if (body === null) return groupsOf(sums);
    const counts = readLargestCategories(body);
    const rest = restOf(sums, counts);
    const isWhole = rest.length === 0 && (sums.attacks !== null || counts.length < MAX_NAMED);
    return { counts: [...counts, ...rest], limits: isWhole ? [] : ['largest'] };
  }

  return async function distribution(window: QueryWindow, signal: AbortSignal): Promise<Breakdown> {
    return unlessOnlyFixed(
      service,
      window,
      async () =>
        (await unlessMissing(ATTACK_TYPE_PATH, () => byType(window, signal))) ?? (await largest(window, signal)),
      { what: 'has categories', hint: 'The timeline takes any window.' },
    );
  };
}

/** Some services answer these queries only for a few windows. */
async function unlessOnlyFixed<T>(
  { traits, now }: OverviewsService,
  window: QueryWindow,
  work: () => Promise<T>,
  { what, hint }: { readonly what: string; readonly hint?: string },
): Promise<T> {
  const message = `The service ${what} only for whole days in UTC: today, yesterday, or the last 3, 7 or 30.`;
  const refusal = new BotError('limit', message, { hint, reason: { is: 'window_not_offered' } });
  const { windows } = await traits.load();
  if (windows === 'fixed' && sameFixedWindow(window, now()) === undefined) throw refusal;
  try {
    return await work();
  } catch (error) {
    throw isRefusedWindow(error) && holdingWindow(window, now()) !== undefined ? refusal : error;
  }
}

async function unlessBadRequest(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (isRequestRefused(error) && ['limit', 'upstream_bad_response'].includes(error.code)) return null;
    throw error;
  }
}

const sumOf = (counts: readonly CategoryCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

/** The attacks that aren't in the named categories. */
function restOf({ attacks }: WindowTotals, counts: readonly CategoryCount[]): readonly CategoryCount[] {
  const rest = (attacks ?? 0) - sumOf(counts);
  return rest > 0 ? [{ category: REST, count: rest }] : [];
}

const GROUPS = { WEB_ATTACK: WEB_ATTACKS, CRAWLER: 'robot', PRECISE: 'custom', CC: 'cc' } as const;

function groupsOf(totals: WindowTotals): Breakdown {
  const counts = Object.entries(GROUPS).flatMap(([key, category]) => {
    const count = totals.groups[key as keyof typeof GROUPS];
    return count === null ? [] : [{ category, count }];
  });
  return { counts: [...counts, ...restOf(totals, counts)], limits: ['groups'] };
}

const TOP = [['top', '10']] as const;

export function createOverviewSources(service: OverviewsService, show: ShowAddresses) {
  const { ask, unlessMissing, traits } = service;
  return async function sources(window: QueryWindow, signal: AbortSignal): Promise<NamedSources> {
    const work = async (): Promise<NamedSources> => {
      if (traits.current.hosts === 'apart' && window.hosts.length > 1) throw oneHost();
      const all = await unlessMissing(CLASSIFICATION, () => ask(CLASSIFICATION, window, signal, { more: TOP }));
      if (all !== null) return readSources(all, show);
      const addresses = await unlessMissing(ATTACK_SOURCE_PATH, () => ask(ATTACK_SOURCE_PATH, window, signal));
      if (addresses === null) throw noSources();
      return readAddresses(addresses, show);
    };
    return unlessOnlyFixed(service, window, work, { what: 'shows who attacks' });
  };
}

const oneHost = () =>
  new BotError('limit', 'The service shows who attacks for one host at a time, or for all of them.', {
    hint: 'Name one host, or none.',
  });
