/**
 * Files into Slack: a chart that a message will show, or an attachment in a thread. The three steps are taken one by
 * one, because the SDK's own helper names neither the file it made nor a time limit for the transfer.
 */
import ky from 'ky';
import type { Attachment } from '../../commands/replies/reply.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { Poster } from './post-once.ts';

export interface Uploads {
  /** Uploads a picture that belongs to no channel yet; the message that shows it shares it. */
  picture(png: Uint8Array, title: string): Promise<string>;
  /** Posts a file into a channel or a thread. */
  attach(attachment: Attachment, channel: string, threadTs?: string): Promise<void>;
}

const TRANSFER_MS = 15_000;

export function createUploads(clients: SlackClients, poster: Poster): Uploads {
  async function transfer(bytes: Uint8Array, filename: string): Promise<string> {
    const { file_id: id, upload_url: address } = await poster.patiently(() =>
      clients.read.files.getUploadURLExternal({ filename, length: bytes.byteLength }),
    );
    if (id === undefined || address === undefined) throw new Error('Slack gave no place to upload to');
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(bytes)]), filename);
    await ky.post(address, { body: form, timeout: TRANSFER_MS, retry: 0 });
    return id;
  }

  return {
    async picture(png, title) {
      const id = await transfer(png, 'chart.png');
      await poster.patiently(() => clients.read.files.completeUploadExternal({ files: [{ id, title }] }));
      return id;
    },
    async attach({ name, title, content }, channel, threadTs) {
      const id = await transfer(Buffer.from(content, 'utf8'), name);
      const where = threadTs === undefined ? { channel_id: channel } : { channel_id: channel, thread_ts: threadTs };
      // Sharing is an effect: not repeated in doubt, since a file twice is worse than one that has to be asked for again.
      await poster.patiently(() => clients.post.files.completeUploadExternal({ files: [{ id, title }], ...where }));
    },
  };
}
