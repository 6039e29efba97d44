/**
 * What a person waits for: from a command to its answer, and to the image, with 100 ms per call to Slack and 300 ms per
 * call to the service. The kinds of questions take turns.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { newQuestions, startBot, startService } from './contenders.ts';
import { isQuick, machineLoad, median, spread, target } from './figures.ts';

const DISTANCE = { callMs: 100, connectionMs: 100 };
const SERVICE_MS = 300;
const ROUNDS = isQuick ? 5 : 12;
/** By then a client with Node's defaults has closed its connections. */
const IDLE_MS = 5_000;
const [REPEATED = ''] = newQuestions(1);

const service = await startService();
await service.call.slow(SERVICE_MS);
// After the warm-up the bot knows all three.
const bot = await startBot(service, {}, { people: 3, distance: DISTANCE });
const newcomers = await startBot(service, {}, { people: 2 + ROUNDS, distance: DISTANCE });

const cases = {
  'numbers and image cached': { app: bot, text: () => REPEATED },
  'service asked': { app: bot, text: nextQuestion },
  'service asked, new person': { app: newcomers, text: nextQuestion },
  'incident, with its files': { app: bot, text: nextIncident },
  'service asked, after 5 s of silence': { app: bot, text: nextQuestion },
};
type Case = keyof typeof cases;

/** Hours apart: a window that leads to a verdict takes more calls to the service, and so do its neighbors. */
function nextQuestion(): string {
  return newQuestions(437).at(-1) ?? '';
}

let incidents = 0;
function nextIncident(): string {
  incidents += 1;
  const start = Temporal.Now.instant().round({ smallestUnit: 'minute' }).subtract({ hours: 30, minutes: incidents });
  return `incident ${start}/${start.add({ hours: 1 })}`;
}

const names = Object.keys(cases) as Case[];
const found = new Map(names.map((name) => [name, { answer: [] as number[], image: [] as number[], calls: '' }]));
async function ask(name: Case, round: number): Promise<void> {
  const { app, text } = cases[name];
  const { answerMs, pictureMs, calls, lost, sample } = await app.ask({ texts: [text()], atOnce: 1, pictures: true });
  if (lost > 0) throw new Error(`no answer: ${sample}`);
  // The first round opens connections and compiles.
  const into = round === 0 ? undefined : found.get(name);
  if (into === undefined) return;
  into.answer.push(...answerMs);
  into.image.push(...pictureMs);
  into.calls = calls.join(' ');
}

for (let round = 0; round <= ROUNDS; round += 1) {
  for (const name of names) {
    const isAfterSilence = name.includes('silence');
    if (isAfterSilence && (round === 0 || (isQuick && round > 1))) continue;
    if (isAfterSilence) await delay(IDLE_MS);
    await ask(name, round);
    // An incident's files follow its answer; the next question shouldn't wait for them.
    if (name.startsWith('incident')) await delay(1_500);
  }
}

console.log(
  `milliseconds from a command, p50 / p95; Slack: ${DISTANCE.callMs} ms per call and ${DISTANCE.connectionMs} ms per new connection, service: ${SERVICE_MS} ms; ${machineLoad()}`,
);
console.table(
  Object.fromEntries(
    [...found].map(([name, { answer, image, calls }]) => [
      name,
      { answer: spread(answer, 0), image: spread(image, 0), 'calls to Slack': calls },
    ]),
  ),
);
target('command to answer', median(found.get('service asked')?.answer ?? []), 700, 'ms');
for (const app of [bot, newcomers]) await app.stop();
await service.stop();
