/** Steps down from the picture to plain text until Slack accepts a form. A refused form was certainly not posted. */
import { type Clock, sleep } from '../../clock.ts';
import type { Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import { type Form, renderMessage, type SlackMessage } from '../blocks/message.ts';
import { isFileNotReady, isRefusedBlock, slackFailure } from '../slack-failure.ts';

export interface FallbackRendering {
  /** Whatever `send` throws for another reason than a refused block is thrown on. */
  descend<T>(reply: Reply, how: FallbackOptions, send: (message: SlackMessage) => Promise<T>): Promise<T>;
}

export interface FallbackOptions {
  readonly fileId?: string | null;
  readonly remarks?: readonly Line[];
}

/** Waits between tries while Slack looks at an upload: about eight seconds in all. */
const READY_WAITS_MS = [300, 500, 800, 1_200, 2_000, 3_000];

export function createFallbackRendering(command: string, clock: Clock, log: Logger): FallbackRendering {
  /** Repeats while Slack says that the uploaded file is not usable yet. */
  async function whenReady<T>(call: () => Promise<T>): Promise<T> {
    for (const wait of READY_WAITS_MS) {
      try {
        return await call();
      } catch (error) {
        const failure = slackFailure(error);
        if (failure === null || !isFileNotReady(failure)) throw error;
        await sleep(clock, wait);
      }
    }
    return call();
  }

  return {
    async descend(reply, { fileId = null, remarks = [] }, send) {
      const forms: Form[] = fileId === null ? ['native', 'simple', 'text'] : ['picture', 'native', 'simple', 'text'];
      for (const form of forms) {
        const message = renderMessage(reply, { form, command, remarks, ...(fileId === null ? {} : { fileId }) });
        try {
          return form === 'picture' ? await whenReady(() => send(message)) : await send(message);
        } catch (error) {
          const failure = slackFailure(error);
          if (failure === null || !isRefusedBlock(failure) || form === 'text') throw error;
          log.warn({ form, why: failure.kind === 'refused' ? failure.messages : [] }, 'Slack refused blocks');
        }
      }
      throw new Error('no form of the reply was left to try');
    },
  };
}
