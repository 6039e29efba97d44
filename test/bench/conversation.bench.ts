/**
 * From a command in Slack to its final answer, against a bare Bolt app that posts a fixed text, in one run and against
 * the same local Slack. Rounds alternate, so that a noisy machine is noisy for both.
 */
import { App } from '@slack/bolt';
import { startLocalSlack } from '../../playground/slack/index.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { startWorld, TUESDAY } from '../support/world.ts';

interface Runner {
  readonly name: string;
  ask(): Promise<void>;
  stop(): Promise<void>;
}

const QUESTION = 'timeline 2026-03-10T06:00Z/2026-03-10T12:00Z';
const WARM_UP = 20;
const ROUNDS = 15;
const PER_ROUND = 20;
const AT_ONCE = 10;

async function bare(): Promise<Runner> {
  const slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE });
  const app = new App({
    token: slack.botToken,
    appToken: slack.appToken,
    socketMode: true,
    deferInitialization: true,
    convoStore: false,
    clientOptions: { slackApiUrl: slack.apiUrl },
  });
  app.command('/waf', async ({ ack, command, client }) => {
    await ack();
    await client.chat.postMessage({ channel: command.channel_id, text: '1,234 requests, 56 attacks' });
  });
  await app.init();
  await app.start();
  return {
    name: 'bare Bolt app, fixed text',
    async ask() {
      await slack.command({ text: QUESTION });
      await slack.nextMessage();
    },
    async stop() {
      await app.stop();
      await slack.stop();
    },
  };
}

async function ours(name: string, environment: Record<string, string>, text: () => string): Promise<Runner> {
  const world = await startWorld({ environment: { ...environment, WAFBOT_LOG_LEVEL: 'silent' } });
  const people = world.slack.people();
  let asked = 0;
  return {
    name,
    async ask() {
      asked += 1;
      // In turn and a second apart, since one person may ask only so much at once and within a minute.
      world.clock.set(Temporal.Instant.from(TUESDAY).add({ seconds: asked }).toString());
      await world.slack.command({ text: text(), user: people[asked % people.length]?.id ?? '' });
      await world.slack.nextMessage();
    },
    stop: () => world.stop(),
  };
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

async function timed(ask: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await ask();
  return performance.now() - start;
}

let minute = 0;
const runners = [
  await bare(),
  await ours('wafbot, answer kept, no chart', { WAFBOT_CHARTS: 'none' }, () => QUESTION),
  await ours('wafbot, service asked, no chart', { WAFBOT_CHARTS: 'none' }, () => {
    minute += 1;
    const start = Temporal.Instant.from('2026-02-01T00:00Z').add({ minutes: minute });
    return `timeline ${start}/${start.add({ hours: 6 })}`;
  }),
  await ours('wafbot, answer kept, with chart', {}, () => QUESTION),
];

const latencies = runners.map((): number[] => []);
const rates = runners.map((): number[] => []);
for (const runner of runners) for (let at = 0; at < WARM_UP; at++) await runner.ask();
for (let round = 0; round < ROUNDS; round++) {
  for (const [index, runner] of runners.entries()) {
    for (let at = 0; at < PER_ROUND; at++) latencies[index]?.push(await timed(runner.ask));
    const together = await timed(async () => {
      for (let at = 0; at < PER_ROUND; at += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, () => runner.ask()));
    });
    rates[index]?.push((PER_ROUND * 1000) / together);
  }
}

const base = percentile(latencies[0] ?? [], 0.5);
console.log(`${'envelope to answer'.padEnd(34)} p50 ms   p99 ms   times bare   commands/s (${AT_ONCE} at once)`);
for (const [index, { name }] of runners.entries()) {
  const values = latencies[index] ?? [];
  const p50 = percentile(values, 0.5);
  const columns = [
    p50.toFixed(2).padStart(6),
    percentile(values, 0.99).toFixed(2).padStart(8),
    (p50 / base).toFixed(2).padStart(12),
  ];
  console.log(
    `${name.padEnd(34)} ${columns.join(' ')}   ${percentile(rates[index] ?? [], 0.5)
      .toFixed(0)
      .padStart(10)}`,
  );
}
for (const runner of runners) await runner.stop();
process.exit(0);
