/** The episode log of a test: nothing stored, on the test's own clock. */
import { createEpisodeLog, type EpisodeLog } from '../../src/episodes/episode-log.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';

export const episodeLog = (statistics: Statistics, now: () => Temporal.Instant, zone = 'UTC'): EpisodeLog =>
  createEpisodeLog({ statistics, blocks: null, nowMs: () => now().epochMilliseconds, zone });
