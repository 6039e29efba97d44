/** What a newcomer can break: faults of the local service and of the local Slack, some until mended, some once. */
import type { StatisticsService } from '../service/server.ts';
import type { LocalSlack } from '../slack/index.ts';

interface Breakage {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** Breaks it; returns what mends it, or nothing for a fault that happens once. */
  readonly inflict: () => (() => void) | undefined;
  /** For a fault that happens once: what to say about it. */
  readonly said?: string;
  /** Whether questions to the service fail while it lasts. */
  readonly isOutage?: boolean;
}

const SLOW_MS = 4_000;
const RATE_LIMITED_POSTS = 2;

export function createBreakages(service: StatisticsService, slack: LocalSlack) {
  const list: readonly Breakage[] = [
    {
      id: 'service-down',
      label: 'Service down',
      hint: 'every question is answered with an error',
      isOutage: true,
      inflict: () => service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: ['timeline', 'distribution'] }),
    },
    {
      id: 'service-slow',
      label: 'Service slow',
      hint: 'every answer takes four seconds longer',
      inflict: () => service.misbehave({ kind: 'slow', ms: SLOW_MS }),
    },
    {
      id: 'service-throttled',
      label: 'Service throttled',
      hint: 'too many requests, come back later',
      isOutage: true,
      inflict: () => service.misbehave({ kind: 'refuse', code: 'APIG.0308' }, { on: ['timeline', 'distribution'] }),
    },
    {
      id: 'token-revoked',
      label: 'Revoke the token',
      hint: 'the next question finds it refused and gets another',
      said: 'The token is revoked. Ask something and watch the calls below.',
      inflict() {
        service.revokeTokens();
        return undefined;
      },
    },
    {
      id: 'slack-limited',
      label: 'Rate limit Slack',
      hint: 'the next two posts are told to wait a second',
      said: 'The next two posts to Slack will be told to wait.',
      inflict() {
        const fault = { kind: 'rate_limited', retryAfterSeconds: 1 } as const;
        slack.faults.inject('chat.postMessage', fault, { times: RATE_LIMITED_POSTS });
        return undefined;
      },
    },
    {
      id: 'socket-dropped',
      label: 'Drop the socket',
      hint: 'the connection to Slack is cut; the bot makes a new one',
      said: 'The connection is cut. The bot is connecting again.',
      inflict() {
        slack.sockets.drop();
        return undefined;
      },
    },
    {
      id: 'answer-lost',
      label: 'Lose an answer',
      hint: 'the next post arrives, but Slack’s answer does not',
      said: 'The next post will arrive without an answer: it must not be posted twice.',
      inflict() {
        slack.faults.inject('chat.postMessage', { kind: 'answer_lost' });
        return undefined;
      },
    },
  ];
  const mends = new Map<string, () => void>();
  return {
    list: () => list.map(({ id, label, hint, said }) => ({ id, label, hint, once: said !== undefined })),
    isOn: (id: string) => mends.has(id),
    isOutage: () => list.some(({ id, isOutage }) => isOutage === true && mends.has(id)),
    /** Breaks it, or mends what is broken. `undefined` if there is no such thing. */
    toggle(id: string): string | undefined {
      const breakage = list.find((one) => one.id === id);
      if (breakage === undefined) return undefined;
      const mend = mends.get(id);
      if (mend !== undefined) {
        mend();
        mends.delete(id);
        return `${breakage.label}: mended.`;
      }
      const mendLater = breakage.inflict();
      if (mendLater !== undefined) mends.set(id, mendLater);
      return breakage.said ?? `${breakage.label}: ${breakage.hint}.`;
    },
  };
}

export type Breakages = ReturnType<typeof createBreakages>;
