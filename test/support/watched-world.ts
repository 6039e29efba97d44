/** A channel with watches through the local Slack, with time in the test's hand. Everything stored survives a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Wave } from '../../playground/service/waves.ts';
import type { Message } from '../../playground/slack/index.ts';
import type { ManualClock } from './clock.ts';
import { isDigest, nextAnswer, passTo, startScheduledWorld, textOf, type World, type WorldOptions } from './world.ts';

export type WatchedWorld = World<ManualClock>;

export const CHANNEL = 'C0SECURITY';
const MINUTE_MS = 60_000;

/** In UTC, on the tenth of March; Maya's clock is an hour ahead. */
export function wave(from: string, to: string, perMinute: number, categories?: Record<string, number>): Wave {
  const minuteOf = (time: string) => Temporal.Instant.from(`2026-03-10T${time}:00Z`).epochMilliseconds / MINUTE_MS;
  const fromMinute = minuteOf(from);
  return { kind: 'step', fromMinute, minutes: minuteOf(to) - fromMinute, perMinute, ...(categories && { categories }) };
}

export async function watchedWorld(waves: readonly Wave[], options: WorldOptions = {}): Promise<WatchedWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-watched-'));
  const environment = { WAFBOT_CHARTS: 'none', WAFBOT_STORE: `sqlite:${folder}/wafbot.db`, ...options.environment };
  const service = { seed: 7, seededWaves: false, waves, ...options.service };
  const started = await startScheduledWorld({ ...options, service, environment });
  onTestFinished(async () => {
    await started.stop();
    rmSync(folder, { recursive: true });
  });
  return started;
}

const WATCH = /^(?:🟠|🔴|🟢|🔵) (?:Elevated|Surge|Now a surge|Worse|Jumped|Over|Attacks over|During)/u;

/** A check about the same reads alike, but offers to zoom in. */
const isOfWatch = (message: Message): boolean =>
  WATCH.test(message.text) && !textOf(message).includes('Zoom to the start');

/** What the watches have posted to the channel, without their threads. */
export const posts = (w: WatchedWorld): Message[] =>
  w.slack.messages(CHANNEL).filter((message) => message.threadTs === undefined && isOfWatch(message));

/** The text and blocks of the answer; what watches and digests post by themselves may come in between. */
export async function ask(w: WatchedWorld, text: string): Promise<string> {
  await w.slack.command({ text });
  for (;;) {
    const message = await nextAnswer(w.slack);
    if (!isOfWatch(message) && !isDigest(message) && message.text !== '') return textOf(message);
  }
}

/** Evaluation by evaluation, in UTC. */
export async function through(w: WatchedWorld, from: string, to: string): Promise<void> {
  const end = Temporal.Instant.from(`2026-03-10T${to}:00Z`);
  let at = Temporal.Instant.from(`2026-03-10T${from}:00Z`);
  for (; Temporal.Instant.compare(at, end) <= 0; at = at.add({ minutes: 5 })) await passTo(w, at);
}
