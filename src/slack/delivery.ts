/**
 * A reply to its place. Text arrives whatever else fails: a chart that cannot be drawn, an upload that never becomes
 * ready, a block that Slack refuses, a channel the bot is not in each cost one step, never the answer.
 */
import { randomUUID } from 'node:crypto';
import type { Line, Reply } from '../commands/reply.ts';
import { renderMessage, type SlackMessage } from './blocks/message.ts';
import type { SlackClients } from './clients.ts';
import { directChannel } from './direct-channel.ts';
import type { Ladder } from './ladder.ts';
import type { Log } from './log.ts';
import type { MakePicture } from './picture.ts';
import type { Place } from './place.ts';
import type { Poster } from './poster.ts';
import { isOutsideChannel, slackFailure } from './slack-failure.ts';
import type { Uploads } from './uploads.ts';

export interface Delivery {
  deliver(reply: Reply, place: Place): Promise<void>;
}

export interface DeliveryDependencies {
  readonly clients: SlackClients;
  readonly poster: Poster;
  readonly uploads: Uploads;
  readonly ladder: Ladder;
  readonly makePicture: MakePicture;
  readonly log: Log;
  readonly command: string;
  /** How to call the bot in an invitation, such as `wafbot`. */
  readonly botName: () => string;
}

export function createDelivery(deps: DeliveryDependencies): Delivery {
  const { clients, poster, uploads, ladder, makePicture, log, command } = deps;

  async function deliver(reply: Reply, place: Place): Promise<void> {
    if (reply.privately || place.ephemeral) return deliverPrivately(reply, place);
    try {
      const ts = await post(reply, place, await makePicture(reply));
      await attach(reply, place.channel, place.threadTs ?? ts);
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null || !isOutsideChannel(failure)) throw error;
      await deliverOutside(reply, place, failure.kind === 'refused' && failure.reason === 'is_archived');
    }
  }

  /** In the channel, in the first form that Slack accepts. */
  function post(reply: Reply, place: Place, fileId: string | null, remarks: readonly Line[] = []): Promise<string> {
    const id = randomUUID();
    return ladder.descend(reply, { fileId, remarks }, (message) => send(message, place, id));
  }

  async function send(message: SlackMessage, place: Place, id: string): Promise<string> {
    const { channel, threadTs, replaceTs } = place;
    if (replaceTs !== undefined && (await edit(message, channel, replaceTs))) return replaceTs;
    const where = threadTs === undefined ? { channel } : { channel, thread_ts: threadTs };
    const { ts } = await poster.postOnce({ ...where, ...message, unfurl_links: false, unfurl_media: false }, id);
    return ts;
  }

  /** False when the message to edit is gone, so that the answer is posted anew. */
  async function edit(message: SlackMessage, channel: string, ts: string): Promise<boolean> {
    try {
      await poster.patiently(() => clients.read.chat.update({ channel, ts, blocks: [], ...message }));
      return true;
    } catch (error) {
      const failure = slackFailure(error);
      const gone = failure?.kind === 'refused' && ['message_not_found', 'cant_update_message'].includes(failure.reason);
      if (!gone) throw error;
      return false;
    }
  }

  async function attach(reply: Reply, channel: string, threadTs?: string): Promise<void> {
    for (const attachment of reply.attachments ?? []) {
      try {
        await uploads.attach(attachment, channel, threadTs);
      } catch (error) {
        log.warn({ err: error }, 'the attachment could not be posted');
      }
    }
  }

  /** Files cannot be private in a channel, so they go to the asker's direct messages. */
  async function attachDirectly(reply: Reply, user: string): Promise<Line[]> {
    if (reply.attachments === undefined) return [];
    await attach(reply, await directChannel(clients, user));
    return [['The file is in your direct messages with me.']];
  }

  async function deliverPrivately(reply: Reply, place: Place): Promise<void> {
    const { responder, channel, user, threadTs } = place;
    // A direct message is private as it is, and can hold a picture.
    if (channel.startsWith('D') && !place.ephemeral) return deliver({ ...reply, privately: false }, place);
    const remarks = await attachDirectly(reply, user);
    if (reply.chart !== undefined) {
      remarks.push([
        'Private answers cannot hold pictures; ask without ',
        { code: 'privately' },
        ' for the drawn chart.',
      ]);
    }
    if (responder !== undefined) return respond(reply, place, false, remarks);
    const where = threadTs === undefined ? { channel, user } : { channel, user, thread_ts: threadTs };
    await ladder.descend(reply, { remarks }, (message) =>
      poster.patiently(() => clients.post.chat.postEphemeral({ ...where, ...message })),
    );
  }

  /** The bot cannot post there: Slack's address for this question still reaches the channel or the asker. */
  async function deliverOutside(reply: Reply, place: Place, archived: boolean): Promise<void> {
    const remark: Line = archived
      ? ['This channel is archived, so the answer is for you alone.']
      : ['I am not in this channel. For the drawn chart: ', { code: `/invite @${deps.botName()}` }];
    const remarks = [...(await attachDirectly(reply, place.user)), remark];
    if (place.responder !== undefined) return respond(reply, place, !archived, remarks);
    await deliverDirectly(reply, place.user, remarks);
  }

  /** Slack does not say why it refuses here, so every form is tried; the last resort is a direct message. */
  async function respond(reply: Reply, place: Place, inChannel: boolean, remarks: readonly Line[]): Promise<void> {
    const replace = place.replaceEphemeral === true;
    for (const form of ['native', 'simple', 'text'] as const) {
      try {
        await place.responder?.respond(renderMessage(reply, { form, command, remarks }), { inChannel, replace });
        return;
      } catch {
        log.warn({ form, channel: place.channel }, 'Slack did not take the response');
      }
    }
    await deliverDirectly(reply, place.user, remarks);
  }

  async function deliverDirectly(reply: Reply, user: string, remarks: readonly Line[]): Promise<void> {
    const channel = await directChannel(clients, user);
    await post(reply, { channel, user }, await makePicture(reply), remarks);
  }

  return { deliver };
}
