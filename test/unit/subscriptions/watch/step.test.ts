import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import {
  acknowledge,
  delivered,
  found,
  lost,
  snooze,
  wake,
} from '../../../../src/subscriptions/watch/state-changes.ts';
import { type Effect, STEP_OPTIONS, step } from '../../../../src/subscriptions/watch/step.ts';
import { RESTING, type WatchState } from '../../../../src/subscriptions/watch/watch-state.ts';

const MINUTE_MS = 60_000;
const TICK_MS = 5 * MINUTE_MS;

const LEVELS: Readonly<Record<string, readonly [ObservedLevel, number]>> = {
  c: ['calm', 0],
  b: ['between', 0],
  '?': ['unknown', 0],
  e: ['elevated', 1],
  s: ['surge', 2],
  w: ['surge', 3],
  x: ['surge', 5],
};

function look(letter: string, atMs: number, facts: Partial<Observation> = {}): Observation {
  const [level, worse] = LEVELS[letter] ?? ['calm', 0];
  const points = [{ endMs: atMs, count: worse * 100 }];
  return {
    atMs,
    level,
    step: worse,
    onsetMs: null,
    peak: { count: worse * 100, endMs: atMs, intervalMs: TICK_MS },
    points,
    categories: [],
    shape: null,
    ...facts,
  };
}

/** Looks every five minutes with a channel that takes everything, and notes each effect with its tick. */
function course(letters: string, start: WatchState = RESTING, fromTick = 0) {
  let state = start;
  const said: string[] = [];
  const effects: Effect[] = [];
  [...letters].forEach((letter, at) => {
    const nowMs = (fromTick + at) * TICK_MS;
    const done = step(state, look(letter, nowMs), nowMs);
    state = done.state;
    effects.push(done.effect);
    if (done.effect.is !== 'nothing') {
      said.push(`${fromTick + at} ${done.effect.is}`);
      state = delivered(state, done.effect, `ts-${done.effect.key}`);
    }
  });
  return { state, said, effects };
}

describe('the course of a watch', () => {
  it.each([
    ['says nothing while it is calm', 'ccbc?cbb', []],
    ['one message, its edits, its end', 'cswcc', ['1 post', '2 edit', '3 edit', '4 close']],
    ['a single calm look does not end it', 'ecece', ['0 post', '1 edit', '2 edit', '3 edit', '4 edit']],
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
    const calm = 'c'.repeat(STEP_OPTIONS.quietMs / TICK_MS);
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
    let state = RESTING;
    const looks: Partial<Observation>[] = [
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
    looks.forEach((facts, at) => {
      state = step(state, look('s', at * TICK_MS, facts), at * TICK_MS).state;
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
    expect(first?.effect.is).toBe('edit');
    expect(first?.state.episode?.acknowledged).toEqual({ by: 'U1', atMs: 7 });
    const second = acknowledge(first?.state ?? state, 'U2', 8);
    expect(second?.state.episode?.acknowledged?.by).toBe('U1');
    expect(acknowledge(RESTING, 'U1', 7)).toBeNull();
    expect(acknowledge(course('ecc').state, 'U1', 7)).toBeNull();
  });

  it('snooze: nothing new is posted until then, and what still goes on is told after', () => {
    const quiet = snooze(RESTING, 'U1', 4 * TICK_MS).state;
    expect(course('ceeee', quiet).said).toEqual(['4 post']);
    expect(course('cecccc', quiet).said).toEqual([]);
  });

  it('snooze: a message that is there goes on being edited', () => {
    const { state } = course('e');
    const asleep = snooze(state, 'U1', 100 * TICK_MS);
    expect(asleep.effect.is).toBe('edit');
    expect(course('ecc', asleep.state, 1).said).toEqual(['1 edit', '2 edit', '3 close']);
    expect(wake(asleep.state).state.snoozed).toBeNull();
  });

  it('take the message away: nothing more is said of it', () => {
    const { state } = course('e');
    const gone = lost(state, state.message?.key ?? '');
    expect(course('swcc', gone, 1).said).toEqual([]);
    expect(course('e', course(`swcc${'c'.repeat(24)}`, gone, 1).state, 30).said).toEqual(['30 post']);
  });
});

describe('whatever happens', () => {
  const letters = fc.array(fc.constantFrom('c', 'c', 'c', 'b', '?', 'e', 's', 'w', 'x'), { maxLength: 120 });
  type Luck = 'ok' | 'lost answer' | 'not sent' | 'crash before' | 'looked twice';
  const lucks = fc.array(fc.constantFrom<Luck>('ok', 'lost answer', 'not sent', 'crash before', 'looked twice'), {
    minLength: 120,
    maxLength: 120,
  });

  /** A channel and an scheduler that look for a key before posting it; luck decides what goes wrong at each tick. */
  function play(sequence: readonly string[], luck: readonly Luck[]) {
    const channel = new Map<string, { postedTick: number; step: number; revision: number; closed: boolean }>();
    let state = RESTING;
    const act = (effect: Effect, tick: number, how: Luck): void => {
      if (effect.is === 'nothing' || how === 'not sent') return;
      const before = channel.get(effect.key);
      if (effect.is !== 'post' && before === undefined) throw new Error('edited what is not there');
      if (before === undefined) {
        const worst = state.episode?.worstStep ?? 0;
        // A post that comes late shows how it ended.
        const closed = state.episode !== null && state.episode.closedMs !== null;
        channel.set(effect.key, { postedTick: tick, step: worst, revision: effect.revision, closed });
      } else if (effect.is === 'post') {
        const there = found(state, effect.key, `ts-${effect.key}`);
        state = there.state;
        act(there.effect, tick, how);
        return;
      } else {
        if (effect.revision < before.revision) throw new Error('went back in time');
        channel.set(effect.key, { ...before, revision: effect.revision, closed: effect.is === 'close' });
      }
      if (how !== 'lost answer') state = delivered(state, effect, `ts-${effect.key}`);
    };
    sequence.forEach((letter, tick) => {
      const how = luck[tick] ?? 'ok';
      const nowMs = tick * TICK_MS;
      const kept = step(state, look(letter, nowMs), nowMs);
      if (how === 'crash before') return;
      state = kept.state;
      act(kept.effect, tick, how);
      if (how === 'looked twice') {
        const again = step(state, look(letter, nowMs), nowMs + 1);
        state = again.state;
        act(again.effect, tick, 'ok');
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
          if (apart < STEP_OPTIONS.quietMs) expect(post.step).toBeGreaterThan(before.step);
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
        expect(step(state(), look('c', 1e12), 1e12).effect).toEqual({ is: 'nothing' });
        for (const { closed, revision } of channel.values())
          expect({ closed, revision }).toMatchObject({ closed: true });
      }),
      { numRuns: 400 },
    );
  });

  it('survives being kept as JSON', () => {
    fc.assert(
      fc.property(letters, (sequence) => {
        const { state } = course(sequence.join(''));
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 50 },
    );
  });
});
