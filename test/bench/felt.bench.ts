/**
 * What a person waits for: from a command to the answer, and to its picture, where every call to Slack takes 100 ms and
 * every call to the service 300 ms. The kinds of questions take turns. What is ours is the difference to the calls that
 * have to follow one another.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { newQuestions, startBareBolt, startBot, startService } from './contenders.ts';
import { aim, isQuick, machineLoad, median, spread } from './figures.ts';

const DISTANCE = { callMs: 100, connectionMs: 100 };
const SERVICE_MS = 300;
const ROUNDS = isQuick ? 3 : 12;
/** The connections of a client with the defaults of Node are closed by then. */
const IDLE_MS = 5_000;
const [KEPT = ''] = newQuestions(1);

const service = await startService();
await service.call.slow(SERVICE_MS);
const bare = await startBareBolt({ people: 1, distance: DISTANCE });
// None of the three is new to the bot after the warm-up.
const bot = await startBot(service, {}, { people: 3, distance: DISTANCE });
const strangers = await startBot(service, {}, { people: 2 + ROUNDS, distance: DISTANCE });

const cases = {
  'bare Bolt, fixed text': { app: bare, text: () => '', pictures: false },
  'answer and picture kept': { app: bot, text: () => KEPT, pictures: true },
  'service asked': { app: bot, text: nextQuestion, pictures: true },
  'service asked, a person never seen': { app: strangers, text: nextQuestion, pictures: true },
  'incident, with its files': { app: bot, text: nextIncident, pictures: true },
  'service asked after a pause of 5 s': { app: bot, text: nextQuestion, pictures: true },
};

/** Hours apart: where one gives reason for a verdict, which takes more calls to the service, its neighbours do too. */
function nextQuestion(): string {
  return newQuestions(437).at(-1) ?? '';
}

let incidents = 0;
function nextIncident(): string {
  incidents += 1;
  const start = Temporal.Now.instant().round({ smallestUnit: 'minute' }).subtract({ hours: 30, minutes: incidents });
  return `incident ${start}/${start.add({ hours: 1 })}`;
}

const found = new Map(
  Object.keys(cases).map((name) => [name, { answer: [] as number[], picture: [] as number[], calls: '' }]),
);
async function ask(name: keyof typeof cases, round: number): Promise<void> {
  const { app, text, pictures } = cases[name];
  const { answerMs, pictureMs, calls, lost, sample } = await app.ask({ texts: [text()], atOnce: 1, pictures });
  if (lost > 0) throw new Error(`no answer: ${sample}`);
  // The first round opens connections and has everything compiled.
  const into = round === 0 ? undefined : found.get(name);
  into?.answer.push(...answerMs);
  into?.picture.push(...pictureMs);
  if (into !== undefined) into.calls = calls.join(' ');
}

for (let round = 0; round <= ROUNDS; round += 1) {
  for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
    const pauses = name.includes('pause');
    if (pauses && (round === 0 || (isQuick && round > 1))) continue;
    if (pauses) await delay(IDLE_MS);
    await ask(name, round);
    // Files of an incident come after its answer, and are not to be waited for by the next one.
    if (name.startsWith('incident')) await delay(1_500);
  }
}

console.log(
  `milliseconds as a person feels them, p50 / p95; Slack ${DISTANCE.callMs} ms a call and ${DISTANCE.connectionMs} ms a new connection, service ${SERVICE_MS} ms; ${machineLoad()}`,
);
console.table(
  Object.fromEntries(
    [...found].map(([name, { answer, picture, calls }]) => [
      name,
      { text: spread(answer, 0), picture: picture.length === 0 ? '' : spread(picture, 0), 'calls to Slack': calls },
    ]),
  ),
);
aim('service asked, from the command to the answer', median(found.get('service asked')?.answer ?? []), 700, 'ms');
for (const app of [bare, bot, strangers]) await app.stop();
await service.stop();
