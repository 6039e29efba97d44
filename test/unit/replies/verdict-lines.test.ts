/** What a finding says in each case, from verdicts made by hand. */
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/episodes/verdict/index.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { asOfEarlier, type FindingContext, findingOf } from '../../../src/replies/verdict-lines.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const at = (clock: string): number => Temporal.Instant.from(`2026-03-10T${clock}:00Z`).epochMilliseconds;
const HOUR_MS = 3_600_000;
const SHOP = { name: 'shop', id: '3ac26c59e15a4a11bb680a103a29ddb6' };

const CALM: Verdict = {
  level: 'calm',
  score: 0.4,
  bar: 2,
  fromMs: at('13:30'),
  toMs: at('14:27'),
  totals: { attacks: 731, requests: 90_000, knownMs: 0.95 * HOUR_MS },
  observed: 731,
  expected: 760,
  usual: { low: 690, high: 840 },
  references: [],
  strongest: null,
  onsetMs: null,
  ongoing: false,
  endedMs: null,
  seenUntilMs: null,
  share: 0.01,
  shareBefore: 0.01,
  visitorFactor: 1,
  categories: [],
  moved: [],
  drops: [],
  kind: null,
  confidence: null,
  completeness: [],
  sentence: 'Calm.',
  reasons: ['Nothing stands out.'],
  rule: 'none',
  band: [],
};

function said(
  verdict: Partial<Verdict>,
  hosts: readonly (typeof SHOP)[] = [],
  episode: FindingContext['episode'] = null,
) {
  const context = { hosts, zone: 'Europe/Stockholm', now: NOW, episode };
  const { level, title, body } = findingOf({ ...CALM, ...verdict }, context);
  return [level, title, ...body.map(plainText)];
}

const asMoved = <C extends object>(category: C) => ({ ...category, isNew: false, stands: false });

describe('a finding', () => {
  it('calm says its usual range, and whether it lies within', () => {
    expect(said({})).toEqual(['calm', 'Calm · 731 attacks in the last 57 minutes, 690–840 is usual']);
    expect(said({ observed: 600 })[1]).toBe('Calm · 600 attacks in the last 57 minutes, below the usual 690–840');
    expect(said({ observed: 841 })[1]).toBe(
      'Calm · 841 attacks in the last 57 minutes, a little above the usual 690–840',
    );
  });

  it('a surge says since when, how strong and what leads', () => {
    const risen = [
      { name: 'webshell', observed: 14, expected: 0 },
      { name: 'xss', observed: 456, expected: 43 },
      { name: 'sqli', observed: 820, expected: 59 },
      { name: 'cmdi', observed: 60, expected: 20 },
    ];
    const surge = {
      level: 'surge',
      observed: 2_170,
      expected: 490,
      onsetMs: at('13:57'),
      ongoing: true,
      kind: 'targeted attack',
      moved: risen.map(asMoved),
      categories: [...risen, { name: 'cc', observed: 300, expected: 280 }],
    } satisfies Partial<Verdict>;
    expect(said(surge)).toEqual([
      'surge',
      'Surge since 14:57 · 4.4× usual · led by SQL injection',
      '2,170 attacks in the last 57 minutes, about 490 expected. Still ongoing.',
      '3 categories account for 62 %: SQL injection 820 (59 expected), XSS 456 (43), Command injection 60 (20), and 1 more.',
    ]);
    // Its hour is longer than a short one: what is said is of the episode alone.
    const short = { ...surge, ongoing: false, endedMs: at('14:20') };
    const categories = [
      { category: 'sqli', count: 741, expected: 52 },
      { category: 'xss', count: 422, expected: 27 },
      { category: 'cc', count: 120, expected: 110 },
    ];
    const figures = { untilMs: at('14:20'), total: 1_992, expected: 200, peak: null, categories };
    expect(said(short, [], { figures, leading: ['sqli'] }).slice(1)).toEqual([
      'Surge 14:57 – 15:20 · 10× usual · led by SQL injection',
      '1,992 attacks in 23 minutes, about 200 expected; 2,170 in the last 57 minutes. Over since 15:20.',
      '2 categories account for 58 %: SQL injection 741 (52 expected), XSS 422 (27).',
    ]);
    // Where the categories of the episode are not known, those of the hour are not said in their place.
    expect(said(short, [], { figures: { ...figures, categories: [] }, leading: [] }).slice(1)).toEqual([
      'Surge 14:57 – 15:20 · 10× usual',
      '1,992 attacks in 23 minutes, about 200 expected; 2,170 in the last 57 minutes. Over since 15:20.',
      'Mostly a few categories.',
    ]);
  });

  it('what leads is what the episode is told to be led by, and a change is said', () => {
    const categories = [
      { name: 'sqli', observed: 820, expected: 400 },
      { name: 'lfi', observed: 80, expected: 6 },
    ];
    const surge = {
      level: 'surge',
      observed: 2_170,
      expected: 490,
      onsetMs: at('13:57'),
      ongoing: true,
      categories,
    } satisfies Partial<Verdict>;
    // Twice as many of a large category is more than thirteen times as many of a small one.
    const alone = { ...surge, moved: categories.slice(1).map(asMoved) };
    expect(said(alone)[1]).toMatch(/ · led by SQL injection$/);
    const counted = categories.map(({ name, observed, expected }) => ({ category: name, count: observed, expected }));
    const figures = { untilMs: at('14:27'), total: 2_000, expected: 490, peak: null, categories: counted };
    const heading = (leading: readonly string[], more: object = {}) =>
      findingOf({ ...CALM, ...alone, ...more } as Verdict, {
        hosts: [],
        zone: 'UTC',
        now: NOW,
        episode: { figures, leading },
      }).title;
    expect(heading(['lfi'])).toMatch(/ · led by Local file inclusion$/);
    expect(heading(['sqli', 'lfi'])).toMatch(/ · now mostly Local file inclusion, at first SQL injection$/);
    expect(heading(['sqli', 'lfi', 'sqli'])).toMatch(/ · mostly SQL injection again$/);
    const over = { ongoing: false, endedMs: at('14:20') };
    expect(heading(['sqli', 'lfi'], over)).toMatch(/ · SQL injection, then Local file inclusion$/);
  });

  it('what has stopped is a finding', () => {
    const drop = { sinceMs: at('13:40'), untilMs: at('14:27'), endedMs: null, observed: 0, expected: 620 };
    expect(said({ observed: 90, drops: [{ ...drop, what: 'attacks' }] })).toEqual([
      'elevated',
      'No attacks since 14:40, while visitors go on · about 620 expected',
      "0 attacks in 47 minutes so far, about 620 expected. Rules may be off, or logging may have stopped. Check the firewall's rules and its log.",
      '90 attacks in the last 57 minutes, below the usual 690–840.',
    ]);
    const visitors = { ...drop, what: 'requests', observed: 4 } as const;
    expect(said({ drops: [visitors] })[1]).toBe('Visitors gone since 14:40 · 4 of about 620 visits');
    const over = { ...visitors, untilMs: at('14:00'), endedMs: at('14:00') };
    expect(said({ drops: [over] }).slice(1, 3)).toEqual([
      'Visitors gone 14:40 – 15:00 · 4 of about 620 visits',
      '4 visits in 20 minutes, about 620 expected. Over since 15:00.',
    ]);
  });

  it('nothing without data looks like calm', () => {
    const none = { attacks: 0, requests: 0, knownMs: 0.95 * HOUR_MS };
    expect(said({ totals: none, observed: 0 }, [SHOP]).slice(0, 2)).toEqual([
      'not_enough_data',
      'No traffic seen for shop: is its ID right?',
    ]);
    const unknown = {
      level: 'not_enough_data',
      expected: null,
      usual: null,
      sentence: 'Most of it is unknown.',
    } as const;
    expect(said({ ...unknown, totals: { ...none, knownMs: 0 } }, [SHOP])).toEqual([
      'not_enough_data',
      'Not enough data to judge',
      'Most of it is unknown. Is the ID of shop right?',
    ]);
  });

  it('old numbers are told as old', () => {
    const context = { hosts: [], zone: 'Europe/Stockholm', now: NOW };
    const { level, title, body } = asOfEarlier(findingOf(CALM, context), at('14:05'), context);
    expect([level, title]).toEqual(['not_enough_data', "Can't reach your WAF statistics · calm at 15:05"]);
    expect(plainText(body[0])).toBe(
      'Last numbers, from 25 minutes ago: Calm · 731 attacks in the last 57 minutes, 690–840 is usual.',
    );
  });
});
