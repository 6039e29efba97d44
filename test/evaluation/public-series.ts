/**
 * Labelled series that nobody here made, as weeks of a watch. A folder may be in one of two formats:
 *
 * - the Numenta Anomaly Benchmark: `data/<group>/<series>.csv` with the columns `timestamp,value`, and `windows.json` with
 *   the labelled windows of each series, `{"<group>/<series>.csv": [["<from>", "<to>"], …]}`;
 * - any CSV files with a header and the columns time, value and label (0 or 1), as in Microsoft's cloud monitoring set.
 *
 * Times without a zone are UTC. Values are scaled to counts with a median of fifty in five minutes and taken as attacks.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LabelledStream, StreamEvent } from './streams.ts';

export type RequestsMode = 'constant' | 'proportional';

export interface PublicSeries {
  /** The folder below `data`, or the folder of the file. */
  readonly group: string;
  readonly name: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** Labelled stretches `[fromMs, toMs]`. */
  readonly labelled: readonly (readonly [fromMs: number, toMs: number])[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The plain methods look at steps of five minutes; what is coarser than that cannot be compared. */
const LONGEST_INTERVAL_MS = 5 * MINUTE_MS;
const MEDIAN_COUNT = 50;
/** Visitors for each attack of the median. */
const VISITORS = 20;
/** As in the Numenta benchmark: this part of a series is for learning, but two days at least. */
const LEARNING = 0.15;
const RISE = 1.5;

const windowsSchema = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));

export function readPublicSeries(folder: string): PublicSeries[] {
  const windowsFile = path.join(folder, 'windows.json');
  const isNumenta = existsSync(windowsFile);
  const files = globSync('**/*.csv', { cwd: isNumenta ? path.join(folder, 'data') : folder }).sort();
  if (files.length === 0) throw new Error(`There are no CSV files in ${folder}.`);
  const windows = isNumenta ? windowsSchema.parse(JSON.parse(readFileSync(windowsFile, 'utf8'))) : {};
  return files.map((file) => {
    const full = isNumenta ? path.join(folder, 'data', file) : path.join(folder, file);
    const { times, values, labels } = readCsv(readFileSync(full, 'utf8'), file);
    const stated = windows[file.split(path.sep).join('/')] ?? [];
    return {
      group: path.dirname(file) === '.' ? path.basename(folder) : path.dirname(file),
      name: path.basename(file, '.csv'),
      times,
      values,
      labelled: isNumenta
        ? stated.map(([from, to]) => [timeOf(from, file), timeOf(to, file)] as const)
        : stretches(times, labels),
    };
  });
}

function readCsv(text: string, file: string) {
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(',').map((cell) => cell.trim().replace(/^"|"$/g, '')));
  const head = (rows[0] ?? []).map((name) => name.toLowerCase());
  const [time, value, label] = [/^time/, /^value$/, /^(label|is_?anomaly)$/].map((name) =>
    head.findIndex((each) => name.test(each)),
  );
  if (time === undefined || time < 0 || value === undefined || value < 0) {
    throw new Error(`${file} needs a header with the columns time and value, and label where it has labels.`);
  }
  const read = rows
    .slice(1)
    .map((row) => ({
      at: timeOf(row[time] ?? '', file),
      value: Number(row[value]),
      label: label === undefined || label < 0 ? 0 : Number(row[label]),
    }))
    .filter((row) => Number.isFinite(row.value))
    .sort((a, b) => a.at - b.at);
  return {
    times: read.map((row) => row.at),
    values: read.map((row) => row.value),
    labels: read.map((row) => row.label === 1),
  };
}

function timeOf(text: string, file: string): number {
  const iso = text.trim().replace(' ', 'T');
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
  if (Number.isNaN(ms)) throw new Error(`${file} has a time that is none: ${text}`);
  return ms;
}

/** Labelled points less than an hour apart belong together. */
function stretches(times: readonly number[], labels: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  times.forEach((at, index) => {
    if (labels[index] !== true) return;
    const last = found.at(-1);
    if (last !== undefined && at - last[1] < HOUR_MS) last[1] = at;
    else found.push([at, at]);
  });
  return found;
}

/** `null` where its intervals are longer than those that can be compared, or it is too short to learn from. */
export function streamOf(series: PublicSeries, mode: RequestsMode = 'constant'): LabelledStream | null {
  const { times, values, group, name } = series;
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const intervalMs = Math.round(medianOf(gaps) / MINUTE_MS) * MINUTE_MS;
  const [startMs = 0] = times;
  const endMs = (times.at(-1) ?? startMs) + intervalMs;
  const fromMs = startMs + Math.max(LEARNING * (endMs - startMs), 2 * DAY_MS);
  if (!(intervalMs > 0) || intervalMs > LONGEST_INTERVAL_MS || endMs - fromMs < DAY_MS) return null;
  const attacks: (number | null)[] = new Array(Math.round((endMs - startMs) / intervalMs)).fill(null);
  const perInterval = (MEDIAN_COUNT * intervalMs) / LONGEST_INTERVAL_MS;
  const scale = perInterval / (medianOf(values.filter((value) => value > 0)) || 1);
  times.forEach((at, index) => {
    const slot = Math.floor((at - startMs) / intervalMs);
    attacks[slot] = Math.max(0, Math.round((values[index] ?? 0) * scale));
  });
  const visitorsOf = (count: number): number => VISITORS * (mode === 'constant' ? perInterval : count);
  const requests = attacks.map((count) => (count === null ? null : Math.round(count + visitorsOf(count))));
  const stepMs = 5 * MINUTE_MS;
  return {
    id: `${group}/${name}`,
    site: group,
    circumstance: name,
    zone: 'UTC',
    numbers: { startMs, intervalMs, requests, attacks, categories: null },
    fromMs: Math.ceil(fromMs / stepMs) * stepMs,
    toMs: Math.floor(endMs / stepMs) * stepMs,
    events: series.labelled.filter(([, toMs]) => toMs > fromMs).map((stretch) => eventOf(stretch, times, values)),
  };
}

/** A rise is one whose best hour lies well above the usual of the days before; what falls is no attack. */
function eventOf(
  [fromMs, toMs]: readonly [number, number],
  times: readonly number[],
  values: readonly number[],
): StreamEvent {
  const between = (from: number, to: number): number[] => values.filter((_, at) => isWithin(times[at], from, to));
  const before = medianOf(between(fromMs - 7 * DAY_MS, fromMs));
  const isLong = toMs - fromMs > HOUR_MS;
  let best = Number.NEGATIVE_INFINITY;
  for (let at = fromMs; at <= Math.max(fromMs, toMs - HOUR_MS); at += 5 * MINUTE_MS) {
    const hour = isLong ? between(at, at + HOUR_MS) : between(fromMs, toMs + 1);
    if (hour.length > 0) best = Math.max(best, hour.reduce((sum, value) => sum + value, 0) / hour.length);
  }
  return { kind: 'step', fromMs, toMs, detectable: best > RISE * before };
}

const isWithin = (at: number | undefined, from: number, to: number): boolean =>
  at !== undefined && at >= from && at < to;

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
