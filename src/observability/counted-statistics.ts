/** The statistics service with every call counted, by kind and by what became of it. */
import type { Statistics } from '../commands/ports.ts';
import { BotError } from '../errors.ts';
import type { Metrics } from './metrics.ts';

export function countStatistics(statistics: Statistics, metrics: Metrics): Statistics {
  const counted = async <T>(kind: string, answer: Promise<T>): Promise<T> => {
    try {
      const found = await answer;
      metrics.serviceCalls.inc({ kind, outcome: 'answered' });
      return found;
    } catch (error) {
      metrics.serviceCalls.inc({ kind, outcome: error instanceof BotError ? error.code : 'internal' });
      throw error;
    }
  };
  return {
    timeline: (query) => counted('timeline', statistics.timeline(query)),
    distribution: (query) => counted('distribution', statistics.distribution(query)),
  };
}
