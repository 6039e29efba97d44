/**
 * The night before the page opens: people set up the bot in the evening, a wave of attacks hits at night, the watch
 * alerts, someone handles it, and in the morning a digest arrives. None of it is canned: people act through the local
 * Slack, the bot answers, and the workspace's clock is fast-forwarded from one event to the next.
 */
import { DEFAULT_HOSTS } from './service/hosts.ts';
import { seededWaves, type Wave } from './service/waves.ts';
import type { LocalSlack, Message } from './slack/index.ts';
import { isObject, type JsonObject } from './slack/json.ts';
import type { WorkspaceClock } from './workspace-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const DIGEST_AT = '08:00';
const ONCALL = 'oncall';
const SECURITY = 'security';
/** Only on some days: if attacks came daily, another one would be nothing unusual. */
const PAST_DAYS = [3, 9, 17, 26];
const WAVE_MINUTES = 26;
/** After the wave it's enough if the watch checks every 15 minutes. */
const STRIDE_MS = 15 * MINUTE_MS;
const MAX_STRIDES = 10;
const SEED = 1;

export interface Night {
  readonly eveningMs: number;
  readonly waveMs: number;
  readonly digestMs: number;
  readonly nowMs: number;
}

/** The night before the latest digest. The workspace's clock starts in the evening. */
export function lastNight(nowMs: number, zone: string): Night {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const today = now.withPlainTime(DIGEST_AT);
  const digest = Temporal.ZonedDateTime.compare(today, now) <= 0 ? today : today.subtract({ days: 1 });
  return {
    eveningMs: digest.subtract({ days: 1 }).withPlainTime('17:42').epochMilliseconds,
    waveMs: digest.withPlainTime('02:37').epochMilliseconds,
    digestMs: digest.epochMilliseconds,
    nowMs,
  };
}

/** A few waves in the weeks before, one at night, and none since: a newcomer starts from a calm state. */
export function wavesBefore({ waveMs }: Night): readonly Wave[] {
  const waveMinute = Math.floor(waveMs / MINUTE_MS);
  const today = Math.floor(waveMinute / DAY_MINUTES);
  const past = PAST_DAYS.flatMap((ago) => DEFAULT_HOSTS.flatMap((host) => seededWaves(SEED, host, today - ago)));
  const shop = DEFAULT_HOSTS.find(({ name }) => name === 'shop')?.id ?? '';
  const tonight: Wave = {
    kind: 'step',
    fromMinute: waveMinute,
    minutes: WAVE_MINUTES,
    perMinute: 46,
    hosts: [shop],
    categories: { sqli: 0.72, lfi: 0.2, cmdi: 0.08 },
    attacker: 'scanner',
  };
  return [...past, tonight];
}

interface Stage {
  readonly slack: LocalSlack;
  readonly clock: WorkspaceClock;
  readonly command: string;
}

export async function playNight(night: Night, { slack, clock, command }: Stage): Promise<void> {
  const ask = async (text: string) => {
    const posted = () => slack.messages(ONCALL).length;
    const before = posted();
    await slack.command({ command, user: 'maya', channel: ONCALL, text });
    await slack.waitFor(() => posted() > before, { what: `an answer to ${text}` });
  };
  await setUp(slack, ask);
  // Each check of the watch delays the start, so the first one is when the wave is about to show.
  await clock.leapTo(night.waveMs + 3 * MINUTE_MS);

  const quiet = slack.messages(ONCALL).length;
  const call = () => slack.messages(ONCALL)[quiet];
  await clock.forward(40 * MINUTE_MS, () => call() !== undefined);
  const alarm = call();
  if (alarm !== undefined) await handleAlarm(alarm, { slack, clock, command });
  const isOpen = () => alarm !== undefined && sentencesOf(slack.message(alarm)?.blocks ?? []).some(isSnooze);
  await clock.leapTo(night.waveMs + (WAVE_MINUTES + 20) * MINUTE_MS);
  for (let stride = 0; stride < MAX_STRIDES && isOpen(); stride++) await clock.leapTo(clock.nowMs() + STRIDE_MS);

  await clock.leapTo(night.digestMs);
  await clock.leapTo(night.nowMs);
}

async function setUp(slack: LocalSlack, ask: (text: string) => Promise<void>): Promise<void> {
  const watchAndDigest = async () => {
    await ask('watch');
    await ask(`digest daily at ${DIGEST_AT}`);
  };
  // Shows that the service knows its sites by name.
  await Promise.all([askInThread(slack, 'hosts'), watchAndDigest()]);
}

async function askInThread(slack: LocalSlack, text: string): Promise<void> {
  const { botUserId } = slack.workspace.app;
  const { message } = await slack.mention({ user: 'anjali', channel: SECURITY, text: `<@${botUserId}> ${text}` });
  const answered = () => slack.thread(SECURITY, message?.ts ?? '').length > 1;
  await slack.waitFor(answered, { what: 'an answer to a mention' });
}

/** Someone wakes up, acknowledges with the bot's button, and writes down what they did. */
async function handleAlarm(alarm: Message, { slack, clock }: Stage): Promise<void> {
  const inThread = () => slack.thread(ONCALL, alarm.ts).length;
  await clock.leapTo(clock.nowMs() + 2 * MINUTE_MS);
  const button = buttonsOf(slack.message(alarm)?.blocks ?? []).find(({ value }) => value.startsWith('watch ack'));
  if (button !== undefined) {
    const before = inThread();
    await slack.clickButton({ user: 'diego', message: alarm, actionId: button.actionId, blockId: button.blockId });
    await slack.waitFor(() => inThread() > before, { what: 'an answer to the button of the alarm' });
  }
  // Before the watch checks again.
  await clock.leapTo(clock.nowMs() + 40_000);
  const text = 'One network is hammering the shop’s search. Blocking it at the edge, numbers should drop soon.';
  slack.say({ user: 'diego', channel: ONCALL, threadTs: alarm.ts, text });
}

const sentencesOf = (blocks: readonly JsonObject[]) => buttonsOf(blocks).map(({ value }) => value);
/** Offered for as long as the episode is open. */
const isSnooze = (sentence: string) => sentence.startsWith('watch snooze');

interface Button {
  readonly actionId: string;
  readonly blockId: string;
  readonly value: string;
}

/** The buttons of a message with the sentences they carry. */
function buttonsOf(blocks: readonly JsonObject[]): readonly Button[] {
  return blocks.flatMap((block) =>
    [...(Array.isArray(block.elements) ? block.elements : []), block.accessory].filter(isObject).flatMap((element) => {
      const { type, value, action_id: actionId } = element;
      if (type !== 'button' || typeof value !== 'string') return [];
      return [{ actionId: String(actionId), blockId: String(block.block_id), value }];
    }),
  );
}
