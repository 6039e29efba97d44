/** One broken part of a sentence: the suggestion is the unbroken sentence, and never about another window or host. */
import { expect, it } from 'vitest';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { UsageError } from '../../../src/errors.ts';
import { parseSentence, type Sentence } from '../../../src/grammar/sentence.ts';
import { count } from '../../support/counts.ts';
import { createSeededRandom, type SeededRandom } from '../../support/seeded-random.ts';

const CONTEXT = {
  now: Temporal.Instant.from('2026-03-10T14:30:00Z'),
  zone: 'Europe/Berlin',
  aliases: ['shop', 'blog', 'checkout', 'intranet'].map((name) => ({ name, id: `id-${name}`, addedBy: 'U1' })),
  listed: ['api.example.org', 'static.example.org', 'portal.example.net'].map((name) => ({
    name,
    id: name,
    tag: null,
  })),
  commands: COMMANDS,
};

const VERBS = [
  'attacks',
  'timeline',
  'check',
  'who',
  'compare',
  'incident',
  'traffic',
  'requests',
  'sqli',
  'xss attacks',
];
const HOSTS = ['shop', 'blog', 'checkout', 'intranet', 'api', 'static', 'portal'];
const RANGES = ['yesterday', 'last 24h', 'last week', 'today', 'yesterday 14:00-16:00', 'since monday', 'last 3 days'];
const ENDS = ['', '', '', ' in UTC', ' csv', ' privately'];

/** A slip of the fingers in a word of at least four letters: swapped, missing, doubled or wrong letters. */
function slip(word: string, random: SeededRandom): string {
  const at = 1 + random.below(word.length - 2);
  const [start, letter, next, rest] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)];
  const kinds = [
    `${start}${next}${letter}${rest}`,
    `${start}${next}${rest}`,
    `${start}${letter}${letter}${next}${rest}`,
  ];
  return random.pick([...kinds, `${start}q${next}${rest}`]);
}

/** A sentence, and the same with one part broken. */
function broken(random: SeededRandom): { readonly whole: string; readonly typed: string } {
  const parts = [random.pick(VERBS), `on ${random.pick(HOSTS)}`, random.pick(RANGES)];
  const end = random.pick(ENDS);
  const words = [...parts.flatMap((part) => part.split(' ')), ...end.trim().split(' ')].filter((word) => word !== '');
  const places = [...words.keys()].filter((place) => /^[a-z]{4,}$/i.test(words[place] ?? ''));
  const place = random.pick(places);
  const typed = words.map((word, index) => (index === place ? slip(word, random) : word));
  return { whole: words.join(' '), typed: typed.join(' ') };
}

const meaning = ({ verb, range, hosts, category, zone, csv, privately }: Sentence): string =>
  JSON.stringify([verb, range?.from, range?.to, hosts, category, zone, csv !== false, privately]);

/** The sentence that is answered or offered; `null` if neither. */
function offered(typed: string): Sentence | null {
  try {
    return parseSentence(typed, CONTEXT);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.corrected === undefined ? null : parseSentence(error.corrected, CONTEXT);
  }
}

it.each([
  ['attacks blah yesterday', "I don't know what “blah” means here.", ['attacks yesterday csv'], 2],
  ["montre les attaques d'hier", 'I understand English and German only.', ['attacks last 24h'], 3],
  ['quien nos ataca', 'I understand English and German only.', ['attacks last 24h'], 3],
  ['TCP attacks today', "I don't know what “TCP” means here.", [], 2],
  ['tor attacks today', "I don't know what “tor” means here.", [], 2],
  ['paid traffic today', "I don't know what “paid” means here.", [], 2],
  ['traffic of the mail server today', "I don't know what “mail” means here.", [], 2],
  ['did the attack take longer', "I don't know what “longer” means here.", [], 2],
  ['repeated attacks on shop', "I don't know what “repeated” means here.", [], 2],
  ['everything, not just shop', "I don't know what “not” means here.", [], 2],
])('%s gets the nearest examples instead', (text, message, examples, count) => {
  const refused = expect.objectContaining({ message, corrected: undefined, example: undefined });
  expect(() => parseSentence(text, CONTEXT)).toThrow(refused);
  try {
    parseSentence(text, CONTEXT);
  } catch (error) {
    expect(error instanceof UsageError && error.examples).toEqual(expect.arrayContaining(examples));
    expect(error instanceof UsageError && error.examples).toHaveLength(count);
  }
});

it.each([
  ['post mortem yesterday 14:00-16:00', 'incident yesterday 14:00-16:00'],
  ['attacks vs yesterday', 'attacks today vs yesterday'],
  ['is shop worse than yesterday', 'is shop worse today than yesterday'],
  ['wich site gets the most attacks', 'which site gets the most attacks'],
  ['shop getting hanmered again?', 'shop getting hammered again?'],
  ['attacks duuring the night on blog', 'attacks during the night on blog'],
  ['attacks om blog today', 'attacks on blog today'],
  ['timeline yesterday o blog', 'timeline yesterday on blog'],
  ['timeline march 1 to march 5on blog', 'timeline march 1 to march 5 on blog'],
  ['xzs on blog today', 'xss on blog today'],
  ["what's going on wiht shop", "what's going on with shop"],
  ['angriffe auf shop gesten', 'angriffe auf shop gestern'],
  ['amfragen an shop gestern', 'anfragen an shop gestern'],
  ['attack blog', 'attacks on blog'],
  ['chekcout versus blog, requests, today', 'checkout versus blog, requests, today'],
])('%s: %s', (text, corrected) => {
  expect(() => parseSentence(text, CONTEXT)).toThrow(expect.objectContaining({ corrected }));
});

const SENTENCES = count(20_000, 400, 2_000);

it('is the unbroken sentence almost always, and never about another window or host', () => {
  const random = createSeededRandom(20_260_310);
  const others: string[] = [];
  let right = 0;
  for (let run = 0; run < SENTENCES; run++) {
    const { whole, typed } = broken(random);
    const [meant, found] = [parseSentence(whole, CONTEXT), offered(typed)];
    if (found === null) continue;
    if (meaning(found) === meaning(meant)) right += 1;
    const isSame = ({ range, hosts }: Sentence): string => JSON.stringify([range?.from, range?.to, hosts]);
    if (isSame(found) !== isSame(meant)) others.push(`${typed}, meant as ${whole}`);
  }
  expect(others).toEqual([]);
  expect(right / SENTENCES).toBeGreaterThanOrEqual(0.95);
}, 240_000);

it('takes at most 20 ms for 2,000 characters, whatever they are', () => {
  const pieces = ['attaks ', 'shpo on ', 'compare and to ', 'x, ', 'onshop vs ', 'yesterdya 14:00 ', '*', '😀&', '?'];
  const texts = [
    ...pieces.map((text) => `timeline ${text.repeat(2_000).slice(0, 1_990)}x`),
    `timeline ${'é'.repeat(280)} x`,
  ];
  for (const text of texts) offeredOrRefused(text);
  for (const text of texts) {
    const took = Array.from({ length: 9 }, () => {
      const started = process.cpuUsage();
      offeredOrRefused(text);
      return process.cpuUsage(started).user / 1000;
    });
    expect(Math.min(...took), text.slice(0, 20)).toBeLessThan(20);
  }
});

function offeredOrRefused(text: string): void {
  expect(() => parseSentence(text, CONTEXT)).toThrow();
}
