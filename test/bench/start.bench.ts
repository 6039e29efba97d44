/**
 * From the start of the process until it takes questions, and the memory it needs while nobody asks: the build as the
 * image has it and the source as `npm start` has it, beside a bare Bolt app. They take turns, each with what Node kept
 * of its last start.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildImage } from '../support/built-image.ts';
import { type Contender, startBareBolt, startBot, startService } from './contenders.ts';
import { aim, cpuMsOf, isQuick, machineLoad, median, residentMbOf, spread, times } from './figures.ts';

const ROUNDS = isQuick ? 3 : 15;
const IDLE_MS = isQuick ? 2_000 : 10_000;

const image = await buildImage();
process.env.NODE_COMPILE_CACHE = join(image.folder, 'compiled');
const service = await startService();
const rows = {
  'bare Bolt': () => startBareBolt({ people: 1 }),
  build: () => startBot(service, {}, { people: 1 }, image.main),
  source: () => startBot(service, {}, { people: 1 }),
};
type Row = keyof typeof rows;
const names = Object.keys(rows) as Row[];
const found = new Map(names.map((name) => [name, { wall: [] as number[], cpu: [] as number[], idle: 0 }]));

async function end(app: Contender): Promise<void> {
  // By itself: what was compiled is written at the end.
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
console.log(`start, ms from the process to ready (p50 / p95), ${ROUNDS} rounds in turn, ${machineLoad()}`);
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
const build = found.get('build') ?? { wall: [], cpu: [], idle: Number.NaN };
aim('start of the build, to bare Bolt', ratioOf(build.wall, bareWall), 1.5);
aim('memory of the build while nobody asks', build.idle, 150, 'MB');
await service.stop();
image.remove();
