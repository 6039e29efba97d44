/** What a person does on the page, carried into the workspace. Each answers with what to show when it went wrong. */
import { z } from 'zod';
import { channelAt, DIRECT } from './panel.ts';
import type { TypedCommands } from './typed.ts';
import type { PagePerson, PageSlack } from './workspace-port.ts';

export interface DeedResult {
  readonly error?: string;
  /** Complaints by block id, for a form. */
  readonly errors?: Readonly<Record<string, string>>;
}

export interface DeedDeps {
  readonly slack: PageSlack;
  readonly typed: TypedCommands;
}

type Deed = (body: unknown, deps: DeedDeps) => Promise<DeedResult>;

const choice = z.union([z.string(), z.number(), z.array(z.string())]);
const choices = z.record(z.string(), choice.nullable());
const element = {
  actionId: z.string(),
  blockId: z.string(),
  choice: choice.exactOptional(),
  state: choices.exactOptional(),
};
const messageRef = z.object({ channel: z.string(), ts: z.string() });

function deed<T extends z.ZodType>(schema: T, run: (input: z.output<T>, deps: DeedDeps) => Promise<DeedResult>): Deed {
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

function resultOf(happened: { readonly acked: boolean; readonly error?: string }): DeedResult {
  if (happened.acked || happened.error === undefined || BENIGN.has(happened.error)) return {};
  return { error: FAILED[happened.error] ?? `It failed with the error “${happened.error}”.` };
}

const say = deed(
  z.object({ user: z.string(), place: z.string(), text: z.string().trim().min(1).max(4000), thread: z.string() }),
  async ({ user, place, text, thread }, { slack, typed }) => {
    const viewer = slack.people().find((person) => person.id === user);
    if (viewer === undefined) return { error: 'There is no such person.' };
    if (text.startsWith('/')) {
      if (thread !== '') return { error: 'Slash commands do not work in threads. Mention the bot instead.' };
      return command({ viewer, place, text }, slack, typed);
    }
    const wire = toWire(text, slack);
    const inThread = thread === '' ? {} : { threadTs: thread };
    if (place === DIRECT) return resultOf(await slack.directMessage({ text: wire, user, ...inThread }));
    const spoken = { text: wire, channel: place, user, ...inThread };
    if (wire.includes(`<@${slack.workspace.app.botUserId}>`)) return resultOf(await slack.mention(spoken));
    slack.say(spoken);
    return {};
  },
);

async function command(
  input: { readonly viewer: PagePerson; readonly place: string; readonly text: string },
  slack: PageSlack,
  typed: TypedCommands,
): Promise<DeedResult> {
  const { viewer, place, text } = input;
  const name = text.split(/\s/, 1)[0] ?? '';
  const { commands } = slack.workspace.app;
  if (!commands.includes(name)) return { error: `${name} is not a command here. There is ${commands.join(', ')}.` };
  // The conversation with the bot exists from the first word in it on.
  if (place === DIRECT && channelAt(slack, place, viewer) === undefined) await slack.openHome(viewer.id);
  const channel = channelAt(slack, place, viewer);
  if (channel === undefined) return { error: 'Commands need a channel.' };
  const entry = { place, user: viewer.id, text, ts: String(slack.now() / 1000) };
  typed.add(entry);
  const happened = await slack.command({
    command: name,
    text: text.slice(name.length).trim(),
    channel: channel.id,
    user: viewer.id,
  });
  if (!happened.acked) typed.fail(entry, happened.error ?? 'unknown');
  return {};
}

/** As Slack's client writes down what was typed: three signs escaped, names of people and channels turned into ids. */
function toWire(text: string, slack: PageSlack): string {
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

const pressInMessage = deed(z.object({ user: z.string(), message: messageRef, ...element }), async (input, { slack }) =>
  resultOf(await slack.clickButton(input)),
);
const pressInView = deed(z.object({ view: z.object({ id: z.string() }), ...element }), async (input, { slack }) =>
  resultOf(await slack.clickInView(input)),
);
const shortcut = deed(
  z.object({ user: z.string(), message: messageRef, callbackId: z.string() }),
  async (input, { slack }) => resultOf(await slack.messageShortcut(input)),
);
const submit = deed(z.object({ user: z.string(), viewId: z.string(), values: choices }), async (input, { slack }) => {
  const happened = await slack.submitView(input);
  const empty = happened.unfilled.map((blockId) => [blockId, 'Please complete this required field.']);
  const errors = { ...happened.errors, ...Object.fromEntries(empty) };
  return Object.keys(errors).length > 0 ? { errors } : resultOf(happened);
});
const close = deed(z.object({ user: z.string(), viewId: z.string() }), async (input, { slack }) =>
  resultOf(await slack.closeView(input)),
);
const home = deed(z.object({ user: z.string() }), async ({ user }, { slack }) => resultOf(await slack.openHome(user)));

export const DEEDS: Readonly<Record<string, Deed>> = {
  say,
  'press-in-message': pressInMessage,
  'press-in-view': pressInView,
  shortcut,
  submit,
  close,
  home,
};
