import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/untrusted-input.ts';

describe('JSON from outside', () => {
  it('that nests too deep is refused before it is parsed', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(60))).not.toBeNull();
    expect(parseJson(nested(65))).toBeNull();
    expect(parseJson(`{"a":${'{"b":'.repeat(70)}1${'}'.repeat(70)}}`)).toBeNull();
    const startedMs = performance.now();
    expect(parseJson(nested(2_000_000))).toBeNull();
    // Parsing it would take seconds.
    expect(performance.now() - startedMs).toBeLessThan(200);
  });

  it('may have any number of brackets in its texts and side by side', () => {
    const wide = { text: `"\\${'['.repeat(500)}`, list: Array.from({ length: 500 }, () => [{}]) };
    expect(parseJson(JSON.stringify(wide))).toEqual(wide);
  });
});
