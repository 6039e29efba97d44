import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Book, createBook } from '../../../src/digests/book.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createManualClock } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';

const clock = createManualClock();
let store: Store;
let book: Book<unknown>;
beforeEach(async () => {
  store = await openStore('memory:', { log: createRecordingLog(), now: clock.now });
  book = createBook({ records: store, kind: 'digest', now: clock.now });
});
afterEach(() => store.close());

const wanted = (channel: string, owner = 'U1') => ({
  channel,
  owner,
  zone: 'UTC',
  hosts: ['shop'],
  timing: { everyMs: 3_600_000 },
});

describe('the book', () => {
  it('keeps what was booked, active, with an id and a date', async () => {
    const made = await book.create({ ...wanted('C1'), sentence: 'digest hourly on shop', details: { over: 5 } });
    expect(made).toMatchObject({
      kind: 'digest',
      createdAt: '2027-01-04T00:00:00Z',
      state: { is: 'active' },
      sentence: 'digest hourly on shop',
      details: { over: 5 },
    });
    expect(made.id).toMatch(/^[a-z2-9]{6}$/);
    expect(await book.get('C1', made.id)).toEqual(made);
    expect(await book.get('C2', made.id)).toBeUndefined();
  });

  it('lists by channel and by owner', async () => {
    const a = await book.create(wanted('C1', 'U1'));
    const b = await book.create(wanted('C1', 'U2'));
    const c = await book.create(wanted('C2', 'U1'));
    expect(await book.listByChannel('C1')).toEqual([a, b]);
    expect(await book.listByChannel('C9')).toEqual([]);
    expect((await book.listByOwner('U1')).map(({ id }) => id).sort()).toEqual([a.id, c.id].sort());
    expect(await Array.fromAsync(book.all())).toHaveLength(3);
  });

  it('holds twenty a channel, also when they come all at once, and says so', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 25 }, () => book.create(wanted('C1'))));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(book.create(wanted('C1'))).rejects.toMatchObject({
      code: 'limit',
      message: 'This channel already has 20 digests, which is the limit.',
    });
    await book.create(wanted('C2'));
  });

  it('does not bring back what was removed', async () => {
    const made = await book.create(wanted('C1'));
    const [removed, changed] = await Promise.all([
      book.remove('C1', made.id),
      book.setState('C1', made.id, () => ({ is: 'paused', at: '', by: 'U1' })),
    ]);
    expect(removed?.id).toBe(made.id);
    expect([undefined, 'paused']).toContain(changed?.state.is);
    expect(await book.listByChannel('C1')).toEqual([]);
    expect(await book.remove('C1', made.id)).toBeUndefined();
    expect(await book.setState('C1', made.id, () => ({ is: 'active' }))).toBeUndefined();
    expect(await store.spaces()).toEqual([]);
  });

  it('keeps watches apart from digests', async () => {
    const watches = createBook({ records: store, kind: 'watch', now: clock.now });
    await watches.create(wanted('C1'));
    expect(await book.listByChannel('C1')).toEqual([]);
    expect(await watches.listByChannel('C1')).toMatchObject([{ kind: 'watch' }]);
  });
});
