import { describe, expect, it } from 'vitest';
import {
  acknowledge,
  advance,
  answered,
  type PendingUpdate,
  pendingUpdate,
  snooze,
  wake,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import type { Observation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import { withFound, withoutFurtherUpdates, withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { episodesOf, INITIAL_STATE, type WatchState } from '../../../../src/subscriptions/watch/watch-state.ts';
import { fc } from '../../../support/property.ts';

const MINUTE_MS = 60_000;
const TICK_MS = 5 * MINUTE_MS;

const LEVELS: Readonly<Record<string, readonly [ObservedLevel, readonly string[]]>> = {
  c: ['calm', []],
  b: ['between', []],
  '?': ['unknown', []],
  e: ['elevated', ['sqli']],
  s: ['surge', ['sqli']],
  x: ['elevated', ['xss']],
  n: ['elevated', []],
};

function observe(letter: string, atMs: number, facts: Partial<Observation> = {}): Observation {
  const [level, leading] = LEVELS[letter] ?? ['calm', []];
  const nothing = { onsetMs: null, sinceMs: atMs - TICK_MS, endedMs: null, kind: null };
  return { ...nothing, atMs, level, moved: leading, leading, ...facts };
}

/** All that is pending, with a channel that takes everything. */
function publish(state: WatchState, note: (update: PendingUpdate) => unknown = () => {}): WatchState {
  let current = state;
  for (let update = pendingUpdate(current); update !== null; update = pendingUpdate(current)) {
    note(update);
    current = withShown(current, update, `ts-${update.key}`);
  }
  return current;
}

/** Evaluates every five minutes and notes each update with its tick. */
function course(letters: string, start: WatchState = INITIAL_STATE, fromTick = 0) {
  let state = start;
  const said: string[] = [];
  [...letters].forEach((letter, at) => {
    const nowMs = (fromTick + at) * TICK_MS;
    state = advance(state, observe(letter, nowMs), nowMs);
    state = publish(state, ({ is }) => {
      const news = is === 'post' ? ` ${state.message?.news}` : '';
      said.push(`${fromTick + at} ${is}${news}`);
    });
  });
  return { state, said };
}

/** What people are notified of. */
const calls = (letters: string): string[] => course(letters).said.filter((said) => /post|reply/.test(said));

describe('the course of a watch', () => {
  it.each([
    ['says nothing while it is calm', 'ccbc?cbb', []],
    [
      'one message, its edits, its end and a reply below it',
      'csbccc',
      ['1 post new', '2 edit', '3 edit', '4 edit', '5 close', '5 reply'],
    ],
    ['hovering below the bar does not begin it', 'bbbb', []],
    ['not knowing changes nothing', 'e??ccc', ['0 post new', '3 edit', '4 edit', '5 close', '5 reply']],
  ])('%s: %s', (_, letters, expected) => {
    expect(course(letters).said).toEqual(expected);
  });

  it.each([
    ['two calm evaluations do not end it', 'eccecce', ['0 post new']],
    ['hovering below the bar does not end it', 'ebbccbcc', ['0 post new']],
    [
      'back after it was over: a message of its own, at the second look',
      'ecccceeccc',
      ['0 post new', '3 reply', '6 post back', '9 reply'],
    ],
    ['a surge comes back at once', 'eccccs', ['0 post new', '3 reply', '5 post back']],
    ['a single look back is nothing', 'ecccceccc', ['0 post new', '3 reply']],
    ['worse: a message of its own at the second look', 'eess', ['0 post new', '3 post worse']],
    ['worse for one look is no news', 'eeseseseccc', ['0 post new', '10 reply']],
    ['not worse again and again', 'eessessesscccc', ['0 post new', '3 post worse', '12 reply']],
    ['another kind: a message of its own at the second look', 'eeeexxe', ['0 post new', '5 post another kind']],
    ['another kind for one look is no news', 'eeeexexe', ['0 post new']],
    ['the first kind again is no news', 'eeeexxeeexx', ['0 post new', '5 post another kind']],
    ['what shows in the first quarter of an hour is no other kind', 'eexxxx', ['0 post new']],
    ['the first to be named is no news', 'nnnnneeeccc', ['0 post new', '10 reply']],
    ['news right after a message waits', 'eeeessxx', ['0 post new', '5 post worse', '7 post another kind']],
  ])('%s: %s', (_, letters, expected) => {
    expect(calls(letters)).toEqual(expected);
  });

  it('is a new one when two hours have passed', () => {
    const calm = (ticks: number) => 'c'.repeat(ticks);
    expect(calls(`eccc${calm(23)}e`).at(-1)).toBe('27 post new');
    expect(calls(`eccc${calm(21)}ee`).at(-1)).toBe('26 post back');
  });

  it('edits the message that a newer one replaces for the last time', () => {
    expect(course('eess').said.slice(-2)).toEqual(['3 post worse', '3 retire']);
    const { state } = course('eess');
    expect(state.replaced).toEqual([]);
    expect(state.episode?.firstTs).toBe('ts-0');
  });

  it('says that nothing is known once it lasts', () => {
    const { said, state } = course('e?????');
    expect(said).toEqual(['0 post new', '4 edit', '5 edit']);
    expect(state.episode?.blindSinceMs).toBe(TICK_MS);
    expect(course('c', state, 6).state.episode?.blindSinceMs).toBeNull();
  });
});

describe('the times of an episode', () => {
  function looks(...observations: readonly (readonly [letter: string, facts?: Partial<Observation>])[]): WatchState {
    let state = INITIAL_STATE;
    observations.forEach(([letter, facts], at) => {
      state = publish(advance(state, observe(letter, at * TICK_MS, facts), at * TICK_MS));
    });
    return state;
  }

  it('are those of the numbers: the onset as it is known best, the end before it was called over', () => {
    const { episode } = looks(
      ['e', { onsetMs: -2 * TICK_MS }],
      ['e', { onsetMs: -3 * TICK_MS }],
      ['c', { endedMs: TICK_MS - MINUTE_MS }],
      ['c', { endedMs: TICK_MS - 2 * MINUTE_MS }],
      ['c'],
    );
    expect(episode).toMatchObject({ onsetMs: -3 * TICK_MS, endMs: TICK_MS - 2 * MINUTE_MS, closedMs: 4 * TICK_MS });
  });

  it('end with the last look that saw it where the numbers do not say', () => {
    expect(looks(['e'], ['b'], ['c'], ['c'], ['c']).episode).toMatchObject({ endMs: TICK_MS });
  });

  it('a later wave does not move the beginning', () => {
    const late = { onsetMs: 5 * TICK_MS };
    const { episode } = looks(['e', { onsetMs: 0 }], ['e'], ['e'], ['e'], ['e'], ['e', late], ['e', late]);
    expect(episode?.onsetMs).toBe(0);
  });

  it('a return begins after the end of what it is the return of', () => {
    const calm = ['c', { endedMs: TICK_MS }] as const;
    const back = ['e', { onsetMs: 0 }] as const;
    const { episode, past } = looks(['e', { onsetMs: 0 }], ['e'], calm, calm, calm, back, back);
    expect(episode).toMatchObject({ onsetMs: TICK_MS, backAfter: { onsetMs: 0, endMs: TICK_MS } });
    expect(past).toMatchObject([{ onsetMs: 0, endMs: TICK_MS, firstTs: 'ts-0' }]);
  });
});

describe('episodes are kept', () => {
  it('with their times, their message and who acknowledged them, the last forty', () => {
    let state = acknowledge(course('e').state, 'U1', 7);
    state = course(`ccc${'c'.repeat(24)}`, state, 1).state;
    for (let at = 0; at < 60; at++) state = course(`eccc${'c'.repeat(24)}`, state, 28 * (at + 1)).state;
    expect(state.past).toHaveLength(40);
    expect(episodesOf(state)).toHaveLength(40);
    const first = course('ccce', acknowledge(course('e').state, 'U1', 7), 1).state;
    expect(episodesOf(first)[0]).toMatchObject({ id: '0', acknowledged: { by: 'U1', atMs: 7 }, firstTs: 'ts-0' });
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
    const over = course('eccc').state;
    expect(acknowledge(over, 'U1', 7)).toBe(over);
  });

  it('snooze: nothing new is posted until then, and what still goes on is told after', () => {
    const quiet = snooze(INITIAL_STATE, 'U1', 4 * TICK_MS);
    expect(course('ceeee', quiet).said).toEqual(['4 post new']);
    expect(course('cecccc', quiet).said).toEqual([]);
  });

  it('snooze: a message that is there goes on being edited, and no other is posted', () => {
    const { state } = course('e');
    const asleep = snooze(state, 'U1', 100 * TICK_MS);
    expect(pendingUpdate(asleep)?.is).toBe('edit');
    const { said } = course('sssccc', asleep, 1);
    expect(said).toEqual(['1 edit', '2 edit', '3 edit', '4 edit', '5 edit', '6 close', '6 reply']);
    expect(wake(asleep).snoozed).toBeNull();
  });

  it('take the message away: nothing more is said of it', () => {
    const { state } = course('e');
    const gone = withoutFurtherUpdates(state, state.message?.key ?? '');
    expect(course('sssccc', gone, 1).said).toEqual([]);
    expect(course('e', course(`sssccc${'c'.repeat(24)}`, gone, 1).state, 31).said).toEqual(['31 post new']);
  });

  it('answer: the message of the last episode shows it, and it can be taken back', () => {
    const { state } = course('eccc');
    const said = answered(state, '0', { says: 'expected', by: 'U1', atMs: 7 });
    expect(said.feedback).toEqual([{ episode: '0', says: 'expected', by: 'U1', atMs: 7 }]);
    expect(pendingUpdate(said)?.is).toBe('close');
    expect(pendingUpdate(answered(state, 'older', { says: 'earlier', by: 'U1', atMs: 7 }))).toBeNull();
    expect(answered(said, '0', null).feedback).toEqual([]);
  });
});

describe('whatever happens', () => {
  const letters = fc.array(fc.constantFrom('c', 'c', 'c', 'b', '?', 'e', 's', 'x'), { maxLength: 120 });
  type Luck = 'ok' | 'lost answer' | 'not sent' | 'crash before' | 'evaluated twice';
  const lucks = fc.array(fc.constantFrom<Luck>('ok', 'lost answer', 'not sent', 'crash before', 'evaluated twice'), {
    minLength: 120,
    maxLength: 120,
  });
  interface Shown {
    readonly tick: number;
    readonly revision: number;
    readonly ended: boolean;
    readonly reply: boolean;
  }

  /** A channel that is searched for a key before it is posted; luck decides what goes wrong at each tick. */
  function play(sequence: readonly string[], luck: readonly Luck[]) {
    const channel = new Map<string, Shown>();
    let state = INITIAL_STATE;
    /** False when nothing more happens in this run. */
    function act(update: PendingUpdate, tick: number, how: Luck): boolean {
      if (how === 'not sent') return false;
      const before = channel.get(update.key);
      const isPost = update.is === 'post' || update.is === 'reply';
      if (!isPost && before === undefined) throw new Error('edited what is not there');
      if (isPost && before !== undefined) {
        state = withFound(state, update.key, `ts-${update.key}`);
        return true;
      }
      const revision = 'revision' in update ? update.revision : (before?.revision ?? 0);
      if (before !== undefined && revision < before.revision) throw new Error('went back in time');
      if (before?.ended === true && update.is === 'edit') throw new Error('went on after its end');
      // A post that comes late shows how it ended.
      const isOver = state.episode !== null && state.episode.closedMs !== null;
      const ended = update.is === 'retire' || update.is === 'close' || (update.is === 'post' && isOver);
      channel.set(update.key, { tick: before?.tick ?? tick, revision, ended, reply: update.is === 'reply' });
      if (how === 'lost answer') return false;
      state = withShown(state, update, `ts-${update.key}`);
      return true;
    }
    function bringUpToDate(tick: number, how: Luck): void {
      for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
        if (!act(update, tick, how)) return;
      }
    }
    sequence.forEach((letter, tick) => {
      const how = luck[tick] ?? 'ok';
      const nowMs = tick * TICK_MS;
      if (how === 'crash before') return;
      state = advance(state, observe(letter, nowMs), nowMs);
      bringUpToDate(tick, how);
      if (how === 'evaluated twice') {
        state = advance(state, observe(letter, nowMs), nowMs + 1);
        bringUpToDate(tick, 'ok');
      }
    });
    return { channel, state: () => state };
  }

  it('never edits what is not there, never goes back, and calls at most once in ten minutes', () => {
    fc.assert(
      fc.property(letters, lucks, (sequence, luck) => {
        const { channel } = play(sequence, luck);
        const posts = [...channel.values()].filter(({ reply }) => !reply).sort((a, b) => a.tick - b.tick);
        posts.forEach((post, at) => {
          const before = posts[at - 1];
          if (before !== undefined) expect(post.tick - before.tick).toBeGreaterThanOrEqual(1);
        });
        const keys = [...channel.keys()];
        expect(keys.filter((key) => key.endsWith('-over')).every((key) => channel.has(key.slice(0, -5)))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('ends with everything shown and closed once it is calm and the channel is well', () => {
    fc.assert(
      fc.property(letters, lucks, (sequence, luck) => {
        const calm = 'cccc';
        const luckThen: Luck[] = [...luck.slice(0, sequence.length), 'ok', 'ok', 'ok', 'ok'];
        const { channel, state } = play([...sequence, ...calm], luckThen);
        expect(pendingUpdate(advance(state(), observe('c', 1e12), 1e12))).toBeNull();
        for (const { ended, reply } of channel.values()) expect(ended || reply).toBe(true);
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
