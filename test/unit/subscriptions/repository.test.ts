import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createSubscriptionRepository, type SubscriptionRepository } from '../../../src/subscriptions/repository.ts';
import { createManualClock } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';

const clock = createManualClock();
let store: Store;
let repository: SubscriptionRepository<unknown>;
beforeEach(async () => {
  store = await openStore('memory:', { log: createRecordingLog(), now: clock.now });
  repository = createSubscriptionRepository({ records: store, kind: 'digest', now: clock.now });
});
afterEach(() => store.close());

const wanted = (channel: string, owner = 'U1') => ({
  channel,
  owner,
  zone: 'UTC',
  hosts: ['shop'],
  timing: { everyMs: 3_600_000 },
});

describe('the repository', () => {
  it('keeps what was booked, active, with an id and a date', async () => {
    const made = await repository.create({ ...wanted('C1'), sentence: 'digest hourly on shop', details: { over: 5 } });
    expect(made).toMatchObject({
      kind: 'digest',
      createdAt: '2027-01-04T00:00:00Z',
      state: { is: 'active' },
      sentence: 'digest hourly on shop',
      details: { over: 5 },
    });
    expect(made.id).toMatch(/^[a-z2-9]{6}$/);
    expect(await repository.get('C1', made.id)).toEqual(made);
    expect(await repository.get('C2', made.id)).toBeUndefined();
  });

  it('lists by channel and by owner', async () => {
    const a = await repository.create(wanted('C1', 'U1'));
    const b = await repository.create(wanted('C1', 'U2'));
    const c = await repository.create(wanted('C2', 'U1'));
    expect(await repository.listByChannel('C1')).toEqual([a, b]);
    expect(await repository.listByChannel('C9')).toEqual([]);
    expect((await repository.listByOwner('U1')).map(({ id }) => id).sort()).toEqual([a.id, c.id].sort());
    expect(await Array.fromAsync(repository.all())).toHaveLength(3);
  });

  it('finds the own of a person without reading those of all, also what another replica or the version before made', async () => {
    const old = { ...(await repository.create(wanted('C1', 'U1'))), id: 'old234', owner: 'U3', channel: 'C3' };
    await store.space('digests').set('C3', [old]);
    let listings = 0;
    const list: Store['list'] = (name) => {
      listings += 1;
      return store.list(name);
    };
    const records = { ...store, list };
    const replica = createSubscriptionRepository({ records, kind: 'digest', now: clock.now });
    expect((await replica.listByOwner('U3')).map(({ id }) => id)).toEqual(['old234']);
    expect(listings).toBe(1);
    const made = await repository.create(wanted('C9', 'U3'));
    expect((await replica.listByOwner('U3')).map(({ id }) => id)).toEqual(['old234', made.id]);
    await repository.remove('C3', 'old234');
    expect(await replica.listByOwner('U3')).toEqual([made]);
    expect(await replica.listByOwner('U9')).toEqual([]);
    expect(listings).toBe(1);
  });

  it('skips damaged entries, keeps them where they are, and overwrites no damaged record', async () => {
    const made = await repository.create(wanted('C1'));
    const damaged = [null, {}, { ...made, id: 'nostat', state: null }, { ...made, id: 'other2', channel: 'C2' }];
    const { createdAt: _, ...undated } = made;
    const all = [...damaged, undated, made];
    await store.space('digests').set('C1', all);
    await store.space('digests').set('C2', { id: 'x' });
    expect(await repository.listByChannel('C1')).toEqual([made]);
    expect(await repository.listByChannel('C2')).toEqual([]);
    expect(await Array.fromAsync(repository.all())).toEqual([made]);
    const named = store.damaged.list().map(({ space, key }) => `${space} ${key}`);
    expect(named.sort()).toEqual(['digests C1', 'digests C2']);
    await repository.setState('C1', 'nostat', () => ({ is: 'active' }));
    await repository.remove('C1', made.id);
    expect(await store.space('digests').get('C1')).toEqual(all.slice(0, -1));
    await expect(repository.create(wanted('C2'))).rejects.toMatchObject({ code: 'storage' });
    expect(await store.space('digests').get('C2')).toEqual({ id: 'x' });
    await store.space('digests').set('C2', []);
    await repository.listByChannel('C2');
    expect(store.damaged.list()).toEqual([{ space: 'digests', key: 'C1' }]);
  });

  it('holds twenty a channel, also when they come all at once, and says so', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 25 }, (_, n) => repository.create(wanted('C1', `U${n}`))),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(repository.create(wanted('C1', 'U99'))).rejects.toMatchObject({
      code: 'limit',
      message: 'This channel already has 20 digests, the maximum.',
    });
    await repository.create(wanted('C2'));
  });

  it('takes the same wish of the same person within minutes for one, also when an answer was lost', async () => {
    const forgetful = {
      space: store.space,
      list: store.list,
      damaged: store.damaged,
      async update<V>(...change: Parameters<typeof store.update<V>>): Promise<V | undefined> {
        const stored = await store.update<V>(...change);
        if (change[0] === 'digests') throw new Error('the answer was lost');
        return stored;
      },
    };
    const failing = createSubscriptionRepository({ records: forgetful, kind: 'digest', now: clock.now });
    await expect(failing.create(wanted('C1'))).rejects.toThrow('lost');
    const [first] = await repository.listByChannel('C1');
    expect(await repository.create(wanted('C1'))).toEqual(first);
    for (const other of [wanted('C1', 'U2'), { ...wanted('C1'), hosts: [] }, { ...wanted('C1'), details: { over: 5 } }])
      await repository.create(other);
    expect(await repository.listByChannel('C1')).toHaveLength(4);
    await clock.advance(11 * 60_000);
    await repository.create(wanted('C1'));
    expect(await repository.listByChannel('C1')).toHaveLength(5);
  });

  it('does not bring back what was removed', async () => {
    const made = await repository.create(wanted('C1'));
    const [removed, changed] = await Promise.all([
      repository.remove('C1', made.id),
      repository.setState('C1', made.id, () => ({ is: 'paused', at: '', by: 'U1' })),
    ]);
    expect(removed?.id).toBe(made.id);
    expect([undefined, 'paused']).toContain(changed?.state.is);
    expect(await repository.listByChannel('C1')).toEqual([]);
    expect(await repository.remove('C1', made.id)).toBeUndefined();
    expect(await repository.setState('C1', made.id, () => ({ is: 'active' }))).toBeUndefined();
    expect(await store.spaces()).toEqual([]);
  });

  it('keeps watches apart from digests', async () => {
    const watches = createSubscriptionRepository({ records: store, kind: 'watch', now: clock.now });
    await watches.create(wanted('C1'));
    expect(await repository.listByChannel('C1')).toEqual([]);
    expect(await watches.listByChannel('C1')).toMatchObject([{ kind: 'watch' }]);
  });
});
