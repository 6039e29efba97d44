/** The charts drawn by the benchmarks. */
import { type ChartSpec, timelineChart } from '../../src/charts/spec/index.ts';
import { breakdowns } from '../pictures/breakdowns.ts';
import { MINUTE_MS, traffic } from '../pictures/data.ts';

/** A day, or longer if that many points of at least a minute don't fit. */
export function timelineOf(count: number): ChartSpec {
  const intervalMs = Math.max(MINUTE_MS, (24 * 60 * MINUTE_MS) / count);
  return timelineChart({
    hosts: [],
    title: 'Requests and attacks · shop',
    zone: 'Europe/Berlin',
    timeline: traffic({ from: '2026-11-08T12:00:00Z', intervalMs, count, unsettled: 1 }),
  });
}

const compared = breakdowns()['all, compared'];
if (compared === undefined) throw new Error('the breakdown is missing');
export const breakdown: ChartSpec = compared;
