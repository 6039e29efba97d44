/**
 * Delivers a reply to its target. The text arrives whatever else fails: a chart that can't be drawn, an upload that never
 * becomes ready, a block that Slack refuses, a channel the bot isn't in or a rate limit make the answer plainer, but never
 * lose it.
 */
import { randomUUID } from 'node:crypto';
import { withTimeout } from '../../clock.ts';
import { INVITE } from '../../commands/verbs/doctor.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { renderMessage, type SlackMessage } from '../blocks/message.ts';
import { isMessageGone, SlackCallError, type SlackFailure, slackFailure, withinLimit } from '../transport/web-api.ts';
import type { Attachments, SentFiles } from './picture-messages.ts';
import { LATER_LIMIT_MS, PICTURE_LIMIT_MS, type PictureMessages, type SendWithFallbacks } from './picture-messages.ts';
import { type CallDependencies, POST_LIMIT_MS, type PostAndConfirm } from './post-and-confirm.ts';
import { ephemeralPlace, ephemeralThreadTs, openDirectMessage, type ReplyTarget } from './reply-target.ts';
import type { Respond, ResponseOptions } from './response-url.ts';

/** Returns the `ts` of the message that everyone sees; `null` if only the asker sees it. */
export type DeliverReply = (reply: Reply, target: ReplyTarget) => Promise<string | null>;

export interface PostingDependencies extends CallDependencies {
  readonly postAndConfirm: PostAndConfirm;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly pictureMessages: PictureMessages;
}

interface DeliverReplyDependencies extends PostingDependencies {
  readonly respond: Respond;
  readonly attachments: Attachments;
  readonly identity: { readonly botName: string };
}

/** For a call that only reaches the asker. */
const PRIVATE_LIMIT_MS = 5_000;

export function createDeliverReply(deps: DeliverReplyDependencies): DeliverReply {
  const { attachments, log, identity } = deps;
  const { postWithPicture } = createChannelPosting(deps);
  const { directMessageWith, reachAsker } = createAskerPosting(deps);
  const replaceLater = createLateReplacement(deps);

  async function deliver(reply: Reply, target: ReplyTarget): Promise<string | null> {
    if (isEphemeral(reply, target)) return deliverEphemeral(reply, target);
    const files = reply.attachments === undefined ? null : attachments.send(reply);
    let ts: string;
    try {
      ts = await postWithPicture(reply, target);
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null) throw error;
      log.warn({ channel: target.channel, failure: failure.kind, err: error }, 'delivering through a fallback');
      await deliverWithoutPosting(reply, target, failure, files);
      return null;
    }
    if (files !== null) await attachments.attachToThread(files, target.channel, target.threadTs ?? ts);
    return ts;
  }

  async function attachToDirectMessage(files: SentFiles, { user, beforeSend }: ReplyTarget): Promise<Line[]> {
    await beforeSend?.();
    return attachments.attachToDirectMessage(files, user);
  }

  async function deliverEphemeral(reply: Reply, target: ReplyTarget): Promise<string | null> {
    // A direct message is private anyway, and can show a picture.
    if (target.channel.startsWith('D') && !target.ephemeral)
      return deliver({ ...reply, privately: false, quiet: false }, target);
    const remarks = reply.attachments === undefined ? [] : await attachToDirectMessage(attachments.send(reply), target);
    if (target.userIsElsewhere) {
      await postWithPicture(reply, await directMessageWith(target), remarks);
      return null;
    }
    if (reply.chart !== undefined) remarks.push(['Private answers can’t show a picture. Direct messages to me can.']);
    const options = {
      inChannel: false,
      replace: target.replaceEphemeral === true,
      threadTs: ephemeralThreadTs(target),
    };
    if (await respondTo(target, deps.respond, reply, options, remarks)) {
      if (options.replace)
        replaceLater(reply, target, (next) => respondTo(target, deps.respond, next, options, remarks));
    } else await reachAsker(reply, target, remarks, target.responseUrl === undefined);
    return null;
  }

  /** The answer couldn't be posted: the response_url still reaches the channel, and other ways at least the asker. */
  async function deliverWithoutPosting(
    original: Reply,
    target: ReplyTarget,
    failure: SlackFailure,
    files: SentFiles | null,
  ): Promise<void> {
    const remark = whyNotPosted(original, target, failure, identity.botName);
    const reply = isUninvited(failure) ? { ...original, actions: [INVITE, ...(original.actions ?? [])] } : original;
    const attached = files === null ? [] : await attachToDirectMessage(files, target);
    const remarks = [...attached, remark];
    // A post in doubt may still appear, and others shouldn't see the answer twice.
    const inChannel = !isArchived(failure) && failure.kind !== 'ambiguous';
    const threadTs = inChannel ? target.threadTs : ephemeralThreadTs(target);
    const replace = inChannel && target.replaceTs !== undefined;
    if (await respondTo(target, deps.respond, reply, { inChannel, replace, threadTs }, remarks)) return;
    try {
      // If Slack refuses the bot in the channel, it refuses an ephemeral message too.
      await reachAsker(reply, target, remarks, failure.kind !== 'refused');
    } catch (error) {
      // The post in doubt still decides: delivering it all again could show the answer twice.
      throw failure.kind === 'ambiguous' ? new SlackCallError(failure, error) : error;
    }
  }

  return deliver;
}

/**
 * Replaces an ephemeral answer by what is known later. Slack replaces only the message that a button was pressed on: what
 * answers a typed command stays as it is.
 */
function createLateReplacement({ clock, log }: Pick<CallDependencies, 'clock' | 'log'>) {
  /** The last answer of each person in each channel: an older one must not overwrite it. */
  const last = new Map<string, Reply>();
  return function replaceLater(
    reply: Reply,
    { channel, user }: ReplyTarget,
    replace: (next: Reply) => Promise<unknown>,
  ): void {
    const place = `${channel}/${user}`;
    const { later } = reply;
    if (later === undefined) {
      last.delete(place);
      return;
    }
    last.set(place, reply);
    void withTimeout(
      clock,
      LATER_LIMIT_MS,
      () => later,
      () => null,
    )
      .then(async (next) => {
        if (last.get(place) !== reply) return;
        last.delete(place);
        if (next !== null) await replace(next);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'could not complete a private answer'));
  };
}

/** False if the response certainly wasn't shown. Sent a second time only if Slack refused the blocks. */
async function respondTo(
  { responseUrl: url, beforeSend }: ReplyTarget,
  respond: Respond,
  reply: Reply,
  options: ResponseOptions,
  remarks: readonly Line[],
): Promise<boolean> {
  if (url === undefined) return false;
  await beforeSend?.();
  const render = (rendering: 'native' | 'simple') => renderMessage(reply, { rendering, remarks });
  const first = await respond(url, render('native'), options);
  const outcome = first === 'refused_blocks' ? await respond(url, render('simple'), options) : first;
  return outcome === 'taken' || outcome === 'unknown';
}

/** Posting or editing where everyone in the conversation sees it. */
function createChannelPosting(deps: PostingDependencies) {
  const { clients, postAndConfirm, retryOnRateLimit, pictureMessages, clock } = deps;

  function postWithPicture(reply: Reply, target: ReplyTarget, remarks: readonly Line[] = []): Promise<string> {
    const { channel, replaceTs: replaces } = target;
    const id = randomUUID();
    const send = (message: SlackMessage) => postOrEdit(message, target, id);
    const limitMs = PICTURE_LIMIT_MS.asked;
    return pictureMessages.send(reply, { channel, replaces, limitMs, remarks, send, tsOf: (ts) => ts });
  }

  async function postOrEdit(message: SlackMessage, target: ReplyTarget, id: string): Promise<string> {
    const { channel, threadTs: thread_ts, replaceTs, beforeSend } = target;
    await beforeSend?.();
    if (replaceTs !== undefined && (await edit(message, channel, replaceTs))) return replaceTs;
    const { ts } = await postAndConfirm(
      { channel, thread_ts, ...message, unfurl_links: false, unfurl_media: false },
      id,
    );
    return ts;
  }

  /** False if the message to edit is gone; then the answer is posted as a new one. */
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

  return { postWithPicture, postOrEdit };
}

/** Messages that only the asker sees. */
function createAskerPosting(deps: PostingDependencies) {
  const { clients, retryOnRateLimit, sendWithFallbacks, clock, log } = deps;
  const { postOrEdit } = createChannelPosting(deps);

  /** By ephemeral message or by direct message, whichever works better here, and by the other if that fails. */
  async function reachAsker(
    reply: Reply,
    target: ReplyTarget,
    remarks: readonly Line[],
    ephemeralFirst: boolean,
  ): Promise<void> {
    const byEphemeral = () => postEphemeral(reply, target, remarks);
    const byDirectMessage = () => postDirectly(reply, target, remarks);
    const [first, second] = ephemeralFirst ? [byEphemeral, byDirectMessage] : [byDirectMessage, byEphemeral];
    try {
      await first();
    } catch (error) {
      if (slackFailure(error) === null) throw error;
      log.warn({ channel: target.channel, err: error }, 'answering through the last fallback');
      await second();
    }
  }

  async function postEphemeral(reply: Reply, target: ReplyTarget, remarks: readonly Line[]): Promise<void> {
    const where = ephemeralPlace(target);
    await target.beforeSend?.();
    await sendWithFallbacks(reply, { remarks }, (message) =>
      withinLimit(clock, PRIVATE_LIMIT_MS, () =>
        retryOnRateLimit(() => clients.post.chat.postEphemeral({ ...where, ...message })),
      ),
    );
  }

  async function postDirectly(reply: Reply, target: ReplyTarget, remarks: readonly Line[]): Promise<void> {
    const direct = await directMessageWith(target);
    const id = randomUUID();
    await sendWithFallbacks(reply, { remarks }, (message) => postOrEdit(message, direct, id));
  }

  async function directMessageWith({ user, beforeSend }: ReplyTarget): Promise<ReplyTarget> {
    const channel = await withinLimit(clock, PRIVATE_LIMIT_MS, () => openDirectMessage(clients, user));
    return { channel, user, beforeSend };
  }

  return { directMessageWith, reachAsker };
}

function isEphemeral({ privately, quiet }: Reply, { ephemeral, askedPublicly }: ReplyTarget): boolean {
  return privately === true || ephemeral === true || (quiet === true && askedPublicly !== true);
}

const isArchived = (failure: SlackFailure): boolean => failure.kind === 'refused' && failure.reason === 'is_archived';

const isUninvited = (failure: SlackFailure): boolean =>
  failure.kind === 'refused' && failure.reason === 'not_in_channel';

/** Names the channel, because it may be read in a direct message. */
function whyNotPosted({ chart }: Reply, { channel }: ReplyTarget, failure: SlackFailure, botName: string): Line {
  const there = { channel };
  if (isArchived(failure)) return [there, ' is archived, so only you can see this answer.'];
  switch (failure.kind) {
    case 'refused': {
      if (!['not_in_channel', 'channel_not_found'].includes(failure.reason))
        return ['Slack doesn’t let me post in ', there, ` (${failure.reason}).`];
      const invite = chart === undefined ? '. To let me post there: ' : '. To get the chart as a picture: ';
      return ['I’m not in ', there, invite, { code: `/invite @${botName}` }];
    }
    case 'rate_limited':
      return ['Slack is limiting how much I can post in ', there, ' right now.'];
    case 'not_posted':
      return ['Slack couldn’t post this in ', there, '.'];
    case 'ambiguous':
      return ['Slack didn’t confirm that this was posted in ', there, '. It may still appear there.'];
  }
}
