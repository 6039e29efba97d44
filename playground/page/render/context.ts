/** The viewer, and the names of people, channels and files that messages refer to by id. */
import type { PageChannel, PagePerson, PageSlack } from '../workspace-port.ts';
import { type PictureSize, sizeOfPng } from './pictures.ts';

export interface RenderContext {
  readonly viewer: PagePerson;
  /** The viewer's zone; people without one see UTC. */
  readonly zone: string;
  readonly nowMs: number;
  readonly people: readonly PagePerson[];
  readonly channels: readonly PageChannel[];
  nameOf(userId: string): string;
  groupName(groupId: string): string;
  isApp(userId: string): boolean;
  channelName(channelId: string): string;
  fileName(fileId: string): string | undefined;
  /** In pixels; `undefined` if it isn't a PNG. */
  pictureSize(fileId: string): PictureSize | undefined;
}

export function createRenderContext(slack: PageSlack, viewer: PagePerson): RenderContext {
  const { app } = slack.workspace;
  return {
    viewer,
    zone: viewer.tz ?? 'UTC',
    nowMs: slack.now(),
    people: slack.people(),
    channels: slack.channels().filter((channel) => channel.kind !== 'im'),
    isApp: (id) => id === app.botUserId,
    nameOf: (id) =>
      id === app.botUserId ? app.name : (slack.people().find((person) => person.id === id)?.realName ?? id),
    groupName: (id) => slack.userGroups().find((group) => group.id === id)?.handle ?? id,
    channelName: (id) => slack.channels().find((channel) => channel.id === id)?.name ?? id,
    fileName: (id) => slack.file(id)?.name,
    pictureSize: (id) => sizeOfPng(slack.file(id)?.bytes),
  };
}
