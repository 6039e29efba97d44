/** One truth in one message, whatever the window, the verb and the data. */
import { describe, expect, it } from 'vitest';
import { createCommands } from '../../../src/commands/index.ts';
import { createLastVerdicts } from '../../../src/commands/last-verdicts.ts';
import { recordedStatistics } from '../../../src/commands/recorded-statistics.ts';
import type { Reply } from '../../../src/commands/replies/reply.ts';
import { UsageError } from '../../../src/errors.ts';
import { CATEGORIES } from '../../../src/insight/categories.ts';
import { createDigestReply } from '../../../src/subscriptions/digest/digest-reply.ts';
import { disagreements, namedNumbers } from '../../support/agreement.ts';
import { NO_DIGESTS, NO_WATCHES } from '../../support/no-subscriptions.ts';
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
    lastVerdicts: createLastVerdicts(),
    joinChannel: async () => ({ is: 'member' }),
    statistics,
    hosts: none,
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
      { numRuns: 25 },
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
      { numRuns: 15 },
    );
  });

  it('agree in a digest of a time that is complete', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(15, 60, 1440), async ({ seed, scale, gaps, zone, minute }, minutes) => {
        const now = Temporal.Instant.fromEpochMilliseconds(START_MS + minute * MINUTE_MS);
        const statistics = recordedStatistics(traffic(seed, scale, gaps))(now.epochMilliseconds);
        const compose = createDigestReply({
          statistics,
          hosts: { entries: async () => [] },
          clock: { now: () => now },
          episodes: async () => [],
          linkTo: async () => null,
        });
        const to = now.subtract({ minutes: 10 });
        const range = { from: to.subtract({ minutes }), to };
        const reply = await compose({ id: 'd1', channel: 'C1', zone, hosts: [] }, range, { late: false });
        expect(disagreements(reply)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('the reader of numbers', () => {
  it('finds a number that differs, wherever it stands', () => {
    const told: Reply = {
      title: '1.9 M requests · 18,204 attacks (1 %)',
      headline: ['Against the day before: attacks +6 % (17,100 then), requests −2 % (1,941,000 then).'],
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
});
