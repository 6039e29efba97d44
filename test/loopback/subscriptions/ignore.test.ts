/** What people ignore, through the local Slack: no alert, no answer that leads with it, and never left out of the numbers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import type { Message } from '../../../playground/slack/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { nextAnswer, passTo, startScheduledWorld, textOf, type World } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const MAYA = 'U0MAYA0001';
const MINUTE_MS = 60_000;
const SHOP = DEFAULT_HOSTS[0]?.id ?? '';
const BLOG = DEFAULT_HOSTS[2]?.id ?? '';
const worlds: World<ManualClock>[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** On the tenth of March, a Tuesday. */
function wave(from: string, to: string, category: string, hosts: readonly string[] = []): Wave {
  const minuteOf = (time: string): number =>
    Temporal.Instant.from(`2026-03-10T${time}:00Z`).epochMilliseconds / MINUTE_MS;
  return {
    kind: 'step',
    fromMinute: minuteOf(from),
    minutes: minuteOf(to) - minuteOf(from),
    perMinute: 60,
    categories: { [category]: 1 },
    ...(hosts.length > 0 && { hosts }),
  };
}

async function world(waves: readonly Wave[], store = 'memory:'): Promise<World<ManualClock>> {
  const started = await startScheduledWorld({
    service: { seed: 7, seededWaves: false, waves },
    environment: { WAFBOT_CHARTS: 'none', WAFBOT_STORE: store },
  });
  worlds.push(started);
  return started;
}

const numberOf = (text = ''): number => Number(text.replaceAll(',', ''));

const isAlert = ({ text }: Message): boolean => /^(?:🟠|🔴) (?:Elevated|Surge|\S+ .*unusually high)/u.test(text);

/** A check reads like an alert, but is in a thread or answers a question. */
const alerts = (w: World<ManualClock>): Message[] =>
  w.slack.messages(CHANNEL).filter((message) => isAlert(message) && textOf(message).includes('Acknowledge'));

async function ask(w: World<ManualClock>, text: string): Promise<string> {
  await w.slack.command({ text });
  for (;;) {
    const message = await nextAnswer(w.slack);
    if (!alerts(w).includes(message) && message.text !== '') return textOf(message);
  }
}

async function through(w: World<ManualClock>, from: string, to: string): Promise<void> {
  const end = Temporal.Instant.from(`2026-03-10T${to}:00Z`);
  let at = Temporal.Instant.from(`2026-03-10T${from}:00Z`);
  for (; Temporal.Instant.compare(at, end) <= 0; at = at.add({ minutes: 5 })) await passTo(w, at);
}

describe('a category that is ignored', () => {
  it('alerts nobody, is named in every answer and digest with its number, and alerts again once it is removed', async () => {
    const w = await world([wave('15:00', '15:40', 'robot'), wave('18:30', '19:10', 'robot')]);
    await ask(w, 'digest daily at 09:00');
    await ask(w, 'watch');
    const said = await ask(w, 'ignore crawlers until friday');
    expect(said).toContain('Ignoring Malicious crawlers until the end of Fri 13 Mar');
    expect(said).toContain(`Ignored by <@${MAYA}>`);
    await through(w, '15:00', '15:30');
    expect(alerts(w)).toHaveLength(0);

    const check = await ask(w, 'check last 30m');
    expect(check).toMatch(/^🟢 Above usual · /u);
    expect(check).toMatch(/Ignored, since 16:\d\d: .*led by Malicious crawlers/);
    const number = /Ignored until the end of Fri 13 Mar: Malicious crawlers, ([\d,]+) of these attacks/;
    const [, counted] = number.exec(check) ?? [];
    const [, all] = /([\d,]+) attacks in the last/.exec(check) ?? [];
    expect(numberOf(counted)).toBeGreaterThan(0.9 * numberOf(all));
    expect(numberOf(counted)).toBeLessThan(numberOf(all));
    for (const question of ['attacks last 30m', 'timeline last 30m', 'incident last 30m', 'compare last 30m']) {
      expect(await ask(w, question), question).toMatch(number);
    }
    expect(await ask(w, 'attacks sqli last 30m')).not.toContain('of these attacks');
    const list = await ask(w, 'ignored');
    expect(list).toContain('1. Malicious crawlers');
    expect(list).toContain('until the end of Fri 13 Mar');
    expect(list).toContain('Stop ignoring');
    expect(await ask(w, 'watches')).toContain('Ignored until the end of Fri 13 Mar: Malicious crawlers.');

    await through(w, '15:55', '16:00');
    expect(alerts(w)).toHaveLength(0);
    expect(await ask(w, 'digest preview')).toMatch(/Ignored, 16:\d\d–16:\d\d: .*Malicious crawlers/);
    expect(await ask(w, 'ignore remove crawlers')).toContain('No longer ignoring Malicious crawlers');
    expect(await ask(w, 'ignored')).toContain('Nothing is ignored');
    // What was ignored then stays what it was.
    expect(await ask(w, 'check 16:00-16:30')).toMatch(/Ignored, 16:\d\d–16:\d\d/);
    await through(w, '18:30', '18:50');
    expect(alerts(w)).toHaveLength(1);
  });

  it('on one host stays ignored for a watch of all hosts, after a restart, and does not hide another host', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-ignore-'));
    folders.push(folder);
    const waves = [wave('15:00', '15:30', 'robot', [BLOG]), wave('18:00', '18:30', 'robot', [SHOP])];
    const w = await world(waves, `sqlite:${folder}/wafbot.db`);
    await ask(w, `hosts add blog ${BLOG}`);
    await ask(w, 'watch');
    expect(await ask(w, 'ignore crawlers on blog for 2 weeks')).toContain(
      'Malicious crawlers on blog until Tue 24 Mar',
    );
    await w.restart();
    await through(w, '15:00', '15:30');
    expect(alerts(w)).toHaveLength(0);
    expect(await ask(w, 'check last 30m')).toMatch(
      /Ignored until Tue 24 Mar \d\d:\d\d: Malicious crawlers on blog, [\d,]+ of/,
    );
    await through(w, '17:55', '18:20');
    expect(alerts(w)).toHaveLength(1);
  });

  it('hides nothing else: another category in the same window alerts', async () => {
    const w = await world([wave('15:00', '15:40', 'robot'), wave('15:10', '15:40', 'sqli')]);
    await ask(w, 'watch');
    await ask(w, 'ignore crawlers');
    await through(w, '15:00', '15:30');
    expect(alerts(w)).toHaveLength(1);
  });
});

describe('a watch with a number', () => {
  it('counts what is ignored, too', async () => {
    const w = await world([wave('15:00', '15:40', 'robot')]);
    await ask(w, 'watch attacks over 2000 per 15m');
    await ask(w, 'ignore crawlers');
    await through(w, '15:00', '15:30');
    expect(w.slack.messages(CHANNEL).filter(({ text }) => /^(?:🟠|🔴) Attacks over 2,000/u.test(text))).toHaveLength(1);
  });
});

describe('the sentence', () => {
  it('refuses what is no category and a time that is over or too far, and says what to do', async () => {
    const w = await world([]);
    expect(await ask(w, 'ignore webshel')).toContain('ignore webshell');
    expect(await ask(w, 'ignore everything')).toContain('isn');
    expect(await ask(w, 'ignore webshell until yesterday')).toContain('within the next 90 days');
    expect(await ask(w, 'ignore webshell for 9 months')).toContain('within the next 90 days');
    expect(await ask(w, 'ignore remove webshell')).toContain('That is not ignored');
    expect(await ask(w, 'ignored')).toContain('Nothing is ignored');
  });
});
