/** Every answer about the same time tells the same story, in the same words and numbers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { plainText } from '../../../src/replies/phrases.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { disagreements } from '../../support/agreement.ts';
import { AFTERNOON, askOn, busyDay, NIGHT } from '../../support/busy-day.ts';

const said = ({ title, headline, body = [], also = [] }: Reply): string =>
  [title, ...[headline ?? [], ...body, ...also].map(plainText)].join('\n');

/** A surge by night, a new category, a firewall without attacks, and a surge that begins at 15:00. */
let ask: ReturnType<typeof askOn>;
beforeAll(() => {
  ask = askOn(busyDay());
});

const QUESTIONS = ['check', 'incident', 'timeline', 'attacks', 'compare'];
const NIGHT_TITLE = /^Surge 02:37 – 03:03 · 8\.\d× usual · led by SQL injection$/;
const NOW_TITLE = /^Surge since 15:00 · [\d.]+× usual · led by XSS$/;

describe('a past window', () => {
  it.each([
    'incident today 02:30-03:10',
    'check today 02:37-03:03',
    // The window cuts the surge: its own times are told.
    'check today 02:40-02:50',
    'timeline today 02:40-02:50',
    'attacks today 02:40-02:50',
  ])('says when it was over, not that it goes on: %s', async (question) => {
    const reply = await ask('09:46', question);
    expect(reply.title).toMatch(NIGHT_TITLE);
    expect(reply.level).toBe('past');
    expect(said(reply)).not.toMatch(/\b(since|still|so far|ongoing)\b/i);
    expect(disagreements(reply)).toEqual([]);
  });

  it.each(QUESTIONS)('says of what goes on now that it does now, and not since: %s', async (verb) => {
    const reply = await ask('16:43', `${verb} today 15:00-15:30`);
    expect(reply.title).toMatch(/^Surge from 15:00 on \(ongoing at 16:40\) · [\d.]+× usual · led by XSS$/);
    expect(said(reply)).not.toMatch(/\b(since|still|so far)\b/i);
    expect(reply.level).toBe('surge');
  });
});

describe('while a surge goes on', () => {
  it.each([
    'check last 24h',
    'incident today',
    'attacks last 24h',
    'attacks today',
    'timeline last 24h',
    'timeline today',
    'compare today vs yesterday',
  ])('it leads, and the one of the night comes after it: %s', async (question) => {
    const reply = await ask('16:03', question);
    expect(reply.title).toMatch(NOW_TITLE);
    expect(reply.level).toBe('surge');
    expect(reply.also?.map(plainText)[0]).toMatch(/^Also 02:37–03:03: 8\.\d× usual, led by SQL injection\.$/);
    expect(disagreements(reply)).toEqual([]);
  });
});

describe('every episode', () => {
  it.each(['check last 24h', 'timeline today', 'attacks today', 'compare today vs yesterday', 'what happened today?'])(
    'is named with what it was: %s',
    async (question) => {
      const reply = await ask('16:03', question);
      expect(reply.also?.map(plainText)).toEqual([
        expect.stringMatching(/^Also 02:37–03:03: 8\.\d× usual, led by SQL injection\.$/),
        'Also 07:10–08:40: no attacks while visitors kept coming.',
        expect.stringMatching(/^Also 05:15–05:4\d: Webshell, \d+ events, none before\.$/),
      ]);
      // A chart marks what the text names.
      if (reply.chart?.kind === 'timeline') expect(reply.chart.marks).toHaveLength(4);
    },
  );

  it('is told in a past window by whoever is asked', async () => {
    const titles = await Promise.all(
      QUESTIONS.map(async (verb) => (await ask('09:46', `${verb} today 02:00-04:00`)).title),
    );
    expect(titles[0]).toMatch(NIGHT_TITLE);
    expect(new Set(titles).size).toBe(1);
  });

  it('has one number, however long the window', async () => {
    const titles = ['check today 02:30-03:10', 'check today 02:00-05:00', 'timeline yesterday 22:00 to today 04:00'];
    const found = await Promise.all(titles.map((question) => ask('09:46', question)));
    expect(new Set(found.map(({ title }) => title)).size).toBe(1);
    const counts = found.map((reply) => /([\d,]+) attacks/.exec(plainText(reply.headline))?.[1]);
    expect(new Set(counts).size).toBe(1);
  });

  it('is counted where there are more than four', async () => {
    const times = ['01:00', '03:00', '05:00', '07:00', '09:00', '11:00'];
    const extras = times.map((from) => ({ ...NIGHT, from, to: from.replace(':00', ':25') }));
    const reply = await askOn(busyDay({ extras, silence: null }))('13:00', 'check today');
    expect(reply.also).toHaveLength(3);
    expect(plainText(reply.also?.at(-1))).toMatch(/, and 2 smaller ones\.$/);
  });
});

describe('a peak', () => {
  it('is given by the minute, and says to which episode it belongs', async () => {
    const day = (await ask('16:03', 'timeline today')).body?.map(plainText).join('\n');
    const [, count, at] =
      /Peak of attacks (\d+) per minute at (0\d:\d\d), in the surge 02:37–03:03\.$/.exec(day ?? '') ?? [];
    const night = await ask('16:03', 'incident today 02:30-03:10');
    expect(plainText(night.headline)).toContain(`, peak ${count} at ${at}.`);
    const own = (await ask('09:46', 'timeline today 02:00-04:00')).body?.map(plainText).join('\n');
    expect(own).toMatch(new RegExp(`Peak of attacks ${count} per minute at ${at}\\.$`));
  });
});

describe('a fall', () => {
  it.each(['compare', 'attacks', 'timeline'])('says what was going on in the time before: %s', async (verb) => {
    const reply = await ask('09:46', `${verb} today 03:10-03:50 vs previous`);
    const line = reply.also?.map(plainText).at(-1);
    expect(line).toMatch(/^Compared with a time that had a surge, 02:37–03:03: 8\.\d× usual, led by SQL injection\.$/);
    const usual = await ask('09:46', `${verb} today 04:00-05:00 vs today 01:00-02:00`);
    expect(usual.also?.map(plainText).join()).not.toContain('Compared with');
  });
});

describe('why', () => {
  const whole = (cell = ''): number => (cell === '<1' ? 0 : Number(cell.replaceAll(',', '')));

  it('says in five lines what a surge rests on, and its numbers add up', async () => {
    const reply = await ask('16:03', 'check why');
    expect(reply.body?.map(plainText)).toEqual([
      expect.stringMatching(
        /^Expected: about \d+ attacks in 60 minutes, based on the same hours in the 4 weeks before\. Counted: [\d,]+\.$/,
      ),
      'By chance alone, this happens here less than once in 10,000 hours.',
      expect.stringMatching(
        /^By category: XSS [\d,]+ \(\d+ expected\), .* \(\d+\), .* \(\d+\), 3 others \d+ \(\d+\)\.$/,
      ),
      "It began at 15:00 and hadn't ended by 16:00.",
      expect.stringMatching(/^About 1 in \d+ such findings is wrong\.$/),
    ]);
    const [first = '', , byCategory = ''] = (reply.body ?? []).map(plainText);
    const [, due = '', came = ''] = /about (\d+) attacks .* Counted: ([\d,]+)/.exec(first) ?? [];
    const parts = [...byCategory.matchAll(/ ([\d,]+) \((<?[\d,]+)/g)];
    expect(parts.reduce((sum, [, count]) => sum + whole(count), 0)).toBe(whole(came));
    expect(parts.reduce((sum, [, , expected]) => sum + whole(expected), 0)).toBe(whole(due));
    expect(reply.actions?.map(({ label }) => label)).toEqual(['Show the rule', 'All numbers']);
  });

  it('has the rule and all numbers one step further, in sentences that can be typed', async () => {
    const { actions = [] } = await ask('16:03', 'check why');
    const [rule, numbers] = await Promise.all(actions.map(({ sentence }) => ask('16:03', sentence)));
    expect(rule).toMatchObject({ title: expect.stringMatching(/^The rule: Surge since 15:00/) });
    expect(plainText(rule?.body?.[0]).split(' ').length).toBeLessThanOrEqual(60);
    expect((await ask('16:03', 'check last 1h why numbers')).body).toEqual(numbers?.body);
    const [total = ''] = (numbers?.body ?? []).map(plainText);
    const [, due] = /^The episode: [\d,]+ counted, about ([\d,]+) expected\.$/.exec(total) ?? [];
    const rows = numbers?.table?.rows ?? [];
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.reduce((sum, [, , expected]) => sum + whole(expected), 0)).toBe(whole(due));
  });

  it('calls new only what the weeks before had none of', async () => {
    const extras = [
      { ...AFTERNOON, category: 'webshell' },
      // Three events in the night before.
      { from: '01:00', to: '01:12', category: 'webshell', perMinute: 0.25 },
    ];
    const known = await askOn(busyDay({ extras, silence: null }))('16:03', 'check');
    expect(known.title).toMatch(/ · led by Webshell$/);
    expect(`${said(known)}${known.why?.lines.map(plainText)}`).not.toMatch(/\bnew\b/);
    const unknown = await askOn(busyDay({ extras: extras.slice(0, 1), silence: null }))('16:03', 'check');
    expect(unknown.title).toMatch(/ · new: Webshell$/);
    expect(said(unknown)).toMatch(/Above usual: Webshell [\d,]+ \(new\)\./);
  });

  it('has one rarity: that of the record', async () => {
    const { why } = await ask('09:46', 'check today 05:00-06:00');
    expect(why?.lines.map(plainText)).toContain('By chance alone, this happens here about once in 670 hours.');
  });

  it('counts no chance of a few events of a new category', async () => {
    const extras = [{ from: '09:20', to: '09:46', category: 'webshell', perMinute: 1 }];
    const { title, why } = await askOn(busyDay({ extras, silence: null }))('09:46', 'check');
    expect(title).toMatch(/^Elevated since 09:20 · Webshell, \d+ events, none before$/);
    expect(why?.lines.length).toBeGreaterThan(1);
    expect(why?.lines.map(plainText).join(' ')).not.toContain('By chance');
  });
});

describe('calm', () => {
  it('is never said of a window above its own usual range', async () => {
    // Too little for an episode, and yet more than nine in ten such hours have.
    const extras = [{ from: '10:00', to: '14:00', category: 'cc', perMinute: 1.7 }];
    const some = askOn(busyDay({ extras, silence: null }));
    const titles = await Promise.all(
      ['11:30', '12:00', '12:30', '13:00', '13:30'].map(async (clock) => (await some(clock, 'check')).title),
    );
    const above = titles.filter((title) => !title.startsWith('Calm'));
    expect(above.length).toBeGreaterThan(0);
    for (const title of titles) {
      const [, name, observed = '', high = ''] =
        /^(.*?) · ([\d,]+) attacks in the last 57 minutes, .*–([\d,]+)/.exec(title) ?? [];
      if (name !== undefined && whole(observed) > whole(high)) expect(name).toMatch(/bove usual$/);
    }
    expect(
      above.some((title) =>
        /^A little above usual · \d+ attacks in the last 57 minutes, \d+–\d+ is usual$/.test(title),
      ),
    ).toBe(true);
  });

  const whole = (text: string): number => Number(text.replaceAll(',', ''));
});

describe('after the end', () => {
  it.each(QUESTIONS)('nothing is red, and nothing says since: %s', async (verb) => {
    const extras = [{ ...NIGHT, from: '09:30', to: '10:05' }];
    const reply = await askOn(busyDay({ extras, silence: null }))('10:40', `${verb} last 2h`);
    expect(reply.level).toBe('past');
    expect(reply.title).toMatch(/^Surge 09:30 – 10:05 · /);
    expect(said(reply)).not.toMatch(/\b(since|still|so far|ongoing)\b/i);
    if (reply.chart?.kind !== 'timeline') return;
    const at = (clock: string): number => Date.parse(`2026-03-18T${clock}Z`);
    expect(reply.chart.marks).toEqual([{ onsetMs: at('09:30'), endMs: at('10:05'), of: 'attacks' }]);
  });
});
