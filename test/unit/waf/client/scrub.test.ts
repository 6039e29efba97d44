import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../../../src/waf/client/http.ts';
import { isLinear } from '../../../support/linear-cost.ts';

describe('scrubbing', () => {
  it('takes out secrets in every form, addresses, keys and whatever looks like a token', () => {
    const scrub = createScrubber(['p"ss/wörd', 'SECRETKEY']);
    scrub.learn('issued-token');
    const echoed =
      'p"ss/wörd p\\"ss/wörd p%22ss%2Fw%C3%B6rd SECRETKEY issued-token https://x.example/y?z AK:ABC Access=DEF';
    expect(scrub(`${echoed} ${'a1'.repeat(30)} plain words`)).toBe(
      '[redacted] [redacted] [redacted] [redacted] [redacted] [address] AK:[redacted] Access:[redacted] [redacted] plain words',
    );
    expect(scrub(Buffer.from('p"ss/wörd').toString('base64'))).toBe('[redacted]');
  });

  it.each(['a.', 'a-', '1.', 'x+', 'http:/', 'AK ', 'Access ', 'Access Key ', 'https://', 'a/', ' '])(
    'costs no more than its length, for a text of %j over and over',
    (unit) => {
      const scrub = createScrubber(['p"ss/wörd', 'SECRETKEY']);
      expect(isLinear(scrub, unit)).toBe(true);
    },
  );

  it('shows no half of what it would have taken out, where a text is too long to be read whole', () => {
    const scrub = createScrubber(['SECRETKEY']);
    for (let blanks = 8_150; blanks < 8_200; blanks += 1) {
      const text = `${'https://x.example/'.padEnd(blanks, 'y')} ${'a1'.repeat(30)} SECRETKEY more`;
      expect(scrub(text)).toMatch(/^(?:\[address\](?: \[redacted\]){0,2}(?: more)?)?$/);
    }
  });

  it('repeats nothing at all when a secret is too short to be found', () => {
    expect(createScrubber(['abc'])('anything')).toBe('[withheld]');
    expect(createScrubber([''])('anything')).toBe('anything');
  });

  it('a secret inside another leaves no rest', () => {
    expect(createScrubber(['abcd', 'abcdefgh'])('abcdefgh')).toBe('[redacted]');
  });
});
