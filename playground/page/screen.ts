/** What one person sees at one place, as HTML fragments that the page's script can replace one by one. */
import { createRenderContext, type RenderContext } from './render/context.ts';
import { clockTime } from './render/dates.ts';
import { type Html, html } from './render/html.ts';
import { renderMessage } from './render/message.ts';
import { renderHome, renderModal } from './render/views.ts';
import type { TypedCommand, TypedCommands } from './typed-commands.ts';
import type { PageChannel, PageMessage, PagePerson, PageSlack } from './workspace-port.ts';

export interface Fragment {
  readonly key: string;
  readonly html: string;
}

export interface Screen {
  readonly user: string;
  readonly place: string;
  readonly nav: string;
  readonly title: string;
  readonly note: string;
  readonly placeholder: string;
  readonly fragments: readonly Fragment[];
  readonly thread: readonly Fragment[] | null;
  readonly modal: Fragment | null;
}

export const HOME = 'home';
export const DIRECT = 'direct';

export interface ScreenInput {
  readonly slack: PageSlack;
  readonly typed: TypedCommands;
  readonly user: string;
  readonly place: string;
  readonly thread: string;
  readonly examples: readonly string[];
}

export function buildScreen(input: ScreenInput): Screen | undefined {
  const { slack } = input;
  const viewer = slack.people().find((person) => person.id === input.user) ?? slack.people()[0];
  if (viewer === undefined) return undefined;
  const context = createRenderContext(slack, viewer);
  const { name: botName, commands } = slack.workspace.app;
  const channel = channelAt(slack, input.place, viewer);
  const place =
    channel === undefined && input.place !== HOME && input.place !== DIRECT ? firstChannel(slack) : input.place;
  const top = slack.modals(viewer.id).at(-1);
  const shared = {
    user: viewer.id,
    place,
    nav: renderNav(slack, place, context).markup,
    modal: top === undefined ? null : fragment(`${top.id}`, renderModal(top, slack.modals(viewer.id).length, context)),
  };
  if (place === HOME) {
    const home = renderHome(slack.home(viewer.id), context);
    return {
      ...shared,
      title: `${botName} · Home`,
      note: '',
      placeholder: '',
      fragments: [fragment(HOME, home)],
      thread: null,
    };
  }
  const current = channelAt(slack, place, viewer);
  const messages = current === undefined ? [] : visible(slack, current, viewer);
  const isDirect = place === DIRECT;
  return {
    ...shared,
    title: isDirect ? botName : `# ${current?.name ?? ''}`,
    note: noteAbout(current, isDirect, botName),
    placeholder: isDirect
      ? `Message ${botName}`
      : `Message #${current?.name ?? ''}, ${commands[0] ?? '/'} … or @${botName} …`,
    fragments: withIntroduction(timeline(messages, input.typed.in(place), slack, context), input.examples),
    thread: input.thread === '' ? null : threadFragments(messages, input.thread, slack, context),
  };
}

function firstChannel(slack: PageSlack): string {
  return slack.channels().find((channel) => channel.kind !== 'im')?.id ?? HOME;
}

export function channelAt(slack: PageSlack, place: string, viewer: PagePerson): PageChannel | undefined {
  return slack
    .channels()
    .find((channel) =>
      place === DIRECT ? channel.kind === 'im' && channel.members.includes(viewer.id) : channel.id === place,
    );
}

function visible(slack: PageSlack, channel: PageChannel, viewer: PagePerson): readonly PageMessage[] {
  return [...slack.messages(channel.id), ...slack.ephemerals(viewer.id, channel.id)];
}

function noteAbout(channel: PageChannel | undefined, isDirect: boolean, botName: string): string {
  if (isDirect) return `A conversation with ${botName} alone`;
  if (channel?.archived) return 'This channel is archived';
  return channel?.botIsMember === false ? `${botName} is not in this channel` : (channel?.topic ?? '');
}

const fragment = (key: string, content: Html): Fragment => ({ key, html: content.markup });

function timeline(
  messages: readonly PageMessage[],
  typed: readonly TypedCommand[],
  slack: PageSlack,
  context: RenderContext,
): readonly Fragment[] {
  const { shortcuts } = slack.workspace.app;
  const posted = messages
    .filter((message) => message.threadTs === undefined || message.threadTs === message.ts)
    .map((message) => {
      const replies = messages.filter((other) => other.threadTs === message.ts && other.ts !== message.ts).length;
      return {
        ts: message.ts,
        fragment: fragment(message.ts, renderMessage(message, { replies, inThread: false, shortcuts }, context)),
      };
    });
  const commands = typed.map((command) => ({
    ts: command.ts,
    fragment: fragment(`typed-${command.ts}`, renderTyped(command, context)),
  }));
  return [...posted, ...commands]
    .sort((one, other) => Number(one.ts) - Number(other.ts))
    .map((entry) => entry.fragment);
}

function threadFragments(
  messages: readonly PageMessage[],
  ts: string,
  slack: PageSlack,
  context: RenderContext,
): readonly Fragment[] {
  const { shortcuts } = slack.workspace.app;
  return messages
    .filter((message) => message.ts === ts || message.threadTs === ts)
    .sort((one, other) => Number(one.ts) - Number(other.ts))
    .map((message) => fragment(message.ts, renderMessage(message, { replies: 0, inThread: true, shortcuts }, context)));
}

function renderTyped(command: TypedCommand, context: RenderContext): Html {
  const failure =
    command.error === undefined
      ? undefined
      : html`<p class="failure" role="alert">${command.text.split(' ')[0] ?? ''} failed with the error “${command.error}”.</p>`;
  return html`<div class="typed">${context.nameOf(command.user)} used <code>${command.text}</code> <time>${clockTime(command.ts, context.zone, context.nowMs)}</time>${failure}</div>`;
}

function withIntroduction(fragments: readonly Fragment[], examples: readonly string[]): readonly Fragment[] {
  if (fragments.length > 0) return fragments;
  const chips = examples.map(
    (example) => html`<button type="button" class="chip" data-example="${example}">${example}</button>`,
  );
  return [
    fragment(
      'introduction',
      html`<div class="empty"><p>Nothing here yet. Try one of these:</p><div class="chips">${chips}</div></div>`,
    ),
  ];
}

function renderNav(slack: PageSlack, place: string, context: RenderContext): Html {
  const { app } = slack.workspace;
  const item = (id: string, label: string, away = false) =>
    html`<button type="button" class="place${id === place && ' current'}${away && ' away'}" data-place="${id}"${id === place && html` aria-current="page"`}>${label}</button>`;
  const channels = slack.channels().filter((channel) => channel.kind !== 'im');
  return html`<h2>Channels</h2>${channels.map((channel) => item(channel.id, `# ${channel.name}`, !channel.botIsMember || channel.archived))}
<h2>${app.name}</h2>${item(DIRECT, 'Messages')}${item(HOME, 'Home')}
<h2>You are</h2><select data-person aria-label="You are">${context.people.map(
    (person) =>
      html`<option value="${person.id}"${person.id === context.viewer.id && html` selected`}>${person.realName}</option>`,
  )}</select><p class="zone">${context.viewer.tz ?? 'No zone in the profile'}</p>`;
}
