import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../../src/episodes/episode.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import {
  acknowledge,
  advance,
  advanceThrough,
  answered,
  isHeldUp,
  type PendingUpdate,
  pendingUpdate,
  snooze,
  wake,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import { updateReply } from '../../../../src/subscriptions/watch/episode-reply.ts';
import { evaluationAt } from '../../../../src/subscriptions/watch/evaluate.ts';
import type { Evaluation, Observation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import { withFound, withoutFurtherUpdates, withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import {
  courseOf,
  coursesOf,
  episodesOf,
  INITIAL_STATE,
  type WatchRecord,
  type WatchState,
  withCourse,
} from '../../../../src/subscriptions/watch/watch-state.ts';
import { episodeRecord } from '../../../support/episodes.ts';
import { fc } from '../../../support/property.ts';

const MINUTE_MS = 60_000;
const TICK_MS = 5 * MINUTE_MS;

const LEVELS: Readonly<Record<string, ObservedLevel>> = {
  c: 'calm',
  b: 'between',
  '?': 'unknown',
  e: 'elevated',
  s: 'surge',
};

function observe(letter: string, atMs: number, facts: Partial<Observation> = {}): Observation {
  const level = LEVELS[letter] ?? 'calm';
  return { atMs, level, onsetMs: null, sinceMs: atMs - TICK_MS, endedMs: null, record: null, ...facts };
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
      'back after it was over: a message of its own, which is over after an hour',
      `ecccceeccc${'c'.repeat(9)}`,
      ['0 post new', '3 reply', '5 post back', '18 reply'],
    ],
    ['worse: a message of its own', 'eees', ['0 post new', '3 post worse']],
    ['worse right after a message is an edit of that', 'essss', ['0 post new']],
    ['not worse again and again', 'eessessesscccc', ['0 post new', '2 post worse', '12 reply']],
  ])('%s: %s', (_, letters, expected) => {
    expect(calls(letters)).toEqual(expected);
  });

  it('is a new one when two hours have passed', () => {
    const calm = (ticks: number) => 'c'.repeat(ticks);
    expect(calls(`eccc${calm(23)}e`).at(-1)).toBe('27 post new');
    expect(calls(`eccc${calm(20)}e`).at(-1)).toBe('24 post back');
  });

  it('edits the message that a newer one replaces for the last time', () => {
    expect(course('ees').said.slice(-2)).toEqual(['2 post worse', '2 retire']);
    const { state } = course('ees');
    expect(state.replaced).toEqual([]);
    expect(state.episode?.firstTs).toBe('ts-0');
  });

  it('counts an evaluation once, however often it is repeated, and none that is older', () => {
    const { state: open } = course('sc');
    const repeated = [1, 1, 0, 1, 1, 1].reduce(
      (state, tick) => advance(state, observe('c', tick * TICK_MS), 2 * TICK_MS),
      open,
    );
    expect(repeated).toEqual(open);
    expect(course('cc', repeated, 2).state.episode?.closedMs).not.toBeNull();
  });

  it('says that nothing is known once it lasts', () => {
    const { said, state } = course('e?????');
    expect(said).toEqual(['0 post new', '4 edit', '5 edit']);
    expect(state.episode?.blindSinceMs).toBe(TICK_MS);
    expect(course('c', state, 6).state.episode?.blindSinceMs).toBeNull();
  });
});

/** A surge that began at `onset`, in ticks, ended at `end` and was seen as one a tick after it began. */
const record = (onset: number, end: number | null, facts: Partial<EpisodeRecord> = {}): EpisodeRecord =>
  episodeRecord({ onsetMs: onset * TICK_MS, endMs: end === null ? null : end * TICK_MS, ...facts });

/** What a watch that missed nothing, or looks at everything it has missed, is notified of. */
function follow(records: readonly EpisodeRecord[], ticks: number, from = 0, start: WatchRecord = INITIAL_STATE) {
  const evaluations = Array.from({ length: ticks }, (_, at) => evaluationAt(records, (from + at) * TICK_MS, 2));
  return catchUp(evaluations, (from + ticks - 1) * TICK_MS, start);
}

/** As the runner does: what must be seen before a next episode can begin is published first. */
function catchUp(evaluations: readonly Evaluation[], nowMs: number, start: WatchRecord) {
  let state = start;
  const said: string[] = [];
  for (let isWaiting = true; isWaiting; ) {
    state = advanceThrough(state, evaluations, nowMs);
    isWaiting = evaluations.some((evaluation) => isHeldUp(state, evaluation));
    for (const each of coursesOf(state)) {
      const shown = publish(courseOf(state, each), ({ is }) => {
        const { message, episode } = courseOf(state, each);
        const over = episode?.closedMs === null ? '' : ` over ${episode?.onsetMs}-${episode?.endMs}`;
        if (is === 'post')
          said.push(`${each} ${message?.news}${over.replace(/\d+/g, (ms) => String(Number(ms) / TICK_MS))}`);
        if (is === 'reply') said.push(`${each}${over.replace(/\d+/g, (ms) => String(Number(ms) / TICK_MS))}`);
      });
      state = withCourse(state, each, shown);
    }
  }
  return { state, said };
}

describe('the records that a watch follows', () => {
  const live = (records: (tick: number) => readonly EpisodeRecord[], ticks: number) => {
    let state: WatchRecord = INITIAL_STATE;
    const said: string[] = [];
    for (let tick = 0; tick < ticks; tick++) {
      const next = catchUp([evaluationAt(records(tick), tick * TICK_MS, 2)], tick * TICK_MS, state);
      state = next.state;
      said.push(...next.said.map((each) => `${tick} ${each}`));
    }
    return { state, said };
  };

  it('one after another: a message for each, each with the times of its record', () => {
    const records = [record(2, 6), record(14, 20), record(50, 54)];
    const expected = ['rise new', 'rise over 2-6', 'rise back', 'rise over 14-20', 'rise new', 'rise over 50-54'];
    expect(live(() => records, 70).said.map((each) => each.replace(/^\d+ /, ''))).toEqual(expected);
  });

  it.each([
    ['while the first went on', 4],
    ['before the first', 1],
    ['just after the first was over', 8],
  ])('after an interruption that began %s, both are reported with their times', (_, lastTick) => {
    const before = follow([record(2, null)], lastTick);
    const { said, state } = follow([record(2, 6), record(40, 44)], 60, lastTick, before.state);
    expect([...before.said, ...said].map((each) => each.replace(' new over', ' over'))).toEqual(
      lastTick === 4 || lastTick === 8
        ? ['rise new', 'rise over 2-6', 'rise over 40-44']
        : ['rise over 2-6', 'rise over 40-44'],
    );
    expect(episodesOf(state).map(({ record: id }) => id)).toEqual(['rise-10', 'rise-200']);
  });

  it('that another one follows at once are two in one message, as the first was not said to be over', () => {
    const second = record(9, null, { figures: { ...record(9, null).figures, untilMs: 60 * TICK_MS } });
    const { said, state } = live((tick) => (tick < 9 ? [record(2, null)] : [record(2, 8), second]), 14);
    expect(said).toEqual(['3 rise new']);
    expect(state.message?.news).toBe('back');
    expect(state.episode).toMatchObject({ record: 'rise-45', onsetMs: 9 * TICK_MS, posts: 1 });
    expect(episodesOf(state).map(({ record: id, endMs }) => [id, endMs])).toEqual([
      ['rise-10', 8 * TICK_MS],
      ['rise-45', null],
    ]);
    const watch = { id: 'w1', rule: { kind: 'verdict' }, sensitivity: 'normal', hosts: [], zone: 'UTC' } as const;
    const now = Temporal.Instant.fromEpochMilliseconds(14 * TICK_MS);
    const reply = updateReply(state, { is: 'edit', key: '0', ts: 'ts', revision: 1 }, watch, {
      now,
      measurement: null,
    });
    expect(reply.title).toContain('Surge again since 00:45');
    expect((reply.body ?? []).map(plainText).join(' ')).toMatch(
      /Last time: 00:10 – 00:40, then calm until 00:45\.\s*$/,
    );
  });

  it('are not over while something too weak to alert may be their return, for an hour at most', () => {
    const weak = [{ atMs: 8 * TICK_MS, strength: 1.5, level: 'elevated' }] as const;
    const followedBy = (end: number, steps: EpisodeRecord['steps'] = weak) =>
      live(() => [record(2, 5), record(8, end, { steps, strength: 1.5 })], 20).said;
    expect(followedBy(10)).toEqual(['3 rise new', '12 rise over 2-5']);
    expect(followedBy(40)).toEqual(['3 rise new', '17 rise over 2-5']);
    expect(followedBy(40, [...weak, { atMs: 11 * TICK_MS, strength: 4, level: 'surge' }])).toEqual(['3 rise new']);
  });

  it('are over once, though the one after them turns out to be none', () => {
    const next = record(10, null, { figures: { ...record(10, null).figures, untilMs: 60 * TICK_MS } });
    const seenAt = (tick: number): readonly EpisodeRecord[] => {
      if (tick < 11) return [record(2, null, { figures: { ...record(2, null).figures, untilMs: 60 * TICK_MS } })];
      return tick === 11 ? [record(2, 10.5), next] : [record(2, 10.5)];
    };
    expect(live(seenAt, 40).said).toEqual(['3 rise new', '23 rise over 2-10.5']);
  });

  it('whose onset becomes known better are still the same', () => {
    const later = record(3, 20);
    const { said } = live((tick) => (tick < 6 ? [record(4, null)] : [later]), 30);
    expect(said).toEqual(['5 rise new', '24 rise over 3-20']);
  });

  it('of a different kind at the same time have a message each', () => {
    const drop = record(6, 12, { id: 'requests-30', drop: 'requests' });
    const mix = record(8, 14, { id: 'mix-webshell-40', mix: 'webshell' });
    const { said } = live(() => [record(2, 16), drop, mix], 30);
    expect(said).toEqual([
      '3 rise new',
      '7 requests new',
      '9 mix-webshell new',
      '16 requests over 6-12',
      '20 rise over 2-16',
      '22 mix-webshell over 8-14',
    ]);
  });

  it('in two categories from the same moment on have a message of their own each', () => {
    const records = ['sqli', 'lfi'].map((mix) => record(8, null, { id: `mix-${mix}-40`, mix }));
    const state = advanceThrough(INITIAL_STATE, [evaluationAt(records, 9 * TICK_MS, 2)], 9 * TICK_MS);
    const keys = coursesOf(state).flatMap((name) => courseOf(state, name).message?.key ?? []);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  it('are unknown where the numbers end, and a later hole does not make them go on', () => {
    const figures = { ...record(2, null).figures, untilMs: 5 * TICK_MS };
    const { state, said } = live(() => [record(2, null, { figures })], 20);
    expect(said).toEqual(['3 rise new']);
    expect(state.episode).toMatchObject({ blindSinceMs: 8 * TICK_MS, lastSeenMs: 7 * TICK_MS });
  });

  it('that jump to four times what was reported are reported again, at the next look', () => {
    const paces = [
      { atMs: 3 * TICK_MS, perMinute: 20 },
      { atMs: 4 * TICK_MS, perMinute: 35 },
      { atMs: 6 * TICK_MS, perMinute: 80 },
      { atMs: 7 * TICK_MS, perMinute: 300 },
    ];
    const { said, state } = live(() => [record(2, 12, { paces })], 20);
    expect(said).toEqual(['3 rise new', '6 rise jump', '7 rise jump', '16 rise over 2-12']);
    expect(state.episode?.told).toMatchObject({ pace: 300, before: 80 });
  });

  it('too short to have a pace are measured by their first', () => {
    const paces = [
      { atMs: 4 * TICK_MS, perMinute: 100 },
      { atMs: 5 * TICK_MS, perMinute: 110 },
    ];
    expect(live(() => [record(2, 12, { paces })], 10).said).toEqual(['3 rise new']);
  });

  it('below its sensitivity alert nobody, and it is known what they are', () => {
    const weak = { steps: [{ atMs: 3 * TICK_MS, strength: 1.7, level: 'elevated' }], strength: 1.7 } as const;
    const { said, state } = follow([record(2, null, weak), record(2, null, { ...weak, id: 'mix-x', mix: 'xss' })], 5);
    expect(said).toEqual([]);
    expect(state.below).toEqual({ strength: 1.7, sinceMs: 2 * TICK_MS });
    expect(courseOf(state, 'mix-xss').below).toEqual({ strength: 1.7, sinceMs: 2 * TICK_MS, mix: 'xss' });
    expect(follow([record(2, 4, weak)], 20, 5, state).state.below).toBeNull();
  });
});

describe('an attack in pulses', () => {
  const SIX_HOURS = 72;
  /** Half an hour apart, five minutes each. */
  const pulses = Array.from({ length: 12 }, (_, at) => record(6 * at, 6 * at + 1));
  const elevated = (onset: number, strength = 4) =>
    record(onset, onset + 1, { steps: [{ atMs: (onset + 1) * TICK_MS, strength, level: 'elevated' }] });

  /** Look by look, as a running watch sees it: each record only as far as it has come. */
  function watching(records: readonly EpisodeRecord[], ticks: number, start: WatchRecord = INITIAL_STATE, from = 0) {
    let state = start;
    const said: string[] = [];
    for (let tick = from; tick < from + ticks; tick++) {
      const next = catchUp([evaluationAt(records, tick * TICK_MS, 2)], tick * TICK_MS, state);
      state = next.state;
      said.push(...next.said.map((each) => `${tick} ${each}`));
    }
    return { state, said };
  }

  const ALERTS = ['1 rise new', '5 rise over 0-1', '7 rise back'];

  it('alerts twice in six hours and is over twice', () => {
    expect(watching(pulses, SIX_HOURS + 12).said).toEqual([...ALERTS, '79 rise over 66-67']);
  });

  it('over a limit, too, each time with its own beginning', () => {
    expect(calls(`${'sscccc'.repeat(12)}${'c'.repeat(12)}`)).toEqual([
      ...['0 post new', '4 reply', '6 post back', '79 reply'],
    ]);
    const { state } = course(`${'sscccc'.repeat(3)}ss`);
    expect(state.episode).toMatchObject({
      onsetMs: 17 * TICK_MS,
      backAfter: { onsetMs: 11 * TICK_MS, endMs: 13 * TICK_MS },
      figures: null,
    });
  });

  it.each([
    ['of a category', 'mix-webshell', { mix: 'webshell' }],
    ['that keeps visitors away', 'requests', { drop: 'requests' }],
  ] as const)('%s is no different', (_, name, facts) => {
    // A category counts as ongoing for half an hour, so an hour lies between two.
    const hourly = [0, 10, 20, 30].map((at) => record(at, at + 1, { ...facts, id: `${name}-${at}` }));
    const { said } = watching(hourly, 46);
    expect(said.filter((each) => !each.includes('over'))).toEqual([`1 ${name} new`, `11 ${name} back`]);
    expect(said.at(-1)).toBe(`43 ${name} over 30-31`);
  });

  it('is never said to go on while it is calm, and has the times of the newest pulse once it is back', () => {
    let state: WatchRecord = INITIAL_STATE;
    for (let tick = 0; tick < SIX_HOURS; tick++) {
      const onset = 6 * Math.floor(tick / 6);
      const going = record(onset, null, { figures: { ...record(onset, null).figures, untilMs: tick * TICK_MS } });
      const known = pulses.filter(({ onsetMs }) => onsetMs < onset * TICK_MS);
      const now = tick < onset + 2 ? going : record(onset, onset + 1);
      state = watching([...known, now], 1, state, tick).state;
      if (tick < 13) continue;
      const isSeen = tick > onset;
      expect(state.episode?.onsetMs, String(tick)).toBe((isSeen ? onset : onset - 6) * TICK_MS);
      expect(state.episode?.endMs === null, String(tick)).toBe(tick === onset + 1);
      expect(state.episode?.backAfter).toMatchObject({ onsetMs: (isSeen ? onset - 6 : onset - 12) * TICK_MS });
    }
  });

  it('edits its message no more than it has something to say in the calm', () => {
    const { state } = course('sccccs');
    const calm = course('ccccccccc', state, 6);
    expect(calm.said).toEqual(['6 edit', '7 edit', '8 edit']);
    const blind = course('????c', calm.state, 15);
    expect(blind.said).toEqual(['18 edit', '19 close', '19 reply']);
    const short = course('????cc', course('cccc', state, 6).state, 10);
    expect(short.said).toEqual(['13 edit', '14 edit']);
  });

  it('keeps each pulse with its own record, for digests and reports', () => {
    const { state } = watching(pulses, SIX_HOURS);
    expect(episodesOf(state).map((each) => each.record)).toEqual(pulses.map(({ id }) => id));
    expect(new Set(episodesOf(state).map(({ firstTs }) => firstTs)).size).toBe(2);
  });

  it('is followed by another attack: after an hour of calm that alerts, and so does the next one', () => {
    const { said } = watching([record(0, 1), record(6, 7), record(25, 26), record(44, 45)], 60);
    expect(said).toEqual([
      ...ALERTS,
      ...['19 rise over 6-7', '26 rise back', '38 rise over 25-26', '45 rise back', '57 rise over 44-45'],
    ]);
  });

  it('alerts when a pulse is worse: a surge after elevated, then it says what the newest one is', () => {
    const weak = [0, 6, 12].map((onset) => elevated(onset));
    const { said, state } = watching([...weak, record(18, 19), elevated(24)], 26);
    expect(said).toEqual([...ALERTS, '19 rise worse']);
    expect(state).toMatchObject({ message: { news: 'back' }, episode: { level: 'elevated', worst: 'elevated' } });
    expect(watching([...weak, record(18, 19), elevated(24), record(30, 31)], 32).said).toEqual(said);
  });

  it('alerts when a pulse is four times as fast, and not when it is that fast once more', () => {
    const paced = (onset: number, perMinute: number) =>
      record(onset, onset + 1, { paces: [{ atMs: (onset + 1) * TICK_MS, perMinute }] });
    const records = [paced(0, 20), paced(6, 20), paced(12, 100), paced(18, 20), paced(24, 100)];
    expect(watching(records, 30).said).toEqual([...ALERTS, '13 rise jump']);
  });

  it('stays acknowledged while the same level returns, and not when it is worse', () => {
    const alerted = watching([elevated(0), elevated(6)], 8).state;
    const taken = acknowledge(alerted, 'U1', 7 * TICK_MS);
    const same = [0, 6, 12, 18].map((onset) => elevated(onset));
    expect(watching(same, 16, taken, 8)).toMatchObject({
      said: [],
      state: { episode: { acknowledged: { by: 'U1' } } },
    });
    const worse = watching([...same, record(24, 25)], 18, taken, 8);
    expect(worse).toMatchObject({ said: ['25 rise worse'], state: { episode: { acknowledged: null } } });
    const again = acknowledge(worse.state, 'U2', 26 * TICK_MS);
    const after = watching([...same, record(24, 25), elevated(30), record(36, 37)], 14, again, 26);
    expect(after).toMatchObject({ said: [], state: { episode: { acknowledged: { by: 'U2' } } } });
  });

  it('is the same however often an evaluation is repeated, and after being stored in between', () => {
    let state: WatchRecord = INITIAL_STATE;
    for (let tick = 0; tick < SIX_HOURS; tick++) {
      const { state: once } = watching(pulses, 1, state, tick);
      const { state: twice, said } = watching(pulses, 1, JSON.parse(JSON.stringify(once)), tick);
      expect(said).toEqual([]);
      expect(twice).toEqual(once);
      state = twice;
    }
    expect(state).toEqual(watching(pulses, SIX_HOURS).state);
  });

  it.each([
    ['the first', 2, ['rise over 0-1', 'rise back']],
    ['its return', 8, []],
    ['the calm after its return', 11, []],
  ])('is the same to a watch that was away since %s', (_, away, expected) => {
    const before = watching(pulses, away).state;
    const { said, state } = follow(pulses, 69 - away, away, before);
    expect(said).toEqual(expected);
    const { episode, past } = watching(pulses, 69).state;
    const timesOf = ({ onsetMs, endMs }: { onsetMs: number; endMs: number | null }) => [onsetMs, endMs];
    expect(episodesOf(state).map(timesOf)).toEqual([...past, ...(episode === null ? [] : [episode])].map(timesOf));
    expect(watching(pulses, 15, state, 69).said).toEqual(['79 rise over 66-67']);
  });

  it('acknowledged and then missed for a while needs nobody again, though the last pulse missed was a weaker one', () => {
    const mixed = pulses.map((each, at) => {
      const isWeak = at > 1 && at % 2 === 0;
      const paces = [{ atMs: (6 * at + 1) * TICK_MS, perMinute: isWeak ? 20 : 100 }];
      return { ...(isWeak ? elevated(6 * at) : each), paces };
    });
    const taken = acknowledge(watching(mixed, 8).state, 'U1', 7 * TICK_MS);
    const { state } = follow(mixed, 34, 8, taken);
    expect(state.episode).toMatchObject({ level: 'elevated', told: { level: 'surge', pace: 100 } });
    const { said, state: after } = watching(mixed, 4, state, 42);
    expect(said).toEqual([]);
    expect(after.episode).toMatchObject({ level: 'surge', acknowledged: { by: 'U1' } });
  });

  it('is over in time although something too weak to alert follows, and with its own end', () => {
    const { said, state } = watching([record(0, 1), record(6, 7), elevated(12, 1.7)], 30);
    expect(said).toEqual([...ALERTS, '19 rise over 6-7']);
    expect(episodesOf(state)).toHaveLength(2);
  });

  it('is found again after hours without data as an episode of its own', () => {
    const { state } = watching(pulses, 9);
    const blind = Array.from(
      { length: 30 },
      (_, at): Evaluation => new Map([['rise', observe('?', (9 + at) * TICK_MS)]]),
    );
    const waiting = catchUp(blind, 38 * TICK_MS, state);
    expect(waiting.said).toEqual([]);
    expect(watching([record(0, 1), record(6, 7), record(38, 39)], 3, waiting.state, 39).said).toEqual([
      ...['39 rise over 6-7', '40 rise new'],
    ]);
  });

  it('has a new message if people have deleted the one of its return', () => {
    const { state } = watching(pulses, 8);
    const gone = withoutFurtherUpdates(state, state.message?.key ?? '');
    expect(watching(pulses, 6, gone, 8).said).toEqual(['13 rise back']);
  });

  it('stays snoozed while the same level returns', () => {
    const asleep = snooze(watching(pulses, 8).state, 'U1', 60 * TICK_MS);
    expect(watching(pulses, 40, asleep, 8)).toMatchObject({ said: [], state: { snoozed: { by: 'U1' } } });
  });

  it('reminds people only while a pulse goes on', () => {
    const policy = { escalation: { afterMs: 2 * TICK_MS, to: [] } };
    let state: WatchState = INITIAL_STATE;
    const reminded: number[] = [];
    [...'sscccc'.repeat(3), ...'c'.repeat(10)].forEach((letter, tick) => {
      const evaluation: Evaluation = new Map([['rise', observe(letter, tick * TICK_MS)]]);
      state = publish(advanceThrough(state, [evaluation], tick * TICK_MS, policy), (update) => {
        if (update.is === 'post' && state.episode !== null) reminded.push(tick);
      });
    });
    // The alerts at 0 and 6, and a reminder of the second when it's back at 12.
    expect(reminded).toEqual([6, 12]);
    expect(state.episode?.reminded).toBe(1);
  });
});

describe('the times of an episode', () => {
  function evaluations(
    ...observations: readonly (readonly [letter: string, facts?: Partial<Observation>])[]
  ): WatchState {
    let state = INITIAL_STATE;
    observations.forEach(([letter, facts], at) => {
      state = publish(advance(state, observe(letter, at * TICK_MS, facts), at * TICK_MS));
    });
    return state;
  }

  it('are those of the numbers: the end before it was called over', () => {
    const { episode } = evaluations(
      ['e', { onsetMs: -2 * TICK_MS }],
      ['e'],
      ['c', { endedMs: TICK_MS - MINUTE_MS }],
      ['c', { endedMs: TICK_MS - 2 * MINUTE_MS }],
      ['c'],
    );
    expect(episode).toMatchObject({ onsetMs: -2 * TICK_MS, endMs: TICK_MS - 2 * MINUTE_MS, closedMs: 4 * TICK_MS });
  });

  it('end with the last look that saw it where the numbers do not say', () => {
    expect(evaluations(['e'], ['b'], ['c'], ['c'], ['c']).episode).toMatchObject({ endMs: TICK_MS });
  });

  it('a later wave does not move the beginning', () => {
    const late = { onsetMs: 5 * TICK_MS };
    const { episode } = evaluations(['e', { onsetMs: 0 }], ['e'], ['e'], ['e'], ['e'], ['e', late], ['e', late]);
    expect(episode?.onsetMs).toBe(0);
  });

  it('a return begins after the end of what it is the return of', () => {
    const calm = ['c', { endedMs: TICK_MS }] as const;
    const back = ['e', { onsetMs: 0 }] as const;
    const { episode, past } = evaluations(['e', { onsetMs: 0 }], ['e'], calm, calm, calm, back, back);
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
    const { state } = course('s');
    const asleep = snooze(state, 'U1', 100 * TICK_MS);
    expect(pendingUpdate(asleep)?.is).toBe('edit');
    const { said } = course('esssccc', asleep, 1);
    expect(said.map((update) => update.replace(/^\d+ /, ''))).toEqual([...Array(6).fill('edit'), 'close', 'reply']);
    expect(wake(asleep).snoozed).toBeNull();
  });

  it('snooze: it ends when it becomes a surge, which is posted and says whose snooze it was', () => {
    const asleep = snooze(course('ee').state, 'U1', 100 * TICK_MS);
    const { said, state } = course('ees', asleep, 2);
    expect(said.filter((update) => update.includes('post'))).toEqual(['4 post worse']);
    expect(state).toMatchObject({ snoozed: null, episode: { outdated: { snoozedBy: 'U1' } } });
  });

  it('snooze: right after an alert, a surge is posted as soon as another message may be', () => {
    const asleep = snooze(course('e').state, 'U1', 100 * TICK_MS);
    expect(course('ss', asleep, 1).said).toContain('2 post worse');
  });

  it('snooze: a jump ends it, and the pace at which it was snoozed does not', () => {
    const paced = (perMinute: number, atMs: number) =>
      observe('s', atMs, { record: episodeRecord({ onsetMs: 0, endMs: null, paces: [{ atMs, perMinute }] }) });
    const at = (state: WatchState, perMinute: number, tick: number) =>
      publish(advance(state, paced(perMinute, tick * TICK_MS), tick * TICK_MS));
    const asleep = snooze(at(at(INITIAL_STATE, 10, 1), 30, 2), 'U1', 100 * TICK_MS);
    const same = at(asleep, 40, 3);
    expect([same.snoozed?.by, same.episode?.posts]).toEqual(['U1', 1]);
    const worse = at(same, 200, 4);
    expect([worse.snoozed, worse.episode?.posts]).toEqual([null, 2]);
  });

  it('snooze while all is calm: something elevated waits, a surge does not', () => {
    const quiet = snooze(INITIAL_STATE, 'U1', 100 * TICK_MS);
    expect(course('ceee', quiet).said).toEqual([]);
    expect(course('cs', quiet).said).toEqual(['1 post new']);
    expect(course('ces', quiet).said).toEqual(['2 post new']);
  });

  it('acknowledge: a higher level needs it again, and says who had', () => {
    const taken = acknowledge(course('ee').state, 'U1', TICK_MS);
    const { said, state } = course('es', taken, 2);
    expect(said).toContain('3 post worse');
    expect(state.episode).toMatchObject({ acknowledged: null, outdated: { acknowledgedBy: 'U1' } });
    expect(acknowledge(state, 'U2', 7).episode).toMatchObject({
      acknowledged: { by: 'U2' },
      outdated: { acknowledgedBy: undefined },
    });
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
  const letters = fc.array(fc.constantFrom('c', 'c', 'c', 'b', '?', 'e', 's'), { maxLength: 120 });
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
        const calm = 'c'.repeat(13);
        const luckThen: Luck[] = [...luck.slice(0, sequence.length), ...Array<Luck>(13).fill('ok')];
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
