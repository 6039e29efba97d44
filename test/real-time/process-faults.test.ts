/** A bug that nobody handled, in the program as a process: it says so, finishes what it can, and ends. */
import { describe, expect, it } from 'vitest';
import type { BotProcess } from '../support/bot-process.ts';
import { eventually } from '../support/clock.ts';
import { cleanUpAfterEach, healthUrl, later, runBot, startStandIns } from '../support/process-stage.ts';
import { keysOf, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { isDigest, nextAnswer } from '../support/world.ts';

const PRELOAD = new URL('../support/fault-on-signal.ts', import.meta.url).href;
const EX_SOFTWARE = 70;

cleanUpAfterEach();

const runFaulty = (environment: Readonly<Record<string, string>>, fault: string): BotProcess =>
  runBot({ ...environment, FAULT: fault, NODE_OPTIONS: `--import=${PRELOAD}` });

function loggedFault(bot: BotProcess): Record<string, unknown> {
  const line = bot.output.out.split('\n').find((text) => text.includes('unhandled error'));
  return JSON.parse(line ?? '{}');
}

describe.each([
  ['rejection', 'unhandledRejection'],
  ['exception', 'uncaughtException'],
])('an unhandled %s', (fault, origin) => {
  it('is logged with its stack, and ends the process with a code of its own', async () => {
    const { environment } = await startStandIns('socket');
    const bot = runFaulty(environment, fault);
    await bot.printed(/wafbot is ready/);
    bot.signal('SIGUSR2');
    expect(await bot.ended).toBe(EX_SOFTWARE);
    expect(loggedFault(bot)).toMatchObject({
      level: 50,
      origin,
      err: {
        message: expect.stringContaining('on purpose'),
        stack: expect.arrayContaining([expect.stringContaining('fault-on-signal.ts')]),
      },
    });
    expect(bot.output.out + bot.output.err).not.toContain('x.example');
    expect(bot.output.err).toBe('');
  });
});

describe.skipIf(!redisAvailable)(`an unhandled fault while a digest is made${redisNote}`, () => {
  async function startRun() {
    const redis = await startRedis(['--appendonly', 'no']);
    later(() => redis.stop());
    const { slack, service, environment } = await startStandIns('socket');
    const bot = runFaulty({ ...environment, WAFBOT_STORE: redis.url, WAFBOT_CHARTS: 'none' }, 'rejection');
    await bot.printed(/wafbot is ready/);
    // The weeks before are cached then, so that a busy machine, too, finishes the digest in the five seconds that it has.
    await slack.command({ text: 'check' });
    await nextAnswer(slack);
    await slack.command({ text: 'digest daily at 09:00' });
    expect((await nextAnswer(slack)).text).toMatch(/^Digest scheduled/);
    const held = service.hold();
    await slack.command({ text: 'digest run now' });
    const leases = (): Promise<readonly string[]> => keysOf(redis.url, 'wafbot:!claims::run/*');
    await eventually(async () => (await leases()).length === 1, 'the lease of the run');
    return { slack, bot, held, leases };
  }

  it('is counted; the digest is finished and posted once, and its lease given back', async () => {
    const { slack, bot, held, leases } = await startRun();
    const url = await healthUrl(bot);
    bot.signal('SIGUSR2');
    const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
    const counted = 'wafbot_unhandled_faults_total{origin="unhandledRejection"} 1';
    await eventually(async () => (await metrics()).includes(counted), 'the fault among the metrics');
    held.release();
    expect(await bot.ended).toBe(EX_SOFTWARE);
    expect(await leases()).toEqual([]);
    expect(slack.messages().filter(isDigest)).toHaveLength(1);
  });

  it('ends the process all the same when that does not finish', async () => {
    const { slack, bot } = await startRun();
    bot.signal('SIGUSR2');
    // The stop ends the call that the service holds; a lease that is left behind nevertheless runs out by itself.
    expect(await bot.ended).toBe(EX_SOFTWARE);
    expect(slack.messages().filter(isDigest)).toEqual([]);
  });
});
