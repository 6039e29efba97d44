/**
 * People who ask while things go wrong: by slash command, mention, button and form, which Slack delivers to any replica. It sends
 * mentions again if nobody has acknowledged them, and sometimes twice. Each question has its own channel and asker, so that every
 * message there is part of its answer; the buttons of a watch are pressed where its message is, and answered in its thread.
 */
import type { ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import { formatCount } from '../../src/statistics/format.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import { BOT_USER, COMMAND, type Replica, type Surroundings, TEAM } from './replica.ts';
import type { PostedMessage } from './slack-model.ts';
import type { Supervisor } from './supervisor.ts';
import type { Life } from './world.ts';

interface AskedQuestion {
  readonly text: string;
  readonly channel: string;
  /** The message of a watch whose button was pressed. */
  readonly below: string | null;
  readonly isForm: boolean;
  readonly user: string;
  /** The attacks in its window, and those that were logged when it ended; `null` for a question that isn't about numbers. */
  readonly attacks: { readonly all: number; readonly atItsEnd: number } | null;
  readonly askedMs: number;
  /** Who has acknowledged it. */
  takenBy: Life | null;
  isDone: boolean;
  isRefused: boolean;
}

/** When Slack sends an event again that nobody has acknowledged. */
const AGAIN_MS = [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS];
const DUPLICATES = 0.2;
const MAX_REPEATED_MS = 5 * MINUTE_MS;
const FREEZES = 0.1;
const FORM_ZONE = 'Europe/Berlin';
/** In a private answer next to one that was posted after all. */
const IN_DOUBT = 'confirm that this was posted';

export function createQuestions(around: Surroundings, supervisor: Supervisor) {
  const { world, slack, store, service } = around;
  const { chance } = world;
  const asked: AskedQuestion[] = [];

  function ask(): void {
    const n = asked.length + 1;
    const way = chance.pick<'command' | 'mention' | 'button' | 'form'>(['command', 'mention', 'button', 'form']);
    const toMs = Math.floor(world.wallMs() / MINUTE_MS) * MINUTE_MS - chance.between(10, 90) * MINUTE_MS;
    const fromMs = toMs - chance.between(1, 4) * HOUR_MS;
    const isForm = way === 'form';
    const isAboutNumbers = !isForm && chance.happens(0.7);
    const question: AskedQuestion = {
      ...{ channel: `CQ${n}`, user: `UQ${n}`, below: null, isForm },
      text: isForm
        ? 'settings'
        : isAboutNumbers
          ? `timeline ${minuteOf(fromMs)}/${minuteOf(toMs)} in UTC`
          : chance.pick(['help', 'wibble']),
      attacks: isAboutNumbers
        ? { all: service.truth(fromMs, toMs).attacks, atItsEnd: service.truth(fromMs, toMs, toMs).attacks }
        : null,
      askedMs: world.nowMs(),
      takenBy: null,
      isDone: false,
      isRefused: false,
    };
    asked.push(question);
    world.record(`${question.user} asks in ${question.channel}: ${question.text}`);
    const url = way === 'mention' ? '' : slack.responseUrl(question.channel, question.user);
    const body = { command: commandOf, mention: mentionOf, button: buttonOf, form: formOf }[way](question, url);
    deliver(question, body);
    if (chance.happens(DUPLICATES)) world.after(chance.pick([0, chance.between(0, MAX_REPEATED_MS)]), null, repeat);
    if (way !== 'mention') return;
    for (const ms of AGAIN_MS) {
      world.after(ms, null, () => {
        if (question.takenBy === null) deliver(question, body);
      });
    }

    /** As after a socket that was replaced, at once or when the question has long been answered. */
    function repeat(): void {
      // A process that has ended remembers only what is in a store that others share.
      if (store.kind === 'sqlite' && question.takenBy?.alive === false) return;
      world.fault('Slack: event sent twice', question.channel);
      deliver(question, body);
    }
  }

  /** Presses *Acknowledge*, or also *Snooze* where no other episode has to be reported, below the message of a watch. */
  function press({ channel, ts, blocks }: PostedMessage, isLast: boolean): void {
    const buttons = isLast ? /"value":"(watch (?:ack|snooze) [^"]+)"/g : /"value":"(watch ack [^"]+)"/g;
    const sentences = [...blocks.matchAll(buttons)].flatMap(([, text]) => text ?? []);
    const text = sentences[chance.between(0, sentences.length)];
    if (text === undefined) return;
    const user = `UQ${asked.length + 1}`;
    const question = { ...{ text, channel, user, below: ts, isForm: false, attacks: null }, askedMs: world.nowMs() };
    const pressed: AskedQuestion = { ...question, takenBy: null, isDone: false, isRefused: false };
    asked.push(pressed);
    world.record(`${user} presses in ${channel}: ${text}`);
    deliver(pressed, buttonOf(pressed, slack.responseUrl(channel, user)));
  }

  function deliver(question: AskedQuestion, body: object): void {
    const ready = supervisor.ready();
    const replica = ready[chance.between(0, ready.length)];
    if (replica === undefined) return;
    world.after(chance.between(20, 200), replica.life, () => receive(question, body, replica));
  }

  function receive(question: AskedQuestion, body: object, { life, deliver: process }: Replica): void {
    const ack = async (response?: unknown): Promise<void> => {
      question.takenBy ??= life;
      // A form that can't be submitted stays open and says why.
      question.isRefused ||= z.object({ response_action: z.literal('errors') }).safeParse(response).success;
    };
    // Long enough that another replica takes the question over.
    if (chance.happens(FREEZES)) {
      const ms = chance.between(10, 60) * SECOND_MS;
      world.after(chance.between(0, 3 * SECOND_MS), null, () => world.freeze(life, ms));
    }
    const event: ReceiverEvent = { body: { ...body }, ack };
    void process(event).then(() => {
      question.isDone ||= question.takenBy === life;
      world.record(`${question.channel} is done with`);
    });
  }

  return {
    ask,
    press,
    asked,
    /** The violations in the answers. */
    violations: (): string[] => asked.flatMap((question) => wrongAnswers(around, question)),
  };
}

function wrongAnswers(around: Surroundings, question: AskedQuestion): string[] {
  const { channel, text, takenBy, isDone, attacks } = question;
  const name = `${channel} (${text})`;
  const all = around.slack.messages.filter((message) => !message.deleted && belongsTo(message, question));
  const answers = all.filter((message) => !isNotice(message));
  const isPublic = (message: PostedMessage): boolean => message.ephemeralFor === null && message.channel === channel;
  const shown = answers.filter(isPublic).length;
  const isInDoubt = ({ blocks }: PostedMessage): boolean => blocks.includes(IN_DOUBT);
  const isRepeated = answers.some((message) => !isPublic(message) && !isInDoubt(message));
  const lastMs = Math.max(question.askedMs, ...all.map(({ atMs }) => atMs));
  // A window that is in the future by now has no numbers yet.
  const isKnown = !around.world.clockWasSet(question.askedMs, lastMs + MINUTE_MS);
  const wrong = answers.filter((message) => isKnown && !hasItsNumbers(message, attacks));
  const lost = wrong.map((message) => `other numbers than ${attacks?.all} attacks: ${name}: ${message.text}`);
  // Without the store, a second answer is better than none.
  if (around.store.hadTrouble(question.askedMs, lastMs)) return lost;
  const isSaved = JSON.stringify(around.store.peek('settings', channel) ?? '').includes(FORM_ZONE);
  const isCalm = around.slack.faultsIn(channel) === 0 && takenBy?.frozenUntilMs === 0;
  return [
    ...lost,
    ...(question.isForm && shown > 0 && !isSaved && around.store.emptiedMs() === null
      ? [`form answered but not saved: ${name}`]
      : []),
    ...(shown > 1 || (isCalm && answers.length > 1) ? [`question answered ${answers.length} times: ${name}`] : []),
    ...(shown === 1 && isRepeated ? [`question answered again in private: ${name}`] : []),
    ...(isCalm && isDone && takenBy?.alive && answers.length === 0 && !question.isRefused
      ? [`question never answered: ${name}`]
      : []),
    ...(isCalm && all.some((message) => isNotice(message) && isPublic(message))
      ? [`notice left beside the answer: ${name}`]
      : []),
  ];
}

function belongsTo({ channel, threadTs, ephemeralFor, id }: PostedMessage, question: AskedQuestion): boolean {
  if (channel === `D${question.user}`) return true;
  if (channel !== question.channel) return false;
  if (question.below === null) return true;
  // Others press buttons there too, and the watch itself replies.
  return ephemeralFor === question.user || (threadTs === question.below && !id?.startsWith('watch/'));
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

const buttonOf = ({ channel, user, text, below }: AskedQuestion, responseUrl: string): object => ({
  type: 'block_actions',
  team: { id: TEAM },
  user: { id: user },
  channel: { id: channel },
  message: { ts: below ?? '1799000000.000001' },
  container: { type: 'message', is_ephemeral: false },
  trigger_id: `trigger-${channel}-${user}`,
  response_url: responseUrl,
  actions: [
    {
      type: 'button',
      block_id: 'b',
      action_id: below === null ? 'say:ask:0' : 'say:thread:0',
      action_ts: '1',
      value: text,
    },
  ],
});

/** The channel's settings, submitted. */
const formOf = ({ channel, user }: AskedQuestion): object => ({
  type: 'view_submission',
  team: { id: TEAM },
  user: { id: user },
  trigger_id: `trigger-${channel}`,
  view: {
    type: 'modal',
    callback_id: 'form_settings',
    private_metadata: JSON.stringify({ channel }),
    state: {
      values: {
        zone: { zone: { type: 'plain_text_input', value: FORM_ZONE } },
        hosts: { hosts: { type: 'plain_text_input', value: null } },
        answers: { answers: { type: 'static_select', selected_option: { value: 'public' } } },
      },
    },
  },
});

const mentionOf = ({ channel, user, text }: AskedQuestion): object => ({
  type: 'event_callback',
  team_id: TEAM,
  event_id: `Ev-${channel}`,
  event: { type: 'app_mention', user, text: `<@${BOT_USER}> ${text}`, ts: '1799000000.000001', channel },
});
