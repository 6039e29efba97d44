/** Which states of an episode become pages, and that none is lost or repeated, whatever comes together. */
import { describe, expect, it } from 'vitest';
import type { EpisodePage } from '../../../../src/pagers/page.ts';
import type { Hold } from '../../../../src/subscriptions/recurrence/time-window.ts';
import {
  acknowledge,
  advanceThrough,
  assign,
  pendingUpdate,
  snooze,
} from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import type { Evaluation, ObservedLevel } from '../../../../src/subscriptions/watch/observation.ts';
import {
  isPagingAbout,
  type PagedWatch,
  pendingPages,
  withoutPages,
  withoutPaging,
  withPages,
} from '../../../../src/subscriptions/watch/paging.ts';
import { withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { INITIAL_STATE, inEachCourse, type WatchRecord } from '../../../../src/subscriptions/watch/watch-state.ts';
import { fc } from '../../../support/property.ts';

const TICK_MS = 5 * 60_000;
const LEVELS: Readonly<Record<string, ObservedLevel>> = {
  c: 'calm',
  b: 'between',
  '?': 'unknown',
  e: 'elevated',
  s: 'surge',
};
const WATCH: PagedWatch = {
  ref: { kind: 'watch', channel: 'C1', id: 'abc234' },
  watch: {
    id: 'abc234',
    rule: { kind: 'verdict' },
    sensitivity: 'normal',
    hosts: [{ id: '1', name: 'shop' }],
    zone: 'UTC',
  },
  project: null,
  from: 'elevated',
};
const AT_NIGHT: Hold = { why: 'maintenance', fromMs: 2 * TICK_MS, untilMs: 6 * TICK_MS };

interface Paged {
  readonly record: WatchRecord;
  readonly pages: readonly EpisodePage[];
}

const evaluationOf = (level: ObservedLevel, atMs: number): Evaluation =>
  new Map([['rise', { atMs, level, onsetMs: null, sinceMs: atMs - TICK_MS, endedMs: null, record: null }]]);

/** What one letter does: an evaluation, or somebody who acknowledges, takes over, snoozes or pauses the watch. */
function step(record: WatchRecord, letter: string, nowMs: number, holds: readonly Hold[]): WatchRecord {
  if (letter === 'A') return inEachCourse(record, (state) => acknowledge(state, 'U1', nowMs));
  if (letter === 'B') return inEachCourse(record, (state) => assign(state, 'U2', 'U1', nowMs));
  if (letter === 'Z') return inEachCourse(record, (state) => snooze(state, 'U1', nowMs + 4 * TICK_MS));
  if (letter === 'P') return withoutPaging(record);
  return advanceThrough(record, [evaluationOf(LEVELS[letter] ?? 'calm', nowMs)], nowMs, { holds });
}

function shown(record: WatchRecord): WatchRecord {
  const update = pendingUpdate(record);
  return update === null ? record : shown(withShown(record, update, `ts-${update.key}`));
}

/** One letter every five minutes, each handed over to the queue. */
function paged(letters: string, watch: PagedWatch = WATCH, holds: readonly Hold[] = []): Paged {
  return [...letters].reduce<Paged>(
    ({ record, pages }, letter, at) => {
      const stepped = step(record, letter, at * TICK_MS, holds);
      // A paused watch doesn't run.
      const next = letter === 'P' ? stepped : withPages(stepped, watch, at * TICK_MS);
      const pending = pendingPages(next);
      return { record: shown(withoutPages(next, pending)), pages: [...pages, ...pending] };
    },
    { record: INITIAL_STATE, pages: [] },
  );
}

const statesIn = (letters: string, ...rest: [PagedWatch?, (readonly Hold[])?]): string =>
  paged(letters, ...rest)
    .pages.map(({ state, number, level }) => `${number} ${state}${level === 'surge' ? '!' : ''}`)
    .join(', ');

/** Calm until a return is over. */
const HOUR = 'c'.repeat(12);

describe('pages', () => {
  it.each([
    ['of an episode from its beginning to its end', 'cesAccc', '1 begun, 2 worse!, 3 acknowledged!, 4 over!'],
    ['of one that is a surge at once', 'csccc', '1 begun!, 2 over!'],
    ['of two, each with its own numbers', `csccccs${HOUR}`, '1 begun!, 2 over!, 1 begun!, 2 over!'],
    [
      'of what returns again and again, as one from its first return on',
      `cscccccscccccsAcccccecccccs${HOUR}`,
      '1 begun!, 2 over!, 1 begun!, 2 acknowledged!, 3 over!',
    ],
    ['of whoever takes it over', 'cseABccc', '1 begun!, 2 acknowledged!, 3 acknowledged!, 4 over!'],
    [
      'of who acknowledges again after it got worse',
      'ceeAesAccc',
      '1 begun, 2 acknowledged, 3 worse!, 4 acknowledged!, 5 over!',
    ],
    ['of nothing while there are no numbers', 'cs????', '1 begun!'],
    ['of nothing that is snoozed, until it gets worse', 'Zeeesccc', '1 begun!, 2 over!'],
    ['of one that goes on after the watch was paused, as another incident', 'csPsccc', '1 begun!, 1 begun!, 2 over!'],
    ['of none that ended while the watch was paused', 'csPccc', '1 begun!'],
  ])('%s', (_, letters, expected) => {
    expect(statesIn(letters)).toBe(expected);
  });

  it('wait for the level that pages', () => {
    const watch: PagedWatch = { ...WATCH, from: 'surge' };
    expect(statesIn('ceeccc', watch)).toBe('');
    expect(statesIn('ceesccc', watch)).toBe('1 begun!, 2 over!');
  });

  it('wait for the end of maintenance, as the alert does', () => {
    expect(statesIn('ccsssssss', WATCH, [AT_NIGHT])).toBe('1 begun!');
    expect(statesIn('ccsccccccc', WATCH, [AT_NIGHT])).toBe('');
  });

  it('are complete, and not those of another watch', () => {
    const [begun, over] = paged('csccc').pages;
    expect(begun).toMatchObject({ channel: 'C1', watch: 'abc234', hosts: ['shop'], kind: 'attacks_high', endMs: null });
    expect(begun?.summary).toBe('Surge since 00:00 (UTC)');
    expect(over).toMatchObject({ key: begun?.key, endMs: expect.any(Number) });
    const other = { ...WATCH, ref: { ...WATCH.ref, id: 'xyz789' } };
    expect(paged('csccc', other).pages[0]?.key).not.toBe(begun?.key);
  });

  it('are added once, however often the record is looked at', () => {
    const { record } = paged('ces');
    expect(withPages(record, WATCH, 99 * TICK_MS)).toBe(record);
    expect(isPagingAbout(record, record.episode?.id ?? '')).toBe(true);
    expect(isPagingAbout(paged('cesccc').record, record.episode?.id ?? '')).toBe(false);
  });

  it('of each episode begin once, end at most once, and have no gap', () => {
    const course = fc.array(fc.constantFrom(...'ccceess?bABZP'), { maxLength: 60 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(course, (letters) => {
        for (const pages of Map.groupBy(paged(letters, WATCH, [AT_NIGHT]).pages, ({ key }) => key).values()) {
          expect(pages.map(({ number }) => number)).toEqual(pages.map((_, at) => at + 1));
          const states = pages.map(({ state }) => state);
          expect(states.indexOf('begun')).toBe(states.lastIndexOf('begun'));
          expect(states[0]).toBe('begun');
          if (states.includes('over')) expect(states.indexOf('over')).toBe(states.length - 1);
        }
      }),
    );
  });
});
