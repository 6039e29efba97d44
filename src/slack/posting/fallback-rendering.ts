/** Sends a reply in the richest rendering that Slack accepts, from a picture down to plain text. */
import { type Clock, sleep } from '../../clock.ts';
import type { Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import { type Rendering, renderMessage, type SlackMessage } from '../blocks/message.ts';
import { isFileNotReady, isRefusedBlock, slackFailure } from '../transport/slack-failure.ts';

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

/** `onRefusedFile` is told of an uploaded chart that Slack does not show. */
export function createSendWithFallbacks(
  clock: Clock,
  log: Logger,
  onRefusedFile: (fileId: string) => void,
): SendWithFallbacks {
  /** Repeats the call while Slack says that the uploaded file is not usable yet. */
  async function whenFileReady<T>(call: () => Promise<T>): Promise<T> {
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
        return rendering === 'picture' ? await whenFileReady(() => send(message)) : await send(message);
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
