/** What the metrics say about a day of work, read the way a scraper reads them. */
import { expect, it } from 'vitest';
import type { ManualClock } from '../../support/clock.ts';
import { ask, through, watchWorld, wave } from '../../support/watch-world.ts';
import { textOf, type World } from '../../support/world.ts';

async function scrape(w: World<ManualClock>, accept = 'text/plain'): Promise<(series: string) => number> {
  const response = await fetch(`http://127.0.0.1:${w.bot.port}/metrics`, { headers: { accept } });
  const lines = (await response.text()).split('\n');
  return (series) => Number(lines.find((line) => line.startsWith(`${series} `))?.split(' ')[1] ?? 0);
}

it('counts digests, evaluations, alerts and failures of the store', async () => {
  const w = await watchWorld({ service: { waves: [wave('15:00', '15:50', 60)] } });
  await ask(w, 'watch');
  expect(textOf(await ask(w, 'digest daily at 15:30 in UTC'))).toMatch(/15:30/);
  await through(w, '15:00', '16:30');
  const value = await scrape(w);
  expect(value('wafbot_digests_due_total')).toBe(1);
  expect(value('wafbot_digests_total{outcome="sent"}')).toBe(1);
  expect(value('wafbot_alerts_total{kind="new"}')).toBe(1);
  expect(value('wafbot_alerts_total{kind="over"}')).toBe(1);
  expect(value('wafbot_watch_evaluations_total{level="surge"}')).toBeGreaterThan(3);
  expect(value('wafbot_watch_evaluations_total{level="calm"}')).toBeGreaterThan(3);
  expect(value('wafbot_posts_waiting')).toBe(0);
  expect(value('wafbot_service_requests_under_way')).toBe(0);
  expect(value('wafbot_store_errors_total{cause="failed"}')).toBe(0);
});

it('names the question behind a slow answer by the reference that the log has', async () => {
  const w = await watchWorld();
  await ask(w, 'attacks last 3h');
  const response = await fetch(`http://127.0.0.1:${w.bot.port}/metrics`, {
    headers: { accept: 'application/openmetrics-text; version=1.0.0' },
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
  const [, reference] = /wafbot_answer_seconds_bucket.* # \{reference="(\w{8})"\}/.exec(await response.text()) ?? [];
  const done = w.logged.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'question done');
  expect(done).toMatchObject({ reference, verb: 'attacks', outcome: 'answered' });
});
