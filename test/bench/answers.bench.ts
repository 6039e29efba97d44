/**
 * The bot's own share of an answer, and a burst of requests that all want an image. Slack and the service answer at once
 * here, so every answer waits for its image. The share is the time from a command to its answer, less the calls it waits
 * for, each measured without the bot: what a bare Bolt app takes to post a fixed text, the two calls to the service, and
 * the three calls of an upload. It includes parsing, judging, wording, drawing the image, the store, and what the bot's
 * clients and larger messages cost beyond those calls. Rounds alternate, so that noise hits all alike.
 */
import { serviceCallsAlone, uploadAlone } from './bare-calls.ts';
import { type Contender, newQuestions, startBareBolt, startBot, startService } from './contenders.ts';
import { cpuMsOf, isQuick, machineLoad, median, residentMbOf, spread, target } from './figures.ts';

const ROUNDS = isQuick ? 4 : 15;
const PER_ROUND = 20;
const CONCURRENT = 64;
const BURST = isQuick ? 64 : 384;
const WARM_UP = isQuick ? 150 : 400;
const PEOPLE = { people: WARM_UP };

const [REPEATED = ''] = newQuestions(1);
const repeated = (count: number): string[] => Array.from({ length: count }, () => REPEATED);

const service = await startService();
const bare = await startBareBolt(PEOPLE);
const bot = await startBot(service, {}, PEOPLE);
const rows = {
  'bare Bolt, fixed text': { app: bare, texts: repeated, ms: [] as number[], cpuMs: [] as number[] },
  'wafbot, numbers cached': { app: bot, texts: repeated, ms: [] as number[], cpuMs: [] as number[] },
  'wafbot, service asked': { app: bot, texts: newQuestions, ms: [] as number[], cpuMs: [] as number[] },
};
const alone = {
  'two calls to the service, in parallel': {
    call: await serviceCallsAlone(await service.call.environment()),
    ms: [] as number[],
  },
  'three calls of an upload, in turn': { call: uploadAlone(bot), ms: [] as number[] },
};

async function ask(app: Contender, texts: readonly string[], atOnce: number) {
  const cpuBefore = cpuMsOf(app.process.pid);
  const { answerMs, lost, sample } = await app.ask({ texts, atOnce });
  if (lost > 0) throw new Error(`no answer: ${sample}`);
  return { answerMs, cpuMs: (cpuMsOf(app.process.pid) - cpuBefore) / texts.length };
}

// Everybody's first question makes one more call to Slack.
for (const { app, texts } of Object.values(rows)) await ask(app, texts(WARM_UP), 8);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { app, texts, ms, cpuMs } of Object.values(rows)) {
    const asked = await ask(app, texts(PER_ROUND), 1);
    ms.push(...asked.answerMs);
    cpuMs.push(asked.cpuMs);
    await app.forget();
  }
  for (const { call, ms } of Object.values(alone)) for (let n = 0; n < PER_ROUND; n += 1) ms.push(await call());
  await bot.forget();
}

console.log(`from a command to its answer, one at a time, p50 / p95; ${machineLoad()}`);
console.table(
  Object.fromEntries(
    Object.entries(rows).map(([name, { app, ms, cpuMs }]) => [
      name,
      {
        ms: spread(ms),
        'CPU ms': median(cpuMs).toFixed(1),
        'resident MB': Math.round(residentMbOf(app.process.pid)),
      },
    ]),
  ),
);
for (const [name, { ms }] of Object.entries(alone)) console.log(`${name}, without the bot: ${spread(ms)} ms`);
const waitedMs = [rows['bare Bolt, fixed text'], ...Object.values(alone)].reduce((sum, { ms }) => sum + median(ms), 0);
target('own share of an answer', median(rows['wafbot, service asked'].ms) - waitedMs, 25, 'ms');

const { answerMs, pictureMs, lost } = await bot.ask({
  texts: newQuestions(BURST),
  atOnce: CONCURRENT,
  pictures: true,
});
console.log(
  `${BURST} requests, ${CONCURRENT} at once: ${lost} without an answer, ${pictureMs.length} with an image; ` +
    `text after ${spread(answerMs, 0)} ms, image after ${spread(pictureMs, 0)} ms (p50 / p95)`,
);
target(`${CONCURRENT} concurrent requests: images missing`, BURST - pictureMs.length, 0, '');
for (const app of [bare, bot]) await app.stop();
await service.stop();
