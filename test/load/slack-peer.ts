/** The local Slack in a process of its own, with people who ask: one question at a time, each in a channel of their own. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Distance, type LocalSlack, startLocalSlack } from '../../playground/slack/index.ts';
import type { Message } from '../../playground/slack/messages.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.ts';
import { servePeer } from './peer-process.ts';
import { drawQuestion } from './questions.ts';

/** For hangs: a question without an answer by then counts as lost. */
const ANSWER_LIMIT_MS = 60_000;
/** For this long, people go on looking for what was lost, to tell what comes late from what never comes. */
const LATE_LIMIT_MS = 120_000;
const ZONES = ['Europe/Stockholm', 'America/New_York', 'Asia/Kolkata', 'UTC'];

export interface StartOptions {
  readonly people: number;
  /** Channels that digests are posted to. */
  readonly digestChannels: number;
  /** How many posts find an uploaded file not ready yet; one where left out. */
  readonly fileReadyAfter?: number;
  readonly distance?: Distance;
  /** Messages are not checked. */
  readonly trusting?: boolean;
}

export interface AskOptions {
  /** Until so many questions are asked, or so many seconds are over; whichever is first. */
  readonly questions: number;
  readonly seconds: number;
  /** How long a person waits between an answer and the next question: from half of it to one and a half. */
  readonly thinkMs: number;
  readonly seed: number;
}

export interface AskReport {
  /** From a question to its whole answer, in milliseconds. */
  readonly latencies: number[];
  readonly lost: number;
  /** Each of those: how it was asked, and what came instead. */
  readonly lostQuestions: readonly string[];
  /** Answers that say that something is wrong with the bot or the service. */
  readonly failed: number;
  readonly refusedBySlack: number;
  readonly seconds: number;
}

export interface AskTheseOptions {
  readonly texts: readonly string[];
  readonly atOnce: number;
  /** Asks until each answer has its picture; what that takes is in `pictureMs`. */
  readonly pictures?: boolean;
}

export interface AskTheseReport {
  /** From a question to the text of its answer, in milliseconds. */
  readonly answerMs: readonly number[];
  /** From a question to its picture; a question without one has none here. */
  readonly pictureMs: readonly number[];
  readonly lost: number;
  /** The calls that Slack had for all of them, in order. */
  readonly calls: readonly string[];
  /** The beginning of an answer, for a look at what was asked. */
  readonly sample: string;
}

const id = (letter: string, n: number): string => `${letter}0LOAD${String(n).padStart(5, '0')}`;

let slack: LocalSlack;
let people = 0;
/** The answers that are waited for, by channel; in direct messages by person. */
const waiting = new Map<string, (message: Message) => void>();
/** When the first message came into a channel, by channel. */
const firstPosts = new Map<string, number>();

async function start(options: StartOptions) {
  people = options.people;
  const total = options.people + options.digestChannels;
  const numbers = Array.from({ length: total }, (_, n) => n);
  const users = numbers.map((n) => ({ id: id('U', n), name: `person${n}`, realName: `Person ${n}`, tz: ZONES[n % 4] }));
  const channels = numbers.map((n) => ({ id: id('C', n), name: `channel-${n}` }));
  const { fileReadyAfter = 1, distance, trusting = false } = options;
  slack = await startLocalSlack({
    mode: 'socket',
    workspace: { ...WORKSPACE, users, channels },
    fileReadyAfter,
    trusting,
    distance,
  });
  slack.onChange(({ kind, subject }) => {
    if (kind !== 'message' && kind !== 'edit') return;
    const message = subject as Message;
    if (message.botId === undefined || message.text.startsWith('Working on ')) return;
    if (!firstPosts.has(message.channel)) firstPosts.set(message.channel, Date.now());
    waiting.get(placeOf(message.channel))?.(message);
  });
  return { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl };
}

const directMessages = new Map<string, string>();

function placeOf(channel: string): string {
  if (!channel.startsWith('D')) return channel;
  const known = directMessages.get(channel) ?? slack.channels().find((each) => each.id === channel)?.members[0];
  if (known !== undefined) directMessages.set(channel, known);
  return known ?? channel;
}

/** The answer to what is sent, or `null` when none comes in time. */
async function answerIn(
  place: string,
  send: () => Promise<unknown>,
  limitMs = ANSWER_LIMIT_MS,
): Promise<Message | null> {
  const answer = Promise.withResolvers<Message | null>();
  const timer = setTimeout(() => answer.resolve(null), limitMs);
  waiting.set(place, answer.resolve);
  await send();
  const message = await answer.promise;
  clearTimeout(timer);
  waiting.delete(place);
  return message;
}

interface Question {
  readonly text: string;
  readonly way: 'command' | 'mention' | 'direct message';
  readonly place: string;
  readonly atMs: number;
}

function draw(person: number, random: SeededRandom): Question {
  const text = drawQuestion(random);
  const share = random.below(20);
  const way = share < 12 ? 'command' : share < 17 ? 'mention' : 'direct message';
  return { text, way, place: id(way === 'direct message' ? 'U' : 'C', person), atMs: Date.now() };
}

/** Resolves to the answer, or to what a search for its absence begins with. */
async function askOnce(person: number, question: Question): Promise<Message | string> {
  const [user, channel] = [id('U', person), id('C', person)];
  const { text, way, place } = question;
  let acked = false;
  const message = await answerIn(place, async () => {
    const ask = { command: slack.command, mention: slack.mention, 'direct message': slack.directMessage }[way];
    ({ acked } = await ask({ user, channel, text }));
  });
  if (message !== null) return message;
  const shown = shownIn(place);
  const late = await answerIn(place, async () => {}, LATE_LIMIT_MS);
  const came =
    late === null ? 'never answered' : `answered after ${Math.round((Date.now() - question.atMs) / 1_000)} s`;
  return `${came}: ${way} “${text}”, ${acked ? 'acknowledged' : 'not acknowledged'}, “${shown}” shown until then`;
}

function shownIn(place: string): string {
  const places = slack.channels().filter(({ id: channel }) => placeOf(channel) === place);
  const all = [...places.flatMap(({ id: channel }) => slack.messages(channel)), ...slack.ephemerals()];
  return all.findLast(({ channel, botId }) => placeOf(channel) === place && botId !== undefined)?.text ?? '';
}

const isFailure = ({ text }: Message): boolean => /^(The statistics service|Something broke|The bot is not)/.test(text);

async function ask({ questions, seconds, thinkMs, seed }: AskOptions): Promise<AskReport> {
  const started = performance.now();
  const isOver = (): boolean => asked >= questions || performance.now() - started > seconds * 1_000;
  const latencies: number[] = [];
  let asked = 0;
  const lostQuestions: string[] = [];
  let failed = 0;
  const refusals = slack.refusals.length;
  async function behave(person: number): Promise<void> {
    const random = createSeededRandom(seed * 1_000_003 + person);
    // Nobody begins at the same moment.
    await delay(random.below(Math.max(1, thinkMs)));
    while (!isOver()) {
      asked += 1;
      const begun = performance.now();
      const answer = await askOnce(person, draw(person, random));
      if (typeof answer === 'string') lostQuestions.push(answer);
      else latencies.push(performance.now() - begun);
      if (typeof answer !== 'string' && isFailure(answer)) failed += 1;
      await delay(thinkMs / 2 + random.below(Math.max(1, thinkMs)));
    }
  }
  await Promise.all(Array.from({ length: people }, (_, person) => behave(person)));
  return {
    latencies,
    lost: lostQuestions.length,
    lostQuestions,
    failed,
    refusedBySlack: slack.refusals.length - refusals,
    seconds: (performance.now() - started) / 1_000,
  };
}

let nextPerson = 0;

/** The questions as they are given, so many at once, each by the next person. */
async function askThese({ texts, atOnce, pictures = false }: AskTheseOptions): Promise<AskTheseReport> {
  const report = { answerMs: [] as number[], pictureMs: [] as number[], lost: 0, sample: '' };
  const before = slack.calls().length;
  const queue = texts.values();
  async function askInTurn(): Promise<void> {
    for (const text of queue) {
      const person = nextPerson++ % people;
      const channel = id('C', person);
      const begun = performance.now();
      const drawn = Promise.withResolvers<void>();
      const stopLooking = slack.onChange(({ kind, subject }) => {
        if (
          (kind === 'message' || kind === 'edit') &&
          (subject as Message).channel === channel &&
          isDrawn(subject as Message)
        )
          drawn.resolve();
      });
      const message = await answerIn(channel, () => slack.command({ user: id('U', person), channel, text }));
      if (message === null) report.lost += 1;
      else report.answerMs.push(performance.now() - begun);
      report.sample = message?.text ?? report.sample;
      if (pictures && message !== null) {
        const came = await Promise.race([
          drawn.promise.then(() => true),
          delay(ANSWER_LIMIT_MS, false, { ref: false }),
        ]);
        if (came) report.pictureMs.push(performance.now() - begun);
      }
      stopLooking();
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askInTurn));
  const calls = slack.calls().slice(before);
  return { ...report, calls: calls.map(({ method }) => method) };
}

const isDrawn = ({ blocks }: Message): boolean => blocks.some((block) => 'slack_file' in block);

export interface DigestsToMake {
  readonly count: number;
  readonly time: string;
  /** What follows after the time, in turn; the same for all where left out. */
  readonly kinds?: readonly string[];
}

/** One digest in each of these channels, all due at the same time of day, in UTC. */
async function makeDigests({ count, time, kinds = [''] }: DigestsToMake): Promise<number> {
  let made = 0;
  for (let n = people; n < people + count; n += 1) {
    const [user, channel] = [id('U', n), id('C', n)];
    const text = `digest daily at ${time} in UTC${kinds[n % kinds.length]}`;
    const answer = await answerIn(channel, () => slack.command({ user, channel, text }));
    if (answer?.text.startsWith('Digest scheduled')) made += 1;
  }
  firstPosts.clear();
  return made;
}

/** Once so many have come. */
const digestsCame = (count: number): Promise<true> =>
  slack.waitFor(() => digestTimes().length >= count, { timeoutMs: 10 * ANSWER_LIMIT_MS });

function countCalls(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method } of slack.calls()) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

/** Resolves when the tab is shown. */
async function openHome(user: string): Promise<void> {
  const before = slack.calls('views.publish').length;
  await slack.openHome(user);
  await slack.waitFor(() => slack.calls('views.publish').length > before);
}

/** When the digests came, in milliseconds since the epoch. */
const digestTimes = (): number[] =>
  [...firstPosts].flatMap(([channel, atMs]) => (channel >= id('C', people) && channel.startsWith('C') ? [atMs] : []));

const functions = {
  start,
  ask,
  askThese,
  makeDigests,
  digestTimes,
  digestsCame,
  countCalls,
  openHome,
  forget: () => slack.forget(),
};
export type SlackPeer = typeof functions;

servePeer(functions);
