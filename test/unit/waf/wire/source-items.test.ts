import { describe, expect, it } from 'vitest';
import { categoryName } from '../../../../src/statistics/categories.ts';
import { readAddresses, readSources, shownAddress } from '../../../../src/waf/wire/source-items.ts';

describe('an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.x'],
    ['::ffff:203.0.113.9', '203.0.113.x'],
    ['2001:db8:17::5', '2001:db8:17:0::/64'],
    ['2001:0DB8:0017:0001:aaaa:bbbb:cccc:dddd', '2001:db8:17:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
    ['2002:cb00:714d::1', '203.0.113.x'],
    ['64:ff9b::203.0.113.77', '203.0.113.x'],
    ['64:ff9b::cb00:714d', '203.0.113.x'],
    ['::ffff:cb00:714d', '203.0.113.x'],
    ['::203.0.113.77', '203.0.113.x'],
    ['2001:0:cb00:714d:0:0:34ff:8eb2', '2001:0:cb00:714d::/64'],
    ['not an address', null],
    ['203.0.113.9 <!channel>', null],
    ['fe80::1%eth0', null],
  ])('%s is shown as %s', (address, shown) => {
    expect(shownAddress(address, 'masked')).toBe(shown);
    expect(shownAddress(address, 'no')).toBe(shown === null ? null : '');
    if (shown !== null) expect(shownAddress(address, 'yes')).toBe(address.replace(/^::ffff:(?=\d+\.)/, ''));
  });

  it('is one with its neighbours once it is masked, and apart where it is not shown', () => {
    const body = { items: ['203.0.113.9', '198.51.100.1', '203.0.113.10'].map((ip, at) => ({ ip, num: 10 + at })) };
    expect(readAddresses(body, 'masked').addresses).toEqual([
      { key: '203.0.113.x', count: 22, addresses: 2 },
      { key: '198.51.100.x', count: 11, addresses: 1 },
    ]);
    expect(readAddresses(body, 'no').addresses?.map(({ key, count }) => [key, count])).toEqual([
      ['', 12],
      ['', 11],
      ['', 10],
    ]);
    expect(JSON.stringify(readAddresses(body, 'no'))).not.toMatch(/203|198/);
  });
});

describe('a path', () => {
  const paths = (...keys: readonly string[]) =>
    readSources({ url: { items: keys.map((key) => ({ key, num: 5 })) } }, 'masked').paths?.map(({ key }) => key);

  it('comes without its query and what is invisible, and not longer than a line', () => {
    expect(paths('/login?user=me&password=secret', '/a;session=1', '/b#c', 'https://shop.example.org/d?e')).toEqual([
      '/login',
      '/a',
      '/b',
      '/d',
    ]);
    expect(paths('/a\u202eb\n\u0000c')).toEqual(['/a b c']);
    expect(paths(`/${'x'.repeat(500)}`)?.[0]).toHaveLength(80);
    expect(paths('?only', '')).toEqual([]);
  });

  it.each([
    ['/reset/SECRETTOKENabcdef', '/reset/…'],
    ['/reset/SECRETTOKEN', '/reset/…'],
    ['/u/3f1c9a7e52b84d06/edit', '/u/…/edit'],
    ['/invite/123e4567-e89b-12d3-a456-426614174000', '/invite/…'],
    ['/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '/verify/…'],
    ['/orders/4711', '/orders/4711'],
    ['/wp-content/plugins/contact-form-7/readme.txt', '/wp-content/plugins/contact-form-7/readme.txt'],
    ['/assets/jquery-3.6.0.min.js', '/assets/jquery-3.6.0.min.js'],
    ['/internationalization/v2', '/internationalization/v2'],
    ['/_next/static', '/_next/static'],
  ])('%s is shown as %s: without what may be a secret', (path, shown) => {
    expect(paths(path)).toEqual([shown]);
  });

  it('is one for every query', () => {
    const items = ['/x?a', '/x?b', '/y'].map((key) => ({ key, num: 5 }));
    expect(readSources({ url: { items } }, 'masked').paths?.map(({ key, count }) => [key, count])).toEqual([
      ['/x', 10],
      ['/y', 5],
    ]);
  });
});

it('what is not there is not told, which is not none', () => {
  expect(readSources({ ip: { items: [] } }, 'masked')).toEqual({
    addresses: [],
    paths: null,
    hosts: null,
    countries: null,
  });
  expect(() => readSources({ ip: { items: [{ key: '1.2.3.4', num: -1 }] } }, 'masked')).toThrow();
});

describe('names from outside', () => {
  const countries = (...keys: readonly string[]) =>
    readSources({ geo: { items: keys.map((key) => ({ key, num: 5 })) } }, 'masked').countries?.map(({ key }) => key);

  it('carry no markup, no direction of writing and no invisible letters', () => {
    expect(countries('*DE*', '_FR_', '~GB~', '`US`')).toEqual(['∗DE∗', 'ˍFR_', '∼GB∼', 'ˋUSˋ']);
    expect(countries('\u3164', '\u2800', '\u115f', '\u202e')).toEqual([]);
    expect(categoryName('\u202eevil\u2066 *bold*')).toBe('evil ∗bold∗');
    expect(categoryName('\u3164')).toBe('unnamed');
    expect(categoryName('custom_custom')).toBe('Precise Protection');
  });
});
