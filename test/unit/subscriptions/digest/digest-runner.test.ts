import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BotError } from '../../../../src/errors.ts';
import { createDeliveryLogs, createDeliveryRecord } from '../../../../src/subscriptions/digest/delivery-log.ts';
import { jobIdOf } from '../../../../src/subscriptions/subscription.ts';
import type { Fault } from '../../../support/channel.ts';
import { settle } from '../../../support/clock.ts';
import { count } from '../../../support/counts.ts';
import { createDigestWorld, type Digest, type DigestWorld } from '../../../support/digest-world.ts';
import { fc } from '../../../support/property.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const AT_FOUR = {
  due: { at: Temporal.Instant.from('2027-01-04T04:00:00Z'), key: '2027-01-04T04:00' },
  previousDueAt: Temporal.Instant.from('2027-01-03T04:00:00Z'),
  late: false,
  attempt: 1,
};
let world: DigestWorld;
beforeEach(async () => {
  world = await createDigestWorld();
});
afterEach(() => world.close());

describe('a digest', () => {
  it('comes at its time, covers the time since the one before, and is recorded', async () => {
    const subscription = await world.make('every 4 hours');
    await world.clock.advance(9 * HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z',
    ]);
    expect(world.slack.posted.map(({ at }) => at.toString())).toEqual(['2027-01-04T04:00:00Z', '2027-01-04T08:00:00Z']);
    expect(await world.service.history(subscription)).toMatchObject([
      { key: '2027-01-04T04:00', outcome: 'sent', late: false, ts: '1.0' },
      { key: '2027-01-04T08:00', outcome: 'sent', late: false, ts: '2.0' },
    ]);
    expect(world.slack.finds()).toBe(0);
  });

  it('keeps the last twenty runs', async () => {
    const subscription = await world.make('hourly');
    await world.clock.advance(25 * HOUR);
    const history = await world.service.history(subscription);
    expect(history).toHaveLength(20);
    expect(history.at(-1)?.key).toBe('2027-01-05T01:00');
  });

  it('comes once after an outage, marked late, for all of the gap', async () => {
    await world.make('every 4 hours');
    await world.clock.advance(4 * HOUR);
    await world.scheduler.stop();
    world.clock.leap(17 * HOUR);
    const { scheduler } = await world.boot('second');
    await world.clock.advance(3.5 * HOUR);
    await scheduler.stop();
    expect(world.slack.posted.slice(1).map(({ message }) => message)).toMatchObject([
      { text: 'digest', from: '2027-01-04T03:57:00Z', to: '2027-01-04T19:57:00Z', late: true },
      { text: 'digest', from: '2027-01-04T19:57:00Z', to: '2027-01-04T23:57:00Z', late: false },
    ]);
  });

  it('run by hand covers what has come up, and the next one goes on from there', async () => {
    const subscription = await world.make('every 4 hours');
    await world.clock.advance(5 * HOUR);
    expect(await world.service.runNow(subscription)).toBe('done');
    await world.clock.advance(3.5 * HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T04:57:00Z',
      'digest 2027-01-04T04:57:00Z – 2027-01-04T07:57:00Z',
    ]);
  });
});

describe('the time that a digest covers', () => {
  it('goes on where an earlier version ended, without gap or overlap, and then ends at settled minutes', async () => {
    const subscription = await world.make('every 4 hours');
    const dueAt = '2027-01-04T04:00:00Z';
    const stored = { coveredTo: dueAt, lastDue: dueAt, lastKey: '2027-01-04T04:00', runs: [] };
    await world.clock.advance(4 * HOUR);
    await world.store.update('ledgers', jobIdOf(subscription), () => stored);
    await world.clock.advance(8 * HOUR);
    expect(world.windows().slice(1)).toEqual([
      'digest 2027-01-04T04:00:00Z – 2027-01-04T07:57:00Z',
      'digest 2027-01-04T07:57:00Z – 2027-01-04T11:57:00Z',
    ]);
  });

  it('never moves back, also when a digest is requested right after one of an earlier version', async () => {
    const subscription = await world.make('every 4 hours');
    const dueAt = '2027-01-04T04:00:00Z';
    await world.clock.advance(4 * HOUR + MINUTE);
    await world.store.update('ledgers', jobIdOf(subscription), () => ({ coveredTo: dueAt, lastDue: dueAt, runs: [] }));
    await world.service.runNow(subscription);
    await world.clock.advance(4 * HOUR);
    expect(world.windows().slice(1)).toEqual([
      'digest 2027-01-04T03:57:00Z – 2027-01-04T03:58:00Z',
      'digest 2027-01-04T04:00:00Z – 2027-01-04T07:57:00Z',
    ]);
  });

  it('is the previous period again when nothing new has settled, and what comes late is left to the next one', async () => {
    const subscription = await world.make('every 4 hours');
    await world.clock.advance(4 * HOUR + 30_000);
    await world.service.runNow(subscription);
    await world.clock.advance(4 * HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z',
    ]);
    expect(world.slack.posted.map(({ message }) => message.tail?.requests)).toEqual([undefined, undefined, 1]);
  });

  it('starts anew after a pause, and nothing from before it is counted again', async () => {
    const { channel, id } = await world.make('every 4 hours');
    await world.clock.advance(4 * HOUR);
    await world.service.pause(channel, id, 'U1');
    await world.clock.advance(9 * HOUR);
    await world.service.resume(channel, id);
    await world.clock.advance(4 * HOUR);
    expect(world.slack.posted.at(-1)?.message).toMatchObject({ from: '2027-01-04T11:57:00Z', tail: null });
  });
});

describe('a clock that is set', () => {
  it('forwards by a day and back by an hour: no due time is told twice, and no time is left out', async () => {
    await world.make('hourly');
    await world.clock.advance(2.5 * HOUR);
    world.clock.set(24 * HOUR);
    await world.clock.advance(HOUR);
    world.clock.set(-HOUR);
    await world.clock.advance(3 * HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T00:57:00Z',
      'digest 2027-01-04T00:57:00Z – 2027-01-04T01:57:00Z',
      'digest 2027-01-04T01:57:00Z – 2027-01-05T01:57:00Z',
      'digest 2027-01-05T01:57:00Z – 2027-01-05T02:57:00Z',
      'digest 2027-01-05T02:57:00Z – 2027-01-05T03:57:00Z',
      'digest 2027-01-05T03:57:00Z – 2027-01-05T04:57:00Z',
    ]);
    // The one after the leap forwards says that it is late, as after an outage.
    expect(world.slack.posted.map(({ message }) => message.late)).toEqual([false, false, true, false, false, false]);
  });
});

describe('a storage that is full', () => {
  /** Reads go on, nothing can be written. Returns what makes room. */
  function fillStorage(): () => void {
    const refuse = () => Promise.reject(new BotError('storage', 'The storage is full.'));
    const spies = [
      vi.spyOn(world.store, 'update').mockImplementation(refuse),
      vi.spyOn(world.store.space('jobs'), 'set').mockImplementation(refuse),
    ];
    return () => {
      for (const spy of spies) spy.mockRestore();
    };
  }

  it('at a due time: nothing is posted that could not be recorded, and with room it comes once', async () => {
    await world.make('hourly');
    await world.clock.advance(1.5 * HOUR);
    const makeRoom = fillStorage();
    await world.clock.advance(HOUR);
    expect(world.slack.posted).toHaveLength(1);
    makeRoom();
    await world.clock.advance(HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T00:57:00Z',
      'digest 2027-01-04T00:57:00Z – 2027-01-04T01:57:00Z',
      'digest 2027-01-04T01:57:00Z – 2027-01-04T02:57:00Z',
    ]);
    expect(world.slack.posted.map(({ message }) => message.late)).toEqual([false, true, false]);
  });
});

describe('a lost answer', () => {
  it('of a message that was posted: it is found, not sent again', async () => {
    const subscription = await world.make('every 4 hours');
    world.slack.faults.push('lost-answer');
    await world.clock.advance(4 * HOUR + MINUTE);
    expect(world.slack.posted).toHaveLength(1);
    expect(world.slack.finds()).toBe(1);
    expect(await world.service.history(subscription)).toMatchObject([{ outcome: 'found', ts: '1.0' }]);
  });

  it('of a message that never arrived: it is looked for and sent again', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push('lost-post', 'lost-post');
    await world.clock.advance(4 * HOUR + MINUTE);
    expect(world.slack.posted).toHaveLength(1);
    expect(world.slack.finds()).toBe(2);
  });

  it('is never followed by a blind post while the history does not answer', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push('lost-answer');
    world.slack.failFinds(6);
    await world.clock.advance(4 * HOUR + 3 * MINUTE);
    expect(world.slack.posted).toHaveLength(1);
    await world.clock.advance(10 * MINUTE);
    expect(world.slack.posted).toHaveLength(1);
    expect(world.slack.finds()).toBe(7);
  });

  it('gives Slack a moment before it looks', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push('lost-answer');
    await world.clock.advance(4 * HOUR + 2_900);
    expect(world.slack.finds()).toBe(0);
    await world.clock.advance(200);
    expect(world.slack.finds()).toBe(1);
  });
});

describe('a crash', () => {
  it('after posting: the next process finds the message', async () => {
    const subscription = await world.make('every 4 hours');
    world.slack.faults.push('hangs-after-posting');
    await world.clock.advance(4 * HOUR);
    world.clock.leap(MINUTE);
    const { scheduler } = await world.boot('second');
    await world.clock.advance(MINUTE);
    await scheduler.stop();
    expect(world.slack.posted).toHaveLength(1);
    expect(await world.service.history(subscription)).toMatchObject([{ outcome: 'found' }]);
  });

  it('before the message arrived: the next process sends it, once', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push('hangs');
    await world.clock.advance(4 * HOUR);
    world.clock.leap(MINUTE);
    const { scheduler } = await world.boot('second');
    await world.clock.advance(MINUTE);
    await scheduler.stop();
    expect(world.slack.posted).toHaveLength(1);
    expect(world.slack.finds()).toBe(1);
  });

  it('found only when the next due time has come: both are settled without gap or overlap', async () => {
    const subscription = await world.make('every 4 hours');
    world.slack.faults.push('hangs-after-posting');
    await world.clock.advance(4 * HOUR);
    world.clock.leap(4 * HOUR);
    const { scheduler } = await world.boot('second');
    await world.clock.advance(MINUTE);
    await scheduler.stop();
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z',
    ]);
    expect(await world.service.history(subscription)).toMatchObject([
      { outcome: 'found' },
      { outcome: 'sent', late: true },
    ]);
  });

  it('that lost a message whose time has passed: the next one covers both', async () => {
    const subscription = await world.make('every 4 hours');
    world.slack.faults.push('hangs');
    await world.clock.advance(4 * HOUR);
    world.clock.leap(4 * HOUR);
    const { scheduler } = await world.boot('second');
    await world.clock.advance(MINUTE);
    await scheduler.stop();
    expect(world.windows()).toEqual(['digest 2027-01-03T23:57:00Z – 2027-01-04T07:57:00Z']);
    expect(await world.service.history(subscription)).toMatchObject([{ outcome: 'superseded' }, { outcome: 'sent' }]);
  });
});

describe('a failing service', () => {
  it('is asked again for a quarter of an hour and then said to fail, once', async () => {
    const subscription = await world.make('every 4 hours');
    world.statistics.broken = true;
    await world.clock.advance(4 * HOUR + 14 * MINUTE);
    expect(world.slack.posted).toHaveLength(0);
    await world.clock.advance(HOUR);
    expect(world.windows()).toEqual(['sorry 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z']);
    expect(await world.service.history(subscription)).toMatchObject([{ outcome: 'apologised', late: true }]);
    const asked = world.statistics.asked;
    expect(asked).toBeGreaterThan(3);
    expect(asked).toBeLessThan(15);
    world.statistics.broken = false;
    await world.clock.advance(3 * HOUR);
    expect(world.windows().at(-1)).toBe('digest 2027-01-03T23:57:00Z – 2027-01-04T07:57:00Z');
  });

  it('is said to fail also when the next digest comes before patience is over', async () => {
    await world.make('every 15 minutes');
    world.statistics.broken = true;
    await world.clock.advance(HOUR);
    expect(world.slack.posted.map(({ message }) => message.text)).toEqual(['sorry', 'sorry']);
    world.statistics.broken = false;
    await world.clock.advance(15 * MINUTE);
    expect(world.windows().at(-1)).toBe('digest 2027-01-03T23:57:00Z – 2027-01-04T01:12:00Z');
  });

  it.each([
    ['is busy', new BotError('upstream_unavailable', 'The service is busy.'), 15],
    ['refuses it for good', new BotError('upstream_auth', 'Not allowed.', { reason: { is: 'not_permitted' } }), 0],
  ])(
    'for one query, which %s: the rest is posted, and the next digest covers the time too',
    async (_, failure, waits) => {
      await world.make('every 4 hours');
      world.statistics.failure = failure;
      await world.clock.advance(4 * HOUR + waits * MINUTE - MINUTE);
      expect(world.slack.posted).toHaveLength(0);
      await world.clock.advance(3 * MINUTE);
      expect(world.windows()).toEqual(['part 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z']);
      world.statistics.failure = undefined;
      await world.clock.advance(4 * HOUR);
      expect(world.windows().at(-1)).toBe('digest 2027-01-03T23:57:00Z – 2027-01-04T07:57:00Z');
    },
  );

  it('before a pause is no reason to give up at once after it', async () => {
    const { channel, id } = await world.make('every 4 hours');
    world.statistics.broken = true;
    await world.clock.advance(4 * HOUR + MINUTE);
    await world.service.pause(channel, id, 'U1');
    await world.clock.advance(24 * HOUR);
    await world.service.resume(channel, id);
    await world.clock.advance(4 * HOUR);
    expect(world.slack.posted).toHaveLength(0);
    await world.clock.advance(15 * MINUTE);
    expect(world.slack.posted.map(({ message }) => message.text)).toEqual(['sorry']);
  });

  it('that recovers in time costs nothing but minutes', async () => {
    await world.make('every 4 hours');
    world.statistics.broken = true;
    await world.clock.advance(4 * HOUR + MINUTE);
    world.statistics.broken = false;
    await world.clock.advance(5 * MINUTE);
    expect(world.windows()).toEqual(['digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z']);
  });
});

describe('Slack', () => {
  it('asking for a rest gets it', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push({ limited: 30_000 });
    await world.clock.advance(4 * HOUR + 29_000);
    expect(world.slack.posted).toHaveLength(0);
    await world.clock.advance(2_000);
    expect(world.slack.posted).toHaveLength(1);
    expect(world.slack.finds()).toBe(0);
  });

  it('refusing the message gets a short one in its place', async () => {
    const subscription = await world.make('every 4 hours');
    world.slack.faults.push('refused');
    await world.clock.advance(4 * HOUR + MINUTE);
    expect(world.windows()).toEqual(['sorry 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z']);
    world.slack.faults.push('refused', 'refused');
    await world.clock.advance(4 * HOUR);
    expect(world.slack.posted).toHaveLength(1);
    expect((await world.service.history(subscription)).at(-1)).toMatchObject({
      outcome: 'failed',
      reason: 'msg_too_long',
    });
  });

  it('given something that cannot be made into a message gets a short one, and the log the reason', async () => {
    const subscription = await world.make('every 4 hours');
    world.slack.faults.push('throws');
    await world.clock.advance(5 * HOUR);
    expect(world.windows()).toEqual(['sorry 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z']);
    expect(world.slack.finds()).toBe(0);
    expect(world.statistics.asked).toBe(1);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { detail: { err: expect.any(TypeError) }, message: 'could not build a message' },
      { message: 'Slack refused a message' },
    ]);
    // Not even that one: then nothing is said, and that is recorded.
    world.slack.faults.push('throws', 'throws');
    await world.clock.advance(4 * HOUR);
    expect(world.slack.posted).toHaveLength(1);
    expect((await world.service.history(subscription)).at(-1)).toMatchObject({ outcome: 'failed', reason: 'internal' });
  });

  it('losing every answer is asked less and less often', async () => {
    await world.make('daily at 4');
    world.slack.faults.push(...Array.from({ length: 100 }, () => 'lost-post' as const));
    await world.clock.advance(4 * HOUR + 10 * MINUTE);
    expect(world.statistics.asked).toBeLessThan(10);
    world.slack.faults.length = 0;
    await world.clock.advance(5 * MINUTE);
    expect(world.slack.posted).toHaveLength(1);
  });

  it('having thrown the bot out: paused with the reason, the owner told once, shown in the list', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push({ permanent: 'bot_removed' });
    await world.clock.advance(24 * HOUR);
    expect(world.slack.posted).toHaveLength(0);
    expect(world.told).toEqual([{ owner: 'U1', reason: 'bot_removed' }]);
    const [view] = await world.service.listChannel('C1');
    expect(view).toMatchObject({
      subscription: { state: { is: 'paused', by: 'wafbot', reason: 'bot_removed', owner: 'told' } },
      lastRun: { outcome: 'failed', reason: 'bot_removed' },
    });
    const { scheduler, service } = await world.boot('second');
    await service.notifyOwners();
    await scheduler.stop();
    expect(world.told).toHaveLength(1);
  });

  it('not even taking the message to the owner: told later, once', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push({ permanent: 'token_revoked' });
    world.tellFaults.push(new Error('invalid_auth'));
    await world.clock.advance(5 * HOUR);
    expect(world.told).toEqual([]);
    await world.service.notifyOwners();
    await world.service.notifyOwners();
    expect(world.told).toEqual([{ owner: 'U1', reason: 'token_revoked' }]);
  });

  it('working again: what was paused for that reason goes on, and what was not told comes late, once', async () => {
    await world.make('every 4 hours');
    await world.clock.advance(4 * HOUR);
    world.slack.faults.push({ permanent: 'token_revoked' });
    await world.clock.advance(10 * HOUR);
    await world.service.resumeWhere((_, reason) => reason === 'token_revoked');
    await world.clock.advance(MINUTE);
    expect(world.slack.posted.at(-1)?.message).toMatchObject({
      from: '2027-01-04T03:57:00Z',
      to: '2027-01-04T11:57:00Z',
      late: true,
    });
    await world.clock.advance(3 * HOUR);
    expect(world.windows().slice(1)).toEqual([
      'digest 2027-01-04T03:57:00Z – 2027-01-04T11:57:00Z',
      'digest 2027-01-04T11:57:00Z – 2027-01-04T15:57:00Z',
    ]);
  });

  it('refusing the token while a message is in doubt: once it works again that is looked for, not posted twice', async () => {
    await world.make('every 4 hours');
    world.slack.faults.push('lost-answer');
    world.slack.findResults.push({ permanent: 'token_revoked' });
    await world.clock.advance(4 * HOUR + MINUTE);
    expect(await world.service.listChannel('C1')).toMatchObject([{ subscription: { state: { is: 'paused' } } }]);
    await world.service.resumeWhere((_, reason) => reason === 'token_revoked');
    await world.clock.advance(5 * HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z',
    ]);
  });

  it('resumed by a person instead: what was not told is skipped, also a message in doubt', async () => {
    const { channel, id } = await world.make('every 4 hours');
    world.slack.faults.push('lost-post');
    world.slack.findResults.push({ permanent: 'bot_removed' });
    await world.clock.advance(9 * HOUR);
    await world.service.resume(channel, id);
    await world.clock.advance(4 * HOUR);
    expect(world.windows()).toEqual(['digest 2027-01-04T07:57:00Z – 2027-01-04T11:57:00Z']);
  });
});

describe('two at once', () => {
  it('never post the same digest twice, whoever runs it', async () => {
    const subscription = await world.make('every 4 hours');
    const { scheduler, runner } = await world.boot('second');
    const due = { at: Temporal.Instant.from('2027-01-04T04:00:00Z'), key: '2027-01-04T04:00' };
    const context = { due, previousDueAt: Temporal.Instant.from('2027-01-04T00:00:00Z'), late: false, attempt: 1 };
    await world.clock.advanceTo(due.at);
    await Promise.all([
      runner.run(subscription, context),
      runner.run(subscription, context),
      world.clock.advance(MINUTE),
    ]);
    await scheduler.stop();
    expect(world.slack.posted).toHaveLength(1);
  });

  it('a due time that had its run is not composed again', async () => {
    const subscription = await world.make('daily at 4');
    await world.scheduler.stop();
    world.clock.leap(4 * HOUR);
    expect(await world.runner.run(subscription, AT_FOUR)).toBe('done');
    expect(await world.runner.run(subscription, { ...AT_FOUR, attempt: 2 })).toBe('done');
    expect(world.statistics.asked).toBe(1);
    expect(world.slack.posted).toHaveLength(1);
  });

  it('a process that has composed a digest gets no mark for it once another has posted it', async () => {
    const logs = createDeliveryLogs(world.store);
    const record = () =>
      createDeliveryRecord<Digest>({
        ...{ logs, now: world.clock.now, job: 'digest/C1/d1', context: AT_FOUR },
        apologise: () => ({ text: 'sorry', from: '', to: '', late: true }),
        pause: async () => {},
      });
    const window = { from: AT_FOUR.previousDueAt, to: AT_FOUR.due.at };
    const message = { text: 'digest', from: '', to: '', late: false };
    const composed = {
      runId: 'digest/C1/d1@2027-01-04T04:00',
      window,
      late: false,
      tail: null,
      message,
      apology: false,
    };
    const mark = (token: string) => ({ runId: composed.runId, sendingAt: world.clock.now(), token });
    const [first, second] = [record(), record()];
    expect(await first.markSending(composed, mark('first'), null)).toBe(true);
    expect(await second.markSending(composed, mark('second'), null)).toBe(false);
    await first.sent(composed, '1.0');
    expect(await second.markSending(composed, mark('second'), null)).toBe(false);
  });

  it('a process that froze past its lease sends nothing when it thaws', async () => {
    const subscription = await world.make('daily at 4');
    const other = await world.boot('other');
    await Promise.all([world.scheduler.stop(), other.scheduler.stop()]);
    const context = AT_FOUR;
    world.clock.leap(4 * HOUR);
    const gate = Promise.withResolvers<void>();
    world.statistics.gate = gate.promise;
    const frozen = world.runner.run(subscription, context);
    await settle();
    expect(await other.runner.run(subscription, context)).toEqual({ retryAfterMs: expect.any(Number) });
    // Frozen means that not even its lease is renewed.
    world.clock.leap(MINUTE);
    delete world.statistics.gate;
    expect(await other.runner.run(subscription, context)).toBe('done');
    gate.resolve();
    expect(await frozen).toEqual({ retryAfterMs: expect.any(Number) });
    expect(world.statistics.asked).toBe(2);
    expect(world.slack.posted).toHaveLength(1);
  });

  it('a process that froze before it began says that its digest is late', async () => {
    const subscription = await world.make('daily at 4');
    await world.scheduler.stop();
    // Whoever decided that it was in time did so before the pause.
    world.clock.leap(4 * HOUR + 9 * MINUTE);
    expect(await world.runner.run(subscription, AT_FOUR)).toBe('done');
    expect(world.slack.posted.map(({ message }) => message)).toMatchObject([{ text: 'digest', late: true }]);
    expect(await world.service.history(subscription)).toMatchObject([{ outcome: 'sent', late: true }]);
  });

  it('a process that fails after another has posted leaves the next digest its quarter of an hour', async () => {
    const subscription = await world.make('every 4 hours');
    const other = await world.boot('other');
    await Promise.all([world.scheduler.stop(), other.scheduler.stop()]);
    const contextAt = (hour: number) => ({
      due: { at: Temporal.Instant.from(`2027-01-04T0${hour}:00:00Z`), key: `2027-01-04T0${hour}:00` },
      previousDueAt: Temporal.Instant.from(`2027-01-04T0${hour - 4}:00:00Z`),
      late: false,
      attempt: 1,
    });
    world.clock.leap(4 * HOUR);
    const gate = Promise.withResolvers<void>();
    world.statistics.gate = gate.promise;
    const frozen = world.runner.run(subscription, contextAt(4));
    await settle();
    world.clock.leap(MINUTE);
    delete world.statistics.gate;
    expect(await other.runner.run(subscription, contextAt(4))).toBe('done');
    gate.reject(new BotError('upstream_timeout', 'The statistics took too long.'));
    expect(await frozen).toEqual({ retryAfterMs: expect.any(Number) });
    world.clock.leap(4 * HOUR);
    world.statistics.broken = true;
    expect(await other.runner.run(subscription, contextAt(8))).toEqual({ retryAfterMs: expect.any(Number) });
    expect(world.slack.posted).toHaveLength(1);
  });
});

it('leaves no gap and no overlap under any sequence of faults', async () => {
  const fault: fc.Arbitrary<Fault | 'none'> = fc.constantFrom<Array<Fault | 'none'>>(
    'none',
    'none',
    'lost-answer',
    'lost-post',
    'throws',
    { limited: 10_000 },
  ) as fc.Arbitrary<Fault | 'none'>;
  const action = fc.oneof(
    fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 600 }) }),
    fc.record({ do: fc.constant('outage' as const), minutes: fc.integer({ min: 1, max: 2_000 }) }),
    fc.record({ do: fc.constant('fault' as const), fault }),
    fc.record({ do: fc.constant('service' as const), broken: fc.boolean() }),
    fc.record({ do: fc.constant('now' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 20 }), async (actions) => {
      const own = await createDigestWorld();
      const subscription = await own.make('every 4 hours');
      await own.clock.advance(MINUTE);
      let current = own as {
        scheduler: DigestWorld['scheduler'];
        service: DigestWorld['service'];
      };
      for (const step of actions) {
        if (step.do === 'pass') await own.clock.advance(step.minutes * MINUTE);
        else if (step.do === 'fault' && step.fault !== 'none') own.slack.faults.push(step.fault);
        else if (step.do === 'service') own.statistics.broken = step.broken;
        else if (step.do === 'now')
          await Promise.all([current.service.runNow(subscription), own.clock.advance(5 * MINUTE)]);
        else if (step.do === 'outage') {
          // What is under way at the stop may still wait for its turn to post.
          await Promise.all([current.scheduler.stop(), own.clock.advance(5_000)]);
          own.clock.leap(step.minutes * MINUTE);
          current = await own.boot(`after-${step.minutes}`);
        }
      }
      own.statistics.broken = false;
      own.slack.faults.length = 0;
      await own.clock.advance(9 * HOUR);
      await current.scheduler.stop();
      await own.store.close();
      // One that is requested in the minute of another has nothing new, and repeats it.
      const told = own.slack.posted
        .map(({ message }) => message)
        .filter(({ text }) => text === 'digest')
        .filter(({ to }, index, all) => to !== all[index - 1]?.to);
      expect(told.length).toBeGreaterThan(0);
      expect(told[0]?.from).toBe('2027-01-03T23:57:00Z');
      for (const [index, message] of told.entries()) {
        if (index > 0) expect(message.from).toBe(told[index - 1]?.to);
        expect(message.tail?.to).toBe(index > 0 ? message.from : undefined);
      }
      const ids = own.slack.posted.map(({ runId }) => runId);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: count(60, 15, 30) },
  );
}, 60_000);
