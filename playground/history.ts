/**
 * The night before the page opens: people set up the bot in the evening, a wave of attacks hits at night, the watch
 * alerts, someone handles it, and in the morning a digest arrives. The seed determines what comes, when and on which
 * host. Nothing is canned: people act through the local Slack, the bot answers, and the workspace's clock is
 * fast-forwarded from one event to the next.
 */
import { DEFAULT_SEED } from './night-choice.ts';
import { DEFAULT_HOSTS, type TrafficHost } from './service/hosts.ts';
import { mix } from './service/random.ts';
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
/** After the wave it's enough if the watch checks every 15 minutes. */
const STRIDE_MS = 15 * MINUTE_MS;
const MAX_STRIDES = 10;

/** What comes, and what the person who handles it writes. */
interface Plot extends Pick<Wave, 'kind' | 'perMinute' | 'categories' | 'attacker'> {
  readonly finding: (host: string) => string;
}

const PLOTS: readonly [Plot, ...Plot[]] = [
  {
    kind: 'step',
    perMinute: 46,
    categories: { sqli: 0.72, lfi: 0.2, cmdi: 0.08 },
    attacker: 'scanner',
    finding: (host) =>
      `One address is hammering the login of ${host}. Blocking it at the edge, numbers should drop soon.`,
  },
  {
    kind: 'flood',
    perMinute: 150,
    categories: { cc: 0.9, robot: 0.1 },
    attacker: 'botnet',
    finding: (host) => `A botnet on ${host}: hundreds of addresses, none stands out. Tightening the rate limit.`,
  },
  {
    kind: 'step',
    perMinute: 50,
    categories: { custom: 1 },
    attacker: 'own address',
    finding: (host) =>
      `That’s our own health check on ${host}: the new rule takes it for an attack. Rolling the rule back.`,
  },
  {
    kind: 'step',
    perMinute: 48,
    categories: { robot: 1 },
    attacker: 'scanner',
    finding: (host) => `One crawler goes through all products of ${host}. Blocking it at the edge.`,
  },
];

interface Story {
  readonly host: TrafficHost;
  readonly plot: Plot;
  /** After midnight. */
  readonly fromMinute: number;
  readonly minutes: number;
  readonly onCall: 'diego' | 'anjali';
}

const FIRST_MINUTE = 65;
const MINUTES_LONG = 20;

/** The salts make the default seed give the story in the docs: shop at 02:37. */
function storyOf(seed: number): Story {
  const draw = (below: number, salt: number) => mix(seed, 0, 0, salt) % below;
  return {
    host: DEFAULT_HOSTS[draw(DEFAULT_HOSTS.length, 4)] ?? DEFAULT_HOSTS[0],
    plot: PLOTS[draw(PLOTS.length, 13)] ?? PLOTS[0],
    fromMinute: FIRST_MINUTE + draw(220, 74),
    minutes: MINUTES_LONG + draw(15, 32),
    onCall: draw(2, 20) === 0 ? 'diego' : 'anjali',
  };
}

export interface Night {
  readonly seed: number;
  readonly eveningMs: number;
  readonly waveMs: number;
  readonly digestMs: number;
  readonly nowMs: number;
}

/** The night before the latest digest. The workspace's clock starts in the evening. */
export function lastNight(nowMs: number, zone: string, seed = DEFAULT_SEED): Night {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const today = now.withPlainTime(DIGEST_AT);
  const digest = Temporal.ZonedDateTime.compare(today, now) <= 0 ? today : today.subtract({ days: 1 });
  const { fromMinute } = storyOf(seed);
  return {
    seed,
    eveningMs: digest.subtract({ days: 1 }).withPlainTime('17:42').epochMilliseconds,
    waveMs: digest.withPlainTime({ hour: Math.floor(fromMinute / 60), minute: fromMinute % 60 }).epochMilliseconds,
    digestMs: digest.epochMilliseconds,
    nowMs,
  };
}

/** A few waves in the weeks before, one at night, and none since: a newcomer starts from a calm state. */
export function wavesBefore({ waveMs, seed }: Night): readonly Wave[] {
  const waveMinute = Math.floor(waveMs / MINUTE_MS);
  const today = Math.floor(waveMinute / DAY_MINUTES);
  const past = PAST_DAYS.flatMap((ago) => DEFAULT_HOSTS.flatMap((host) => seededWaves(seed, host, today - ago)));
  const { host, plot, minutes } = storyOf(seed);
  const { kind, perMinute, categories, attacker } = plot;
  const tonight: Wave = {
    kind,
    fromMinute: waveMinute,
    minutes,
    perMinute,
    hosts: [host.id],
    categories,
    attacker,
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
  const story = storyOf(night.seed);
  await setUp(slack, ask);
  // Each check of the watch delays the start, so the first one is when the wave is about to show.
  await clock.leapTo(night.waveMs + 3 * MINUTE_MS);

  const quiet = slack.messages(ONCALL).length;
  const call = () => slack.messages(ONCALL)[quiet];
  await clock.forward(40 * MINUTE_MS, () => call() !== undefined);
  const alarm = call();
  if (alarm !== undefined) await handleAlarm(alarm, story, { slack, clock, command });
  const isOpen = () => alarm !== undefined && sentencesOf(slack.message(alarm)?.blocks ?? []).some(isSnooze);
  await clock.leapTo(night.waveMs + (story.minutes + 20) * MINUTE_MS);
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
async function handleAlarm(alarm: Message, { onCall, host, plot }: Story, { slack, clock }: Stage): Promise<void> {
  const inThread = () => slack.thread(ONCALL, alarm.ts).length;
  await clock.leapTo(clock.nowMs() + 2 * MINUTE_MS);
  const button = buttonsOf(slack.message(alarm)?.blocks ?? []).find(({ value }) => value.startsWith('watch ack'));
  if (button !== undefined) {
    const before = inThread();
    await slack.clickButton({ user: onCall, message: alarm, actionId: button.actionId, blockId: button.blockId });
    await slack.waitFor(() => inThread() > before, { what: 'an answer to the button of the alarm' });
  }
  // Done before the watch checks again.
  await clock.leapTo(clock.nowMs() + 40_000);
  slack.say({ user: onCall, channel: ONCALL, threadTs: alarm.ts, text: plot.finding(host.name) });
}

const sentencesOf = (blocks: readonly JsonObject[]) => buttonsOf(blocks).map(({ value }) => value);
/** The button is there while the episode is open. */
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
