/** What a finding says in each case, from verdicts and episodes made by hand. */
import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../src/episodes/episode.ts';
import type { Verdict } from '../../../src/episodes/verdict/index.ts';
import { risenIn, wholeShares } from '../../../src/replies/episode-lines.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { asOfEarlier, type FindingContext, findingOf } from '../../../src/replies/verdict-finding.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const at = (clock: string): number => Temporal.Instant.from(`2026-03-10T${clock}:00Z`).epochMilliseconds;
const HOUR_MS = 3_600_000;
const SHOP = { name: 'shop', id: '3ac26c59e15a4a11bb680a103a29ddb6' };
const RANGE = { from: NOW.subtract({ hours: 1 }), to: NOW };

const CALM: Verdict = {
  level: 'calm',
  score: 0.4,
  fromMs: at('13:30'),
  toMs: at('14:27'),
  totals: { attacks: 731, requests: 90_000, knownMs: 0.95 * HOUR_MS },
  expected: 760,
  usual: { low: 690, high: 840 },
  references: [],
  onsetMs: null,
  endedMs: null,
  visitorFactor: 1,
  categories: [],
  moved: [],
  drops: [],
  kind: null,
  confidence: null,
  completeness: [],
  unjudged: null,
  band: [],
};

const SURGE: EpisodeRecord = {
  id: 'rise-1',
  onsetMs: at('13:57'),
  endMs: null,
  worst: 'surge',
  leading: ['sqli'],
  figures: {
    untilMs: at('14:27'),
    total: 1_992,
    expected: 433,
    peak: null,
    categories: [
      { category: 'sqli', count: 741, expected: 52 },
      { category: 'xss', count: 422, expected: 27 },
      { category: 'cc', count: 320, expected: 310 },
      { category: 'lfi', count: 200, expected: 0.3 },
    ],
  },
  strength: 4,
  steps: [],
};
const OVER: EpisodeRecord = { ...SURGE, endMs: at('14:20'), figures: { ...SURGE.figures, untilMs: at('14:20') } };
const DROP: EpisodeRecord = {
  ...SURGE,
  id: 'attacks-1',
  drop: 'attacks',
  onsetMs: at('13:40'),
  worst: 'elevated',
  leading: [],
  figures: { untilMs: at('14:27'), total: 0, expected: 620, peak: null, categories: [] },
};
const MIX: EpisodeRecord = {
  ...SURGE,
  id: 'mix-webshell-1',
  mix: 'webshell',
  strength: 2.8,
  worst: 'elevated',
  leading: ['webshell'],
  figures: {
    untilMs: at('14:27'),
    total: 41,
    expected: 0,
    peak: null,
    categories: [{ category: 'webshell', count: 41, expected: 0 }],
  },
};

const attacks = (count: number): Partial<Verdict> => ({ totals: { ...CALM.totals, attacks: count } });

function said(verdict: Partial<Verdict>, more: Partial<FindingContext> = {}) {
  const context = { hosts: [], zone: 'Europe/Stockholm', now: NOW, range: RANGE, episodes: [], ...more };
  const { level, title, body, also } = findingOf({ ...CALM, ...verdict }, context);
  return [level, title, ...[...body, ...also].map(plainText)];
}

describe('a finding', () => {
  it('calm says its usual range, and is not called calm above it', () => {
    expect(said({})).toEqual(['calm', 'Calm · 731 attacks in the last 57 minutes, 690–840 is usual']);
    expect(said(attacks(600))[1]).toBe('Calm · 600 attacks in the last 57 minutes, below the usual 690–840');
    expect(said(attacks(840))[1]).toBe('Calm · 840 attacks in the last 57 minutes, 690–840 is usual');
    expect(said(attacks(841))).toEqual([
      'calm',
      'A little above usual · 841 attacks in the last 57 minutes, 690–840 is usual',
    ]);
    expect(said(attacks(1_200))[1]).toBe('Above usual · 1,200 attacks in the last 57 minutes, 690–840 is usual');
  });

  it('more visitors are said, and that attacks rose no more than they did, if at all', () => {
    expect(said({ kind: 'more visitors', visitorFactor: 1.6 })[2]).toBe(
      'More visitors than usual: 1.6 times as many. Attacks rose no more than that, if at all.',
    );
  });

  it('a surge says since when, how strong, what leads, and the window it was asked in', () => {
    expect(said(attacks(2_170), { episodes: [SURGE] })).toEqual([
      'surge',
      'Surge since 14:57 · 4.6× usual · led by SQL injection',
      '1,992 attacks in 30 minutes so far, about 433 expected; 2,170 in the last 57 minutes. Still ongoing.',
      'Above usual: SQL injection 741 (52 expected), XSS 422 (27), Local file inclusion 200 (<1).',
    ]);
    expect(said(attacks(2_170), { episodes: [OVER] }).slice(0, 3)).toEqual([
      'past',
      'Surge 14:57 – 15:20 · 4.6× usual · led by SQL injection',
      '1,992 attacks in 23 minutes, about 433 expected; 2,170 in the last 57 minutes. Ended 15:20.',
    ]);
  });

  it('a past window says nothing about now', () => {
    const asked = { range: { from: RANGE.from, to: NOW.subtract({ minutes: 15 }) } };
    expect(said({}, { ...asked, episodes: [SURGE] }).slice(0, 3)).toEqual([
      'surge',
      'Surge from 14:57 on (ongoing at 15:27) · 4.6× usual · led by SQL injection',
      '1,992 attacks in 30 minutes up to 15:27, about 433 expected; 731 in the last 57 minutes.',
    ]);
    expect(said({}, { ...asked, episodes: [DROP] })[2]).toBe(
      '0 attacks in 47 minutes up to 15:27, about 620 expected.',
    );
    expect(said({}, { ...asked, episodes: [OVER] })[2]).not.toContain('since');
  });

  it('says on which host it is', () => {
    const share = { host: SHOP, observed: 1_950, expected: 410, share: 0.98 };
    const on = { is: 'known', of: 'excess', leading: [share], hosts: [share] } as const;
    expect(said({}, { episodes: [SURGE], on })[3]).toMatch(
      /^On shop \(98 % of the excess\)\. Above usual: SQL injection 741 \(52 exp/,
    );
    const bare = { ...SURGE, figures: { ...SURGE.figures, categories: [] } };
    expect(said({}, { episodes: [bare], on })[3]).toBe('On shop (98 % of the excess).');
  });

  it('what leads is what the record says, and new is only what there was none of', () => {
    const heading = (leading: readonly string[], more: Partial<EpisodeRecord> = {}) =>
      said({}, { episodes: [{ ...SURGE, leading, ...more }] })[1];
    expect(heading(['lfi'])).toMatch(/ · led by Local file inclusion$/);
    expect(heading(['sqli', 'lfi'])).toMatch(/ · now mostly Local file inclusion, at first SQL injection$/);
    expect(heading(['sqli', 'lfi'], { endMs: at('14:20') })).toMatch(/ · SQL injection, then Local file inclusion$/);
    const categories = [{ category: 'lfi', count: 200, expected: 0 }];
    expect(heading(['lfi'], { figures: { ...SURGE.figures, categories } })).toMatch(/ · new: Local file inclusion$/);
    expect(heading([])).toBe('Surge since 14:57 · 4.6× usual');
  });

  it('what has stopped is a finding', () => {
    expect(said(attacks(90), { episodes: [DROP] })).toEqual([
      'elevated',
      'No attacks since 14:40, while visitors keep coming · about 620 expected',
      "0 attacks in 47 minutes so far, about 620 expected. Rules may be off, or logging may have stopped. Check the firewall's rules and its log.",
      '90 attacks in the last 57 minutes, below the usual 690–840.',
    ]);
    const alone: EpisodeRecord = { ...DROP, figures: { ...DROP.figures, visitorsUnknown: true } };
    expect(said(attacks(90), { episodes: [alone] }).slice(1, 3)).toEqual([
      'No attacks since 14:40 · about 620 expected',
      '0 attacks in 47 minutes so far, about 620 expected. The site may be down, or logging may have stopped. Open the site, then check the firewall and its log.',
    ]);
    const visitors: EpisodeRecord = { ...DROP, drop: 'requests', figures: { ...DROP.figures, total: 4 } };
    expect(said({}, { episodes: [visitors] })[1]).toBe('Visitors gone since 14:40 · 4 visits, about 620 expected');
    const over = { ...visitors, endMs: at('14:00'), figures: { ...visitors.figures, untilMs: at('14:00') } };
    expect(said({}, { episodes: [over] }).slice(0, 3)).toEqual([
      'past',
      'Visitors gone 14:40 – 15:00 · 4 visits, about 620 expected',
      '4 visits in 20 minutes, about 620 expected. Ended 15:00.',
    ]);
  });

  it('what has stopped for good is not over, but usual by then', () => {
    const figures = { untilMs: at('13:40'), total: 0, expected: 9_000, peak: null, categories: [] };
    const gone: EpisodeRecord = { ...DROP, onsetMs: at('13:40') - 28 * 24 * HOUR_MS, endMs: at('13:40'), figures };
    expect(said({}, { episodes: [gone] }).slice(1, 3)).toEqual([
      'No attacks from 10 Feb 14:40 on, usual after 28 days, while visitors kept coming · about 9,000 expected',
      '0 attacks in 28 days, about 9,000 expected. Not over by then: after 28 days, so few attacks count as usual.',
    ]);
    expect(said({}, { episodes: [{ ...gone, drop: 'requests' }] })[2]).toMatch(
      /Not over by then: after 28 days, so few visits count as usual\.$/,
    );
  });

  it('a category that is unusual by its own history is a finding', () => {
    expect(said({}, { episodes: [MIX] })).toEqual([
      'elevated',
      'Elevated since 14:57 · Webshell, 41 events, none before',
      'Webshell: 41 events in 30 minutes so far, none in the 4 weeks before; 731 attacks in the last 57 minutes. Still ongoing.',
    ]);
    const known = { ...MIX, figures: { ...MIX.figures, expected: 0.2 } };
    expect(said({}, { episodes: [known] })[1]).toBe('Elevated since 14:57 · Webshell, 41 events, hardly any expected');
  });

  it('what goes on leads, then the strongest; all others get a line that says what they were', () => {
    const night = { ...OVER, id: 'n', onsetMs: at('01:37'), endMs: at('02:03'), strength: 6 };
    const silent = { ...DROP, id: 'd', onsetMs: at('10:59'), endMs: at('11:29'), strength: 5 };
    const lines = said({}, { episodes: [silent, night, MIX, SURGE] });
    expect(lines[1]).toMatch(/^Surge since 14:57/);
    expect(lines.slice(4)).toEqual([
      'Also since 14:57: Webshell, 41 events, none before.',
      'Also 02:37–03:03: 4.6× usual, led by SQL injection.',
      'Also 11:59–12:29: no attacks while visitors kept coming.',
    ]);
    const small = [1, 2, 3].map((n) => ({ ...night, id: `s${n}`, strength: 2 }));
    expect(said({}, { episodes: [silent, night, MIX, SURGE, ...small] }).at(-1)).toBe(
      'Also 11:59–12:29: no attacks while visitors kept coming, and 3 smaller ones.',
    );
    const midnight = { ...night, onsetMs: at('01:37') - 3 * HOUR_MS, endMs: at('01:00') - 2 * HOUR_MS + HOUR_MS };
    expect(said({}, { episodes: [SURGE, midnight] }).at(-1)).toBe(
      'Also 9 Mar 23:37 – 01:00: 4.6× usual, led by SQL injection.',
    );
  });

  it('nothing without data looks like calm', () => {
    const none = { attacks: 0, requests: 0, knownMs: 0.95 * HOUR_MS };
    expect(said({ totals: none }, { hosts: [SHOP] }).slice(0, 2)).toEqual([
      'not_enough_data',
      'No traffic seen for shop: is its ID right?',
    ]);
    const unknown = {
      level: 'not_enough_data',
      expected: null,
      usual: null,
      unjudged: 'Most of it is unknown.',
    } as const;
    expect(said({ ...unknown, totals: { ...none, knownMs: 0 } }, { hosts: [SHOP] })).toEqual([
      'not_enough_data',
      'Not enough data to judge',
      'Most of it is unknown. Is the ID of shop right?',
    ]);
    const range = { from: NOW.subtract({ hours: 10 * 24 }), to: NOW };
    expect(said({ ...unknown, fromMs: range.from.epochMilliseconds }, { range }).slice(1)).toEqual([
      '731 attacks in the last 10 days · too long to check',
      'Up to 8 days can be checked at once. A timeline shows longer ones.',
    ]);
  });

  it('old numbers are told as old', () => {
    const context = { hosts: [], zone: 'Europe/Stockholm', now: NOW, range: RANGE, episodes: [] };
    const { level, title, body } = asOfEarlier(findingOf(CALM, context), at('14:05'), context);
    expect([level, title]).toEqual(['not_enough_data', "Can't reach your WAF statistics · calm at 15:05"]);
    expect(plainText(body[0])).toBe(
      'Last numbers, from 25 minutes ago: Calm · 731 attacks in the last 57 minutes, 690–840 is usual.',
    );
  });
});

describe('whole shares', () => {
  it('add up to the rounded sum', () => {
    expect(wholeShares([0.4, 0.4, 0.4])).toEqual([1, 0, 0]);
    expect(wholeShares([57.1, 191.6, 65.4, 0.3])).toEqual([57, 192, 65, 0]);
    expect(wholeShares([])).toEqual([]);
    // Of 636, with a category that is too small to be listed.
    expect(wholeShares([175.1, 460.3], 635.8)).toEqual([175, 461]);
    expect(wholeShares([], 0.4)).toEqual([]);
    // They aren't its shares if more is missing.
    expect(wholeShares([10.2, 5.1], 40)).toEqual([10, 5]);
  });

  it('are the same in every answer about an episode', () => {
    const counts = { sqli: [333, 9.2], lfi: [100, 2.45], cmdi: [37, 2.4], webshell: [1, 0.2], robot: [98, 101.75] };
    const categories = Object.entries(counts).map(([category, [count = 0, expected = 0]]) => ({
      category,
      count,
      expected,
    }));
    const figures = { untilMs: 0, total: 569, expected: 116, peak: null, categories };
    expect(risenIn({ figures, leading: ['sqli'] }).map(({ name, expected }) => [name, expected])).toEqual([
      ['sqli', 9],
      ['lfi', 3],
      ['cmdi', 2],
    ]);
    expect(wholeShares(categories.map(({ expected }) => expected))).toEqual([9, 3, 2, 0, 102]);
  });
});
