import { describe, expect, test } from 'vitest';
import { cleanUpAfterEach, startStage } from './local-slack-stage.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const plain = (text: string) => ({ type: 'plain_text' as const, text });

cleanUpAfterEach();

describe.each(['socket', 'http'] as const)('over %s', (mode) => {
  test('a slash command is acknowledged, then answered in the channel, privately and by response_url', async () => {
    const slack = await startStage(mode, (app) => {
      app.command('/test', async ({ ack, command, client, respond }) => {
        await ack({ text: `working on ${command.text}` });
        await client.chat.postMessage({ channel: command.channel_id, text: 'for all' });
        await client.chat.postEphemeral({ channel: command.channel_id, user: command.user_id, text: 'for one' });
        await respond({ text: 'by url', response_type: 'in_channel' });
      });
    });
    const outcome = await slack.command({ text: 'timeline', channel: '#random', user: 'diego' });
    expect(outcome).toMatchObject({ acked: true, ack: { text: 'working on timeline' } });
    await slack.waitFor(() => slack.messages('#random').some((message) => message.text === 'by url'));
    expect(slack.messages('#random').map(({ text, via }) => [text, via])).toEqual([
      ['for all', 'api'],
      ['by url', 'response_url'],
    ]);
    expect(slack.ephemerals('diego', '#random').map(({ text, via }) => [text, via])).toEqual([
      ['working on timeline', 'ack'],
      ['for one', 'api'],
    ]);
    expect(slack.messages('#general')).toEqual([]);
    expect(slack.refusals).toEqual([]);
  });

  test('an upload becomes a picture in a message once it is ready', async () => {
    const slack = await startStage(
      mode,
      (app) => {
        app.command('/test', async ({ ack, command, client }) => {
          await ack();
          const uploaded = await client.filesUploadV2({ file: PNG, filename: 'chart.png', title: 'Chart' });
          const id = String(uploaded.files[0]?.files?.[0]?.id);
          let type = '';
          while (type === '') type = String((await client.files.info({ file: id })).file?.mimetype);
          const blocks = [{ type: 'image' as const, slack_file: { id }, alt_text: 'a chart' }];
          await client.chat.postMessage({ channel: command.channel_id, text: 'chart', blocks });
        });
      },
      { fileReadyAfter: 2 },
    );
    await slack.command();
    const message = await slack.nextMessage();
    const [file] = slack.files();
    expect(message.blocks[0]).toMatchObject({ type: 'image', slack_file: { id: file?.id } });
    expect(file).toMatchObject({ name: 'chart.png', title: 'Chart', bytes: PNG, channels: [message.channel] });
    expect(slack.calls('files.info')).toHaveLength(3);
    expect(slack.refusals).toEqual([]);
  });

  test('a mention is answered in its thread, a direct message in the conversation, and the bot ignores itself', async () => {
    const slack = await startStage(mode, (app) => {
      app.event('app_mention', async ({ event, say }) => {
        await say({ text: `heard: ${event.text}`, thread_ts: event.thread_ts ?? event.ts });
      });
      app.message(async ({ message, say }) => {
        if (message.subtype === undefined) await say(`you said ${message.text}`);
      });
    });
    const parent = slack.say({ text: 'something is odd', channel: '#random' });
    const mention = await slack.mention({ text: 'check', channel: '#random', user: 'anjali', threadTs: parent.ts });
    expect(mention).toMatchObject({ acked: true, message: { text: '<@U0TESTAPP1> check', user: 'U0ANJALI01' } });
    const answer = await slack.nextMessage({ channel: '#random' });
    expect(answer).toMatchObject({ text: 'heard: <@U0TESTAPP1> check', threadTs: parent.ts });
    expect(slack.thread('#random', parent.ts)).toHaveLength(3);

    await slack.directMessage({ text: 'help', user: 'anjali' });
    const reply = await slack.nextMessage({ match: ({ channel }) => channel.startsWith('D') });
    expect(reply.text).toBe('you said help');
    // Its own words came to the bot as an event too.
    await slack.waitFor(() => slack.deliveries.length === 3);
    expect(slack.messages(reply.channel)).toHaveLength(2);
    expect(await slack.mention({ text: 'hi', channel: '#lounge' })).toMatchObject({ error: 'bot_not_in_channel' });
  });

  test('buttons and menus carry their message, and may replace or delete it', async () => {
    const seen: unknown[] = [];
    const actions = {
      type: 'actions' as const,
      block_id: 'row',
      elements: [
        { type: 'button' as const, action_id: 'later', text: plain('Later'), value: '{"from":1}' },
        {
          type: 'static_select' as const,
          action_id: 'pick',
          options: [
            { text: plain('One'), value: '1' },
            { text: plain('Two'), value: '2' },
          ],
        },
      ],
    };
    const slack = await startStage(mode, (app) => {
      app.command('/test', async ({ ack, client, command }) => {
        await ack({ text: 'private', blocks: [actions] });
        await client.chat.postMessage({ channel: command.channel_id, text: 'public', blocks: [actions] });
      });
      app.action('later', async ({ ack, body, action, client, respond }) => {
        await ack();
        seen.push(action);
        if (body.type !== 'block_actions') return;
        if (body.message === undefined) await respond({ delete_original: true });
        else await client.chat.update({ channel: String(body.channel?.id), ts: body.message.ts, text: 'changed' });
      });
      app.action('pick', async ({ ack, respond, action }) => {
        await ack();
        await respond({ replace_original: true, text: JSON.stringify(action) });
      });
    });
    await slack.command();
    const shown = await slack.nextMessage({ match: ({ text }) => text === 'public' });
    const [hidden] = slack.ephemerals();
    if (hidden === undefined) throw new Error('no ephemeral message');

    expect(await slack.clickButton({ message: shown, actionId: 'pick', choice: '2' })).toMatchObject({ acked: true });
    await slack.waitFor(() => slack.message(shown)?.text.includes('"value":"2"'));
    expect(await slack.clickButton({ message: hidden, actionId: 'later', user: 'diego' })).toMatchObject({
      error: 'not_visible',
    });
    await slack.clickButton({ message: hidden, actionId: 'later' });
    await slack.waitFor(() => slack.message(hidden) === undefined);
    expect(seen).toMatchObject([{ action_id: 'later', block_id: 'row', value: '{"from":1}', type: 'button' }]);
    await expect(slack.clickButton({ message: shown, actionId: 'later' })).rejects.toThrow(
      '0 elements have the action id',
    );
    expect(slack.message(shown)?.versions.map(({ text }) => text.slice(0, 6))).toEqual(['public', '{"type']);
    expect(slack.refusals).toEqual([]);
  });

  test('the message shortcut opens a modal; submitting checks, complains, stacks, updates and clears', async () => {
    const form = (title: string) => ({
      type: 'modal' as const,
      callback_id: 'form',
      title: plain(title),
      submit: plain('Go'),
      blocks: [
        {
          type: 'input' as const,
          block_id: 'name',
          label: plain('Name'),
          element: { type: 'plain_text_input' as const, action_id: 'name' },
        },
        {
          type: 'input' as const,
          block_id: 'at',
          label: plain('At'),
          element: { type: 'timepicker' as const, action_id: 'at', initial_time: '09:00' },
        },
      ],
    });
    const slack = await startStage(mode, (app) => {
      app.shortcut({ type: 'message_action', callback_id: 'test_shortcut' }, async ({ ack, shortcut, client }) => {
        await ack();
        await client.views.open({ trigger_id: shortcut.trigger_id, view: form('First') });
      });
      app.view('form', async ({ ack, view }) => {
        const name = view.state.values.name?.name?.value;
        if (name === 'bad') await ack({ response_action: 'errors', errors: { name: 'taken' } });
        else if (name === 'push') await ack({ response_action: 'push', view: form('Second') });
        else if (name === 'update')
          await ack({ response_action: 'update', view: form(String(view.state.values.at?.at?.selected_time)) });
        else await ack({ response_action: 'clear' });
      });
    });
    const message = slack.say({ text: 'look', channel: '#lounge' });
    expect(await slack.messageShortcut({ message })).toMatchObject({ acked: true });
    await slack.waitFor(() => slack.modals().length === 1);
    expect(await slack.submitView()).toMatchObject({
      acked: false,
      error: 'required_inputs_empty',
      unfilled: ['name'],
    });
    expect(await slack.submitView({ values: { name: 'bad' } })).toMatchObject({
      acked: true,
      errors: { name: 'taken' },
    });
    await slack.submitView({ values: { name: 'push' } });
    expect(slack.modals().map(({ source }) => source.title)).toEqual([plain('First'), plain('Second')]);
    await slack.submitView({ values: { name: 'update', at: '10:30' } });
    expect(slack.modals().at(-1)?.source.title).toEqual(plain('10:30'));
    await slack.submitView({ values: { name: 'done' } });
    expect(slack.modals()).toEqual([]);
    expect(slack.refusals).toEqual([]);
  });

  test('the Home tab is asked for, published, and its buttons work', async () => {
    const slack = await startStage(mode, (app) => {
      const blocks = [
        { type: 'actions' as const, elements: [{ type: 'button' as const, action_id: 'new', text: plain('New') }] },
      ];
      app.event('app_home_opened', async ({ event, client }) => {
        await client.views.publish({ user_id: event.user, view: { type: 'home', blocks } });
      });
      app.action('new', async ({ ack, body, client }) => {
        await ack();
        if (body.type !== 'block_actions') return;
        await client.views.open({
          trigger_id: body.trigger_id,
          view: { type: 'modal', title: plain('New'), blocks: [] },
        });
      });
    });
    await slack.openHome('diego');
    const home = await slack.waitFor(() => slack.home('diego'));
    await slack.clickInView({ view: home, actionId: 'new' });
    await slack.waitFor(() => slack.modals('diego').length === 1);
    expect(slack.home('maya')).toBeUndefined();
    expect(slack.refusals).toEqual([]);
  });
});
