/** The files of a reply. Whatever becomes of them, the answer says it as it is. */
import { randomUUID } from 'node:crypto';
import type { Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackClients } from '../transport/clients.ts';
import { directChannel } from './direct-channel.ts';
import type { Poster } from './post-once.ts';
import type { Uploads } from './uploads.ts';

export interface Attachments {
  /** Below the answer; a failure is told there. Never rejects. */
  below(reply: Reply, channel: string, threadTs: string): Promise<void>;
  /** Files cannot be private in a channel, so they go to the person's direct messages. Says what became of them. */
  directly(reply: Reply, user: string): Promise<Line[]>;
}

const LOST = 'The file could not be posted; ask for it again in a minute.';

export function createAttachments(clients: SlackClients, poster: Poster, uploads: Uploads, log: Logger): Attachments {
  async function attach({ attachments = [] }: Reply, channel: string, threadTs?: string): Promise<boolean> {
    try {
      for (const attachment of attachments) await uploads.attach(attachment, channel, threadTs);
      return true;
    } catch (error) {
      log.warn({ err: error }, 'an attachment could not be posted');
      return false;
    }
  }

  return {
    async below(reply, channel, threadTs) {
      if (await attach(reply, channel, threadTs)) return;
      await poster
        .postOnce({ channel, thread_ts: threadTs, text: LOST }, randomUUID())
        .catch((error: unknown) => log.warn({ err: error }, 'nor could that be told'));
    },
    async directly(reply, user) {
      if (reply.attachments === undefined) return [];
      const done = await directChannel(clients, user).then(
        (channel) => attach(reply, channel),
        () => false,
      );
      return [[done ? 'The file is in your direct messages with me.' : LOST]];
    },
  };
}
