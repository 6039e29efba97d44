/** A watch's whole life through the local Slack, with time in the test's hand: calm, surge, worse, calm. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Wave } from '../../../playground/service/waves.ts';
import type { Message } from '../../../playground/slack/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { passTo, passUntil, startScheduledWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const MAYA = 'U0MAYA0001';
const MINUTE_MS = 60_000;
const worlds: World<ManualClock>[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;

/** 15:00 to 15:50 a wave, from 15:20 to 15:50 a second one on top of it. */
const WAVES: readonly Wave[] = [
  { kind: 'step', fromMinute: minuteOf('2026-03-10T15:00:00Z'), minutes: 50, perMinute: 14 },
  { kind: 'step', fromMinute: minuteOf('2026-03-10T15:20:00Z'), minutes: 30, perMinute: 50 },
];

async function world(options: WorldOptions = {}): Promise<World<ManualClock>> {
  const service = { seed: 7, seededWaves: false, waves: WAVES, ...options.service };
  const started = await startScheduledWorld({ ...options, service });
  worlds.push(started);
  return started;
}

const EPISODE = /^(Elevated|Surge|Calm again)/;

/** What a watch posts by itself may come in between. */
async function ask(w: World<ManualClock>, text: string): Promise<Message> {
  await w.slack.command({ text });
  for (;;) {
    const message = await w.slack.nextMessage();
    if (!EPISODE.test(message.text)) return message;
  }
}

const episodes = (w: World<ManualClock>): Message[] =>
  w.slack.messages(CHANNEL).filter(({ text }) => EPISODE.test(text));

const edits = (w: World<ManualClock>): number => w.slack.calls('chat.update').length;

/** Goes on tick by tick, each with its run done, and notes what the channel shows after each. */
async function through(w: World<ManualClock>, from: string, to: string): Promise<string[]> {
  const shown: string[] = [];
  for (let ms = minuteOf(from) * MINUTE_MS; ms <= minuteOf(to) * MINUTE_MS; ms += 5 * MINUTE_MS) {
    await passTo(w, Temporal.Instant.fromEpochMilliseconds(ms));
    shown.push(episodes(w).at(-1)?.text ?? 'nothing');
  }
  return shown;
}

describe('an episode', () => {
  it('calm, surge, worse, calm: one message, its edits and its end', async () => {
    const w = await world();
    const made = await ask(w, 'watch');
    expect(made.text).toMatch(/^Watch made: anything that is not normal, every 5 minutes/);

    const calm = await through(w, '2026-03-10T14:35:00Z', '2026-03-10T15:00:00Z');
    expect(new Set(calm)).toEqual(new Set(['nothing']));

    const wave = await through(w, '2026-03-10T15:05:00Z', '2026-03-10T15:20:00Z');
    expect(wave.at(-1)).toMatch(/^(Elevated|Surge): (Elevated|Surge) for \d+ minutes so far/);
    const worse = await through(w, '2026-03-10T15:25:00Z', '2026-03-10T15:50:00Z');
    expect(worse.at(-1)).toMatch(/^Surge: Surge for \d+ minutes so far/);
    const [message] = episodes(w);
    expect(textOf(message as Message)).toContain('Peak: ');
    expect(textOf(message as Message)).toContain('Categories so far: ');
    const over = await through(w, '2026-03-10T15:55:00Z', '2026-03-10T16:25:00Z');
    expect(over.at(-1)).toMatch(/^Calm again: Surge, over after /);

    expect(episodes(w)).toHaveLength(1);
    expect(textOf(episodes(w)[0] as Message)).toContain('Calm again.');
    expect(edits(w)).toBeGreaterThan(5);
    const after = edits(w);
    await through(w, '2026-03-10T16:30:00Z', '2026-03-10T16:45:00Z');
    expect(edits(w)).toBe(after);
    expect(w.slack.refusals).toEqual([]);
  });

  it('a crash in the middle and answers that are lost change nothing the channel sees', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-watches-'));
    folders.push(folder);
    const w = await world({ environment: { WAFBOT_STORE: `sqlite:${folder}/wafbot.db` } });
    await ask(w, 'watch');
    // The first message arrives, its answer does not.
    w.slack.faults.inject('chat.postMessage', { kind: 'answer_lost' });
    await through(w, '2026-03-10T15:00:00Z', '2026-03-10T15:20:00Z');
    expect(episodes(w)).toHaveLength(1);
    w.slack.faults.inject('chat.update', { kind: 'answer_lost' });
    await through(w, '2026-03-10T15:25:00Z', '2026-03-10T15:35:00Z');
    await w.restart(() => w.clock.leap(7 * MINUTE_MS));
    await through(w, '2026-03-10T15:45:00Z', '2026-03-10T16:25:00Z');
    expect(episodes(w)).toHaveLength(1);
    expect(episodes(w)[0]?.text).toMatch(/^Calm again: Surge, over after /);
  });

  it('is acknowledged and snoozed by sentence, and says so', async () => {
    const w = await world();
    await ask(w, 'watch attacks over 150 per 10m');
    await through(w, '2026-03-10T15:05:00Z', '2026-03-10T15:20:00Z');
    expect(episodes(w)).toHaveLength(1);
    const acknowledged = await ask(w, 'ack');
    expect(acknowledged.text).toMatch(/^Acknowledged/);
    const says = (words: string) => () => textOf(episodes(w)[0] as Message).includes(words);
    await passUntil(w, says(`Acknowledged by <@${MAYA}>`), 'the name of who acknowledged it');
    expect((await ask(w, 'watch snooze 2h')).text).toMatch(/^Snoozed/);
    await passUntil(w, says(`Snoozed by <@${MAYA}>`), 'the name of who snoozed it');
    const list = await ask(w, 'watches');
    expect(textOf(list)).toContain('attacks over 150 per 10 minutes');
    expect(textOf(list)).toMatch(/surge|elevated/);
  });
});

describe('sentences', () => {
  it.each([
    ['watch sqli over 50 per 10m', /SQL injection over 50 per 10 minutes, every 5 minutes/],
    ['watch attacks over lots per 15m', /\^\^\^\^/],
    ['watch on "nowhere"', /No host is called/],
    ['watches', /no watches/],
    ['ack', /no watches/],
    ['snooze 2h', /no watches/],
  ])('%s', async (text, expected) => {
    const w = await world();
    expect(textOf(await ask(w, text))).toMatch(expected);
  });

  it('pauses, resumes and removes', async () => {
    const w = await world();
    await ask(w, 'watch');
    expect((await ask(w, 'watch pause')).text).toMatch(/^Watch paused/);
    expect(textOf(await ask(w, 'watches'))).toContain('Paused');
    await passTo(w, '2026-03-10T15:30:00Z');
    expect(episodes(w)).toHaveLength(0);
    expect((await ask(w, 'watch resume')).text).toMatch(/^Watch resumed/);
    expect((await ask(w, 'watch remove 1')).text).toMatch(/^Watch removed/);
    expect(textOf(await ask(w, 'watches'))).toContain('no watches');
  });
});
