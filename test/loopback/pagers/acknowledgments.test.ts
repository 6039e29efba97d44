/** Webhooks of PagerDuty over real HTTP: what is taken, and how everything else is refused. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startAcknowledgments } from '../../../src/pagers/acknowledgments.ts';
import type { EpisodePage } from '../../../src/pagers/page.ts';
import { Secret } from '../../../src/secret.ts';
import { createManualClock } from '../../support/clock.ts';
import { incidentEvent, SIGNING_SECRET, sendIncidentEvent, signatureOf } from '../../support/pager-receivers.ts';
import { HOSTILE_TARGETS, statusOf } from '../../support/raw-http.ts';

const NOW = '2026-03-10T15:00:00Z';
const KEY = 'wafbot-0123456789abcdef0123456789abcdef';
const PAGE: EpisodePage = {
  ...{ key: KEY, number: 1, state: 'begun', atMs: 0, channel: 'C1', watch: 'abc234', episode: '1', hosts: [] },
  ...{ summary: 'Surge', kind: 'attacks_high', level: 'surge', onsetMs: 0, endMs: null },
  ...{ total: null, expected: null, categories: [] },
};

let taken: { readonly name: string; readonly atMs: number }[];
let isOpen: boolean;
let fails: boolean;
let server: Awaited<ReturnType<typeof startAcknowledgments>>;

beforeEach(async () => {
  taken = [];
  isOpen = true;
  fails = false;
  const seen = new Set<string>();
  server = await startAcknowledgments({
    host: '127.0.0.1',
    port: 0,
    secret: new Secret(SIGNING_SECRET),
    openPage: async (key) => (key === KEY ? PAGE : null),
    async acknowledge(_page, by) {
      if (fails) throw new Error('the store is away');
      taken.push(by);
      return isOpen;
    },
    seen: { has: async (id) => seen.has(id), add: async (id) => seen.add(id) },
    clock: createManualClock(NOW),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
});
afterEach(() => server.stop());

const send = (body: string, signature?: string) => sendIncidentEvent(server.port, body, signature);
const eventAt = (occurredAt: string) => incidentEvent({ key: KEY, occurredAt });

it('takes an acknowledgment with its time and the name of the person', async () => {
  const answer = await send(eventAt('2026-03-10T14:58:00.250Z'));
  expect([answer.status, await answer.json()]).toEqual([200, { result: 'acknowledged' }]);
  expect(taken).toEqual([{ name: 'Maya Jones', atMs: Date.parse('2026-03-10T14:58:00.250Z') }]);
});

it('takes one of two signatures, as while a secret is replaced', async () => {
  const body = eventAt(NOW);
  expect((await send(body, `${signatureOf(body, 'the-old-secret')},${signatureOf(body)}`)).status).toBe(200);
  expect(taken).toHaveLength(1);
});

it.each<[string, (body: string) => string]>([
  ['of another secret', (body) => signatureOf(body, 'another-secret')],
  ['of another body', (body) => signatureOf(`${body} `)],
  ['of another version', (body) => signatureOf(body).replace('v1=', 'v0=')],
  ['in another case', (body) => signatureOf(body).toUpperCase()],
  ['that is cut', (body) => signatureOf(body).slice(0, -2)],
  ['that is empty', () => ''],
  ['behind many others', (body) => `${'v1=00,'.repeat(20)}${signatureOf(body)}`],
])('refuses a signature %s', async (_, sign) => {
  const body = eventAt(NOW);
  expect((await send(body, sign(body))).status).toBe(401);
  expect(taken).toEqual([]);
});

it.each([
  ['from three days ago', '2026-03-07T15:00:00Z', 400],
  ['from an hour ahead', '2026-03-10T16:00:00Z', 400],
  ['from the day before, as after an outage', '2026-03-09T15:00:00Z', 200],
])('looks at the time of an event %s', async (_, occurredAt, status) => {
  expect((await send(eventAt(occurredAt))).status).toBe(status);
  expect(taken).toHaveLength(status === 200 ? 1 : 0);
});

it('takes an event once, and again only if it could not be handled', async () => {
  const body = eventAt(NOW);
  fails = true;
  expect((await send(body)).status).toBe(503);
  fails = false;
  expect((await send(body)).status).toBe(200);
  const again = await send(body);
  expect([again.status, await again.json()]).toEqual([202, { result: 'ignored: repeated' }]);
  expect(taken).toHaveLength(1);
});

// Three refusals in a row, and PagerDuty would switch the webhook off.
it.each<[string, string]>([
  ['unknown incident, or over', incidentEvent({ key: 'somebody-elses', occurredAt: NOW })],
  ['other event', incidentEvent({ key: KEY, occurredAt: NOW, type: 'incident.resolved' })],
  ['other event', incidentEvent({ key: KEY, occurredAt: NOW, type: 'pagey.ping' })],
  ['not by a person', incidentEvent({ key: KEY, occurredAt: NOW, agent: null })],
  [
    'not by a person',
    incidentEvent({ key: KEY, occurredAt: NOW, agent: { type: 'service_reference', summary: 'WAF' } }),
  ],
])('accepts and ignores: %s', async (why, body) => {
  const answer = await send(body);
  expect([answer.status, await answer.json()]).toEqual([202, { result: `ignored: ${why}` }]);
  expect(taken).toEqual([]);
});

it('says that the episode is over', async () => {
  isOpen = false;
  const answer = await send(eventAt(NOW));
  expect([answer.status, await answer.json()]).toEqual([202, { result: 'ignored: over' }]);
});

it.each([
  ['no JSON', 'hello'],
  ['JSON of another shape', '{"event":{"id":1}}'],
  ['null', 'null'],
  ['deep JSON', '['.repeat(10_000)],
])('refuses %s, although it is signed', async (_, body) => {
  expect((await send(body)).status).toBe(400);
});

it('refuses a body that is too large without keeping it', async () => {
  expect((await send(' '.repeat(256 * 1_024 + 1))).status).toBe(413);
});

it('shows a name from outside as plain text', async () => {
  const agent = { type: 'user_reference', summary: '*<!channel>*\n`x` \u202E' };
  await send(incidentEvent({ key: KEY, occurredAt: NOW, agent }));
  expect(taken[0]?.name).toBe('∗<!channel>∗ ˋxˋ');
});

it('answers no other path and no other method', async () => {
  const at = (path: string, method: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  expect((await at('/pagerduty', 'GET')).status).toBe(405);
  expect((await at('/', 'POST')).status).toBe(404);
  for (const target of HOSTILE_TARGETS) expect(await statusOf(server.port, target)).not.toBe(200);
  expect((await send(eventAt(NOW))).status).toBe(200);
});
