/**
 * `npm run load [-- --people <count> --seconds <length> --digests <count>]`: the bot as a process between a local Slack and
 * a local service, processes of their own, while people ask a realistic mix and digests fall due. With `--questions
 * <count>` people ask that many, and heap and store are looked at on the way: the heap must not grow, and the store no
 * longer once an hour is over, because answers about windows that move on are kept for that long.
 */
import { readdirSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { readHeapMb, readVitals, type Vitals } from './bot-vitals.ts';
import { startPeer } from './peer-process.ts';
import type { ServicePeer } from './service-peer.ts';
import type { AskReport, SlackPeer } from './slack-peer.ts';

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '120' },
    digests: { type: 'string', default: '100' },
    questions: { type: 'string', default: '0' },
    think: { type: 'string', default: '5000' },
    charts: { type: 'string', default: 'embedded' },
    store: { type: 'string', default: 'sqlite:./wafbot.db' },
    seed: { type: 'string', default: '1' },
  },
});
const [people, seconds, digests, questions] = [options.people, options.seconds, options.digests, options.questions].map(
  Number,
) as [number, number, number, number];

/** People pause in between, while what nobody needs any more is forgotten and the heap is looked at. */
const rounds = Math.min(20, Math.max(4, Math.floor(questions / 250)));

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
);
const slack = await startPeer<SlackPeer>(new URL('./slack-peer.ts', import.meta.url));
const service = await startPeer<ServicePeer>(new URL('./service-peer.ts', import.meta.url));
let bot: BotProcess | undefined;
try {
  bot = startBotProcess({
    ...(await slack.call.start({ people, digestChannels: digests })),
    ...(await service.call.environment()),
    WAFBOT_STORE: options.store,
    WAFBOT_CHARTS: options.charts,
    PORT: '0',
    WAFBOT_HEALTH_PORT: '0',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
  });
  await bot.printed(/wafbot is ready/);
  const port = /"port":(\d+)[^\n]*health and metrics/.exec(bot.output.out)?.[1] ?? '';
  process.exitCode = (questions > 0 ? await askMany(bot, port) : await askForAWhile(bot, port)) ? 0 : 1;
} finally {
  await bot?.clear();
  await slack.stop();
  await service.stop();
}

async function askForAWhile(running: BotProcess, port: string): Promise<boolean> {
  // So that all are made before they are due, and half of the run is still to come then.
  const dueMs = Math.ceil((Date.now() + digests * 60 + (seconds * 1_000) / 3) / 60_000) * 60_000;
  const time = new Date(dueMs).toISOString().slice(11, 16);
  const made = digests === 0 ? 0 : await slack.call.makeDigests({ count: digests, time });
  // The run is around the due time.
  await delay(Math.max(0, dueMs - Date.now() - (seconds * 1_000) / 2));
  const heapBefore = await readHeapMb(running);
  const callsBefore = await service.call.calls();
  const before = await readVitals(port);
  const watch = watchVitals(port);
  const think = Number(options.think);
  const report = await slack.call.ask({ questions: 1e9, seconds, thinkMs: think, seed: Number(options.seed) });
  const vitals = watch.stop();
  const after = await readVitals(port);
  const calls = (await service.call.calls()) - callsBefore;
  const late = (await slack.call.digestTimes()).map((atMs) => atMs - dueMs);
  console.log(`\n${people} people for ${seconds} s, ${digests} digests due at ${time} UTC, charts: ${options.charts}`);
  printQuestions(report, calls);
  if (digests > 0) {
    console.log(
      `digests    ${late.length} of ${made} came, after their due time: ${percentiles(
        late.map((ms) => ms / 1_000),
        ' s',
      )}`,
    );
  }
  printVitals(vitals, after.cpuSeconds - before.cpuSeconds, report.seconds);
  console.log(`heap       ${heapBefore.toFixed(1)} MB before, ${(await readHeapMb(running)).toFixed(1)} MB after`);
  return report.lost + report.failed + report.refusedBySlack === 0 && late.length === made;
}

async function askMany(running: BotProcess, port: string): Promise<boolean> {
  const heaps: number[] = [];
  const stored: number[] = [];
  let asked = 0;
  let faults = 0;
  const started = performance.now();
  console.log(`\n${questions} questions by ${people} people, charts: ${options.charts}`);
  for (let round = 0; round < rounds; round += 1) {
    const share = Math.round((questions * (round + 1)) / rounds) - asked;
    const report = await slack.call.ask({
      questions: share,
      seconds: 1e6,
      thinkMs: Number(options.think),
      seed: round + 1,
    });
    asked += share;
    faults += report.lost + report.failed + report.refusedBySlack;
    await slack.call.forget();
    heaps.push(await readHeapMb(running));
    const { residentMb } = await readVitals(port);
    stored.push(storedMb(running));
    const calls = await service.call.calls();
    const perQuestion = (calls / asked).toFixed(2);
    console.log(
      `${String(asked).padStart(8)} asked, ${(report.latencies.length / report.seconds).toFixed(1).padStart(5)} a second, heap ${heaps.at(-1)?.toFixed(1)} MB, resident ${residentMb.toFixed(0)} MB, stored ${stored.at(-1)?.toFixed(1)} MB, ${perQuestion} calls a question, ${faults} faults`,
    );
  }
  // The first rounds fill caches; from then on it must stay where it is.
  const quarter = Math.floor(rounds / 4);
  const [first, last] = [mean(heaps.slice(quarter, 2 * quarter)), mean(heaps.slice(-quarter))];
  console.log(`heap after collection: ${first.toFixed(1)} MB in the second quarter, ${last.toFixed(1)} MB in the last`);
  console.log(
    `stored: ${stored[quarter]?.toFixed(1)} MB after the first quarter, ${stored.at(-1)?.toFixed(1)} MB at the end`,
  );
  console.log(`${Math.round((performance.now() - started) / 1_000)} s in all, ${faults} faults`);
  return faults === 0 && last < first * 1.15 + 2;
}

/** The SQLite file and its log, where there is one. */
function storedMb({ pid }: BotProcess): number {
  const folder = `/proc/${pid}/cwd`;
  const files = readdirSync(folder).filter((name) => name.startsWith('wafbot.db'));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 2 ** 20;
}

function watchVitals(port: string) {
  const seen: Vitals[] = [];
  const timer = setInterval(
    () =>
      void readVitals(port).then(
        (vitals) => seen.push(vitals),
        () => {},
      ),
    1_000,
  );
  return {
    stop() {
      clearInterval(timer);
      return seen;
    },
  };
}

function printQuestions(report: AskReport, calls: number): void {
  const { latencies, lost, failed, refusedBySlack, seconds: length } = report;
  const count = latencies.length + lost;
  console.log(
    `questions  ${count}, ${(count / length).toFixed(1)} a second; ${lost} without an answer within a minute, ${failed} failed`,
  );
  console.log(`latency    ${percentiles(latencies, ' ms')}`);
  console.log(`service    ${calls} calls, ${(calls / count).toFixed(2)} a question`);
  for (const question of report.lostQuestions) console.log(`lost       ${question}`);
  if (refusedBySlack > 0) console.log(`slack      refused ${refusedBySlack} calls`);
}

function printVitals(vitals: readonly Vitals[], cpuSeconds: number, length: number): void {
  const highest = (of: (each: Vitals) => number): number => Math.max(...vitals.map(of));
  const p99 = percentile(
    vitals.map(({ delayP99Ms }) => delayP99Ms),
    50,
  );
  console.log(`memory     ${highest(({ residentMb }) => residentMb).toFixed(0)} MB resident at most`);
  console.log(
    `event loop delay by the second: p99 ${p99.toFixed(1)} ms (median), ${highest(({ delayMaxMs }) => delayMaxMs).toFixed(1)} ms at most; CPU ${((100 * cpuSeconds) / length).toFixed(0)} % of a core`,
  );
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))] ?? Number.NaN;
}

function percentiles(values: readonly number[], unit: string): string {
  return [50, 90, 99, 100]
    .map(
      (part) =>
        `${part === 100 ? 'max' : `p${part}`} ${percentile(values, part).toFixed(unit === ' s' ? 1 : 0)}${unit}`,
    )
    .join(', ');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
