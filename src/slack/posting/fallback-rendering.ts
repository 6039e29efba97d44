/**
 * Sends a reply in the richest rendering that Slack accepts, from a picture down to plain text. The text does not wait for
 * long: a picture that comes later is put into the message that is there by then.
 */
import { type Clock, sleep, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { type Rendering, renderMessage, type SlackMessage } from '../blocks/message.ts';
import type { SlackClients } from '../transport/clients.ts';
import { isFileNotReady, isRefusedBlock, slackFailure } from '../transport/slack-failure.ts';
import type { RetryOnRateLimit } from './post-once.ts';
import type { Uploads } from './uploads.ts';

/**
 * Calls `send` with one rendering after the other while Slack refuses their blocks. That is safe, because a refused
 * message was certainly not posted. Any other failure of `send` is thrown.
 */
export type SendWithFallbacks = <T>(
  reply: Reply,
  options: FallbackOptions,
  send: (message: SlackMessage) => Promise<T>,
) => Promise<T>;

interface FallbackOptions {
  /** The uploaded chart; without one, the picture is not tried. */
  readonly fileId?: string | null;
  readonly remarks?: readonly Line[];
}

/** Waits while Slack processes an upload: about five seconds in all. */
const FILE_READY_WAITS_MS = [300, 500, 800, 1_200, 2_000];

/** Repeats the call while Slack says that the uploaded file is not usable yet. */
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

/** `onRefusedFile` is told of an uploaded chart that Slack does not show. */
export function createSendWithFallbacks(
  clock: Clock,
  log: Logger,
  onRefusedFile: (fileId: string) => void,
): SendWithFallbacks {
  /** `null` for a rendering that fails by a fault of ours, unless it is the last: a simpler one may work. */
  function render(reply: Reply, options: Parameters<typeof renderMessage>[1]): SlackMessage | null {
    try {
      return renderMessage(reply, options);
    } catch (error) {
      if (options.rendering === 'text') throw error;
      log.error({ rendering: options.rendering, err: error }, 'a reply could not be rendered');
      return null;
    }
  }

  return async function sendWithFallbacks(reply, { fileId = null, remarks = [] }, send) {
    const withoutPicture: readonly Rendering[] = ['native', 'simple', 'text'];
    const renderings: readonly Rendering[] = fileId === null ? withoutPicture : ['picture', ...withoutPicture];
    for (const rendering of renderings) {
      const message = render(reply, { rendering, remarks, ...(fileId === null ? {} : { fileId }) });
      if (message === null) continue;
      try {
        return rendering === 'picture' ? await whenFileReady(clock, () => send(message)) : await send(message);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure === null || !isRefusedBlock(failure) || rendering === 'text') throw error;
        if (rendering === 'picture' && fileId !== null) onRefusedFile(fileId);
        log.warn({ rendering, why: failure.kind === 'refused' ? failure.messages : [] }, 'Slack refused blocks');
      }
    }
    throw new Error('no rendering of the reply was left to try');
  };
}

/**
 * How long the text waits for its picture. An answer goes out without delay, because an upload takes three calls to Slack
 * and the picture is edited in; a digest is posted complete.
 */
export const PICTURE_LIMIT_MS = { asked: 150, unasked: 6_000 };

interface MessageInChannel<T> {
  readonly channel: string;
  /** The timestamp of the message that this takes the place of. */
  readonly replaces?: string | undefined;
  readonly limitMs: number;
  readonly remarks?: readonly Line[];
  readonly send: (message: SlackMessage) => Promise<T>;
  /** The timestamp of what was sent; `null` where it is not known to be there. */
  readonly tsOf: (sent: T) => string | null;
}

export interface PictureMessages {
  send<T>(reply: Reply, message: MessageInChannel<T>): Promise<T>;
  /** Resolves when every message that waits for its picture has it, or is known not to get it. */
  finished(): Promise<void>;
}

interface PictureMessagesDependencies {
  readonly clients: SlackClients;
  readonly uploads: Pick<Uploads, 'uploadChart' | 'forget'>;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly retryPatiently: RetryOnRateLimit;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A message whose picture is still to come. */
interface AwaitedPicture {
  /** False once something else stands there. */
  wanted: boolean;
  editing: Promise<unknown>;
}

export function createPictureMessages(deps: PictureMessagesDependencies): PictureMessages {
  const { clients, uploads, sendWithFallbacks, retryPatiently, clock, log } = deps;
  const awaited = new Map<string, AwaitedPicture>();
  const following = new Set<Promise<void>>();

  /** Something else is about to stand there: the picture of what stood there before must not come over it. */
  async function supersede(place: string): Promise<void> {
    const before = awaited.get(place);
    if (before === undefined) return;
    before.wanted = false;
    await before.editing.catch(() => {});
  }

  async function follow(
    picture: Promise<string | null>,
    awaiting: AwaitedPicture,
    edit: (fileId: string) => Promise<unknown>,
  ) {
    const fileId = await picture;
    // Without it the message is whole too.
    if (fileId === null) return;
    const unlessSuperseded = async () => {
      if (!awaiting.wanted) return;
      awaiting.editing = edit(fileId);
      await awaiting.editing;
    };
    try {
      await retryPatiently(() => whenFileReady(clock, unlessSuperseded));
    } catch (error) {
      const failure = slackFailure(error);
      if (failure !== null && isRefusedBlock(failure)) uploads.forget(fileId);
      log.warn({ err: error }, 'a picture that came late could not be put into its message');
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
      const awaiting: AwaitedPicture = { wanted: true, editing: Promise.resolve() };
      awaited.set(place, awaiting);
      const edit = (fileId: string) =>
        clients.read.chat.update({ channel, ts, ...renderMessage(reply, { rendering: 'picture', fileId, remarks }) });
      const followed = follow(picture, awaiting, edit).finally(() => {
        following.delete(followed);
        if (awaited.get(place) === awaiting) awaited.delete(place);
      });
      following.add(followed);
      return sent;
    },
    async finished() {
      await Promise.allSettled(following);
    },
  };
}
