/** Alerts at the pagers, and what people do there and here, through the whole bot between a local Slack and local receivers. */
import { afterEach, expect, it } from 'vitest';
import type { ManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/clock.ts';
import {
  incidentEvent,
  type PagerReceivers,
  SIGNING_SECRET,
  sendIncidentEvent,
  startPagerReceivers,
} from '../../support/pager-receivers.ts';
import { ask, inChannel, press, storeFile, through, watchWorld, wave } from '../../support/watch-world.ts';
import { passUntil, textOf, type World, type WorldOptions } from '../../support/world.ts';

let receivers: PagerReceivers | undefined;
afterEach(async () => {
  await receivers?.close();
  receivers = undefined;
});

let nowMs = (): number => 0;

async function pagedWorld(
  environment: Readonly<Record<string, string>> = {},
  options: WorldOptions = {},
): Promise<{ w: World<ManualClock>; r: PagerReceivers }> {
  const r = await startPagerReceivers(() => nowMs());
  receivers = r;
  const w = await watchWorld({
    ...options,
    environment: { ...r.environment, WAFBOT_STORE: `sqlite:${storeFile()}`, ...environment },
  });
  nowMs = () => w.clock.now().epochMilliseconds;
  return { w, r };
}

/** Elevated from 15:00, a surge from 15:20. */
const WORSE = { service: { waves: [wave('15:00', '15:50', 5), wave('15:20', '15:50', 60)] } };
const SURGE = { service: { waves: [wave('15:00', '15:35', 90)] } };
const FAULTS = /ROUTING|R0123456789|whsec_|team=security|secret-of/;

const states = (r: PagerReceivers): unknown[] => r.webhooks.map(({ data }) => data.state);

it('tells all three what begins, gets worse, is acknowledged and ends, each once', async () => {
  const { w, r } = await pagedWorld({}, WORSE);
  await ask(w, 'watch');
  await through(w, '15:00', '15:15');
  await passUntil(w, () => r.webhooks.length === 1, 'the first page');
  expect(r.webhooks[0]).toMatchObject({
    type: 'episode.begun',
    data: { level: 'elevated', kind: 'attacks_high', number: 1, hosts: [], channel: 'C0SECURITY', ended_at: null },
  });
  expect(r.webhooks[0]?.data.summary).toMatch(
    /^Elevated since 1(?:5:59|[56]:00) · [^·]+ · led by [^·]+(?: · on [^·]+)? \(Europe\/Stockholm\)$/,
  );
  await through(w, '15:20', '15:40');
  await press(w, inChannel(w).at(-1), 'Acknowledge');
  await passUntil(w, () => r.webhooks.length === 3, 'the acknowledgment');
  await through(w, '15:45', '16:20');
  await passUntil(w, () => r.events.length === 4 && r.webhooks.length === 4, 'the end');

  expect(r.refusals).toEqual([]);
  expect(states(r)).toEqual(['begun', 'worse', 'acknowledged', 'over']);
  expect(new Set(r.webhooks.map(({ id }) => id)).size).toBe(4);
  expect(r.webhooks[2]?.data).toMatchObject({ acknowledged_by: { name: 'U0MAYA0001', via: 'slack' } });
  expect(r.events.map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'acknowledge', 'resolve']);
  expect(r.events.flatMap((event) => ('payload' in event ? event.payload.severity : []))).toEqual([
    'warning',
    'critical',
  ]);
  expect([...r.incidents.values()]).toEqual(['resolved']);
  await passUntil(w, () => r.firing().length === 0, 'the end in Alertmanager');
  expect(r.resolved()).toMatchObject([{ annotations: { state: 'over', level: 'surge' } }]);
});

it('shows an acknowledgment from PagerDuty in Slack', async () => {
  const { w, r } = await pagedWorld({
    WAFBOT_PAGERDUTY_WEBHOOK_SECRET: SIGNING_SECRET,
    WAFBOT_PAGERDUTY_WEBHOOK_PORT: '0',
  });
  await ask(w, 'watch');
  await through(w, '15:00', '15:10');
  await passUntil(w, () => r.events.length === 1, 'the first page');
  const key = r.events[0]?.dedup_key ?? '';
  const body = incidentEvent({ key, occurredAt: w.clock.now().toString() });
  const answer = await sendIncidentEvent(w.bot.acknowledgmentPort ?? 0, body);
  expect(answer.status).toBe(200);
  await passUntil(w, () => textOf(inChannel(w)[0] ?? { text: '', blocks: [] }).includes('in PagerDuty'), 'the edit');
  expect(textOf(inChannel(w)[0] ?? { text: '', blocks: [] })).toContain('Acknowledged by Maya Jones in PagerDuty');
  // PagerDuty knows; the others are told.
  await passUntil(w, () => r.webhooks.length === 2, 'the acknowledgment at the webhook');
  expect(r.webhooks[1]?.data).toMatchObject({ acknowledged_by: { name: 'Maya Jones', via: 'pagerduty' } });
  expect(r.events).toHaveLength(1);
  await eventually(async () => !(await ask(w, 'pager')).text.includes('waiting'), 'everything done');
});

it('pages from the configured level on, and a restart neither loses nor repeats anything', async () => {
  const { w, r } = await pagedWorld({ WAFBOT_PAGE_FROM: 'surge' }, WORSE);
  await ask(w, 'watch');
  await through(w, '15:00', '15:15');
  expect(inChannel(w)).toHaveLength(1);
  await w.restart();
  await through(w, '15:20', '15:40');
  await passUntil(w, () => r.webhooks.length > 0, 'the first page');
  await w.restart();
  await through(w, '15:45', '16:20');
  await passUntil(w, () => r.webhooks.length === 2 && r.events.length === 2, 'the end');
  expect(r.webhooks.map(({ data }) => [data.state, data.level])).toEqual([
    ['begun', 'surge'],
    ['over', 'surge'],
  ]);
  expect(r.refusals).toEqual([]);
});

it('does not page what maintenance holds back, until it alerts', async () => {
  const { w, r } = await pagedWorld({}, { service: { waves: [wave('15:00', '16:00', 90)] } });
  await ask(w, 'watch');
  await ask(w, 'maintenance now for 70m');
  await through(w, '15:00', '15:35');
  expect([inChannel(w).length, r.webhooks.length, r.events.length]).toEqual([0, 0, 0]);
  await through(w, '15:40', '15:50');
  await passUntil(w, () => r.webhooks.length === 1 && r.events.length === 1, 'the page after it');
  expect(inChannel(w)).toHaveLength(1);
});

it('keeps Alertmanager informed until it is over, and ends what nobody watches any longer', async () => {
  const { w, r } = await pagedWorld({}, { ...SURGE, keepsUpOften: true });
  await ask(w, 'watch');
  await through(w, '15:00', '15:20');
  expect(r.firing()).toHaveLength(1);
  // Once a minute, with an end that stays ahead.
  const before = r.posts.length;
  await through(w, '15:25', '15:25');
  expect(r.posts.length - before).toBeGreaterThanOrEqual(4);
  expect(Date.parse(r.firing()[0]?.endsAt ?? '') - nowMs()).toBeGreaterThan(5 * 60_000);
  await ask(w, 'watch pause');
  await passUntil(w, () => r.webhooks.length === 2, 'the end');
  expect(r.webhooks[1]).toMatchObject({ type: 'episode.over', data: { reason: 'no_longer_watched' } });
  await passUntil(w, () => r.firing().length === 0 && [...r.incidents.values()][0] === 'resolved', 'all resolved');
  // Resumed while it goes on, it's a new incident.
  await ask(w, 'watch resume');
  await through(w, '15:30', '15:30');
  await passUntil(w, () => r.webhooks.length === 3, 'the next page');
  expect(r.webhooks[2]?.data.state).toBe('begun');
  expect(r.webhooks[2]?.data.episode).not.toBe(r.webhooks[0]?.data.episode);
});

it('retries while a pager is down, gives up what is refused, and says so', async () => {
  const { w, r } = await pagedWorld({}, SURGE);
  await ask(w, 'watch');
  r.behave((path) => (path.startsWith('/hook') ? 503 : path.startsWith('/v2') ? 400 : null));
  await through(w, '15:00', '15:10');
  await eventually(async () => /given up/.test(textOf(await ask(w, 'doctor'))), 'the dead letter');
  const sick = textOf(await ask(w, 'pager'));
  expect(sick).toMatch(/PagerDuty:.*1 event given up, the last one because of HTTP 400/);
  expect(sick).toMatch(/Webhook:.*1 event waiting, the last attempt failed: HTTP 503/);
  expect(sick).toMatch(/Alertmanager:.*Nothing is waiting/);
  r.behave();
  expect((await ask(w, 'pager retry')).text).toContain('1 event sent again');
  expect([...r.incidents.values()]).toEqual(['triggered']);
  await through(w, '15:15', '15:15');
  await passUntil(w, () => r.webhooks.length === 1, 'the retry');
  expect(textOf(await ask(w, 'doctor'))).not.toMatch(/given up|events? waiting/);
  expect((await ask(w, 'pager drop')).text).toContain('Nothing to drop');
  expect(w.logged.join('')).not.toMatch(FAULTS);
});

it('sends a test event to each pager, and says so where there is none', async () => {
  const { w, r } = await pagedWorld();
  const tested = textOf(await ask(w, 'pager test'));
  for (const pager of ['PagerDuty', 'Alertmanager', 'Webhook'])
    expect(tested).toMatch(new RegExp(`${pager}:.*accepted`));
  expect(r.events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
  expect(r.posts.map(({ labels }) => labels.alertname)).toEqual(['WafbotTest']);
  expect(r.webhooks.map(({ type }) => type)).toEqual(['test']);
  expect(r.refusals).toEqual([]);
  r.behave(() => 500);
  expect(textOf(await ask(w, 'pager test'))).toMatch(/Webhook:.*failed, HTTP 500/);
});
