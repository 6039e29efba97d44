/** Six small missions. Each checks itself off when it has been done in the workspace. */
import type { Mission } from '../page/index.ts';
import type { LocalSlack, Message } from '../slack/index.ts';
import { isObject } from '../slack/json.ts';
import type { Attacks } from './attacks.ts';
import type { Breakages } from './breakages.ts';

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
  answeredAfter(ts: number): boolean;
}

interface Definition extends Omit<Mission, 'done'> {
  readonly isDone: () => boolean;
}

export function createMissions({ slack, attacks, breakages, command }: Deps) {
  const progress = followProgress(slack);
  const outage = followOutage(slack, breakages, progress);
  const definitions = [...askingMissions(progress, command), ...eventMissions(progress, attacks, outage)];
  const done = new Set<string>();
  return {
    list: (): readonly Mission[] =>
      definitions.map(({ isDone: _, ...mission }) => ({ ...mission, done: done.has(mission.id) })),
    /** Checks off what has been done. */
    update(): void {
      outage.update();
      for (const { id, isDone } of definitions) if (!done.has(id) && isDone()) done.add(id);
    },
  };
}

const askingMissions = (progress: Progress, command: string): readonly Definition[] => [
  {
    id: 'ask',
    title: 'Ask if this is normal',
    hint: 'In any channel, or by mentioning the bot.',
    example: `${command} check`,
    isDone: () => progress.questions().some(({ ts }) => progress.answeredAfter(ts)),
  },
  {
    id: 'drill-down',
    title: 'Drill down',
    hint: 'Press a button below an answer. It continues in the thread.',
    isDone: () =>
      progress
        .presses()
        .some(({ message, ts }) =>
          progress
            .botMessages()
            .some((one) => (one.threadTs === message || one.ts === message) && lastChange(one) > ts),
        ),
  },
  {
    id: 'compare',
    title: 'Compare two days',
    hint: 'What’s new, and what grew?',
    example: `${command} compare today vs yesterday`,
    isDone: () =>
      [...progress.questions(), ...progress.presses()].some(
        ({ text, ts }) => /\b(compare|diff|vs)\b/i.test(text) && progress.answeredAfter(ts),
      ),
  },
];

function eventMissions(progress: Progress, attacks: Attacks, outage: Outage): readonly Definition[] {
  const posted = (kind: 'digest' | 'watch') =>
    progress.botMessages().filter((message) => idOf(message).startsWith(`${kind}/`));
  return [
    {
      id: 'get-alert',
      title: 'Get an alert',
      hint: 'Start a strong attack below, skip 15 minutes, and check #oncall.',
      isDone() {
        const startedMs = attacks.everStartedMs();
        return startedMs !== undefined && posted('watch').some((one) => lastChange(one) * 1000 > startedMs);
      },
    },
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
      isDone: () => posted('digest').length > 0,
    },
  ];
}

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
