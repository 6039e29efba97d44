/** The same question about the same traffic has the same answer, whichever dialect and habits the service has. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceHabits } from '../../../playground/service/overviews.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { MINUTE_MS, NOW_MINUTE, openVerdictStage, text, type VerdictStage } from './verdict-stage.ts';

const WAVES = [
  { kind: 'step', fromMinute: NOW_MINUTE - 70, minutes: 55, perMinute: 60 },
  { kind: 'flood', fromMinute: NOW_MINUTE - 30 * 60, minutes: 45, perMinute: 90 },
] as const;
const SEED = 53;

const OVERVIEWS = { speaks: ['overviews'] } as const;
const QPS = { ...OVERVIEWS, without: ['request timeline'], attackKey: 'TOTAL_ATTACK', label: 'end' } as const;
const GROUPS = { ...QPS, without: ['request timeline', 'classification', 'distribution'] } as const;
const LARGEST = { ...OVERVIEWS, without: ['distribution'] } as const;

let open: VerdictStage;
afterEach(() => open.stage.close());

/** The events dialect has none of these, so the answers are compared without them. */
const DETAILS = ['action types', 'response codes', 'abnormal', 'events'] as const;

const openRegion = async (habits: Partial<ServiceHabits>) => {
  const without = [...(habits.without ?? []), ...DETAILS];
  open = await openVerdictStage(SEED, WAVES, { habits: { ...habits, without } }, { dialect: 'auto' });
};

/** Everything of a reply that holds numbers, but for notes. */
const numbersOf = ({ title, level, headline, body, also, table, why, attachments }: Reply) => ({
  title,
  level,
  headline: plainText(headline),
  body: text([...(body ?? []), ...(also ?? [])]),
  table: table?.rows,
  why: text([...(why?.lines ?? []), ...(why?.more?.numbers.lines ?? [])]),
  all: (why?.more?.numbers ?? why)?.table?.rows,
  files: attachments?.map(({ content }) => content),
});

const TIMES = [
  'timeline last 24h csv',
  'timeline yesterday csv',
  'timeline last 7 days',
  'check last 2h',
  'check yesterday',
];
const CATEGORIES = ['attacks last 24h csv', 'attacks sqli yesterday', 'compare yesterday'];

async function ask(sentences: readonly string[]) {
  const replies = [];
  for (const sentence of sentences) replies.push([sentence, numbersOf(await open.ask(sentence))]);
  return Object.fromEntries(replies);
}

describe('the numbers of', () => {
  it('every region that tells as much are those of the events dialect', async () => {
    await openRegion({});
    const events = await ask([...TIMES, ...CATEGORIES]);
    expect(events['check last 2h']).toMatchObject({ level: 'past', title: expect.stringMatching(/^Surge/) });
    for (const habits of [OVERVIEWS, { ...OVERVIEWS, label: 'end' }, QPS] as const) {
      await open.stage.close();
      await openRegion(habits);
      expect(await ask([...TIMES, ...CATEGORIES])).toEqual(events);
    }
  });

  it('a region that names the largest categories has the same totals, and says so', async () => {
    await openRegion({});
    const events = await ask(TIMES.slice(0, 3));
    // A surge leads both; the total of the day is below it.
    const total = /in total [\d,]+ → ([\d,]+)/;
    const all = total.exec(text((await open.ask('attacks yesterday')).body))?.[1] ?? 'no total';
    await open.stage.close();
    await openRegion(LARGEST);
    expect(await ask(TIMES.slice(0, 3))).toEqual(events);
    const attacks = await open.ask('attacks yesterday');
    expect(total.exec(text(attacks.body))?.[1]).toBe(all);
    expect(text(attacks.notes)).toContain('This service provides only the ten largest categories');
    expect(attacks.table?.rows.map(([name]) => name)).toContain('Smaller categories');
    const check = await open.ask('check last 2h');
    expect(check).toMatchObject({ level: 'past', title: expect.stringMatching(/^Surge/) });
  });
});

describe('what a service does not tell', () => {
  it('is not told as none: a category outside the groups is not known', async () => {
    await openRegion(GROUPS);
    const attacks = await open.ask('attacks yesterday');
    expect(attacks.table?.rows.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Basic web protection', 'Malicious crawlers', 'Precise Protection', 'CC attacks']),
    );
    expect(text(attacks.notes)).toContain('in four groups');
    const sqli = await open.ask('attacks sqli yesterday');
    expect(sqli.title).toMatch(/^SQL injection unknown · [\d,]+ attacks in total$/);
    expect(plainText(sqli.headline)).toContain("isn't the same as zero");
    expect(text((await open.ask('compare yesterday')).notes)).toContain('in four groups');
  });

  it('is cut out of a longer window where only few are answered, and a check is made of that', async () => {
    await openRegion({ ...OVERVIEWS, windows: 'fixed' });
    expect(await open.ask('check last 2h')).toMatchObject({ level: 'past', title: expect.stringMatching(/^Surge/) });
    const from = new Date((NOW_MINUTE - 5 * 1440 - 7) * MINUTE_MS).toISOString().slice(0, 16);
    const to = new Date((NOW_MINUTE - 5 * 1440 + 113) * MINUTE_MS).toISOString().slice(0, 16);
    const timeline = await open.ask(`timeline ${from}Z/${to}Z`);
    expect(text(timeline.notes)).toContain('in steps of 10 min. Steps that cross the edges of the window are left out');
    await expect(open.ask('attacks last 2h')).rejects.toMatchObject({
      code: 'limit',
      message: expect.stringContaining(
        'has categories only for whole days in UTC: today, yesterday, or the last 3, 7 or 30',
      ),
    });
    expect(text((await open.ask('compare last 2h')).notes)).toContain("doesn't provide categories for this window");
  });

  it('is an estimate where rates are all there is', async () => {
    await openRegion({ ...QPS, qps: 'rates' });
    const timeline = await open.ask('timeline yesterday');
    expect(text(timeline.notes)).toContain('rounded rates, not counts');
  });
});
