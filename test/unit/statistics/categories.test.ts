import { describe, expect, it } from 'vitest';
import {
  CATEGORIES,
  canonicalCategory,
  categoryFor,
  categoryName,
  countOf,
  joinDistributions,
  REST,
  totalOf,
} from '../../../src/statistics/categories.ts';
import type { Distribution } from '../../../src/statistics/timeline.ts';

/** All that the vendor documents, with those that mean the same. */
const DOCUMENTED =
  'xss sqli cmdi rce lfi rfi ptr webshell vuln illegal cc robot custom_robot anticrawler botm advanced_bot third_bot_river ' +
  'antiscan_high_freq_scan antiscan_dir_traversal custom custom_custom whiteblackip custom_whiteblackip custom_whiteip ' +
  'custom_blackip custom_geoip custom_idc_ip iprank antitamper leakage antileakage followed_action llm_prompt_injection ' +
  'llm_prompt_sensitive llm_response_sensitive';

describe('categories', () => {
  it('of the vendor all have a name to read, and one that can be typed', () => {
    for (const field of DOCUMENTED.split(' ')) {
      expect(categoryName(field)).not.toBe(field);
      expect(categoryFor(field)).toBe(canonicalCategory(field));
      expect(categoryFor(categoryName(field).toLowerCase())).toBe(canonicalCategory(field));
    }
  });

  it('under several names are one', () => {
    expect(['custom', 'custom_custom'].map(canonicalCategory)).toEqual(['custom', 'custom']);
    expect(['leakage', 'antileakage'].map(canonicalCategory)).toEqual(['leakage', 'leakage']);
    const lists = ['whiteblackip', 'custom_whiteblackip', 'custom_whiteip', 'custom_blackip'];
    expect(new Set(lists.map(canonicalCategory))).toEqual(new Set(['whiteblackip']));
  });

  it('that nobody has heard of stay as they are', () => {
    for (const field of ['zeroday', 'toString', '__proto__', 'constructor']) {
      expect([canonicalCategory(field), categoryName(field)]).toEqual([field, field]);
    }
  });

  it('of the interface keep their words', () => {
    for (const { field, name, words } of CATEGORIES) {
      for (const word of [field, name.toLowerCase(), ...words]) expect(categoryFor(word)).toBe(field);
    }
  });
});

describe('windows in a row', () => {
  const window = (at: number, counts: Record<string, number>, limits?: Distribution['limits']): Distribution => ({
    fromMs: at * 60_000,
    toMs: (at + 1) * 60_000,
    settledUntilMs: 0,
    asOfMs: 0,
    stale: false,
    counts: Object.entries(counts).map(([category, count]) => ({ category, count })),
    limits,
  });

  it('add up category by category', () => {
    const joined = joinDistributions([window(1, { xss: 2, sqli: 3 }), window(2, { xss: 4, zeroday: 1 })]);
    expect(joined).toMatchObject({ fromMs: 60_000, toMs: 180_000 });
    const counts = ['xss', 'sqli', 'zeroday', 'cc'].map((category) => joined && countOf(joined, category));
    expect(counts).toEqual([6, 3, 1, 0]);
    expect(joinDistributions([])).toBeNull();
  });

  it('have no count of a category that one of them may hold unlisted, and lose no event', () => {
    const cut = window(2, { xss: 4, sqli: 2, [REST]: 5 }, ['largest']);
    const joined = joinDistributions([window(1, { xss: 2, cc: 3, [REST]: 1 }, ['largest']), cut]);
    const counts = ['xss', 'sqli', 'cc', REST].map((category) => joined && countOf(joined, category));
    expect(counts).toEqual([6, null, null, 11]);
    expect(joined && totalOf(joined)).toBe(17);
  });
});
