/**
 * What Slack sends, changed at random, through the real receivers: frames of a socket, or signed bodies. Between them a
 * person asks something, and must get one answer each time.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Envelope } from '../../playground/slack/delivery/envelope.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { leastTurnMs, longestTurnMs } from '../support/loop-meter.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { nextAnswer, startWorldOn, type World } from '../support/world.ts';
import { drawRecipe, hostileText } from './hostile-text.ts';
import { mutateJson, mutateText } from './mutate-json.ts';
import { createReport, type FuzzReport, LONGEST_STRETCH_MS, MAX_ROUNDS } from './report.ts';

/** A local Slack remembers everything, so it is renewed now and then. */
const PER_WORLD = 2_000;
const PER_QUESTION = 40;
const ASKERS = Array.from({ length: 100 }, (_, n) => `U0ASKER${String(n).padStart(3, '0')}`);
const ASKED_IN = 'C0ONCALL01';
const ACK_TIMEOUT_MS = 300;
const FORM = 'application/x-www-form-urlencoded';

type Mode = 'socket' | 'http';
type FuzzWorld = World<Clock>;

interface SentText {
  readonly text: string;
  readonly type?: string;
}

interface EnvelopeFuzzOptions {
  /** Whether each of a batch that took long is sent again by itself, to see which it was. */
  readonly isTimed?: boolean;
}

export async function fuzzEnvelopes(
  count: number,
  mode: Mode,
  random: SeededRandom,
  { isTimed = true }: EnvelopeFuzzOptions = {},
): Promise<FuzzReport> {
  const { report, ...note } = createReport(mode === 'socket' ? 'frames of the socket' : 'signed bodies');
  while (report.inputs < count) {
    const users = [...WORKSPACE.users, ...ASKERS.map((id) => ({ id, name: id.toLowerCase(), realName: id }))];
    const world = await startWorldOn(systemClock, {
      mode,
      environment: { WAFBOT_CHARTS: 'none', WAFBOT_LOG_LEVEL: 'silent' },
      slack: { ackTimeoutMs: ACK_TIMEOUT_MS, workspace: { ...WORKSPACE, users } },
    });
    const patterns = await recordEnvelopes(world);
    const send = sender(world, mode, (outcome) => note.count(outcome));
    const asker = createAsker(world, mode);
    const until = Math.min(count, report.inputs + PER_WORLD);
    while (report.inputs < until) {
      const batch = Array.from({ length: Math.min(PER_QUESTION, until - report.inputs) }, () =>
        draw(patterns, mode, random),
      );
      const ms = await longestTurnMs(() => sendAll(batch, send));
      if (!isTimed || ms <= LONGEST_STRETCH_MS) note.took(ms, batch[0]?.text ?? '');
      else await findSlow(batch);
    }
    await world.stop();
    if (asker.answers() !== asker.questions()) {
      note.fault('questions and answers', `${asker.questions()} asked, ${asker.answers()} answered`);
    }

    async function sendAll(batch: readonly SentText[], through: typeof send): Promise<void> {
      const sending: Promise<void>[] = [];
      for (const sent of batch) {
        sending.push(through(sent));
        // What arrives together is handled together; here each is meant by itself.
        await nextTurn();
      }
      await asker.ask();
      await Promise.all(sending);
    }

    /** Compiling and collecting garbage are not meant, nor what adds up: the halves that take long again are halved, down to one. */
    async function findSlow(batch: readonly SentText[]): Promise<void> {
      const quietly = sender(world, mode, () => {});
      const [only, another] = batch;
      if (only !== undefined && another === undefined) {
        const again = () => sendAll([renewed(only)], quietly);
        return note.took(await leastTurnMs(again, { goodMs: LONGEST_STRETCH_MS, rounds: MAX_ROUNDS }), only.text);
      }
      const middle = Math.ceil(batch.length / 2);
      for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
        const ms = await longestTurnMs(() => sendAll(half.map(renewed), quietly));
        if (ms <= LONGEST_STRETCH_MS) note.took(ms, half[0]?.text ?? '');
        else await findSlow(half);
      }
    }
  }
  if (report.longest.ms > LONGEST_STRETCH_MS) note.fault('held the event loop for too long', report.longest.input);
  return report;
}

/** Under new ids: what Slack delivers a second time is passed over. */
const renewed = ({ text, ...rest }: SentText): SentText => ({ ...rest, text: text.replace(UUID, () => randomUUID()) });
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;

/** Asks as people whom no changed envelope speaks for, and counts the answers. */
function createAsker({ slack }: FuzzWorld, mode: Mode) {
  let questions = 0;
  const answers = () =>
    slack.ephemerals(undefined, ASKED_IN).filter(({ visibleTo = '' }) => ASKERS.includes(visibleTo)).length;
  return {
    questions: () => questions,
    answers,
    async ask(): Promise<void> {
      if (mode === 'socket') await slack.waitFor(() => slack.sockets.connected() > 0, { what: 'a connection' });
      // One after the other, since nobody may ask this much within a minute.
      await slack.command({ user: ASKERS[questions % ASKERS.length] ?? '', channel: ASKED_IN, text: 'help' });
      questions += 1;
      await slack.waitFor(() => answers() >= questions, { what: `answer ${questions}` });
    },
  };
}

function sender({ slack }: FuzzWorld, mode: Mode, count: (outcome: string) => void) {
  return async ({ text, type }: SentText): Promise<void> => {
    if (mode === 'socket') {
      slack.sockets.sendFrame(text, 0);
      return count('sent');
    }
    const request = { body: text, type };
    // Bolt answers what no listener takes after three seconds, which are not waited for here.
    const outcome = await slack.deliveryFaults.sendSigned(request).then(
      (status) => `answered with ${status}`,
      () => 'not acknowledged',
    );
    count(outcome);
  };
}

/** One of each kind of envelope, as the local Slack delivers them. */
async function recordEnvelopes(world: FuzzWorld): Promise<readonly Envelope[]> {
  const { slack } = world;
  await slack.command({ text: 'digest' });
  const list = await slack.nextMessage();
  await slack.mention({ text: 'timeline last 1h' });
  // Not the notice that it takes a while, which has no buttons.
  const answer = await nextAnswer(slack);
  await slack.directMessage({ text: 'attacks last 1h' });
  await nextAnswer(slack);
  await slack.messageShortcut({ callbackId: 'waf_around_message', message: answer });
  await nextAnswer(slack);
  await slack.clickButton({ message: list, actionId: buttonOf(list.blocks, 'say:modal') });
  const form = await slack.waitFor(() => slack.modals().at(-1), { what: 'the form' });
  await slack.submitView({ viewId: form.id, values: { time: '09:00', hosts: 'nowhere' } });
  await slack.clickButton({ message: answer, actionId: buttonOf(answer.blocks, 'say:thread') });
  await nextAnswer(slack);
  await slack.openHome();
  return slack.deliveries.map(({ envelope }) => envelope);
}

function buttonOf(blocks: readonly unknown[], prefix: string): string {
  const id = new RegExp(`"action_id":"(${prefix}:\\d+)"`).exec(JSON.stringify(blocks))?.[1];
  if (id === undefined) throw new Error(`no button ${prefix}`);
  return id;
}

function draw(patterns: readonly Envelope[], mode: Mode, random: SeededRandom): SentText {
  const { type, payload } = withNewIds(random.pick(patterns), random);
  const frame = { envelope_id: randomUUID(), type, accepts_response_payload: type !== 'events_api', payload };
  let changed: unknown = mode === 'socket' ? frame : payload;
  for (let changes = random.below(4); changes > 0; changes -= 1) changed = mutateJson(changed, random);
  const json = JSON.stringify(changed) ?? '';
  const text = random.below(5) === 0 ? mutateText(json, random) : json;
  return mode === 'socket' ? { text } : bodyFor(type, changed, text, random);
}

/** What identifies a delivery is new each time, or it would be taken for one that was there before. */
function withNewIds(envelope: Envelope, random: SeededRandom): Envelope {
  const { payload } = envelope;
  const fresh = {
    ...payload,
    ...('trigger_id' in payload ? { trigger_id: randomUUID() } : {}),
    ...('event_id' in payload ? { event_id: randomUUID() } : {}),
    // A person of their own, since nobody may ask this much.
    ...('user_id' in payload ? { user_id: `U${random.below(1_000_000)}` } : {}),
    ...('text' in payload && random.below(3) === 0 ? { text: hostileText(drawRecipe(random)) } : {}),
  };
  return { ...envelope, payload: fresh };
}

function bodyFor(type: Envelope['type'], changed: unknown, text: string, random: SeededRandom): SentText {
  const kind = random.below(20) === 0 ? random.pick(['', 'text/plain', 'application/xml', FORM]) : undefined;
  if (type === 'events_api') return { text, type: kind ?? 'application/json' };
  if (type === 'interactive') return { text: new URLSearchParams({ payload: text }).toString(), type: kind ?? FORM };
  const fields = typeof changed === 'object' && changed !== null ? Object.entries(changed) : [['text', text]];
  const form = new URLSearchParams(fields.map(([key, value]) => [String(key).toWellFormed(), textOf(value)]));
  return { text: form.toString(), type: kind ?? FORM };
}

const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
