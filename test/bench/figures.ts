/** What every benchmark measures and prints with. */
import { appendFileSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

export const isQuick = process.argv.includes('--quick');

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** `p50 / p95`. */
export const spread = (values: readonly number[], digits = 1): string =>
  `${median(values).toFixed(digits)} / ${percentile(values, 95).toFixed(digits)}`;

export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;

/** How busy the machine is; on a busy one a missed target says little. */
export const machineLoad = (): string =>
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`;

const TICKS_PER_SECOND = 100;

/** CPU time of a process and all its threads. */
export function cpuMsOf(pid: number): number {
  // The program's name is in brackets and may hold anything; user and system time are fields 12 and 13 after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

export function residentMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

export interface Result {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  readonly ok: boolean;
}

/** Prints a result beside its target and adds it to the table at the end of the run. A missed target fails the run. */
export function target(what: string, measured: number, max: number, unit: string): void {
  const ok = measured <= max;
  const result: Result = { what, measured: withUnit(measured, unit), target: `at most ${withUnit(max, unit)}`, ok };
  console.log(`${ok ? 'ok' : 'MISSED'}: ${what}: ${result.measured}, target: ${result.target}`);
  const { BENCH_RESULTS: file } = process.env;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
  if (!ok) process.exitCode = 1;
}

const withUnit = (value: number, unit: string): string => `${Number(value.toFixed(2))} ${unit}`.trim();
