/**
 * Delivers a reply to its target. The text arrives whatever else fails: a chart that cannot be drawn, an upload that
 * never becomes ready, a block that Slack refuses or a channel the bot is not in make the answer plainer, not lost.
 */
import { randomUUID } from 'node:crypto';
import type { Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import { renderMessage, type SlackMessage } from '../blocks/message.ts';
import type { SlackClients } from '../transport/clients.ts';
import { isMessageGone, type SlackFailure, slackFailure } from '../transport/slack-failure.ts';
import type { SendWithFallbacks } from './fallback-rendering.ts';
import type { PostOnce, RetryOnRateLimit } from './post-once.ts';
import { ephemeralThreadTs, openDirectMessage, type ReplyTarget, type ResponseOptions } from './reply-target.ts';
import type { Uploads } from './uploads.ts';

export type DeliverReply = (reply: Reply, target: ReplyTarget) => Promise<void>;

interface DeliverReplyDependencies {
  readonly clients: SlackClients;
  readonly postOnce: PostOnce;
  readonly retryOnRateLimit: RetryOnRateLimit;
  readonly uploads: Uploads;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly log: Logger;
  readonly command: string;
  /** The bot's name for an invitation, such as `wafbot`. */
  readonly botName: () => string;
}

export function createDeliverReply(deps: DeliverReplyDependencies): DeliverReply {
  const { clients, postOnce, retryOnRateLimit, uploads, sendWithFallbacks, log, command } = deps;

  async function deliver(reply: Reply, target: ReplyTarget): Promise<void> {
    if (isEphemeral(reply, target)) return deliverEphemeral(reply, target);
    try {
      const ts = await post(reply, target);
      await uploads.attachToThread(reply, target.channel, target.threadTs ?? ts);
    } catch (error) {
      const failure = slackFailure(error);
      // An ambiguous failure may have posted the answer; after any other it was certainly not posted.
      if (failure === null || failure.kind === 'ambiguous') throw error;
      await deliverWithoutPosting(reply, target, failure);
    }
  }

  /** Posts to the channel, or edits the message there; returns its timestamp. */
  async function post(reply: Reply, target: ReplyTarget, remarks: readonly Line[] = []): Promise<string> {
    const id = randomUUID();
    const fileId = await uploads.uploadChart(reply);
    return sendWithFallbacks(reply, { fileId, remarks }, (message) => postOrEdit(message, target, id));
  }

  async function postOrEdit(message: SlackMessage, target: ReplyTarget, id: string): Promise<string> {
    const { channel, threadTs, replaceTs } = target;
    if (replaceTs !== undefined && (await edit(message, channel, replaceTs))) return replaceTs;
    const where = threadTs === undefined ? { channel } : { channel, thread_ts: threadTs };
    const { ts } = await postOnce({ ...where, ...message, unfurl_links: false, unfurl_media: false }, id);
    return ts;
  }

  /** False when the message to edit is gone; then the answer is posted as a new one. */
  async function edit(message: SlackMessage, channel: string, ts: string): Promise<boolean> {
    try {
      await retryOnRateLimit(() => clients.read.chat.update({ channel, ts, blocks: [], ...message }));
      return true;
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null || !isMessageGone(failure)) throw error;
      return false;
    }
  }

  async function deliverEphemeral(reply: Reply, target: ReplyTarget): Promise<void> {
    const { responseUrl, channel, user, replaceEphemeral } = target;
    // A direct message is private anyway, and can show a picture.
    if (channel.startsWith('D') && !target.ephemeral)
      return deliver({ ...reply, privately: false, quiet: false }, target);
    const remarks = await uploads.attachToDirectMessage(reply, user);
    if (target.userIsElsewhere) return deliverByDirectMessage(reply, user, remarks);
    if (reply.chart !== undefined)
      remarks.push(['A private answer cannot hold a picture; a direct message to me can.']);
    const threadTs = ephemeralThreadTs(target);
    if (responseUrl !== undefined) {
      const options = { inChannel: false, replace: replaceEphemeral === true, threadTs };
      return respond(reply, target, options, remarks);
    }
    const where = threadTs === undefined ? { channel, user } : { channel, user, thread_ts: threadTs };
    await sendWithFallbacks(reply, { remarks }, (message) =>
      retryOnRateLimit(() => clients.post.chat.postEphemeral({ ...where, ...message })),
    ).catch((error: unknown) => {
      if (slackFailure(error)?.kind !== 'refused') throw error;
      return deliverByDirectMessage(reply, user, remarks);
    });
  }

  /** The bot cannot post there, but the response_url still reaches the channel, or at least the asker. */
  async function deliverWithoutPosting(reply: Reply, target: ReplyTarget, failure: SlackFailure): Promise<void> {
    const remark = whyNotPosted(reply, target, failure, deps.botName());
    const remarks = [...(await uploads.attachToDirectMessage(reply, target.user)), remark];
    if (target.responseUrl === undefined) return deliverByDirectMessage(reply, target.user, remarks);
    const inChannel = !isArchived(failure);
    const threadTs = inChannel ? target.threadTs : ephemeralThreadTs(target);
    await respond(reply, target, { inChannel, replace: target.replaceTs !== undefined, threadTs }, remarks);
  }

  /** A response_url does not say why it refuses, so every rendering is tried, and a direct message at last. */
  async function respond(
    reply: Reply,
    { responseUrl, channel, user }: ReplyTarget,
    options: ResponseOptions,
    remarks: readonly Line[],
  ): Promise<void> {
    for (const rendering of ['native', 'simple', 'text'] as const) {
      try {
        await responseUrl?.respond(renderMessage(reply, { rendering, command, remarks }), options);
        return;
      } catch {
        log.warn({ rendering, channel }, 'Slack did not take the response');
      }
    }
    await deliverByDirectMessage(reply, user, remarks);
  }

  async function deliverByDirectMessage(reply: Reply, user: string, remarks: readonly Line[]): Promise<void> {
    await post(reply, { channel: await openDirectMessage(clients, user), user }, remarks);
  }

  return deliver;
}

function isEphemeral({ privately, quiet }: Reply, { ephemeral, askedPublicly }: ReplyTarget): boolean {
  return privately === true || ephemeral === true || (quiet === true && askedPublicly !== true);
}

const isArchived = (failure: SlackFailure): boolean => failure.kind === 'refused' && failure.reason === 'is_archived';

/** It may be read in a direct message too, so it names the channel. */
function whyNotPosted({ chart }: Reply, { channel }: ReplyTarget, failure: SlackFailure, botName: string): Line {
  if (isArchived(failure)) return [{ channel }, ' is archived, so the answer is for you alone.'];
  if (failure.kind === 'refused' && ['not_in_channel', 'channel_not_found'].includes(failure.reason)) {
    const invite = chart === undefined ? '. So that I can post there: ' : '. For the drawn chart: ';
    return ['I am not in ', { channel }, invite, { code: `/invite @${botName}` }];
  }
  const why = failure.kind === 'refused' ? failure.reason : 'too many messages';
  return ['Slack does not let me post in ', { channel }, ` (${why}).`];
}
