/**
 * The statistics service, asked once for all replicas. A thousand digests at nine ask a few distinct questions; in one
 * process the client itself shares them, between replicas the store does.
 */
import type { Statistics, StatisticsQuery } from '../../commands/ports.ts';
import type { SharedAnswers } from '../../waf/cache/shared-answers.ts';

/** Long enough for a wave of digests that fall due together, short enough that nobody is shown old numbers. */
const SHARED_MS = 60_000;

export function shareStatistics(statistics: Statistics, shared: SharedAnswers): Statistics {
  const keyOf = (what: string, { range, hosts, zone }: StatisticsQuery): string =>
    JSON.stringify([what, range.from.epochMilliseconds, range.to.epochMilliseconds, hosts.toSorted(), zone]);
  return {
    timeline: (query) => shared.get(keyOf('timeline', query), SHARED_MS, () => statistics.timeline(query)),
    distribution: (query) => shared.get(keyOf('distribution', query), SHARED_MS, () => statistics.distribution(query)),
  };
}
