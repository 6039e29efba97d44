import { describe, expect, it } from 'vitest';
import { readRefusal, retryAfterMs, throttleWindowMs } from '../../../src/waf/refusal.ts';
import { createScrubber } from '../../../src/waf/scrub.ts';

describe('reading a refusal', () => {
  it.each([
    ['{"error":{"message":"Unauthorized.","code":401,"title":"Unauthorized"}}', '401', 'Unauthorized.'],
    ['{"error_msg":"no","error_code":"IAM.0002"}', 'IAM.0002', 'no'],
    ['{"error_msg":"no","error_code":"APIG.0307","request_id":"r"}', '.0307', 'no'],
    ['{"error_msg":"no","error_code":"APIGW.0307"}', '.0307', 'no'],
    ['{"error":{"error_msg":"no","error_code":"WAF.1025"}}', 'WAF.1025', 'no'],
    ['<html>', '', ''],
    ['null', '', ''],
    ['"text"', '', ''],
    ['{"error":"plain"}', '', ''],
  ])('%s', (body, key, message) => {
    expect(readRefusal(body)).toMatchObject({ key, message });
  });

  it('reads how long a throttled window is', () => {
    const read = (time: string) => throttleWindowMs(`policy ip over ratelimit,limit:5,time:${time}`);
    expect(['1 minute', '30 second', '2 hours', '1 day', 'soon'].map(read)).toEqual([
      60_000,
      30_000,
      7_200_000,
      86_400_000,
      undefined,
    ]);
  });

  it('reads Retry-After in both its forms', () => {
    const now = Date.UTC(2026, 0, 1);
    const read = (header: string | null) => retryAfterMs(header, now);
    const date = new Date(now + 5000).toUTCString();
    expect([read('7'), read('0'), read(date), read('later'), read(null)]).toEqual([
      7000,
      0,
      5000,
      undefined,
      undefined,
    ]);
    expect(read(new Date(now - 5000).toUTCString())).toBe(0);
  });
});

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

  it('repeats nothing at all when a secret is too short to be found', () => {
    expect(createScrubber(['abc'])('anything')).toBe('[withheld]');
    expect(createScrubber([''])('anything')).toBe('anything');
  });

  it('a secret inside another leaves no rest', () => {
    expect(createScrubber(['abcd', 'abcdefgh'])('abcdefgh')).toBe('[redacted]');
  });
});
