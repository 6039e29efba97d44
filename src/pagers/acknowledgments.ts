/**
 * Receives PagerDuty's V3 webhooks: what somebody acknowledged there counts as acknowledged here. Nothing of a request is parsed
 * before its signature is checked. What isn't for us is accepted and ignored, because PagerDuty switches off a webhook that
 * refuses three events in a row.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { listen } from '../listen.ts';
import type { Logger } from '../observability/logger.ts';
import type { Secret } from '../secret.ts';
import { HOUR_MS, MINUTE_MS } from '../time-units.ts';
import { parseJson, plainName, readBody } from '../untrusted-input.ts';
import type { EpisodePage } from './page.ts';

interface AcknowledgmentDeps {
  readonly host: string;
  readonly port: number;
  readonly secret: Secret;
  /** The open episode of that key; `null` if it's unknown or over. */
  readonly openPage: (key: string) => Promise<EpisodePage | null>;
  /** Resolves to whether the episode is still open. */
  readonly acknowledge: (page: EpisodePage, by: { readonly name: string; readonly atMs: number }) => Promise<boolean>;
  /** Remembers events for longer than they're accepted. */
  readonly seen: { has(id: string): Promise<boolean>; add(id: string, ttlMs: number): Promise<unknown> };
  readonly clock: Clock;
  readonly log: Logger;
}

const PATH = '/pagerduty';
/** PagerDuty sends nothing larger. */
const MAX_BODY_BYTES = 256 * 1_024;
/** PagerDuty retries for 48 hours. */
const MAX_AGE_MS = 48 * HOUR_MS;
const MAX_AHEAD_MS = 5 * MINUTE_MS;
const REQUEST_LIMIT_MS = 10_000;
const MAX_CONNECTIONS = 100;
const MAX_NAME_LENGTH = 80;
/** While a secret is being replaced there are two; this allows twice as many. */
const MAX_SIGNATURES = 4;

const eventSchema = z.object({
  event: z.object({
    id: z.string().min(1).max(200),
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }),
    agent: z.object({ type: z.string(), summary: z.string().nullish() }).nullish(),
    data: z.unknown(),
  }),
});
const incidentSchema = z.object({ incident_key: z.string().min(1).max(255) });

interface WebhookAnswer {
  readonly status: number;
  readonly says: string;
}

export async function startAcknowledgments(deps: AcknowledgmentDeps) {
  const { host, port, log } = deps;
  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS }, (request, response) => {
    answer(deps, request)
      .catch((err: unknown): WebhookAnswer => {
        // PagerDuty sends it again.
        log.warn({ err }, 'could not handle a PagerDuty webhook');
        return { status: 503, says: 'try again later' };
      })
      .then(({ status, says }) => {
        log[status < 400 ? 'debug' : 'info']({ status, says }, 'answered a PagerDuty webhook');
        // Without this, the sender may see a broken connection instead of a refusal.
        request.resume();
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ result: says }));
      })
      .catch((err: unknown) => log.debug({ err }, 'PagerDuty closed the connection'));
  });
  server.maxConnections = MAX_CONNECTIONS;
  return {
    port: await listen(server, { host, port }),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        // PagerDuty sends again what it got no answer to.
        server.closeAllConnections();
      }),
  };
}

async function answer(deps: AcknowledgmentDeps, request: IncomingMessage): Promise<WebhookAnswer> {
  if (URL.parse(request.url ?? '', 'http://localhost')?.pathname !== PATH) return { status: 404, says: 'not found' };
  if (request.method !== 'POST') return { status: 405, says: 'only POST' };
  const { bytes, whole } = await readBody(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES);
  if (!whole) return { status: 413, says: 'too large' };
  if (!isSigned(deps.secret, bytes, request.headers['x-pagerduty-signature']))
    return { status: 401, says: 'wrong signature' };
  const parsed = eventSchema.safeParse(parseJson(bytes.toString()));
  return parsed.success ? handle(deps, parsed.data.event) : { status: 400, says: 'not an event' };
}

async function handle(deps: AcknowledgmentDeps, event: z.output<typeof eventSchema>['event']): Promise<WebhookAnswer> {
  const { clock, seen, log } = deps;
  const nowMs = clock.now().epochMilliseconds;
  const atMs = Date.parse(event.occurred_at);
  if (nowMs - atMs > MAX_AGE_MS || atMs - nowMs > MAX_AHEAD_MS)
    return { status: 400, says: 'too old, or from the future' };
  if (event.event_type !== 'incident.acknowledged') return ignored('other event');
  // What we have sent ourselves comes back from the integration, not from a person.
  if (event.agent?.type !== 'user_reference') return ignored('not by a person');
  const incident = incidentSchema.safeParse(event.data);
  if (!incident.success) return { status: 400, says: 'not an incident' };
  const page = await deps.openPage(incident.data.incident_key);
  if (page === null) return ignored('unknown incident, or over');
  if (await seen.has(event.id)) return ignored('repeated');
  const name = plainName(event.agent.summary ?? '', MAX_NAME_LENGTH) || 'somebody';
  const isOpen = await deps.acknowledge(page, { name, atMs: Math.min(atMs, nowMs) });
  // Only now: a crash before this is followed by PagerDuty's next attempt.
  await seen.add(event.id, MAX_AGE_MS + MAX_AHEAD_MS);
  log.info({ page: page.key, channel: page.channel, watch: page.watch, isOpen }, 'acknowledged in PagerDuty');
  return isOpen ? { status: 200, says: 'acknowledged' } : ignored('over');
}

const ignored = (why: string): WebhookAnswer => ({ status: 202, says: `ignored: ${why}` });

/** One of them is enough: there are two while the secret is replaced. */
function isSigned(secret: Secret, body: Buffer, header: string | readonly string[] | undefined): boolean {
  const expected = createHmac('sha256', secret.reveal()).update(body).digest();
  const given = typeof header === 'string' ? header.split(',').slice(0, MAX_SIGNATURES) : [];
  return given
    .map((signature) => /^v1=([0-9a-f]{64})$/.exec(signature.trim())?.[1] ?? '')
    .some((hex) => hex !== '' && timingSafeEqual(Buffer.from(hex, 'hex'), expected));
}
