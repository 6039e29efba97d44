/**
 * Delivers a reply to its target. The text arrives whatever else fails: a chart that can't be drawn, an upload that never
 * becomes ready, a block that Slack refuses, a channel the bot isn't in or a rate limit make the answer plainer, but never
 * lose it.
 *
 * A message for which somebody is waiting is confirmed after a doubtful outcome. Slack has no idempotency keys, so each message
 * carries an ID in its metadata; when it's unknown whether a call took effect, the channel's history is searched for that ID
 * before anything is posted again. This takes seconds and remembers nothing. Digests and watches, which must survive a crash,
 * decide in `subscriptions/delivery/post-exactly-once.ts` and use only `postWithId` and `findPosted` from here.
 */
import { randomUUID } from 'node:crypto';
import type { ChatPostMessageArguments, ConversationsHistoryResponse } from '@slack/web-api';
import { elapsedMsOf, sleep, withTimeout } from '../../clock.ts';
import { INVITE } from '../../commands/verbs/doctor.ts';
import type { Attachment, Line, Reply } from '../../replies/reply.ts';
import { renderLine, renderMessage, type SlackMessage, withNames } from '../blocks/message.ts';
import {
  type CallDependencies,
  isMessageGone,
  isPageTooLarge,
  SlackCallError,
  type SlackClients,
  type SlackFailure,
  slackFailure,
  TIMED_OUT,
  withinLimit,
} from '../transport/web-api.ts';
import {
  LATER_LIMIT_MS,
  PICTURE_LIMIT_MS,
  type PictureMessages,
  type SendWithFallbacks,
  transfer,
} from './picture-messages.ts';
import { ephemeralPlace, ephemeralThreadTs, openDirectMessage, type ReplyTarget } from './reply-target.ts';
import type { ReportDocuments } from './report-document.ts';
import type { Respond, ResponseOptions } from './response-url.ts';

/** Returns the `ts` of the message that everyone sees; `null` if only the asker sees it. */
export type DeliverReply = (reply: Reply, target: ReplyTarget) => Promise<string | null>;

export interface PostingDependencies extends CallDependencies {
  readonly postAndConfirm: PostAndConfirm;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly pictureMessages: PictureMessages;
  /** `null` if unknown. */
  readonly userName: (user: string) => Promise<string | null>;
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
    const files = hasFiles(reply) ? attachments.send(reply) : null;
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
    const threadTs = target.threadTs ?? ts;
    if (files !== null) await attachments.attachToThread(files, target.channel, threadTs);
    await attachments.addCanvas(reply, { ...target, threadTs });
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
    const remarks = hasFiles(reply) ? await attachToDirectMessage(attachments.send(reply), target) : [];
    if (reply.document?.asCanvas === true) remarks.push(['A private answer has no canvas: the channel could read it.']);
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

  /** If the answer couldn't be posted: the response_url still reaches the channel, other ways at least the asker. */
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

  return async (reply, target) => deliver(await withNames(reply, deps.userName), target);
}

/**
 * Updates an ephemeral answer once more is known. Slack can only replace the message whose button was pressed: the
 * answer to a typed command stays as it is.
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
    const { channel, replaceTs: replaces, postId: id = randomUUID() } = target;
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
      const failure = slackFailure(error);
      if (failure === null) throw error;
      log.warn({ channel: target.channel, err: error }, 'answering through the last fallback');
      await second().catch((last: unknown) => {
        // The first may have arrived: delivering it all again could show the answer twice.
        throw failure.kind === 'ambiguous' && slackFailure(last) !== null ? error : last;
      });
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

const hasFiles = ({ attachments, document }: Reply): boolean => (attachments ?? document) !== undefined;

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

/** Files on their way to Slack; `null` if the upload failed. */
type SentFiles = Promise<readonly SentFile[] | null>;

interface SentFile {
  readonly id: string;
  readonly title: string;
}

export interface Attachments {
  /** Uploads the reply's files, so that they can be shared as soon as the answer is posted. */
  send(reply: Reply): SentFiles;
  /** Posts the files in the thread; a failure is reported there. Never rejects. */
  attachToThread(files: SentFiles, channel: string, threadTs: string): Promise<void>;
  /** Creates the requested canvas and links it in the thread. Never rejects. */
  addCanvas(reply: Reply, target: Pick<ReplyTarget, 'channel' | 'user' | 'threadTs'>): Promise<void>;
  /** Files in a channel can't be private, so these go by direct message. Returns a remark that says what happened. */
  attachToDirectMessage(files: SentFiles, user: string): Promise<Line[]>;
}

interface AttachmentDependencies extends CallDependencies {
  readonly documents: ReportDocuments;
  readonly postAndConfirm: PostAndConfirm;
}

/** How long a private answer waits for its files. */
const ATTACHMENT_LIMIT_MS = 12_000;
const OPEN_LIMIT_MS = 5_000;
const NOT_POSTED = 'I couldn’t post the file. Ask again in a minute.';

export function createAttachments(deps: AttachmentDependencies): Attachments {
  const { clients, postAndConfirm, documents, retryOnRateLimit, clock, log } = deps;

  async function sendFile({ name, title, content }: Attachment): Promise<SentFile> {
    return { id: await transfer(clients, retryOnRateLimit, name, Buffer.from(content, 'utf8')), title };
  }

  async function share(sent: SentFiles, where: { channel_id: string; thread_ts?: string }): Promise<boolean> {
    const files = await sent;
    if (files === null) return false;
    const [first, ...others] = files;
    if (first === undefined) return true;
    // Not repeated after a doubtful outcome: a file posted twice is worse than one that has to be requested again.
    const complete = () => clients.post.files.completeUploadExternal({ files: [first, ...others], ...where });
    try {
      await withinLimit(clock, ATTACHMENT_LIMIT_MS, () => retryOnRateLimit(complete));
      return true;
    } catch (error) {
      log.warn({ err: error }, 'could not share an attachment');
      return false;
    }
  }

  return {
    async send({ document, attachments = [] }) {
      try {
        const report = document === undefined ? [] : [await documents.asFile(document)];
        const files = [...report, ...attachments];
        return await withinLimit(clock, ATTACHMENT_LIMIT_MS, () => Promise.all(files.map(sendFile)));
      } catch (error) {
        log.warn({ err: error }, 'could not upload an attachment');
        return null;
      }
    },
    async attachToThread(files, channel, threadTs) {
      if (await share(files, { channel_id: channel, thread_ts: threadTs })) return;
      await postAndConfirm({ channel, thread_ts: threadTs, text: NOT_POSTED }, randomUUID()).catch((error: unknown) =>
        log.warn({ err: error }, 'could not report a lost attachment'),
      );
    },
    async addCanvas({ document }, { channel, user, threadTs }) {
      if (document?.asCanvas !== true) return;
      const text = renderLine(await documents.asCanvas(document, { channel, user }));
      const message = { channel, thread_ts: threadTs, text, unfurl_links: false };
      await postAndConfirm(message, randomUUID()).catch((error: unknown) =>
        log.warn({ err: error }, 'could not report a canvas'),
      );
    },
    async attachToDirectMessage(files, user) {
      const opened = withinLimit(clock, OPEN_LIMIT_MS, () => openDirectMessage(clients, user));
      const posted = await opened.then(
        (channel) => share(files, { channel_id: channel }),
        () => false,
      );
      return [[posted ? 'I sent you the file in a direct message.' : NOT_POSTED]];
    },
  };
}

/**
 * `id` must never be reused: a message that already carries it counts as posted. Rejects with a `not_posted` or
 * `ambiguous` failure if Slack doesn't recover within seconds.
 */
export type PostAndConfirm = (message: ChatPostMessageArguments, id: string) => Promise<PostedMessage>;

interface PostedMessage {
  readonly ts: string;
}

const MAX_ATTEMPTS = 4;
/** For all attempts together. */
const POST_LIMIT_MS = 10_000;
const SEARCH_LIMIT_MS = 3_000;
/** A posted message takes a moment to appear in the history. */
const CONFIRM_AFTER_MS = 1_000;
/** Slack's clock and ours may differ. */
const CLOCK_TOLERANCE_MS = 60_000;
const EVENT_TYPE = 'wafbot_message';

export function createPostAndConfirm(deps: CallDependencies): PostAndConfirm {
  const { clients, retryOnRateLimit, clock, log } = deps;

  /** `null` if the message certainly wasn't posted. Rejects with the `error` if the channel can't be searched. */
  const search = (query: PostedMessageQuery, error: unknown) =>
    withinLimit(clock, SEARCH_LIMIT_MS, () => findPosted(clients, query)).catch((searchError: unknown) => {
      log.warn({ channel: query.channel, err: searchError }, 'could not search the channel');
      throw error;
    });

  const elapsedMs = elapsedMsOf(clock);
  return async function postAndConfirm(message, id) {
    const { channel, thread_ts: threadTs } = message;
    const since = clock.now();
    const startedMs = elapsedMs();
    const leftMs = (): number => POST_LIMIT_MS - (elapsedMs() - startedMs);
    for (let attempt = 1; ; attempt++) {
      try {
        const post = () => retryOnRateLimit(() => postWithId(clients, message, id));
        return await withinLimit(clock, leftMs(), post);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'ambiguous') throw error;
        const { reason } = failure;
        log.warn({ reason, attempt, channel }, 'unclear whether a message was posted, searching for it');
        await sleep(clock, CONFIRM_AFTER_MS * attempt);
        const posted = await search({ channel, threadTs, id, since }, error);
        if (posted !== null) return posted;
        // A call that still hangs may yet post it.
        if (reason === TIMED_OUT) throw error;
        if (attempt >= MAX_ATTEMPTS || leftMs() <= 0) throw new SlackCallError({ kind: 'not_posted', reason }, error);
      }
    }
  };
}

/** Posts once, with the ID that `findPosted` looks for. */
export async function postWithId(
  { post }: SlackClients,
  message: ChatPostMessageArguments,
  id: string,
): Promise<PostedMessage> {
  const metadata = { event_type: EVENT_TYPE, event_payload: { id } };
  const { ts } = await post.chat.postMessage({ ...message, metadata });
  if (ts === undefined) throw new SlackCallError({ kind: 'ambiguous', reason: 'no_ts' });
  return { ts };
}

interface PostedMessageQuery {
  readonly channel: string;
  readonly threadTs?: string | undefined;
  readonly id: string;
  readonly since: Temporal.Instant;
}

const PAGE = 200;
/** More than a channel gets in the hour that is searched. */
const MAX_PAGES = 50;
/** Slack doesn't post a message later than this after the call. */
const SEARCHED_MS = 3_600_000;

/**
 * The message with this ID in the channel or thread; `null` if it certainly isn't there. Rejects if not every message
 * since then could be read. One more page is read without a time range: our clock may be wrong.
 */
export async function findPosted(clients: SlackClients, query: PostedMessageQuery): Promise<PostedMessage | null> {
  const seconds = (ms: number): string => ((query.since.epochMilliseconds + ms) / 1000).toFixed(6);
  const range = { oldest: seconds(-CLOCK_TOLERANCE_MS), latest: seconds(SEARCHED_MS), inclusive: true };
  return (await searchPages(clients, query, range)) ?? (await searchPages(clients, query, null));
}

/** Through all pages of the range; without one, the first page only. */
async function searchPages(
  { read }: SlackClients,
  { channel, threadTs, id }: PostedMessageQuery,
  range: { readonly oldest: string; readonly latest: string; readonly inclusive: boolean } | null,
): Promise<PostedMessage | null> {
  const options = { channel, ...range, include_all_metadata: true } as const;
  let cursor: string | undefined;
  let limit = PAGE;
  const readPage = (): Promise<ConversationsHistoryResponse> => {
    const page = { ...options, limit, cursor };
    return threadTs === undefined
      ? read.conversations.history(page)
      : read.conversations.replies({ ...page, ts: threadTs });
  };
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const answer = await readPage().catch((error: unknown) => {
      if (!isPageTooLarge(error) || limit === 1) throw error;
      return null;
    });
    if (answer === null) {
      limit = Math.floor(limit / 2);
      continue;
    }
    const found = (answer.messages ?? []).find(({ metadata }) => carries(metadata, id));
    if (found?.ts !== undefined) return { ts: found.ts };
    if (range === null) return null;
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor && answer.has_more !== true) return null;
    if (!cursor) break;
  }
  throw new SlackCallError({ kind: 'ambiguous', reason: 'incomplete_history' });
}

function carries(metadata: { readonly event_type?: string; readonly event_payload?: object } | undefined, id: string) {
  if (metadata?.event_type !== EVENT_TYPE) return false;
  const payload: unknown = metadata.event_payload;
  return typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id;
}
