/** The timeline as it is kept and joined: columns, sorted by the end of the interval. */
import { untrusted } from './failure.ts';

export interface Series {
  readonly intervalMs: number;
  readonly ends: readonly number[];
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
}

interface Column {
  readonly ends: readonly number[];
  readonly numbers: readonly (number | null)[];
}

/** Two sorted columns side by side; where one has no point, it has no number. */
export function mergeColumns(requests: Column, attacks: Column): Omit<Series, 'intervalMs'> {
  const same = requests.ends.length === attacks.ends.length && requests.ends.every((end, i) => end === attacks.ends[i]);
  if (same) return { ends: requests.ends, requests: requests.numbers, attacks: attacks.numbers };
  const asked = new Map(requests.ends.map((end, i) => [end, requests.numbers[i] ?? null]));
  const attacked = new Map(attacks.ends.map((end, i) => [end, attacks.numbers[i] ?? null]));
  const ends = [...new Set([...requests.ends, ...attacks.ends])].sort((a, b) => a - b);
  return {
    ends,
    requests: ends.map((end) => asked.get(end) ?? null),
    attacks: ends.map((end) => attacked.get(end) ?? null),
  };
}

type Numbers = [requests: number | null, attacks: number | null];

const EMPTY: Series = { intervalMs: 0, ends: [], requests: [], attacks: [] };

function seriesOf(points: ReadonlyMap<number, Numbers>, intervalMs: number): Series {
  const ends = [...points.keys()].sort((a, b) => a - b);
  return {
    intervalMs,
    ends,
    requests: ends.map((end) => points.get(end)?.[0] ?? null),
    attacks: ends.map((end) => points.get(end)?.[1] ?? null),
  };
}

/** The gap that most neighbours have; a lone point spans what lies before it in the window. */
export function inferInterval(ends: readonly number[], fromMs: number, toMs: number): number {
  const times = new Map<number, number>();
  for (let i = 1; i < ends.length; i++) {
    const gap = (ends[i] ?? 0) - (ends[i - 1] ?? 0);
    times.set(gap, (times.get(gap) ?? 0) + 1);
  }
  let best = 0;
  for (const [gap, n] of times) {
    const most = times.get(best) ?? 0;
    if (n > most || (n === most && gap < best)) best = gap;
  }
  if (best > 0) return best;
  const lone = (ends[0] ?? toMs) - fromMs;
  return lone > 0 && lone < toMs - fromMs ? lone : toMs - fromMs;
}

/** Sums to wider intervals that end where `anchor` does. An interval with a part missing has no number. */
function widen(series: Series, intervalMs: number, anchor: number): Series {
  if (series.intervalMs === intervalMs || series.ends.length === 0) return series;
  if (intervalMs % series.intervalMs !== 0) throw untrusted('statistics', 'intervals that do not fit together');
  const perInterval = intervalMs / series.intervalMs;
  const first = series.ends[0] ?? 0;
  const last = series.ends.at(-1) ?? 0;
  const found = new Map<number, number>();
  const points = new Map<number, Numbers>();
  series.ends.forEach((end, index) => {
    const wide = anchor + Math.ceil((end - anchor) / intervalMs) * intervalMs;
    found.set(wide, (found.get(wide) ?? 0) + 1);
    const [requests, attacks] = points.get(wide) ?? [0, 0];
    points.set(wide, [sum(requests, series.requests[index]), sum(attacks, series.attacks[index])]);
  });
  for (const [wide, n] of found) {
    const inside = wide - intervalMs >= first - series.intervalMs && wide <= last;
    if (inside && n < perInterval) points.set(wide, [null, null]);
  }
  return seriesOf(points, intervalMs);
}

function sum(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || b === null || a === undefined || b === undefined ? null : a + b;
}

/** All on the widest interval among them. */
function even(parts: readonly Series[]): readonly Series[] {
  const filled = parts.filter((part) => part.ends.length > 0);
  const widest = filled.reduce((best, part) => (part.intervalMs > best.intervalMs ? part : best), filled[0] ?? EMPTY);
  return filled.map((part) => widen(part, widest.intervalMs, widest.ends[0] ?? 0));
}

/** Windows one after another. An interval that two of them cut has the sum of its parts. */
export function joinInTime(parts: readonly Series[]): Series {
  const points = new Map<number, Numbers>();
  const same = even(parts);
  for (const part of same) {
    part.ends.forEach((end, index) => {
      const [requests, attacks] = points.get(end) ?? [0, 0];
      points.set(end, [sum(requests, part.requests[index]), sum(attacks, part.attacks[index])]);
    });
  }
  return seriesOf(points, same[0]?.intervalMs ?? longest(parts));
}

/** Different hosts over one window. A number needs all of them; hosts without any data do not count. */
export function joinHosts(parts: readonly Series[]): Series {
  const same = even(parts);
  const found = new Map<number, number>();
  const points = new Map<number, Numbers>();
  for (const part of same) {
    part.ends.forEach((end, index) => {
      found.set(end, (found.get(end) ?? 0) + 1);
      const [requests, attacks] = points.get(end) ?? [0, 0];
      points.set(end, [sum(requests, part.requests[index]), sum(attacks, part.attacks[index])]);
    });
  }
  for (const [end, n] of found) if (n < same.length) points.set(end, [null, null]);
  return seriesOf(points, same[0]?.intervalMs ?? longest(parts));
}

const longest = (parts: readonly Series[]) => Math.max(0, ...parts.map((part) => part.intervalMs));
