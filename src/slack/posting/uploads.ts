/**
 * Files in Slack: the chart that a message shows, and attachments such as CSV. Their failure never costs the answer.
 * The three steps of an upload are done one by one, because the SDK's helper returns no file ID and has no time limit.
 */
import { randomUUID } from 'node:crypto';
import ky from 'ky';
import type { ChartSpec } from '../../charts/spec/index.ts';
import { type Clock, withTimeout } from '../../clock.ts';
import type { Attachment, Line, Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackClients } from '../transport/clients.ts';
import { type PostOnce, type RetryOnRateLimit, withinLimit } from './post-once.ts';
import { openDirectMessage } from './reply-target.ts';

/** Draws a chart as PNG; `null` where pictures are switched off. */
export type DrawChart = ((spec: ChartSpec) => Promise<Uint8Array>) | null;

type SharedPlace = { readonly channel_id: string } | { readonly channel_id: string; readonly thread_ts: string };

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
  readonly clock: Clock;
  readonly log: Logger;
}

/** The text of an answer waits this long for its picture, and a private one for its files. */
export const PICTURE_LIMIT_MS = 6_000;
const ATTACHMENT_LIMIT_MS = 12_000;
const OPEN_LIMIT_MS = 5_000;
const NOT_POSTED = 'The file could not be posted; ask for it again in a minute.';

export function createUploads(deps: UploadDependencies): Uploads {
  const { clients, postOnce, retryOnRateLimit, drawChart, clock, log } = deps;

  /** Not repeated when Slack limits it: the caller knows whether anybody waits. */
  async function transfer(bytes: Uint8Array, filename: string, signal: AbortSignal): Promise<string> {
    const { file_id: id, upload_url: url } = await clients.read.files.getUploadURLExternal({
      filename,
      length: bytes.byteLength,
    });
    if (id === undefined || url === undefined) throw new Error('Slack gave no address to upload to');
    await ky.post(url, {
      ...(await encodedForm(bytes, filename)),
      signal: AbortSignal.any([signal, clients.signal]),
      timeout: false,
      retry: 0,
      redirect: 'error',
    });
    return id;
  }

  async function shareChart(chart: ChartSpec, title: string, draw: NonNullable<DrawChart>, signal: AbortSignal) {
    const id = await transfer(await draw(chart), 'chart.png', signal);
    await clients.read.files.completeUploadExternal({ files: [{ id, title }] });
    return id;
  }

  async function attach({ name, title, content }: Attachment, where: SharedPlace, signal: AbortSignal): Promise<void> {
    const id = await retryOnRateLimit(() => transfer(Buffer.from(content, 'utf8'), name, signal));
    // Sharing cannot be repeated safely: a file posted twice is worse than one that has to be asked for again.
    await retryOnRateLimit(() => clients.post.files.completeUploadExternal({ files: [{ id, title }], ...where }));
  }

  async function attachAll({ attachments = [] }: Reply, channel: string, threadTs?: string): Promise<boolean> {
    const where = threadTs === undefined ? { channel_id: channel } : { channel_id: channel, thread_ts: threadTs };
    const all = async (signal: AbortSignal): Promise<boolean> => {
      for (const attachment of attachments) await attach(attachment, where, signal);
      return true;
    };
    try {
      return await withTimeout(clock, ATTACHMENT_LIMIT_MS, all, () => false);
    } catch (error) {
      log.warn({ err: error }, 'an attachment could not be posted');
      return false;
    }
  }

  return {
    async uploadChart({ chart, title }) {
      if (chart === undefined || drawChart === null) return null;
      const share = (signal: AbortSignal) => shareChart(chart, title, drawChart, signal);
      try {
        return await withTimeout(clock, PICTURE_LIMIT_MS, share, () => null);
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
      const opened = withinLimit(clock, OPEN_LIMIT_MS, () => openDirectMessage(clients, user));
      const posted = await opened.then(
        (channel) => attachAll(reply, channel),
        () => false,
      );
      return [[posted ? 'The file is in your direct messages with me.' : NOT_POSTED]];
    },
  };
}

/** As bytes: a form that is aborted while `fetch` streams it leaves an unhandled rejection, which ends the process. */
async function encodedForm(bytes: Uint8Array, filename: string) {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bytes)]), filename);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  return { body: await encoded.arrayBuffer(), headers: { 'content-type': type } };
}
