/** What people do on the page, applied to the workspace. Each action returns a notice or an error to show. */
import { z } from 'zod';
import type { Drawer } from './drawer-port.ts';
import type { Nights } from './nights-port.ts';
import { channelAt, DIRECT } from './places.ts';
import type { ReadMarks } from './read-marks.ts';
import type { PagePerson, PageSlack } from './workspace-port.ts';

interface ActionResult {
  readonly error?: string;
  /** Validation messages by block id, for a form. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Shown when it worked. */
  readonly notice?: string;
  /** The thread where an answer is expected. */
  readonly thread?: string;
}

interface ActionDeps {
  readonly slack: PageSlack;
  readonly drawer: Drawer | undefined;
  readonly nights: Nights | undefined;
  readonly marks: ReadMarks;
  readonly changed: () => void;
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
/** The acting person, and their browser window. */
const who = { user: z.string(), client: z.string().max(64) };
const messageRef = z.object({ channel: z.string(), ts: z.string() });

function action<T extends z.ZodType>(
  schema: T,
  run: (input: z.output<T>, deps: ActionDeps) => Promise<ActionResult>,
): Action {
  return async (body, deps) => {
    const parsed = schema.safeParse(body);
    return parsed.success ? run(parsed.data, deps) : { error: 'Invalid request.' };
  };
}

const FAILED: Readonly<Record<string, string>> = {
  operation_timeout: 'The bot didn’t respond in time.',
  dispatch_failed: 'The bot isn’t reachable.',
  bot_not_in_channel: 'The bot isn’t in this channel, so it didn’t see that.',
  message_gone: 'That message no longer exists.',
  view_gone: 'That view no longer exists.',
};
const BENIGN = new Set(['not_asked_for', 'not_subscribed']);

function resultOf(result: { readonly acked: boolean; readonly error?: string }): ActionResult {
  if (result.acked || result.error === undefined || BENIGN.has(result.error)) return {};
  return { error: FAILED[result.error] ?? `Failed with the error “${result.error}”.` };
}

const say = action(
  z.object({ ...who, place: z.string(), text: z.string().trim().min(1).max(4000), thread: z.string() }),
  async ({ user, client, place, text, thread }, { slack }) => {
    const viewer = personNamed(slack, user);
    if (viewer === undefined) return { error: 'Unknown person.' };
    if (text.startsWith('/')) {
      if (thread !== '') return { error: 'Slash commands don’t work in threads. Mention the bot instead.' };
      return command({ viewer, client, place, text }, slack);
    }
    const encoded = encodeText(text, slack);
    const threadTs = thread === '' ? undefined : thread;
    if (place === DIRECT) {
      return resultOf(await slack.directMessage({ text: encoded, user: viewer.id, threadTs }));
    }
    const channel = channelAt(slack, place, viewer);
    if (channel === undefined) return { error: 'Unknown channel.' };
    const message = { text: encoded, channel: channel.id, user: viewer.id, threadTs };
    if (!encoded.includes(`<@${slack.workspace.app.botUserId}>`)) {
      slack.say(message);
      return {};
    }
    const result = await slack.mention(message);
    const ts = thread === '' ? result.message?.ts : thread;
    return { ...resultOf(result), thread: ts };
  },
);

/** The first person if the page names none. */
const personNamed = (slack: PageSlack, user: string): PagePerson | undefined =>
  slack.people().find(({ id, name }) => user === '' || id === user || name === user);

interface Typed {
  readonly viewer: PagePerson;
  readonly client: string;
  readonly place: string;
  readonly text: string;
}

async function command({ viewer, client, place, text }: Typed, slack: PageSlack): Promise<ActionResult> {
  const name = text.split(/\s/, 1)[0] ?? '';
  const rest = text.slice(name.length).trim();
  const { commands, name: botName } = slack.workspace.app;
  if (name === '/invite') return invite(rest, place, viewer, slack);
  if (!commands.includes(name)) {
    return { error: `${name} isn’t a command here. Try ${commands.join(', ')} or /invite @${botName}.` };
  }
  // The direct message conversation is opened on first use.
  if (place === DIRECT && channelAt(slack, place, viewer) === undefined) await slack.openHome(viewer.id);
  const channel = channelAt(slack, place, viewer);
  if (channel === undefined) return { error: 'Commands only work in channels.' };
  await slack.command({ command: name, text: rest, channel: channel.id, user: viewer.id, client });
  return {};
}

function invite(whom: string, place: string, viewer: PagePerson, slack: PageSlack): ActionResult {
  const { name: botName, botUserId } = slack.workspace.app;
  const channel = channelAt(slack, place, viewer);
  if (channel === undefined || channel.kind === 'im') return { error: 'You can only invite people to channels.' };
  if (whom !== `@${botName}`) return { error: `Only @${botName} can be invited here.` };
  if (channel.botIsMember) return { notice: `${botName} is already in this channel.` };
  slack.changeChannel(channel.id, { botIsMember: true });
  slack.say({ channel: channel.id, user: viewer.id, text: `_added <@${botUserId}> to this channel_` });
  return {};
}

/** Encodes typed text as Slack's client does: escapes three characters, replaces names of people, groups and channels by ids. */
function encodeText(text: string, slack: PageSlack): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const { app } = slack.workspace;
  const mentions = new Map([
    ...slack.userGroups().map(({ id, handle }) => [handle, `<!subteam^${id}>`] as const),
    ...slack.people().map(({ id, name }) => [name, `<@${id}>`] as const),
    [app.name, `<@${app.botUserId}>`],
  ]);
  const channels = new Map(slack.channels().map((channel) => [channel.name, channel.id]));
  return escaped
    .replace(/@([\w.-]+)/g, (whole, name: string) => mentions.get(name) ?? whole)
    .replace(/#([\w-]+)/g, (whole, name: string) => (channels.has(name) ? `<#${channels.get(name)}|${name}>` : whole));
}

const asPerson = <T extends { readonly user: string }>(input: T, slack: PageSlack): T => ({
  ...input,
  user: personNamed(slack, input.user)?.id ?? input.user,
});

const pressInMessage = action(z.object({ ...who, message: messageRef, ...element }), async (input, { slack }) =>
  resultOf(await slack.clickButton(asPerson(input, slack))),
);
const pressInView = action(
  z.object({ client: who.client, view: z.object({ id: z.string() }), ...element }),
  async (input, { slack }) => resultOf(await slack.clickInView(input)),
);
const shortcut = action(z.object({ ...who, message: messageRef, callbackId: z.string() }), async (input, { slack }) =>
  resultOf(await slack.messageShortcut(asPerson(input, slack))),
);
const submit = action(z.object({ ...who, viewId: z.string(), values: choices }), async (input, { slack }) => {
  const result = await slack.submitView(asPerson(input, slack));
  const empty = result.unfilled.map((blockId) => [blockId, 'Please complete this required field.']);
  const errors = { ...result.errors, ...Object.fromEntries(empty) };
  return Object.keys(errors).length > 0 ? { errors } : resultOf(result);
});
const close = action(z.object({ ...who, viewId: z.string() }), async (input, { slack }) =>
  resultOf(await slack.closeView(asPerson(input, slack))),
);
const home = action(z.object({ user: z.string() }), async (input, { slack }) =>
  resultOf(await slack.openHome(asPerson(input, slack).user)),
);
const read = action(
  z.object({ user: z.string(), place: z.string(), ts: z.string() }),
  async ({ user, place, ts }, { slack, marks, changed }) => {
    const viewer = personNamed(slack, user);
    const channel = viewer === undefined ? undefined : channelAt(slack, place, viewer);
    if (viewer !== undefined && channel !== undefined && marks.set(viewer.id, channel.id, ts)) changed();
    return {};
  },
);
const drawerPress = action(
  z.object({ button: z.string(), values: z.record(z.string(), z.string()) }),
  async ({ button, values }, { drawer }) => (await drawer?.press(button, values)) ?? {},
);

const night = action(
  z.object({ client: who.client, seed: z.string().max(40), at: z.string().max(80) }),
  async (asked, { nights }) => (await nights?.play(asked)) ?? { error: 'There is only this one night here.' },
);

export const ACTIONS: Readonly<Record<string, Action>> = {
  say,
  'press-in-message': pressInMessage,
  'press-in-view': pressInView,
  shortcut,
  submit,
  close,
  home,
  read,
  drawer: drawerPress,
  night,
};
