import { describe, expect, it } from 'vitest';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../../../src/errors.ts';
import type { Statistics, StatisticsQuery } from '../../../../src/statistics/statistics.ts';
import { createPreview, type PreviewQuery } from '../../../../src/subscriptions/watch/preview.ts';
import { episodeLog } from '../../../support/episodes.ts';
import { leastTurnMs } from '../../../support/loop-meter.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const NOW = Temporal.Instant.from('2026-03-11T10:07Z');
const NOW_MS = NOW.epochMilliseconds;
const START_MS = Temporal.Instant.from('2026-01-25T00:00Z').epochMilliseconds;
const at = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds;
const EVERY = { everyMs: 5 * MINUTE_MS, answers: [], hosts: [], zone: 'Europe/Berlin', asker: 'U1' } as const;
const QUERY = { ...EVERY, rule: { kind: 'verdict' } } as const;

/** What a replay of it takes is next to nothing. */
const COUNTING = { ...QUERY, rule: { kind: 'threshold', what: 'attacks', over: 500, perMs: 10 * MINUTE_MS } } as const;

/** Fifty attacks in five minutes, more or less, and what a test adds to them. */
function service(more: (startMs: number) => number | null, refuse: (query: StatisticsQuery) => boolean = () => false) {
  const intervalMs = 5 * MINUTE_MS;
  const attacks = Array.from({ length: Math.ceil((NOW_MS - START_MS) / intervalMs) }, (_, step) => {
    const added = more(START_MS + step * intervalMs);
    return added === null ? null : 50 + ((step * 7919) % 13) - 6 + added;
  });
  const requests = attacks.map((count) => (count === null ? null : 5_000 + count));
  const numbers = recordedStatistics({ startMs: START_MS, intervalMs, requests, attacks, categories: null })(NOW_MS);
  const asked: StatisticsQuery[] = [];
  const statistics: Statistics = {
    async timeline(query) {
      asked.push(query);
      if (refuse(query)) throw new BotError('upstream_unavailable', 'The service is down.');
      return numbers.timeline(query);
    },
    distribution: numbers.distribution,
  };
  const preview = createPreview({ now: () => NOW });
  const project = { statistics, episodes: episodeLog(statistics, () => NOW) };
  return { asked, preview: (query: Omit<PreviewQuery, 'project'>) => preview({ ...query, project }) };
}

const WAVE = { fromMs: at('2026-03-06T10:00Z'), toMs: at('2026-03-06T10:40Z') };
const wave = (ms: number): number => (ms >= WAVE.fromMs && ms < WAVE.toMs ? 300 : 0);

describe('a preview', () => {
  it('says when a watch would have called in the last fourteen days, for each sensitivity', async () => {
    const { fromMs, toMs, known, watches } = await service(wave).preview(QUERY);
    // As far as a watch has seen by now, so that both tell the same of what is ongoing.
    expect([fromMs, toMs]).toEqual([at('2026-02-25T10:04Z'), at('2026-03-11T10:04Z')]);
    expect(known).toBe(1);
    expect([...watches.keys()]).toEqual(['quiet', 'normal', 'sensitive']);
    for (const { messages, episodes } of watches.values()) {
      expect(messages.map(({ kind }) => kind)).toEqual(['new', 'over']);
      expect(episodes).toMatchObject([{ onsetMs: WAVE.fromMs, endMs: WAVE.toMs }]);
    }
  });

  it('asks in few windows, which are the same whenever it is asked for', async () => {
    const { asked, preview } = service(() => 0);
    await preview(COUNTING);
    const first = asked.splice(0);
    expect(first.length).toBeLessThanOrEqual(16);
    await preview({ ...COUNTING, asker: 'U2' });
    const window = ({ range }: StatisticsQuery) => `${range.from}/${range.to}`;
    expect(asked.map(window)).toEqual(first.map(window));
    const settled = first.filter(({ range }) => range.to.epochMilliseconds < NOW_MS - DAY_MS);
    for (const { range } of settled) {
      expect(range.from.epochMilliseconds % DAY_MS).toBe(0);
      expect(range.to.epochMilliseconds % DAY_MS).toBe(0);
    }
    expect(first.every(({ asker }) => asker === 'U1')).toBe(true);
  });

  it('holds nobody else up', async () => {
    const { preview } = service(wave);
    expect(await leastTurnMs(() => preview(QUERY), { goodMs: 50, rounds: 3 })).toBeLessThanOrEqual(50);
  });

  it('is made for one after another, and not for everybody at once', async () => {
    const { preview } = service(() => 0);
    const many = await Promise.allSettled(Array.from({ length: 6 }, () => preview(COUNTING)));
    const refused = many.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ reason: { code: 'limit' } });
    await expect(preview(COUNTING)).resolves.toBeDefined();
  });

  it('does without days that the service does not have, and says how much it saw', async () => {
    const before = at('2026-03-01T00:00Z');
    const { known, watches } = await service((ms) => (ms < before ? null : wave(ms))).preview(QUERY);
    // The first half day has nothing before it to be compared with.
    expect(known).toBeCloseTo(9.9 / 14, 2);
    expect(watches.get('normal')?.episodes).toMatchObject([{ onsetMs: WAVE.fromMs }]);
    const old = service(wave, ({ range }) => range.to.epochMilliseconds < at('2026-02-20T00:00Z'));
    expect((await old.preview(COUNTING)).watches.get('normal')?.messages).toHaveLength(2);
    const down = service(wave, () => true);
    await expect(down.preview(QUERY)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('of a watch that counts has one answer, of one category none', async () => {
    const { preview } = service(wave);
    const { watches } = await preview(COUNTING);
    expect([...watches.keys()]).toEqual(['normal']);
    expect(watches.get('normal')?.episodes).toHaveLength(1);
    await expect(preview({ ...COUNTING, rule: { ...COUNTING.rule, what: 'sqli' } })).rejects.toMatchObject({
      code: 'limit',
    });
  });
});
