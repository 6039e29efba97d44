/** Events are added to a log of attacks as their labels say, and nothing else in it changes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAttackLog, realWeeks } from '../../evaluation/real-attacks.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-attacks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WEEK_MS = 7 * 24 * 3_600_000;
const MONDAY_MS = Date.UTC(2013, 2, 4);

/** One on each host every two minutes for seven weeks from a Sunday evening on. */
function written(name: string): string {
  const rows = ['datetime,host,src,proto,type,spt,dpt'];
  for (let ms = MONDAY_MS - 7_200_000; ms < MONDAY_MS + 7 * WEEK_MS; ms += 60_000) {
    const time = new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
    const at = ms / 60_000;
    rows.push(`${time},${at % 2 === 0 ? 'oregon' : 'tokyo'},1,${at % 3 === 0 ? 'ICMP,8,,' : `TCP,,9,${at % 5}`}`);
  }
  const file = path.join(folder, name);
  writeFileSync(file, `${rows.join('\r\n')}\r\n`);
  return file;
}

describe('a log of attacks', () => {
  const log = readAttackLog(written('log.csv'));
  const weeks = [...realWeeks(log)];
  const sum = (column: readonly (number | null)[] = []): number =>
    column.reduce<number>((all, each) => all + (each ?? 0), 0);

  it('begins on a Monday, with protocol and port as the category', () => {
    expect(log.startMs).toBe(MONDAY_MS);
    expect(log.weeks).toBe(6);
    expect([...log.hosts.keys()].sort()).toEqual(['oregon', 'tokyo']);
    expect([...(log.hosts.get('oregon')?.keys() ?? [])].sort()).toEqual(
      ['ICMP', 'TCP 0', 'TCP 1', 'TCP 2', 'TCP 3', 'TCP 4', 'other ports'].sort(),
    );
  });

  it('becomes a week after four others for each host and for all', () => {
    expect(weeks.map(({ id }) => id)).toEqual(['oregon-4', 'oregon-5', 'tokyo-4', 'tokyo-5', 'all-4', 'all-5']);
    for (const { numbers, fromMs, toMs } of weeks) {
      expect(fromMs - numbers.startMs).toBe(4 * WEEK_MS);
      expect(toMs - fromMs).toBe(WEEK_MS);
      const inAll = Object.values(numbers.categories ?? {}).reduce((all, column) => all + sum(column), 0);
      expect(inAll).toBe(sum(numbers.attacks));
    }
  });

  it('changes only where an event is, and as its kind says', () => {
    const kinds = new Set<string>();
    for (const { numbers, events, site } of weeks) {
      const real = site === 'all' ? 1 : 0.5;
      const between = (fromMs: number, toMs: number, of = numbers.attacks): number =>
        sum(of.slice((fromMs - numbers.startMs) / 60_000, (toMs - numbers.startMs) / 60_000));
      let lastMs = numbers.startMs;
      for (const { kind, fromMs, toMs, main } of events) {
        const usual = ((toMs - fromMs) / 60_000) * real;
        expect(Math.abs(between(lastMs, fromMs) - ((fromMs - lastMs) / 60_000) * real)).toBeLessThanOrEqual(1);
        if (kind === 'takeover') expect(Math.abs(between(fromMs, toMs) - usual)).toBeLessThanOrEqual(1);
        else if (kind === 'attacks gone') expect(between(fromMs, toMs)).toBe(0);
        else expect(between(fromMs, toMs)).toBeGreaterThan(usual);
        const ofMain = between(fromMs, toMs, numbers.categories?.[main ?? '']);
        if (kind === 'takeover') expect(ofMain).toBeGreaterThan(0.3 * usual);
        if (kind === 'new category') expect(ofMain).toBeGreaterThan(0);
        kinds.add(kind);
        lastMs = toMs;
      }
    }
    expect(kinds.size).toBeGreaterThan(4);
  });

  it('says of every event when it could be seen, if it could', () => {
    const events = weeks.flatMap((week) => week.events);
    const seen = events.filter(({ detectable }) => detectable);
    expect(seen.length).toBeGreaterThan(events.length / 2);
    for (const { fromMs, toMs, firstSeenMs, seenMs } of seen) {
      expect(firstSeenMs).toBeGreaterThan(fromMs);
      expect(seenMs).toBeGreaterThanOrEqual(firstSeenMs ?? toMs);
      expect(seenMs).toBeLessThanOrEqual(toMs);
    }
    for (const { seenMs } of events.filter(({ detectable }) => !detectable)) expect(seenMs).toBeNull();
  });
});

it('without its columns is refused in words', () => {
  const file = path.join(folder, 'odd.csv');
  writeFileSync(file, 'time,host\n');
  expect(() => readAttackLog(file)).toThrow(/needs the columns datetime, host, proto and dpt/);
});
