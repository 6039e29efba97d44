/**
 * What a person waits for: from a command to the answer with its picture, where every call to Slack takes 100 ms and
 * every call to the service 300 ms. The kinds of questions take turns. What is ours is the difference to the calls that
 * have to follow one another.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { newQuestions, startBareBolt, startBot, startService } from './contenders.ts';
import { aim, isQuick, machineLoad, median, spread } from './figures.ts';

const DISTANCE = { callMs: 100, connectionMs: 100 };
const SERVICE_MS = 300;
const ROUNDS = isQuick ? 2 : 12;
/** The connections of a client with the defaults of Node are closed by then. */
const IDLE_MS = 5_000;
const [KEPT = ''] = newQuestions(1);

const service = await startService();
await service.call.slow(SERVICE_MS);
const bare = await startBareBolt({ people: 1, distance: DISTANCE });
// One of the three asks nothing new of Slack: the first question of each person is asked before.
const bot = await startBot(service, {}, { people: 3, distance: DISTANCE });
const strangers = await startBot(service, {}, { people: 4 + 2 * ROUNDS, distance: DISTANCE });

const cases = {
  'bare Bolt, fixed text': { app: bare, text: () => '', pictures: false },
  'answer and picture kept': { app: bot, text: () => KEPT, pictures: true },
  'service asked': { app: bot, text: () => newQuestions(1)[0] ?? '', pictures: true },
  'service asked, a person never seen': { app: strangers, text: () => newQuestions(1)[0] ?? '', pictures: true },
  'incident, with its files': { app: bot, text: nextIncident, pictures: true },
  'service asked after a pause of 5 s': { app: bot, text: () => newQuestions(1)[0] ?? '', pictures: true },
};

let incidents = 0;
function nextIncident(): string {
  incidents += 1;
  const start = Temporal.Now.instant().round({ smallestUnit: 'minute' }).subtract({ hours: 30, minutes: incidents });
  return `incident ${start}/${start.add({ hours: 1 })}`;
}

const found = new Map(
  Object.keys(cases).map((name) => [name, { answer: [] as number[], picture: [] as number[], calls: '' }]),
);
async function ask(name: keyof typeof cases): Promise<void> {
  const { app, text, pictures } = cases[name];
  const into = found.get(name);
  const { answerMs, pictureMs, calls, lost, sample } = await app.ask({ texts: [text()], atOnce: 1, pictures });
  if (lost > 0) throw new Error(`no answer: ${sample}`);
  into?.answer.push(...answerMs);
  into?.picture.push(...pictureMs);
  if (into !== undefined) into.calls = calls.join(' ');
}

for (let person = 0; person < 3; person += 1) {
  await bot.ask({ texts: [KEPT], atOnce: 1, pictures: true });
  await strangers.ask({ texts: [KEPT], atOnce: 1, pictures: true });
}
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
    if (name.includes('pause')) await delay(IDLE_MS);
    await ask(name);
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
aim('service asked, with its picture', median(found.get('service asked')?.picture ?? []), 675, 'ms');
for (const app of [bare, bot, strangers]) await app.stop();
await service.stop();
