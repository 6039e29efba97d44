import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../src/subscriptions/subscription.ts';
import { createDigestWorld, type DigestWorld } from '../../support/digest-world.ts';

const HOUR = 3_600_000;
let world: DigestWorld;
beforeEach(async () => {
  // As in production.
  world = await createDigestWorld({ reconcileEveryMs: 20_000 });
});
afterEach(() => world.close());

describe('the service', () => {
  it('shows the next run and the last outcome', async () => {
    const digest = await world.make('every 4 hours');
    await world.clock.advance(5 * HOUR);
    expect((await world.scheduler.nextRunAt(jobIdOf(digest)))?.toString()).toBe('2027-01-04T08:00:00Z');
    const [view] = await world.service.listChannel('C1');
    expect(view?.lastRun).toMatchObject({ key: '2027-01-04T04:00', outcome: 'sent' });
    expect(await world.service.listOwner('U1')).toHaveLength(1);
  });

  it('pauses and resumes; the pause itself is not told', async () => {
    const { channel, id } = await world.make('every 4 hours');
    await world.clock.advance(5 * HOUR);
    await world.service.pause(channel, id, 'U2');
    await world.clock.advance(10 * HOUR);
    expect(world.slack.posted).toHaveLength(1);
    expect(world.told).toEqual([]);
    await world.service.resume(channel, id);
    await world.clock.advance(2 * HOUR);
    expect(world.windows().at(-1)).toBe('digest 2027-01-04T11:57:00Z – 2027-01-04T15:57:00Z');
  });

  it('resumed within the same period still leaves no gap', async () => {
    const { channel, id } = await world.make('every 4 hours');
    await world.clock.advance(5 * HOUR);
    await world.service.pause(channel, id, 'U2');
    await world.service.resume(channel, id);
    await world.clock.advance(4 * HOUR);
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z',
    ]);
  });

  it('removes without a trace', async () => {
    const { channel, id } = await world.make('every 4 hours');
    await world.clock.advance(5 * HOUR);
    await world.service.remove(channel, id);
    await world.clock.advance(10 * HOUR);
    expect(world.slack.posted).toHaveLength(1);
    expect(await world.store.spaces()).toEqual([]);
  });

  it('knows nothing of what is not there', async () => {
    const missing = { code: 'not_found' };
    await expect(world.service.pause('C1', 'nosuch', 'U1')).rejects.toMatchObject(missing);
    await expect(world.service.resume('C1', 'nosuch')).rejects.toMatchObject(missing);
    await expect(world.service.remove('C1', 'nosuch')).rejects.toMatchObject(missing);
  });

  it('brings what was missed also when the scheduler has forgotten everything', async () => {
    await world.make('every 4 hours');
    await world.clock.advance(5 * HOUR);
    await world.scheduler.stop();
    world.clock.leap(4 * HOUR);
    await world.store.space('jobs').clear();
    const { scheduler } = await world.boot('second');
    await world.clock.advance(HOUR / 2);
    await scheduler.stop();
    expect(world.windows()).toEqual([
      'digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z',
    ]);
  });

  it('brings by itself, within a minute and once, what was taken and never done', async () => {
    world.loseRuns(1);
    await world.make('daily at 4');
    await world.clock.advance(4 * HOUR + 60_000);
    expect(world.windows()).toEqual(['digest 2027-01-03T03:57:00Z – 2027-01-04T03:57:00Z']);
    await world.clock.advance(HOUR);
    expect(world.slack.posted).toHaveLength(1);
  });

  it('makes one, and only one, when the scheduler fails and people ask again', async () => {
    world.breakScheduler(true);
    const made = await world.make('every 4 hours');
    expect(await world.make('every 4 hours')).toEqual(made);
    expect(await world.service.listChannel('C1')).toHaveLength(1);
    world.breakScheduler(false);
    await world.clock.advance(5 * HOUR);
    expect(world.windows()).toEqual(['digest 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z']);
  });

  it('pauses and removes also while the scheduler fails', async () => {
    const paused = await world.make('every 4 hours');
    const removed = await world.make('every 4 hours', 'C2');
    world.breakScheduler(true);
    await world.service.pause('C1', paused.id, 'U2');
    await world.service.remove('C2', removed.id);
    await world.clock.advance(5 * HOUR);
    expect(world.slack.posted).toEqual([]);
    expect(await world.service.listChannel('C2')).toEqual([]);
    world.breakScheduler(false);
    await world.service.resume('C1', paused.id);
    await world.clock.advance(4 * HOUR);
    expect(world.windows()).toEqual(['digest 2027-01-04T03:57:00Z – 2027-01-04T07:57:00Z']);
  });

  it('resumed while it runs skips nothing', async () => {
    const { channel, id } = await world.make('every 4 hours');
    world.statistics.broken = true;
    await world.clock.advance(5 * HOUR);
    world.statistics.broken = false;
    await world.service.resume(channel, id);
    await world.clock.advance(4 * HOUR);
    expect(world.windows()).toEqual([
      'sorry 2027-01-03T23:57:00Z – 2027-01-04T03:57:00Z',
      'digest 2027-01-03T23:57:00Z – 2027-01-04T07:57:00Z',
    ]);
  });

  it.each<[string, (digest: object) => object]>([
    ['timing', (digest: object) => ({ ...digest, timing: { schedule: { kind: 'weekly', zone: 'UTC' } } })],
    ['timing at all', (digest: object) => ({ ...digest, timing: undefined })],
  ])('a record without a usable %s costs only itself', async (_, spoil) => {
    const spoilt = await world.make('every 4 hours');
    await world.make('every 4 hours', 'C2');
    await world.scheduler.stop();
    await world.store.update<readonly object[]>('digests', 'C1', (page) => page?.map(spoil));
    const { scheduler, service } = await world.boot('second');
    await world.clock.advance(5 * HOUR);
    await scheduler.stop();
    expect(world.slack.posted.map(({ channel }) => channel)).toEqual(['C2']);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { detail: { job: jobIdOf(spoilt), reason: 'its stored schedule is invalid' } },
    ]);
    expect(await service.unschedulable()).toMatchObject([{ subscription: { id: spoilt.id } }]);
  });

  it('a record of runs that cannot be read costs only its digest', async () => {
    const spoilt = await world.make('every 4 hours');
    await world.make('every 4 hours', 'C2');
    await world.scheduler.stop();
    await world.store.update<object>('ledgers', jobIdOf(spoilt), (log) => ({ ...log, coveredTo: 'yesterday' }));
    const { scheduler, service } = await world.boot('second');
    await world.clock.advance(5 * HOUR);
    await scheduler.stop();
    expect(world.slack.posted.map(({ channel }) => channel)).toEqual(['C2']);
    expect(await service.unschedulable()).toMatchObject([{ reason: 'its delivery log is unreadable' }]);
  });

  it('puts right at the start what a crash left undone', async () => {
    const lost = await world.make('every 4 hours');
    const gone = await world.make('every 4 hours', 'C2');
    await world.scheduler.remove(`digest/C1/${lost.id}`);
    await world.repository.remove('C2', gone.id);
    await world.scheduler.stop();
    const { scheduler } = await world.boot('second');
    await world.clock.advance(5 * HOUR);
    await scheduler.stop();
    expect(world.slack.posted.map(({ channel }) => channel)).toEqual(['C1']);
  });
});
