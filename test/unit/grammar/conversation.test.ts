/** What a question takes over from the one before it. */
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { asRemembered } from '../../../src/grammar/conversation.ts';
import { parseSentence, type Sentence } from '../../../src/grammar/sentence.ts';

const CONTEXT = {
  now: Temporal.Instant.from('2026-03-10T14:30:00Z'),
  zone: 'Europe/Berlin',
  aliases: ['shop', 'cart'].map((name) => ({ name, id: `id-${name}`, addedBy: 'U1' })),
  commands: COMMANDS,
};

const span = (window: Sentence['range']): string =>
  window === null ? '-' : `${window.from.toString().slice(5, 16)}/${window.to.toString().slice(5, 16)}`;

function meaning(sentence: Sentence): string {
  const { verb, range, versus, hosts, versusHosts, category, csv, why } = sentence;
  return [
    `${verb} ${span(range)}`,
    ...(versus === null ? [] : [`vs ${versus === 'previous' ? versus : span(versus)}`]),
    ...(hosts.length === 0 ? [] : [`on ${hosts.map(({ name }) => name).join('+')}`]),
    ...(versusHosts.length === 0 ? [] : [`vs ${versusHosts.map(({ name }) => name).join('+')}`]),
    ...(category === null ? [] : [category]),
    ...(csv ? ['csv'] : []),
    ...(why ? ['why'] : []),
  ].join(' ');
}

const after = (before: string, text: string): Sentence =>
  parseSentence(text, { ...CONTEXT, before: parseSentence(before, CONTEXT) });

const Y = '03-08T23:00/03-09T23:00';
const T = '03-09T23:00/03-10T14:30';

it('keeps too in a suggestion', () => {
  const offer = expect.objectContaining({ corrected: 'on cart too' });
  expect(() => after('attacks on shop yesterday', 'on crat too')).toThrow(offer);
});

describe('a follow-up', () => {
  it.each([
    ['attacks on shop yesterday', 'why', `attacks ${Y} on shop why`],
    ['attacks on shop yesterday', 'and today?', `attacks ${T} on shop`],
    ['attacks on shop yesterday', 'what caused this?', `attacks ${Y} on shop why`],
    ['timeline on shop yesterday', 'what happened at 14:00', 'check 03-09T12:30/03-09T13:30 on shop'],
    ['timeline last 6h', 'make it 48', 'timeline 03-08T14:30/03-10T14:30'],
    ['timeline last 20 min', 'make it 45', 'timeline 03-10T13:45/03-10T14:30'],
    ['compare shop today vs yesterday', 'attacks only', `attacks ${T} vs ${Y} on shop`],
    ['sqli yesterday', 'on shop', `attacks ${Y} on shop sqli`],
    ['sqli yesterday', 'what about cart?', `attacks ${Y} on cart sqli`],
    ['timeline yesterday on shop', 'only sqli', `attacks ${Y} on shop sqli`],
    ['sqli on shop yesterday', 'as csv', `attacks ${Y} on shop sqli csv`],
    ['attacks on shop yesterday', 'since 9', 'attacks 03-10T08:00/03-10T14:30 on shop'],
    ['attacks on shop yesterday', 'is it over?', 'check - on shop'],
    ['attacks on shop yesterday', 'is that normal?', `check ${Y} on shop`],
    ['timeline yesterday on shop', 'who', `who ${Y} on shop`],
    ['attacks today on shop', 'vs yesterday', `attacks ${T} vs ${Y} on shop`],
    ['check today on shop', 'vs yesterday', `compare ${T} vs ${Y} on shop`],
    ['attacks yesterday on shop', 'vs cart', `attacks ${Y} on shop vs cart`],
    ['attacks yesterday on shop', 'compare with cart', `compare ${Y} on shop vs cart`],
    ['attacks yesterday', 'now as csv', `attacks ${Y} csv`],
    ['attacks yesterday on shop', 'now cart', `attacks ${Y} on cart`],
    ['attacks yesterday on shop', 'on cart too', `attacks ${Y} on shop+cart`],
    ['attacks last 24h', 'previous 24h', 'attacks 03-08T14:30/03-09T14:30'],
    ['attacks yesterday on shop', 'add cart', `attacks ${Y} on shop+cart`],
    ['attacks yesterday on shop', 'everything', `attacks ${Y}`],
    ['attacks yesterday on shop', 'ok', 'help -'],
    ['attacks yesterday on shop', 'plus cart', `attacks ${Y} on shop+cart`],
    ['attacks yesterday on shop', 'vs same day last week', `attacks ${Y} vs 03-01T23:00/03-02T23:00 on shop`],
    ['attacks yesterday on shop', 'now', 'check - on shop'],
    ['compare shop vs cart today', 'and yesterday?', `compare ${Y} on shop vs cart`],
    ['attacks yesterday', 'the day before?', 'attacks 03-07T23:00/03-08T23:00'],
    ['attacks yesterday', 'only the afternoon', 'attacks 03-09T11:00/03-09T18:00'],
    ['attacks yesterday', 'until noon', 'attacks 03-08T23:00/03-09T11:00'],
    ['attacks yesterday 8:00-14:00', 'till 10', 'attacks 03-09T07:00/03-09T09:00'],
    ['attacks yesterday', 'zoom into 14:30-15:00', 'attacks 03-09T13:30/03-09T14:00'],
    ['attacks yesterday', 'where from?', `who ${Y}`],
    ['attacks yesterday 9:00-10:00', 'next hour', 'attacks 03-09T09:00/03-09T10:00'],
    ['attacks yesterday 9:00-10:00', 'and the hour after that?', 'attacks 03-09T09:00/03-09T10:00'],
    ['attacks yesterday 9:00-10:00', '30 min later', 'attacks 03-09T08:30/03-09T09:30'],
    ['attacks yesterday 9:00-10:00', 'since then', 'attacks 03-09T09:00/03-10T14:30'],
    ['attacks yesterday 9:00-10:00', 'all day', `attacks ${Y}`],
    ['attacks today 9:00-10:00', 'yesterday same time', 'attacks 03-09T08:00/03-09T09:00'],
    ['who yesterday', 'show 50', `who ${Y}`],
    ['attacks yesterday', 'lol', 'help -'],
    ['sqli yesterday', 'on shop too?', `attacks ${Y} on shop sqli`],
    ['attacks yesterday on shop', 'and right now?', 'check - on shop'],
    ['attacks yesterday on shop', 'right now', 'check - on shop'],
    ['attacks yesterday', 'ok and today?', `attacks ${T}`],
    ['attacks yesterday', 'same for cart', `attacks ${Y} on cart`],
    ['sqli yesterday on shop', 'attacks today on all hosts', `attacks ${T}`],
    ['attacks yesterday', 'timeline last 24h on cart', 'timeline 03-09T14:30/03-10T14:30 on cart'],
  ])('%s, then %s', (before, text, expected) => {
    expect(meaning(after(before, text))).toBe(expected);
  });

  it('says what it took over', () => {
    expect(after('sqli on shop yesterday', 'and today?').carried).toEqual(['kind of answer', 'hosts', 'category']);
    expect(after('sqli on shop yesterday', 'timeline').carried).toEqual(['window', 'hosts']);
    expect(after('attacks', 'timeline today').carried).toEqual([]);
  });

  it('is read in the zone that the question before named', () => {
    const { range, zone } = after('attacks yesterday in UTC', 'and today?');
    expect([zone, range?.from.toString()]).toEqual(['UTC', '2026-03-10T00:00:00Z']);
  });

  it('takes nothing over if it is no question about a window', () => {
    expect(after('attacks on shop yesterday', 'thanks')).toMatchObject({ verb: 'help', hosts: [], carried: [] });
    expect(after('attacks on shop yesterday', 'watches')).toMatchObject({ verb: 'watch', hosts: [], carried: [] });
  });
});

it.each([
  'attacks on shop yesterday',
  'sqli today vs previous on cart',
  'compare shop vs cart yesterday in UTC',
  'top 5 ips since 9am',
  'check',
])('%s is remembered as a sentence that means the same', (text) => {
  const sentence = parseSentence(text, CONTEXT);
  const remembered = asRemembered(sentence, COMMANDS) ?? '';
  const later = { ...CONTEXT, now: CONTEXT.now.add({ hours: 100 }) };
  expect(meaning(parseSentence(remembered, later))).toBe(meaning(sentence));
});

it('remembers nothing of what is no question about a window', () => {
  expect(asRemembered(parseSentence('watches', CONTEXT), COMMANDS)).toBeNull();
});
