/** A name in the cloud and the dedicated host list: watches, digests and answers during an outage mean both hosts. */
import { afterEach, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import type { Message } from '../../../playground/slack/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { isDigest, passTo, passUntil, startScheduledWorld, textOf, type World } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const NAME = 'shop.example.org';
const KIND = SERVICE_KINDS['one name in both host lists'];
const IDS = KIND.hosts.slice(0, 2).map(({ id }) => id);
const MINUTE_MS = 60_000;
const minuteOf = (instant: string): number => Date.parse(instant) / MINUTE_MS;

const WAVE: Wave = {
  kind: 'step',
  fromMinute: minuteOf('2026-03-11T06:10:00Z'),
  minutes: 50,
  perMinute: 40,
  categories: { sqli: 1 },
};

let w: World<ManualClock>;
afterEach(() => w.stop());

async function start(): Promise<void> {
  w = await startScheduledWorld({
    at: '2026-03-11T05:30:00Z',
    service: { seed: 13, seededWaves: false, waves: [WAVE], ...KIND },
    environment: { WAFBOT_CHARTS: 'none' },
  });
}

async function ask(text: string): Promise<Message> {
  const before = new Set(w.slack.messages(CHANNEL).map(({ ts }) => ts));
  await w.slack.command({ text });
  const answer = (): Message | undefined =>
    // The notice of a slow answer is edited into it.
    w.slack
      .messages(CHANNEL)
      .find(({ ts, text: said }) => !before.has(ts) && said.trim() !== '' && !/^Working on/.test(said));
  await passUntil(w, answer, `the answer to ${text}`);
  return answer() as Message;
}

async function through(from: string, to: string): Promise<void> {
  for (let minute = minuteOf(from); minute <= minuteOf(to); minute += 5)
    await passTo(w, Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS));
}

it('a watch for one category is tried on both hosts', async () => {
  await start();
  await ask(`watch sqli over 500 per 10m on ${NAME}`);
  const hosts = w.service.calls('distribution').map(({ search }) => search.getAll('hosts').toSorted());
  expect(hosts.length).toBeGreaterThan(0);
  for (const each of hosts) expect(each).toEqual(IDS.toSorted());
});

it('an outage recalls the last run of the watch of that name, and a digest its episode', async () => {
  await start();
  await ask(`watch on ${NAME}`);
  await ask(`digest daily at 09:00 on ${NAME}`);
  await through('2026-03-11T05:35:00Z', '2026-03-11T08:00:00Z');
  const digest = (): Message | undefined => w.slack.messages(CHANNEL).find(isDigest);
  await passUntil(w, digest, 'the digest');
  const story = textOf(digest() as Message);
  // Its hosts are those of the digest, so the line about the episode doesn't name them.
  expect(story).toContain('SQL injection');
  expect(story).not.toMatch(/attacks on shop/);
  w.service.misbehave({ kind: 'refuse', code: 'WAF.5003' });
  const failed = await ask(`timeline last 3 days on ${NAME}`);
  expect(textOf(failed)).toMatch(/Last run of this channel's watch: \d\d:\d\d, /);
});
