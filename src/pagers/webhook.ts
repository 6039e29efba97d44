/**
 * Signed webhooks by the Standard Webhooks specification 1.0: the ID stays the same when an event is sent again, its timestamp
 * and signature are those of the attempt.
 */
import { createHmac } from 'node:crypto';
import type { Secret } from '../secret.ts';
import { channelLink, type EpisodePage, isoOf, type Pager, pageIdOf } from './page.ts';
import { createPagerPeer } from './post-json.ts';

interface WebhookOptions {
  readonly url: string;
  /** `whsec_` and the key in base64. */
  readonly secret: Secret;
  readonly giveUp: AbortSignal;
}

export function createWebhook({ url, secret, giveUp }: WebhookOptions): Pager {
  // The receiver says with 410 that it's gone; anything else may be corrected on either side.
  const { post } = createPagerPeer({ url, refusedWith: [410], giveUp });
  const send = (id: string, event: object, now: Temporal.Instant) => {
    const body = JSON.stringify(event);
    return post(body, signedHeaders(secret, id, Math.floor(now.epochMilliseconds / 1_000), body));
  };
  return {
    name: 'webhook',
    label: 'Webhook',
    send: (page, _first, now) => send(pageIdOf(page), eventOf(page), now),
    test: (id, now) => send(id, { type: 'test', timestamp: now.toString(), data: { message: TEST_MESSAGE } }, now),
  };
}

const TEST_MESSAGE = 'This is a test event from wafbot.';

export function signedHeaders(secret: Secret, id: string, seconds: number, body: string) {
  const key = Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

function eventOf(page: EpisodePage): object {
  const { key, number, state, atMs, channel, watch, project, hosts, summary, kind, level } = page;
  const { onsetMs, endMs, total, expected, categories, by, reason } = page;
  return {
    type: `episode.${state}`,
    timestamp: isoOf(atMs),
    data: {
      ...{ episode: key, number, state, summary, kind, level },
      began_at: isoOf(onsetMs),
      ended_at: endMs === null ? null : isoOf(endMs),
      ...{ count: total, expected, categories, hosts, channel, watch },
      ...(project === undefined ? {} : { project }),
      ...(by === undefined ? {} : { acknowledged_by: by }),
      ...(reason === undefined ? {} : { reason }),
      url: channelLink(channel),
    },
  };
}
