/**
 * From the start of the process until it takes questions, and its memory while idle: the build as in the image and the
 * source as `npm start` runs it, beside a bare Bolt app. They take turns, each with Node's compile cache of its last start.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildImage } from '../support/built-image.ts';
import { type Contender, startBareBolt, startBot, startService } from './contenders.ts';
import { cpuMsOf, isQuick, machineLoad, median, residentMbOf, spread, target, times } from './figures.ts';

const ROUNDS = isQuick ? 4 : 15;
const IDLE_MS = isQuick ? 2_000 : 10_000;

const image = await buildImage();
process.env.NODE_COMPILE_CACHE = join(image.folder, 'compiled');
const service = await startService();
const rows = {
  'bare Bolt': () => startBareBolt({ people: 1 }),
  build: () => startBot(service, {}, { people: 1 }, image.program),
  source: () => startBot(service, {}, { people: 1 }),
};
type Row = keyof typeof rows;
const names = Object.keys(rows) as Row[];
const found = new Map(names.map((name) => [name, { wall: [] as number[], cpu: [] as number[], idle: 0 }]));

async function end(app: Contender): Promise<void> {
  // Node writes its compile cache when the process ends by itself.
  app.process.signal('SIGTERM');
  await app.process.ended;
  await app.stop();
}

for (const name of names) await end(await rows[name]());
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of names) {
    const app = await rows[name]();
    const into = found.get(name);
    into?.wall.push(app.startMs);
    into?.cpu.push(cpuMsOf(app.process.pid));
    if (into !== undefined && round === ROUNDS - 1) {
      await delay(IDLE_MS);
      into.idle = residentMbOf(app.process.pid);
    }
    await end(app);
  }
}

const { wall: bareWall, cpu: bareCpu } = found.get('bare Bolt') ?? { wall: [], cpu: [] };
const ratioOf = (values: readonly number[], bare: readonly number[]) => median(values) / median(bare);
console.log(`milliseconds from the start of the process to ready, p50 / p95; ${machineLoad()}`);
console.table(
  Object.fromEntries(
    [...found].map(([name, { wall, cpu, idle }]) => [
      name,
      {
        wall: spread(wall, 0),
        'to bare': times(ratioOf(wall, bareWall)),
        CPU: spread(cpu, 0),
        'to bare ': times(ratioOf(cpu, bareCpu)),
        'idle MB': Math.round(idle),
      },
    ]),
  ),
);
const build = found.get('build') ?? { wall: [] };
target('startup of the build, compared with bare Bolt', ratioOf(build.wall, bareWall), 1.3, '×');
await service.stop();
image.remove();
