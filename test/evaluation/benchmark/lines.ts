/** The benchmark's questions as lines that any method can read, and the truth about each. Ids say nothing about it. */
import { createHash } from 'node:crypto';
import type { RecordedNumbers } from '../../../src/episodes/recorded-statistics.ts';
import { labelledStreams, type StreamEvent } from '../streams.ts';
import { DROPS, MIXES } from '../traffic/events.ts';
import { GENERATORS, type TrafficGenerator } from '../traffic/generators.ts';
import type { WorldOptions } from '../traffic/world.ts';
import { labelledWindows } from '../windows.ts';
import type { Group, WeekLabel, WindowLabel } from './labels.ts';

/** `tuning` is for choosing a threshold, `figures` for measuring with it. */
export interface BenchmarkSet {
  readonly seeds: readonly number[];
  /** Of each seed and generator: sites with up to twelve windows each, and weeks. */
  readonly worlds: number;
  readonly weeks: number;
}

export const SETS: Readonly<Record<'figures' | 'tuning', BenchmarkSet>> = {
  figures: { seeds: [7101, 7102, 7103], worlds: 20, weeks: 14 },
  tuning: { seeds: [7201, 7202], worlds: 10, weeks: 10 },
};

/** What `judge` reads, see the benchmark's README. */
interface Line extends RecordedNumbers {
  readonly id: string;
  readonly zone: string;
  readonly nowMs: number;
}

export interface WindowQuestion {
  readonly line: Line & { readonly fromMs: number };
  readonly label: WindowLabel;
}

export interface WeekQuestion {
  readonly line: Line & { readonly watchFromMs: number };
  readonly label: WeekLabel;
}

/** The methods in the table were measured before categories came by day or by night. */
const EVEN = GENERATORS.map((generator) => ({
  ...generator,
  createWorld: (options: WorldOptions) => generator.createWorld({ ...options, plain: true }),
}));

export function* windowQuestions({ seeds, worlds }: BenchmarkSet): Generator<WindowQuestion> {
  for (const generator of EVEN) {
    for (const seed of seeds) yield* inOrderOfId(windowsOf(generator, seed, worlds), 12);
  }
}

export function* weekQuestions({ seeds, weeks }: BenchmarkSet): Generator<WeekQuestion> {
  for (const generator of EVEN) {
    for (const seed of seeds) yield* weeksOf(generator, seed, weeks);
  }
}

/** The generators alternate between windows with an event and without. */
function* inOrderOfId(questions: Iterable<WindowQuestion>, size: number): Generator<WindowQuestion> {
  let some: WindowQuestion[] = [];
  const sorted = () => some.toSorted((a, b) => (a.label.id < b.label.id ? -1 : 1));
  for (const question of questions) {
    some.push(question);
    if (some.length < size) continue;
    yield* sorted();
    some = [];
  }
  yield* sorted();
}

function* windowsOf(generator: TrafficGenerator, seed: number, worlds: number): Generator<WindowQuestion> {
  for (const { id: told, site, circumstance, zone, nowMs, fromMs, numbers, truth } of labelledWindows(
    seed,
    worlds,
    generator,
  )) {
    const id = anonymous('window', generator.name, told);
    const world = `${generator.name} ${told.slice(0, told.lastIndexOf('-'))}`;
    const { event, onsetMs } = truth;
    yield {
      line: { id, zone, nowMs, fromMs, ...numbers },
      label: {
        id,
        generator: generator.name,
        seed,
        world,
        site,
        cause: circumstance,
        group: event === null ? null : groupOf(event),
        kind: event,
        detectable: truth.detectable,
        onsetMs,
      },
    };
  }
}

function* weeksOf(generator: TrafficGenerator, seed: number, count: number): Generator<WeekQuestion> {
  for (const week of labelledStreams(seed, count, generator)) {
    const { id: told, site, circumstance, zone, fromMs, toMs, numbers, events, strange = [] } = week;
    const id = anonymous('week', generator.name, told);
    yield {
      line: { id, zone, nowMs: toMs, watchFromMs: fromMs, ...numbers },
      label: {
        id,
        generator: generator.name,
        seed,
        site,
        cause: circumstance,
        fromMs,
        toMs,
        events: events.map((event) => ({
          group: groupOf(event.kind),
          kind: event.kind,
          detectable: event.detectable,
          fromMs: event.fromMs,
          toMs: event.toMs,
        })),
        unknownScanners: strange.filter(([, endMs]) => endMs > fromMs),
      },
    };
  }
}

function groupOf(kind: StreamEvent['kind']): Group {
  if (DROPS.some((drop) => drop === kind)) return 'drop';
  if (MIXES.some((mix) => mix === kind)) return 'mix';
  return kind === 'slow burn' ? 'slow burn' : 'rise';
}

const anonymous = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 12);
