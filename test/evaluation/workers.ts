/** Divides weeks and windows among two threads: each site is generated and searched on its own. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type RareOutcome, type RareWeek, rareOutcome, rareWeeks } from './rare.ts';
import { type LabelledStream, labelledStreams } from './streams.ts';
import { GENERATORS } from './traffic/generators.ts';
import { thirdWeeks } from './traffic/third/weeks.ts';
import { type WeekOutcome, weekOutcome } from './weeks.ts';
import { outcomeOf, type WindowOutcome } from './window-outcomes.ts';
import { type LabelledWindow, labelledWindows } from './windows.ts';

interface Outcomes {
  readonly weeks: WeekOutcome;
  readonly windows: WindowOutcome;
  readonly rare: RareOutcome;
}

interface Task {
  readonly of: keyof Outcomes;
  readonly generator: string;
  readonly seed: number;
  readonly sites: number;
}

const THREADS = 2;

/** So many sites of each seed from each generator or in each situation: a week of each with events, or some windows. */
export async function outcomesOn<Of extends keyof Outcomes>(
  of: Of,
  seeds: readonly number[],
  sites: number,
  generators: readonly string[] = GENERATORS.map(({ name }) => name),
): Promise<Outcomes[Of][]> {
  const tasks = generators.flatMap((generator) => seeds.map((seed): Task => ({ of, generator, seed, sites })));
  const parts = Array.from({ length: THREADS }, (_, thread) => tasks.filter((_, at) => at % THREADS === thread));
  const done = await Promise.all(
    parts.map(async (part): Promise<Outcomes[Of][]> => {
      const [outcomes] = await once(new Worker(import.meta.filename, { workerData: part }), 'message');
      return outcomes;
    }),
  );
  return done.flat();
}

async function outcomesOf({ of, generator, seed, sites }: Task): Promise<object[]> {
  const own = GENERATORS.find(({ name }) => name === generator);
  const outcomes: object[] = [];
  const weeks = own === undefined ? thirdWeeks(seed, sites) : labelledStreams(seed, sites, own);
  const sources = { weeks, windows: labelledWindows(seed, sites, own), rare: rareWeeks(generator, seed, sites) }[of];
  for (const source of sources) {
    const outcome = await outcomeIn(source);
    outcomes.push({ ...outcome, generator });
  }
  return outcomes;
}

function outcomeIn(source: LabelledStream | LabelledWindow | RareWeek): Promise<Outcomes[keyof Outcomes]> {
  if ('truth' in source) return outcomeOf(source);
  return 'situation' in source ? rareOutcome(source) : weekOutcome(source);
}

if (!isMainThread && Array.isArray(workerData)) {
  const all: object[] = [];
  for (const task of workerData) all.push(...(await outcomesOf(task)));
  parentPort?.postMessage(all);
}
