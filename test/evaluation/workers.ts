/** Divides weeks among two threads: each is generated and searched on its own. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { labelledStreams } from './streams.ts';
import { GENERATORS } from './traffic/generators.ts';
import { type WeekOutcome, weekOutcome } from './weeks.ts';

interface Task {
  readonly generator: string;
  readonly seed: number;
  readonly weeks: number;
}

const THREADS = 2;

/** So many weeks of each seed from both generators, each with events of every kind. */
export async function weekOutcomes(seeds: readonly number[], weeks: number): Promise<WeekOutcome[]> {
  const tasks = GENERATORS.flatMap(({ name }) => seeds.map((seed): Task => ({ generator: name, seed, weeks })));
  const parts = Array.from({ length: THREADS }, (_, thread) => tasks.filter((_, at) => at % THREADS === thread));
  const done = await Promise.all(
    parts.map(async (part): Promise<WeekOutcome[]> => {
      const [outcomes] = await once(new Worker(import.meta.filename, { workerData: part }), 'message');
      return outcomes;
    }),
  );
  return done.flat();
}

async function outcomesOf(tasks: readonly Task[]): Promise<WeekOutcome[]> {
  const outcomes: WeekOutcome[] = [];
  for (const { generator, seed, weeks } of tasks) {
    const own = GENERATORS.find(({ name }) => name === generator);
    for (const stream of labelledStreams(seed, weeks, 'both', own)) {
      outcomes.push({ ...(await weekOutcome(stream)), generator });
    }
  }
  return outcomes;
}

if (!isMainThread && Array.isArray(workerData)) parentPort?.postMessage(await outcomesOf(workerData));
