/** Every number that `timeline`, `attacks` and `compare` say, against the traffic that was made. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trafficBetween } from '../../../playground/service/traffic.ts';
import { plainText } from '../../../src/commands/replies/phrases.ts';
import { CATEGORIES, categoryName } from '../../../src/insight/categories.ts';
import { formatChange, formatShare } from '../../../src/insight/format.ts';
import { MINUTE_MS, openVerdictStage, SHOP, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
beforeEach(async () => {
  open = await openVerdictStage(53);
});
afterEach(() => open.stage.close());

const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;
const FROM = minuteOf('2026-03-10T14:00Z');
const TO = minuteOf('2026-03-10T16:00Z');
const BEFORE = FROM - (TO - FROM);
const WINDOW = '2026-03-10T14:00Z/2026-03-10T16:00Z';
const count = (value: number): string => value.toLocaleString('en-US');
const sentences = (actions: readonly { label: string; sentence: string }[] = []): Record<string, string> =>
  Object.fromEntries(actions.map(({ label, sentence }) => [label, sentence]));

describe('timeline', () => {
  it('says totals, share, change and peaks', async () => {
    const reply = await open.ask(`timeline ${WINDOW} on shop csv`);
    const now = open.truth(FROM, TO, [SHOP]);
    const was = open.truth(BEFORE, FROM, [SHOP]);
    const share = formatShare(now.attacks / now.requests);
    expect(plainText(reply.headline)).toBe(
      `${count(now.requests)} requests, ${count(now.attacks)} attacks (${share} of requests).`,
    );
    const minutes = Array.from({ length: TO - FROM }, (_, at) => open.truth(FROM + at, FROM + at + 1, [SHOP]));
    const peak = (key: 'attacks' | 'requests'): string => {
      const most = Math.max(...minutes.map((minute) => minute[key]));
      const at = Temporal.Instant.fromEpochMilliseconds(
        (FROM + minutes.findIndex((minute) => minute[key] === most)) * MINUTE_MS,
      );
      return `Peak of ${key}: ${count(most)} in the minute from ${at.toString().slice(0, 16).replace('T', ' ')} UTC.`;
    };
    expect(text(reply.body).split('\n')).toEqual([
      `Against the period before: requests ${formatChange(now.requests, was.requests)} (was ${count(was.requests)}), ` +
        `attacks ${formatChange(now.attacks, was.attacks)} (was ${count(was.attacks)}).`,
      peak('attacks'),
      peak('requests'),
    ]);
    expect(reply.notes).toEqual([]);
    const [head, ...rows] = (reply.attachments?.[0]?.content ?? '').trim().split('\r\n');
    expect(head).toBe('interval_start,interval_end,zone,requests,attacks,complete');
    expect(rows.map((row) => row.split(',').slice(3))).toEqual(
      minutes.map(({ requests, attacks }) => [String(requests), String(attacks), 'yes']),
    );
  });

  it('leads on, about the same hosts in the same zone', async () => {
    const reply = await open.ask(`timeline ${WINDOW} on shop in Europe/Berlin`);
    const tail = 'on shop in Europe/Berlin';
    expect(sentences(reply.actions)).toMatchObject({
      Earlier: `timeline 2026-03-10T12:00Z/2026-03-10T14:00Z ${tail}`,
      Later: `timeline 2026-03-10T16:00Z/2026-03-10T18:00Z ${tail}`,
      'By category': `attacks ${WINDOW} ${tail}`,
      Compare: `compare ${WINDOW} vs previous ${tail}`,
      CSV: `timeline ${WINDOW} ${tail} csv only`,
      'Make a digest': 'digest new on shop',
    });
  });

  it('keeps what it is compared with', async () => {
    const reply = await open.ask(`timeline ${WINDOW} vs 2026-03-09T14:00Z/2026-03-09T20:00Z`);
    const versus = 'vs 2026-03-09T14:00Z/2026-03-09T20:00Z in UTC';
    expect(sentences(reply.actions).CSV).toBe(`timeline ${WINDOW} ${versus} csv only`);
    expect(sentences(reply.actions).Earlier).not.toContain('vs');
    expect(text(reply.notes)).toContain('differ in length');
    const overlay = await open.ask(`timeline ${WINDOW} vs previous`);
    expect(sentences(overlay.actions).Earlier).toContain('vs previous');
    expect(text(overlay.notes)).toBe('');
  });

  it('does not call more attacks than requests a share of them', async () => {
    open.stage.service.misbehave(
      { kind: 'change', change: (body) => ({ ...body, attacks: body.requests, requests: body.attacks }) },
      { on: 'timeline' },
    );
    expect(plainText((await open.ask(`timeline ${WINDOW}`)).headline)).toMatch(/^[\d,]+ requests, [\d,]+ attacks\.$/);
  });
});

describe('attacks', () => {
  it('says every category with its share and change', async () => {
    const reply = await open.ask(`attacks ${WINDOW} on shop csv`);
    const now = trafficBetween(open.world, FROM, TO, [SHOP]).categories;
    const was = trafficBetween(open.world, BEFORE, FROM, [SHOP]).categories;
    const total = Object.values(now).reduce((sum, value) => sum + value, 0);
    const before = Object.values(was).reduce((sum, value) => sum + value, 0);
    expect(text(reply.body)).toBe(
      `Against the period before: events ${formatChange(total, before)} (was ${count(before)}).`,
    );
    const rows = new Map(reply.table?.rows.map((row) => [row[0], row.slice(1)]));
    for (const { field } of CATEGORIES) {
      const [events, earlier] = [now[field] ?? 0, was[field] ?? 0];
      const expected =
        events === 0 && earlier === 0
          ? undefined
          : [count(events), formatShare(events / total), formatChange(events, earlier)];
      expect(rows.get(categoryName(field))).toEqual(expected);
    }
    const [first, second] = reply.table?.rows ?? [];
    expect(plainText(reply.headline)).toBe(
      `${count(total)} events. Most: ${first?.[0]} ${first?.[1]} (${first?.[2]}), then ${second?.[0]} ${second?.[1]} (${second?.[2]}).`,
    );
    expect(reply.attachments?.[0]?.content).toContain(`,sqli,SQL injection,${now.sqli ?? 0},${was.sqli ?? 0}\r\n`);
    expect(reply.notes).toEqual([]);
    expect(sentences(reply.actions)['Make a digest']).toBe('digest new on shop');
  });

  it('tells no attacks from no data', async () => {
    const none = (body: Record<string, unknown>) => Object.fromEntries(Object.keys(body).map((key) => [key, 0]));
    open.stage.service.misbehave({ kind: 'change', change: none }, { on: 'distribution' });
    const quiet = await open.ask(`attacks ${WINDOW}`);
    expect(plainText(quiet.headline)).toBe('No attacks in this window.');
    expect(text(quiet.body)).toBe('Against the period before: no events then either.');
    expect(quiet.chart).toBeUndefined();
    open.stage.service.misbehave({ kind: 'change', change: () => ({ requests: [], attacks: [] }) }, { on: 'timeline' });
    const nothing = await open.ask('attacks 2026-03-10T17:00Z/2026-03-10T18:00Z');
    expect(plainText(nothing.headline)).toBe('No data. The service has no numbers for this window.');
    expect(nothing.body).toBeUndefined();
  });
});

describe('compare', () => {
  it('puts two windows side by side', async () => {
    const versus = '2026-03-09T14:00Z/2026-03-09T16:00Z';
    const reply = await open.ask(`compare ${WINDOW} vs ${versus} on shop`);
    const [now, was] = [open.truth(FROM, TO, [SHOP]), open.truth(FROM - 1440, TO - 1440, [SHOP])];
    const part = (a: number, b: number, what: string) =>
      `${count(a)} ${what} (${formatChange(a, b)} against ${count(b)})`;
    expect(plainText(reply.headline)).toBe(
      `${part(now.requests, was.requests, 'requests')}, ${part(now.attacks, was.attacks, 'attacks')}.`,
    );
    const rows = reply.table?.rows ?? [];
    expect(rows.slice(0, 3)).toEqual([
      ['Requests', count(now.requests), count(was.requests), formatChange(now.requests, was.requests)],
      ['Attacks', count(now.attacks), count(was.attacks), formatChange(now.attacks, was.attacks)],
      ['Attack share', formatShare(now.attacks / now.requests), formatShare(was.attacks / was.requests), ''],
    ]);
    const today = trafficBetween(open.world, FROM, TO, [SHOP]).categories;
    const then = trafficBetween(open.world, FROM - 1440, TO - 1440, [SHOP]).categories;
    for (const { field } of CATEGORIES) {
      const [a, b] = [today[field] ?? 0, then[field] ?? 0];
      const row = rows.find(([name]) => name === categoryName(field));
      expect(row).toEqual(a + b === 0 ? undefined : [categoryName(field), count(a), count(b), formatChange(a, b)]);
    }
    const growth = rows.slice(3).map(([, a = '', b = '']) => ({
      isNew: b === '0',
      by: Number(a.replace(',', '')) - Number(b.replace(',', '')),
    }));
    expect(growth).toEqual(growth.toSorted((a, b) => Number(b.isNew) - Number(a.isNew) || b.by - a.by));
    expect(sentences(reply.actions).CSV).toBe(`compare ${WINDOW} vs ${versus} on shop in UTC csv only`);
  });

  it('compares with nothing when there is no data', async () => {
    open.stage.service.misbehave(
      { kind: 'change', change: () => ({ requests: [], attacks: [] }) },
      { on: 'timeline', times: 1 },
    );
    const reply = await open.ask(`compare ${WINDOW} vs previous`);
    expect(plainText(reply.headline)).toMatch(
      /^No data for the (first|second) window, so there is nothing to compare\.$/,
    );
    expect(reply.table).toBeUndefined();
  });
});
