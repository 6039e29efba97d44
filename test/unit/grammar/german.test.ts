/** German words around a range, read as their English counterparts. */
import { expect, it } from 'vitest';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { parseSentence } from '../../../src/grammar/sentence.ts';

const CONTEXT = {
  now: Temporal.Instant.from('2026-03-10T14:30:00Z'),
  zone: 'Europe/Berlin',
  aliases: ['shop', 'blog'].map((name) => ({ name, id: `id-${name}`, addedBy: 'U1' })),
  commands: COMMANDS,
};

it.each([
  ['angriffe auf shop gestern', 'attacks yesterday on shop'],
  ['zeig mir bitte die angriffe auf den shop seit 9 uhr', 'attacks since 9am on shop'],
  ['wie viele anfragen hatte blog gestern?', 'timeline yesterday on blog'],
  ['wer hat uns gestern angegriffen?', 'who yesterday'],
  ['vergleiche heute mit gestern', 'compare today vs yesterday'],
  ['vergleiche shop mit blog gestern', 'compare shop vs blog yesterday'],
  ['angriffe heute im vergleich zu gestern', 'attacks today vs yesterday'],
  ['nur sqli auf shop diese Woche', 'sqli this week on shop'],
  ['prüfe shop', 'check on shop'],
  ['werden wir gerade angegriffen?', 'check'],
  ['vorfall gestern 14 bis 16 Uhr auf blog', 'incident yesterday 14:00-16:00 on blog'],
  ['was war gestern nacht los', 'what happened last night'],
  ['angriffe seit dem deploy um 14:10', 'attacks since 14:10'],
  ['die zehn größten angreifer der letzten woche', 'top 10 attackers last week'],
  ['mehr angriffe auf shop oder blog heute?', 'attacks shop vs blog today'],
  ['unterschied zwischen shop und blog heute', 'compare shop vs blog today'],
  ['guten morgen, gab es heute angriffe?', 'were there attacks today?'],
  ['vergleiche letzte woche mit der woche davor', 'compare last week with the week before'],
  ['von wo kommen die angriffe auf shop', 'who on shop'],
  ['alles gut bei shop?', 'check on shop'],
  ['woher kommen die angriffe', 'who'],
  ['von wem kamen die angriffe gestern', 'who yesterday'],
  ['kannst du mir den verkehr von heute zeigen', 'timeline today'],
  ['irgendwas auffälliges in der letzten stunde?', 'check last 1h'],
  ['angriffe gestern als csv', 'attacks yesterday csv'],
])('%s', (german, english) => {
  const [one, other] = [german, english].map((text) => parseSentence(text, CONTEXT));
  for (const part of ['verb', 'range', 'versus', 'hosts', 'versusHosts', 'category', 'csv'] as const) {
    const plain = (value: unknown): string =>
      JSON.stringify(value, (key, inner) => (/^(typed|kind|zone|cut)$/.test(key) ? undefined : inner));
    expect(plain(one?.[part])).toBe(plain(other?.[part]));
  }
});

it('leaves English sentences alone', () => {
  expect(parseSentence('what was the traffic on shop today', CONTEXT)).toMatchObject({ verb: 'timeline' });
});

it('refuses German words it does not know', () => {
  expect(() => parseSentence('blockierte anfragen gestern', CONTEXT)).toThrow();
  expect(() => parseSentence('angriffe auf laden gestern', CONTEXT)).toThrow('laden');
});
