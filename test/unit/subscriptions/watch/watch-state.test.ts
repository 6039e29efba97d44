import { afterEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { acknowledge, advance, pendingUpdate, snooze } from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import { observeRecords } from '../../../../src/subscriptions/watch/observation.ts';
import {
  allEpisodesOf,
  courseOf,
  createWatchStates,
  episodesOf,
  inEachCourse,
  isOpen,
  withCourse,
} from '../../../../src/subscriptions/watch/watch-state.ts';
import { episodeRecord } from '../../../support/episodes.ts';

const REF = { kind: 'watch', channel: 'C1', id: 'w1' } as const;
const MINUTE_MS = 60_000;

/** As version 0.1 wrote it: an episode that was under way when the bot was stopped. */
const EARLIER = {
  episode: {
    id: '600000',
    openedMs: 10 * MINUTE_MS,
    onsetMs: 5 * MINUTE_MS,
    level: 'elevated',
    worst: 'surge',
    worstStep: 2,
    peak: { count: 90, endMs: 12 * MINUTE_MS, intervalMs: MINUTE_MS },
    total: 700,
    countedToMs: 15 * MINUTE_MS,
    categories: [{ category: 'sqli', count: 300, isNew: true }],
    shape: 'targeted attack',
    calmLooks: 0,
    blindSinceMs: null,
    closedMs: null,
    returns: 1,
    acknowledged: { by: 'U1', atMs: 11 * MINUTE_MS },
  },
  message: { key: '600000', ts: '12.5', shown: 3, sendingMs: null },
  revision: 4,
  snoozed: null,
  lookedMs: 15 * MINUTE_MS,
  seen: 'elevated',
};

describe('a state that the version before has stored', () => {
  let store: Store;
  afterEach(() => store.close());

  it('goes on: the same message is edited, and its episode can be told later', async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    store = await openStore('memory:', { log, now: () => Temporal.Instant.fromEpochMilliseconds(0) });
    await store.update('watch-states', 'watch/C1/w1', () => EARLIER);
    const states = createWatchStates(store);
    const state = await states.read(REF);
    expect(isOpen(state)).toBe(true);
    expect(pendingUpdate(state)).toMatchObject({ is: 'edit', ts: '12.5' });
    expect(episodesOf(state)).toMatchObject([
      {
        onsetMs: 5 * MINUTE_MS,
        endMs: null,
        worst: 'surge',
        figures: { total: 700, peak: { count: 90 }, categories: [{ category: 'sqli', count: 300 }] },
        acknowledged: { by: 'U1' },
        firstTs: '12.5',
      },
    ]);
    const calm = { onsetMs: null, endedMs: null, record: null };
    for (let look = 1; look <= 3; look++) {
      const atMs = (15 + 5 * look) * MINUTE_MS;
      await states.change(REF, (current) => advance(current, { ...calm, atMs, sinceMs: atMs, level: 'calm' }, atMs));
    }
    const over = await states.read(REF);
    expect(isOpen(over)).toBe(false);
    expect(over.closing).toMatchObject({ threadTs: '12.5', ts: null });
  });

  it('is a rise, beside which a drop has a message of its own, and what people ask holds for both', async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    store = await openStore('memory:', { log, now: () => Temporal.Instant.fromEpochMilliseconds(0) });
    await store.update('watch-states', 'watch/C1/w1', () => EARLIER);
    const states = createWatchStates(store);
    const sinceMs = 16 * MINUTE_MS;
    const atMs = 30 * MINUTE_MS;
    const drop = episodeRecord({ id: 'requests-16', drop: 'requests', onsetMs: sinceMs, endMs: null });
    const called = await states.change(REF, (record) => {
      const next = advance(courseOf(record, 'requests'), observeRecords([drop], atMs, 2), atMs);
      return withCourse(record, 'requests', next);
    });
    expect(pendingUpdate(called)).toMatchObject({ is: 'edit', ts: '12.5' });
    expect(pendingUpdate(courseOf(called, 'requests'))).toMatchObject({ is: 'post', key: `requests-${atMs}` });
    expect(allEpisodesOf(called).map((episode) => episode.drop)).toEqual([undefined, 'requests']);
    const asked = await states.change(REF, (record) =>
      inEachCourse(record, (state) => acknowledge(snooze(state, 'U2', 2 * atMs), 'U2', atMs)),
    );
    const both = [asked, courseOf(asked, 'requests')];
    expect(both.map(({ snoozed }) => snoozed?.by)).toEqual(['U2', 'U2']);
    // The first to acknowledge stands.
    expect(both.map(({ episode }) => episode?.acknowledged?.by)).toEqual(['U1', 'U2']);
    expect(courseOf(asked, 'attacks').episode).toBeNull();
  });
});
