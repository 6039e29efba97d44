/**
 * Files in Slack: the chart that a message shows, and attachments such as CSV. Their failure never costs the answer.
 * The three steps of an upload are done one by one, because the SDK's helper returns no file ID and has no time limit.
 */
import { randomUUID } from 'node:crypto';
import ky from 'ky';
import type { ChartSpec } from '../../charts/spec/index.ts';
import type { Attachment, Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { PostOnce, RetryOnRateLimit } from './post-once.ts';
import { openDirectMessage } from './reply-target.ts';

/** Draws a chart as PNG; `null` where pictures are switched off. */
export type DrawChart = ((spec: ChartSpec) => Promise<Uint8Array>) | null;

export interface Uploads {
  /** The file ID of the reply's chart, or `null` when there is none. The file is shared by the message that shows it. */
  uploadChart(reply: Reply): Promise<string | null>;
  /** Posts the reply's files in the thread; a failure is reported there. Never rejects. */
  attachToThread(reply: Reply, channel: string, threadTs: string): Promise<void>;
  /** A file in a channel cannot be private, so it goes by direct message. Returns a remark that says what happened. */
  attachToDirectMessage(reply: Reply, user: string): Promise<Line[]>;
}

interface UploadDependencies {
  readonly clients: SlackClients;
  readonly postOnce: PostOnce;
  readonly retryOnRateLimit: RetryOnRateLimit;
  readonly drawChart: DrawChart;
  readonly log: Logger;
}

const TRANSFER_TIMEOUT_MS = 15_000;
const NOT_POSTED = 'The file could not be posted; ask for it again in a minute.';

export function createUploads({ clients, postOnce, retryOnRateLimit, drawChart, log }: UploadDependencies): Uploads {
  async function transfer(bytes: Uint8Array, filename: string): Promise<string> {
    const { file_id: id, upload_url: url } = await retryOnRateLimit(() =>
      clients.read.files.getUploadURLExternal({ filename, length: bytes.byteLength }),
    );
    if (id === undefined || url === undefined) throw new Error('Slack gave no address to upload to');
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(bytes)]), filename);
    await ky.post(url, { body: form, timeout: TRANSFER_TIMEOUT_MS, retry: 0 });
    return id;
  }

  async function attach({ name, title, content }: Attachment, channel: string, threadTs?: string): Promise<void> {
    const id = await transfer(Buffer.from(content, 'utf8'), name);
    const where = threadTs === undefined ? { channel_id: channel } : { channel_id: channel, thread_ts: threadTs };
    // Sharing cannot be repeated safely: a file posted twice is worse than one that has to be asked for again.
    await retryOnRateLimit(() => clients.post.files.completeUploadExternal({ files: [{ id, title }], ...where }));
  }

  async function attachAll({ attachments = [] }: Reply, channel: string, threadTs?: string): Promise<boolean> {
    try {
      for (const attachment of attachments) await attach(attachment, channel, threadTs);
      return true;
    } catch (error) {
      log.warn({ err: error }, 'an attachment could not be posted');
      return false;
    }
  }

  return {
    async uploadChart({ chart, title }) {
      if (chart === undefined || drawChart === null) return null;
      try {
        const id = await transfer(await drawChart(chart), 'chart.png');
        await retryOnRateLimit(() => clients.read.files.completeUploadExternal({ files: [{ id, title }] }));
        return id;
      } catch (error) {
        log.warn({ err: error }, 'no picture for this answer');
        return null;
      }
    },
    async attachToThread(reply, channel, threadTs) {
      if (await attachAll(reply, channel, threadTs)) return;
      await postOnce({ channel, thread_ts: threadTs, text: NOT_POSTED }, randomUUID()).catch((error: unknown) =>
        log.warn({ err: error }, 'the lost attachment could not be reported'),
      );
    },
    async attachToDirectMessage(reply, user) {
      if (reply.attachments === undefined) return [];
      const posted = await openDirectMessage(clients, user).then(
        (channel) => attachAll(reply, channel),
        () => false,
      );
      return [[posted ? 'The file is in your direct messages with me.' : NOT_POSTED]];
    },
  };
}
