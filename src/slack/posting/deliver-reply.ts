/**
 * A reply to its place. Text arrives whatever else fails: a chart that cannot be drawn, an upload that never becomes
 * ready, a block that Slack refuses, a channel the bot is not in each cost one step, never the answer.
 */
import { randomUUID } from 'node:crypto';
import type { Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import { renderMessage, type SlackMessage } from '../blocks/message.ts';
import { isGone, type SlackFailure, slackFailure } from '../slack-failure.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { Attachments } from './attachments.ts';
import type { MakePicture } from './chart-upload.ts';
import { directChannel } from './direct-channel.ts';
import type { FallbackRendering } from './fallback-rendering.ts';
import type { Poster } from './post-once.ts';
import { privateThread, type ReplyTarget, type ResponseOptions } from './reply-target.ts';

export interface Delivery {
  deliver(reply: Reply, place: ReplyTarget): Promise<void>;
}

export interface DeliveryDependencies {
  readonly clients: SlackClients;
  readonly poster: Poster;
  readonly attachments: Attachments;
  readonly fallback: FallbackRendering;
  readonly makePicture: MakePicture;
  readonly log: Logger;
  readonly command: string;
  /** How to call the bot in an invitation, such as `wafbot`. */
  readonly botName: () => string;
}

export function createDelivery(deps: DeliveryDependencies): Delivery {
  const { clients, poster, attachments, fallback, makePicture, log, command } = deps;

  async function deliver(reply: Reply, place: ReplyTarget): Promise<void> {
    if (isForOne(reply, place)) return deliverPrivately(reply, place);
    try {
      const ts = await post(reply, place, await makePicture(reply));
      await attachments.below(reply, place.channel, place.threadTs ?? ts);
    } catch (error) {
      const failure = slackFailure(error);
      // In doubt it may be there after all; anything else was certainly not posted.
      if (failure === null || failure.kind === 'doubtful') throw error;
      await deliverOutside(reply, place, failure);
    }
  }

  /** In the channel, in the first form that Slack accepts. */
  function post(
    reply: Reply,
    place: ReplyTarget,
    fileId: string | null,
    remarks: readonly Line[] = [],
  ): Promise<string> {
    const id = randomUUID();
    return fallback.descend(reply, { fileId, remarks }, (message) => send(message, place, id));
  }

  async function send(message: SlackMessage, place: ReplyTarget, id: string): Promise<string> {
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
      if (failure === null || !isGone(failure)) throw error;
      return false;
    }
  }

  async function deliverPrivately(reply: Reply, place: ReplyTarget): Promise<void> {
    const { responder, channel, user, replaceEphemeral } = place;
    // A direct message is private as it is, and can hold a picture.
    if (channel.startsWith('D') && !place.ephemeral)
      return deliver({ ...reply, privately: false, quiet: false }, place);
    const remarks = await attachments.directly(reply, user);
    if (place.absent) return deliverDirectly(reply, user, remarks);
    if (reply.chart !== undefined)
      remarks.push(['A private answer cannot hold a picture; a direct message to me can.']);
    const threadTs = privateThread(place);
    if (responder !== undefined) {
      const how = { inChannel: false, replace: replaceEphemeral === true, threadTs };
      return respond(reply, place, how, remarks);
    }
    const where = threadTs === undefined ? { channel, user } : { channel, user, thread_ts: threadTs };
    await fallback
      .descend(reply, { remarks }, (message) =>
        poster.patiently(() => clients.post.chat.postEphemeral({ ...where, ...message })),
      )
      .catch((error: unknown) => {
        if (slackFailure(error)?.kind !== 'refused') throw error;
        return deliverDirectly(reply, user, remarks);
      });
  }

  /** The bot cannot post there: Slack's address for this question still reaches the channel or the asker. */
  async function deliverOutside(reply: Reply, place: ReplyTarget, failure: SlackFailure): Promise<void> {
    const remark = whyElsewhere(reply, place, failure, deps.botName());
    const remarks = [...(await attachments.directly(reply, place.user)), remark];
    if (place.responder === undefined) return deliverDirectly(reply, place.user, remarks);
    const inChannel = !isArchived(failure);
    const threadTs = inChannel ? place.threadTs : privateThread(place);
    await respond(reply, place, { inChannel, replace: place.replaceTs !== undefined, threadTs }, remarks);
  }

  /** Slack does not say why it refuses here, so every form is tried; the last resort is a direct message. */
  async function respond(
    reply: Reply,
    place: ReplyTarget,
    how: ResponseOptions,
    remarks: readonly Line[],
  ): Promise<void> {
    for (const form of ['native', 'simple', 'text'] as const) {
      try {
        await place.responder?.respond(renderMessage(reply, { form, command, remarks }), how);
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

function isForOne({ privately, quiet }: Reply, { ephemeral, openly }: ReplyTarget): boolean {
  return privately === true || ephemeral === true || (quiet === true && openly !== true);
}

const isArchived = (failure: SlackFailure): boolean => failure.kind === 'refused' && failure.reason === 'is_archived';

/** Read in the channel or in a direct message, so the channel is named. */
function whyElsewhere({ chart }: Reply, { channel }: ReplyTarget, failure: SlackFailure, botName: string): Line {
  if (isArchived(failure)) return [{ channel }, ' is archived, so the answer is for you alone.'];
  if (failure.kind === 'refused' && ['not_in_channel', 'channel_not_found'].includes(failure.reason)) {
    const invite = chart === undefined ? '. So that I can post there: ' : '. For the drawn chart: ';
    return ['I am not in ', { channel }, invite, { code: `/invite @${botName}` }];
  }
  const why = failure.kind === 'refused' ? failure.reason : 'too many messages';
  return ['Slack does not let me post in ', { channel }, ` (${why}).`];
}
