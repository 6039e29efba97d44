/** What a newcomer can break: faults of the local service and the local Slack. Some last until fixed, some happen once. */
import { STATISTICS_CALLS } from '../service/faults.ts';
import type { StatisticsService } from '../service/server.ts';
import type { LocalSlack } from '../slack/index.ts';

interface Breakage {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
}

/** Lasts until it's switched off. */
interface LastingBreakage extends Breakage {
  /** Whether queries to the service fail while it lasts. */
  readonly isOutage: boolean;
  /** Returns what fixes it. */
  readonly start: () => () => void;
}

interface OneTimeBreakage extends Breakage {
  readonly notice: string;
  readonly inflict: () => void;
}

const SLOW_MS = 4_000;
const RATE_LIMITED_POSTS = 2;

const lastingBreakages = (service: StatisticsService): readonly LastingBreakage[] => [
  {
    id: 'service-down',
    label: 'Service down',
    hint: 'every query fails',
    isOutage: true,
    start: () => service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: STATISTICS_CALLS }),
  },
  {
    id: 'service-slow',
    label: 'Service slow',
    hint: 'every response takes four seconds longer',
    isOutage: false,
    start: () => service.misbehave({ kind: 'slow', ms: SLOW_MS }),
  },
  {
    id: 'service-throttled',
    label: 'Service throttled',
    hint: 'too many requests, try again later',
    isOutage: true,
    start: () => service.misbehave({ kind: 'refuse', code: 'APIG.0308' }, { on: STATISTICS_CALLS }),
  },
];

const oneTimeBreakages = (service: StatisticsService, slack: LocalSlack): readonly OneTimeBreakage[] => [
  {
    id: 'token-revoked',
    label: 'Revoke the token',
    hint: 'the next query is rejected, and the bot gets a new token',
    notice: 'Token revoked. Ask something and watch the calls below.',
    inflict: () => service.revokeTokens(),
  },
  {
    id: 'slack-limited',
    label: 'Rate-limit Slack',
    hint: 'Slack delays the next two posts by a second',
    notice: 'Slack will delay the next two posts.',
    inflict() {
      const fault = { kind: 'rate_limited', retryAfterSeconds: 1 } as const;
      slack.faults.inject('chat.postMessage', fault, { times: RATE_LIMITED_POSTS });
    },
  },
  {
    id: 'socket-dropped',
    label: 'Disconnect Slack',
    hint: 'the connection to Slack drops, and the bot reconnects',
    notice: 'Disconnected. The bot is reconnecting.',
    inflict: () => slack.sockets.drop(),
  },
  {
    id: 'response-lost',
    label: 'Lose a response',
    hint: 'the next post arrives, but Slack’s response doesn’t',
    notice: 'The next post will arrive, but the bot won’t know. It must not post twice.',
    inflict: () => void slack.faults.inject('chat.postMessage', { kind: 'response_lost' }),
  },
];

export function createBreakages(service: StatisticsService, slack: LocalSlack) {
  const lasting = lastingBreakages(service);
  const oneTime = oneTimeBreakages(service, slack);
  const fixes = new Map<string, () => void>();
  return {
    lasting: () => lasting.map(({ id, label, hint }) => ({ id, label, hint, on: fixes.has(id) })),
    oneTime: () => oneTime.map(({ id, label, hint }) => ({ id, label, hint })),
    isOutage: () => lasting.some(({ id, isOutage }) => isOutage && fixes.has(id)),
    /** Breaks something, or fixes it if it's broken. Returns a notice; `undefined` if the id is unknown. */
    toggle(id: string): string | undefined {
      const once = oneTime.find((one) => one.id === id);
      once?.inflict();
      if (once !== undefined) return once.notice;
      const breakage = lasting.find((one) => one.id === id);
      if (breakage === undefined) return undefined;
      const fix = fixes.get(id);
      if (fix === undefined) {
        fixes.set(id, breakage.start());
        return `${breakage.label}: ${breakage.hint}.`;
      }
      fix();
      fixes.delete(id);
      return `${breakage.label}: fixed.`;
    },
  };
}

export type Breakages = ReturnType<typeof createBreakages>;
