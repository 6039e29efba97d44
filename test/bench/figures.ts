/** What every benchmark counts and prints with. */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

export const isQuick = process.argv.includes('--quick');

/** `part` of a hundred. */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** `p50 / p95`. */
export const spread = (values: readonly number[], digits = 1): string =>
  `${median(values).toFixed(digits)} / ${percentile(values, 95).toFixed(digits)}`;

export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;

/** How busy the machine is beside us, without which no figure of a run can be read. */
export const machineLoad = (): string =>
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`;

const TICKS_A_SECOND = 100;

/** Processor time that a process has used with all its threads. */
export function cpuMsOf(pid: number): number {
  // The name of the program is in brackets and may hold anything; user and system time are 12 and 13 after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND;
}

export function residentMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** An aim that is missed is said, and makes the run fail. */
export function aim(what: string, found: number, most: number, unit = '×'): void {
  const met = found <= most;
  console.log(`${met ? 'met   ' : 'MISSED'} ${what}: ${found.toFixed(2)} ${unit}, aim at most ${most} ${unit}`);
  if (!met) process.exitCode = 1;
}
