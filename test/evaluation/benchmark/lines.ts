/** The benchmark's questions as lines that any method can read, and the truth about each. Ids say nothing about it. */
import { createHash } from 'node:crypto';
import type { RecordedNumbers } from '../../../src/episodes/recorded-statistics.ts';
import { DROPS, type EventKind } from '../traffic/events.ts';
import { GENERATORS, type TrafficGenerator } from './generators.ts';
import type { Group, WeekLabel, WindowLabel } from './labels.ts';

/** `tuning` is for choosing a threshold, `figures` for measuring with it. */
export interface BenchmarkSet {
  readonly seeds: readonly number[];
  /** Of each seed: sites with twelve windows each, and weeks with rises. */
  readonly worlds: number;
  readonly weeks: number;
  /** As many weeks again in which something stops. */
  readonly withDrops: boolean;
}

export const SETS: Readonly<Record<'figures' | 'tuning', BenchmarkSet>> = {
  figures: { seeds: [7101, 7102, 7103, 7104, 7105, 7106], worlds: 10, weeks: 7, withDrops: true },
  tuning: { seeds: [7201, 7202, 7203, 7204], worlds: 10, weeks: 7, withDrops: false },
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

/** A category that takes over, or is new, at an unchanged total. */
const MIXES: readonly string[] = ['takeover', 'new category'];

export function* windowQuestions(set: BenchmarkSet, generators = GENERATORS): Generator<WindowQuestion> {
  for (const generator of generators) {
    for (const seed of set.seeds) yield* inOrderOfId(windowsOf(generator, seed, set.worlds), 12);
  }
}

export function* weekQuestions(set: BenchmarkSet, generators = GENERATORS): Generator<WeekQuestion> {
  for (const generator of generators) {
    for (const seed of set.seeds) {
      yield* inOrderOfId(weeksOf(generator, seed, set.weeks, 'rises'), 2);
      if (set.withDrops) yield* inOrderOfId(weeksOf(generator, seed, set.weeks, 'drops'), 2);
    }
  }
}

/** The generators alternate between what has an event and what has none. */
function* inOrderOfId<Question extends WindowQuestion | WeekQuestion>(
  questions: Iterable<Question>,
  size: number,
): Generator<Question> {
  let some: Question[] = [];
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
  for (const { id: told, site, circumstance, zone, nowMs, fromMs, numbers, truth } of generator.windows(seed, worlds)) {
    const id = anonymous('window', generator.name, told);
    const world = `${generator.name} ${told.slice(0, told.lastIndexOf('-'))}`;
    const { event, onsetMs } = truth;
    yield {
      line: { id, zone, nowMs, fromMs, ...numbers },
      label: {
        id,
        generator: generator.name,
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

function* weeksOf(
  generator: TrafficGenerator,
  seed: number,
  count: number,
  holds: 'rises' | 'drops',
): Generator<WeekQuestion> {
  for (const week of generator.weeks(seed, count, holds)) {
    const { id: told, site, circumstance, zone, fromMs, toMs, numbers, events } = week;
    const id = anonymous(holds, generator.name, told);
    yield {
      line: { id, zone, nowMs: toMs, watchFromMs: fromMs, ...numbers },
      label: {
        id,
        generator: generator.name,
        site,
        cause: circumstance,
        holds,
        fromMs,
        toMs,
        events: events.map((event) => ({
          group: groupOf(event.kind),
          kind: event.kind,
          detectable: event.detectable,
          fromMs: event.fromMs,
          toMs: event.toMs,
        })),
      },
    };
  }
}

function groupOf(kind: EventKind): Group {
  if (DROPS.includes(kind)) return 'drop';
  if (MIXES.includes(kind)) return 'mix';
  return kind === 'slow burn' ? 'slow burn' : 'rise';
}

const anonymous = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 12);
