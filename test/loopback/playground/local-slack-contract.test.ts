/** The local Slack keeps the contract that the simulation's model of Slack keeps. */
import { afterEach, describe } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { createClients } from '../../../src/slack/transport/web-api.ts';
import { type SlackFault, slackContract } from '../../contract/slack.contract.ts';
import { createImpatientClock } from '../../support/impatient-clock.ts';
import { createRecordingLog } from '../../support/log.ts';

const FAULTS = {
  'rate limit': { kind: 'rate_limited', retryAfterSeconds: 1 },
  'server error': { kind: 'status', status: 502, afterEffect: true },
  'request lost': { kind: 'cut' },
  'answer lost': { kind: 'response_lost' },
} as const satisfies Record<SlackFault, unknown>;

describe('the local Slack', () => {
  let slack: LocalSlack;
  afterEach(() => slack.stop());

  slackContract(async () => {
    const clock = createImpatientClock('2026-03-10T14:30:00Z');
    // Nobody acknowledges the command, which is not what this is about.
    slack = await startLocalSlack({ mode: 'socket', now: () => clock.now().epochMilliseconds, ackTimeoutMs: 1 });
    const log = createRecordingLog();
    return {
      clients: createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log }),
      channel: 'C0GENERAL1',
      user: 'U0DIEGO001',
      now: clock.now,
      meet: (method, fault) => void slack.faults.inject(method, FAULTS[fault]),
      async typeCommand() {
        const { triggerId = '', responseUrl = '' } = await slack.command({ channel: 'C0GENERAL1' });
        return { triggerId, responseUrl };
      },
    };
  });
});
