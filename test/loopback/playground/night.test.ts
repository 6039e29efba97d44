/** What the playground shows before anybody has done anything: made by the bot, on a clock that ran fast. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastNight } from '../../../playground/history.ts';
import type { Screen } from '../../../playground/page/screen.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { type Playground, startPlayground } from '../../../src/start-playground.ts';

const OPEN_AT = '2026-11-17T09:41:00+01:00';
let playground: Playground;
beforeAll(async () => {
  const options = { openAtMs: Date.parse(OPEN_AT), zone: 'Europe/Berlin' };
  playground = await startPlayground(readConfig({ PORT: '0' }), createLogger('silent', []), options);
});
afterAll(() => playground?.stop());

async function screen(asked: Record<string, string> = {}): Promise<Screen> {
  const query = new URLSearchParams({ user: '', place: '', thread: '', client: 'one', ...asked });
  return JSON.parse(await (await fetch(`${playground.url}/screen?${query}`)).text());
}
const markup = ({ fragments }: Screen) => fragments.map((fragment) => fragment.html).join('\n');

test('opens onto #oncall, with a digest of the morning and an alarm of the night that is over', async () => {
  const oncall = await screen();
  expect(oncall.place).toBe('oncall');
  expect(Math.abs(oncall.nowMs - Date.parse(OPEN_AT))).toBeLessThan(120_000);
  const messages = markup(oncall);
  const times = [...messages.matchAll(/<article class="message bot"[\s\S]*?<time datetime="([^"]+)/g)].map(
    ([, at = '']) => at,
  );
  // The watch and the digest are made in the evening; the call comes soon after the wave of 02:37; the digest at 08:00.
  expect(times).toHaveLength(4);
  expect(times.slice(0, 2).every((at) => at.startsWith('2026-11-16T16:4'))).toBe(true);
  expect(times[2]).toMatch(/^2026-11-17T01:[45]/);
  expect(times[3]).toMatch(/^2026-11-17T07:00:0/);
  expect(messages).toMatch(/edited \d+ times/);
  expect(messages).toMatch(/<span class="faces">[\s\S]*DF[\s\S]*<b>[2-9] replies/);
  expect(messages).not.toMatch(/data-action="[^"]*"[^>]*>[^<]*Snooze/);
});

test('knows the four sites by name, and shows what was asked elsewhere as unread', async () => {
  const { nav } = await screen();
  expect(nav).toMatch(/class="place unread" data-place="security"/);
  const before = markup(await screen({ place: 'security' }));
  await fetch(`${playground.url}/actions/say`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: '', client: 'one', place: 'security', thread: '', text: '/waf hosts' }),
  });
  await expect
    .poll(async () => markup(await screen({ place: 'security' })).length)
    .toBeGreaterThan(before.length + 500);
  const hosts = markup(await screen({ place: 'security' }));
  for (const name of ['shop', 'api', 'blog', 'admin']) expect(hosts).toContain(name);
});

test('a seed plays the same night again, to the word and the number, and another seed another one', async () => {
  const night = async () => {
    const oncall = await screen();
    const alert = oncall.fragments.find(({ html }) => html.includes('Acknowledged by'))?.key;
    const { thread } = await screen({ thread: alert ?? '' });
    const parts = [...oncall.fragments, ...(thread ?? [])].map(({ html }) => html.replace(/<[^>]*>/g, '|'));
    return { id: oncall.night?.id, story: parts.join('\n').replaceAll(/(\|\s*)+/g, '|') };
  };
  const play = async (seed: string, at: string) =>
    (
      await fetch(`${playground.url}/actions/night`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client: 'one', seed, at }),
      })
    ).json();
  const first = await night();
  expect(await play('7.5', '')).toEqual({ error: expect.stringContaining('“7.5” isn’t a seed') });
  expect(await play('2', 'tomorrow')).toEqual({ error: expect.stringContaining('“tomorrow” isn’t a time') });
  expect(await night()).toEqual(first);
  const at = '2026-11-17T09:41[Europe/Berlin]';
  expect(await play('2', at)).toEqual({});
  const other = await night();
  expect(other.story).toMatch(/Over: surge 02:29[\s\S]*Anjali Rao/);
  expect(await play('1', at)).toEqual({});
  const again = await night();
  expect(again.story).toBe(first.story);
  expect(new Set([first.id, other.id, again.id]).size).toBe(3);
});

async function act(action: string, body: object): Promise<{ readonly notice: string }> {
  const answer = await fetch(`${playground.url}/actions/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return JSON.parse(await answer.text());
}
const press = (button: string) => act('drawer', { button, values: {} });
const ask = (text: string) => act('say', { user: '', client: 'one', place: 'security', thread: '', text });
async function answerTo(text: string): Promise<void> {
  const answers = async () =>
    (await screen({ place: 'security' })).fragments.filter(({ html }) => /message bot/.test(html));
  const before = (await answers()).length;
  await ask(text);
  await expect.poll(async () => (await answers()).length, { timeout: 20_000 }).toBeGreaterThan(before);
}
const drawer = async () => (await screen()).drawer;
const panels = async () => (await drawer())?.panels.map((fragment) => fragment.html).join('\n') ?? '';

describe('a fault that is fixed', () => {
  test.each([
    [
      'service-throttled',
      /Throttled for (\d+) s more: the service asked for a pause/,
      /Throttled until \d\d:\d\d:\d\d\./,
    ],
    ['service-down', /Holding back for (\d+) s more: the service kept failing/, /The bot holds back until \d/],
  ])(
    '%s: the drawer counts down for how long the bot holds back, until it does no longer',
    async (fault, words, spoken) => {
      await press(fault);
      await answerTo('/waf timeline last 2h');
      // It's believed to be down after failures for a while, and the next question notices when its own tries have failed.
      if (!(await panels()).includes('data-until')) {
        await press('five-minutes');
        await answerTo('/waf timeline last 3h');
      }
      await expect.poll(panels, { timeout: 20_000 }).toContain('data-until');
      const { notice } = await press(fault);
      expect(notice).toMatch(words);
      const left = /<b class="left" data-until="(\d+)">(\d+) s<\/b>/.exec(await panels());
      expect(Number(left?.[1]) - (await screen()).nowMs).toBeGreaterThan(0);
      expect(Number(left?.[2])).toBeLessThanOrEqual(60);
      expect((await drawer())?.announcement).toMatch(spoken);
      await press('five-minutes');
      expect(await panels()).not.toContain('data-until');
      expect((await drawer())?.announcement).toBe('');
    },
  );

  test.each(['service-slow', 'token-revoked', 'slack-limited', 'response-lost'])(
    '%s: holds nothing back',
    async (fault) => {
      await press(fault);
      await answerTo('/waf timeline last 2h');
      if (fault === 'service-slow') await press(fault);
      expect(await panels()).not.toContain('data-until');
    },
  );
});

describe('a move of the clock', () => {
  const queries = async () => Number(/has sent (\d+) quer/.exec(await panels())?.[1]);

  test('says what it will do and how far it is, and asks the service no more than its checks need', async () => {
    const [before, queriesBefore] = [await screen(), await queries()];
    expect(await panels()).toMatch(/id="note-hour">1[123] checks, (about \d+|under 1) s</);
    expect(await panels()).toMatch(/id="note-digest">[^<]*08:00: \d+ checks, 1 digest, about \d+ s</);
    const moving = press('hour');
    const seen: string[] = [];
    const announced = new Set<string>();
    let isOver = false;
    void moving.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      seen.push(/<p>(\d\d:\d\d of \d\d:\d\d)/.exec(await panels())?.[1] ?? '');
      announced.add((await drawer())?.announcement ?? '');
    }
    expect((await moving).notice).toMatch(/^1[123] checks, nothing to report\.$/);
    expect(new Set(seen.filter((text) => text !== '')).size).toBeGreaterThan(1);
    expect([...announced].join(' | ')).toMatch(/Fast-forwarding to \d\d:\d\d: 1[123] checks, (about \d+|under 1) s\./);
    // A screen reader would never finish reading what changes with every check.
    expect(announced.size).toBeLessThanOrEqual(6);
    expect((await screen()).nowMs - before.nowMs).toBeGreaterThanOrEqual(3_600_000);
    expect((await queries()) - queriesBefore).toBeLessThanOrEqual(36);
    expect(await panels()).not.toContain('<progress');
  });

  test('takes no longer when the service is slow, which is slow by the clock of the workspace', async () => {
    await press('service-slow');
    const startedMs = performance.now();
    await press('hour');
    await press('service-slow');
    // 24 responses that are four seconds late would take more than a minute.
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });
});

test('weighs less than 150 KB, and all of it comes from this machine', async () => {
  const page = await (await fetch(playground.url)).text();
  const linked = [...page.matchAll(/(?:href|src)="(\/static\/[^"]+)"/g)].map(([, path = '']) => path);
  const scripts = [
    'address',
    'composer',
    'controls',
    'data-table',
    'drawer',
    'fragments',
    'notices',
    'night',
    'picture',
    'recall',
    'share',
    'viewer',
  ];
  const more = ['/static/inter-latin-600-normal.woff2', ...scripts.map((name) => `/static/${name}.js`)];
  const bodies = await Promise.all(
    [...new Set([...linked, ...more])].map(async (path) => {
      const answer = await fetch(`${playground.url}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      return gzipSync(Buffer.from(await answer.arrayBuffer())).length;
    }),
  );
  const first = gzipSync(JSON.stringify(await screen())).length;
  const bytes = bodies.reduce((sum, size) => sum + size, gzipSync(page).length + first);
  expect(bytes).toBeLessThan(150 * 1024);
  // An address in an example is only text.
  expect(page).not.toMatch(/(?:href|src|action|url)\s*[=(]\s*["']?https?:\/\//);
});

describe('the night before the last digest', () => {
  test.each([
    ['2026-11-17T08:00:00+01:00', '2026-11-16T17:42', '2026-11-17T08:00'],
    ['2026-11-17T07:59:00+01:00', '2026-11-15T17:42', '2026-11-16T08:00'],
    ['2026-11-17T23:59:00+01:00', '2026-11-16T17:42', '2026-11-17T08:00'],
    // The clocks change in this night.
    ['2026-10-25T12:00:00+01:00', '2026-10-24T17:42', '2026-10-25T08:00'],
  ])('at %s', (now, evening, digest) => {
    const local = (ms: number) =>
      Temporal.Instant.fromEpochMilliseconds(ms)
        .toZonedDateTimeISO('Europe/Berlin')
        .toPlainDateTime()
        .toString()
        .slice(0, 16);
    const night = lastNight(Date.parse(now), 'Europe/Berlin');
    expect([local(night.eveningMs), local(night.digestMs)]).toEqual([evening, digest]);
    expect(night.waveMs).toBeGreaterThan(night.eveningMs);
    expect(night.digestMs).toBeGreaterThan(night.waveMs);
  });
});
