/**
 * Sends a reply in the richest rendering that Slack accepts, from a picture down to plain text, and uploads the chart that it
 * shows. The text doesn't wait long: what is ready or known
 * later is edited into the posted message, and a failed upload never costs the answer. The three steps of an upload are
 * separate calls, because the SDK's helper returns no file ID and has no time limit.
 */
import { LRUCache } from 'lru-cache';
import type { ChartSpec } from '../../charts/spec/index.ts';
import { type Clock, epochMsOf, sleep, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { HOUR_MS } from '../../time-units.ts';
import { type Rendering, renderMessage, type SlackMessage } from '../blocks/message.ts';
import {
  type CallDependencies,
  isFileNotReady,
  isRefusedBlock,
  type RetryOnRateLimit,
  type SlackClients,
  slackFailure,
  withinLimit,
} from '../transport/web-api.ts';

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

/** One attempt takes no longer. */
const TRANSFER_LIMIT_MS = 30_000;

/** The first two steps of an upload: asks for a URL and sends the file there. Returns the file ID. */
export async function transfer(
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

/** Long enough for Slack to ask for a wait once or twice; no text waits for the upload. */
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
  readonly notifies?: boolean;
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

  return async function sendWithFallbacks(reply, { fileId = null, remarks = [], notifies = false }, send) {
    const withoutPicture: readonly Rendering[] = ['native', 'simple', 'text'];
    const renderings: readonly Rendering[] = fileId === null ? withoutPicture : ['picture', ...withoutPicture];
    for (const rendering of renderings) {
      const message = render(reply, { rendering, remarks, notifies, fileId: fileId ?? undefined });
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
  /** Resolves once every late picture has been added or given up. What else is late is given up at once. */
  finished(): Promise<void>;
}

interface PictureMessagesDependencies extends Omit<CallDependencies, 'retryOnRateLimit'> {
  readonly uploads: ChartUploads;
  readonly sendWithFallbacks: SendWithFallbacks;
  readonly retryInBackground: RetryOnRateLimit;
}

/** After this long, an answer stays as it was posted. */
export const LATER_LIMIT_MS = 20_000;

/** A message to which something will be added. */
interface PendingMessage {
  /** False once the message has other content. */
  wanted: boolean;
  editing: Promise<unknown>;
  reply: Reply;
  /** The uploaded picture that it shows. */
  fileId: string | null;
}

/** One edit at a time, and none once the message has other content. */
function editInTurn(message: PendingMessage, edit: () => Promise<unknown>): Promise<unknown> {
  const next = () => (message.wanted ? edit() : undefined);
  message.editing = message.editing.then(next, next);
  return message.editing;
}

/** The edits that add to a posted message what wasn't known in time. */
function createLateEdits(deps: PictureMessagesDependencies) {
  const { uploads, retryInBackground, clock, log } = deps;
  /** Callbacks that stop waiting for replies that aren't there yet. */
  const givingUp = new Set<() => void>();

  async function addPicture(
    picture: Promise<string | null>,
    message: PendingMessage,
    edit: (options: { readonly fileId: string }) => Promise<unknown>,
  ): Promise<void> {
    const fileId = await picture;
    if (fileId === null) return;
    const add = async () => {
      await edit({ fileId });
      message.fileId = fileId;
    };
    try {
      await retryInBackground(() => whenFileReady(clock, () => editInTurn(message, add)));
    } catch (error) {
      const failure = slackFailure(error);
      if (failure !== null && isRefusedBlock(failure)) uploads.forget(fileId);
      log.warn({ err: error }, 'could not add a late picture to its message');
    }
  }

  async function addLater(
    later: NonNullable<Reply['later']>,
    message: PendingMessage,
    edit: () => Promise<unknown>,
  ): Promise<void> {
    const givenUp = Promise.withResolvers<null>();
    const giveUp = () => givenUp.resolve(null);
    givingUp.add(giveUp);
    const cancel = clock.after(LATER_LIMIT_MS, giveUp, 'limit');
    try {
      const reply = await Promise.race([later, givenUp.promise]);
      if (reply === null) return;
      message.reply = reply;
      await retryInBackground(() => editInTurn(message, edit));
    } catch (error) {
      log.warn({ err: error }, 'could not complete a posted answer');
    } finally {
      cancel();
      givingUp.delete(giveUp);
    }
  }

  function giveUpLater(): void {
    for (const giveUp of givingUp) giveUp();
  }

  return { addPicture, addLater, giveUpLater };
}

export function createPictureMessages(deps: PictureMessagesDependencies): PictureMessages {
  const { clients, uploads, sendWithFallbacks, clock } = deps;
  const pending = new Map<string, PendingMessage>();
  const following = new Set<Promise<unknown>>();
  const { addPicture, addLater, giveUpLater } = createLateEdits(deps);

  /** The message is about to get other content, which a late edit must not overwrite. */
  async function supersede(place: string): Promise<void> {
    const before = pending.get(place);
    if (before === undefined) return;
    before.wanted = false;
    await before.editing.catch(() => {});
  }

  /** Adds what isn't known yet as soon as it is. */
  function follow(
    message: PendingMessage,
    { channel, ts, remarks }: { readonly channel: string; readonly ts: string; readonly remarks: readonly Line[] },
    picture: Promise<string | null> | null,
  ): void {
    const place = `${channel}/${ts}`;
    const { later } = message.reply;
    const update = (content: SlackMessage) => clients.read.chat.update({ channel, ts, blocks: [], ...content });
    const withPicture = ({ fileId }: { readonly fileId: string }) =>
      update(renderMessage(message.reply, { rendering: 'picture', fileId, remarks }));
    const asNow = () => sendWithFallbacks(message.reply, { fileId: message.fileId, remarks }, update);
    pending.set(place, message);
    const followed = Promise.all([
      picture === null ? null : addPicture(picture, message, withPicture),
      later === undefined ? null : addLater(later, message, asNow),
    ]).finally(() => {
      following.delete(followed);
      if (pending.get(place) === message) pending.delete(place);
    });
    following.add(followed);
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
      const sent = await sendWithFallbacks(
        reply,
        { fileId: inTime ?? null, remarks, notifies: replaces === undefined },
        send,
      );
      const ts = tsOf(sent);
      if (ts !== null && (inTime === undefined || reply.later !== undefined)) {
        const message = { wanted: true, editing: Promise.resolve(), reply, fileId: inTime ?? null };
        follow(message, { channel, ts, remarks }, inTime === undefined ? picture : null);
      }
      return sent;
    },
    async finished() {
      giveUpLater();
      await Promise.allSettled(following);
    },
  };
}
