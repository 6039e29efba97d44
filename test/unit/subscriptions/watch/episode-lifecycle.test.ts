import { describe, expect, it } from 'vitest';
import {
  acknowledge,
  advance,
  type PendingUpdate,
  pendingUpdate,
  snooze,
  wake,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import type { Observation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import { withFound, withoutFurtherUpdates, withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { INITIAL_STATE, type WatchState } from '../../../../src/subscriptions/watch/watch-state.ts';
import { fc } from '../../../support/property.ts';

const MINUTE_MS = 60_000;
const TICK_MS = 5 * MINUTE_MS;
const QUIET_MS = 120 * MINUTE_MS;

const LEVELS: Readonly<Record<string, readonly [ObservedLevel, number]>> = {
  c: ['calm', 0],
  b: ['between', 0],
  '?': ['unknown', 0],
  e: ['elevated', 1],
  s: ['surge', 2],
  w: ['surge', 3],
  x: ['surge', 5],
};

function observe(letter: string, atMs: number, facts: Partial<Observation> = {}): Observation {
  const [level, worse] = LEVELS[letter] ?? ['calm', 0];
  const points = [{ endMs: atMs, count: worse * 100 }];
  return {
    atMs,
    level,
    severity: worse,
    onsetMs: null,
    peak: { count: worse * 100, endMs: atMs, intervalMs: TICK_MS },
    points,
    categories: [],
    kind: null,
    ...facts,
  };
}

/** Evaluates every five minutes, with a channel that takes everything, and notes each update with its tick. */
function course(letters: string, start: WatchState = INITIAL_STATE, fromTick = 0) {
  let state = start;
  const said: string[] = [];
  [...letters].forEach((letter, at) => {
    const nowMs = (fromTick + at) * TICK_MS;
    state = advance(state, observe(letter, nowMs), nowMs);
    const update = pendingUpdate(state);
    if (update === null) return;
    said.push(`${fromTick + at} ${update.is}`);
    state = withShown(state, update, `ts-${update.key}`);
  });
  return { state, said };
}

describe('the course of a watch', () => {
  it.each([
    ['says nothing while it is calm', 'ccbc?cbb', []],
    ['one message, its edits, its end', 'cswcc', ['1 post', '2 edit', '3 edit', '4 close']],
    ['a single calm evaluation does not end it', 'ecece', ['0 post', '1 edit', '2 edit', '3 edit', '4 edit']],
    [
      'hovering below the bar does not end it',
      'ebbcbcc',
      ['0 post', '1 edit', '2 edit', '3 edit', '4 edit', '5 edit', '6 close'],
    ],
    ['hovering below the bar does not begin it', 'bbbb', []],
    [
      'back soon after: the same message again',
      'eccccecc',
      ['0 post', '1 edit', '2 close', '5 edit', '6 edit', '7 close'],
    ],
    ['back soon after and worse: a message of its own', 'ecccw', ['0 post', '1 edit', '2 close', '4 post']],
    ['not knowing changes nothing', 'e??cc', ['0 post', '3 edit', '4 close']],
  ])('%s: %s', (_, letters, expected) => {
    expect(course(letters).said).toEqual(expected);
  });

  it('posts anew when two hours have passed', () => {
    const calm = 'c'.repeat(QUIET_MS / TICK_MS);
    expect(course(`ecc${calm.slice(1)}e`).said.at(-1)).toBe('26 post');
    expect(course(`ecc${calm.slice(2)}e`).said.at(-1)).toBe('25 edit');
  });

  it('says that nothing is known once it lasts', () => {
    const { said, state } = course('e?????');
    expect(said).toEqual(['0 post', '4 edit', '5 edit']);
    expect(state.episode?.blindSinceMs).toBe(TICK_MS);
    expect(course('c', state, 6).state.episode?.blindSinceMs).toBeNull();
  });

  it('gathers peak, sum and categories so far', () => {
    let state = INITIAL_STATE;
    const observations: Partial<Observation>[] = [
      {
        onsetMs: -2 * TICK_MS,
        peak: { count: 10, endMs: 0, intervalMs: TICK_MS },
        points: [-3, -2, -1, 0].map((tick) => ({ endMs: tick * TICK_MS, count: 10 + tick })),
        categories: [{ category: 'sqli', count: 40, isNew: false }],
      },
      {
        peak: { count: 51, endMs: TICK_MS, intervalMs: TICK_MS },
        points: [0, 1].map((tick) => ({ endMs: tick * TICK_MS, count: 50 + tick })),
        categories: [
          { category: 'sqli', count: 30, isNew: false },
          { category: 'webshell', count: 6, isNew: true },
        ],
      },
    ];
    observations.forEach((facts, at) => {
      state = advance(state, observe('s', at * TICK_MS, facts), at * TICK_MS);
    });
    expect(state.episode).toMatchObject({
      onsetMs: -2 * TICK_MS,
      total: 9 + 10 + 51,
      peak: { count: 51, endMs: TICK_MS },
      worst: 'surge',
      categories: [
        { category: 'webshell', count: 6, isNew: true },
        { category: 'sqli', count: 40, isNew: false },
      ],
    });
  });
});

describe('people', () => {
  it('acknowledge once, by name, in the message', () => {
    const { state } = course('e');
    const first = acknowledge(state, 'U1', 7);
    expect(pendingUpdate(first)?.is).toBe('edit');
    expect(first.episode?.acknowledged).toEqual({ by: 'U1', atMs: 7 });
    expect(acknowledge(first, 'U2', 8).episode?.acknowledged?.by).toBe('U1');
    expect(acknowledge(INITIAL_STATE, 'U1', 7)).toBe(INITIAL_STATE);
    const over = course('ecc').state;
    expect(acknowledge(over, 'U1', 7)).toBe(over);
  });

  it('snooze: nothing new is posted until then, and what still goes on is told after', () => {
    const quiet = snooze(INITIAL_STATE, 'U1', 4 * TICK_MS);
    expect(course('ceeee', quiet).said).toEqual(['4 post']);
    expect(course('cecccc', quiet).said).toEqual([]);
  });

  it('snooze: a message that is there goes on being edited', () => {
    const { state } = course('e');
    const asleep = snooze(state, 'U1', 100 * TICK_MS);
    expect(pendingUpdate(asleep)?.is).toBe('edit');
    expect(course('ecc', asleep, 1).said).toEqual(['1 edit', '2 edit', '3 close']);
    expect(wake(asleep).snoozed).toBeNull();
  });

  it('take the message away: nothing more is said of it', () => {
    const { state } = course('e');
    const gone = withoutFurtherUpdates(state, state.message?.key ?? '');
    expect(course('swcc', gone, 1).said).toEqual([]);
    expect(course('e', course(`swcc${'c'.repeat(24)}`, gone, 1).state, 30).said).toEqual(['30 post']);
  });
});

describe('whatever happens', () => {
  const letters = fc.array(fc.constantFrom('c', 'c', 'c', 'b', '?', 'e', 's', 'w', 'x'), { maxLength: 120 });
  type Luck = 'ok' | 'lost answer' | 'not sent' | 'crash before' | 'evaluated twice';
  const lucks = fc.array(fc.constantFrom<Luck>('ok', 'lost answer', 'not sent', 'crash before', 'evaluated twice'), {
    minLength: 120,
    maxLength: 120,
  });

  /** A channel that is searched for a key before it is posted; luck decides what goes wrong at each tick. */
  function play(sequence: readonly string[], luck: readonly Luck[]) {
    const channel = new Map<string, { postedTick: number; step: number; revision: number; closed: boolean }>();
    let state = INITIAL_STATE;
    const act = (update: PendingUpdate | null, tick: number, how: Luck): void => {
      if (update === null || how === 'not sent') return;
      const before = channel.get(update.key);
      if (update.is !== 'post' && before === undefined) throw new Error('edited what is not there');
      if (before === undefined) {
        const worst = state.episode?.worstStep ?? 0;
        // A post that comes late shows how it ended.
        const closed = state.episode !== null && state.episode.closedMs !== null;
        channel.set(update.key, { postedTick: tick, step: worst, revision: update.revision, closed });
      } else if (update.is === 'post') {
        state = withFound(state, update.key, `ts-${update.key}`);
        act(pendingUpdate(state), tick, how);
        return;
      } else {
        if (update.revision < before.revision) throw new Error('went back in time');
        channel.set(update.key, { ...before, revision: update.revision, closed: update.is === 'close' });
      }
      if (how !== 'lost answer') state = withShown(state, update, `ts-${update.key}`);
    };
    sequence.forEach((letter, tick) => {
      const how = luck[tick] ?? 'ok';
      const nowMs = tick * TICK_MS;
      if (how === 'crash before') return;
      state = advance(state, observe(letter, nowMs), nowMs);
      act(pendingUpdate(state), tick, how);
      if (how === 'evaluated twice') {
        state = advance(state, observe(letter, nowMs), nowMs + 1);
        act(pendingUpdate(state), tick, 'ok');
      }
    });
    return { channel, state: () => state, act, finish: sequence.length };
  }

  it('keeps quiet for two hours unless it is worse, never edits what is not there, never goes back', () => {
    fc.assert(
      fc.property(letters, lucks, (sequence, luck) => {
        const { channel } = play(sequence, luck);
        const posts = [...channel.values()].sort((a, b) => a.postedTick - b.postedTick);
        posts.forEach((post, at) => {
          const before = posts[at - 1];
          if (before === undefined) return;
          const apart = (post.postedTick - before.postedTick) * TICK_MS;
          if (apart < QUIET_MS) expect(post.step).toBeGreaterThan(before.step);
        });
      }),
      { numRuns: 400 },
    );
  });

  it('ends with everything shown and closed once it is calm and the channel is well', () => {
    fc.assert(
      fc.property(letters, lucks, (sequence, luck) => {
        const calm = ['c', 'c', 'c', 'c'];
        const luckThen: Luck[] = [...luck.slice(0, sequence.length), 'ok', 'ok', 'ok', 'ok'];
        const { channel, state } = play([...sequence, ...calm], luckThen);
        expect(pendingUpdate(advance(state(), observe('c', 1e12), 1e12))).toBeNull();
        for (const { closed, revision } of channel.values())
          expect({ closed, revision }).toMatchObject({ closed: true });
      }),
      { numRuns: 400 },
    );
  });

  it('survives being stored as JSON', () => {
    fc.assert(
      fc.property(letters, (sequence) => {
        const { state } = course(sequence.join(''));
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 50 },
    );
  });
});
