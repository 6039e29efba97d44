import { describe, expect, it } from 'vitest';
import { type AlertPolicy, pendingMentions } from '../../../../src/subscriptions/watch/alert-policy.ts';
import {
  acknowledge,
  advance,
  advanceThrough,
  assign,
  pendingUpdate,
  snooze,
  wake,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import type { Observation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import { withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { withoutLateReminder } from '../../../../src/subscriptions/watch/reminders.ts';
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

/** What people do between two evaluations, by letter. */
const ACTIONS: Readonly<Record<string, (state: WatchState, nowMs: number) => WatchState>> = {
  z: (state, nowMs) => snooze(state, 'U1', nowMs + 12 * TICK_MS),
  w: wake,
  a: (state, nowMs) => acknowledge(state, 'U1', nowMs),
  g: (state, nowMs) => assign(state, 'U2', 'U1', nowMs),
};

/** Evaluates every five minutes, with a channel that takes everything. */
function run(letters: string, policy: AlertPolicy) {
  let state: WatchState = INITIAL_STATE;
  const all: string[] = [];
  let tick = 0;
  for (const letter of letters) {
    const nowMs = tick * TICK_MS;
    const act = ACTIONS[letter];
    if (act !== undefined) state = act(state, nowMs);
    else {
      const look = new Map([['rise', observe(LEVELS[letter as keyof typeof LEVELS], nowMs)]] as const);
      state = advanceThrough(state, [look], nowMs, policy);
      tick += 1;
    }
    const { state: published, said } = publish(state, policy, Math.max(0, tick - 1));
    state = published;
    all.push(...said);
  }
  return { state, said: all };
}

const course = (letters: string, policy: AlertPolicy): string[] => run(letters, policy).said;

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

describe('an alert that nobody acknowledges', () => {
  const [LEAD, HEAD] = [
    { user: 'U3', name: 'lead' },
    { user: 'U4', name: 'head' },
  ] as const;
  const escalation = { afterMs: 2 * TICK_MS, to: [LEAD] };
  const policy: AlertPolicy = { ...on('elevated'), escalation };

  it.each([
    [
      'alerts again, then escalates, and no further',
      'ssssssssss',
      ['0 new @oncall', '2 again @oncall', '4 escalated @lead'],
    ],
    ['is left alone once somebody is on it', 'sassssss', ['0 new @oncall']],
    ['is left alone after the second alert, too', 'sssasssss', ['0 new @oncall', '2 again @oncall']],
    ['is left alone once it is assigned', 'sgssssss', ['0 new @oncall']],
    ['does not alert again when it is back to normal, or over', 'sccccccccc', ['0 new @oncall']],
    ['alerts again if it is not over after all', 'sccssss', ['0 new @oncall', '3 again @oncall', '5 escalated @lead']],
    ['is quiet while snoozed, and the wait begins anew after that', 'szsssswsss', ['0 new @oncall', '6 again @oncall']],
    ['is repeated while the service has no data', 's????', ['0 new @oncall', '2 again @oncall', '4 escalated @lead']],
    [
      'is one again if it gets worse after somebody was on it',
      'eaeessssss',
      ['0 new @oncall', '3 worse', '5 again @oncall', '7 escalated @lead'],
    ],
    [
      'waits from the newest message, and the order of names goes on',
      'eeeesssss',
      ['0 new @oncall', '2 again @oncall', '4 worse', '6 escalated @lead'],
    ],
  ] as const)('%s: %s', (_, letters, expected) => {
    expect(course(letters, policy)).toEqual(expected);
  });

  it('escalates to one name after the other, from the level of the mention on', () => {
    const surge: AlertPolicy = { ...on('surge'), escalation: { afterMs: TICK_MS, to: [LEAD, HEAD] } };
    const expected = ['0 new', '4 worse @oncall', '5 again @oncall', '6 escalated @lead', '7 escalated @head'];
    expect(course('eeeesssssss', surge)).toEqual(expected);
  });

  it('has no reminder that comes too late: one that was not sent is taken back', () => {
    const planned = () => {
      const { state } = run('s', policy);
      const look = new Map([['rise', observe('surge', 2 * TICK_MS)]] as const);
      return advanceThrough(state, [look], 2 * TICK_MS, policy);
    };
    expect(planned().message).toMatchObject({ news: 'again', ts: null });
    const acted = Object.values(ACTIONS).map((act) => act(planned(), 2 * TICK_MS));
    const calm = new Map([['rise', observe('calm', 3 * TICK_MS)]] as const);
    acted.push(advanceThrough(planned(), [calm], 3 * TICK_MS, policy));
    const news = acted.map(({ message, replaced }) => [message?.news, message?.ts, replaced.length]);
    expect(news).toEqual([
      ['new', 'ts-0', 0],
      ['again', null, 1],
      ['new', 'ts-0', 0],
      ['new', 'ts-0', 0],
      ['new', 'ts-0', 0],
    ]);
    // It may have been sent: then it stays.
    const { message, ...state } = planned();
    const sending: WatchState = { ...state, message: message && { ...message, sendingMs: 1 } };
    const uncertain = acknowledge(sending, 'U1', 3 * TICK_MS);
    expect(uncertain.message?.news).toBe('again');
    // Until it's certain that it wasn't.
    expect(withoutLateReminder(uncertain).message).toMatchObject({ news: 'new', ts: 'ts-0' });
    expect(withoutLateReminder(uncertain).episode).toMatchObject({ waiting: { reminders: 0 }, reminded: 0 });
    expect(withoutLateReminder(sending)).toBe(sending);
    // If it's over by then, the thread of the message before it is closed.
    const over = [3, 4, 5].reduce(
      (each, tick) => advance(each, observe('calm', tick * TICK_MS), tick * TICK_MS),
      sending,
    );
    expect(over).toMatchObject({ message: { news: 'again' }, closing: null, episode: { closedMs: 5 * TICK_MS } });
    const said: string[] = [];
    let ended = withoutLateReminder(over);
    for (let update = pendingUpdate(ended); update !== null; update = pendingUpdate(ended)) {
      said.push(`${update.is} ${update.key}`);
      ended = withShown(ended, update, `ts-${update.key}`);
    }
    expect(said).toEqual(['close 0', 'reply 0-over']);
  });

  it('an acknowledgment or an assignment never reopens what is over, whichever comes first', () => {
    const over = run('sccc', policy);
    for (const letter of ['a', 'g']) {
      expect(ACTIONS[letter]?.(over.state, 9 * TICK_MS)).toBe(over.state);
      const { state, said } = run(`scc${letter}ccc${letter}`, policy);
      expect(state.episode).toMatchObject({ closedMs: 3 * TICK_MS, acknowledged: { atMs: 3 * TICK_MS } });
      expect(said).toEqual(['0 new @oncall']);
    }
  });

  it('whatever happens, is repeated only while it is open, not snoozed, and nobody is on it', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'cb?eses?zwagss'), maxLength: 50 });
    fc.assert(
      fc.property(letters, (text) => {
        for (let length = 1; length <= text.length; length += 1) {
          const before = run(text.slice(0, length - 1), policy);
          const after = run(text.slice(0, length), policy);
          const isReminded = after.said.slice(before.said.length).some((each) => /again|escalated/.test(each));
          const { episode, snoozed } = after.state;
          if (isReminded && (episode?.endMs !== null || snoozed !== null || episode.acknowledged !== null))
            return false;
        }
        return true;
      }),
      { numRuns: 60 },
    );
  });
});
