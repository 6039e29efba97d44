/** A Slack app like any other: it orders lunch, and knows nothing about tests. */
import { App, type AppOptions, type types } from '@slack/bolt';

const DISHES = ['Bibimbap', 'Burrito', 'Falafel', 'Pho', 'Pizza'];

const text = (value: string) => ({ type: 'plain_text', text: value }) as const;

const question: types.KnownBlock[] = [
  { type: 'section', text: { type: 'mrkdwn', text: 'Who is *hungry*?' } },
  { type: 'actions', elements: [{ type: 'button', action_id: 'order', text: text('Order') }] },
];

/** The form remembers the channel in which the order was placed. */
const orderForm = (channel: string): types.ModalView => ({
  type: 'modal',
  callback_id: 'order_form',
  private_metadata: channel,
  title: text('Order lunch'),
  submit: text('Order'),
  blocks: [
    {
      type: 'input',
      block_id: 'dish',
      label: text('Dish'),
      element: { type: 'external_select', action_id: 'dish', min_query_length: 0 },
    },
    {
      type: 'input',
      block_id: 'count',
      label: text('How many?'),
      element: { type: 'plain_text_input', action_id: 'count' },
    },
  ],
});

export function createLunchApp(options: AppOptions): App {
  const app = new App(options);
  addCommand(app);
  addForm(app);
  app.message(/hungry/i, async ({ message, say }) => {
    await say({ text: 'Try `/lunch`.', thread_ts: message.ts });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({ user_id: event.user, view: { type: 'home', blocks: question } });
  });
  app.event('reaction_added', async ({ event, client }) => {
    if (event.reaction === 'x') await client.chat.delete({ channel: event.item.channel, ts: event.item.ts });
  });
  return app;
}

function addCommand(app: App): void {
  app.command('/lunch', async ({ ack, command, say, client }) => {
    await ack();
    const [, minutes] = /^in (\d+) minutes$/.exec(command.text) ?? [];
    if (minutes === undefined) {
      await say({ text: 'Who is hungry?', blocks: question });
      return;
    }
    const [{ ts = '' }] = [await say('I will ask.')];
    const post_at = Math.floor(Number(ts)) + Number(minutes) * 60;
    await client.chat.scheduleMessage({ channel: command.channel_id, post_at, text: 'Who is hungry?' });
  });
}

function addForm(app: App): void {
  app.action({ type: 'block_actions', action_id: 'order' }, async ({ ack, body, client }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: orderForm(body.channel?.id ?? '') });
  });
  app.shortcut('lunch_now', async ({ ack, shortcut, client }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: orderForm('C0GENERAL1') });
  });
  app.options('dish', async ({ ack, options }) => {
    const found = DISHES.filter((dish) => dish.toLowerCase().startsWith(options.value.toLowerCase()));
    await ack({ options: found.map((dish) => ({ text: text(dish), value: dish.toLowerCase() })) });
  });
  app.view('order_form', async ({ ack, view, body, client }) => {
    const { dish, count } = view.state.values;
    const portions = Number(count?.count?.value);
    if (!(portions > 0)) {
      await ack({ response_action: 'errors', errors: { count: 'Order at least one.' } });
      return;
    }
    await ack();
    const what = `${portions} × ${dish?.dish?.selected_option?.text.text}`;
    const channel = view.private_metadata;
    const order = await client.chat.postMessage({ channel, text: `<@${body.user.id}> orders ${what}` });
    await client.reactions.add({ channel, timestamp: order.ts ?? '', name: 'fork_and_knife' });
    await client.filesUploadV2({ channel_id: channel, filename: 'receipt.txt', content: what });
  });
}
