/** What is one event alerts people once, and all of it is still told. */
import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../../src/episodes/episode.ts';
import type { EpisodePage } from '../../../../src/pagers/page.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import { advanceThrough, pendingUpdate } from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import { updateReply } from '../../../../src/subscriptions/watch/episode-reply.ts';
import { evaluationAt } from '../../../../src/subscriptions/watch/evaluate.ts';
import { pendingPages, withoutPages, withPages } from '../../../../src/subscriptions/watch/paging.ts';
import { withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { replayRecords } from '../../../../src/subscriptions/watch/replay.ts';
import {
  courseOf,
  coursesOf,
  INITIAL_STATE,
  type WatchRecord,
  withCourse,
} from '../../../../src/subscriptions/watch/watch-state.ts';
import { episodeRecord } from '../../../support/episodes.ts';

const TICK_MS = 5 * 60_000;
const BAR = 2;
const WATCH = { id: 'w1', rule: { kind: 'verdict' }, sensitivity: 'normal', hosts: [], zone: 'UTC' } as const;
const PAGED = {
  ref: { kind: 'watch', channel: 'C1', id: 'w1' },
  watch: WATCH,
  project: null,
  from: 'elevated',
} as const;

/** Elevated, with its onset and end in ticks, from the tick at which it's strong enough; as a surge from another one. */
function record(onset: number, end: number | null, alerts: number, facts: Partial<EpisodeRecord> = {}, surge?: number) {
  const steps = [{ atMs: alerts * TICK_MS, strength: 4, level: 'elevated' as const }];
  const worse = surge === undefined ? [] : [{ atMs: surge * TICK_MS, strength: 4, level: 'surge' as const }];
  const base = episodeRecord({ onsetMs: onset * TICK_MS, endMs: end === null ? null : end * TICK_MS });
  const figures = { ...base.figures, untilMs: (end ?? 1_000) * TICK_MS };
  return { ...base, figures, steps: [...steps, ...worse], worst: 'elevated', ...facts } satisfies EpisodeRecord;
}

const mix = (category: string, onset: number, end: number | null, alerts: number) =>
  record(onset, end, alerts, { id: `mix-${category}-${onset}`, mix: category });

/** Look by look: what is posted where, what is over, and what pagers get. */
function watched(records: readonly EpisodeRecord[], ticks: number) {
  let state: WatchRecord = INITIAL_STATE;
  const said: string[] = [];
  const pages: EpisodePage[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    const nowMs = tick * TICK_MS;
    state = withPages(advanceThrough(state, [evaluationAt(records, nowMs, BAR)], nowMs), PAGED, nowMs);
    pages.push(...pendingPages(state));
    state = withoutPages(state, pendingPages(state));
    for (const course of coursesOf(state)) {
      let own = courseOf(state, course);
      for (let update = pendingUpdate(own); update !== null; update = pendingUpdate(own)) {
        const where = 'threadTs' in update ? ` below ${update.threadTs?.replace('ts-', '')}` : '';
        if (update.is === 'post') said.push(`${tick} ${course} ${own.message?.news}${where}`);
        if (update.is === 'close') said.push(`${tick} ${course} over`);
        own = withShown(own, update, `ts-${course}`);
      }
      state = withCourse(state, course, own);
    }
  }
  return { state, said, pages: pages.map((page) => `${page.state} ${page.level} ${page.kind}`) };
}

const WEBSHELL = mix('webshell', 2, 20, 6);

describe('what had begun before an alert', () => {
  const ramp = [record(0, 30, 12), WEBSHELL, mix('lfi', 4, 18, 7), mix('xss', 5, 22, 8)];

  it('is told in its thread: one alert for a slow ramp that is busiest in one category after another', () => {
    expect(watched(ramp, 40).said).toEqual([
      '6 mix-webshell new',
      '7 mix-lfi new below mix-webshell',
      '8 mix-xss new below mix-webshell',
      '12 rise new below mix-webshell',
      '26 mix-lfi over',
      '30 mix-xss over',
      '32 mix-webshell over',
      '34 rise over',
    ]);
  });

  it('is named in the alert, which waits for its end, and is paged once', () => {
    const { state, pages } = watched(ramp, 31);
    const { episode } = courseOf(state, 'mix-webshell');
    expect(episode?.also?.map((each) => [each.mix, each.isOver])).toEqual([
      ['lfi', true],
      ['xss', true],
      [undefined, false],
    ]);
    const now = Temporal.Instant.fromEpochMilliseconds(31 * TICK_MS);
    const shown = { is: 'edit', key: 'k', ts: 't', revision: 1 } as const;
    const { body = [] } = updateReply(courseOf(state, 'mix-webshell'), shown, WATCH, { now, measurement: null });
    expect(body.map(plainText)).toContain(
      'Also Local file inclusion unusually high (over), XSS unusually high (over), more attacks in all: see the thread.',
    );
    expect(pages).toEqual(['begun elevated category_high']);
    expect(watched(ramp, 40).pages).toEqual(['begun elevated category_high', 'over elevated category_high']);
  });

  it('has a message in the channel if it is a surge, or becomes one, and the same page gets worse', () => {
    const surge = watched([WEBSHELL, record(0, 30, 12, {}, 12)], 40);
    expect(surge.said.slice(0, 2)).toEqual(['6 mix-webshell new', '12 rise new']);
    const later = watched([WEBSHELL, record(0, 30, 12, {}, 16)], 40);
    expect(later.said.slice(0, 3)).toEqual(['6 mix-webshell new', '12 rise new below mix-webshell', '16 rise worse']);
    for (const { pages, said } of [surge, later]) {
      expect(pages).toEqual(['begun elevated category_high', 'worse surge category_high', 'over surge category_high']);
      expect(said.slice(-2)).toEqual(['32 mix-webshell over', '34 rise over']);
    }
  });

  it('goes on by itself, with a page of its own, when the alert has been calm for an hour', () => {
    const { state, said, pages } = watched([WEBSHELL, mix('lfi', 4, 60, 7)], 80);
    expect(said).toEqual([
      '6 mix-webshell new',
      '7 mix-lfi new below mix-webshell',
      '32 mix-webshell over',
      '68 mix-lfi over',
    ]);
    expect(courseOf(state, 'mix-webshell').episode?.also).toMatchObject([{ mix: 'lfi', isOver: false }]);
    expect(pages).toEqual(['begun', 'over', 'begun', 'over'].map((page) => `${page} elevated category_high`));
  });

  it('from the same look on is told below the first of them at once, in a replay, too', async () => {
    const records = [WEBSHELL, mix('lfi', 4, 18, 6)];
    const { messages } = await replayRecords(records, BAR, { fromMs: 0, toMs: 40 * TICK_MS });
    expect(messages.map(({ kind }) => kind)).toEqual(['new', 'update', 'over', 'over']);
  });
});

describe('an alert of its own has', () => {
  it('a category that begins after the alert, however soon', () => {
    expect(watched([WEBSHELL, mix('lfi', 7, 19, 9)], 12).said).toEqual(['6 mix-webshell new', '9 mix-lfi new']);
  });

  it('what had begun before an alert, but is told more than two hours after it', () => {
    const going = { ...WEBSHELL, endMs: 60 * TICK_MS };
    expect(watched([going, mix('lfi', 4, 40, 30)], 31).said).toContain('30 mix-lfi new below mix-webshell');
    expect(watched([going, mix('lfi', 4, 40, 31)], 32).said).toEqual(['6 mix-webshell new', '31 mix-lfi new']);
  });

  it('what had begun before an alert that is over by now', () => {
    const { said } = watched([mix('webshell', 2, 4, 6), mix('lfi', 5, 30, 20)], 22);
    expect(said).toEqual(['6 mix-webshell new', '12 mix-webshell over', '20 mix-lfi new']);
  });

  it('something that has stopped', () => {
    const gone = record(3, 15, 8, { id: 'requests-3', drop: 'requests' });
    expect(watched([WEBSHELL, gone], 10).said).toEqual(['6 mix-webshell new', '8 requests new']);
  });
});
