/** The places of a workspace by name: channels, the direct message with the app, its Home tab; and what's unread there. */
import type { ReadMarks } from './read-marks.ts';
import type { PageChannel, PageMessage, PagePerson, PageSlack } from './workspace-port.ts';

export const HOME = 'home';
export const DIRECT = 'direct';

/** The place's name; the first channel's if the place is unknown. */
export function nameOfPlace(slack: PageSlack, place: string): string {
  if (place === HOME || place === DIRECT) return place;
  const channels = slack.channels().filter(({ kind }) => kind !== 'im');
  return (channels.find(({ id, name }) => id === place || name === place) ?? channels[0])?.name ?? HOME;
}

export function channelAt(slack: PageSlack, place: string, viewer: PagePerson): PageChannel | undefined {
  return slack
    .channels()
    .find(({ id, name, kind, members }) =>
      place === DIRECT
        ? kind === 'im' && members.includes(viewer.id)
        : kind !== 'im' && (id === place || name === place),
    );
}

/** Including ephemeral messages to this person. */
export function visibleMessages(slack: PageSlack, channel: PageChannel, viewer: PagePerson): readonly PageMessage[] {
  return [...slack.messages(channel.id), ...slack.ephemerals(viewer.id, channel.id)];
}

export function isUnread(slack: PageSlack, channel: PageChannel, viewer: PagePerson, marks: ReadMarks): boolean {
  if (channel.kind === 'im' && !channel.members.includes(viewer.id)) return false;
  const readTo = Number(marks.of(viewer.id, channel.id));
  return visibleMessages(slack, channel, viewer).some(({ ts, user }) => Number(ts) > readTo && user !== viewer.id);
}
