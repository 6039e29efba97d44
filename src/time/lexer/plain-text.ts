/**
 * Reads what phones and word processors type as what was meant: dashes, curly quotes, odd spaces. Every character is
 * replaced by exactly one, so offsets into the plain text are offsets into the text as typed.
 */
const PLAIN = new Map<string, string>();
for (const dash of '‐‑‒–—―−﹘﹣－') PLAIN.set(dash, '-');
for (const quote of '‘’‚‛`´′') PLAIN.set(quote, "'");
for (const quote of '“”„‟″«»') PLAIN.set(quote, '"');
for (const space of '\t\n\r\v\f\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u200c\u200d\u2060')
  PLAIN.set(space, ' ');
for (let code = 0x2000; code <= 0x200a; code++) PLAIN.set(String.fromCharCode(code), ' ');
for (const colon of '：∶') PLAIN.set(colon, ':');
PLAIN.set('→', '>').set('⁄', '/').set('∕', '/').set('～', '~').set('∼', '~');

const NEEDS_WORK = /[^\x20-\x5f\x61-\x7e]/;
const EACH_ODD = /[^\x20-\x5f\x61-\x7e]/g;

/** Dashes, quotes, spaces and look-alikes as their ASCII characters; the case stays. */
export const plainPunctuation = (text: string): string =>
  NEEDS_WORK.test(text) ? text.replace(EACH_ODD, (char) => PLAIN.get(char) ?? char) : text;

/** In lower case too. ASCII only: other scripts may change length in another case, and none of our words need them. */
export const plainText = (text: string): string =>
  plainPunctuation(text).replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
