import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { StatisticsService } from '../../../playground/service/server.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { ruleInWords } from '../../../src/replies/rule-words.ts';
import { disagreements } from '../../support/agreement.ts';
import { HOUR, question, START } from '../../support/waf-stage.ts';
import { linesOf, MINUTE_MS, NOW_MINUTE, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage | undefined;
afterEach(async () => {
  await open?.stage.close();
  open = undefined;
});

async function stageWith(seed: number, waves: readonly Wave[] = []): Promise<VerdictStage> {
  open = await openVerdictStage(seed, waves);
  return open;
}

const IDLE_TURNS = 3_000;

/** How many calls an answer makes in each round, if the service answers those of a round only when no more are made. */
async function countRounds(service: StatisticsService, ask: () => Promise<unknown>): Promise<number[]> {
  const rounds: number[] = [];
  let counted = service.requests.length;
  let held = service.hold();
  let isAnswered = false;
  const answer = ask().finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    let made = service.requests.length;
    for (let idle = 0; idle < IDLE_TURNS && !isAnswered; idle++) {
      await setImmediate();
      if (service.requests.length > made) idle = 0;
      made = service.requests.length;
    }
    if (made > counted) rounds.push(made - counted);
    counted = made;
    const { release } = held;
    held = service.hold();
    release();
  }
  await answer;
  return rounds;
}

const ONSET = NOW_MINUTE - 31;
/** About five times what the shop has. */
const STEP = { kind: 'step', fromMinute: ONSET, minutes: 300, perMinute: 20, hosts: [SHOP] } as const;

/** The sums that a reply must name: of the window, and of the six hours before it. */
function sumsOf({ truth, stage }: VerdictStage, reply: Reply): string[] {
  const settled = Math.floor((stage.clock.nowMs - stageSettlingMs(reply)) / MINUTE_MS);
  const from = NOW_MINUTE - 60;
  const named = (name: string, { attacks, requests }: { attacks: number; requests: number }): string =>
    `In ${name}: ${attacks.toLocaleString('en')} attacks among ${requests.toLocaleString('en')} requests`;
  return [
    named('this window', truth(from, settled, [SHOP])),
    named('the hours before', truth(from - 360, from, [SHOP])),
  ];
}

/** What the answer itself says it judged, so that the test does not repeat the client's rule for settling. */
function stageSettlingMs(reply: Reply): number {
  const judged = /in the last (\d+) minutes/.exec(`${reply.title} ${plainText(reply.headline)}`)?.[1];
  return judged === undefined ? 0 : (60 - Number(judged)) * MINUTE_MS;
}

/** Each change follows from the two numbers beside it, of which one is shown rounded. */
function assertChanges({ why }: Reply): void {
  const rows = why?.more?.numbers.table?.rows ?? [];
  expect(rows.length).toBeGreaterThan(3);
  const number = (words: string): number =>
    Number(
      words
        .replace(/[+,% <]/g, '')
        .replace('−', '-')
        .replace('±', ''),
    );
  for (const [, count = '', usual = '', change = ''] of rows) {
    if (change === 'new' || change === 'none' || change === '–') continue;
    const factor = change.startsWith('×') ? number(change.slice(1)) : 1 + number(change) / 100;
    const off = Math.abs(number(count) / factor - number(usual));
    expect(off).toBeLessThanOrEqual(Math.max(1, 0.04 * number(usual)));
  }
}

describe('check', () => {
  it.each([
    ['visitors-gone', /^Visitors gone since 12:07 · [\d,]+ visits, about [\d,]+ expected$/],
    ['attacks-gone', /^No attacks since 12:07, while visitors keep coming · about [\d,]+ expected$/],
  ] as const)('tells of what has stopped: %s', async (kind, title) => {
    const stage = await stageWith(31, [{ kind, fromMinute: NOW_MINUTE - 27, minutes: 27, perMinute: 0 }]);
    for (const sentence of ['check', 'incident last 2h']) {
      const reply = await stage.ask(sentence);
      expect([reply.level, reply.title]).toEqual(['elevated', expect.stringMatching(title)]);
      expect(disagreements(reply), sentence).toEqual([]);
    }
  });

  it('calls a wave by its name, with numbers that are all the service’s', async () => {
    const stage = await stageWith(31, [STEP]);
    const reply = await stage.ask('check on shop');
    expect(reply.level).toBe('surge');
    expect(reply.title).toMatch(/^Surge since 1(1:5\d|2:0\d) · [\d.]+× usual · led by SQL injection$/);
    expect(plainText(reply.headline)).toMatch(
      /^[\d,]+ attacks in \d+ minutes so far, about [\d,]+ expected; [\d,]+ in the last 5\d minutes\. Still ongoing\.$/,
    );
    expect(disagreements(reply)).toEqual([]);
    expect(text(reply.body)).toMatch(/^Above usual: SQL injection \d+ \(\d+ expected\), (.+ \d+ \((<?\d+|new)\))+\.$/);
    const body = linesOf(reply);
    expect(text((await stage.ask('check on shop why rule')).body)).toBe(ruleInWords());
    for (const sum of sumsOf(stage, reply)) expect(body).toContain(sum);
    assertChanges(reply);
  });

  it('marks the band and the onset in the chart', async () => {
    const stage = await stageWith(31, [STEP]);
    const { chart } = await stage.ask('check on shop');
    if (chart?.kind !== 'timeline') throw new Error('no timeline');
    expect(chart.timeline.fromMs).toBe((NOW_MINUTE - 60) * MINUTE_MS);
    expect(chart.timeline.points.every(({ endMs }) => endMs > chart.timeline.fromMs)).toBe(true);
    const [mark, ...others] = chart.marks;
    expect(Math.abs((mark?.onsetMs ?? 0) - ONSET * MINUTE_MS)).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect([mark?.endMs, mark?.of, others]).toEqual([null, 'attacks', []]);
    // What is usual goes on where the last minutes are still being logged and have no line.
    expect([chart.timeline.points.length, chart.baseline?.points.length]).toEqual([57, 60]);
  });

  it('is calm on an ordinary day and leads on', async () => {
    const stage = await stageWith(32);
    const reply = await stage.ask('now on shop');
    expect(reply.level).toBe('calm');
    expect(reply.title).toMatch(/^Calm · [\d,]+ attacks in the last 5\d minutes, .*[\d,]+–[\d,]+/);
    expect([reply.headline, reply.body]).toEqual([undefined, []]);
    assertChanges(reply);
    for (const sum of sumsOf(stage, reply)) expect(linesOf(reply)).toContain(sum);
    expect(reply.chart).toBeDefined();
    const actions = reply.actions ?? [];
    expect(actions.map(({ label }) => label)).toEqual([
      'Why?',
      'By category',
      'Compare with the day before',
      'Watch this channel',
      'Again',
    ]);
    expect(actions.at(-1)?.sentence).toBe('check last 1h on shop in UTC');
    expect(actions.at(-2)?.sentence).toBe('watch on shop');
    for (const { sentence } of actions.toSpliced(-2, 1)) expect((await stage.ask(sentence)).failed).toBeUndefined();
  });

  it.each([18, 20, 24])('counts every minute of %i hours, whenever they begin', async (hours) => {
    const stage = await stageWith(32);
    const from = NOW_MINUTE - 2 * 1_440 + 3;
    const to = from + hours * 60;
    const [begin, end] = [from, to].map((minute) => new Date(minute * MINUTE_MS).toISOString());
    const reply = await stage.ask(`check ${begin}/${end} on shop`);
    const { attacks, requests } = stage.truth(from, to, [SHOP]);
    expect(linesOf(reply)).toContain(
      `In this window: ${attacks.toLocaleString('en')} attacks among ${requests.toLocaleString('en')} requests`,
    );
    expect(disagreements(reply)).toEqual([]);
  });

  it.each([
    [1, 1],
    [6, 5],
    [24, 10],
  ])('draws %i hours, and what is usual in them, in intervals of %i minutes', async (hours, minutes) => {
    const stage = await stageWith(32);
    const { chart } = await stage.ask(`check last ${hours}h on shop`);
    if (chart?.kind !== 'timeline') throw new Error('no timeline');
    const { intervalMs, fromMs, points } = chart.timeline;
    expect([intervalMs, fromMs]).toEqual([minutes * MINUTE_MS, (NOW_MINUTE - hours * 60) * MINUTE_MS]);
    const usual = new Map(chart.baseline?.points.map(({ endMs, low, high }) => [endMs, { low, high }]));
    // Nine in ten, more or less.
    const inside = points.filter(({ endMs, attacks }) => {
      const { low = Number.NaN, high = Number.NaN } = usual.get(endMs) ?? {};
      return attacks !== null && attacks >= low && attacks <= high;
    });
    expect(inside.length / points.length).toBeGreaterThan(0.8);
  });

  it('asks once for all that others ask in the same minute', async () => {
    const stage = await stageWith(38);
    await stage.ask('check');
    const calls = Map.groupBy(stage.stage.service.requests, ({ call }) => call);
    // Today, the day before and five weeks; then categories of the window, its half day and hours, and four weeks.
    expect([calls.get('timeline')?.length, calls.get('distribution')?.length]).toEqual([7, 5]);
    await stage.ask('now');
    expect(stage.stage.service.requests).toHaveLength(12);
  });

  it.each([
    [12, 'early in a half day', 38, START + 2 * HOUR],
    [12, 'late in a half day', 38, START + 9 * HOUR],
    [12, 'across noon', 38, START],
    [13, 'across midnight', 38, START + 36 * HOUR],
    // Both half days have weeks of their own.
    [14, 'across the start of a week', 38, START + 12 * HOUR],
    [12, 'when a category has grown earlier in the half day', 32, START + 9 * HOUR],
  ])('takes at most %i calls for a first answer, three one after the other, %s', async (max, _, seed, nowMs) => {
    const { stage, statistics, ask } = await stageWith(seed);
    stage.clock.nowMs = nowMs;
    // A key that was never accepted is tried by one call alone.
    await statistics.sources(question(MINUTE_MS, nowMs));
    const rounds = await countRounds(stage.service, () => ask('check'));
    expect(rounds.length).toBeLessThanOrEqual(3);
    expect(rounds.reduce((sum, calls) => sum + calls, 0)).toBeLessThanOrEqual(max);
  });

  it('gives its verdict without the categories when the service has none to give', async () => {
    const stage = await stageWith(31, [STEP]);
    stage.stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'distribution' });
    const reply = await stage.ask('check on shop');
    expect(reply.title).toMatch(/^Surge since 1(1:5\d|2:0\d) · [\d.]+× usual$/);
    expect(reply.why?.more?.numbers.table).toBeUndefined();
  });

  it('trusts itself less where the service does not reach back a week', async () => {
    open = await openVerdictStage(31, [STEP], { retentionDays: 3 });
    const body = linesOf(await open.ask('check on shop'));
    expect(body).toMatch(/There (is|are) only \d days? of earlier data to compare with\./);
    expect(body).not.toContain('the same hours the week before');
  });

  it('fails when neither the window itself nor its categories can be had', async () => {
    const stage = await stageWith(31);
    stage.stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: ['timeline', 'distribution'] });
    await expect(stage.ask('check on shop')).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('never takes a window without data, or without any traffic, for calm', async () => {
    open = await openVerdictStage(41, [], { retentionDays: 3 });
    const old = await open.ask('check 2026-02-01 14:00-16:00');
    expect([old.level, old.title]).toEqual(['not_enough_data', 'Not enough data to judge']);
    expect(old.chart).toBeUndefined();
    const nobody = '3ac26c59e15a4a11bb680a103a29dd99';
    const unknown = await open.ask(`check on ${nobody}`);
    expect([unknown.level, unknown.title]).toEqual([
      'not_enough_data',
      `No traffic seen for ${nobody}: is its ID right?`,
    ]);
    expect(plainText(unknown.headline)).toMatch(/^Not a single request in 5\d minutes, nor before that\./);
    expect(unknown.actions?.map(({ label }) => label)).toEqual(['Try again', 'Last 7 days', 'Hosts', 'Doctor', 'Why?']);
  });

  it('says of old numbers that they are old, first of all', async () => {
    const stage = await stageWith(31, [STEP]);
    const window = 'check 2026-03-11T11:34Z/2026-03-11T12:34Z on shop';
    const now = await stage.ask(window);
    stage.stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: ['timeline', 'distribution'] });
    stage.stage.clock.nowMs += 20 * MINUTE_MS;
    const reply = await stage.ask(window);
    expect(reply.level).toBe('not_enough_data');
    expect(reply.title).toMatch(/^Can't reach your WAF statistics · surge at 12:3\d$/);
    expect(plainText(reply.headline)).toContain(`20 minutes ago: ${now.title}.`);
  });

  it('zooms to the onset', async () => {
    const stage = await stageWith(31, [STEP]);
    const { actions = [] } = await stage.ask('check on shop');
    const zoom = actions.find(({ label }) => label === 'Zoom to the start');
    expect(zoom?.sentence).toMatch(/^timeline 2026-03-11T11:\d\dZ\/2026-03-11T12:34Z on shop in UTC$/);
    const zoomed = await stage.ask(zoom?.sentence ?? '');
    expect(zoomed.title).toMatch(/^Surge since 1[12]:\d\d · [\d.]+× usual · led by SQL injection$/);
    // What a check of the same window says, and no other times or strength.
    const { Check = '' } = Object.fromEntries((zoomed.actions ?? []).map(({ label, sentence }) => [label, sentence]));
    expect(zoomed.title).toBe((await stage.ask(Check)).title);
  });
});
