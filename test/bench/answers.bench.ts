/**
 * From a command in Slack to its answer, beside a bare Bolt app that posts a fixed text: one question alone, 64 at once,
 * and the processor time of each. Both make one call to Slack for an answer; what the service takes for its calls, which
 * bare Bolt does not make, is measured by itself. Rounds alternate, so that a noisy machine is noisy for all. Then a
 * burst, in which every question has its picture.
 */
import { callsAlone } from './bare-calls.ts';
import { type Contender, newQuestions, startBareBolt, startBot, startService } from './contenders.ts';
import { aim, cpuMsOf, isQuick, machineLoad, median, residentMbOf, spread, times } from './figures.ts';

const ROUNDS = isQuick ? 5 : 15;
const ALONE = 20;
const AT_ONCE = 64;
const TOGETHER = isQuick ? 128 : 384;
const BURST = isQuick ? 128 : 384;
const WARM_UP = isQuick ? 300 : 600;
/** The first question of each has one call to Slack more, so that the warm-up has to be longer. */
const PEOPLE = { people: isQuick ? 150 : 400 };

const [KEPT = ''] = newQuestions(1);
const kept = (count: number): string[] => Array.from({ length: count }, () => KEPT);

const service = await startService();
const bare = await startBareBolt(PEOPLE);
const plain = await startBot(service, { WAFBOT_CHARTS: 'none' }, PEOPLE);
const drawing = await startBot(service, {}, PEOPLE);
const rows = [
  { name: 'bare Bolt, fixed text', app: bare, texts: kept },
  { name: 'wafbot, answer kept, no picture', app: plain, texts: kept },
  { name: 'wafbot, service asked, no picture', app: plain, texts: newQuestions },
  { name: 'wafbot, answer kept, with picture', app: drawing, texts: kept },
].map((row) => ({
  ...row,
  alone: [] as number[],
  together: [] as number[],
  cpu: [] as number[],
  calls: [] as number[],
}));
const askAlone = await callsAlone(await service.call.environment());
const serviceMs: number[] = [];

async function cost(app: Contender, texts: readonly string[], atOnce: number) {
  const callsBefore = await service.call.calls();
  const cpuBefore = cpuMsOf(app.process.pid);
  const begun = performance.now();
  const { answerMs, lost, sample } = await app.ask({ texts, atOnce });
  if (lost > 0 || sample.includes('questions under way')) throw new Error(`no answer: ${sample}`);
  const wallMs = (performance.now() - begun) / texts.length;
  const cpuMs = (cpuMsOf(app.process.pid) - cpuBefore) / texts.length;
  return { answerMs, wallMs, cpuMs, calls: ((await service.call.calls()) - callsBefore) / texts.length };
}

for (const { app, texts } of rows) await cost(app, texts(WARM_UP), 8);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { app, texts, alone, together, cpu, calls } of rows) {
    const single = await cost(app, texts(ALONE), 1);
    alone.push(...single.answerMs);
    calls.push(single.calls);
    const crowd = await cost(app, texts(TOGETHER), AT_ONCE);
    together.push(crowd.wallMs);
    cpu.push(crowd.cpuMs);
    await app.forget();
  }
  for (let n = 0; n < ALONE; n += 1) serviceMs.push(await askAlone());
}

const [base] = rows;
if (base === undefined) throw new Error('nothing to compare with');
const ratio = (row: typeof base, of: 'alone' | 'together' | 'cpu'): number => median(row[of]) / median(base[of]);
console.log(`milliseconds a question, p50 / p95; ${machineLoad()}`);
console.table(
  Object.fromEntries(
    rows.map((row) => [
      row.name,
      {
        alone: spread(row.alone),
        'to bare': times(ratio(row, 'alone')),
        [`${AT_ONCE} at once`]: spread(row.together, 2),
        'to bare ': times(ratio(row, 'together')),
        CPU: median(row.cpu).toFixed(2),
        'to bare  ': times(ratio(row, 'cpu')),
        'calls to the service': (row.calls.reduce((sum, calls) => sum + calls, 0) / ROUNDS).toFixed(1),
        'resident MB': Math.round(residentMbOf(row.app.process.pid)),
      },
    ]),
  ),
);
console.log(`two calls to the service, side by side, by themselves: ${spread(serviceMs)} ms`);
const [, keptRow = base, askedRow = base] = rows;
aim('kept question alone, to bare Bolt', ratio(keptRow, 'alone'), 2.5);
aim(`kept question, ${AT_ONCE} at once, to bare Bolt`, ratio(keptRow, 'together'), 3);
aim('asked question alone, to bare Bolt', ratio(askedRow, 'alone'), 4);

const { answerMs, pictureMs, lost } = await drawing.ask({
  texts: newQuestions(BURST),
  atOnce: AT_ONCE,
  pictures: true,
});
console.log(
  `burst of ${BURST} different questions, ${AT_ONCE} at once: ${lost} without an answer, ${pictureMs.length} with a picture; ` +
    `text after ${spread(answerMs, 0)} ms, picture after ${spread(pictureMs, 0)} ms (p50 / p95)`,
);
aim('questions of the burst without a picture', BURST - pictureMs.length, 0, '');
for (const app of [bare, plain, drawing]) await app.stop();
await service.stop();
