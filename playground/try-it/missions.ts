/** Six small missions. Each ticks itself off when what it asks for was seen to happen in the workspace. */
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

interface Definition extends Omit<Mission, 'done'> {
  readonly isDone: () => boolean;
}

export function createMissions({ slack, attacks, breakages, command }: Deps) {
  const { botUserId } = slack.workspace.app;
  /** What happened before the page opened is not the newcomer's doing. */
  const sinceTs = Math.max(0, ...everything(slack).map(({ ts }) => Number(ts)));
  const seenDeliveries = slack.deliveries.length;
  const done = new Set<string>();
  /** The moments of an outage: begun, answered all the same, over. */
  const outage: { began?: number; answered?: boolean; over?: number } = {};

  const fresh = () => everything(slack).filter((message) => lastChange(message) > sinceTs);
  const byBot = (messages: readonly Message[]) => messages.filter(({ user }) => user === botUserId);
  const answeredAfter = (ts: number) => byBot(fresh()).some((message) => lastChange(message) > ts);
  const questions = () =>
    [
      ...slack.channels().flatMap(({ id }) => slack.typedCommands(id)),
      ...everything(slack).filter(({ via, text, channel }) => via === 'person' && isForBot(text, channel)),
    ].filter(({ ts }) => Number(ts) > sinceTs);
  const isForBot = (text: string, channel: string) =>
    text.includes(`<@${botUserId}>`) || slack.channels().some(({ id, kind }) => id === channel && kind === 'im');
  /** Buttons that were pressed below messages: the sentence of each, and the message. */
  const presses = () =>
    slack.deliveries.slice(seenDeliveries).flatMap(({ envelope: { type, payload }, delivery }) => {
      const [action] = Array.isArray(payload.actions) ? payload.actions : [];
      const message = isObject(payload.container) ? String(payload.container.message_ts ?? '') : '';
      if (type !== 'interactive' || !delivery.acked || message === '' || !isObject(action)) return [];
      return [{ sentence: String(action.value ?? ''), message, ts: Number(action.action_ts) }];
    });
  const postedBySubscription = (kind: 'digest' | 'watch') =>
    byBot(fresh()).filter((message) => idOf(message).startsWith(`${kind}/`));

  const definitions: readonly Definition[] = [
    {
      id: 'ask',
      title: 'Ask whether this is normal',
      hint: 'In any channel, or by mentioning the bot.',
      example: `${command} check`,
      isDone: () => questions().some(({ ts }) => answeredAfter(Number(ts))),
    },
    {
      id: 'drill-down',
      title: 'Drill down',
      hint: 'Press a button below an answer: it asks on, in the thread.',
      isDone: () =>
        presses().some(({ message, ts }) =>
          byBot(fresh()).some((one) => (one.threadTs === message || one.ts === message) && lastChange(one) > ts),
        ),
    },
    {
      id: 'compare',
      title: 'Compare two days',
      hint: 'What is new, and what grew?',
      example: `${command} compare today vs yesterday`,
      isDone: () =>
        [
          ...questions().map(({ text, ts }) => ({ text, ts: Number(ts) })),
          ...presses().map(({ sentence, ts }) => ({ text: sentence, ts })),
        ].some(({ text, ts }) => /\b(compare|diff|vs)\b/i.test(text) && answeredAfter(ts)),
    },
    {
      id: 'be-called',
      title: 'Be called by a watch',
      hint: 'Start a strong attack below, let 15 minutes pass, and look into #oncall.',
      isDone() {
        const startedMs = attacks.everStartedMs();
        return (
          startedMs !== undefined && postedBySubscription('watch').some((one) => lastChange(one) * 1000 > startedMs)
        );
      },
    },
    {
      id: 'outage',
      title: 'Survive an outage',
      hint: 'Break the service, ask, mend it, ask again.',
      isDone: () =>
        outage.over !== undefined &&
        questions().some(({ ts }) => Number(ts) > (outage.over ?? 0) && answeredAfter(Number(ts))),
    },
    {
      id: 'digest',
      title: 'Get a digest',
      hint: 'Move the clock to the next one.',
      isDone: () => postedBySubscription('digest').length > 0,
    },
  ];

  function followOutage(): void {
    const nowTs = slack.now() / 1000;
    if (breakages.isOutage()) {
      outage.began ??= nowTs;
      const { began } = outage;
      outage.answered ||= questions().some(({ ts }) => Number(ts) >= began && answeredAfter(Number(ts)));
    } else if (outage.answered) outage.over ??= nowTs;
    else delete outage.began;
  }

  return {
    list: (): readonly Mission[] =>
      definitions.map(({ isDone: _, ...mission }) => ({ ...mission, done: done.has(mission.id) })),
    /** Looks whether something more was done. */
    look(): void {
      followOutage();
      for (const { id, isDone } of definitions) if (!done.has(id) && isDone()) done.add(id);
    },
  };
}

/** Every message that anybody can see. */
function everything(slack: LocalSlack): readonly Message[] {
  return [...slack.channels().flatMap(({ id }) => slack.messages(id)), ...slack.ephemerals()];
}

/** In seconds, as in a `ts`: when the message was posted, or edited last. */
function lastChange({ ts, edited, versions }: Message): number {
  return edited ? (versions.at(-1)?.atMs ?? 0) / 1000 : Number(ts);
}

/** The bot writes into each message for what it was posted. */
function idOf({ metadata }: Message): string {
  const payload = metadata?.event_payload;
  return isObject(payload) ? String(payload.id ?? '') : '';
}
