/**
 * What a service can't report is never compared, shared out or judged as if it were zero. One test for each kind of
 * service that reports less, with the numbers checked against the traffic.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import type { StatisticsServiceOptions } from '../../../playground/service/server.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { formatCount as count, formatChange } from '../../../src/statistics/format.ts';
import { openVerdictStage, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
afterEach(() => open.stage.close());

const minuteOf = (instant: string) => Date.parse(instant) / 60_000;
/** Everything that an answer says, apart from its chart. */
const allOf = (reply: Reply): string =>
  [reply.title, text([reply.headline ?? [], ...(reply.body ?? []), ...(reply.notes ?? [])])].join('\n');
const escaped = (words: string): string => words.replaceAll('+', '\\+');
const NEWS = /\bnew\b|\bgone\b|×\d|\+\d{2,} %/i;

async function on(kind: StatisticsServiceOptions, now?: string): Promise<void> {
  open = await openVerdictStage(53, [], kind, { dialect: 'auto' });
  if (now !== undefined) open.stage.clock.nowMs = Date.parse(now);
}

describe('fixed windows', () => {
  it.each(['check yesterday', 'check today', 'incident yesterday'])(
    'row 1: `%s` is calm where earlier categories are unknown',
    async (question) => {
      await on(SERVICE_KINDS['fixed windows']);
      const reply = await open.ask(question);
      expect(reply.level).toBe('calm');
      expect(allOf(reply)).not.toMatch(NEWS);
    },
  );

  it('row 2: a window cut to longer steps is compared over the part that both have', async () => {
    await on(SERVICE_KINDS['fixed windows'], '2026-03-09T18:50:30Z');
    const reply = await open.ask('timeline today');
    const at = (day: string, time: string) => minuteOf(`2026-03-${day}T${time}Z`);
    const [now, was] = [
      open.truth(at('09', '00:00'), at('09', '18:00')),
      open.truth(at('02', '00:00'), at('02', '18:00')),
    ];
    expect(reply.title).toContain(`${count(open.truth(at('09', '00:00'), at('09', '18:47')).attacks)} attacks`);
    const change = `attacks ${formatChange(now.attacks, was.attacks)} (was ${count(was.attacks)})`;
    expect(plainText(reply.headline)).toContain(change);
    expect(text(reply.notes)).toContain('Compared over Mon 9 Mar 00:00–18:00: ');
    const compared = await open.ask('compare last 3h');
    const [a, b] = [open.truth(at('09', '16:00'), at('09', '18:00')), open.truth(at('02', '16:00'), at('02', '18:00'))];
    expect(compared.title).toMatch(new RegExp(`^Attacks ${formatChange(a.attacks, b.attacks)}, `));
    expect(plainText(compared.headline)).toContain(`attacks ${count(b.attacks)} → ${count(a.attacks)}`);
    expect(text(compared.notes)).toContain('Compared over Mon 9 Mar 16:00–18:00: ');
    const short = await open.ask('timeline last 1h');
    expect(plainText(short.headline)).toMatch(/^Not compared: /);
  });

  it.each(['attacks', 'who'])('row 9: `%s last 7 days` offers the whole days that the service counts', async (verb) => {
    await on(SERVICE_KINDS['fixed windows']);
    const refused = open.ask(`${verb} last 7 days on shop`);
    await expect(refused).rejects.toMatchObject({
      code: 'limit',
      message: expect.stringContaining('only for whole days in UTC'),
      next: expect.arrayContaining([
        { label: 'Last 7 days (UTC days)', sentence: `${verb} since 2026-03-05 on shop in UTC` },
        { label: 'Today (UTC)', sentence: `${verb} today on shop in UTC` },
      ]),
    });
    const { next } = await refused.catch((error) => error);
    expect(next[0].label).toBe('Last 7 days (UTC days)');
    for (const { sentence } of next) expect((await open.ask(sentence)).failed).toBeUndefined();
  });
});

describe('categories by recent only', () => {
  it.each(['attacks yesterday', 'attacks today', 'compare yesterday'])(
    'row 3: `%s` does not compare a full list with a top ten',
    async (question) => {
      await on(SERVICE_KINDS['categories by recent only']);
      const reply = await open.ask(question);
      expect(allOf(reply)).not.toMatch(/Smaller categories|gone/i);
      const rows = reply.why?.table?.rows ?? [];
      expect(rows.map(([name]) => name)).not.toContain('Smaller categories');
      expect(rows.find(([name]) => name === 'Webshell')?.slice(-2)).toEqual(['?', '?']);
    },
  );
});

describe.each(['events kept for 30 days', 'overviews kept for 30 days, zeros before'] as const)('%s', (kind) => {
  it.each([
    'attacks last 30 days',
    'attacks last 28 days',
    'attacks last month',
    'compare last 30 days',
    'timeline last 30 days',
    'timeline last month',
    'timeline last 30 days on shop',
  ])('row 4: `%s` is not compared with what is gone, and says so once', async (question) => {
    await on(SERVICE_KINDS[kind]);
    const reply = await open.ask(question);
    expect(allOf(reply)).not.toMatch(NEWS);
    expect(plainText(reply.headline)).toMatch(/^Not compared: the service no longer has all of /);
    expect(text(reply.notes).match(/nothing before \d+ \w+ can be (counted|compared)/g)).toHaveLength(1);
    expect(text(reply.notes)).toContain('The service keeps 30 days; nothing before 9 Feb can be ');
  });

  it('row 4: `compare last 20 days vs previous` compares with nothing that is gone', async () => {
    await on(SERVICE_KINDS[kind]);
    const reply = await open.ask('compare last 20 days vs previous');
    expect(allOf(reply)).not.toMatch(NEWS);
    expect(text(reply.notes)).toContain('The service keeps 30 days; nothing before 9 Feb can be compared.');
    expect(`${reply.title} ${plainText(reply.headline)}`).toMatch(/not compared/i);
    expect(allOf(reply)).not.toMatch(/→|[+−]\d+ %/);
  });

  it('row 4: a check names what it could not compare with', async () => {
    await on(SERVICE_KINDS[kind]);
    const reply = await open.ask('check 2026-02-11');
    expect(reply.level).toBe('calm');
    expect(text(reply.why?.more?.numbers.lines)).toContain('nothing before 9 Feb can be compared');
  });
});

describe('one endpoint fails', () => {
  it.each(['WAF.9002', 'APIG.0613'] as const)('row 6: %s for categories leaves the totals', async (code) => {
    await on({});
    open.stage.service.misbehave({ kind: 'refuse', code }, { on: 'distribution' });
    const midnight = minuteOf('2026-03-11T00:00Z');
    const [now, was] = [open.truth(midnight - 1_440, midnight), open.truth(midnight - 2_880, midnight - 1_440)];
    const reply = await open.ask('attacks yesterday');
    expect(reply.title).toBe(`${count(now.attacks)} attacks · categories unknown`);
    expect(plainText(reply.headline)).toContain(`in total ${count(was.attacks)} → ${count(now.attacks)}`);
    expect(text(reply.body)).toMatch(/^No categories: /);
    const compared = await open.ask('compare yesterday');
    expect(plainText(compared.headline)).toContain(`attacks ${count(was.attacks)} → ${count(now.attacks)}`);
    expect(text(compared.notes)).toMatch(/^No categories: /);
    expect((await open.ask('timeline yesterday')).title).toContain(`${count(now.attacks)} attacks`);
  });

  it.each(['WAF.9002', 'APIG.0613'] as const)('row 6: %s for the timeline leaves the categories', async (code) => {
    await on({});
    open.stage.service.misbehave({ kind: 'refuse', code }, { on: 'timeline' });
    const midnight = minuteOf('2026-03-11T00:00Z');
    const [now, was] = [open.truth(midnight - 1_440, midnight), open.truth(midnight - 2_880, midnight - 1_440)];
    const compared = await open.ask('compare yesterday');
    expect(compared.title).toMatch(
      new RegExp(`^Attacks ${escaped(formatChange(now.attacks, was.attacks))}, requests unknown`),
    );
    expect(plainText(compared.headline)).toContain(`attacks ${count(was.attacks)} → ${count(now.attacks)}`);
    expect(text(compared.notes)).toMatch(/^No timeline: /);
    for (const question of ['check yesterday', 'incident yesterday', 'timeline yesterday', 'which-host yesterday']) {
      const reply = await open.ask(question);
      expect(reply.title, question).toContain(`${count(now.attacks)} attacks`);
      expect(reply.level, question).toBe(question.startsWith('timeline') ? undefined : 'not_enough_data');
      expect(allOf(reply).match(/No timeline: /g), question).toHaveLength(1);
      expect(allOf(reply), question).not.toMatch(/calm|surge|elevated|usual/i);
      expect(reply.table?.rows.length, question).toBeGreaterThan(5);
    }
    expect((await open.ask('attacks yesterday')).title).toContain(`${count(now.attacks)} attacks`);
  });

  it("row 6: without the earlier window's timeline, a comparison keeps what happened, its chart and both totals", async () => {
    const midnight = minuteOf('2026-03-11T00:00Z');
    const night = { kind: 'step', fromMinute: midnight - 1_300, minutes: 60, perMinute: 30 } as const;
    open = await openVerdictStage(53, [night]);
    const earlier = String((midnight - 2_880) * 60_000);
    open.stage.service.misbehave(
      { kind: 'refuse', code: 'WAF.9002' },
      { on: 'timeline', when: (search) => search.get('from') === earlier },
    );
    const [now, was] = [open.truth(midnight - 1_440, midnight), open.truth(midnight - 2_880, midnight - 1_440)];
    const compared = await open.ask('compare yesterday');
    expect(compared.title).toMatch(/^Surge /);
    expect(allOf(compared)).toContain(`attacks ${count(was.attacks)} → ${count(now.attacks)}`);
    expect(text(compared.notes)).toMatch(/No timeline for .*: /);
    expect(compared.chart?.kind).toBe('timeline');
  });
});

describe('qps as rates', () => {
  it('row 7: a check says why it is unknown, with the total', async () => {
    await on(SERVICE_KINDS['qps as rates']);
    const reply = await open.ask('check 2026-03-11T10:00Z/2026-03-11T11:00Z');
    const { attacks } = open.truth(minuteOf('2026-03-11T10:00Z'), minuteOf('2026-03-11T11:00Z'));
    expect(reply.level).toBe('not_enough_data');
    expect(plainText(reply.headline)).toBe(
      `The service reports rounded rates over time, which are too coarse to judge. In total: ${count(attacks)} attacks.`,
    );
    expect((await open.ask('who 2026-03-11T10:00Z/2026-03-11T11:00Z')).title).toContain(`of ${count(attacks)} attacks`);
  });
});

describe('missing points and unknown categories', () => {
  it('row 11: shares are not those of an incomplete total, and an unknown category is not zero', async () => {
    await on(SERVICE_KINDS['missing points and unknown categories']);
    expect(allOf(await open.ask('who last 24h'))).not.toContain('%');
    const reply = await open.ask('attacks last 24h csv');
    expect(reply.table?.rows.at(-1)).toEqual(['XSS', '?', '?', '?', '?']);
    expect(reply.attachments?.[0]?.content).toMatch(/,xss,XSS,,\r\n/);
    expect(text(reply.notes)).toContain("The service doesn't know the number of XSS.");
  });

  it('row 11: where only points are missing, shares are those of the categories', async () => {
    await on({ habits: { missingEvery: 9 } });
    const { attacks } = open.truth(minuteOf('2026-03-10T10:00Z'), minuteOf('2026-03-10T20:00Z'));
    const reply = await open.ask('who 2026-03-10T10:00Z/2026-03-10T20:00Z');
    expect(reply.title).toContain(`of ${count(attacks)} attacks`);
  });
});

it('row 12: the first interval of a file begins with the window', async () => {
  await on({});
  const reply = await open.ask('timeline last 30h csv');
  expect(reply.attachments?.[0]?.content.split('\r\n')[1]).toMatch(/^2026-03-10T06:34:00\+00:00,/);
});

describe('one name in the cloud and the dedicated list', () => {
  const kind = SERVICE_KINDS['one name in both host lists'];
  const ids = kind.hosts.slice(0, 2).map(({ id }) => id);

  it('row 8: counts both hosts, and names them once', async () => {
    await on(kind);
    const reply = await open.ask('timeline 2026-03-10T14:00Z/2026-03-10T16:00Z on shop.example.org');
    const { attacks } = open.truth(minuteOf('2026-03-10T14:00Z'), minuteOf('2026-03-10T16:00Z'), ids);
    expect(reply.title).toContain(`${count(attacks)} attacks`);
    const { sentence = '' } = reply.actions?.find(({ label }) => label === 'By category') ?? {};
    expect(sentence).toMatch(/ on shop\.example\.org in UTC$/);
    expect((await open.ask(sentence)).title).toContain(`${count(attacks)} attacks`);
    expect(reply.chart).toMatchObject({ hosts: ['shop.example.org'] });
    const question = await open.ask('was shop.example.org ok on 2026-03-10 14:00-16:00?');
    expect(question.subject?.hosts.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });
});
