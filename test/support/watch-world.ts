/** A bot with watches through the local Slack, with time in the test's hand: waves of attacks, alerts, and what people do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import type { Wave } from '../../playground/service/waves.ts';
import type { Message } from '../../playground/slack/index.ts';
import type { ManualClock } from './clock.ts';
import { nextAnswer, passTo, startScheduledWorld, textOf, type World, type WorldOptions } from './world.ts';

export const CHANNEL = 'C0SECURITY';
export const MAYA = 'U0MAYA0001';
const MINUTE_MS = 60_000;
const worlds: World<ManualClock>[] = [];
const folders: string[] = [];

/** A file for a store that outlives a restart. */
export function storeFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-watch-'));
  folders.push(folder);
  return path.join(folder, 'store.db');
}

afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

export const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;

/** On each of the hosts, as `from` to `to` on the tenth of March. */
export function wave(from: string, to: string, perMinute: number, categories?: Record<string, number>): Wave {
  const [fromMinute, toMinute] = [minuteOf(`2026-03-10T${from}:00Z`), minuteOf(`2026-03-10T${to}:00Z`)];
  return { kind: 'step', fromMinute, minutes: toMinute - fromMinute, perMinute, ...(categories && { categories }) };
}

/** 15:00 to 15:50, from 15:20 on much higher. */
const WAVES: readonly Wave[] = [wave('15:00', '15:50', 14), wave('15:20', '15:50', 50)];

export async function watchWorld(options: WorldOptions = {}): Promise<World<ManualClock>> {
  const service = { seed: 7, seededWaves: false, waves: WAVES, ...options.service };
  // Pictures take their time; one test has them.
  const environment = { WAFBOT_CHARTS: 'none', ...options.environment };
  const started = await startScheduledWorld({ ...options, service, environment });
  worlds.push(started);
  return started;
}

const EPISODE =
  /^(🟠|🔴|🟢|🔵|⚪) (Usual by now|Elevated|Surge|Nobody is on it|Now a surge|Worse|Jumped|Webshell unusually high|Over|Attacks over|Visitors gone|No attacks)/u;

/** A check about the same reads alike, but offers to zoom in. */
const isEpisode = (message: Message): boolean =>
  EPISODE.test(message.text) && !textOf(message).includes('Zoom to the start');

/** What a watch posts by itself may come in between. */
export async function ask(w: World<ManualClock>, text: string): Promise<Message> {
  await w.slack.command({ text });
  for (;;) {
    const message = await nextAnswer(w.slack);
    // Files come without words.
    if (!isEpisode(message) && message.text !== '') return message;
  }
}

export const inChannel = (w: World<ManualClock>): Message[] =>
  w.slack.messages(CHANNEL).filter((message) => isEpisode(message) && message.threadTs === undefined);

export const closings = (w: World<ManualClock>): Message[] =>
  w.slack
    .messages(CHANNEL)
    .filter(({ text, threadTs }) => /^(🟢 Over|🔵 Usual by now): /u.test(text) && threadTs !== undefined);

export const headings = (w: World<ManualClock>): string[] => inChannel(w).map(({ text }) => text.split(': ')[0] ?? '');

/** Goes on look by look, each with its run done, and notes what the newest message says after each. */
export async function through(w: World<ManualClock>, from: string, to: string): Promise<string[]> {
  const shown: string[] = [];
  for (let minute = minuteOf(`2026-03-10T${from}:00Z`); minute <= minuteOf(`2026-03-10T${to}:00Z`); minute += 5) {
    await passTo(w, Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS));
    shown.push(inChannel(w).at(-1)?.text ?? 'nothing');
  }
  return shown;
}

/** The texts that a message had, from its post to now. */
export const versions = (message: Message | undefined): string[] => (message?.versions ?? []).map(({ text }) => text);

/** A button, or an entry in the menu after the buttons. */
export async function press(w: World<ManualClock>, message: Message | undefined, label: string): Promise<void> {
  const elements = (message?.blocks ?? []).flatMap((block) => (Array.isArray(block.elements) ? block.elements : []));
  const isLabel = (each: { text?: { text?: string } }): boolean => each.text?.text === label;
  const found = elements.find((each) => isLabel(each) || each?.options?.some(isLabel));
  if (message === undefined || found === undefined) throw new Error(`no button ${label} in ${message?.text}`);
  await w.slack.clickButton({ message, actionId: found.action_id, choice: found.options?.find(isLabel)?.value });
}

export async function click(w: World<ManualClock>, message: Message | undefined, label: string): Promise<Message> {
  await press(w, message, label);
  for (;;) {
    const answer = await w.slack.nextMessage();
    if (!isEpisode(answer)) return answer;
  }
}

/** Of its buttons, then of the entries in their menu. */
export const labels = (message: Message | undefined): string[] =>
  (message?.blocks ?? [])
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .flatMap((each) => [each, ...(each?.options ?? [])])
    .flatMap((each) => each?.text?.text ?? []);
