/**
 * People who ask while things go wrong: by slash command and by mention, which Slack delivers to any replica, sometimes twice,
 * and again if nobody has acknowledged it. Each question has its own channel and asker, so that every message there is part of
 * its answer.
 */
import type { ReceiverEvent } from '@slack/bolt';
import { formatCount } from '../../src/statistics/format.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import { BOT_USER, COMMAND, type Replica, type Surroundings, TEAM } from './replica.ts';
import type { PostedMessage } from './slack-model.ts';
import type { Supervisor } from './supervisor.ts';
import type { Life } from './world.ts';

interface AskedQuestion {
  readonly text: string;
  readonly channel: string;
  readonly user: string;
  /** The attacks in its window, and those that were logged when it ended; `null` for a question that isn't about numbers. */
  readonly attacks: { readonly all: number; readonly atItsEnd: number } | null;
  readonly askedMs: number;
  /** Who has acknowledged it. */
  takenBy: Life | null;
  isDone: boolean;
}

/** When Slack sends an event again that nobody has acknowledged. */
const AGAIN_MS = [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS];
const DUPLICATES = 0.2;
/** In a private answer next to one that was posted after all. */
const IN_DOUBT = 'confirm that this was posted';

export function createQuestions(around: Surroundings, supervisor: Supervisor) {
  const { world, slack, store, service } = around;
  const { chance } = world;
  const asked: AskedQuestion[] = [];

  function ask(): void {
    const n = asked.length + 1;
    const toMs = Math.floor(world.wallMs() / MINUTE_MS) * MINUTE_MS - chance.between(10, 90) * MINUTE_MS;
    const fromMs = toMs - chance.between(1, 4) * HOUR_MS;
    const isAboutNumbers = chance.happens(0.7);
    const question: AskedQuestion = {
      channel: `CQ${n}`,
      user: `UQ${n}`,
      text: isAboutNumbers ? `timeline ${minuteOf(fromMs)}/${minuteOf(toMs)} in UTC` : chance.pick(['help', 'wibble']),
      attacks: isAboutNumbers
        ? { all: service.truth(fromMs, toMs).attacks, atItsEnd: service.truth(fromMs, toMs, toMs).attacks }
        : null,
      askedMs: world.nowMs(),
      takenBy: null,
      isDone: false,
    };
    asked.push(question);
    world.record(`${question.user} asks in ${question.channel}: ${question.text}`);
    const isCommand = chance.happens(0.5);
    const body = isCommand
      ? commandOf(question, slack.responseUrl(question.channel, question.user))
      : mentionOf(question);
    deliver(question, body);
    if (isCommand) return;
    for (const ms of AGAIN_MS) {
      world.after(ms, null, () => {
        if (question.takenBy === null) deliver(question, body);
      });
    }
    // Only a store that answers can tell that another replica has seen it.
    const { away, slowMs, lostReplies, full } = store.weather;
    if (!away && !full && lostReplies === 0 && slowMs < 100 && chance.happens(DUPLICATES)) {
      world.fault('Slack: event sent twice', question.channel);
      deliver(question, body);
    }
  }

  function deliver(question: AskedQuestion, body: object): void {
    const ready = supervisor.ready();
    const replica = ready[chance.between(0, ready.length)];
    if (replica === undefined) return;
    world.after(chance.between(20, 200), replica.life, () => receive(question, body, replica));
  }

  function receive(question: AskedQuestion, body: object, { life, deliver: process }: Replica): void {
    const ack = async (): Promise<void> => {
      question.takenBy ??= life;
    };
    const event: ReceiverEvent = { body: { ...body }, ack };
    void process(event).then(() => {
      question.isDone ||= question.takenBy === life;
      world.record(`${question.channel} is done with`);
    });
  }

  return {
    ask,
    asked,
    /** The violations in the answers. */
    violations: (): string[] => asked.flatMap((question) => wrongAnswers(around, question)),
  };
}

function wrongAnswers(around: Surroundings, question: AskedQuestion): string[] {
  const { channel, user, text, takenBy, isDone, attacks } = question;
  const name = `${channel} (${text})`;
  const all = around.slack.messages.filter(
    (each) => !each.deleted && (each.channel === channel || each.channel === `D${user}`),
  );
  const answers = all.filter((message) => !isNotice(message));
  const isPublic = (message: PostedMessage): boolean => message.ephemeralFor === null && message.channel === channel;
  const shown = answers.filter(isPublic).length;
  const isInDoubt = ({ blocks }: PostedMessage): boolean => blocks.includes(IN_DOUBT);
  const isRepeated = answers.some((message) => !isPublic(message) && !isInDoubt(message));
  const wrong = answers.filter((message) => !hasItsNumbers(message, attacks));
  const lost = wrong.map((message) => `other numbers than ${attacks?.all} attacks: ${name}: ${message.text}`);
  // Without the store, a second answer is better than none.
  if (around.store.hadTrouble(question.askedMs, Math.max(question.askedMs, ...all.map(({ atMs }) => atMs))))
    return lost;
  const isCalm = around.slack.faultsIn(channel) === 0 && takenBy?.frozenUntilMs === 0;
  return [
    ...lost,
    ...(shown > 1 || (isCalm && answers.length > 1) ? [`question answered ${answers.length} times: ${name}`] : []),
    ...(shown === 1 && isRepeated ? [`question answered again in private: ${name}`] : []),
    ...(isCalm && isDone && takenBy?.alive && answers.length === 0 ? [`question never answered: ${name}`] : []),
    ...(isCalm && all.some((message) => isNotice(message) && isPublic(message))
      ? [`notice left beside the answer: ${name}`]
      : []),
  ];
}

const isNotice = (message: PostedMessage): boolean => message.text.startsWith('Working on ');

/**
 * An answer that names a number of attacks in its heading names that of its window; a failure names none. Numbers from earlier
 * say so, and were not all logged then.
 */
function hasItsNumbers({ text }: PostedMessage, attacks: AskedQuestion['attacks']): boolean {
  const [, named] = /requests · ([\d,]+) attacks?\b/.exec(text) ?? [];
  if (named === undefined || attacks === null || named === formatCount(attacks.all)) return true;
  const count = Number(named.replaceAll(',', ''));
  return text.includes(' As of ') && count >= attacks.atItsEnd && count < attacks.all;
}

const minuteOf = (ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toString({ smallestUnit: 'minute' });

const commandOf = ({ channel, user, text }: AskedQuestion, responseUrl: string): object => ({
  team_id: TEAM,
  channel_id: channel,
  user_id: user,
  command: COMMAND,
  text,
  response_url: responseUrl,
  trigger_id: `trigger-${channel}`,
});

const mentionOf = ({ channel, user, text }: AskedQuestion): object => ({
  type: 'event_callback',
  team_id: TEAM,
  event_id: `Ev-${channel}`,
  event: { type: 'app_mention', user, text: `<@${BOT_USER}> ${text}`, ts: '1799000000.000001', channel },
});
