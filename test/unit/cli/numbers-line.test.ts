/** What a line of `judge` may hold, and the sentence for each thing that it may not. */
import { expect, it } from 'vitest';
import { idOf } from '../../../src/cli/answer-lines.ts';
import { readNumbersLine } from '../../../src/cli/numbers-line.ts';

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 4, 4, 12);
const line = {
  id: 'a',
  zone: 'Europe/Berlin',
  nowMs,
  startMs: nowMs - HOUR_MS,
  intervalMs: 60_000,
  requests: [5, null, 7],
  attacks: [1, 2, null],
  categories: { sqli: [1, null, 0] },
};

it('reads a line, with the last hour as its window', () => {
  expect(readNumbersLine(line)).toEqual({
    id: 'a',
    zone: 'Europe/Berlin',
    nowMs,
    numbers: {
      startMs: line.startMs,
      intervalMs: 60_000,
      requests: line.requests,
      attacks: line.attacks,
      categories: line.categories,
    },
    fromMs: nowMs - HOUR_MS,
    toMs: nowMs,
    watchFromMs: undefined,
  });
});

it('takes either edge of the window alone', () => {
  expect(readNumbersLine({ ...line, toMs: nowMs - 5 })).toMatchObject({ fromMs: nowMs - 5 - HOUR_MS, toMs: nowMs - 5 });
  expect(readNumbersLine({ ...line, fromMs: nowMs - 5 })).toMatchObject({ fromMs: nowMs - 5, toMs: nowMs });
});

it.each<[string, unknown, RegExp]>([
  ['no object', [1], /not a JSON object/],
  ['no zone', { ...line, zone: undefined }, /^zone must be/],
  ['a zone that is none', { ...line, zone: 'Mars/Base' }, /^zone must be/],
  ['a time that is none', { ...line, nowMs: '12:00' }, /^nowMs must be/],
  ['a time that no calendar has', { ...line, startMs: 9e15 }, /^startMs must be/],
  ['an interval of nothing', { ...line, intervalMs: 0 }, /^intervalMs must be/],
  ['no numbers', { ...line, requests: [] }, /^requests must be/],
  ['a negative number', { ...line, attacks: [1, -1, 2] }, /^attacks\[1\] must be/],
  ['a text among numbers', { ...line, attacks: [1, 2, '3'] }, /^attacks\[2\] must be/],
  ['columns of different length', { ...line, attacks: [1, 2] }, /^attacks has 2 numbers, but requests has 3/],
  ['categories that are none', { ...line, categories: [1] }, /^categories must be/],
  ['a category of another length', { ...line, categories: { xss: [1] } }, /^categories\.xss has 1/],
  ['a window backwards', { ...line, fromMs: nowMs, toMs: nowMs - 1 }, /ends before it starts/],
  ['a window ahead', { ...line, toMs: nowMs + 1 }, /in the future/],
  ['a watch ahead', { ...line, watchFromMs: nowMs + 1 }, /^watchFromMs must not/],
])('refuses %s', (_, value, words) => {
  expect(() => readNumbersLine(value)).toThrow(words);
});

it('gives back the id of whatever has one', () => {
  expect([{ id: 7 }, { id: null }, {}, 'text', null, [1]].map(idOf)).toEqual([7, null, null, null, null, null]);
});
