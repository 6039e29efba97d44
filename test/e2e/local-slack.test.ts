import type { App } from '@slack/bolt';
import { afterEach, describe, expect, test } from 'vitest';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from '../../src/playground/slack/index.ts';
import { startHttpBot, startSocketBot, type TinyBot } from './tiny-bot.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let slack: LocalSlack | undefined;
let bot: TinyBot | undefined;

afterEach(async () => {
  await bot?.stop();
  await slack?.stop();
  bot = undefined;
  slack = undefined;
});

async function start(mode: 'socket' | 'http', register: (app: App) => void, options: LocalSlackOptions = {}) {
  slack = await startLocalSlack({ mode, eventRetryDelaysMs: [0, 0, 0], ...options });
  bot = await (mode === 'http' ? startHttpBot : startSocketBot)(slack, register);
  return slack;
}

describe.each(['socket', 'http'] as const)('over %s', (mode) => {
  test('a slash command is acknowledged, then answered in the channel, privately and by response_url', async () => {
    const local = await start(mode, (app) => {
      app.command('/waf', async ({ ack, command, client, respond }) => {
        await ack({ text: `working on ${command.text}` });
        await client.chat.postMessage({ channel: command.channel_id, text: 'for all' });
        await client.chat.postEphemeral({ channel: command.channel_id, user: command.user_id, text: 'for one' });
        await respond({ text: 'by url', response_type: 'in_channel' });
      });
    });
    const outcome = await local.command({ text: 'timeline', channel: '#oncall', user: 'diego' });
    expect(outcome).toMatchObject({ acked: true, ack: { text: 'working on timeline' } });
    expect(outcome.elapsedMs).toBeLessThan(3000);
    await local.waitFor(() => local.messages('#oncall').some((message) => message.text === 'by url'));
    expect(local.messages('#oncall').map(({ text, via }) => [text, via])).toEqual([
      ['for all', 'api'],
      ['by url', 'response_url'],
    ]);
    expect(local.ephemerals('diego', '#oncall').map(({ text, via }) => [text, via])).toEqual([
      ['working on timeline', 'ack'],
      ['for one', 'api'],
    ]);
    expect(local.messages('#security')).toEqual([]);
    expect(local.refusals).toEqual([]);
  });

  test('an upload becomes a picture in a message once it is ready', async () => {
    const local = await start(
      mode,
      (app) => {
        app.command('/waf', async ({ ack, command, client }) => {
          await ack();
          const uploaded = await client.filesUploadV2({ file: PNG, filename: 'chart.png', title: 'Chart' });
          const id = String(uploaded.files[0]?.files?.[0]?.id);
          let type = '';
          while (type === '') type = String((await client.files.info({ file: id })).file?.mimetype);
          await client.chat.postMessage({
            channel: command.channel_id,
            text: 'chart',
            blocks: [{ type: 'image', slack_file: { id }, alt_text: 'a chart' }],
          });
        });
      },
      { fileReadyAfter: 2 },
    );
    await local.command();
    const message = await local.nextMessage({ match: ({ text }) => text === 'chart' });
    expect(message.blocks[0]).toMatchObject({ type: 'image', slack_file: { id: local.files()[0]?.id } });
    expect(local.files()[0]).toMatchObject({
      name: 'chart.png',
      title: 'Chart',
      bytes: PNG,
      channels: [message.channel],
    });
    expect(local.calls('files.info')).toHaveLength(3);
    expect(local.refusals).toEqual([]);
  });
});
