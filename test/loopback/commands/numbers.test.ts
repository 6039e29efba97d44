/** Every number that `timeline`, `attacks` and `compare` say, against the traffic that was made. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trafficBetween } from '../../../playground/service/traffic.ts';
import { plainText, subjectWords } from '../../../src/replies/phrases.ts';
import { CATEGORIES, categoryName } from '../../../src/statistics/categories.ts';
import { briefCount, formatChange, formatShare } from '../../../src/statistics/format.ts';
import { MINUTE_MS, NOW_MINUTE, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
beforeEach(async () => {
  open = await openVerdictStage(53);
});
afterEach(() => open.stage.close());

const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;
/** A Tuesday; it is Wednesday. */
const FROM = minuteOf('2026-03-10T14:00Z');
const TO = minuteOf('2026-03-10T16:00Z');
const DAY = 1440;
const WINDOW = '2026-03-10T14:00Z/2026-03-10T16:00Z';
const count = (value: number): string => value.toLocaleString('en-US');
const sentences = (actions: readonly { label: string; sentence: string }[] = []): Record<string, string> =>
  Object.fromEntries(actions.map(({ label, sentence }) => [label, sentence]));
const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);

describe('timeline', () => {
  it('says totals, share, change and peak', async () => {
    const reply = await open.ask(`timeline ${WINDOW} on shop csv`);
    const now = open.truth(FROM, TO, [SHOP]);
    const was = open.truth(FROM - DAY, TO - DAY, [SHOP]);
    const share = formatShare(now.attacks / now.requests);
    expect(reply.title).toBe(`${briefCount(now.requests)} requests · ${count(now.attacks)} attacks (${share})`);
    expect(plainText(reply.headline)).toBe(
      `Compared with the same hours the day before: attacks ${formatChange(now.attacks, was.attacks)} (was ${count(was.attacks)}), ` +
        `requests ${formatChange(now.requests, was.requests)} (was ${count(was.requests)}).`,
    );
    const minutes = Array.from({ length: TO - FROM }, (_, at) => open.truth(FROM + at, FROM + at + 1, [SHOP]));
    const peak = (key: 'attacks' | 'requests'): string => {
      const most = Math.max(...minutes.map((minute) => minute[key]));
      const start = (FROM + minutes.findIndex((minute) => minute[key] === most)) * MINUTE_MS;
      return `${count(most)} per minute at ${new Date(start).toISOString().slice(11, 16)}.`;
    };
    expect(text(reply.body)).toBe(`Peak ${peak('attacks')}`);
    expect(reply.subject && subjectWords(reply.subject)).toBe('shop · Tue 10 Mar 14:00–16:00 · UTC');
    expect(text(reply.why?.lines).split('\n')).toEqual([
      'Counted: Tue 10 Mar 14:00–16:00. Compared with: Mon 9 Mar 14:00–16:00, the same hours the day before.',
      `Peak of attacks ${peak('attacks')}`,
      `Peak of requests ${peak('requests')}`,
    ]);
    expect(reply.why?.table?.rows).toEqual([
      ['Requests', count(now.requests), count(was.requests), formatChange(now.requests, was.requests)],
      ['Attacks', count(now.attacks), count(was.attacks), formatChange(now.attacks, was.attacks)],
      ['Attack share', share, formatShare(was.attacks / was.requests), ''],
    ]);
    expect(reply.notes).toEqual([]);
    const [head, ...rows] = (reply.attachments?.[0]?.content ?? '').trim().split('\r\n');
    expect(head).toBe('interval_start,interval_end,zone,requests,attacks,complete');
    expect(rows.map((row) => row.split(',').slice(3))).toEqual(
      minutes.map(({ requests, attacks }) => [String(requests), String(attacks), 'yes']),
    );
  });

  it('has in its heading what a check of the same window finds, whatever its length', async () => {
    await open.stage.close();
    const wave = { kind: 'step', fromMinute: NOW_MINUTE - 31, minutes: 300, perMinute: 40, hosts: [SHOP] } as const;
    const old = { ...wave, fromMinute: NOW_MINUTE - 12 * DAY, minutes: 400, perMinute: 90 };
    open = await openVerdictStage(53, [wave, old]);
    const told: string[] = [];
    for (const window of ['last 1h', 'last 6h', 'last 24h']) {
      const [reply, check] = [await open.ask(`timeline ${window} on shop`), await open.ask(`check ${window} on shop`)];
      expect(reply.title).toMatch(/^Surge since 1[12]:\d\d · [\d.]+× usual · led by SQL injection$/);
      expect(reply.title).toBe(check.title);
      told.push(reply.title);
      const [, own = 'no count'] =
        /^([\d,]+ attacks) since 1[12]:\d\d, about [\d,]+ expected\. Still ongoing\.$/.exec(
          text([reply.headline ?? []]),
        ) ?? [];
      expect(text([check.headline ?? []])).toContain(own);
      // Those of the window stand below, so that nobody takes them for the surge's.
      expect(text(reply.body)).toMatch(
        /^Over the full (57 minutes|6 hours|24 hours): [\d,]+ attacks \(.* vs the same (hours|time) .*\)\.\n[\d,.]+( [kM])? requests \(.*\)\. Peak /,
      );
      // So have the answers that have another first question.
      for (const verb of ['attacks', 'compare']) {
        const other = await open.ask(`${verb} ${window} on shop`);
        expect([other.level, other.title, other.headline]).toEqual(['surge', reply.title, reply.headline]);
        expect(other.actions?.[0]).toMatchObject({ label: 'Check', effect: 'thread' });
      }
      if (reply.chart?.kind !== 'timeline' || check.chart?.kind !== 'timeline') throw new Error('no timeline');
      expect([reply.level, reply.chart.marks, reply.chart.title]).toEqual(['surge', check.chart.marks, reply.title]);
    }
    // One surge, as strong in a day as in the hours that hold it.
    expect(told[1]).toBe(told[2]);
    // Longer ones are not judged: the peak is told as what it is.
    const month = await open.ask('timeline last 20 days on shop');
    expect(month.title).toMatch(/^Peak [\d,]+ at Fri 27 Feb \d\d:\d\d, [\d.]+× the average · /);
    expect(month.level).toBeUndefined();
  });

  it('asks no more than it needs on a day like others', async () => {
    const reply = await open.ask('timeline last 24h');
    expect(reply.title).toMatch(/^1\.\d M requests · [\d,]+ attacks/);
    // Most are the weeks that say what is usual, which all answers share, and the categories of each hour.
    const asked = open.stage.service.requests.length;
    expect(asked).toBeLessThanOrEqual(38);
    // The timeline and the episodes are there; two windows by category are asked for.
    await open.ask('attacks last 24h');
    expect(open.stage.service.requests).toHaveLength(asked + 2);
  });

  it('counts only what is complete, says so once, and compares it with as much', async () => {
    const reply = await open.ask('timeline last 5 minutes on shop');
    const [from, to] = [NOW_MINUTE - 5, NOW_MINUTE - 3];
    const [now, was] = [open.truth(from, to, [SHOP]), open.truth(from - DAY, to - DAY, [SHOP])];
    expect(reply.title).toContain(`${count(now.requests)} requests · `);
    expect(reply.why?.table?.rows.slice(0, 2)).toEqual([
      ['Requests', count(now.requests), count(was.requests), formatChange(now.requests, was.requests)],
      ['Attacks', count(now.attacks), count(was.attacks), formatChange(now.attacks, was.attacks)],
    ]);
    expect(text(reply.notes)).toBe('Counted up to 12:31: attacks take up to three minutes to be logged.');
    const early = await open.ask('timeline last 2 minutes');
    expect(early.title).toBe('Too early to say: attacks since 12:32 are still being logged');
    expect(early.chart).toBeUndefined();
  });

  it('leads on, about the same hosts in the same zone', async () => {
    const reply = await open.ask(`timeline ${WINDOW} on shop in Europe/Berlin`);
    const tail = 'on shop in Europe/Berlin';
    expect(sentences(reply.actions)).toMatchObject({
      'Period before': `timeline 2026-03-10T12:00Z/2026-03-10T14:00Z ${tail}`,
      'Period after': `timeline 2026-03-10T16:00Z/2026-03-10T18:00Z ${tail}`,
      'By category': `attacks ${WINDOW} ${tail}`,
      'All numbers': `timeline ${WINDOW} ${tail} why`,
    });
    expect(sentences(reply.why?.actions)).toEqual({
      CSV: `timeline ${WINDOW} ${tail} csv only`,
      Compare: `compare ${WINDOW} ${tail}`,
      'Create a digest': 'digest new on shop',
    });
  });

  it('asks again about now in words, and below itself about exactly what it counted', async () => {
    const reply = await open.ask('timeline last 6h on shop');
    const { Again, 'By category': byCategory = '' } = sentences(reply.actions);
    expect(Again).toBe('timeline last 6h on shop in UTC');
    expect(byCategory).toBe('attacks 2026-03-11T06:34Z/2026-03-11T12:31Z on shop in UTC');
    const { attacks } = open.truth(NOW_MINUTE - 360, NOW_MINUTE - 3, [SHOP]);
    expect(reply.title).toContain(`${count(attacks)} attacks`);
    expect((await open.ask(byCategory)).title).toContain(`${count(attacks)} attacks`);
    const past = await open.ask(`timeline ${WINDOW}`);
    expect(sentences(past.actions).Again).toBeUndefined();
  });

  it('keeps what it is compared with', async () => {
    const reply = await open.ask(`timeline ${WINDOW} vs 2026-03-09T14:00Z/2026-03-09T20:00Z`);
    const versus = 'vs 2026-03-09T14:00Z/2026-03-09T20:00Z in UTC';
    expect(sentences(reply.why?.actions).CSV).toBe(`timeline ${WINDOW} ${versus} csv only`);
    expect(sentences(reply.actions)['By category']).toBe(`attacks ${WINDOW} ${versus}`);
    expect(sentences(reply.actions)['Period before']).not.toContain('vs');
    expect(plainText(reply.headline)).toMatch(
      /^Compared with Mon 9 Mar 14:00–20:00: attacks .* per hour .*, requests .* per hour .*\.$/,
    );
    const overlay = await open.ask(`timeline ${WINDOW} vs previous`);
    expect(sentences(overlay.actions)['Period before']).toContain('vs previous');
    expect(plainText(overlay.headline)).toMatch(/^Compared with the time just before: /);
  });

  it('does not call more attacks than requests a share of them', async () => {
    open.stage.service.misbehave(
      { kind: 'change', change: (body) => ({ ...body, attacks: body.requests, requests: body.attacks }) },
      { on: 'timeline' },
    );
    expect((await open.ask(`timeline ${WINDOW}`)).title).toMatch(/^[\d,]+ requests · [\d,]+ attacks$/);
  });

  it('doubts the ID of a host that nobody asks for, rather than calling it calm', async () => {
    for (const verb of ['timeline', 'attacks', 'compare']) {
      const reply = await open.ask(`${verb} last 6h on 3ac26c59e15a4a11bb680a103a29ddb6`);
      expect(reply.title).toBe('No traffic seen for 3ac26c59e15a4a11bb680a103a29ddb6: is its ID right?');
      expect(reply.chart).toBeUndefined();
      expect(sentences(reply.actions)['All hosts']).toMatch(new RegExp(`^${verb} 2026-03-11T06:34Z/.* in UTC$`));
    }
  });
});

describe('attacks', () => {
  it('says every category with its share and change', async () => {
    const midnight = minuteOf('2026-03-11T00:00Z');
    const reply = await open.ask('attacks yesterday csv');
    const now = trafficBetween(open.world, midnight - DAY, midnight, []).categories;
    const was = trafficBetween(open.world, midnight - 2 * DAY, midnight - DAY, []).categories;
    const [total, before] = [sum(now), sum(was)];
    expect(plainText(reply.headline)).toBe(
      `Compared with the day before: in total ${count(before)} → ${count(total)} (${formatChange(total, before)}), no category stands out.`,
    );
    const rows = new Map(reply.why?.table?.rows.map((row) => [row[0], row.slice(1)]));
    for (const { field } of CATEGORIES) {
      const [events, earlier] = [now[field] ?? 0, was[field] ?? 0];
      const expected =
        events === 0 && earlier === 0
          ? undefined
          : [count(events), formatShare(events / total), count(earlier), formatChange(events, earlier)];
      expect(rows.get(categoryName(field))).toEqual(expected);
    }
    const [first, second, third] = reply.why?.table?.rows ?? [];
    expect(reply.title).toBe(`${count(total)} attacks · ${first?.[0]} ${first?.[2]}`);
    const named = [first, second, third]
      .map((row, at) => `${row?.[0]} (${row?.[2]}${at === 0 ? ' of all' : ''})`)
      .join(', ');
    expect(text(reply.body)).toBe(`Most: ${named}.`);
    expect(reply.table).toEqual(reply.why?.table);
    expect(reply.attachments?.[0]?.content).toContain(`,sqli,SQL injection,${now.sqli ?? 0},${was.sqli ?? 0}\r\n`);
    expect(reply.notes).toEqual([]);
  });

  it('leads with the category that moved most', async () => {
    await open.stage.close();
    const wave = { kind: 'step', fromMinute: FROM, minutes: TO - FROM, perMinute: 6, hosts: [SHOP] } as const;
    open = await openVerdictStage(53, [wave]);
    const reply = await open.ask(`attacks ${WINDOW} on shop`);
    const now = trafficBetween(open.world, FROM, TO, [SHOP]).categories;
    const was = trafficBetween(open.world, FROM - DAY, TO - DAY, [SHOP]).categories;
    // In a past window too, what happened comes first.
    const [, name = ''] = /^(?:Surge|Elevated) 10 Mar [\d: –]+ · [\d.]+× usual · led by (.+)$/.exec(reply.title) ?? [];
    const field = CATEGORIES.find((category) => category.name === name)?.field ?? '';
    expect(text(reply.body)).toMatch(
      new RegExp(
        `^Over the full .*, compared with the same hours the day before: ${name} ${count(was[field] ?? 0)} → ${count(now[field] ?? 0)}`,
      ),
    );
  });

  it('tells no attacks from no data', async () => {
    const none = (body: Record<string, unknown>) => Object.fromEntries(Object.keys(body).map((key) => [key, 0]));
    open.stage.service.misbehave({ kind: 'change', change: none }, { on: 'distribution' });
    const quiet = await open.ask(`attacks ${WINDOW}`);
    expect(quiet.title).toBe('No attacks in any category');
    expect(plainText(quiet.headline)).toBe('Compared with the same hours the day before: in total 0 → 0.');
    expect(quiet.chart).toBeUndefined();
    open.stage.service.misbehave({ kind: 'change', change: () => ({ requests: [], attacks: [] }) }, { on: 'timeline' });
    const nothing = await open.ask('attacks 2026-03-10T17:00Z/2026-03-10T18:00Z');
    expect(nothing.title).toBe('No data');
    expect(plainText(nothing.headline)).toContain("That isn't the same as no attacks");
    expect(nothing.body).toBeUndefined();
  });
});

describe('compare', () => {
  it('puts two windows side by side', async () => {
    const versus = '2026-03-09T14:00Z/2026-03-09T16:00Z';
    const reply = await open.ask(`compare ${WINDOW} vs ${versus} on shop`);
    const [now, was] = [open.truth(FROM, TO, [SHOP]), open.truth(FROM - DAY, TO - DAY, [SHOP])];
    expect(reply.title).toBe(
      `Attacks ${formatChange(now.attacks, was.attacks)}, requests ${formatChange(now.requests, was.requests)} · 14:00–16:00 on both days`,
    );
    expect(plainText(reply.headline)).toBe(
      `Compared with Mon 9 Mar 14:00–16:00: attacks ${count(was.attacks)} → ${count(now.attacks)}, requests ${count(was.requests)} → ${count(now.requests)}.`,
    );
    const rows = reply.why?.table?.rows ?? [];
    expect(rows.slice(0, 3)).toEqual([
      ['Requests', count(now.requests), count(was.requests), formatChange(now.requests, was.requests)],
      ['Attacks', count(now.attacks), count(was.attacks), formatChange(now.attacks, was.attacks)],
      ['Attack share', formatShare(now.attacks / now.requests), formatShare(was.attacks / was.requests), ''],
    ]);
    const today = trafficBetween(open.world, FROM, TO, [SHOP]).categories;
    const then = trafficBetween(open.world, FROM - DAY, TO - DAY, [SHOP]).categories;
    for (const { field } of CATEGORIES) {
      const [a, b] = [today[field] ?? 0, then[field] ?? 0];
      const row = rows.find(([name]) => name === categoryName(field));
      expect(row).toEqual(a + b === 0 ? undefined : [categoryName(field), count(a), count(b), formatChange(a, b)]);
    }
    expect(sentences(reply.actions).CSV).toBe(`compare ${WINDOW} vs ${versus} on shop in UTC csv only`);
  });

  it('compares today with as much of yesterday', async () => {
    const reply = await open.ask('compare today vs yesterday on shop');
    const midnight = minuteOf('2026-03-11T00:00Z');
    const [now, was] = [
      open.truth(midnight, NOW_MINUTE - 3, [SHOP]),
      open.truth(midnight - DAY, NOW_MINUTE - 3 - DAY, [SHOP]),
    ];
    expect(reply.title).toMatch(/ · 00:00–12:31 on both days$/);
    expect(plainText(reply.headline)).toBe(
      `Compared with Tue 10 Mar 00:00–12:31: attacks ${count(was.attacks)} → ${count(now.attacks)}, requests ${count(was.requests)} → ${count(now.requests)}.`,
    );
    // One window in one message.
    expect(reply.subject && subjectWords(reply.subject)).toContain(' · Wed 11 Mar 00:00–12:31 · ');
    // A button asks about the same two windows, however much later it is pressed.
    const all = sentences(reply.actions)['All numbers'] ?? '';
    expect((await open.ask(all)).table).toEqual(reply.why?.table);
    expect(all).toBe(
      'compare 2026-03-11T00:00Z/2026-03-11T12:31Z vs 2026-03-10T00:00Z/2026-03-10T12:31Z on shop in UTC why',
    );
  });

  it('says what grew, fell, came and went, the most surprising first', async () => {
    const change = (factors: Record<string, number>) => (body: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(body).map(([key]) => [key, factors[key] ?? 0]));
    const answers: Record<string, number>[] = [
      { xss: 310, robot: 610, webshell: 14, cc: 400 },
      { xss: 120, robot: 900, rfi: 40, cc: 390 },
    ];
    let asked = 0;
    // The window is asked about before the one it is compared with.
    open.stage.service.misbehave(
      { kind: 'change', change: (body) => change(answers[asked++] ?? {})(body) },
      { on: 'distribution' },
    );
    const reply = await open.ask(`compare ${WINDOW}`);
    const was = reply.why?.table?.rows.find(([name]) => name === 'XSS');
    const forth = was?.[1] === '310';
    expect(text(reply.body)).toBe(
      forth
        ? 'Gone: Remote file inclusion 40 → 0. Grew: XSS 120 → 310. New: Webshell 14. Fell: Malicious crawlers 900 → 610. \nCC attacks 400, within the usual variation.'
        : 'New: Remote file inclusion 40. Fell: XSS 310 → 120. Gone: Webshell 14 → 0. Grew: Malicious crawlers 610 → 900. \nCC attacks 390, within the usual variation.',
    );
  });

  it('compares with nothing when there is no data', async () => {
    open.stage.service.misbehave({ kind: 'change', change: () => ({ requests: [], attacks: [] }) }, { on: 'timeline' });
    const reply = await open.ask(`compare ${WINDOW} vs previous`);
    expect(reply.title).toMatch(/^(No data|Nothing to compare with · vs the time just before)$/);
    expect(reply.body).toBeUndefined();
  });
});
