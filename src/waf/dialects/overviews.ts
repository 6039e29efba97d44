/**
 * The overviews dialect, which some regions have in addition to the events dialect and some instead of it. What the
 * documents leave open is learned from the service itself and stored.
 */
import { HOUR_MS } from '../../time-units.ts';
import { timeParameters } from '../wire/exchange.ts';
import type { Dialect, DialectQueries } from './dialect.ts';
import { ATTACK_SOURCE_PATH, ATTACK_TYPE_PATH } from './events.ts';
import { CLASSIFICATION, createOverviewCategories, createOverviewSources } from './overviews-attacks.ts';
import {
  ABNORMAL_PATH,
  ACTIONS_PATH,
  createOverviewDetails,
  EVENTS_PATH,
  RESPONSES_PATH,
} from './overviews-details.ts';
import { withSeveralHosts } from './overviews-hosts.ts';
import { createOverviewsService, type OverviewsOptions, STATISTICS_PATH, traitNotes } from './overviews-service.ts';
import { createOverviewTimelines, QPS_TIMELINE, REQUEST_TIMELINE } from './overviews-timeline.ts';

export const OVERVIEWS_QUERIES: DialectQueries = {
  timeline: [REQUEST_TIMELINE, QPS_TIMELINE],
  distribution: [ATTACK_TYPE_PATH, CLASSIFICATION, STATISTICS_PATH],
  sources: [CLASSIFICATION, ATTACK_SOURCE_PATH],
  actions: [ACTIONS_PATH],
  responses: [RESPONSES_PATH, ABNORMAL_PATH],
  events: [EVENTS_PATH],
};

export function createOverviewsDialect(options: OverviewsOptions) {
  const service = createOverviewsService(options);
  const timelines = createOverviewTimelines(service);
  const details = createOverviewDetails(service, options.showAddresses);
  const lastHour = (nowMs: number) => timeParameters({ fromMs: nowMs - HOUR_MS, toMs: nowMs });

  const dialect: Dialect = {
    ...withSeveralHosts(service, {
      timeline: timelines.timeline,
      distribution: createOverviewCategories(service),
      ...details,
    }),
    offers: details.offers,
    sources: createOverviewSources(service, options.showAddresses),
    notes: async () => traitNotes(await service.traits.load()),
  };
  return {
    ...dialect,
    /** The one call that shows whether a service speaks this dialect. A failure decides nothing, so there is no retry. */
    probe: (nowMs: number) => service.send(STATISTICS_PATH, lastHour(nowMs), { signal: options.closing, tries: 1 }),
  };
}
