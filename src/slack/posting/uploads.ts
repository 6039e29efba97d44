/**
 * Files in Slack: the chart that a message shows, and attachments such as CSV. A failed upload never costs the answer.
 * The three steps of an upload are separate calls, because the SDK's helper returns no file ID and has no time limit.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChartSpec } from '../../charts/spec/index.ts';
import { epochMsOf } from '../../clock.ts';
import type { Attachment, Line, Reply } from '../../replies/reply.ts';
import { HOUR_MS } from '../../time-units.ts';
import type { SlackClients } from '../transport/clients.ts';
import { type RetryOnRateLimit, withinLimit } from '../transport/slack-failure.ts';
import type { CallDependencies, PostAndConfirm } from './post-and-confirm.ts';
import { openDirectMessage } from './reply-target.ts';

/** Draws a chart as PNG; `null` if pictures are switched off. */
export type DrawChart = ((spec: ChartSpec) => Promise<Uint8Array>) | null;

export interface ChartUploads {
  /**
   * The file ID of the reply's chart, or `null` if there is none. Messages that show the same picture share one file. Takes
   * as long as it takes; never rejects.
   */
  uploadChart(reply: Reply): Promise<string | null>;
  /** Slack refuses to show this file in a message, so it isn't shared with another one. */
  forget(fileId: string): void;
}

/** Files on their way to Slack; `null` if the upload failed. */
export type SentFiles = Promise<readonly SentFile[] | null>;

interface SentFile {
  readonly id: string;
  readonly title: string;
}

export interface Attachments {
  /** Uploads the reply's files, so that they can be shared as soon as the answer is posted. */
  send(reply: Reply): SentFiles;
  /** Posts the files in the thread; a failure is reported there. Never rejects. */
  attachToThread(files: SentFiles, channel: string, threadTs: string): Promise<void>;
  /** Files in a channel can't be private, so these go by direct message. Returns a remark that says what happened. */
  attachToDirectMessage(files: SentFiles, user: string): Promise<Line[]>;
}

/** One attempt takes no longer. */
const TRANSFER_LIMIT_MS = 30_000;

/** The first two steps of an upload: asks for a URL and sends the file there. Returns the file ID. */
async function transfer(
  clients: SlackClients,
  retry: RetryOnRateLimit,
  filename: string,
  bytes: Uint8Array,
): Promise<string> {
  const request = { filename, length: bytes.byteLength };
  const { file_id: id, upload_url: url } = await retry(() => clients.read.files.getUploadURLExternal(request));
  if (id === undefined || url === undefined) throw new Error('Slack returned no upload URL');
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bytes)]), filename);
  const { status } = await clients.postToUrl(url, { body: form, timeoutMs: TRANSFER_LIMIT_MS });
  if (status < 200 || status > 299) throw new Error(`Slack answered an upload with ${status}`);
  return id;
}

interface ChartUploadDependencies extends Omit<CallDependencies, 'retryOnRateLimit'> {
  readonly retryInBackground: RetryOnRateLimit;
  readonly drawChart: DrawChart;
}

/** Enough for Slack to ask for patience once or twice: no text waits for it. */
const CHART_LIMIT_MS = 180_000;
/** Somebody may delete the file in Slack. */
const SHARED_TTL_MS = HOUR_MS;
/** As much as the renderer caches. */
const MAX_SHARED_BYTES = 8_000_000;

export function createChartUploads(deps: ChartUploadDependencies): ChartUploads {
  const { clients, retryInBackground, drawChart, clock, log } = deps;
  /** By the picture itself: the renderer returns the same bytes for the same chart. */
  const uploading = new Map<Uint8Array, Promise<string>>();
  const uploaded = new LRUCache<Uint8Array, string>({
    maxSize: MAX_SHARED_BYTES,
    sizeCalculation: (_id, png) => png.byteLength,
    ttl: SHARED_TTL_MS,
    ttlResolution: 0,
    perf: { now: epochMsOf(clock) },
  });

  async function upload(png: Uint8Array, title: string): Promise<string> {
    const id = await transfer(clients, retryInBackground, 'chart.png', png);
    await retryInBackground(() => clients.read.files.completeUploadExternal({ files: [{ id, title }] }));
    uploaded.set(png, id);
    return id;
  }

  function uploadOnce(png: Uint8Array, title: string): Promise<string> {
    const known = uploading.get(png);
    if (known !== undefined) return known;
    const started = withinLimit(clock, CHART_LIMIT_MS, () => upload(png, title)).finally(() => uploading.delete(png));
    uploading.set(png, started);
    return started;
  }

  return {
    async uploadChart({ chart, title }) {
      if (chart === undefined || drawChart === null) return null;
      try {
        const png = await drawChart(chart);
        return uploaded.get(png) ?? (await uploadOnce(png, title));
      } catch (error) {
        log.warn({ err: error }, 'could not upload a chart');
        return null;
      }
    },
    forget(fileId) {
      for (const [png, id] of uploaded.entries()) if (id === fileId) uploaded.delete(png);
    },
  };
}

interface AttachmentDependencies extends CallDependencies {
  readonly postAndConfirm: PostAndConfirm;
}

/** How long a private answer waits for its files. */
const ATTACHMENT_LIMIT_MS = 12_000;
const OPEN_LIMIT_MS = 5_000;
const NOT_POSTED = 'I couldn’t post the file. Ask again in a minute.';

export function createAttachments(deps: AttachmentDependencies): Attachments {
  const { clients, postAndConfirm, retryOnRateLimit, clock, log } = deps;

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
    async send({ attachments = [] }) {
      try {
        return await withinLimit(clock, ATTACHMENT_LIMIT_MS, () => Promise.all(attachments.map(sendFile)));
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
