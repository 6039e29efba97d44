/** What digests and watches hear of a post, against the local Slack over loopback. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import type { Reply } from '../../../src/commands/index.ts';
import { createPostAndConfirm } from '../../../src/slack/posting/deliver-reply.ts';
import { createPictureMessages, createSendWithFallbacks } from '../../../src/slack/posting/picture-messages.ts';
import { createOutbox } from '../../../src/slack/posting/slack-outbox.ts';
import { createClients, createRetryOnRateLimit } from '../../../src/slack/transport/web-api.ts';
import type { Outbox } from '../../../src/subscriptions/delivery/outbox.ts';
import { createImpatientClock } from '../../support/impatient-clock.ts';
import { createRecordingLog } from '../../support/log.ts';

const CHANNEL = 'C0SECURITY';
let slack: LocalSlack;
let outbox: Outbox<Reply>;
let log: ReturnType<typeof createRecordingLog>;

beforeEach(async () => {
  const clock = createImpatientClock('2026-03-10T14:30:00Z');
  log = createRecordingLog();
  slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  const clients = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log });
  const retryOnRateLimit = createRetryOnRateLimit(clock, log);
  const postAndConfirm = createPostAndConfirm({ clients, retryOnRateLimit, clock, log });
  const sendWithFallbacks = createSendWithFallbacks(clock, log, () => {});
  const pictureMessages = createPictureMessages({
    clients,
    uploads: { uploadChart: async () => null, forget() {} },
    sendWithFallbacks,
    retryInBackground: retryOnRateLimit,
    clock,
    log,
  });
  outbox = createOutbox({ clients, postAndConfirm, sendWithFallbacks, pictureMessages, userName: async () => null });
});
afterEach(() => slack.stop());

const plain: Reply = { title: 'Digest', headline: ['all is well'] };
/** No rendering can read it. */
const broken: Reply = Object.defineProperty({ ...plain }, 'title', {
  get: () => {
    throw new Error('a bug of ours');
  },
});
/** The log writes the stack of such an error. */
const bugs = () => log.lines.filter(({ level, detail }) => level === 'error' && 'err' in detail);

describe('a renderer that throws', () => {
  it('is never a post in doubt: nothing was sent', async () => {
    await expect(outbox.send(CHANNEL, broken, 'run-1')).rejects.toThrow('a bug of ours');
    await expect(outbox.edit(CHANNEL, '1.0', broken)).rejects.toThrow('a bug of ours');
    expect(slack.calls('chat.postMessage')).toEqual([]);
  });

  it('costs only the renderings it is in', async () => {
    const chart = { kind: 'unheard of' } as unknown as NonNullable<Reply['chart']>;
    expect(await outbox.send(CHANNEL, { ...plain, chart }, 'run-1')).toMatchObject({ is: 'sent' });
    expect(slack.messages(CHANNEL).map(({ text }) => text)).toEqual(['*Digest*\nall is well']);
    expect(bugs()).toHaveLength(2);
  });
});

describe('what Slack’s client reports', () => {
  it.each([
    ['a cut connection', { kind: 'cut' }, { is: 'ambiguous' }],
    ['a broken answer', { kind: 'body', body: '<html>' }, { is: 'ambiguous' }],
    ['a fault of its own', { kind: 'error', error: 'internal_error' }, { is: 'ambiguous' }],
    ['a limit', { kind: 'rate_limited', retryAfterSeconds: 60 }, { is: 'retryable', retryAfterMs: 60_000 }],
    ['an endless limit', { kind: 'rate_limited', retryAfterSeconds: 99_999_999_999 }, { retryAfterMs: 300_000 }],
    ['a refusal', { kind: 'error', error: 'no_text' }, { is: 'refused', reason: 'no_text' }],
    ['an archived channel', { kind: 'error', error: 'is_archived' }, { is: 'permanent' }],
  ] as const)('%s', async (_what, fault, result) => {
    slack.faults.inject('chat.postMessage', fault);
    expect(await outbox.send(CHANNEL, plain, 'run-1')).toMatchObject(result);
  });
});
