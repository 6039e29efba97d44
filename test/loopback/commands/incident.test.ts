import { afterEach, describe, expect, it } from 'vitest';
import { trafficBetween } from '../../../playground/service/traffic.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { disagreements } from '../../support/agreement.ts';
import { linesOf, MINUTE_MS, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage | undefined;
afterEach(async () => {
  await open?.stage.close();
  open = undefined;
});

const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;
const FROM = minuteOf('2026-03-10T14:00Z');
const TO = minuteOf('2026-03-10T16:00Z');
const ONSET = minuteOf('2026-03-10T14:40Z');
const FLOOD = { kind: 'flood', fromMinute: ONSET, minutes: 35, perMinute: 120, hosts: [SHOP] } as const;

describe('incident', () => {
  it('gathers a past window in one post', async () => {
    open = await openVerdictStage(41, [FLOOD]);
    const reply = await open.ask('incident yesterday 14:00-16:00 on shop');
    const { attacks, requests } = open.truth(FROM, TO, [SHOP]);
    const count = (value: number): string => value.toLocaleString('en-US');
    expect(reply.level).toBe('past');
    const when = /^(?:Surge|Elevated) 10 Mar (14:\d\d) – (15:\d\d) · [\d.]+× usual · led by CC attacks$/.exec(
      reply.title,
    );
    const [onset, end] = [1, 2].map((at) => minuteOf(`2026-03-10T${when?.[at]}Z`));
    expect(Math.abs((onset ?? 0) - ONSET)).toBeLessThanOrEqual(5);
    expect(Math.abs((end ?? 0) - (ONSET + 35))).toBeLessThanOrEqual(5);
    const episode = open.truth(onset ?? 0, end ?? 0, [SHOP]).attacks;
    const { world, truth } = open;
    const minutes = Array.from({ length: 120 }, (_, at) => truth(FROM + at, FROM + at + 1, [SHOP]).attacks);
    const peak = Math.max(...minutes);
    const during = trafficBetween(world, onset ?? 0, end ?? 0, [SHOP]).categories;
    expect(text(reply.body)).toMatch(
      new RegExp(`^Above usual: CC attacks ${count(during.cc ?? 0)} \\(\\d+ expected\\), Malicious crawlers`),
    );
    // What a check does not say: the course of it, with how it was before and after.
    const rate = (from: number, to: number): string => {
      const each = truth(from, to, [SHOP]).attacks / (to - from);
      return each < 9.95 ? each.toFixed(1).replace(/\.0$/, '') : count(Math.round(each));
    };
    const [within, after] = [rate(onset ?? 0, end ?? 0), rate(end ?? 0, TO)];
    const course = plainText(reply.headline)
      .replace(/ at 1[45]:\d\d/, '')
      .replace(/, [\d.]+× the usual [\d.]+/, '');
    expect(course).toBe(
      `${count(episode)} attacks in ${(end ?? 0) - (onset ?? 0)} minutes: ${within} per minute, peak ${peak}. Then ${after} per minute.`,
    );
    expect(disagreements(reply)).toEqual([]);
    const body = linesOf(reply);
    expect(body).toContain(`In this window: ${count(attacks)} attacks among ${count(requests)} requests in 2 hours.`);
    const day = open.truth(FROM - 1440, TO - 1440, [SHOP]);
    expect(body).toContain(
      `In the same hours the day before: ${count(day.attacks)} attacks among ${count(day.requests)} requests in 2 hours.`,
    );

    const now = trafficBetween(world, FROM, TO, [SHOP]).categories;
    const dayBefore = trafficBetween(world, FROM - 1440, TO - 1440, [SHOP]).categories;
    // The numbers behind it are those of the episode, and what is expected adds up.
    const table = reply.why?.more?.numbers.table?.rows ?? [];
    expect(table[0]?.slice(0, 2)).toEqual(['CC attacks', count(during.cc ?? 0)]);
    const whole = (cell = '0'): number => (cell === '<1' ? 0 : Number(cell.replaceAll(',', '')));
    const expected = table.reduce((sum, row) => sum + whole(row[2]), 0);
    expect(body).toContain(`The episode: ${count(episode)} counted, about ${count(expected)} expected.`);
    const [timeline, categories] = reply.attachments ?? [];
    const rows = (timeline?.content ?? '').trim().split('\r\n').slice(1);
    expect(rows).toHaveLength(120);
    expect(rows.map((row) => Number(row.split(',')[4]))).toEqual(minutes);
    expect(categories?.content).toContain(`,cc,CC attacks,${now.cc},${dayBefore.cc}\r\n`);

    if (reply.chart?.kind !== 'timeline') throw new Error('no timeline');
    const mark = { onsetMs: (onset ?? 0) * MINUTE_MS, endMs: (end ?? 0) * MINUTE_MS, of: 'attacks' };
    expect(reply.chart.marks).toEqual([mark]);
    expect(reply.chart.title).toBe(reply.title);
    expect(reply.chart.baseline?.points).toHaveLength(120);
    // Of which 28 are the days before, to know whether a category ever had as many, and the rest hours and five minutes of it.
    expect(open.stage.service.requests.length).toBeLessThanOrEqual(95);
    for (const { sentence } of (reply.actions ?? []).filter(({ label }) => label !== 'Watch this channel'))
      expect((await open.ask(sentence)).failed).toBeUndefined();
  });

  it('is a check when no window is named', async () => {
    open = await openVerdictStage(41);
    const [incident, check] = [await open.ask('incident'), await open.ask('check')];
    // Only what a follow-up carries on from names the verb.
    expect(incident).toEqual({ ...check, asked: incident.asked });
    expect(incident.title).toMatch(/^Calm · /);
  });

  it('says that a window without data has none', async () => {
    open = await openVerdictStage(41, [], { retentionDays: 3 });
    const reply = await open.ask('incident 2026-02-01 14:00-16:00');
    expect([reply.level, reply.title]).toEqual(['not_enough_data', 'Not enough data to judge']);
    expect(reply.chart).toBeUndefined();
  });

  it('judges a whole day and a whole week', async () => {
    open = await openVerdictStage(41, [FLOOD]);
    const day = await open.ask('incident yesterday on shop');
    const week = await open.ask('check last 7 days on shop');
    const window = await open.ask('incident yesterday 14:00-16:00 on shop');
    const when = (title: string): string => /^(?:Surge|Incident) ([^·]*)/.exec(title)?.[1] ?? title;
    expect(when(day.title)).toMatch(/^10 Mar 14:\d\d – 15:\d\d/);
    // The same episode, to the minute, in however long a window it is looked at.
    expect([when(week.title), when(window.title)]).toEqual([when(day.title), when(day.title)]);
    const began = (reply: Reply): string => /^Began 14:\d\d: /.exec(plainText(reply.headline))?.[0] ?? '';
    expect(began(day)).toBe(began(window));
    const strength = (title: string) => /[\d.]+×/.exec(title)?.[0] ?? title;
    expect(strength(week.title)).toBe(strength(plainText(window.headline)));
    expect(strength(plainText(day.headline))).toBe(strength(week.title));
  });
});
