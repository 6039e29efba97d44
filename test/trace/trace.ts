/**
 * Which files of `src` a question or a digest enters, and in what order: the real bot between the local Slack and the
 * local statistics service, under V8's precise coverage. A file counts when one of its functions is called; what runs
 * when it is loaded does not count. The thread that draws has a heap of its own and is not looked at.
 */
import { once } from 'node:events';
import { type Profiler, Session } from 'node:inspector/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ManualClock } from '../support/clock.ts';
import type { World } from '../support/world.ts';
import type { Entry, FunctionsOfFile } from './entry-order.ts';

export interface EnteredFile {
  /** Below `src`, with slashes. */
  readonly file: string;
  /** The function that was called first; `line 12` where it has no name. */
  readonly first: string;
}

/** What to send and how to know that the answer is there. */
type Scenario = (world: World<ManualClock>) => Promise<{ start(): Promise<unknown>; done(): boolean }>;

const SOURCE = pathToFileURL(path.resolve(import.meta.dirname, '../../src')).href;
const LONGEST_MS = 60_000;
const POLL_MS = 50;
/** Of the bot's time in each poll: on a busy machine, more would pass before the answer, and a notice would come first. */
const PASSED_MS = 10;
/** So many polls in a row without another file, and the question has come to rest. */
const QUIET_POLLS = 5;

export async function traceFiles(sentence: string): Promise<readonly EnteredFile[]> {
  const coverage = await startCoverage();
  // Loaded under coverage, which is how all functions of the bot become known, the uncalled ones included.
  const { startScheduledWorld } = await import('../support/world.ts');
  const world = await startScheduledWorld({});
  try {
    const { start, done } = await (sentence === 'digest' ? digestFallingDue : typed(sentence))(world);
    const functions = await coverage.functions();
    const order = await watchEntries(functions);
    // What was still under way, such as the answer to the command before, is no part of it.
    for (let quiet = 0; quiet < QUIET_POLLS; quiet = (await coverage.called()).length === 0 ? quiet + 1 : 0) {
      await delay(POLL_MS);
    }
    await order.begin();
    const called = new Set<string>();
    await start();
    const givenUpMs = performance.now() + LONGEST_MS;
    for (let quiet = 0; quiet < QUIET_POLLS; ) {
      if (performance.now() > givenUpMs) throw new Error(`no answer came within ${LONGEST_MS / 1000} s`);
      await delay(POLL_MS);
      await world.clock.advance(PASSED_MS);
      const before = called.size;
      for (const url of await coverage.called()) called.add(url);
      quiet = done() && called.size === before ? quiet + 1 : 0;
    }
    return inOrder(called, await order.end());
  } finally {
    await world.stop();
  }
}

/** A sentence after the slash command. */
const typed =
  (text: string): Scenario =>
  async ({ slack }) => {
    const before = slack.messages().length + slack.ephemerals().length;
    return {
      start: () => slack.command({ text }),
      done: () => slack.messages().length + slack.ephemerals().length > before,
    };
  };

/** A daily digest that was set up before, at the moment when the scheduler finds it due. */
const digestFallingDue: Scenario = async ({ slack, clock }) => {
  await slack.command({ text: 'digest daily at 09:00' });
  await slack.nextMessage();
  await clock.advanceTo('2026-03-11T07:59:00Z');
  const before = slack.messages().length;
  return {
    start: () => clock.advanceTo('2026-03-11T08:00:00Z'),
    done: () => slack.messages().length > before,
  };
};

const isTopLevel = ({ functionName, ranges }: Profiler.FunctionCoverage): boolean =>
  functionName === '' && ranges[0]?.startOffset === 0;

async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** Since the last time it was asked. */
  async function take() {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(`${SOURCE}/`))
      .map(({ url, functions }) => ({ url, functions: functions.filter((each) => !isTopLevel(each)) }));
  }
  return {
    async functions(): Promise<FunctionsOfFile[]> {
      return (await take()).map(({ url, functions }) => ({
        url,
        ranges: functions.flatMap(({ ranges }) => ranges.slice(0, 1)),
      }));
    },
    async called(): Promise<string[]> {
      const files = await take();
      return files
        .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
        .map(({ url }) => url);
    },
  };
}

async function watchEntries(functions: readonly FunctionsOfFile[]) {
  const worker = new Worker(new URL('entry-order.ts', import.meta.url), { workerData: functions });
  const entries: Entry[] = [];
  await once(worker, 'message');
  return {
    async begin(): Promise<void> {
      worker.postMessage('begin');
      await once(worker, 'message');
      worker.on('message', (entry: Entry) => void entries.push(entry));
    },
    async end(): Promise<readonly Entry[]> {
      await worker.terminate();
      return entries;
    },
  };
}

/** Coverage says which; the breakpoints say when, and must know every one. A ping before the question is no part of it. */
function inOrder(called: ReadonlySet<string>, entries: readonly Entry[]): EnteredFile[] {
  const missed = [...called.difference(new Set(entries.map(({ url }) => url)))];
  if (missed.length > 0) throw new Error(`the breakpoints know nothing about ${missed.join(', ')}`);
  return entries
    .filter(({ url }) => called.has(url))
    .map(({ url, functionName, line }) => ({
      file: path.relative(fileURLToPath(SOURCE), fileURLToPath(url)),
      first: functionName === '' ? `line ${line}` : functionName,
    }));
}
