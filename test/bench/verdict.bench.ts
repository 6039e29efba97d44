/** What a verdict and the looks of a watch cost, beside reading the same numbers from JSON. */
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { replayWatch } from '../../src/subscriptions/watch/replay.ts';
import { SITES } from '../evaluation/traffic/sites.ts';
import { createWorld, recorded, WEEK } from '../evaluation/traffic/world.ts';
import { verdictOn } from '../evaluation/verdicts.ts';
import { labelledWindows } from '../evaluation/windows.ts';
import { isQuick } from './figures.ts';

const zone = 'Europe/Berlin';
const [site] = SITES;
if (site === undefined) throw new Error('no site');
const world = createWorld({ seed: 1, site, zone, startMs: Date.UTC(2026, 3, 27), minutes: 5 * WEEK });
const numbers = recorded(world, 0, 5 * WEEK);
const endMs = numbers.startMs + 5 * WEEK * 60_000;

async function timed(what: string, times: number, work: () => unknown): Promise<number> {
  await work();
  const from = performance.now();
  for (let time = 0; time < times; time++) await work();
  const ms = (performance.now() - from) / times;
  console.log(`${what.padEnd(44)} ${ms.toFixed(1).padStart(9)} ms`);
  return ms;
}

const text = JSON.stringify(numbers);
const reading = await timed('reading five weeks of minutes from JSON', 5, () => JSON.parse(text));
const [window] = labelledWindows(1, 1);
if (window === undefined) throw new Error('no window');
const verdict = await timed('a verdict on them', 20, () => verdictOn(window));
const statisticsAt = recordedStatistics(numbers);
const query = { statisticsAt, rule: { kind: 'verdict' }, hosts: [], zone } as const;
const looks = isQuick ? 288 : 2_016;
const watch = await timed(`a watch, ${looks} looks`, 1, () =>
  replayWatch({ ...query, fromMs: endMs - looks * 5 * 60_000, toMs: endMs }),
);
console.log(
  `\na verdict ${(verdict / reading).toFixed(2)} × reading, a look ${(watch / looks / reading).toFixed(3)} ×`,
);
