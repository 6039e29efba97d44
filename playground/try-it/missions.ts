/**
 * Seven small missions, from the first question to an alert that is handed over. Each checks itself off when it has been done
 * in the workspace.
 */
import type { Mission } from '../page/index.ts';
import type { LocalSlack, Message } from '../slack/index.ts';
import { isObject } from '../slack/json.ts';
import type { Attacks } from './attacks.ts';
import type { Breakages } from './breakages.ts';
import type { EndingFacts } from './ending.ts';

interface Deps {
  readonly slack: LocalSlack;
  readonly attacks: Attacks;
  readonly breakages: Breakages;
  readonly command: string;
}

/** What has happened since the page opened, as far as missions are concerned. */
interface Progress {
  /** What people asked the bot, and when. */
  questions(): readonly { readonly text: string; readonly ts: number }[];
  /** Buttons pressed below messages, with the sentence each carries. */
  presses(): readonly { readonly text: string; readonly message: string; readonly ts: number }[];
  botMessages(): readonly Message[];
  /** The name of its channel. */
  placeOf(message: Message): string;
  answeredAfter(ts: number): boolean;
}

interface Definition extends Omit<Mission, 'done' | 'example' | 'goTo'> {
  readonly example?: () => string;
  readonly goTo?: () => Mission['goTo'];
  readonly isDone: () => boolean;
}

export function createMissions({ slack, attacks, breakages, command }: Deps) {
  const progress = followProgress(slack);
  const outage = followOutage(slack, breakages, progress);
  const definitions = [
    askingMission(progress, command),
    alertMission(progress, attacks),
    ...attackMissions(progress, attacks, command),
    ...serviceMissions(progress, outage),
  ];
  const done = new Set<string>();
  return {
    list: (): readonly Mission[] =>
      definitions.map(({ isDone: _, example, goTo, ...mission }) => ({
        ...mission,
        example: example?.(),
        goTo: goTo?.(),
        done: done.has(mission.id),
      })),
    /** What the missions have shown. */
    facts: (): EndingFacts => factsOf(progress, attacks),
    /** Checks off what has been done. */
    update(): void {
      outage.update();
      for (const { id, isDone } of definitions) if (!done.has(id) && isDone()) done.add(id);
    },
  };
}

const askingMission = (progress: Progress, command: string): Definition => ({
  id: 'ask',
  title: 'Ask if this is normal',
  hint: 'In any channel, or by mentioning the bot.',
  example: () => `${command} check`,
  isDone: () => progress.questions().some(({ ts }) => progress.answeredAfter(ts)),
});

const postsOf = (progress: Progress, kind: 'digest' | 'watch') =>
  progress.botMessages().filter((message) => idOf(message).startsWith(`${kind}/`));

const alertMission = (progress: Progress, attacks: Attacks): Definition => ({
  id: 'get-alert',
  title: 'Get an alert',
  hint: 'Start a strong attack below, skip 15 minutes, and check #oncall.',
  isDone() {
    const startedMs = attacks.everStartedMs();
    return startedMs !== undefined && postsOf(progress, 'watch').some((one) => lastChange(one) * 1000 > startedMs);
  },
});

const WHO = /\bwho\b/i;

/** What somebody on call does about an alert. */
function attackMissions(progress: Progress, attacks: Attacks, command: string): readonly Definition[] {
  const hasAsked = (words: RegExp) => () => {
    const startedMs = attacks.everStartedMs() ?? Number.POSITIVE_INFINITY;
    return [...progress.questions(), ...progress.presses()].some(
      ({ text, ts }) => ts * 1000 > startedMs && words.test(text) && progress.answeredAfter(ts),
    );
  };
  const toAlert = () => {
    const { alert } = factsOf(progress, attacks);
    return alert && { label: 'Go to the alert', place: progress.placeOf(alert), ts: alert.ts };
  };
  return [
    {
      id: 'who',
      title: 'Find out who it is',
      hint: 'Press “Who?” below the alert: one address, a whole botnet, or one of our own?',
      goTo: toAlert,
      isDone: hasAsked(WHO),
    },
    {
      id: 'host',
      title: 'See what gets through',
      hint: 'The alert names the host. How much of it is blocked there?',
      example: () => `${command} check on ${attacks.lastHost() ?? 'shop'}`,
      isDone: hasAsked(/^(?=.*\bcheck\b).*\bon \S/i),
    },
    {
      id: 'hand-over',
      title: 'Hand it over',
      hint: 'Acknowledge the alert, then assign it: everyone sees who is on it.',
      goTo: toAlert,
      isDone: hasAsked(/\bwatch (ack|assign)\b/i),
    },
  ];
}

function factsOf(progress: Progress, attacks: Attacks): EndingFacts {
  const attack = attacks.first();
  const sinceTs = (attack?.sinceMs ?? 0) / 1000;
  const whoTs = [...progress.questions(), ...progress.presses()].find(
    ({ text, ts }) => ts > sinceTs && WHO.test(text),
  )?.ts;
  return {
    attack,
    alert: postsOf(progress, 'watch').find(({ ts }) => Number(ts) > sinceTs),
    culprit: progress
      .botMessages()
      .find(({ ts, text }) => whoTs !== undefined && Number(ts) > whoTs && / sent /.test(text)),
  };
}

const serviceMissions = (progress: Progress, outage: Outage): readonly Definition[] => [
  {
    id: 'outage',
    title: 'Survive an outage',
    hint: 'Take the service down, ask, bring it back, ask again.',
    isDone: () => progress.questions().some(({ ts }) => ts > outage.overTs() && progress.answeredAfter(ts)),
  },
  {
    id: 'digest',
    title: 'Get a digest',
    hint: 'Fast-forward to the next one.',
    isDone: () => postsOf(progress, 'digest').length > 0,
  },
];

function followProgress(slack: LocalSlack): Progress {
  const { botUserId } = slack.workspace.app;
  // What happened before the page opened isn't the newcomer's doing.
  const sinceTs = Math.max(0, ...everything(slack).map(({ ts }) => Number(ts)));
  const deliveriesBefore = slack.deliveries.length;
  const isForBot = (text: string, channel: string) =>
    text.includes(`<@${botUserId}>`) || slack.channels().some(({ id, kind }) => id === channel && kind === 'im');
  const botMessages = () =>
    everything(slack).filter((message) => message.user === botUserId && lastChange(message) > sinceTs);
  return {
    botMessages,
    placeOf: ({ channel }) => slack.channels().find(({ id }) => id === channel)?.name ?? channel,
    answeredAfter: (ts) => botMessages().some((message) => lastChange(message) > ts),
    questions: () =>
      [
        ...slack.channels().flatMap(({ id }) => slack.typedCommands(id)),
        ...everything(slack).filter(({ via, text, channel }) => via === 'person' && isForBot(text, channel)),
      ]
        .map(({ text, ts }) => ({ text, ts: Number(ts) }))
        .filter(({ ts }) => ts > sinceTs),
    presses: () =>
      slack.deliveries.slice(deliveriesBefore).flatMap(({ envelope: { type, payload }, delivery }) => {
        const [action] = Array.isArray(payload.actions) ? payload.actions : [];
        const message = isObject(payload.container) ? String(payload.container.message_ts ?? '') : '';
        if (type !== 'interactive' || !delivery.acked || message === '' || !isObject(action)) return [];
        return [{ text: String(action.value ?? ''), message, ts: Number(action.action_ts) }];
      }),
  };
}

interface Outage {
  update(): void;
  /** When an outage ended during which the bot answered; `Infinity` until then. */
  overTs(): number;
}

function followOutage(slack: LocalSlack, breakages: Breakages, progress: Progress): Outage {
  let startedTs = Number.POSITIVE_INFINITY;
  let overTs = Number.POSITIVE_INFINITY;
  let isAnswered = false;
  return {
    update() {
      const nowTs = slack.now() / 1000;
      if (breakages.isOutage()) {
        startedTs = Math.min(startedTs, nowTs);
        isAnswered ||= progress.questions().some(({ ts }) => ts >= startedTs && progress.answeredAfter(ts));
      } else if (isAnswered) overTs = Math.min(overTs, nowTs);
      else startedTs = Number.POSITIVE_INFINITY;
    },
    overTs: () => overTs,
  };
}

/** Every message that anyone can see. */
function everything(slack: LocalSlack): readonly Message[] {
  return [...slack.channels().flatMap(({ id }) => slack.messages(id)), ...slack.ephemerals()];
}

/** When the message was posted or last edited, in seconds like a `ts`. */
function lastChange({ ts, edited, versions }: Message): number {
  return edited ? (versions.at(-1)?.atMs ?? 0) / 1000 : Number(ts);
}

/** The bot stores in each message what it was posted for. */
function idOf({ metadata }: Message): string {
  const payload = metadata?.event_payload;
  return isObject(payload) ? String(payload.id ?? '') : '';
}
