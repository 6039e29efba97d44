import { AKSKSigner } from '@huaweicloud/huaweicloud-sdk-core/auth/AKSKSigner.js';
import { BasicCredentials } from '@huaweicloud/huaweicloud-sdk-core/auth/BasicCredentials.js';
import { describe, expect, it } from 'vitest';
import { canonicalRequest, sign, signingDate } from '../../../../src/waf/auth/access-key.ts';
import { percentEncode } from '../../../../src/waf/wire/exchange.ts';
import { count } from '../../../support/counts.ts';
import { fc } from '../../../support/property.ts';

const KEY = { accessKey: 'AKWAFBOTEXAMPLE00001', secretKey: 'wafbot-example-secret-key-000000000000001' };
const STAMP = '20260301T120000Z';
const HOST = 'waf.example.org:8443';

type Query = readonly (readonly [string, string])[];
const signature = (path: string, query: Query, headers: Record<string, string> = {}) =>
  sign({ method: 'GET', path, query, headers: { 'X-Sdk-Date': STAMP, host: HOST, ...headers } }, KEY);
const hosts = (...ids: string[]) => ids.map((id) => ['hosts', id] as const);

describe('signing', () => {
  it.each<[string, string, Query, Record<string, string>, string]>([
    [
      'a timeline with one host',
      '/v1/0f5a8c21d97b4e6f/waf/event/timeline',
      [['from', '1772323200000'], ['to', '1772344800000'], ['timezone', '+05:30'], ...hosts('shop-1')],
      {},
      '9cba1e1de46553e5972acda36880c6a2a503ab316f2c709237756663b70a8263',
    ],
    [
      'a distribution with hosts out of order',
      '/v1/0f5a8c21d97b4e6f/waf/event/attack/type',
      [['from', '1772323200000'], ['to', '1772344800000'], ...hosts('c', 'a', 'B', 'a b')],
      { 'X-Project-Id': '0f5a8c21d97b4e6f' },
      'de1a365ccfdbeb2609fde5fddebc9d5f6802d4404d2d3a24fb6aa913e4eaa285',
    ],
    [
      'reserved characters and unicode',
      '/v1/p/waf/event/timeline',
      [['from', '1'], ['to', '2'], ...hosts("!*'()", 'ä/ö', '日本', '😀', '~-_.', 'a=b&c', '%41', '')],
      { 'X-Project-Id': 'p' },
      '5f41171f82b6348dc270f9f29a4aa5db715758d0905e7f011a6f262cfd1cc125',
    ],
    [
      'a temporary key',
      '/v1/p/waf/event/timeline',
      [
        ['from', '1'],
        ['to', '2'],
      ],
      { 'X-Project-Id': 'p', 'X-Security-Token': 'temporary/token+value==' },
      '172b6e312908c6f6c50761b130083ab8f6640864de785cadc56c814f752e059c',
    ],
  ])('%s', (_, path, query, headers, expected) => {
    expect(signature(path, query, headers)).toMatch(
      new RegExp(`^SDK-HMAC-SHA256 Access=${KEY.accessKey}, SignedHeaders=[a-z;-]+, Signature=${expected}$`),
    );
  });

  it("agrees with the vendor's own signer on thousands of random requests", { timeout: 60_000 }, () => {
    const credential = new BasicCredentials().withAk(KEY.accessKey).withSk(KEY.secretKey);
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...":/?#[]@!$&'()*+,;=% ~-_.äß日😀Az09"), maxLength: 12 }),
    );
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\w.~-]{1,32}$/),
        fc.array(text, { maxLength: 6 }),
        fc.dictionary(fc.stringMatching(/^[A-Za-z][\w]{0,6}$/), text, { maxKeys: 3 }),
        fc.option(fc.stringMatching(/^[\w+/=]{1,40}$/), { nil: undefined }),
        (project, ids, more, token) => {
          const { hosts: _, ...others } = more;
          const headers = { 'X-Project-Id': project, ...(token === undefined ? {} : { 'X-Security-Token': token }) };
          const path = `/v1/${project}/waf/event/timeline`;
          const theirs = AKSKSigner.sign(
            {
              endpoint: `https://${HOST}${path}`,
              method: 'GET',
              queryParams: { ...others, hosts: [...ids] },
              headers: { ...headers, 'X-Sdk-Date': STAMP },
            } as never,
            credential,
          ) as { Authorization: string };
          expect(signature(path, [...Object.entries(others), ...hosts(...ids)], headers)).toBe(theirs.Authorization);
        },
      ),
      { numRuns: count(3000) },
    );
  });

  it('signs the path with a slash at its end, once, and as it is decoded', () => {
    const lines = (path: string) => canonicalRequest({ method: 'GET', path, query: [], headers: {} }).split('\n')[1];
    expect(['/a', '/a/', '/', '/a%20b', '/a b', '/%zz'].map(lines)).toEqual([
      '/a/',
      '/a/',
      '/',
      '/a%20b/',
      '/a%20b/',
      '/%25zz/',
    ]);
  });

  it('writes its date and its escapes as the algorithm wants them', () => {
    expect(signingDate(Date.UTC(2026, 0, 5, 8, 3, 9, 999))).toBe('20260105T080309Z');
    expect(percentEncode("AZaz09-_.~ !*'()+/é")).toBe('AZaz09-_.~%20%21%2A%27%28%29%2B%2F%C3%A9');
    expect(percentEncode('\ud800')).toBe('%EF%BF%BD');
  });
});
