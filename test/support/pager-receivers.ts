/**
 * PagerDuty, Alertmanager and a receiver of webhooks on loopback, written from the documentation of each: they refuse what the
 * real ones refuse, and keep what the real ones would show.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

export const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const SIGNING_SECRET = 'secret-of-the-pagerduty-webhook';

const isoTime = z.iso.datetime({ offset: true });
const trigger = z.strictObject({
  routing_key: z.string().length(32),
  event_action: z.literal('trigger'),
  dedup_key: z.string().min(1).max(255),
  payload: z.strictObject({
    summary: z.string().min(1).max(1_024),
    source: z.string().min(1),
    severity: z.enum(['critical', 'error', 'warning', 'info']),
    timestamp: isoTime.optional(),
    component: z.string().optional(),
    group: z.string().optional(),
    class: z.string().optional(),
    custom_details: z.record(z.string(), z.unknown()).optional(),
  }),
  links: z.array(z.strictObject({ href: z.url(), text: z.string().optional() })).optional(),
  client: z.string().optional(),
  client_url: z.url().optional(),
});
const update = z.strictObject({
  routing_key: z.string().length(32),
  event_action: z.enum(['acknowledge', 'resolve']),
  dedup_key: z.string().min(1).max(255),
});
const eventSchema = z.union([trigger, update]);
type PagerDutyEvent = z.output<typeof eventSchema>;

const labels = z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/), z.string());
const alertSchema = z.strictObject({
  labels,
  annotations: labels.optional(),
  startsAt: isoTime.optional(),
  endsAt: isoTime.optional(),
  generatorURL: z.url().optional(),
});
type PostedAlert = z.output<typeof alertSchema>;

const webhookSchema = z.strictObject({
  type: z.string().regex(/^[a-z_]+(\.[a-z_]+)*$/),
  timestamp: isoTime,
  data: z.record(z.string(), z.unknown()),
});
interface ReceivedWebhook extends z.output<typeof webhookSchema> {
  readonly id: string;
  readonly seconds: number;
  readonly signature: string;
}

interface ShownAlert {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Says how a request is answered instead: a status, or `lost` if it's taken and its answer never arrives. */
export type Mood = (path: string) => number | 'lost' | null;

const PAGERDUTY_BYTES = 512 * 1_024;
const WEBHOOK_BYTES = 20 * 1_024;
const RESOLVE_TIMEOUT_MS = 5 * 60_000;
const TOLERANCE_SECONDS = 300;

export type PagerReceivers = Awaited<ReturnType<typeof startPagerReceivers>>;

/** `toleranceSeconds`: how far the clock of a sender of webhooks may be off. */
export async function startPagerReceivers(
  now: () => number = Date.now,
  initialMood: Mood = () => null,
  toleranceSeconds = TOLERANCE_SECONDS,
) {
  let mood = initialMood;
  const events: PagerDutyEvent[] = [];
  const incidents = new Map<string, 'triggered' | 'acknowledged' | 'resolved'>();
  const posts: PostedAlert[] = [];
  const alerts = new Map<string, ShownAlert>();
  const webhooks: ReceivedWebhook[] = [];
  const refusals: string[] = [];
  const refuse = (status: number, why: string): number => {
    refusals.push(why);
    return status;
  };

  function enqueue(body: Buffer): number {
    if (body.length > PAGERDUTY_BYTES) return refuse(413, 'too large');
    const parsed = eventSchema.safeParse(json(body));
    if (!parsed.success) return refuse(400, z.prettifyError(parsed.error));
    const event = parsed.data;
    if (event.routing_key !== ROUTING_KEY) return refuse(400, 'Invalid routing key');
    events.push(event);
    const open = incidents.get(event.dedup_key);
    const isOpen = open !== undefined && open !== 'resolved';
    if (event.event_action === 'trigger') incidents.set(event.dedup_key, isOpen ? open : 'triggered');
    // Without an open alert it's dropped silently.
    else if (isOpen) incidents.set(event.dedup_key, event.event_action === 'resolve' ? 'resolved' : 'acknowledged');
    return 202;
  }

  function takeAlerts(body: Buffer): number {
    const parsed = z.array(z.unknown()).safeParse(json(body));
    if (!parsed.success) return refuse(400, 'not an array');
    const statuses = parsed.data.map((each) => takeAlert(alertSchema.safeParse(each)));
    // The good ones are stored even if one is bad.
    return statuses.find((status) => status !== 200) ?? 200;
  }

  function takeAlert(parsed: ReturnType<typeof alertSchema.safeParse>): number {
    if (!parsed.success) {
      const isUrl = parsed.error.issues.some(({ path }) => path[0] === 'generatorURL');
      return refuse(isUrl ? 422 : 400, z.prettifyError(parsed.error));
    }
    const { labels: identity, startsAt = isoOf(now()), annotations = {} } = parsed.data;
    const endsAt = parsed.data.endsAt ?? isoOf(now() + RESOLVE_TIMEOUT_MS);
    if (!('alertname' in identity)) return refuse(400, 'at least alertname');
    if (Date.parse(endsAt) < Date.parse(startsAt)) return refuse(400, 'start time must be before end time');
    posts.push(parsed.data);
    alerts.set(JSON.stringify(Object.entries(identity).toSorted()), { startsAt, endsAt, annotations });
    return 200;
  }

  function takeWebhook(body: Buffer, headers: IncomingMessage['headers']): number {
    const [id, seconds, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`]),
    );
    if (id === undefined || seconds === undefined || signatures === undefined) return refuse(400, 'headers');
    if (!/^[\w-]+$/.test(id)) return refuse(400, 'id');
    if (Math.abs(now() / 1_000 - Number(seconds)) > toleranceSeconds) return refuse(400, 'timestamp');
    const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
    const isSigned = signatures.split(' ').some((each) => {
      const [version, text = ''] = each.split(',');
      const given = Buffer.from(text, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!isSigned) return refuse(401, 'signature');
    if (body.length > WEBHOOK_BYTES) return refuse(413, 'too large');
    const parsed = webhookSchema.safeParse(json(body));
    if (!parsed.success) return refuse(400, z.prettifyError(parsed.error));
    webhooks.push({ ...parsed.data, id, seconds: Number(seconds), signature: signatures });
    return 204;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request));
    const path = request.url ?? '';
    const instead = mood(path);
    if (typeof instead === 'number') return void response.writeHead(instead, retryAfter(instead)).end();
    const isJson = request.headers['content-type'] === 'application/json' && request.method === 'POST';
    const take = { '/v2/enqueue': enqueue, '/api/v2/alerts': takeAlerts, '/hook?team=security': takeWebhook }[path];
    const status = take === undefined || !isJson ? refuse(404, path) : take(body, request.headers);
    if (instead === 'lost') return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? undefined : '{}');
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    /** What a bot needs to page them. */
    environment: {
      WAFBOT_PAGERDUTY_URL: url,
      WAFBOT_PAGERDUTY_ROUTING_KEY: ROUTING_KEY,
      WAFBOT_ALERTMANAGER_URL: url,
      WAFBOT_WEBHOOK_URL: `${url}/hook?team=security`,
      WAFBOT_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    url,
    /** Everything that was accepted, repetitions included. */
    events,
    posts,
    webhooks,
    /** By deduplication key. */
    incidents,
    /** Whatever was refused as invalid, and why. */
    refusals,
    /** What Alertmanager shows: those that have not ended. */
    firing: () => [...alerts.values()].filter(({ endsAt }) => Date.parse(endsAt) > now()),
    resolved: () => [...alerts.values()].filter(({ endsAt }) => Date.parse(endsAt) <= now()),
    behave(next: Mood = () => null): void {
      mood = next;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const retryAfter = (status: number): Record<string, string> => (status === 429 ? { 'retry-after': '30' } : {});

const isoOf = (ms: number): string => new Date(ms).toISOString();

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

interface IncidentEvent {
  readonly id?: string;
  readonly type?: string;
  readonly key: string;
  readonly occurredAt: string;
  readonly agent?: object | null;
}

const MAYA = {
  id: 'PLH1HKV',
  type: 'user_reference',
  summary: 'Maya Jones',
  html_url: 'https://acme.pagerduty.com/users/PLH1HKV',
};

/** A webhook of PagerDuty, as its documentation shows one. */
export const incidentEvent = ({ id, type = 'incident.acknowledged', key, occurredAt, agent = MAYA }: IncidentEvent) =>
  JSON.stringify({
    event: {
      id: id ?? crypto.randomUUID(),
      event_type: type,
      resource_type: 'incident',
      occurred_at: occurredAt,
      agent,
      client: { name: 'PagerDuty' },
      data: {
        id: 'PGR0VU2',
        type: 'incident',
        self: 'https://api.pagerduty.com/incidents/PGR0VU2',
        html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
        number: 2,
        status: 'acknowledged',
        incident_key: key,
        created_at: occurredAt,
        title: 'A little bump in the road',
        assignees: [MAYA],
        urgency: 'high',
        resolve_reason: null,
      },
    },
  });

export const signatureOf = (body: string, secret = SIGNING_SECRET): string =>
  `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const sendIncidentEvent = (port: number, body: string, signature = signatureOf(body)): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/pagerduty`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-pagerduty-signature': signature, 'x-webhook-id': 'any' },
    body,
  });
