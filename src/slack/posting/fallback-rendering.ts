/**
 * Sends a reply in the richest rendering that Slack accepts, from a picture down to plain text. The text doesn't wait long:
 * a picture that is ready later is edited into the posted message.
 */
import { type Clock, sleep, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { type Rendering, renderMessage, type SlackMessage } from '../blocks/message.ts';
import { isFileNotReady, isRefusedBlock, type RetryOnRateLimit, slackFailure } from '../transport/slack-failure.ts';
import type { CallDependencies } from './post-and-confirm.ts';
import type { ChartUploads } from './uploads.ts';

/**
 * Calls `send` with simpler and simpler renderings while Slack refuses the blocks. That's safe, because a refused message
 * certainly wasn't posted. Any other failure of `send` is thrown.
 */
export type SendWithFallbacks = <T>(
  reply: Reply,
  options: FallbackOptions,
  send: (message: SlackMessage) => Promise<T>,
) => Promise<T>;

interface FallbackOptions {
  readonly fileId?: string | null;
  readonly remarks?: readonly Line[];
}

/** Waits while Slack processes an upload: about five seconds in total. */
const FILE_READY_WAITS_MS = [300, 500, 800, 1_200, 2_000];

/** Repeats the call while Slack says that the uploaded file isn't ready. */
async function whenFileReady<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  for (const waitMs of FILE_READY_WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null || !isFileNotReady(failure)) throw error;
      await sleep(clock, waitMs);
    }
  }
  return call();
}

/** `onRefusedFile` is called with an uploaded chart that Slack refuses to show. */
export function createSendWithFallbacks(
  clock: Clock,
  log: Logger,
  onRefusedFile: (fileId: string) => void,
): SendWithFallbacks {
  /** `null` if a bug of ours makes the rendering fail, unless it's the last: a simpler one may work. */
  function render(reply: Reply, options: Parameters<typeof renderMessage>[1]): SlackMessage | null {
    try {
      return renderMessage(reply, options);
    } catch (error) {
      if (options.rendering === 'text') throw error;
      log.error({ rendering: options.rendering, err: error }, 'could not render a reply');
      return null;
    }
  }

  return async function sendWithFallbacks(reply, { fileId = null, remarks = [] }, send) {
    const withoutPicture: readonly Rendering[] = ['native', 'simple', 'text'];
    const renderings: readonly Rendering[] = fileId === null ? withoutPicture : ['picture', ...withoutPicture];
    for (const rendering of renderings) {
      const message = render(reply, { rendering, remarks, fileId: fileId ?? undefined });
      if (message === null) continue;
      try {
        return rendering === 'picture' ? await whenFileReady(clock, () => send(message)) : await send(message);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure === null || !isRefusedBlock(failure) || rendering === 'text') throw error;
        if (rendering === 'picture' && fileId !== null) onRefusedFile(fileId);
        log.warn(
          { rendering, why: failure.kind === 'refused' ? failure.messages : [] },
          'Slack refused the blocks of a message',
        );
      }
    }
    throw new Error('no rendering left to try');
  };
}

/**
 * How long the text waits for its picture. An answer goes out without delay, because an upload takes three calls to Slack
 * and the picture is edited in; a digest is posted complete.
 */
export const PICTURE_LIMIT_MS = { asked: 150, unasked: 6_000 };

interface MessageInChannel<T> {
  readonly channel: string;
  /** The timestamp of the message that this one replaces. */
  readonly replaces?: string | undefined;
  readonly limitMs: number;
  readonly remarks?: readonly Line[];
  readonly send: (message: SlackMessage) => Promise<T>;
  /** The timestamp of what was sent; `null` if it isn't known to be posted. */
  readonly tsOf: (sent: T) => string | null;
}

export interface PictureMessages {
  send<T>(reply: Reply, message: MessageInChannel<T>): Promise<T>;
  /** Resolves once every late picture has been added or given up. */
  finished(): Promise<void>;
}

interface PictureMessagesDependencies extends Omit<CallDependencies, 'retryOnRateLimit'> {
  readonly uploads: ChartUploads;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly retryInBackground: RetryOnRateLimit;
}

/** A message whose picture isn't ready yet. */
interface PendingPicture {
  /** False once the message has other content. */
  wanted: boolean;
  editing: Promise<unknown>;
}

export function createPictureMessages(deps: PictureMessagesDependencies): PictureMessages {
  const { clients, uploads, sendWithFallbacks, retryInBackground, clock, log } = deps;
  const pending = new Map<string, PendingPicture>();
  const following = new Set<Promise<void>>();

  /** The message is about to get other content, which a late picture must not overwrite. */
  async function supersede(place: string): Promise<void> {
    const before = pending.get(place);
    if (before === undefined) return;
    before.wanted = false;
    await before.editing.catch(() => {});
  }

  async function follow(
    picture: Promise<string | null>,
    awaiting: PendingPicture,
    edit: (fileId: string) => Promise<unknown>,
  ) {
    const fileId = await picture;
    if (fileId === null) return;
    const unlessSuperseded = async () => {
      if (!awaiting.wanted) return;
      awaiting.editing = edit(fileId);
      await awaiting.editing;
    };
    try {
      await retryInBackground(() => whenFileReady(clock, unlessSuperseded));
    } catch (error) {
      const failure = slackFailure(error);
      if (failure !== null && isRefusedBlock(failure)) uploads.forget(fileId);
      log.warn({ err: error }, 'could not add a late picture to its message');
    }
  }

  return {
    async send(reply, { channel, replaces, limitMs, remarks = [], send, tsOf }) {
      if (replaces !== undefined) await supersede(`${channel}/${replaces}`);
      const picture = uploads.uploadChart(reply);
      const inTime = await withTimeout<string | null | undefined>(
        clock,
        limitMs,
        () => picture,
        () => undefined,
      );
      const sent = await sendWithFallbacks(reply, { fileId: inTime ?? null, remarks }, send);
      const ts = tsOf(sent);
      if (inTime !== undefined || ts === null) return sent;
      const place = `${channel}/${ts}`;
      const awaiting: PendingPicture = { wanted: true, editing: Promise.resolve() };
      pending.set(place, awaiting);
      const edit = (fileId: string) =>
        clients.read.chat.update({ channel, ts, ...renderMessage(reply, { rendering: 'picture', fileId, remarks }) });
      const followed = follow(picture, awaiting, edit).finally(() => {
        following.delete(followed);
        if (pending.get(place) === awaiting) pending.delete(place);
      });
      following.add(followed);
      return sent;
    },
    async finished() {
      await Promise.allSettled(following);
    },
  };
}
