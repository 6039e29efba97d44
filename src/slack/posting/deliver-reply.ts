/**
 * Delivers a reply to its target. The text arrives whatever else fails: a chart that cannot be drawn, an upload that
 * never becomes ready, a block that Slack refuses, a channel the bot is not in or a method that Slack limits make the
 * answer plainer, not lost.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { INVITE } from '../../commands/verbs/doctor.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { renderMessage, type SlackMessage } from '../blocks/message.ts';
import type { SlackClients } from '../transport/clients.ts';
import { isMessageGone, type SlackFailure, slackFailure } from '../transport/slack-failure.ts';
import { PICTURE_LIMIT_MS, type PictureMessages, type SendWithFallbacks } from './fallback-rendering.ts';
import { POST_LIMIT_MS, type PostOnce, type RetryOnRateLimit, withinLimit } from './post-once.ts';
import { ephemeralPlace, ephemeralThreadTs, openDirectMessage, type ReplyTarget } from './reply-target.ts';
import type { Respond, ResponseOptions } from './response-url.ts';
import type { SentFiles, Uploads } from './uploads.ts';

export type DeliverReply = (reply: Reply, target: ReplyTarget) => Promise<void>;

interface DeliverReplyDependencies {
  readonly clients: SlackClients;
  readonly postOnce: PostOnce;
  readonly respond: Respond;
  readonly retryOnRateLimit: RetryOnRateLimit;
  readonly uploads: Uploads;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly pictureMessages: PictureMessages;
  readonly clock: Clock;
  readonly log: Logger;
  /** The bot's name for an invitation, such as `wafbot`. */
  readonly identity: { readonly botName: string };
}

/** For a call that only reaches the asker. */
const PRIVATE_LIMIT_MS = 5_000;

export function createDeliverReply(deps: DeliverReplyDependencies): DeliverReply {
  const { clients, postOnce, retryOnRateLimit, uploads, sendWithFallbacks, pictureMessages, clock, log } = deps;

  async function deliver(reply: Reply, target: ReplyTarget): Promise<void> {
    if (isEphemeral(reply, target)) return deliverEphemeral(reply, target);
    // Beside the picture: where they are shown is known once the answer is posted.
    const files = reply.attachments === undefined ? null : uploads.sendAttachments(reply);
    let ts: string;
    try {
      ts = await postWithPicture(reply, target);
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null) throw error;
      log.warn({ channel: target.channel, failure: failure.kind, err: error }, 'the answer takes another way');
      return deliverWithoutPosting(reply, target, failure, files);
    }
    if (files !== null) await uploads.attachToThread(files, target.channel, target.threadTs ?? ts);
  }

  /** Posts to the channel, or edits the message there; returns its timestamp. */
  function postWithPicture(reply: Reply, target: ReplyTarget, remarks: readonly Line[] = []): Promise<string> {
    const { channel, replaceTs: replaces } = target;
    const id = randomUUID();
    const send = (message: SlackMessage) => postOrEdit(message, target, id);
    return pictureMessages.send(reply, {
      channel,
      replaces,
      limitMs: PICTURE_LIMIT_MS.asked,
      remarks,
      send,
      tsOf: (ts) => ts,
    });
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
      const update = () => clients.read.chat.update({ channel, ts, blocks: [], ...message });
      await withinLimit(clock, POST_LIMIT_MS, () => retryOnRateLimit(update));
      return true;
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null || !isMessageGone(failure)) throw error;
      return false;
    }
  }

  async function deliverEphemeral(reply: Reply, target: ReplyTarget): Promise<void> {
    // A direct message is private anyway, and can show a picture.
    if (target.channel.startsWith('D') && !target.ephemeral)
      return deliver({ ...reply, privately: false, quiet: false }, target);
    const remarks =
      reply.attachments === undefined
        ? []
        : await uploads.attachToDirectMessage(uploads.sendAttachments(reply), target.user);
    if (target.userIsElsewhere) {
      await postWithPicture(reply, await directMessageWith(target.user), remarks);
      return;
    }
    if (reply.chart !== undefined)
      remarks.push(['A private answer cannot hold a picture; a direct message to me can.']);
    const options = {
      inChannel: false,
      replace: target.replaceEphemeral === true,
      threadTs: ephemeralThreadTs(target),
    };
    if (await respond(reply, target, options, remarks)) return;
    await reachAsker(reply, target, remarks, target.responseUrl === undefined);
  }

  /** The answer could not be posted: the response_url still reaches the channel, and other ways at least the asker. */
  async function deliverWithoutPosting(
    asked: Reply,
    target: ReplyTarget,
    failure: SlackFailure,
    files: SentFiles | null,
  ): Promise<void> {
    const remark = whyNotPosted(asked, target, failure, deps.identity.botName);
    const reply = isUninvited(failure) ? { ...asked, actions: [INVITE, ...(asked.actions ?? [])] } : asked;
    const attached = files === null ? [] : await uploads.attachToDirectMessage(files, target.user);
    const remarks = [...attached, remark];
    // Others may get to see the post yet, and should not see the answer twice.
    const inChannel = !isArchived(failure) && failure.kind !== 'ambiguous';
    const threadTs = inChannel ? target.threadTs : ephemeralThreadTs(target);
    const replace = inChannel && target.replaceTs !== undefined;
    if (await respond(reply, target, { inChannel, replace, threadTs }, remarks)) return;
    // Where Slack refuses the bot in the channel, it refuses an ephemeral message too.
    await reachAsker(reply, target, remarks, failure.kind !== 'refused');
  }

  /** False where the response was certainly not shown. It is sent once more at most, where only its blocks were refused. */
  async function respond(
    reply: Reply,
    { responseUrl: url }: ReplyTarget,
    options: ResponseOptions,
    remarks: readonly Line[],
  ): Promise<boolean> {
    if (url === undefined) return false;
    const render = (rendering: 'native' | 'simple') => renderMessage(reply, { rendering, remarks });
    const first = await deps.respond(url, render('native'), options);
    const outcome = first === 'refused_blocks' ? await deps.respond(url, render('simple'), options) : first;
    return outcome === 'taken' || outcome === 'unknown';
  }

  /** By an ephemeral message or a direct message, whichever is the better way here, and the other where that fails. */
  async function reachAsker(
    reply: Reply,
    target: ReplyTarget,
    remarks: readonly Line[],
    ephemeralFirst: boolean,
  ): Promise<void> {
    const byEphemeral = () => postEphemeral(reply, target, remarks);
    const byDirectMessage = () => postDirectly(reply, target.user, remarks);
    const [first, second] = ephemeralFirst ? [byEphemeral, byDirectMessage] : [byDirectMessage, byEphemeral];
    try {
      await first();
    } catch (error) {
      if (slackFailure(error) === null) throw error;
      log.warn({ channel: target.channel, err: error }, 'the asker is told in the last way left');
      await second();
    }
  }

  async function postEphemeral(reply: Reply, target: ReplyTarget, remarks: readonly Line[]): Promise<void> {
    const where = ephemeralPlace(target);
    await sendWithFallbacks(reply, { remarks }, (message) =>
      withinLimit(clock, PRIVATE_LIMIT_MS, () =>
        retryOnRateLimit(() => clients.post.chat.postEphemeral({ ...where, ...message })),
      ),
    );
  }

  async function postDirectly(reply: Reply, user: string, remarks: readonly Line[]): Promise<void> {
    const target = await directMessageWith(user);
    const id = randomUUID();
    await sendWithFallbacks(reply, { remarks }, (message) => postOrEdit(message, target, id));
  }

  async function directMessageWith(user: string): Promise<ReplyTarget> {
    return { channel: await withinLimit(clock, PRIVATE_LIMIT_MS, () => openDirectMessage(clients, user)), user };
  }

  return deliver;
}

function isEphemeral({ privately, quiet }: Reply, { ephemeral, askedPublicly }: ReplyTarget): boolean {
  return privately === true || ephemeral === true || (quiet === true && askedPublicly !== true);
}

const isArchived = (failure: SlackFailure): boolean => failure.kind === 'refused' && failure.reason === 'is_archived';

/** Of a private channel that the bot is not in, Slack does not even admit that it is there. */
const isUninvited = (failure: SlackFailure): boolean =>
  failure.kind === 'refused' && failure.reason === 'not_in_channel';

/** It may be read in a direct message too, so it names the channel. */
function whyNotPosted({ chart }: Reply, { channel }: ReplyTarget, failure: SlackFailure, botName: string): Line {
  const there = { channel };
  if (isArchived(failure)) return [there, ' is archived, so the answer is for you alone.'];
  switch (failure.kind) {
    case 'refused': {
      if (!['not_in_channel', 'channel_not_found'].includes(failure.reason))
        return ['Slack does not let me post in ', there, ` (${failure.reason}).`];
      const invite = chart === undefined ? '. So that I can post there: ' : '. For the drawn chart: ';
      return ['I am not in ', there, invite, { code: `/invite @${botName}` }];
    }
    case 'rate_limited':
      return ['Slack does not let me post in ', there, ' right now (too many messages).'];
    case 'not_posted':
      return ['Slack failed to post this in ', there, '.'];
    case 'ambiguous':
      return ['Slack did not confirm that this was posted in ', there, '; it may still appear there.'];
  }
}
