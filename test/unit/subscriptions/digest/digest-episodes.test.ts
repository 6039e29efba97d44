/** What a digest says and marks: every episode of its time, as the records have it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { assess } from '../../../../src/episodes/assess.ts';
import type { EpisodeRecord, ReportedEpisode } from '../../../../src/episodes/episode.ts';
import { createEpisodeLog, type EpisodeLog } from '../../../../src/episodes/episode-log.ts';
import { rememberIgnored } from '../../../../src/episodes/ignored.ts';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../../../src/errors.ts';
import { whatWords } from '../../../../src/replies/episode-account.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import type { Reply } from '../../../../src/replies/reply.ts';
import { formatCount } from '../../../../src/statistics/format.ts';
import { createDigestReply } from '../../../../src/subscriptions/digest/digest-reply.ts';

const MINUTE = 60_000;
const DAYS = 37;
const START_MS = Date.parse('2026-10-10T00:00:00Z');
const NOW = Temporal.Instant.from('2026-11-16T00:00:00Z');

/** The same on every run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const at = (time: string): number => (Date.parse(`2026-11-15T${time}:00Z`) - START_MS) / MINUTE;
const within = (minute: number, from: string, to: string): boolean => minute >= at(from) && minute < at(to);

/** Five weeks as usual, then a day on which everything happens. */
function eventfulDay() {
  const random = noise(7);
  const minutes = DAYS * 1440;
  const [requests, sqli, xss, webshell]: number[][] = [[], [], [], []];
  for (let minute = 0; minute < minutes; minute += 1) {
    const isGone = within(minute, '11:00', '11:40');
    const isBlind = within(minute, '14:00', '15:30');
    const some = (mean: number): number => Math.round(mean * (0.5 + random()));
    const more = within(minute, '03:00', '03:30') ? 60 : within(minute, '18:00', '18:40') ? 9 : 0;
    sqli?.push(isGone || isBlind ? 0 : some(4 + more));
    xss?.push(isGone || isBlind ? 0 : some(3));
    webshell?.push(within(minute, '20:15', '20:45') && minute % 2 === 0 ? 3 : 0);
    requests?.push(isGone ? 0 : some(300));
  }
  const attacks = (sqli ?? []).map((count, minute) => count + (xss?.[minute] ?? 0) + (webshell?.[minute] ?? 0));
  const categories = { sqli: sqli ?? [], xss: xss ?? [], webshell: webshell ?? [] };
  return recordedStatistics({ startMs: START_MS, intervalMs: MINUTE, requests: requests ?? [], attacks, categories });
}

const statistics = eventfulDay()(NOW.epochMilliseconds);
const log = createEpisodeLog({ statistics, blocks: null, nowMs: () => NOW.epochMilliseconds, zone: 'UTC' });
const DAY = { from: Temporal.Instant.from('2026-11-15T00:00:00Z'), to: NOW };

interface World {
  readonly episodes?: EpisodeLog;
  readonly reported?: readonly ReportedEpisode[];
  readonly zone?: string;
  readonly channel?: string;
  readonly range?: typeof DAY;
  readonly now?: Temporal.Instant;
}

async function digest(world: World = {}) {
  const { episodes = log, reported = [], zone = 'UTC', channel = 'C1', range = DAY, now = NOW } = world;
  const compose = createDigestReply({
    statistics,
    ignored: rememberIgnored(),
    episodes,
    hosts: { entries: async () => [] },
    clock: { ...systemClock, now: () => now },
    reported: async () => reported,
    linkTo: async (_, ts) => `https://slack/${ts}`,
  });
  const { message } = await compose({ id: 'd1', channel, zone, hosts: [] }, range, { late: false, tail: null });
  return message;
}

const linesOf = ({ headline = [], body = [] }: Reply): string[] => [headline, ...body].map(plainText);
const storyOf = (reply: Reply): string[] => linesOf(reply).slice(0, -1);

/** `03:00 – 03:30`, `from 18:00 on` in a line. */
const timesIn = (line: string): string | undefined => /\d\d:\d\d ?– ?\d\d:\d\d|from \d\d:\d\d on/i.exec(line)?.[0];

let records: readonly EpisodeRecord[];
beforeAll(async () => {
  const list = await log.within({ fromMs: DAY.from.epochMilliseconds, toMs: NOW.epochMilliseconds, hosts: [] });
  records = list?.episodes ?? [];
});

const recordOf = (id: RegExp): EpisodeRecord => {
  const found = records.find((record) => id.test(record.id));
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

it('what ended just before its time is named as over, because the digest before may have called it ongoing', async () => {
  const since = (time: string) => ({ ...DAY, from: Temporal.Instant.from(`2026-11-15T${time}:00Z`) });
  const after = linesOf(await digest({ range: since('03:40') }));
  expect(after.filter((line) => line.startsWith('Ended shortly before'))).toEqual([
    expect.stringMatching(/^Ended shortly before: 03:00–03:30, [\d.]+× usual, led by SQL injection\.$/),
  ]);
  for (const time of ['03:10', '04:00'])
    expect(linesOf(await digest({ range: since(time) })).join()).not.toContain('Over before');
});

describe('a day with several episodes', () => {
  it('names every one of them, with what it was', async () => {
    const reply = await digest();
    expect(reply.title).toBe(
      'Sun 15 Nov: one surge, one smaller rise, visitors gone for 40 minutes, two others, otherwise calm',
    );
    expect(reply.level).toBe('past');
    const story = storyOf(reply);
    expect(story).toEqual([
      expect.stringMatching(/^03:00 – 03:30: 1,\d{3} attacks, 9\.\d× usual, led by SQL injection\.$/),
      expect.stringMatching(/^18:00 – 18:40: \d{3} attacks, 2\.\d× usual, led by SQL injection\.$/),
      'Also 14:00–15:30: no attacks while visitors kept coming.',
      'Also 11:00–11:40: visitors gone.',
      'Also 20:15–20:45: Webshell, 45 events, none before.',
    ]);
    expect(records).toHaveLength(story.length);
  });

  it('marks in its chart what its text names, each where it shows', async () => {
    const reply = await digest();
    const chart = reply.chart?.kind === 'timeline' ? reply.chart : undefined;
    const clock = (ms: number | null): string => new Date(ms ?? 0).toISOString().slice(11, 16);
    const marked = chart?.marks.map(({ onsetMs, endMs }) => `${clock(onsetMs)} – ${clock(endMs)}`);
    expect(marked).toEqual(storyOf(reply).map((line) => timesIn(line)?.replace(/ ?– ?/, ' – ')));
    expect(chart?.marks.map(({ of }) => of)).toEqual(['attacks', 'attacks', 'attacks', 'requests', 'attacks']);
  });

  it('has the numbers of a check of the same window', async () => {
    const range = DAY;
    const { episodes } = await assess({ statistics, episodes: log }, { range, hosts: [], zone: 'Europe/Stockholm' });
    const story = storyOf(await digest());
    expect(episodes).toHaveLength(story.length);
    for (const [place, episode] of episodes.entries()) {
      expect(story[place]).toContain(place < 2 ? formatCount(episode.figures.total) : whatWords(episode));
    }
    const gone = recordOf(/^requests-/);
    const around = {
      from: Temporal.Instant.from('2026-11-15T10:00:00Z'),
      to: Temporal.Instant.from('2026-11-15T12:00:00Z'),
    };
    expect(storyOf(await digest({ range: around }))).toEqual([
      `11:00 – 11:40: visitors gone, about ${formatCount(gone.figures.expected ?? 0)} expected.`,
    ]);
  });

  it('is the same for every channel, time zone and window', async () => {
    const here = await digest();
    const finding = ({ title }: Reply): string => title.replace(/^.*?: /, '');
    const withoutTimes = (reply: Reply) => storyOf(reply).map((line) => line.replace(/^(Also )?.*?\d: /, '$1'));
    const marks = ({ chart }: Reply) => (chart?.kind === 'timeline' ? chart.marks : null);
    for (const [zone, times] of [
      ['Asia/Kolkata', '15 Nov 08:30 – 09:00'],
      ['America/New_York', '14 Nov 22:00 – 22:30'],
    ] as const) {
      const elsewhere = await digest({ channel: 'C2', zone });
      expect([finding(elsewhere), withoutTimes(elsewhere)]).toEqual([finding(here), withoutTimes(here)]);
      expect(marks(elsewhere)).toEqual(marks(here));
      expect(storyOf(elsewhere)[0]).toMatch(new RegExp(`^${times}: `));
    }
    // A window that cuts an episode has its true times and numbers.
    const from = Temporal.Instant.from('2026-11-15T18:20:00Z');
    const part = storyOf(await digest({ range: { from, to: NOW } }));
    expect(part[0]).toBe(storyOf(here)[1]);
  });

  it('leads with what is ongoing, and says as of when', async () => {
    const now = Temporal.Instant.from('2026-11-15T18:28:00Z');
    const then = eventfulDay()(now.epochMilliseconds);
    const episodes = createEpisodeLog({
      statistics: then,
      blocks: null,
      nowMs: () => now.epochMilliseconds,
      zone: 'UTC',
    });
    const range = { from: DAY.from, to: Temporal.Instant.from('2026-11-15T18:25:00Z') };
    const reply = await digest({ episodes, range, now });
    expect(reply.title).toMatch(
      /: one smaller rise ongoing at 18:2\d, before that one surge, visitors gone for 40 minutes, no attacks/,
    );
    expect(reply.level).toBe('elevated');
    expect(storyOf(reply)[0]).toMatch(/^From 18:0\d on \(ongoing at 18:2\d\): \d+ attacks, /);
    expect(linesOf(reply).join(' ')).not.toMatch(/since|calm/i);
    const late = await digest({ episodes, range: { ...range, to: range.to.subtract({ minutes: 15 }) }, now });
    expect(late.title).toMatch(/: one smaller rise ongoing at 18:2\d, before that one surge/);
  });
});

it('names the category if nothing else happened', async () => {
  const range = { from: Temporal.Instant.from('2026-11-15T19:30:00Z'), to: NOW };
  const reply = await digest({ range });
  expect(reply.title).toMatch(/: more Webshell than usual, otherwise calm$/);
  expect(storyOf(reply)).toEqual(['20:15 – 20:45: Webshell, 45 events, none before.']);
});

describe('what the channel was told', () => {
  const reported = (record: EpisodeRecord, rest: Partial<ReportedEpisode> = {}): ReportedEpisode => ({
    ...record,
    record: record.id,
    id: 'e1',
    watch: 'w1',
    limit: null,
    hosts: [],
    openedMs: record.onsetMs + 8 * MINUTE,
    acknowledged: { by: 'U1', atMs: record.onsetMs + 10 * MINUTE },
    firstTs: '1.2',
    ...rest,
  });

  it('is added to the episode, whose times and numbers are those of the record', async () => {
    const surge = recordOf(/^rise-/);
    const onsetMs = surge.onsetMs + 3 * MINUTE;
    const told = await digest({ reported: [reported(surge, { onsetMs, figures: { ...surge.figures, total: 3 } })] });
    const plain = await digest();
    expect(told.title).toBe(plain.title);
    expect(storyOf(told)[0]).toBe(storyOf(plain)[0]?.replace(/\.$/, ', acknowledged after 2 minutes by @U1 (alert).'));
    expect(storyOf(told).slice(1)).toEqual(storyOf(plain).slice(1));
  });

  it('by a watch of another host is not a second episode', async () => {
    const surge = recordOf(/^rise-/);
    const reply = await digest({ reported: [reported(surge, { hosts: ['shop'], acknowledged: null })] });
    expect(storyOf(reply)).toHaveLength(records.length);
    expect(storyOf(reply)[0]).toMatch(/led by SQL injection, reported on shop, not acknowledged \(alert\)\.$/);
  });

  it('by an earlier version is found by its time', async () => {
    const { record: _, ...earlier } = reported(recordOf(/^requests-/));
    expect(storyOf(await digest({ reported: [earlier] }))[3]).toMatch(/visitors gone, acknowledged after 2 minutes/);
  });

  it('of a limit or of another time is listed besides', async () => {
    const surge = recordOf(/^rise-/);
    const limit = reported(surge, { limit: 'attacks over 500 per 15 minutes', acknowledged: null });
    const reply = await digest({ reported: [limit] });
    expect(storyOf(reply)).toHaveLength(records.length + 1);
    expect(storyOf(reply)).toContain('Also 03:00–03:30: attacks over 500 per 15 minutes, not acknowledged (alert).');
    const onsetMs = surge.onsetMs + 4 * 60 * MINUTE;
    const { record: _, ...later } = reported(surge, { onsetMs, endMs: onsetMs + 20 * MINUTE, hosts: ['shop'] });
    expect(storyOf(await digest({ reported: [later] })).join('\n')).toMatch(
      /Also 07:00–07:20: 9\.\d× usual, led by SQL injection, on shop, acknowledged after/,
    );
  });
});

describe('a time that could not be judged', () => {
  const failing: EpisodeLog = {
    numbers: async () => null,
    weeksBefore: async () => [],
    within: async () => Promise.reject(new BotError('upstream_unavailable', 'Down.')),
  };

  it('is never called calm', async () => {
    const reply = await digest({ episodes: failing });
    expect(reply.title).toBe('Sun 15 Nov: unknown whether this is normal');
    expect(reply.level).toBeUndefined();
    const partly: EpisodeLog = {
      numbers: async () => null,
      weeksBefore: async () => [],
      within: async () => ({
        episodes: [recordOf(/^rise-/)],
        held: [],
        judged: false,
        untilMs: NOW.epochMilliseconds,
        stale: false,
        lacksCategories: false,
      }),
    };
    expect((await digest({ episodes: partly })).title).toBe('Sun 15 Nov: one surge');
  });

  it('still has what a watch reported', async () => {
    const surge = recordOf(/^rise-/);
    const report = { ...surge, watch: 'w1', limit: null, hosts: [], openedMs: 0, acknowledged: null, firstTs: null };
    const reply = await digest({ episodes: failing, reported: [report] });
    expect(reply.title).toBe('Sun 15 Nov: one surge');
    expect(storyOf(reply)).toEqual([expect.stringContaining('led by SQL injection, not acknowledged.')]);
  });

  it('of more than eight days has totals only', async () => {
    const reply = await digest({ range: { from: Temporal.Instant.from('2026-11-01T00:00:00Z'), to: NOW } });
    expect(reply.title).toMatch(/: unknown whether this is normal$/);
    expect(storyOf(reply)).toEqual([]);
  });
});
