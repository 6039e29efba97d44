/**
 * Files in Slack: the chart that a message shows, and attachments such as CSV. Their failure never costs the answer.
 * The three steps of an upload are done one by one, because the SDK's helper returns no file ID and has no time limit.
 */
import { randomUUID } from 'node:crypto';
import type { ChartSpec } from '../../charts/spec/index.ts';
import { type Clock, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Attachment, Line, Reply } from '../../replies/reply.ts';
import type { SlackClients } from '../transport/clients.ts';
import { type PostOnce, type RetryOnRateLimit, withinLimit } from './post-once.ts';
import { openDirectMessage } from './reply-target.ts';

/** Draws a chart as PNG; `null` where pictures are switched off. */
export type DrawChart = ((spec: ChartSpec) => Promise<Uint8Array>) | null;

type SharedPlace = { readonly channel_id: string } | { readonly channel_id: string; readonly thread_ts: string };

/** Files that are on their way to Slack, and the IDs that they have there; `null` once they cannot be had. */
export type SentFiles = Promise<readonly SentFile[] | null>;

interface SentFile {
  readonly id: string;
  readonly title: string;
}

export interface Uploads {
  /**
   * The file ID of the reply's chart, or `null` where there is none. The file is shared by the messages that show it: one
   * for all that show the same picture. Takes as long as it takes; never rejects.
   */
  uploadChart(reply: Reply): Promise<string | null>;
  /** Slack does not take this file in a message, so no other message is to show it. */
  forget(fileId: string): void;
  /** Sends the reply's files, so that they are there once it is known where they are to be seen. */
  sendAttachments(reply: Reply): SentFiles;
  /** Posts the files in the thread; a failure is reported there. Never rejects. */
  attachToThread(files: SentFiles, channel: string, threadTs: string): Promise<void>;
  /** A file in a channel cannot be private, so it goes by direct message. Returns a remark that says what happened. */
  attachToDirectMessage(files: SentFiles, user: string): Promise<Line[]>;
}

interface UploadDependencies {
  readonly clients: SlackClients;
  readonly postOnce: PostOnce;
  readonly retryOnRateLimit: RetryOnRateLimit;
  /** With more patience: for charts. */
  readonly retryPatiently: RetryOnRateLimit;
  readonly drawChart: DrawChart;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Long enough for Slack to ask for patience once or twice: no text waits for it. */
const UPLOAD_LIMIT_MS = 180_000;
/** A private answer waits so long for its files. */
const ATTACHMENT_LIMIT_MS = 12_000;
const OPEN_LIMIT_MS = 5_000;
const NOT_POSTED = 'The file could not be posted; ask for it again in a minute.';

const CHART_NAME = 'chart.png';
/** Somebody may take a file away in Slack. */
const SHARED_TTL_MS = 3_600_000;

interface UploadPlace {
  readonly id: string;
  readonly url: string;
}

export function createUploads(deps: UploadDependencies): Uploads {
  const { clients, postOnce, retryOnRateLimit, retryPatiently, drawChart, clock, log } = deps;
  const nowMs = (): number => clock.now().epochMilliseconds;

  /** Not repeated when Slack limits it: the caller knows whether anybody waits. */
  async function askForPlace(filename: string, length: number): Promise<UploadPlace> {
    const { file_id: id, upload_url: url } = await clients.read.files.getUploadURLExternal({ filename, length });
    if (id === undefined || url === undefined) throw new Error('Slack gave no address to upload to');
    return { id, url };
  }

  async function transfer(
    { url }: UploadPlace,
    bytes: Uint8Array,
    filename: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { status } = await clients.send(url, { ...(await encodedForm(bytes, filename)), signal });
    if (status < 200 || status > 299) throw new Error(`Slack answered an upload with ${status}`);
  }

  async function uploadPng(png: Uint8Array, title: string, signal: AbortSignal): Promise<string> {
    const place = await retryPatiently(() => askForPlace(CHART_NAME, png.byteLength));
    await transfer(place, png, CHART_NAME, signal);
    await retryPatiently(() => clients.read.files.completeUploadExternal({ files: [{ id: place.id, title }] }));
    return place.id;
  }

  /** By the picture itself: the renderer gives the same one to all who ask for the same chart. */
  let shared = new WeakMap<Uint8Array, { readonly id: Promise<string>; readonly untilMs: number }>();
  const refused = new Set<string>();

  async function shareChart(chart: ChartSpec, title: string, draw: NonNullable<DrawChart>): Promise<string> {
    const png = await draw(chart);
    const known = shared.get(png);
    if (known !== undefined && known.untilMs > nowMs()) {
      const id = await known.id;
      if (!refused.has(id)) return id;
    }
    const id = withTimeout<string>(
      clock,
      UPLOAD_LIMIT_MS,
      (signal) => uploadPng(png, title, signal),
      () => {
        throw new Error('an upload took too long');
      },
    );
    shared.set(png, { id, untilMs: nowMs() + SHARED_TTL_MS });
    // Who asks next tries again.
    id.catch(() => shared.delete(png));
    return id;
  }

  async function sendFile({ name, title, content }: Attachment, signal: AbortSignal): Promise<SentFile> {
    const bytes = Buffer.from(content, 'utf8');
    const place = await retryOnRateLimit(() => askForPlace(name, bytes.byteLength));
    await transfer(place, bytes, name, signal);
    return { id: place.id, title };
  }

  async function share(sent: SentFiles, where: SharedPlace): Promise<boolean> {
    const files = await sent;
    if (files === null) return false;
    const [first, ...others] = files;
    if (first === undefined) return true;
    // Sharing cannot be repeated safely: a file posted twice is worse than one that has to be asked for again.
    const complete = () => clients.post.files.completeUploadExternal({ files: [first, ...others], ...where });
    try {
      await withinLimit(clock, ATTACHMENT_LIMIT_MS, () => retryOnRateLimit(complete));
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
        return await shareChart(chart, title, drawChart);
      } catch (error) {
        log.warn({ err: error }, 'no picture for this answer');
        return null;
      }
    },
    forget(fileId) {
      refused.add(fileId);
      if (refused.size < 1_000) return;
      // Together: what is not known to be refused must not be shown again either.
      refused.clear();
      shared = new WeakMap();
    },
    async sendAttachments({ attachments = [] }) {
      const all = (signal: AbortSignal) => Promise.all(attachments.map((attachment) => sendFile(attachment, signal)));
      try {
        return await withTimeout<readonly SentFile[] | null>(clock, ATTACHMENT_LIMIT_MS, all, () => null);
      } catch (error) {
        log.warn({ err: error }, 'an attachment could not be sent');
        return null;
      }
    },
    async attachToThread(files, channel, threadTs) {
      if (await share(files, { channel_id: channel, thread_ts: threadTs })) return;
      await postOnce({ channel, thread_ts: threadTs, text: NOT_POSTED }, randomUUID()).catch((error: unknown) =>
        log.warn({ err: error }, 'the lost attachment could not be reported'),
      );
    },
    async attachToDirectMessage(files, user) {
      const opened = withinLimit(clock, OPEN_LIMIT_MS, () => openDirectMessage(clients, user));
      const posted = await opened.then(
        (channel) => share(files, { channel_id: channel }),
        () => false,
      );
      return [[posted ? 'The file is in your direct messages with me.' : NOT_POSTED]];
    },
  };
}

/** As bytes: a form that is aborted while it is streamed leaves an unhandled rejection, which ends the process. */
async function encodedForm(bytes: Uint8Array, filename: string) {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bytes)]), filename);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers: { 'content-type': type } };
}
