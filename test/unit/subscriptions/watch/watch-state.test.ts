import { afterEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../../src/store/index.ts';
import {
  acknowledge,
  advance,
  advanceThrough,
  isHeldUp,
  pendingUpdate,
  snooze,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import { episodeReply } from '../../../../src/subscriptions/watch/episode-reply.ts';
import { evaluationAt } from '../../../../src/subscriptions/watch/evaluate.ts';
import { observeRecords } from '../../../../src/subscriptions/watch/observation.ts';
import { withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
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
const WATCH = { id: 'w1', rule: { kind: 'verdict' }, sensitivity: 'normal', hosts: [], zone: 'UTC' } as const;

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

/** As the version before this one wrote it: a surge that was called another kind of attack, with an older one. */
const PREVIOUS = {
  episode: {
    id: '1200000',
    openedMs: 20 * MINUTE_MS,
    onsetMs: 12 * MINUTE_MS,
    endMs: null,
    level: 'surge',
    worst: 'surge',
    shape: 'targeted attack',
    leading: ['sqli', 'xss'],
    figures: { untilMs: 40 * MINUTE_MS, total: 500, expected: 80, peak: null, categories: [] },
    lastSeenMs: 40 * MINUTE_MS,
    calmLooks: 0,
    blindSinceMs: null,
    closedMs: null,
    backAfter: null,
    acknowledged: null,
    told: { level: 'surge', known: ['sqli', 'xss'], atMs: 35 * MINUTE_MS },
    worseLooks: 1,
    anotherLooks: 2,
    posts: 2,
    firstTs: '7.5',
  },
  message: { key: '1200000-2', ts: '9.5', shown: 6, sendingMs: null, news: 'another kind' },
  replaced: [{ key: '1200000', ts: '7.5', by: 'another kind', atMs: 35 * MINUTE_MS }],
  closing: null,
  revision: 7,
  snoozed: null,
  lookedMs: 40 * MINUTE_MS,
  seen: 'surge',
  suspicion: { evaluations: 1, sinceMs: 0 },
  past: [
    {
      id: '1',
      openedMs: 1,
      onsetMs: -90 * MINUTE_MS,
      endMs: -50 * MINUTE_MS,
      worst: 'elevated',
      shape: null,
      leading: [],
      figures: null,
      acknowledged: null,
      firstTs: '3.5',
    },
  ],
  feedback: [{ episode: '1', says: 'expected', by: 'U1', atMs: 2 }],
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
    for (let evaluation = 1; evaluation <= 3; evaluation++) {
      const atMs = (15 + 5 * evaluation) * MINUTE_MS;
      await states.change(REF, (current) => advance(current, { ...calm, atMs, sinceMs: atMs, level: 'calm' }, atMs));
    }
    const over = await states.read(REF);
    expect(isOpen(over)).toBe(false);
    expect(over.closing).toMatchObject({ threadTs: '12.5', ts: null });
  });

  it('follows the record of the same time: its message says what it says, and another surge has its own', async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    store = await openStore('memory:', { log, now: () => Temporal.Instant.fromEpochMilliseconds(0) });
    await store.update('watch-states', 'watch/C1/w1', () => PREVIOUS);
    const states = createWatchStates(store);
    const first = episodeRecord({ onsetMs: 10 * MINUTE_MS, endMs: 50 * MINUTE_MS });
    const second = episodeRecord({ onsetMs: 200 * MINUTE_MS, endMs: 240 * MINUTE_MS });
    const evaluations = Array.from({ length: 60 }, (_, at) =>
      evaluationAt([first, second], (45 + 5 * at) * MINUTE_MS, 2),
    );
    const said: string[] = [];
    for (let isWaiting = true; isWaiting; ) {
      let state = await states.change(REF, (record) => advanceThrough(record, evaluations, 400 * MINUTE_MS));
      isWaiting = evaluations.some((evaluation) => isHeldUp(state, evaluation));
      for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
        const { episode } = state;
        if (episode === null) throw new Error('nothing to show');
        const now = Temporal.Instant.fromEpochMilliseconds(400 * MINUTE_MS);
        const { title } = episodeReply(state, episode, update, WATCH, { now, measurement: null });
        said.push(`${update.is} ${'ts' in update ? update.ts : ''}: ${title}`);
        state = withShown(state, update, 'new');
      }
      const shown = state;
      await states.change(REF, () => shown);
    }
    expect(said).toEqual([
      'retire 7.5: Elevated since 00:10: worse at 00:35',
      expect.stringMatching(/^close 9\.5: Over: surge 00:10 – 00:50 · 10× usual · /),
      expect.stringMatching(/^reply : Over: surge 00:10 – 00:50 · /),
      expect.stringMatching(/^post : Over: surge 03:20 – 04:00 · /),
    ]);
    const last = await states.read(REF);
    expect(allEpisodesOf(last).map(({ onsetMs }) => onsetMs / MINUTE_MS)).toEqual([-90, 10, 200]);
    expect(last.feedback).toHaveLength(1);
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
