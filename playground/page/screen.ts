/** What one person sees at one place, as HTML fragments that the page's script can replace one by one. */
import type { Drawer } from './drawer-port.ts';
import type { Nights } from './nights-port.ts';
import { channelAt, DIRECT, HOME, isUnread, nameOfPlace, visibleMessages } from './places.ts';
import type { ReadMarks } from './read-marks.ts';
import { createRenderContext, type RenderContext } from './render/context.ts';
import { dayName, renderTime } from './render/dates.ts';
import {
  announcementOf,
  renderCall,
  renderCallsHead,
  renderEnding,
  renderMissions,
  renderPanel,
  renderStatus,
} from './render/drawer.ts';
import { type Html, html } from './render/html.ts';
import { renderMessage } from './render/message.ts';
import { renderHome, renderModal } from './render/views.ts';
import type { PageChannel, PageCommand, PageMessage, PagePerson, PageSlack } from './workspace-port.ts';

interface Fragment {
  readonly key: string;
  readonly html: string;
}

export interface Screen {
  /** Names, as the page's address has them. */
  readonly user: string;
  readonly place: string;
  readonly nowMs: number;
  readonly zone: string;
  readonly nav: string;
  readonly title: string;
  readonly note: string;
  readonly placeholder: string;
  readonly unread: number;
  /** How far the person had read before. */
  readonly readTo: string;
  /** The newest message here, replies included. */
  readonly newest: string;
  readonly fragments: readonly Fragment[];
  readonly thread: readonly Fragment[] | null;
  readonly modal: Fragment | null;
  readonly drawer: DrawerScreen | null;
  readonly night: ReturnType<Nights['current']> | null;
}

interface DrawerScreen {
  readonly moving: boolean;
  /** For screen readers; empty for nothing. */
  readonly announcement: string;
  readonly begun: boolean;
  readonly ended: boolean;
  readonly done: string;
  readonly panels: readonly Fragment[];
  readonly calls: readonly Fragment[];
}

export interface ScreenInput {
  readonly slack: PageSlack;
  readonly drawer: Drawer | undefined;
  readonly nights: Nights | undefined;
  readonly marks: ReadMarks;
  readonly user: string;
  readonly place: string;
  readonly thread: string;
  /** Messages after this are marked as new; empty for none. */
  readonly since: string;
  /** The browser window; a form belongs to the one it was opened in. */
  readonly client: string;
  /** Shown if no place is named. */
  readonly start: string;
}

export function buildScreen(input: ScreenInput): Screen | undefined {
  const { slack, marks } = input;
  const people = slack.people();
  const viewer = people.find(({ id, name }) => id === input.user || name === input.user) ?? people[0];
  if (viewer === undefined) return undefined;
  const context = createRenderContext(slack, viewer);
  const place = nameOfPlace(slack, input.place || input.start);
  const channel = channelAt(slack, place, viewer);
  const messages = channel === undefined ? [] : visibleMessages(slack, channel, viewer);
  const readTo = channel === undefined ? '0' : marks.of(viewer.id, channel.id);
  const modals = slack.modals(viewer.id, input.client);
  const top = modals.at(-1);
  const elsewhere = slack
    .channels()
    .filter((other) => other.id !== channel?.id && isUnread(slack, other, viewer, marks));
  return {
    user: viewer.name,
    place,
    nowMs: context.nowMs,
    zone: context.zone,
    nav: renderNav(slack, place, context, elsewhere).markup,
    unread: elsewhere.length,
    readTo,
    newest: newestOf(messages),
    modal: top === undefined ? null : fragment(top.id, renderModal(top, modals.length, context)),
    night: input.nights?.current() ?? null,
    drawer: input.drawer === undefined ? null : drawerScreen(input.drawer, context),
    ...content(input, place, channel, messages, context),
  };
}

function content(
  input: ScreenInput,
  place: string,
  channel: PageChannel | undefined,
  messages: readonly PageMessage[],
  context: RenderContext,
): Pick<Screen, 'title' | 'note' | 'placeholder' | 'fragments' | 'thread'> {
  const { slack } = input;
  const { name: botName, commands } = slack.workspace.app;
  if (place === HOME) {
    const home = renderHome(slack.home(context.viewer.id), context);
    return { title: `${botName} · Home`, note: '', placeholder: '', fragments: [fragment(HOME, home)], thread: null };
  }
  const isDirect = place === DIRECT;
  const typed = channel === undefined ? [] : slack.typedCommands(channel.id);
  return {
    title: isDirect ? botName : `# ${place}`,
    note: noteAbout(channel, isDirect, slack),
    placeholder: isDirect ? `Message ${botName}` : `Message #${place}, ${commands[0] ?? '/'} … or @${botName} …`,
    fragments: timeline(
      messages,
      typed.filter(({ user }) => user === context.viewer.id || !isDirect),
      input,
      context,
    ),
    thread: input.thread === '' ? null : threadFragments(messages, input.thread, slack, context),
  };
}

function noteAbout(channel: PageChannel | undefined, isDirect: boolean, slack: PageSlack): string {
  const { name } = slack.workspace.app;
  if (isDirect) return `Your direct messages with ${name}`;
  if (channel?.archived) return 'This channel is archived';
  return channel?.botIsMember === false
    ? `${name} isn’t in this channel yet. Type /invite @${name}`
    : (channel?.topic ?? '');
}

function newestOf(messages: readonly PageMessage[]): string {
  return messages.reduce((newest, { ts }) => (Number(ts) > Number(newest) ? ts : newest), '0');
}

const fragment = (key: string, content: Html): Fragment => ({ key, html: content.markup });

function timeline(
  messages: readonly PageMessage[],
  typed: readonly PageCommand[],
  { slack, since }: ScreenInput,
  context: RenderContext,
): readonly Fragment[] {
  const { shortcuts } = slack.workspace.app;
  const posted = messages
    .filter((message) => message.threadTs === undefined || message.threadTs === message.ts)
    .map((message) => {
      const replies = messages.filter((other) => other.threadTs === message.ts && other.ts !== message.ts);
      const frame = { replies, inThread: false, shortcuts };
      const isNew = since !== '' && Number(message.ts) > Number(since) && message.user !== context.viewer.id;
      return { ts: message.ts, isNew, fragment: fragment(message.ts, renderMessage(message, frame, context)) };
    });
  const commands = typed.map((command) => ({
    ts: command.ts,
    isNew: false,
    fragment: fragment(`typed-${command.ts}`, renderTyped(command, context)),
  }));
  const entries = [...posted, ...commands].sort((one, other) => Number(one.ts) - Number(other.ts));
  if (entries.length === 0) {
    return [
      fragment(
        'introduction',
        html`<p class="empty">Nothing here yet. Pick a suggestion below or type a question.</p>`,
      ),
    ];
  }
  const firstNew = entries.find(({ isNew }) => isNew);
  let day = '';
  return entries.flatMap((entry) => {
    const today = dayName(entry.ts, context.zone, context.nowMs);
    const divider = today === day ? [] : [fragment(`day-${today}`, html`<h3 class="day"><span>${today}</span></h3>`)];
    day = today;
    const news = entry === firstNew ? [fragment('new', html`<p class="new"><span>New</span></p>`)] : [];
    return [...divider, ...news, entry.fragment];
  });
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
    .map((message) =>
      fragment(message.ts, renderMessage(message, { replies: [], inThread: true, shortcuts }, context)),
    );
}

function renderTyped(command: PageCommand, context: RenderContext): Html {
  const failure =
    command.error === undefined
      ? undefined
      : html`<p class="failure" role="alert">${command.text.split(' ')[0] ?? ''} failed with the error “${command.error}”.</p>`;
  return html`<div class="typed">${context.nameOf(command.user)} used <code>${command.text}</code> ${renderTime(command.ts, context)}${failure}</div>`;
}

function drawerScreen(drawer: Drawer, context: RenderContext): DrawerScreen {
  const state = drawer.state();
  const done = state.missions.filter((mission) => mission.done).length;
  return {
    moving: state.moving,
    announcement: announcementOf(state.panels, context),
    begun: done > 0,
    ended: state.ending !== null,
    done: `${done}/${state.missions.length}`,
    panels: [
      ...(state.ending === null ? [] : [fragment('ending', renderEnding(state.ending))]),
      fragment('missions', renderMissions(state.missions)),
      ...state.panels.flatMap((panel) => [
        fragment(`panel-${panel.id}`, renderPanel(panel, context)),
        fragment(`status-${panel.id}`, renderStatus(panel, context)),
      ]),
      fragment('calls-head', renderCallsHead(state)),
    ],
    calls: state.calls.map((call) => fragment(call.id, renderCall(call, context))),
  };
}

function renderNav(slack: PageSlack, place: string, context: RenderContext, unread: readonly PageChannel[]): Html {
  const { app } = slack.workspace;
  const item = (id: string, label: string, news: boolean, away = false) =>
    html`<button type="button" class="place${id === place && ' current'}${away && ' away'}${news && ' unread'}" data-place="${id}"${id === place && html` aria-current="page"`}>${label}${news && html`<span class="dot" role="img" aria-label="new messages"></span>`}</button>`;
  const channels = slack.channels().filter((channel) => channel.kind !== 'im');
  const isDirectNews = unread.some(({ kind, members }) => kind === 'im' && members.includes(context.viewer.id));
  return html`<h2>Channels</h2>${channels.map((channel) => item(channel.name, `# ${channel.name}`, unread.includes(channel), !channel.botIsMember || channel.archived))}
<h2>${app.name}</h2>${item(DIRECT, 'Messages', isDirectNews)}${item(HOME, 'Home', false)}
<div class="you"><label for="person">You are</label><select id="person" data-person>${context.people.map(
    (person: PagePerson) =>
      html`<option value="${person.name}"${person.id === context.viewer.id && html` selected`}>${person.realName}</option>`,
  )}</select><p class="zone">${context.viewer.tz ?? 'No time zone in profile'}</p></div>`;
}
