/** Reading a phrase against chrono-node reading the same phrase. Only ratios within one run mean anything. */
import * as chrono from 'chrono-node';
import { describeRange, parseRange } from '../../src/time/index.ts';
import { ALL_ROWS, UNDERSTOOD } from '../unit/time/read-table.ts';
import { isQuick, median } from './figures.ts';

const ROUNDS = isQuick ? 7 : 31;

const readings = ALL_ROWS.map((row) => ({ ...row, date: new Date(row.now.epochMilliseconds) }));
const understood = UNDERSTOOD.map((row) => ({ ...row, range: parseRange(row.phrase, row) }));

function attempt(run: () => unknown): void {
  try {
    run();
  } catch {
    // A refusal is an answer; chrono answers those with an empty list.
  }
}

const contenders: Record<string, () => number> = {
  'raw chrono-node': () => {
    for (const { phrase, date } of readings) chrono.parse(phrase, date);
    return readings.length;
  },
  'parseRange, all rows': () => {
    for (const row of readings) attempt(() => parseRange(row.phrase, row));
    return readings.length;
  },
  'parseRange, understood': () => {
    for (const row of understood) parseRange(row.phrase, row);
    return understood.length;
  },
  describeRange: () => {
    for (const row of understood) describeRange(row.range, row);
    return understood.length;
  },
};

// Interleaved, so that whatever else the machine does hits all alike.
const timesUs = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    const start = performance.now();
    const count = run();
    timesUs.get(name)?.push(((performance.now() - start) * 1000) / count);
  }
}

const base = median(timesUs.get('raw chrono-node') ?? []);
for (const [name, values] of timesUs) {
  const us = median(values);
  console.log(`${name.padEnd(26)} ${us.toFixed(1).padStart(8)} µs  ${(us / base).toFixed(2).padStart(6)} x chrono`);
}
