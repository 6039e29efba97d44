/** One truth in one message, whatever the window, the verb and the data. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createCommands } from '../../../src/commands/index.ts';
import { rememberIgnored } from '../../../src/episodes/ignored.ts';
import { createLastVerdicts } from '../../../src/episodes/last-verdicts.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { UsageError } from '../../../src/errors.ts';
import { onlyProject } from '../../../src/projects/project.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { CATEGORIES } from '../../../src/statistics/categories.ts';
import { createDigestReply } from '../../../src/subscriptions/digest/digest-reply.ts';
import { NO_DIGESTS, NO_WATCHES } from '../../../src/subscriptions/none.ts';
import { advanceThrough, pendingUpdate } from '../../../src/subscriptions/watch/episode-lifecycle.ts';
import { episodeReply } from '../../../src/subscriptions/watch/episode-reply.ts';
import { evaluate, measure } from '../../../src/subscriptions/watch/evaluate.ts';
import { withShown } from '../../../src/subscriptions/watch/publish-episode.ts';
import { callingStrength } from '../../../src/subscriptions/watch/sensitivity.ts';
import { courseOf, INITIAL_STATE, type WatchRecord, withCourse } from '../../../src/subscriptions/watch/watch-state.ts';
import { disagreements, namedNumbers } from '../../support/agreement.ts';
import { count } from '../../support/counts.ts';
import { episodeLog } from '../../support/episodes.ts';
import { fc } from '../../support/property.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';

const MINUTE_MS = 60_000;
const DAYS = 18;
const START_MS = Date.parse('2026-03-14T00:00Z');
/** Clocks change in Stockholm within the recorded time. */
const ZONES = ['UTC', 'Europe/Stockholm', 'Asia/Kathmandu'];

/** Minutes of traffic: a level, a wave, quiet stretches and gaps, each sometimes. */
function traffic(seed: number, scale: number, gaps: number) {
  const seeded = createSeededRandom(seed);
  const random = (): number => seeded.below(1_000_000) / 1_000_000;
  const length = DAYS * 1440;
  const wave = { from: Math.floor(random() * length), minutes: Math.floor(random() * 600), by: 1 + random() * 20 };
  const columns = CATEGORIES.slice(0, 6).map(({ field }) => {
    const level = random() < 0.3 ? 0 : random() * scale;
    const rises = random() < 0.3;
    return [
      field,
      Array.from({ length }, (_, at) => {
        const inWave = rises && at >= wave.from && at < wave.from + wave.minutes;
        return Math.floor(random() * level * (inWave ? wave.by : 1));
      }),
    ] as const;
  });
  const missing = Array.from({ length }, () => random() < gaps);
  const attacks = missing.map((isMissing, at) =>
    isMissing ? null : columns.reduce((all, [, counts]) => all + (counts[at] ?? 0), 0),
  );
  const requests = attacks.map((count) => (count === null ? null : count + Math.floor(random() * 60 * scale)));
  return { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: Object.fromEntries(columns) };
}

const world = fc.record({
  seed: fc.nat(),
  scale: fc.constantFrom(0, 0.5, 4, 400),
  gaps: fc.constantFrom(0, 0, 0.01, 0.5),
  zone: fc.constantFrom(...ZONES),
  /** In the second half of the recorded time, so that there is something to compare with. */
  minute: fc.integer({ min: 9 * 1440, max: DAYS * 1440 }),
});
const WINDOWS = [
  'last 24h',
  'today',
  'yesterday',
  'last 5 minutes',
  'last 2h',
  'last 6h vs previous',
  'this week',
  'last 7 days',
  'today vs yesterday',
  'yesterday vs today',
  'last 3h vs yesterday',
  'yesterday 01:00-04:00',
  '2026-03-29',
];

function commandsAt(nowMs: number, zone: string, statistics: ReturnType<ReturnType<typeof recordedStatistics>>) {
  const none = { get: async () => undefined, set: async () => {}, delete: async () => {}, entries: async () => [] };
  return createCommands({
    projects: onlyProject({
      statistics,
      hosts: none,
      lastVerdicts: createLastVerdicts(),
      episodes: episodeLog(statistics, () => Temporal.Instant.fromEpochMilliseconds(nowMs), zone),
    }),
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    settings: none,
    digests: NO_DIGESTS,
    watches: NO_WATCHES,
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    policy: { allowedChannels: null, admins: null },
    now: () => Temporal.Instant.fromEpochMilliseconds(nowMs),
    zone,
    command: '/waf',
  });
}

/** At midnight there is no today yet. */
function refused(error: unknown): null {
  if (error instanceof UsageError) return null;
  throw error;
}

describe('numbers that name the same thing', () => {
  it.each(['timeline', 'attacks', 'compare'])('agree in every part of an answer of %s', async (verb) => {
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(...WINDOWS), async ({ seed, scale, gaps, zone, minute }, window) => {
        const nowMs = START_MS + minute * MINUTE_MS;
        const commands = commandsAt(nowMs, zone, recordedStatistics(traffic(seed, scale, gaps))(nowMs));
        const ask = (text: string): Promise<Reply> =>
          commands.answer({ text, user: 'U1', channel: 'C1', userZone: null });
        const reply = await ask(`${verb} ${window} csv`).catch(refused);
        if (reply === null) return;
        expect(disagreements(reply)).toEqual([]);
        if (reply.chart !== undefined) expect(namedNumbers(reply).length).toBeGreaterThan(4);
        // What a button below it asks about the same window has the same total.
        const below = reply.actions?.find(({ label }) => ['By category', 'Over time'].includes(label));
        if (below === undefined || gaps > 0) return;
        const total = (answer: Reply) => namedNumbers(answer).find(({ thing }) => thing === 'attacks')?.value;
        expect(total(await ask(below.sentence))).toBe(total(reply));
      }),
      { numRuns: count(25, 8, 12) },
    );
  });

  it.each(['check', 'incident'])('agree in every part of an answer of %s', async (verb) => {
    const windows = WINDOWS.filter((window) => !window.includes(' vs '));
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(...windows), async ({ seed, scale, gaps, zone, minute }, window) => {
        const nowMs = START_MS + minute * MINUTE_MS;
        const commands = commandsAt(nowMs, zone, recordedStatistics(traffic(seed, scale, gaps))(nowMs));
        const question = { text: `${verb} ${window}`, user: 'U1', channel: 'C1', userZone: null };
        const reply = await commands.answer(question).catch(refused);
        if (reply !== null) expect(disagreements(reply)).toEqual([]);
      }),
      { numRuns: count(15, 5, 8) },
    );
  });

  it.each([
    ['of a time that is complete', 10],
    ['that is posted on time, with its last minutes still filling', 0],
  ])('agree in a digest %s', async (_, lateMinutes) => {
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(15, 60, 1440), async ({ seed, scale, gaps, zone, minute }, minutes) => {
        const now = Temporal.Instant.fromEpochMilliseconds(START_MS + minute * MINUTE_MS);
        const statistics = recordedStatistics(traffic(seed, scale, gaps))(now.epochMilliseconds);
        const compose = createDigestReply({
          statistics,
          ignored: rememberIgnored(),
          hosts: { entries: async () => [] },
          clock: { ...systemClock, now: () => now },
          episodes: episodeLog(statistics, () => now, zone),
          reported: async () => [],
          linkTo: async () => null,
        });
        const to = now.subtract({ minutes: lateMinutes });
        const range = { from: to.subtract({ minutes }), to };
        const subject = { id: 'd1', channel: 'C1', zone, hosts: [] };
        const { message } = await compose(subject, range, { late: false, tail: null });
        expect(disagreements(message)).toEqual([]);
      }),
      { numRuns: count(15, 5, 8) },
    );
  });
});

describe('a watch', () => {
  const WATCH = { id: 'w1', rule: { kind: 'verdict' }, sensitivity: 'normal', hosts: [] } as const;

  /** Each look from an hour before a wave to two hours after it, with all that the channel is shown. */
  async function shownOf(seed: number, zone: string, kinds: readonly string[]): Promise<Reply[]> {
    const numbers = traffic(seed, 4, 0);
    const waveAt = 12 * 1440 + (seed % 1440);
    const [first = 'sqli', second = first] = kinds;
    const columns = Object.fromEntries(CATEGORIES.slice(0, 6).map(({ field }) => [field, [] as number[]]));
    for (const [name, column] of Object.entries(numbers.categories)) columns[name] = [...column];
    const attacks = numbers.attacks.map((count, at) => {
      const since = at - waveAt;
      const more = since >= 0 && since < 90 ? 40 + ((at * 7919) % 30) : 0;
      const column = columns[since < 35 ? first : second] ?? [];
      column[at] = (column[at] ?? 0) + more;
      return (count ?? 0) + more;
    });
    const requests = numbers.requests.map((count, at) => (count ?? 0) + (attacks[at] ?? 0));
    const at = recordedStatistics({ ...numbers, requests, attacks, categories: columns });
    const watch = { ...WATCH, zone };
    const replies: Reply[] = [];
    let record: WatchRecord = INITIAL_STATE;
    for (let minute = waveAt - 5; minute < waveAt + 160; minute += 5) {
      const now = Temporal.Instant.fromEpochMilliseconds(START_MS + minute * MINUTE_MS);
      const nowMs = now.epochMilliseconds;
      const sources = { statistics: at(nowMs), episodes: episodeLog(at(nowMs), () => now, zone) };
      const lookedMs = record.lookedMs > 0 ? record.lookedMs : null;
      const query = {
        rule: watch.rule,
        bar: callingStrength(),
        everyMs: 5 * MINUTE_MS,
        hosts: [],
        zone,
        now,
        lookedMs,
      };
      record = advanceThrough(record, await evaluate(sources, query), nowMs);
      let state = courseOf(record, 'rise');
      if (state.episode === null || pendingUpdate(state) === null) continue;
      const measurement = await measure({ ...sources, hosts: { entries: async () => [] } }, query, state.episode);
      for (let update = pendingUpdate(state); update !== null; update = pendingUpdate(state)) {
        if (state.episode !== null)
          replies.push(episodeReply(state, state.episode, update, watch, { now, measurement }));
        state = withShown(state, update, `ts-${update.key}`);
      }
      record = withCourse(record, 'rise', state);
    }
    return replies;
  }

  it('says the same numbers and times in every part of each of its messages', async () => {
    const kinds = fc.constantFrom(['sqli'], ['sqli', 'xss'], ['xss', 'lfi']);
    // Not every message has every number: where next to nothing is expected, nobody says how many times that is.
    const things = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(...ZONES), kinds, async (seed, zone, both) => {
        const replies = await shownOf(seed, zone, both);
        expect(replies.flatMap(disagreements)).toEqual([]);
        expect(replies.at(-1)?.title).toMatch(/^Over: /);
        // The reply that closes the thread says what the message says.
        expect(replies.at(-1)?.title).toBe(replies.at(-2)?.title);
        expect(plainText(replies.at(-1)?.headline)).toBe(plainText(replies.at(-2)?.headline));
        for (const { thing } of replies.flatMap(namedNumbers)) things.add(thing);
      }),
      { numRuns: count(4, 2, 2), examples: [[5, 'UTC', ['sqli', 'xss']]] },
    );
    const ofEpisode = ['attacks', 'peak', 'times usual'].map((each) => `${each} of the episode`);
    expect([...things]).toEqual(expect.arrayContaining(['beginning', 'end', ...ofEpisode]));
  });

  it('expects as much a minute of an episode whatever its length', async () => {
    const rates = (await shownOf(5, 'UTC', ['sqli'])).flatMap(({ headline }) => {
      const [, minutes, expected] = / in (\d+) minutes, about ([\d,]+) expected/.exec(plainText(headline)) ?? [];
      const count = Number(expected?.replaceAll(',', ''));
      // Of fewer, rounding alone changes the rate.
      return minutes === undefined || count < 20 ? [] : [count / Number(minutes)];
    });
    expect(rates.length).toBeGreaterThan(8);
    // The hours before vary, so what is expected of a minute does; but a long episode isn't its own baseline.
    expect(Math.max(...rates) / Math.min(...rates)).toBeLessThan(1.2);
    expect((rates.at(-1) ?? 0) / (rates[0] ?? 0)).toBeLessThan(1.08);
  });

  it('is led by what its numbers name first, at every moment', async () => {
    const replies = (await shownOf(5, 'UTC', ['sqli', 'xss'])).filter(({ body = [] }) => body.length > 0);
    const led = replies.map(({ title }) => /(?:led by|new:) (.*)$/.exec(title)?.[1]);
    const first = replies.map(({ body = [] }) => /^Above usual: (.*?) \d/.exec(plainText(body[0]))?.[1]);
    expect(led).toEqual(first);
    expect(led[0]).toBe('SQL injection');
    expect(led.at(-1)).toBe('XSS');
  });
});

describe('the reader of numbers', () => {
  it('finds a number that differs, wherever it stands', () => {
    const told: Reply = {
      title: '1.9 M requests · 18,204 attacks (1 %)',
      headline: ['Compared with the day before: attacks +6 % (was 17,100), requests −2 % (was 1,941,000).'],
      why: {
        lines: [],
        table: {
          columns: [
            { name: '', align: 'left' },
            { name: 'Now', align: 'right' },
            { name: 'Before', align: 'right' },
          ],
          rows: [['Attacks', '18,205', '17,100']],
        },
      },
    };
    expect(disagreements(told)).toEqual(['attacks: 18,204 in the heading, 18,205 in the table of reasons']);
    expect(disagreements({ ...told, why: { lines: [['1,949,999 requests, XSS 120 → 310']] } })).toEqual([]);
    expect(disagreements({ ...told, why: { lines: [['1,950,001 requests']] } })).toHaveLength(1);
    expect(disagreements({ title: 'XSS ×2', body: [['XSS 120 → 310.'], ['XSS 311 (4 %)']] })).toHaveLength(1);
  });

  it('divides what was counted by what was expected', () => {
    const watch = (factor: string): Reply => ({
      title: `Surge since 14:57 · ${factor}× usual · led by SQL injection`,
      headline: ['Ongoing at 15:30: 1,992 attacks in 33 minutes, about 433 expected, peak 93 per minute at 15:12.'],
    });
    expect(disagreements(watch('4.6'))).toEqual([]);
    expect(disagreements(watch('5.4'))).toEqual(['1,992 of 433 expected are not 5.4×']);
    const check = (category: string): Reply => ({
      title: `Surge since 14:57 · 4.6× usual · led by SQL injection ×${category}`,
      headline: ['1,992 attacks in 33 minutes so far, about 433 expected; 2,170 in the last 57 minutes.'],
      body: [['Mostly a few kinds: SQL injection 741 (52 expected), XSS 422 (27).']],
      why: { lines: [['In this window: 2,170 attacks among 90,000 requests in 57 minutes. SQL injection 820']] },
    });
    expect(disagreements(check('14'))).toEqual([]);
    expect(disagreements(check('7.6'))).toEqual(['SQL injection: 741 of 52 expected are not ×7.6']);
    const incident = (factor: string): Reply => ({
      title: 'Surge since 14:57 · led by SQL injection',
      headline: [`1,992 attacks in 33 minutes so far: 60 per minute, ${factor}× the usual 13, peak 73 at 15:23.`],
    });
    expect(disagreements(incident('4.6'))).toEqual([]);
    expect(disagreements(incident('5.6'))).toEqual(['60 a minute are not 5.6× 13']);
    const timeline = (factor: string): Reply => ({
      title: `Surge since 14:57 · ${factor}× usual · led by SQL injection`,
      headline: ['1,992 attacks since 14:57, about 433 expected. Still ongoing.'],
      body: [['Over the full 24 hours: 19,540 attacks (+4 % vs the day before).']],
    });
    expect(disagreements(timeline('4.6'))).toEqual([]);
    expect(disagreements(timeline('45'))).toEqual(['1,992 of 433 expected are not 45×']);
  });
});
