/** The verdict on a labelled window, by the code of `check`. */
import { assess } from '../../src/episodes/assess.ts';
import { createEpisodeLog, leadOf } from '../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import type { MeasuredFinding } from '../../src/episodes/verdict/calibration.ts';
import type { Verdict } from '../../src/episodes/verdict/index.ts';
import type { LabelledWindow } from './windows.ts';

type AskedWindow = Pick<LabelledWindow, 'numbers' | 'nowMs' | 'fromMs' | 'zone'>;

export async function verdictOn({
  numbers,
  nowMs,
  fromMs,
  zone,
}: AskedWindow): Promise<{ verdict: Verdict; says: MeasuredFinding }> {
  const range = {
    from: Temporal.Instant.fromEpochMilliseconds(fromMs),
    to: Temporal.Instant.fromEpochMilliseconds(nowMs),
  };
  const query = { range, hosts: [], zone } as const;
  const statistics = recordedStatistics(numbers)(nowMs);
  const episodes = createEpisodeLog({ statistics, blocks: null, nowMs: () => nowMs, zone });
  const { verdict, episodes: found } = await assess({ statistics, episodes }, query);
  const lead = leadOf(found.filter(({ drop }) => drop === undefined));
  const says = lead?.mix !== undefined ? 'category' : lead !== undefined ? 'rise' : 'calm';
  return { verdict, says: says === 'calm' && verdict.drops.length > 0 ? 'drop' : says };
}
