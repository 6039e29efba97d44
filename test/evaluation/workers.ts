/** Divides weeks and windows among two threads: each site is generated and searched on its own. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { labelledStreams } from './streams.ts';
import { GENERATORS } from './traffic/generators.ts';
import { thirdWeeks } from './traffic/third/weeks.ts';
import { type WeekOutcome, weekOutcome } from './weeks.ts';
import { outcomeOf, type WindowOutcome } from './window-outcomes.ts';
import { labelledWindows } from './windows.ts';

interface Outcomes {
  readonly weeks: WeekOutcome;
  readonly windows: WindowOutcome;
}

interface Task {
  readonly of: keyof Outcomes;
  readonly generator: string;
  readonly seed: number;
  readonly sites: number;
}

const THREADS = 2;

/** So many sites of each seed from each generator: a week of each with events of every kind, or some windows. */
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
  const sources = of === 'weeks' ? weeks : labelledWindows(seed, sites, own);
  for (const source of sources) {
    const outcome = await ('truth' in source ? outcomeOf(source) : weekOutcome(source));
    outcomes.push({ ...outcome, generator });
  }
  return outcomes;
}

if (!isMainThread && Array.isArray(workerData)) {
  const all: object[] = [];
  for (const task of workerData) all.push(...(await outcomesOf(task)));
  parentPort?.postMessage(all);
}
