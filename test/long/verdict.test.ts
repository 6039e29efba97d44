/** The aims of the verdict and of the watch, held on a slice that they were not tuned on; `npm run evaluate` has the whole. */
import { beforeAll, describe, expect, it } from 'vitest';
import { CALIBRATION } from '../../src/episodes/verdict/calibration.ts';
import { countBins } from '../evaluation/calibration.ts';
import { REPORTING_SEEDS, TUNING_SEEDS } from '../evaluation/seeds.ts';
import { NORMAL, streamOutcome } from '../evaluation/stream-outcomes.ts';
import { labelledStreams } from '../evaluation/streams.ts';
import { isNormal, outcomeOf, verdictMeasures, type WindowOutcome } from '../evaluation/window-outcomes.ts';
import { labelledWindows } from '../evaluation/windows.ts';

/** Of no other set. */
const SLICE_SEED = 901;
const WORLDS = 10;
/** Seconds on a quiet machine. */
const PATIENT_MS = 240_000;

describe('the verdict on windows that it was not tuned on', () => {
  const outcomes: WindowOutcome[] = [];
  beforeAll(async () => {
    for (const window of labelledWindows(SLICE_SEED, WORLDS)) outcomes.push(await outcomeOf(window));
  }, PATIENT_MS);

  it('finds what can be seen and calls hardly anything else', () => {
    expect([...TUNING_SEEDS, ...REPORTING_SEEDS]).not.toContain(SLICE_SEED);
    expect(REPORTING_SEEDS.filter((seed) => TUNING_SEEDS.includes(seed))).toEqual([]);
    expect(outcomes.filter(isNormal).length).toBeGreaterThan(50);
    const { precision, recall, falseAlarms } = verdictMeasures(outcomes);
    expect(precision).toBeGreaterThanOrEqual(0.93);
    expect(recall).toBeGreaterThanOrEqual(0.88);
    expect(falseAlarms).toBeLessThanOrEqual(0.05);
  });

  it('has the level, the onset and the drops right', () => {
    const { levelRight, onset, dropsNamed, dropsWrong } = verdictMeasures(outcomes);
    expect(levelRight).toBeGreaterThanOrEqual(0.85);
    expect(onset).toBeLessThanOrEqual(3);
    expect(dropsNamed).toBeGreaterThanOrEqual(0.9);
    expect(dropsWrong).toBeLessThanOrEqual(0.02);
  });

  it('is wrong about as often as it says', () => {
    for (const finding of ['rise', 'category', 'drop', 'calm'] as const) {
      const bins = CALIBRATION.filter((bin) => bin.finding === finding);
      expect(bins[0]?.fromScore).toBe(0);
      const counted = countBins(outcomes, bins);
      const wrong = counted.reduce((sum, bin) => sum + bin.wrong, 0);
      const stated = counted.reduce((sum, bin, at) => sum + bin.verdicts / (bins[at]?.wrongOneIn ?? 1), 0);
      expect(counted.reduce((sum, bin) => sum + bin.verdicts, 0)).toBeGreaterThan(finding === 'category' ? 0 : 5);
      // A slice is small: twice the standard deviation of counting above what is stated, at most.
      expect(wrong).toBeLessThanOrEqual(stated + 2 * Math.sqrt(stated + 1));
    }
  });
});

it('a watch calls for hardly anything but events, and finds most of them', { timeout: PATIENT_MS }, async () => {
  const [eventful] = labelledStreams(SLICE_SEED, 1);
  if (eventful === undefined) throw new Error('no week');
  const { watched, events } = await streamOutcome(eventful, false);
  const told = watched[NORMAL];
  expect(events.filter(({ detectable }) => detectable).length).toBeGreaterThan(1);
  expect(told?.delays.filter((delay) => delay !== null).length).toBeGreaterThan(1);
  expect(told?.wrong).toBeLessThanOrEqual(2);
});
