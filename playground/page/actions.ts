/** What a person does on the page, applied to the workspace. Each action returns what to show if it failed. */
import { z } from 'zod';
import { channelAt, DIRECT } from './screen.ts';
import type { TypedCommands } from './typed-commands.ts';
import type { PagePerson, PageSlack } from './workspace-port.ts';

export interface ActionResult {
  readonly error?: string;
  /** Validation messages by block id, for a form. */
  readonly errors?: Readonly<Record<string, string>>;
}

export interface ActionDeps {
  readonly slack: PageSlack;
  readonly typed: TypedCommands;
}

type Action = (body: unknown, deps: ActionDeps) => Promise<ActionResult>;

const choice = z.union([z.string(), z.number(), z.array(z.string())]);
const choices = z.record(z.string(), choice.nullable());
const element = {
  actionId: z.string(),
  blockId: z.string(),
  choice: choice.exactOptional(),
  state: choices.exactOptional(),
};
const messageRef = z.object({ channel: z.string(), ts: z.string() });

function action<T extends z.ZodType>(
  schema: T,
  run: (input: z.output<T>, deps: ActionDeps) => Promise<ActionResult>,
): Action {
  return async (body, deps) => {
    const parsed = schema.safeParse(body);
    return parsed.success ? run(parsed.data, deps) : { error: 'The page sent something that was not understood.' };
  };
}

const FAILED: Readonly<Record<string, string>> = {
  operation_timeout: 'The bot did not answer in time.',
  dispatch_failed: 'The bot could not be reached.',
  bot_not_in_channel: 'The bot is not in this channel, so it did not hear that.',
  message_gone: 'That message is gone.',
  view_gone: 'That view is gone.',
};
const BENIGN = new Set(['not_asked_for', 'not_subscribed']);

function resultOf(result: { readonly acked: boolean; readonly error?: string }): ActionResult {
  if (result.acked || result.error === undefined || BENIGN.has(result.error)) return {};
  return { error: FAILED[result.error] ?? `It failed with the error “${result.error}”.` };
}

const say = action(
  z.object({ user: z.string(), place: z.string(), text: z.string().trim().min(1).max(4000), thread: z.string() }),
  async ({ user, place, text, thread }, { slack, typed }) => {
    const viewer = slack.people().find((person) => person.id === user);
    if (viewer === undefined) return { error: 'There is no such person.' };
    if (text.startsWith('/')) {
      if (thread !== '') return { error: 'Slash commands do not work in threads. Mention the bot instead.' };
      return command({ viewer, place, text }, slack, typed);
    }
    const encoded = encodeText(text, slack);
    const inThread = thread === '' ? {} : { threadTs: thread };
    if (place === DIRECT) return resultOf(await slack.directMessage({ text: encoded, user, ...inThread }));
    const message = { text: encoded, channel: place, user, ...inThread };
    if (encoded.includes(`<@${slack.workspace.app.botUserId}>`)) return resultOf(await slack.mention(message));
    slack.say(message);
    return {};
  },
);

async function command(
  input: { readonly viewer: PagePerson; readonly place: string; readonly text: string },
  slack: PageSlack,
  typed: TypedCommands,
): Promise<ActionResult> {
  const { viewer, place, text } = input;
  const name = text.split(/\s/, 1)[0] ?? '';
  const { commands } = slack.workspace.app;
  if (!commands.includes(name)) return { error: `${name} is not a command here. There is ${commands.join(', ')}.` };
  // The direct message conversation is opened on first use.
  if (place === DIRECT && channelAt(slack, place, viewer) === undefined) await slack.openHome(viewer.id);
  const channel = channelAt(slack, place, viewer);
  if (channel === undefined) return { error: 'Commands need a channel.' };
  const entry = { place, user: viewer.id, text, ts: String(slack.now() / 1000) };
  typed.add(entry);
  const result = await slack.command({
    command: name,
    text: text.slice(name.length).trim(),
    channel: channel.id,
    user: viewer.id,
  });
  if (!result.acked) typed.fail(entry, result.error ?? 'unknown');
  return {};
}

/** As Slack's client encodes typed text: three characters escaped, names of people and channels replaced by ids. */
function encodeText(text: string, slack: PageSlack): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const { app } = slack.workspace;
  const people = new Map([
    ...slack.people().map((person) => [person.name, person.id] as const),
    [app.name, app.botUserId],
  ]);
  const channels = new Map(slack.channels().map((channel) => [channel.name, channel.id]));
  return escaped
    .replace(/@([\w.-]+)/g, (whole, name: string) => (people.has(name) ? `<@${people.get(name)}>` : whole))
    .replace(/#([\w-]+)/g, (whole, name: string) => (channels.has(name) ? `<#${channels.get(name)}|${name}>` : whole));
}

const pressInMessage = action(
  z.object({ user: z.string(), message: messageRef, ...element }),
  async (input, { slack }) => resultOf(await slack.clickButton(input)),
);
const pressInView = action(z.object({ view: z.object({ id: z.string() }), ...element }), async (input, { slack }) =>
  resultOf(await slack.clickInView(input)),
);
const shortcut = action(
  z.object({ user: z.string(), message: messageRef, callbackId: z.string() }),
  async (input, { slack }) => resultOf(await slack.messageShortcut(input)),
);
const submit = action(z.object({ user: z.string(), viewId: z.string(), values: choices }), async (input, { slack }) => {
  const result = await slack.submitView(input);
  const empty = result.unfilled.map((blockId) => [blockId, 'Please complete this required field.']);
  const errors = { ...result.errors, ...Object.fromEntries(empty) };
  return Object.keys(errors).length > 0 ? { errors } : resultOf(result);
});
const close = action(z.object({ user: z.string(), viewId: z.string() }), async (input, { slack }) =>
  resultOf(await slack.closeView(input)),
);
const home = action(z.object({ user: z.string() }), async ({ user }, { slack }) =>
  resultOf(await slack.openHome(user)),
);

export const ACTIONS: Readonly<Record<string, Action>> = {
  say,
  'press-in-message': pressInMessage,
  'press-in-view': pressInView,
  shortcut,
  submit,
  close,
  home,
};
