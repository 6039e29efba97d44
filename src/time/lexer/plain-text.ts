/** Plain dashes, quotes and spaces. Every character is replaced by exactly one, so that offsets stay those of the typed text. */
import type { RuleGroup } from '../model.ts';

export const CHAT: RuleGroup = {
  title: 'Typed in chat',
  about: 'Case, spaces, dashes, quotes, brackets, bold, final punctuation and “please” are ignored.',
  examples: `
LAST   12   HOURS.                       => 2025-06-18 04:25:40 .. now
last_12_hours                            => 2025-06-18 04:25:40 .. now
2pm – 4pm yesterday                      => 2025-06-17 14:00 .. 2025-06-17 16:00
yesterday (9:00-10:00)                   => 2025-06-17 09:00 .. 2025-06-17 10:00
*last month*                             => 2025-05-01 .. 2025-06-01
*[05/Jun/2025:14:00:00 +0200] to [05/Jun/2025:16:00:00 +0200]* => 2025-06-05 14:00 .. 2025-06-05 16:00 in +02:00
“last week”                              => 2025-06-09 .. 2025-06-16
\`last 90m\`                               => 2025-06-18 14:55:40 .. now
yesterday please                         => 2025-06-17 .. 2025-06-18
`,
};

const PLAIN = new Map<string, string>();
for (const dash of '‐‑‒–—―−﹘﹣－') PLAIN.set(dash, '-');
for (const quote of '‘’‚‛´′') PLAIN.set(quote, "'");
for (const quote of '“”„‟″«»') PLAIN.set(quote, '"');
for (const space of '\t\n\r\v\f\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u200c\u200d\u2060')
  PLAIN.set(space, ' ');
for (let code = 0x2000; code <= 0x200a; code++) PLAIN.set(String.fromCharCode(code), ' ');
// Code in chat; as an apostrophe it would make `12 oct` a year.
PLAIN.set('`', ' ');
PLAIN.set('→', '>').set('⁄', '/').set('∕', '/').set('∼', '~').set('∶', ':');
/** Full-width letters, digits and marks from East Asian keyboards. */
const FULL_WIDTH = { first: 0xff01, last: 0xff5e, toAscii: 0xfee0 };
for (let code = FULL_WIDTH.first; code <= FULL_WIDTH.last; code++)
  PLAIN.set(String.fromCharCode(code), String.fromCharCode(code - FULL_WIDTH.toAscii));

const ODD = /[^\x20-\x5f\x61-\x7e]/g;

/** Replaces typographic dashes, quotes, spaces and look-alikes with ASCII; keeps the case. */
export const plainPunctuation = (text: string): string => text.replace(ODD, (char) => PLAIN.get(char) ?? char);

/** In lower case too. Only letters of English and German: others may change length with their case. */
export const plainText = (text: string): string =>
  plainPunctuation(text).replace(/[A-ZÄÖÜ]+/g, (capitals) => capitals.toLowerCase());

/** Blanks out double quotes, brackets and the asterisks of bold text. */
export const withoutDecoration = (text: string): string =>
  text.replace(/["()[\]]|(?<![\w*])\*+(?=[a-z\d~[-])|(?<=[^\s*])\*+(?![\w*])/g, (found) => ' '.repeat(found.length));
