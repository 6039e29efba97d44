/** Numbers in arrays answer as the local statistics service does, and nothing that is not known is made up. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { distribution as distributionAt, timeline as timelineAt } from '../../../playground/service/statistics.ts';
import { type RecordedNumbers, recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../../src/errors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 4, 4);
const DAYS = 9;
const END = START + DAYS * DAY_MS;
const LONG_AFTER = END + DAY_MS;

const model = { seed: 3, hosts: DEFAULT_HOSTS, waves: [], seededWaves: true };

/** The minutes of the local service, as an operator would export them. */
function exported(): RecordedNumbers {
  const requests: number[] = [];
  const attacks: number[] = [];
  const categories: Record<string, number[]> = {};
  for (let fromMs = START; fromMs < END; fromMs += DAY_MS) {
    const day = timelineAt(model, { fromMs, toMs: fromMs + DAY_MS, hosts: [] }, 0, LONG_AFTER);
    requests.push(...day.requests.map(({ num }) => num));
    attacks.push(...day.attacks.map(({ num }) => num));
  }
  for (let fromMs = START; fromMs < END; fromMs += MINUTE_MS) {
    const counts = distributionAt(model, { fromMs, toMs: fromMs + MINUTE_MS, hosts: [] }, LONG_AFTER);
    for (const [name, count] of Object.entries(counts)) {
      categories[name] ??= [];
      categories[name].push(count);
    }
  }
  return { startMs: START, intervalMs: MINUTE_MS, requests, attacks, categories };
}

const query = (fromMs: number, toMs: number) => ({
  range: { from: Temporal.Instant.fromEpochMilliseconds(fromMs), to: Temporal.Instant.fromEpochMilliseconds(toMs) },
  hosts: [],
  zone: 'UTC',
});

describe('recorded numbers', () => {
  const statistics = recordedStatistics(exported())(LONG_AFTER);

  it.each([
    ['an hour', HOUR_MS, MINUTE_MS],
    ['seven hours', 7 * HOUR_MS, MINUTE_MS],
    ['a day', DAY_MS, MINUTE_MS],
    ['a day and a half', 1.5 * DAY_MS, 5 * MINUTE_MS],
    ['four days', 4 * DAY_MS, 10 * MINUTE_MS],
    ['eight days', 8 * DAY_MS, HOUR_MS],
  ])('answer for %s as the service does', async (_, lengthMs, intervalMs) => {
    const toMs = END - 7 * MINUTE_MS;
    const fromMs = toMs - lengthMs;
    const truth = timelineAt(model, { fromMs, toMs, hosts: [] }, 0, LONG_AFTER);
    const answer = await statistics.timeline(query(fromMs, toMs));
    expect(answer.intervalMs).toBe(intervalMs);
    expect(answer.points.map(({ endMs, requests }) => ({ time: endMs, num: requests }))).toEqual(truth.requests);
    expect(answer.points.map(({ endMs, attacks }) => ({ time: endMs, num: attacks }))).toEqual(truth.attacks);
    const categories = await statistics.distribution(query(fromMs, toMs));
    const counts = Object.fromEntries(categories.counts.map(({ category, count }) => [category, count]));
    expect(counts).toEqual(distributionAt(model, { fromMs, toMs, hosts: [] }, LONG_AFTER));
  });
});

describe('what is not known', () => {
  const counts = (from: number, length: number): number[] => Array.from({ length }, (_, at) => from + at);
  const numbers: RecordedNumbers = {
    startMs: START,
    intervalMs: MINUTE_MS,
    requests: counts(100, 120),
    attacks: counts(0, 120).map((count) => (count >= 30 && count < 40 ? null : count)),
    categories: { sqli: counts(0, 120).map((count) => (count < 60 ? null : 1)) },
  };
  const at = (nowMs: number) => recordedStatistics(numbers)(nowMs);

  it('is missing and not zero', async () => {
    const { points } = await at(END).timeline(query(START - HOUR_MS, START + 2 * HOUR_MS));
    expect(points).toHaveLength(120);
    expect(points[30]).toEqual({ endMs: START + 31 * MINUTE_MS, requests: 130, attacks: null });
    expect(points[40]?.attacks).toBe(40);
    expect((await at(END).timeline(query(START - HOUR_MS, START))).points).toEqual([]);
  });

  it('makes a longer interval missing as a whole', async () => {
    const { points } = await at(END).timeline(query(START - 2 * DAY_MS, START + 2 * HOUR_MS));
    const [, fiveTo, tenTo] = [25, 30, 35].map((minute) =>
      points.find(({ endMs }) => endMs === START + minute * MINUTE_MS),
    );
    expect(fiveTo?.attacks).toBe(25 + 26 + 27 + 28 + 29);
    expect(tenTo).toMatchObject({ attacks: null, requests: 130 + 131 + 132 + 133 + 134 });
  });

  it('is everything after now, and the three minutes before are still filling', async () => {
    const nowMs = START + 50.5 * MINUTE_MS;
    const { points, settledUntilMs } = await at(nowMs).timeline(query(START, START + 51 * MINUTE_MS));
    expect(points.at(-1)).toMatchObject({ endMs: START + 50 * MINUTE_MS, requests: 149 });
    expect(settledUntilMs).toBe(nowMs - 3 * MINUTE_MS);
  });

  it('fails where no category has a number, and is left out of the window where some have', async () => {
    const none = at(END).distribution(query(START, START + HOUR_MS));
    await expect(none).rejects.toThrow(BotError);
    await expect(at(START + HOUR_MS).distribution(query(START, START + 2 * HOUR_MS))).rejects.toThrow(BotError);
    const some = await at(END).distribution(query(START - HOUR_MS, START + 2 * HOUR_MS));
    expect(some).toMatchObject({ fromMs: START, counts: [{ category: 'sqli', count: 60 }] });
  });
});

it('intervals longer than the minute, begun at any second, are given as they are', async () => {
  const intervalMs = 2.5 * MINUTE_MS;
  const startMs = START + 40_000;
  const numbers = { startMs, intervalMs, requests: [5, 6, 7], attacks: [1, 2, 3], categories: {} };
  const { points, intervalMs: given } = await recordedStatistics(numbers)(END).timeline(
    query(START, START + 10 * MINUTE_MS),
  );
  expect(given).toBe(intervalMs);
  expect(points).toEqual([
    { endMs: startMs + intervalMs, requests: 5, attacks: 1 },
    { endMs: startMs + 2 * intervalMs, requests: 6, attacks: 2 },
    { endMs: startMs + 3 * intervalMs, requests: 7, attacks: 3 },
  ]);
});
