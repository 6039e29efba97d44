/** What `understand` reads and returns: the contract for sentences from outside. */
import { expect, it } from 'vitest';
import { readSentenceLine, understandLine } from '../../../src/cli/understand.ts';

const line = {
  id: 1,
  now: '2026-10-14T13:20:00Z',
  zone: 'Europe/Berlin',
  hosts: [
    { name: 'shop', id: 'id-shop' },
    { name: 'api.example.org', id: 'id-api' },
  ],
};

const understand = (text: string, more: object = {}) => understandLine(readSentenceLine({ ...line, text, ...more }));

it('returns every field of a question', async () => {
  expect(await understand('sqli on shop yesterday vs previous in UTC csv privately')).toEqual({
    id: 1,
    verb: 'attacks',
    range: { from: '2026-10-13T00:00:00Z', to: '2026-10-14T00:00:00Z' },
    hosts: ['shop'],
    category: 'sqli',
    zone: 'UTC',
    versus: 'previous',
    project: null,
    top: null,
    csv: true,
    privately: true,
    why: false,
  });
});

it('knows listed hosts by a prefix, and returns nothing where nothing was typed', async () => {
  expect(await understand('check on api')).toMatchObject({ hosts: ['api.example.org'], range: null, versus: null });
});

it('carries over from a question about a listed host', async () => {
  const carried = { verb: 'attacks', hosts: ['api.example.org'], range: { to: '2026-10-14T13:20:00Z' } };
  expect(await understand('and today?', { before: 'attacks yesterday on api' })).toMatchObject(carried);
  expect(await understand('and today?', { before: 'attacks yesterday on gone.example.org' })).toMatchObject({
    verb: 'timeline',
    hosts: [],
  });
});

it('returns verb and hosts for what is no question about numbers', async () => {
  expect(await understand('watch quiet on shop')).toEqual({ id: 1, verb: 'watch', hosts: ['shop'] });
});

it('counts the question for the host as a check', async () => {
  expect(await understand('which host is under attack')).toMatchObject({ verb: 'check', hosts: [] });
});

it('says why a sentence is refused, with what was probably meant', async () => {
  const refusal = { id: 1, refused: "There's no host “shpo” here.", suggestion: 'attacks on shop yesterday' };
  expect(await understand('attacks on shpo yesterday')).toEqual(refusal);
  expect(await understand('attacks tomorrow')).toMatchObject({ refused: expect.any(String), suggestion: null });
});

it.each<[string, object, RegExp]>([
  ['no text', { text: 7 }, /^text must be/],
  ['no zone', { zone: 'Mars/Base' }, /^zone must be/],
  ['no time', { now: 'noon' }, /^now must be/],
  ['hosts that are none', { hosts: ['shop'] }, /^hosts must be/],
  ['a question before that is none', { before: 7 }, /^before must be/],
])('refuses a line with %s', (_, more, words) => {
  expect(() => readSentenceLine({ ...line, text: 'check', ...more })).toThrow(words);
});

it('refuses a line that is no object', () => {
  expect(() => readSentenceLine(['check'])).toThrow('not a JSON object');
});
