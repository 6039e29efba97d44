import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { createUserProfiles, PROFILE_LIMIT_MS, type UserProfiles } from '../../../src/slack/middleware.ts';
import { createClients } from '../../../src/slack/transport/web-api.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
let slack: LocalSlack;
let clock: ImpatientClock;
let userZone: UserProfiles['zone'];

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  const clients = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log: QUIET });
  userZone = createUserProfiles(clients, clock, QUIET).zone;
});
afterEach(() => slack.stop());

it('is read from the profile once an hour, and taken as it was meanwhile', async () => {
  expect(await userZone('U0MAYA0001')).toBe('Europe/Stockholm');
  expect(await Promise.all([userZone('U0MAYA0001'), userZone('U0NOZONE01')])).toEqual(['Europe/Stockholm', null]);
  expect(slack.calls('users.info')).toHaveLength(2);
  clock.set('2026-03-10T15:31:00Z');
  const gate = slack.faults.hold('users.info');
  expect(await userZone('U0MAYA0001')).toBe('Europe/Stockholm');
  await gate.reached;
  gate.release();
  expect(slack.calls('users.info')).toHaveLength(3);
});

it('outlives the process', async () => {
  const renewed = Promise.withResolvers<string>();
  const storedZones = {
    get: async () => 'Asia/Tokyo',
    set: async (_: string, zone: string) => renewed.resolve(zone),
  };
  const clients = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log: QUIET });
  const { zone } = createUserProfiles(clients, clock, QUIET, storedZones);
  const gate = slack.faults.hold('users.info');
  expect(await zone('U0MAYA0001')).toBe('Asia/Tokyo');
  gate.release();
  expect(await renewed.promise).toBe('Europe/Stockholm');
});

it('is unknown when Slack refuses to tell, and asked for again', async () => {
  slack.faults.inject('users.info', { kind: 'error', error: 'missing_scope' });
  expect(await userZone('U0MAYA0001')).toBeNull();
  expect(await userZone('U0MAYA0001')).toBe('Europe/Stockholm');
});

it('is the last one known while Slack does not answer, and none if there was none', async () => {
  await userZone('U0MAYA0001');
  clock.set('2026-03-10T15:31:00Z');
  const gate = slack.faults.hold('users.info', { times: Number.POSITIVE_INFINITY });
  const zones = Promise.all([userZone('U0MAYA0001'), userZone('U0DIEGO001')]);
  await gate.reached;
  clock.end(PROFILE_LIMIT_MS);
  expect(await zones).toEqual(['Europe/Stockholm', null]);
});
