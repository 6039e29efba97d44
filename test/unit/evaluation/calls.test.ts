/** Calls are counted once each, and those that are sent together as one round. */
import { expect, it } from 'vitest';
import { callsReport } from '../../evaluation/calls.ts';
import { labelledStreams } from '../../evaluation/streams.ts';

it('says how many calls a first check takes, and how many rounds', async () => {
  const [count, rows = ''] = await callsReport(labelledStreams(3001, 3));
  expect(count).toMatch(/^\d+ hours in which nothing is found:$/);
  const medianOf = (name: string): number => Number(new RegExp(`\\| ${name} +\\| +([\\d.]+)`).exec(rows)?.[1]);
  // Weeks, days and categories that every check needs.
  expect(medianOf('calls')).toBeGreaterThanOrEqual(10);
  expect(medianOf('calls')).toBeLessThan(40);
  expect(medianOf('in sequence')).toBeGreaterThanOrEqual(1);
  expect(medianOf('in sequence')).toBeLessThanOrEqual(4);
});
