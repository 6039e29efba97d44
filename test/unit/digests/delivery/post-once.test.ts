import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPace } from '../../../../src/digests/delivery/pace.ts';
import { createPostOnce } from '../../../../src/digests/delivery/post-once.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { createFakeOutbox, type Fault } from '../../../support/channel.ts';
import { createManualClock, type ManualClock, settle } from '../../../support/clock.ts';
import { createRecordingLog } from '../../../support/log.ts';

let clock: ManualClock;
let store: Store;
let slack: ReturnType<typeof createFakeOutbox<string>>;
let poster: ReturnType<typeof createPostOnce<string>>;

beforeEach(async () => {
  clock = createManualClock();
  const log = createRecordingLog();
  store = await openStore('memory:', { log, now: clock.now });
  slack = createFakeOutbox(clock.now);
  poster = createPostOnce({ records: store, outbox: slack.outbox, pace: createPace({ clock }), clock, log });
});
afterEach(() => store.close());

const post = async () => {
  const result = poster.post('C1', 'episode-1', 'a surge');
  await clock.advance(2_000);
  return result;
};

describe('a message posted once', () => {
  it('is posted, and known from then on', async () => {
    expect(await post()).toEqual({ is: 'sent', ts: '1.0' });
    expect(await post()).toEqual({ is: 'sent', ts: '1.0' });
    expect(slack.posted).toHaveLength(1);
  });

  it.each(['lost-answer', 'throws-after-posting', 'lost-post'] satisfies Fault[])('survives %s', async (fault) => {
    slack.faults.push(fault);
    expect(await post()).toMatchObject({ is: 'later' });
    expect(await post()).toMatchObject({ is: 'later', retryAfterMs: expect.any(Number) });
    await clock.advance(3_000);
    expect(await post()).toMatchObject({ is: 'sent' });
    expect(slack.posted).toHaveLength(1);
  });

  it.each(['hangs', 'hangs-after-posting'] satisfies Fault[])('survives a crash while it %s', async (fault) => {
    slack.faults.push(fault);
    void poster.post('C1', 'episode-1', 'a surge');
    await settle();
    await clock.advance(10_000);
    expect(await post()).toMatchObject({ is: 'sent' });
    expect(slack.posted).toHaveLength(1);
  });

  it('is not posted blindly while the history does not answer', async () => {
    slack.faults.push('lost-answer');
    await post();
    await clock.advance(3_000);
    slack.failFinds(1);
    expect(await post()).toMatchObject({ is: 'later' });
    expect(slack.posted).toHaveLength(1);
    expect(await post()).toMatchObject({ is: 'sent' });
    expect(slack.posted).toHaveLength(1);
  });

  it('says what cannot be helped, and waits when asked to', async () => {
    slack.faults.push({ permanent: 'channel_archived' }, 'refused', { limited: 1_000 });
    expect(await post()).toEqual({ is: 'permanent', reason: 'channel_archived' });
    expect(await post()).toEqual({ is: 'refused', reason: 'msg_too_long' });
    expect(await post()).toEqual({ is: 'later', retryAfterMs: 1_000 });
    expect(await post()).toMatchObject({ is: 'sent' });
    expect(slack.finds()).toBe(0);
  });

  it('can be forgotten', async () => {
    await post();
    await poster.forget('episode-1');
    expect(await store.spaces()).toEqual([]);
  });
});
