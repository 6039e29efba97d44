import { afterEach, describe, expect, it } from 'vitest';
import { distribution } from '../../../playground/service/statistics.ts';
import { trafficBetween } from '../../../playground/service/traffic.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import { plainText } from '../../../src/commands/replies/phrases.ts';
import type { Reply } from '../../../src/commands/replies/reply.ts';
import { RULE, ruleInWords } from '../../../src/insight/verdict/index.ts';
import {
  linesOf,
  MINUTE_MS,
  NOW_MINUTE,
  numbersIn,
  openVerdictStage,
  SHOP,
  type VerdictStage,
} from './verdict-stage.ts';

let open: VerdictStage | undefined;
afterEach(async () => {
  await open?.stage.close();
  open = undefined;
});

async function stageWith(seed: number, waves: readonly Wave[] = []): Promise<VerdictStage> {
  open = await openVerdictStage(seed, waves);
  return open;
}

const ONSET = NOW_MINUTE - 31;
/** About five times what the shop has. */
const STEP = { kind: 'step', fromMinute: ONSET, minutes: 300, perMinute: 20, hosts: [SHOP] } as const;
const RULE_TEXT = ruleInWords(RULE, RULE.stepMs);

/** Takes every number of the reply and gives those that the truth does not account for. */
function unaccounted({ truth, world, stage }: VerdictStage, reply: Reply, hosts: readonly string[]): number[] {
  const settled = Math.floor((stage.clock.nowMs - stageSettlingMs(reply)) / MINUTE_MS);
  const from = NOW_MINUTE - 60;
  const day = 1440;
  const window = truth(from, settled, hosts);
  const before = truth(from - 360, from, hosts);
  const calm = { ...world, waves: [] };
  const usual = Object.values(trafficBetween(calm, from, settled, hosts).categories).reduce((a, b) => a + b, 0);
  const exact = new Set([
    window.attacks,
    window.requests,
    before.attacks,
    before.requests,
    ...[day, 7 * day].flatMap((back) => Object.values(truth(from - back, settled - back, hosts))),
    settled - from,
    6,
  ]);
  const share = (all: { attacks: number; requests: number }): number => (100 * all.attacks) / all.requests;
  // Categories are counted to this very moment, with what has been logged of the last minutes.
  const current = { fromMs: from * MINUTE_MS, toMs: NOW_MINUTE * MINUTE_MS, hosts };
  const now = distribution(world, current, stage.clock.nowMs);
  const usualByCategory = trafficBetween(world, from - 360, from, hosts).categories;
  for (const [name, count] of Object.entries(now)) {
    exact.add(count);
    exact.add(Math.round((usualByCategory[name] ?? 0) / 6));
  }
  const near = (value: number, wanted: number, part: number): boolean => Math.abs(value - wanted) <= part * wanted;
  const body = linesOf(reply).replace(RULE_TEXT, '');
  const words = `${plainText(reply.headline)}\n${body}\n${(reply.why?.table?.rows ?? []).flat().join('\n')}`;
  const strongest = /At its strongest ([\d,]+) in (\d+) minutes where about ([\d,]+)/.exec(words);
  const [, strongestCount = '', length = '0', strongestUsual = ''] = strongest ?? [];
  return numbersIn(words).filter((value) => {
    if (exact.has(value)) return false;
    if (near(value, usual, 0.25) || near(value, share(window), 0.06) || near(value, share(before), 0.06)) return false;
    if (near(value, window.attacks / usual, 0.25)) return false;
    if (value === Number(length) || value === Number(strongestUsual.replaceAll(',', ''))) {
      return !near(Number(strongestUsual.replaceAll(',', '')), (usual * Number(length)) / (settled - from), 0.3);
    }
    if (value === Number(strongestCount.replaceAll(',', ''))) {
      // Some stretch of that length has exactly so many attacks.
      return !Array.from({ length: settled - from - Number(length) + 1 }, (_, at) => from + at).some(
        (start) => truth(start, start + Number(length), hosts).attacks === value,
      );
    }
    return true;
  });
}

/** What the answer itself says it judged, so that the test does not repeat the client's rule for settling. */
function stageSettlingMs(reply: Reply): number {
  const judged = /in (\d+) minutes/.exec(plainText(reply.headline))?.[1];
  return judged === undefined ? 0 : (60 - Number(judged)) * MINUTE_MS;
}

describe('check', () => {
  it('calls a wave by its name, with numbers that are all the service’s', async () => {
    const stage = await stageWith(31, [STEP]);
    const reply = await stage.ask('check on shop');
    expect(reply.title).toBe('Is this normal on shop?');
    expect(plainText(reply.headline)).toMatch(/^Surge: [\d,]+ attacks in 5\d minutes, about [\d,]+ would be usual\.$/);
    const body = linesOf(reply);
    expect(body).toMatch(/Began 2026-03-11 12:0\d UTC; still going on\./);
    expect(body).toContain('Looks like a targeted attack');
    expect(body).toContain(`Rule: ${RULE_TEXT}.`);
    const left = unaccounted(stage, reply, [SHOP]);
    // What is left is made from the numbers that were accounted for.
    const made: number[] = [];
    for (const [, count = '', usual = '', ratio = ''] of body.matchAll(
      /strongest ([\d,]+) .* about ([\d,]+) would be usual \(([\d.]+) times\)/g,
    )) {
      expect(Number(ratio)).toBeCloseTo(Number(count.replaceAll(',', '')) / Number(usual.replaceAll(',', '')), 1);
      made.push(Number(ratio));
    }
    for (const [, score = ''] of body.matchAll(/([\d.]+) standard deviations above/g)) {
      expect(Number(score)).toBeGreaterThan(RULE.deviations);
      made.push(Number(score));
    }
    for (const [, count = '', usual = '', change = ''] of reply.why?.table?.rows ?? []) {
      const factor = change.startsWith('×') ? Number(change.slice(1)) : 1 + Number(change.replace(/[+ %]/g, '')) / 100;
      // The usual is shown rounded.
      expect(Math.abs(Number(count) / factor - Number(usual))).toBeLessThanOrEqual(1);
      made.push(...numbersIn(change));
    }
    expect(left.filter((value) => !made.includes(value))).toEqual([]);
  });

  it('marks the band and the onset in the chart', async () => {
    const stage = await stageWith(31, [STEP]);
    const { chart } = await stage.ask('check on shop');
    if (chart?.kind !== 'timeline') throw new Error('no timeline');
    expect(chart.timeline.fromMs).toBe((NOW_MINUTE - 60) * MINUTE_MS);
    expect(chart.timeline.points.every(({ endMs }) => endMs > chart.timeline.fromMs)).toBe(true);
    expect(Math.abs((chart.onsetMs ?? 0) - ONSET * MINUTE_MS)).toBeLessThanOrEqual(RULE.stepMs);
    expect(chart.endMs).toBeNull();
    expect(chart.baseline?.points.length).toBe(chart.timeline.points.length);
  });

  it('is calm on an ordinary day and leads on', async () => {
    const stage = await stageWith(32);
    const reply = await stage.ask('now on shop');
    expect(plainText(reply.headline)).toMatch(/^Calm: /);
    expect(unaccounted(stage, reply, [SHOP])).toEqual([]);
    expect(reply.chart).toBeDefined();
    const actions = reply.actions ?? [];
    expect(actions.map(({ label }) => label)).toEqual([
      'Why?',
      'By category',
      'Compare with the day before',
      'Watch this channel',
      'Again',
    ]);
    expect(actions.at(-1)?.sentence).toBe('check last hour on shop in UTC');
    expect(actions.at(-2)?.sentence).toBe('watch on shop');
    for (const { sentence } of actions.toSpliced(-2, 1)) expect((await stage.ask(sentence)).failed).toBeUndefined();
  });

  it('asks five times, and once for the same in the same minute', async () => {
    const stage = await stageWith(32);
    await stage.ask('check');
    const calls = stage.stage.service.requests.map(({ call }) => call).sort();
    expect(calls).toEqual(['distribution', 'distribution', 'timeline', 'timeline', 'timeline']);
    await stage.ask('now');
    expect(stage.stage.service.requests).toHaveLength(5);
  });

  it('gives its verdict without the categories when the service has none to give', async () => {
    const stage = await stageWith(31, [STEP]);
    stage.stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'distribution' });
    const reply = await stage.ask('check on shop');
    expect(plainText(reply.headline)).toMatch(/^Surge: /);
    expect(reply.why?.table).toBeUndefined();
  });

  it('trusts itself less where the service does not reach back a week', async () => {
    open = await openVerdictStage(31, [STEP], { retentionDays: 3 });
    const body = linesOf(await open.ask('check on shop'));
    expect(body).toContain('The week before is not known.');
    expect(body).not.toContain('the same hours the week before');
  });

  it('fails when the window itself cannot be had', async () => {
    const stage = await stageWith(31);
    stage.stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'timeline' });
    await expect(stage.ask('check on shop')).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('zooms to the onset', async () => {
    const stage = await stageWith(31, [STEP]);
    const { actions = [] } = await stage.ask('check on shop');
    const zoom = actions.find(({ label }) => label === 'Zoom to the onset');
    expect(zoom?.sentence).toMatch(/^timeline 2026-03-11T11:\d\dZ\/2026-03-11T12:34Z on shop in UTC$/);
    expect((await stage.ask(zoom?.sentence ?? '')).title).toMatch(/requests · [\d,]+ attacks/);
  });
});
