/** The program on a file system that is read-only but for the folder of its data, as `docker run --read-only` has it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach, runBot, startStandIns } from '../support/process-stage.ts';
import { nextAnswer } from '../support/world.ts';

cleanUpAfterEach();

const READ_ONLY = 'mount -o remount,bind,ro / && ! touch probe 2>/dev/null';
const available = spawnSync('unshare', ['--mount', 'sh', '-c', READ_ONLY]).status === 0;
const note = available ? '' : ' (SKIPPED: this user may not mount anything)';

describe.skipIf(!available)(`on a read-only file system${note}`, () => {
  it('answers with a picture, keeps its data, and ends well', async () => {
    const { slack, environment } = await startStandIns('socket');
    const script = `mkdir data && mount --bind data data && ${READ_ONLY} && exec "$@"`;
    const within = ['unshare', '--mount', 'sh', '-c', script, 'sh'];
    const bot = runBot({ ...environment, WAFBOT_STORE: 'sqlite:data/wafbot.db' }, [], undefined, within);
    await bot.printed(/wafbot is ready/);
    await slack.command({ text: 'timeline last 24h' });
    expect((await nextAnswer(slack)).text).toMatch(/^[\d.,]+( [kM])? requests · [\d,]+ attacks/);
    expect(slack.files().map(({ name }) => name)).toEqual([expect.stringMatching(/\.png$/)]);
    await slack.command({ text: 'digest daily at 09:00' });
    expect((await nextAnswer(slack)).text).toMatch(/^Digest made/);
    bot.signal('SIGTERM');
    expect([await bot.ended, bot.output.err]).toEqual([0, '']);
    expect(bot.output.out).not.toMatch(/"level":[4-6]0/);
  });
});
