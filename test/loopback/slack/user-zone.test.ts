import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { createClients } from '../../../src/slack/transport/clients.ts';
import { createUserZone, type UserZone } from '../../../src/slack/user-zone.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
let slack: LocalSlack;
let clock: ImpatientClock;
let userZone: UserZone;

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  userZone = createUserZone(
    createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log: QUIET }),
    clock,
    QUIET,
  );
});
afterEach(() => slack.stop());

it('is read from the profile once an hour', async () => {
  expect(await userZone('U0MAYA0001')).toBe('Europe/Stockholm');
  expect(await Promise.all([userZone('U0MAYA0001'), userZone('U0NOZONE01')])).toEqual(['Europe/Stockholm', null]);
  expect(slack.calls('users.info')).toHaveLength(2);
  clock.set('2026-03-10T15:31:00Z');
  await userZone('U0MAYA0001');
  expect(slack.calls('users.info')).toHaveLength(3);
});

it('is unknown when Slack refuses to tell, and asked for again', async () => {
  slack.faults.inject('users.info', { kind: 'error', error: 'missing_scope' });
  expect(await userZone('U0MAYA0001')).toBeNull();
  expect(await userZone('U0MAYA0001')).toBe('Europe/Stockholm');
});
