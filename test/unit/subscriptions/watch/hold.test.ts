/** Quiet hours and maintenance in the state machine of a watch: what they hold back, and the summary afterwards. */
import { describe, expect, it } from 'vitest';
import type { Hold } from '../../../../src/subscriptions/recurrence/time-window.ts';
import {
  acknowledge,
  advanceThrough,
  isHeldUp,
  pendingUpdate,
  snooze,
  withHold,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import type { Evaluation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import { withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import {
  courseOf,
  coursesOf,
  INITIAL_STATE,
  inEachCourse,
  type WatchRecord,
  withCourse,
} from '../../../../src/subscriptions/watch/watch-state.ts';
import { fc } from '../../../support/property.ts';

const TICK_MS = 5 * 60_000;
const LEVELS: Readonly<Record<string, ObservedLevel>> = {
  c: 'calm',
  b: 'between',
  '?': 'unknown',
  e: 'elevated',
  s: 'surge',
};

const evaluationOf = (letter: string, tick: number): Evaluation => {
  const atMs = tick * TICK_MS;
  const level = LEVELS[letter] ?? 'calm';
  return new Map([['rise', { atMs, level, onsetMs: null, sinceMs: atMs - TICK_MS, endedMs: null, record: null }]]);
};

const hold = (why: Hold['why'], from: number, until: number): Hold => ({
  ...{ why, fromMs: from * TICK_MS, untilMs: until * TICK_MS },
});

interface Course {
  readonly record: WatchRecord;
  readonly said: readonly string[];
}

function publish(record: WatchRecord, tick: number, said: string[]): WatchRecord {
  let current = record;
  for (const course of coursesOf(current)) {
    for (;;) {
      const state = courseOf(current, course);
      const update = pendingUpdate(state);
      if (update === null) break;
      const news = update.is === 'post' ? ` ${state.message?.news}` : '';
      const held = update.is === 'summary' ? ` of ${state.summary?.episodes.length}` : '';
      said.push(`${tick} ${update.is}${news}${held}`);
      current = withCourse(current, course, withShown(state, update, `ts-${update.key}`));
    }
  }
  return current;
}

/** One evaluation per letter, each published; notes what notifies somebody. */
function course(letters: string, holds: readonly Hold[], start: WatchRecord = INITIAL_STATE, from = 0): Course {
  const said: string[] = [];
  const record = [...letters].reduce(
    (current, letter, at) =>
      publish(
        advanceThrough(current, [evaluationOf(letter, from + at)], (from + at) * TICK_MS, { holds }),
        from + at,
        said,
      ),
    start,
  );
  return { record, said: said.filter((each) => !/edit|close|retire/.test(each)) };
}

/** All moments at once, as after an interruption. */
function caughtUp(letters: string, holds: readonly Hold[]): readonly string[] {
  const evaluations = [...letters].map((letter, at) => evaluationOf(letter, at));
  const nowMs = letters.length * TICK_MS;
  const said: string[] = [];
  let record: WatchRecord = INITIAL_STATE;
  for (let round = 0; round < 10; round++) {
    record = publish(advanceThrough(record, evaluations, nowMs, { holds }), letters.length, said);
    if (!evaluations.some((evaluation) => isHeldUp(record, evaluation))) break;
  }
  return said.filter((each) => !/edit|close|retire/.test(each));
}

const NIGHT = hold('maintenance', 2, 8);
const QUIET = hold('quiet', 2, 8);

describe('maintenance', () => {
  it.each([
    ['says nothing if nothing happened', 'cccccccccc', []],
    ['sums up what began and ended', 'cceescccccc', ['8 summary of 1']],
    ['sums up several in one message', 'ccescccsccccccc', ['10 summary of 2']],
    ['alerts as new to what goes on afterwards', 'cceeeeeee', ['8 post new']],
    ['waits until it is clear whether it goes on', 'ccceeeeccccc', ['9 summary of 1']],
    ['waits also while there is no data', 'cceeeeee??ccccc', ['12 summary of 1']],
    ['alerts once there is data again', 'cceeeeee??ee', ['10 post new']],
    ['has both if one ended and one goes on', 'ccscccsssss', ['8 summary of 1', '8 post back']],
    ['edits and closes what had alerted before it', 'eeeccccc', ['0 post new', '5 reply']],
    ['sends what had got worse once it is over', 'eeessssss', ['0 post new', '8 post worse']],
    ['sums up what had got worse and is over', 'eeesccccc', ['0 post new', '6 reply', '8 summary of 1']],
    ['leaves alone what began after it', 'cccccccccccss', ['11 post new']],
  ])('%s', (_, letters, expected) => {
    expect(course(letters, [NIGHT]).said).toEqual(expected);
  });

  it('counts the time of an alert from when it was sent', () => {
    const { record } = course('cceeeeeee', [NIGHT]);
    expect(record.episode).toMatchObject({
      openedMs: 8 * TICK_MS,
      told: { atMs: 8 * TICK_MS },
      heldBack: { by: 'maintenance', reported: true },
    });
    // Five minutes later it's a surge: people were just notified, so that's an edit.
    expect(course('s', [], record, 9).said).toEqual([]);
  });

  it('holds back what was seen of its time, also if the watch could not look then', () => {
    expect(caughtUp('ccesccccccccc', [NIGHT])).toEqual(['13 summary of 1']);
    expect(caughtUp('eeeecccccccccc', [NIGHT])).toEqual(['14 post new']);
    expect(caughtUp('ccccccccccsccc', [NIGHT])).toEqual(['14 post new']);
  });

  it('says nothing of what was held back long before', () => {
    const { record } = course('ccesccc', [NIGHT]);
    expect(course('c', [NIGHT], record, 4 * 288).said).toEqual([]);
  });

  it('keeps an acknowledged or snoozed episode silent, and a snooze outlasts it', () => {
    const { record } = course('ccee', [NIGHT]);
    const acked = inEachCourse(record, (state) => acknowledge(state, 'U1', 4 * TICK_MS));
    expect(pendingUpdate(acked)).toBeNull();
    const snoozed = inEachCourse(record, (state) => snooze(state, 'U1', 20 * TICK_MS));
    expect(course('eeeeeeeeeeeeeeeeee', [NIGHT], snoozed, 4).said).toEqual(['20 post new']);
  });

  it('begins and ends at once at a person’s request', () => {
    const { record } = course('cccc', []);
    const held = withHold(record, hold('maintenance', 4, 30), 4 * TICK_MS);
    const { record: later, said } = course('see', [hold('maintenance', 4, 30)], held, 4);
    expect(said).toEqual([]);
    const ended = withHold(later, null, 7 * TICK_MS);
    expect(pendingUpdate(ended)).toMatchObject({ is: 'post' });
    expect(ended.held).toBeNull();
  });

  it('ended while nothing goes on, has its summary at once', () => {
    const { record } = course('ccscccc', [hold('maintenance', 2, 30)]);
    const ended = withHold(record, null, 7 * TICK_MS);
    expect(ended.summary).toMatchObject({ ts: null, untilMs: 7 * TICK_MS, by: ['maintenance'] });
    expect(withHold(ended, null, 8 * TICK_MS)).toEqual(ended);
  });
});

describe('quiet hours', () => {
  it.each([
    ['hold back what is below a surge', 'cceeeccccc', ['8 summary of 1']],
    ['let a surge through', 'ccsssccccc', ['2 post new', '7 reply']],
    ['let through what becomes a surge', 'cceessccccc', ['4 post new', '8 reply']],
    ['let a worse level through', 'eeessccccc', ['0 post new', '3 post worse', '7 reply']],
  ])('%s', (_, letters, expected) => {
    expect(course(letters, [QUIET]).said).toEqual(expected);
  });

  it('with maintenance inside hold back a surge then, alert after that, and end with one summary', () => {
    const holds = [hold('quiet', 2, 30), hold('maintenance', 10, 14)];
    // The surge is a return, which is over after an hour.
    const letters = 'cceccccccccssssssscccccccccccccccc';
    const { said, record } = course(letters, holds);
    expect(said).toEqual(['14 post back', '29 reply', '30 summary of 1']);
    expect(record.summary).toMatchObject({ fromMs: 2 * TICK_MS, untilMs: 30 * TICK_MS, by: ['quiet', 'maintenance'] });
  });

  it('that hold back a worse pulse of what has returned name it in the summary', () => {
    const { said } = course(`ecccce${'c'.repeat(6)}s${'c'.repeat(20)}`, [hold('maintenance', 10, 20)]);
    expect(said).toEqual(['0 post new', '3 reply', '5 post back', '15 reply', '20 summary of 1']);
  });
});

describe('any course', () => {
  const letters = fc.string({ unit: fc.constantFrom('c', 'c', 'c', 'b', 'e', 's', '?'), minLength: 5, maxLength: 60 });
  const holds = fc.array(
    fc
      .record({
        why: fc.constantFrom<Hold['why']>('quiet', 'maintenance'),
        from: fc.nat(40),
        length: fc.integer({ min: 1, max: 20 }),
      })
      .map(({ why, from, length }) => hold(why, from, from + length)),
    { maxLength: 4 },
  );
  const isIn = (tick: number, some: readonly Hold[]): boolean =>
    some.some(({ fromMs, untilMs }) => fromMs <= tick * TICK_MS && tick * TICK_MS < untilMs);

  it('never alerts during maintenance, and reports each episode that is over exactly once', () => {
    fc.assert(
      fc.property(letters, holds, (some, times) => {
        const { said, record } = course(`${some}${'c'.repeat(70)}`, times);
        const maintenance = times.filter(({ why }) => why === 'maintenance');
        for (const each of said.filter((one) => /post|summary/.test(one))) {
          expect(isIn(Number.parseInt(each, 10), maintenance)).toBe(false);
        }
        const count = (pattern: RegExp): number => said.filter((each) => pattern.test(each)).length;
        const summed = said.reduce((sum, each) => sum + Number(/summary of (\d+)/.exec(each)?.[1] ?? 0), 0);
        const all = record.past.concat(record.episode ?? []);
        const idsOf = (some: typeof all): number => new Set(some.map(({ id }) => id)).size;
        const gotWorse = idsOf(all.filter(({ heldBack, firstTs }) => heldBack !== undefined && firstTs !== null));
        const episodes = idsOf(all);
        const alerted = count(/post (new|back)/);
        expect(alerted + summed).toBeGreaterThanOrEqual(episodes);
        expect(alerted + summed).toBeLessThanOrEqual(episodes + gotWorse);
        expect(record.held ?? null).toBeNull();
      }),
    );
  });
});
