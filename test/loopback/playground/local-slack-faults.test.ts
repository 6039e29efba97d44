import type { App } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { afterEach, describe, expect, test } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { cleanUpAfterEach, startStage } from './local-slack-stage.ts';
import { QUIET } from './tiny-bot.ts';

cleanUpAfterEach();

describe('what Slack refuses', () => {
  let slack: LocalSlack;
  afterEach(() => slack.stop());
  const client = (token = slack.botToken) =>
    new WebClient(token, {
      slackApiUrl: slack.apiUrl,
      logger: QUIET,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    });
  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: { data?: { error?: string } }) => error.data?.error,
    );
  const post = (more: object = {}) => client().chat.postMessage({ channel: 'C0GENERAL1', text: 'x', ...more });

  test('tokens, scopes and unknown methods', async () => {
    slack = await startLocalSlack({ workspace: { app: { scopes: ['chat:write'] } } });
    expect(await errorOf(client('xoxb-wrong').auth.test())).toBe('invalid_auth');
    expect(await errorOf(client(slack.appToken).auth.test())).toBe('not_allowed_token_type');
    expect(await errorOf(client().apps.connections.open({}))).toBe('not_allowed_token_type');
    expect(await errorOf(client().users.info({ user: 'U0MAYA0001' }))).toBe('missing_scope');
    expect(await errorOf(client().conversations.history({ channel: 'C0GENERAL1' }))).toBe('missing_scope');
    expect(await errorOf(client().apiCall('chat.whisper'))).toBe('unknown_method');
    slack.revokeToken();
    expect(await errorOf(post())).toBe('token_revoked');
    expect(slack.refusals.map(({ error }) => error)).toContain('missing_scope');
  });

  test('channels', async () => {
    const hidden = { id: 'C0HIDDEN01', name: 'hidden', kind: 'private' as const, botIsMember: false };
    const open = { id: 'C0GENERAL1', name: 'general', members: ['U0MAYA0001'] };
    slack = await startLocalSlack({ workspace: { channels: [open, hidden] } });
    expect(await errorOf(post())).toBe('ok');
    expect(await errorOf(post({ channel: 'C0NOWHERE1' }))).toBe('channel_not_found');
    expect(await errorOf(post({ channel: hidden.id }))).toBe('channel_not_found');
    const whisper = client().chat.postEphemeral({ channel: open.id, user: 'U0DIEGO001', text: 'x' });
    expect(await errorOf(whisper)).toBe('user_not_in_channel');
    slack.changeChannel('general', { botIsMember: false });
    expect(await errorOf(post())).toBe('not_in_channel');
    slack.changeChannel('general', { archived: true });
    expect(await errorOf(post())).toBe('is_archived');
  });

  test('messages: faulty blocks with pointers, foreign and gone messages, files that are not there', async () => {
    slack = await startLocalSlack();
    const faulty = await post({ blocks: [{ type: 'header' }] }).catch((error: { data: unknown }) => error.data);
    expect(faulty).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: { messages: ['[ERROR] missing required field: text [json-pointer:/blocks/0]'] },
    });
    const { ts } = slack.say({ text: 'mine' });
    expect(await errorOf(client().chat.update({ channel: 'C0GENERAL1', ts, text: 'x' }))).toBe('cant_update_message');
    expect(await errorOf(client().chat.update({ channel: 'C0GENERAL1', ts: '1.1', text: 'x' }))).toBe(
      'message_not_found',
    );
    expect(await errorOf(client().chat.delete({ channel: 'C0GENERAL1', ts }))).toBe('cant_delete_message');
    expect(await errorOf(post({ text: '' }))).toBe('no_text');
    expect(await errorOf(post({ text: 'x'.repeat(40_001) }))).toBe('msg_too_long');
    const image = { type: 'image', slack_file: { id: 'F0UNKNOWN1' }, alt_text: 'x' };
    expect(await errorOf(post({ blocks: [image] }))).toBe('invalid_blocks');
    slack.faults.refuseBlockType('data_table');
    const row = [{ type: 'raw_text', text: 'x' }];
    expect(await errorOf(post({ blocks: [{ type: 'data_table', caption: 'c', rows: [row, row] }] }))).toBe(
      'invalid_blocks',
    );
  });

  test("an upload that never becomes ready can be neither posted nor is it the sender's fault", async () => {
    slack = await startLocalSlack({ fileReadyAfter: 'held' });
    const uploaded = await client().filesUploadV2({ file: Buffer.from('x'), filename: 'a.png' });
    const blocks = [{ type: 'image', slack_file: { id: uploaded.files[0]?.files?.[0]?.id }, alt_text: 'x' }];
    expect(await errorOf(post({ blocks }))).toBe('invalid_blocks');
    expect(slack.refusals).toEqual([]);
    slack.releaseFiles();
    expect(await errorOf(post({ blocks }))).toBe('ok');
    const shown = client().apiCall('chat.postEphemeral', {
      channel: 'C0GENERAL1',
      user: 'U0MAYA0001',
      text: 'x',
      blocks,
    });
    expect(await errorOf(shown)).toBe('invalid_blocks');
  });

  test('metadata is kept and found again, only when asked for', async () => {
    slack = await startLocalSlack();
    const metadata = { event_type: 'digest', event_payload: { run: '7' } };
    await post({ metadata });
    const history = (include: boolean) =>
      client().conversations.history({ channel: 'C0GENERAL1', include_all_metadata: include });
    expect((await history(true)).messages?.[0]?.metadata).toEqual(metadata);
    expect((await history(false)).messages?.[0]?.metadata).toBeUndefined();
    expect(await errorOf(post({ metadata: { event_type: 'x' } }))).toBe('invalid_metadata_schema');
  });

  test('429, 5xx, refusals on order, answers lost after the message was posted, and calls held back', async () => {
    slack = await startLocalSlack({ rateLimit: { burst: 3, perSecond: 1 }, now: () => 1_700_000_000_000 });
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 7 });
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    slack.faults.inject('chat.postMessage', { kind: 'status', status: 503 });
    await expect(post()).rejects.toMatchObject({ statusCode: 503 });
    slack.faults.inject('chat.postMessage', { kind: 'error', error: 'fatal_error' });
    expect(await errorOf(post())).toBe('fatal_error');
    slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await expect(post({ text: 'arrived' })).rejects.toThrow();
    slack.faults.inject('chat.postMessage', { kind: 'cut' });
    await expect(post({ text: 'never' })).rejects.toThrow();
    expect(slack.messages().map(({ text }) => text)).toEqual(['arrived']);

    const gate = slack.faults.hold('chat.postMessage');
    const held = post({ text: 'held' });
    await gate.reached;
    expect(slack.messages()).toHaveLength(1);
    gate.release();
    await held;
    expect(slack.messages()).toHaveLength(2);

    await post();
    await post();
    await post();
    await expect(post()).rejects.toMatchObject({ retryAfter: 1 });
    expect(slack.refusals).toEqual([]);
  });

  test('response_urls: five uses, thirty minutes, no pictures; trigger ids: three seconds, once', async () => {
    let nowMs = 1_700_000_000_000;
    slack = await startLocalSlack({ now: () => nowMs });
    const use = async (url: string, body: object = { text: 'x' }) =>
      (
        await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status;
    const { responseUrl = '', triggerId = '', error } = await slack.command();
    expect(error).toBe('dispatch_failed');
    const image = { type: 'image', slack_file: { id: 'F000000001' }, alt_text: 'x' };
    expect(await use(responseUrl, { text: 'x', blocks: [image] })).toBe(404);
    for (const _ of [2, 3, 4, 5]) expect(await use(responseUrl)).toBe(200);
    expect(await use(responseUrl)).toBe(404);
    const late = (await slack.command()).responseUrl ?? '';
    const view = { type: 'modal' as const, title: { type: 'plain_text' as const, text: 't' }, blocks: [] };
    expect(await errorOf(client().views.open({ trigger_id: triggerId, view }))).toBe('ok');
    expect(await errorOf(client().views.open({ trigger_id: triggerId, view }))).toBe('exchanged_trigger_id');
    nowMs += 30 * 60_000;
    expect(await use(late)).toBe(404);
    expect(await errorOf(client().views.open({ trigger_id: triggerId, view }))).toBe('expired_trigger_id');
    expect(await errorOf(client().views.open({ trigger_id: 'x', view }))).toBe('invalid_trigger_id');
  });

  test('a wait that is in vain says what there was', async () => {
    slack = await startLocalSlack();
    slack.say({ text: 'only this' });
    const wait = slack.waitFor(() => undefined, { what: 'a miracle', timeoutMs: 1 });
    await expect(wait).rejects.toThrow(/a miracle[\s\S]*only this/);
  });
});

describe('a bad line', () => {
  const counting = (seen: string[]) => (app: App) => {
    app.command('/test', async ({ ack, command }) => {
      seen.push(command.text);
      await ack();
    });
    app.event('app_mention', async ({ context }) => void seen.push(`mention ${context.retryNum ?? 0}`));
  };

  test.each(['socket', 'http'] as const)('%s: lost, doubled and unheard deliveries', async (mode) => {
    const seen: string[] = [];
    const slack = await startStage(mode, counting(seen));
    slack.deliveryFaults.loseNext();
    expect(await slack.command({ text: 'lost' })).toMatchObject({ acked: false, error: 'operation_timeout' });
    slack.deliveryFaults.duplicateNext();
    expect(await slack.command({ text: 'double' })).toMatchObject({ acked: true });
    await slack.command({ text: 'after' });
    expect(seen.toSorted()).toEqual(['after', 'double', 'double']);

    seen.length = 0;
    slack.deliveryFaults.loseNext();
    const again = await slack.mention({ text: 'x' });
    expect(again.acked).toBe(false);
    expect(await again.settled).toMatchObject({ acked: true });
    slack.deliveryFaults.loseAckNext();
    await (await slack.mention({ text: 'y' })).settled;
    expect(seen).toEqual(['mention 1', 'mention 0', 'mention 1']);
  });

  test.each(['socket', 'http'] as const)('%s: a command nobody acknowledges times out', async (mode) => {
    const slack = await startStage(mode, (app) => app.command('/test', async () => {}), { ackTimeoutMs: 150 });
    expect(await slack.command()).toMatchObject({ acked: false, error: 'operation_timeout' });
    expect(await slack.command({ command: '/other' })).toMatchObject({ error: 'not_a_valid_command' });
  });

  test('http: a request signed long ago or wrongly is not taken', async () => {
    const slack = await startStage('http', counting([]));
    slack.deliveryFaults.forgeSignature({ ageSeconds: 400 });
    expect(await slack.command()).toMatchObject({ error: 'dispatch_failed', status: 401 });
    slack.deliveryFaults.forgeSignature({ secret: 'other' });
    expect(await slack.command()).toMatchObject({ error: 'dispatch_failed', status: 401 });
    slack.deliveryFaults.forgeSignature({});
    expect(await slack.command()).toMatchObject({ acked: true, status: 200 });
  });

  test('socket: told to leave, cut off, and gone silent, the bot comes back each time', async () => {
    const seen: string[] = [];
    const slack = await startStage('socket', counting(seen), { ackTimeoutMs: 800, clientPingTimeoutMs: 600 });
    const back = () => slack.waitFor(() => slack.sockets.connected() === 1, { what: 'a connection' });
    slack.sockets.disconnect('refresh_requested');
    expect(await slack.command({ text: 'in the hole' })).toMatchObject({ error: 'dispatch_failed' });
    await back();
    slack.sockets.drop();
    await slack.waitFor(() => slack.sockets.connected() === 0);
    await back();
    slack.sockets.silence();
    expect(await slack.command({ text: 'into silence' })).toMatchObject({ error: 'operation_timeout' });
    await slack.waitFor(() => slack.sockets.connected() === 0, { what: 'the bot to notice' });
    await back();
    // On a busy machine a late pong makes the bot reconnect once more, so a single command may fall into the gap.
    const heard = () => slack.command({ text: 'heard' });
    await expect.poll(heard, { timeout: 30_000 }).toMatchObject({ acked: true });
    expect(new Set(seen)).toEqual(new Set(['heard']));
  });
});
