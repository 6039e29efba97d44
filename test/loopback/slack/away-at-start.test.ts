/** A start while something else answers in Slack's place: the bot waits for Slack, and takes nobody's page for a refusal. */
import { afterEach, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

let world: World | undefined;
afterEach(() => world?.stop());

it.each([
  ['a page of a proxy', { kind: 'body', body: '<html>Sign in to the network</html>' }],
  ['an endless limit', { kind: 'rate_limited', retryAfterSeconds: '99999999999' }],
  ['a server error', { kind: 'status', status: 503 }],
] as const)('waits through %s and starts when Slack is back', async (_what, fault) => {
  world = await startWorld({ prepare: ({ faults }) => void faults.inject('auth.test', fault, { times: 3 }) });
  await world.slack.command({ text: 'hosts' });
  expect((await world.slack.nextMessage()).text).toMatch(/^Hosts: /);
});
