/** The episode log of a test: nothing stored, on the test's own clock. */
import type { EpisodeRecord } from '../../src/episodes/episode.ts';
import { createEpisodeLog, type EpisodeLog } from '../../src/episodes/episode-log.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';

export const episodeLog = (statistics: Statistics, now: () => Temporal.Instant, zone = 'UTC'): EpisodeLog =>
  createEpisodeLog({ statistics, blocks: null, nowMs: () => now().epochMilliseconds, zone });

/** A surge of 100 attacks, ten of them expected, seen as one five minutes after it began. */
export function episodeRecord(facts: Partial<EpisodeRecord> & Pick<EpisodeRecord, 'onsetMs' | 'endMs'>): EpisodeRecord {
  const { onsetMs, endMs } = facts;
  const untilMs = endMs ?? onsetMs + 10 * 60_000;
  return {
    id: `rise-${Math.round(onsetMs / 60_000)}`,
    worst: 'surge',
    leading: ['sqli'],
    figures: { untilMs, total: 100, expected: 10, peak: null, categories: [] },
    strength: 4,
    steps: [{ atMs: onsetMs + 5 * 60_000, strength: 4, level: 'surge' }],
    ...facts,
  };
}
