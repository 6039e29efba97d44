import { describe, expect, it } from 'vitest';
import { readErrorBody, retryAfterMs, throttleWindowMs } from '../../../../src/waf/client/failure.ts';

describe('reading an error', () => {
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
    expect(readErrorBody(body)).toMatchObject({ key, message });
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
