/** What people do, and the events and payloads that a real Bolt app gets for it. */
import { App, Assistant } from '@slack/bolt';
import { type LocalSlackOptions, startLocalSlack } from 'slack-test-workspace';
import { afterEach, describe, expect, it } from 'vitest';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0).reverse()) await stop();
});

async function start(register: (app: App) => void, options: LocalSlackOptions = {}) {
  const slack = await startLocalSlack(options);
  cleanUp.push(slack.stop);
  const app = new App(slack.appOptions());
  register(app);
  await app.start();
  cleanUp.push(() => app.stop());
  return slack;
}

/** Every event that the app gets. */
async function recording(...events: string[]) {
  const got: Record<string, unknown>[] = [];
  const register = (app: App) => app.event(/.*/, async ({ event }) => void got.push({ ...event }));
  const slack = await start(register, { workspace: { app: { events } } });
  return { slack, got };
}

describe('messages', () => {
  it('reach an app that reads channels, with its mention', async () => {
    const { slack, got } = await recording('message.channels', 'app_mention');
    await slack.sendMessage({ text: 'Hello <@U0TESTAPP1>', channel: '#general', user: 'diego' });
    expect(got.map(({ type }) => type).sort()).toEqual(['app_mention', 'message']);
    expect(got[0]).toMatchObject({ channel: 'C0GENERAL1', user: 'U0DIEGO001' });
  });

  it('do not reach an app that did not subscribe, or is not there', async () => {
    const { slack } = await recording('message.im');
    expect(await slack.sendMessage({ text: 'Hello' })).toMatchObject({ acked: false, error: 'not_subscribed' });
    const there = await slack.sendMessage({ text: 'Hello', channel: '#lounge' });
    expect(there).toMatchObject({ acked: false, error: 'bot_not_in_channel' });
  });

  it('are edited and deleted by who wrote them', async () => {
    const { slack, got } = await recording('message.channels');
    const message = slack.say({ text: 'Helo' });
    await slack.editMessage({ message, text: 'Hello' });
    await slack.deleteMessage({ message });
    expect(got).toMatchObject([
      { subtype: 'message_changed', message: { text: 'Hello' }, previous_message: { text: 'Helo' } },
      { subtype: 'message_deleted', deleted_ts: message.ts, previous_message: { text: 'Hello' } },
    ]);
    expect((await slack.deleteMessage({ message })).error).toBe('message_gone');
  });

  it('carry files', async () => {
    const { slack, got } = await recording('message.channels', 'file_shared');
    const { id } = slack.uploadFile({ name: 'log.txt', bytes: Buffer.from('log'), user: 'maya' });
    await slack.sendMessage({ text: 'See', files: [id] });
    const [shared, message] = got.toSorted((a, b) => String(a.type).localeCompare(String(b.type)));
    expect(shared).toMatchObject({ type: 'file_shared', file_id: id });
    expect(message).toMatchObject({ subtype: 'file_share', files: [{ id, user: 'U0MAYA0001' }] });
  });
});

it('channels are joined by people and by the app', async () => {
  const { slack, got } = await recording('member_joined_channel', 'team_join');
  slack.changeChannel('#random', { members: [] });
  await slack.joinChannel({ channel: '#random', user: 'sam' });
  await slack.inviteApp({ channel: '#lounge', user: 'maya' });
  await slack.sendEvent({ type: 'team_join', user: { id: 'U0NEW00001' } });
  expect(got).toMatchObject([
    { type: 'member_joined_channel', user: 'U0NOZONE01', channel: 'C0RANDOM01' },
    { type: 'member_joined_channel', user: 'U0TESTAPP1', channel: 'C0LOUNGE01', inviter: 'U0MAYA0001' },
    { type: 'team_join', user: { id: 'U0NEW00001' } },
  ]);
});

describe('a menu with an external source', () => {
  const option = (value: string) => ({ text: { type: 'plain_text', text: value.toUpperCase() }, value });
  const asking = (type: string, options: unknown) => (app: App) => {
    const blocks = [{ type: 'actions', elements: [{ type, action_id: 'city' }] }];
    app.command('/test', async ({ ack, say }) => {
      await ack();
      await say({ text: 'Where?', blocks: blocks as never });
    });
    app.options('city', ({ ack }) => ack({ options } as never));
  };

  it('shows what the app finds, and sends what was chosen', async () => {
    const chosen: unknown[] = [];
    const slack = await start((app) => {
      asking('external_select', ['oslo', 'rome'].map(option))(app);
      app.action('city', async ({ ack, action }) => {
        chosen.push(action);
        await ack();
      });
    });
    await slack.command();
    const message = await slack.nextMessage();
    const { options } = await slack.loadOptions({ message, actionId: 'city', query: 'o' });
    expect(options.map(({ value }) => value)).toEqual(['oslo', 'rome']);
    await slack.clickButton({ message, actionId: 'city', choice: 'rome' });
    expect(chosen).toMatchObject([{ selected_option: { text: { text: 'ROME' }, value: 'rome' } }]);
  });

  it('refuses options that are not valid', async () => {
    const slack = await start(asking('multi_external_select', [{ text: 'Oslo', value: 'oslo' }]));
    await slack.command();
    const { problems, options } = await slack.loadOptions({ message: await slack.nextMessage(), actionId: 'city' });
    expect(problems).toMatchObject([{ error: 'invalid_options', pointer: '/options/0/text' }]);
    expect(options).toEqual([]);
    expect(slack.refusals).toMatchObject([{ method: 'block_suggestion' }]);
  });
});

it('an assistant gets its threads, and gives them prompts and a title', async () => {
  const seen: unknown[] = [];
  const assistant = new Assistant({
    threadStarted: async ({ say, setSuggestedPrompts, saveThreadContext }) => {
      await say('How can I help?');
      await saveThreadContext();
      await setSuggestedPrompts({ title: 'Try', prompts: [{ title: 'Joke', message: 'Tell a joke' }] });
    },
    threadContextChanged: async ({ event, saveThreadContext }) => {
      await saveThreadContext();
      seen.push(event.assistant_thread.context.channel_id);
    },
    userMessage: async ({ message, setTitle, say }) => {
      await setTitle('Jokes');
      await say(`You said: ${'text' in message ? message.text : ''}`);
    },
  });
  const events = ['assistant_thread_started', 'assistant_thread_context_changed', 'message.im'];
  const workspace = { app: { events, assistantView: true } };
  const slack = await start((app) => void app.assistant(assistant), { workspace });
  const { message: root } = await slack.openAssistant({ user: 'maya' });
  if (root === undefined) throw new Error('no thread');
  expect((await slack.nextMessage()).threadTs).toBe(root.ts);
  const prompts = await slack.waitFor(() => slack.suggestedPrompts('maya'));
  expect(prompts.prompts[0]?.message).toBe('Tell a joke');
  await slack.viewChannel({ user: 'maya', viewing: '#random' });
  await expect.poll(() => seen).toEqual(['C0RANDOM01']);
  await slack.directMessage({ text: 'Tell a joke', user: 'maya', threadTs: root.ts });
  expect((await slack.nextMessage()).text).toBe('You said: Tell a joke');
  expect(slack.threadTitle(root)).toBe('Jokes');
  expect(slack.refusals).toEqual([]);
});

it('forms carry rich text, channels and files', async () => {
  const label = { type: 'plain_text', text: 'Input' };
  const types = { note: 'rich_text_input', where: 'multi_channels_select', proof: 'file_input' };
  const blocks = Object.entries(types).map(([id, type]) => ({
    type: 'input',
    block_id: id,
    label,
    element: { type, action_id: id },
  }));
  const values: unknown[] = [];
  const slack = await start((app) => {
    app.command('/test', async ({ ack, command, client }) => {
      await ack();
      const view = { type: 'modal', callback_id: 'form', title: label, submit: label, blocks };
      await client.views.open({ trigger_id: command.trigger_id, view: view as never });
    });
    app.view('form', async ({ ack, view }) => {
      values.push(view.state.values);
      await ack();
    });
  });
  await slack.command();
  await slack.waitFor(() => slack.modals()[0]);
  const { id } = slack.uploadFile({ name: 'proof.png', bytes: Buffer.from('png') });
  await slack.submitView({ values: { note: 'Hello', where: ['C0RANDOM01'], proof: [id] } });
  expect(values).toMatchObject([
    {
      note: { note: { rich_text_value: { elements: [{ elements: [{ type: 'text', text: 'Hello' }] }] } } },
      where: { where: { selected_channels: ['C0RANDOM01'] } },
      proof: { proof: { files: [{ id }] } },
    },
  ]);
  expect(slack.refusals).toEqual([]);
});

it('a manifest that is none is refused', async () => {
  const wrong = startLocalSlack({ manifest: { display_information: {} } });
  await expect(wrong).rejects.toThrow('missing required field: name [json-pointer:/display_information]');
});
