/**
 * A reply to its place. Text arrives whatever else fails: a chart that cannot be drawn, an upload that never becomes
 * ready, a block that Slack refuses, a channel the bot is not in each cost one step of the ladder, never the answer.
 */
import { randomUUID } from 'node:crypto';
import type { ChartSpec } from '../charts/spec/index.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Line, Reply } from '../commands/reply.ts';
import { type Form, renderMessage, type SlackMessage } from './blocks/message.ts';
import type { SlackClients } from './clients.ts';
import { directChannel } from './direct-channel.ts';
import type { Log } from './log.ts';
import type { Place } from './place.ts';
import type { Poster } from './poster.ts';
import { isFileNotReady, isOutsideChannel, isRefusedBlock, slackFailure } from './slack-failure.ts';
import type { Uploads } from './uploads.ts';

export interface Delivery {
  deliver(reply: Reply, place: Place): Promise<void>;
}

export interface DeliveryDependencies {
  readonly clients: SlackClients;
  readonly poster: Poster;
  readonly uploads: Uploads;
  /** Draws a chart; `null` where pictures are switched off. */
  readonly draw: ((spec: ChartSpec) => Promise<Uint8Array>) | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly command: string;
  /** How to call the bot in an invitation, such as `wafbot`. */
  readonly botName: () => string;
}

/** Waits between tries while Slack looks at an upload: about eight seconds in all. */
const READY_WAITS_MS = [300, 500, 800, 1_200, 2_000, 3_000];

export function createDelivery(deps: DeliveryDependencies): Delivery {
  const { clients, poster, uploads, clock, log, command } = deps;
  const render = (reply: Reply, form: Form, more: { fileId?: string; remarks?: Line[] } = {}): SlackMessage =>
    renderMessage(reply, { form, command, ...more });

  async function deliver(reply: Reply, place: Place): Promise<void> {
    if (reply.privately || place.ephemeral) return deliverPrivately(reply, place);
    const fileId = await picture(reply);
    try {
      const ts = await postDown(reply, place, fileId);
      await attach(reply, place.channel, place.threadTs ?? ts);
    } catch (error) {
      const failure = slackFailure(error);
      if (failure === null || !isOutsideChannel(failure)) throw error;
      await deliverOutside(reply, place, failure.kind === 'refused' ? failure.reason : '');
    }
  }

  /** The first form that Slack accepts, in the channel. */
  async function postDown(reply: Reply, place: Place, fileId: string | null): Promise<string> {
    const forms: Form[] = fileId === null ? ['native', 'simple', 'text'] : ['picture', 'native', 'simple', 'text'];
    const id = randomUUID();
    for (const form of forms) {
      const message = render(reply, form, fileId === null ? {} : { fileId });
      try {
        return form === 'picture' ? await whenReady(() => send(message, place, id)) : await send(message, place, id);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure === null || !isRefusedBlock(failure) || form === 'text') throw error;
        log.warn(
          { form, channel: place.channel, why: failure.kind === 'refused' ? failure.messages : [] },
          'Slack refused blocks',
        );
      }
    }
    throw new Error('no form of the reply was left to try');
  }

  async function send(message: SlackMessage, place: Place, id: string): Promise<string> {
    const { channel, threadTs, replaceTs } = place;
    if (replaceTs !== undefined) {
      try {
        await poster.patiently(() => clients.read.chat.update({ channel, ts: replaceTs, blocks: [], ...message }));
        return replaceTs;
      } catch (error) {
        const failure = slackFailure(error);
        const gone =
          failure?.kind === 'refused' && ['message_not_found', 'cant_update_message'].includes(failure.reason);
        if (!gone) throw error;
      }
    }
    const where = threadTs === undefined ? { channel } : { channel, thread_ts: threadTs };
    const { ts } = await poster.postOnce({ ...where, ...message, unfurl_links: false, unfurl_media: false }, id);
    return ts;
  }

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

  async function picture({ chart, title }: Reply): Promise<string | null> {
    if (chart === undefined || deps.draw === null) return null;
    try {
      return await uploads.picture(await deps.draw(chart), title);
    } catch (error) {
      log.warn({ err: error }, 'no picture for this answer');
      return null;
    }
  }

  /** Files cannot be private in a channel, so the numbers as a file go to the asker's direct messages. */
  async function attach(reply: Reply, channel: string, threadTs?: string): Promise<void> {
    for (const attachment of reply.attachments ?? []) {
      try {
        await uploads.attach(attachment, channel, threadTs);
      } catch (error) {
        log.warn({ err: error }, 'the attachment could not be posted');
      }
    }
  }

  async function attachDirectly(reply: Reply, user: string): Promise<Line[]> {
    if (reply.attachments === undefined) return [];
    const channel = await directChannel(clients, user);
    await attach(reply, channel);
    return [['The file is in your direct messages with me.']];
  }

  async function deliverPrivately(reply: Reply, place: Place): Promise<void> {
    const remarks = await attachDirectly(reply, place.user);
    if (reply.chart !== undefined && deps.draw !== null) {
      remarks.push([
        'Private answers cannot hold pictures; ask without ',
        { code: 'privately' },
        ' for the drawn chart.',
      ]);
    }
    const { responder, channel, user, threadTs } = place;
    if (responder !== undefined) return respondDown(reply, place, false, remarks);
    if (channel.startsWith('D')) {
      await postDown({ ...reply, notes: [...(reply.notes ?? [])] }, place, await picture(reply));
      return;
    }
    for (const form of ['native', 'simple', 'text'] as const) {
      const where = threadTs === undefined ? { channel, user } : { channel, user, thread_ts: threadTs };
      try {
        await poster.patiently(() =>
          clients.post.chat.postEphemeral({ ...where, ...render(reply, form, { remarks }) }),
        );
        return;
      } catch (error) {
        const failure = slackFailure(error);
        if (failure === null || !isRefusedBlock(failure) || form === 'text') throw error;
      }
    }
  }

  /** The bot cannot post there: Slack's address for this question still reaches the channel or the asker. */
  async function deliverOutside(reply: Reply, place: Place, reason: string): Promise<void> {
    const archived = reason === 'is_archived';
    const remark: Line = archived
      ? ['This channel is archived, so the answer is for you alone.']
      : ['I am not in this channel. For the drawn chart: ', { code: `/invite @${deps.botName()}` }];
    const remarks = [...(await attachDirectly(reply, place.user)), remark];
    if (place.responder !== undefined) return respondDown(reply, place, !archived, remarks);
    const channel = await directChannel(clients, place.user);
    await postDown(
      { ...reply, notes: [...remarks, ...(reply.notes ?? [])] },
      { channel, user: place.user },
      await picture(reply),
    );
  }

  /** Slack does not say why it refuses here, so every form is tried; the last resort is a direct message. */
  async function respondDown(reply: Reply, place: Place, inChannel: boolean, remarks: Line[]): Promise<void> {
    for (const form of ['native', 'simple', 'text'] as const) {
      try {
        await place.responder?.respond(render(reply, form, { remarks }), {
          inChannel,
          replace: place.replaceEphemeral === true,
        });
        return;
      } catch {
        log.warn({ form, channel: place.channel }, 'Slack did not take the response');
      }
    }
    const channel = await directChannel(clients, place.user);
    await postDown({ ...reply, notes: [...remarks, ...(reply.notes ?? [])] }, { channel, user: place.user }, null);
  }

  return { deliver };
}
