import { describe, expect, it } from 'vitest';
import { type AlertPolicy, pendingMentions } from '../../../../src/subscriptions/watch/alert-policy.ts';
import { advance, pendingUpdate, snooze, wake } from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import type { Observation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import { withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { INITIAL_STATE, type WatchState } from '../../../../src/subscriptions/watch/watch-state.ts';
import { fc } from '../../../support/property.ts';

const TICK_MS = 5 * 60_000;
const LEVELS = { c: 'calm', b: 'between', '?': 'unknown', e: 'elevated', s: 'surge' } as const;
const ONCALL = { group: 'S1', name: 'oncall' };
const on = (from: 'elevated' | 'surge'): AlertPolicy => ({ mention: { who: [ONCALL], from } });

function observe(level: ObservedLevel, atMs: number): Observation {
  return { atMs, level, onsetMs: null, sinceMs: atMs - TICK_MS, endedMs: null, record: null };
}

/** As the publisher does: what a message mentions is stored with it when it's sent. */
function publish(start: WatchState, policy: AlertPolicy, tick: number): { state: WatchState; said: string[] } {
  let state = start;
  const said: string[] = [];
  for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
    if (update.is === 'post' && state.message !== null) {
      const mentions = pendingMentions(state, policy);
      said.push(`${tick} ${state.message.news}${mentions.map(({ name }) => ` @${name}`).join('')}`);
      state = { ...state, message: { ...state.message, mentions } };
    }
    state = withShown(state, update, `ts-${update.key}`);
  }
  return { state, said };
}

/** Evaluates every five minutes; `z` snoozes for an hour and `w` wakes, in between. */
function course(letters: string, policy: AlertPolicy): string[] {
  let state: WatchState = INITIAL_STATE;
  const all: string[] = [];
  let tick = 0;
  for (const letter of letters) {
    const nowMs = tick * TICK_MS;
    if (letter === 'z') state = snooze(state, 'U1', nowMs + 12 * TICK_MS);
    else if (letter === 'w') state = wake(state);
    else {
      const level = LEVELS[letter as keyof typeof LEVELS];
      state = advance(state, observe(level, nowMs), nowMs, policy);
      tick += 1;
    }
    const { state: published, said } = publish(state, policy, Math.max(0, tick - 1));
    state = published;
    all.push(...said);
  }
  return all;
}

describe('a mention', () => {
  it.each([
    ['at every level: in the first message', 'eees', 'elevated', ['0 new @oncall', '3 worse']],
    ['on surge: in the first message of a surge', 'eees', 'surge', ['0 new', '3 worse @oncall']],
    ['on surge: in the first message if it begins as one', 'sss', 'surge', ['0 new @oncall']],
    ['needs a message, even right after another', 'essss', 'surge', ['0 new', '1 worse @oncall']],
    ['comes once for each episode', 'sessecccs', 'surge', ['0 new @oncall', '8 back @oncall']],
    ['never comes if the level is not reached', 'eeeeccc', 'surge', ['0 new']],
    ['waits for the end of a snooze', 'czeew', 'elevated', ['2 new @oncall']],
    ['comes when a snooze ends because it is worse', 'ezeees', 'surge', ['0 new', '4 worse @oncall']],
  ] as const)('%s: %s', (_, letters, from, expected) => {
    expect(course(letters, on(from))).toEqual(expected);
  });

  it('is not lost when the surge began while the bot was away', () => {
    const policy = on('surge');
    const begun = publish(advance(INITIAL_STATE, observe('elevated', 0), 0, policy), policy, 0).state;
    const nowMs = 12 * TICK_MS;
    const looks = ['surge', 'surge', 'surge'].map((level, at) => [level as 'surge', (2 + 5 * at) * TICK_MS] as const);
    const caughtUp = looks.reduce((state, [level, atMs]) => advance(state, observe(level, atMs), nowMs, policy), begun);
    expect(publish(caughtUp, policy, 12).said).toEqual(['12 worse @oncall']);
  });

  it('whatever happens, comes at most once for each episode, and at the first message of that level', () => {
    const letters = fc.string({ unit: fc.constantFrom('c', 'b', '?', 'e', 's', 'e', 's', 'z', 'w'), maxLength: 40 });
    fc.assert(
      fc.property(letters, fc.constantFrom('elevated', 'surge'), (text, from) => {
        const said = course(text, on(from));
        const episodes = said.join('\n').split(/^(?=\d+ (?:new|back))/m);
        return episodes.every((messages) => (messages.match(/@oncall/g) ?? []).length <= 1);
      }),
    );
  });
});
