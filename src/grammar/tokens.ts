/**
 * The tokenizer of sentences, watch rules and schedules. Each token knows its place in the typed text, so that a caret can
 * point at a mistake. A German word is read as its English counterpart; times have their own table in `time/`.
 */
import { distance } from 'fastest-levenshtein';
import type { Span } from '../errors.ts';
import { plainPunctuation } from '../time/index.ts';

/** A run of digits, a run of letters, or any other single character except blanks. */
export interface TextToken extends Span {
  readonly kind: 'number' | 'letters' | 'mark';
  readonly text: string;
  readonly lower: string;
}

const TOKEN = /(?<number>\d+)|(?<letters>[\p{L}_]+)|\S/gu;

export function tokenize(text: string): TextToken[] {
  return Array.from(plainPunctuation(text).matchAll(TOKEN), ({ 0: token, index, groups }) => ({
    kind: groups?.number !== undefined ? 'number' : groups?.letters !== undefined ? 'letters' : 'mark',
    text: token,
    lower: token.toLowerCase(),
    start: index,
    end: index + token.length,
  }));
}

/** Whether there is no blank between two tokens. */
export function touch(left: Span | undefined, right: Span | undefined): boolean {
  return left !== undefined && left.end === right?.start;
}

/** A word between blanks, a quoted phrase, or a comma. */
export interface Word extends Span {
  /** As typed, without quotes. */
  readonly text: string;
  readonly lower: string;
  readonly quoted: boolean;
}

export function splitWords(text: string): Word[] {
  const plain = plainPunctuation(text);
  const words: Word[] = [];
  const push = (start: number, end: number, quoted = false): void => {
    const word = quoted ? plain.slice(start + 1, end - 1) : plain.slice(start, end);
    words.push({ text: word, lower: word.toLowerCase(), quoted, start, end });
  };
  let open: { start: number; end: number } | null = null;
  let quotedUntil = 0;
  for (const token of tokenize(plain)) {
    if (token.start < quotedUntil) continue;
    const isBreak = token.text === '"' || token.text === ',';
    if (open !== null && !isBreak && touch(open, token)) {
      open.end = token.end;
      continue;
    }
    if (open !== null) push(open.start, open.end);
    open = isBreak ? null : { start: token.start, end: token.end };
    if (token.text === ',') push(token.start, token.end);
    if (token.text !== '"') continue;
    // An unclosed quote only separates words.
    const close = plain.indexOf('"', token.end);
    if (close < 0) continue;
    quotedUntil = close + 1;
    push(token.start, quotedUntil, true);
  }
  if (open !== null) push(open.start, open.end);
  return words;
}

/** `hello :wave:` and `ok ?!` */
const NO_WORD = /^(?:[?!.…]+|:[\w+-]+:|(?:\p{Extended_Pictographic}|\u{fe0f}|\u{200d})+)$/u;

/** Starts only at the first of several marks, so that a thousand marks don't take a thousand times as long. */
const MARKS_AT_END = /(?<![?!.…;:])[?!.…;:]+$/;

export const withoutMarksAtEnd = (text: string): string => text.replace(MARKS_AT_END, '');

/** `shop's attacks`, but `what's` and `who's` are words of their own. */
const POSSESSIVE = /(?<!^(?:it|what|who|how|that|let|here|there|where))'s$/;

/** A word without the punctuation at its end; empty for pure punctuation and emoji. */
export function bareWord({ lower, quoted }: Word): string {
  if (quoted) return lower;
  return NO_WORD.test(lower) ? '' : withoutMarksAtEnd(lower).replace(POSSESSIVE, '');
}

/** The text with blanks for the given spans, so that the rest keeps its offsets. */
export function blankOut(text: string, spans: readonly Span[]): string {
  let rest = text;
  for (const { start, end } of spans) rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  return rest;
}

/** The text with blanks for everything but the given spans. */
export function keepOnly(text: string, spans: readonly Span[]): string {
  let result = ' '.repeat(text.length);
  for (const { start, end } of spans) result = result.slice(0, start) + text.slice(start, end) + result.slice(end);
  return result;
}

export interface SqueezedText {
  readonly text: string;
  /** The offset of each character in the original text. */
  readonly places: readonly number[];
}

/** The words between two offsets, one blank apart: other parts have left runs of blanks behind. */
export function squeezeBlanks(whole: string, from: number, to: number): SqueezedText {
  const places: number[] = [];
  for (let at = from; at < to; at += 1) {
    const isBlank = whole[at] === ' ';
    if (!isBlank || (places.length > 0 && whole[at - 1] !== ' ')) places.push(at);
  }
  if (whole[places.at(-1) ?? -1] === ' ') places.pop();
  return { text: places.map((place) => whole[place]).join(''), places };
}

/** The text with a part replaced. Words of other parts inside it move behind it. */
export function withOther(text: string, { places }: SqueezedText, part: string, others: readonly Word[]): string {
  const [start, end] = [places[0] ?? 0, (places.at(-1) ?? 0) + 1];
  const inside = others.filter((word) => word.start >= start && word.end <= end).sort((a, b) => a.start - b.start);
  const words = inside.map((word) => text.slice(word.start, word.end));
  return [text.slice(0, start), part, ...words, text.slice(end)].join(' ').replace(/ +/g, ' ').trim();
}

/** A span of the squeezed text as a span of the original text. */
export function placeOf({ start, end }: Span, places: readonly number[]): Span {
  const first = places[start] ?? places.at(-1) ?? 0;
  return { start: first, end: Math.max(first, places[end - 1] ?? places.at(-1) ?? 0) + 1 };
}

export function withoutBlanks(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const blanks = part.length - part.trimStart().length;
  return { start: start + blanks, end: start + Math.max(blanks + 1, part.trimEnd().length) };
}

/** The known word that was probably meant: at most `allowed` edits away, ignoring case. */
export function nearestWord(word: string, known: readonly string[], allowed: number): string | undefined {
  const lower = word.toLowerCase();
  let nearest: string | undefined;
  let least = allowed + 1;
  for (const candidate of known) {
    // Each extra or missing letter is an edit, so the slow comparison isn't needed.
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const edits = distance(lower, candidate.toLowerCase());
    if (edits < least) [nearest, least] = [candidate, edits];
  }
  return nearest;
}

const GERMAN = `
angriffe attacks, angriff attack, attacken attacks, attacke attack, angriffsarten types, arten types, kategorien categories,
aufschluesselung breakdown, anfragen requests, anfrage request, zugriffe requests, aufrufe requests, verkehr traffic, datenverkehr traffic,
zeitverlauf timeline, verlauf timeline, zeitachse timeline, besucher visitors, vergleiche compare, vergleich compare, vergleichen compare,
verglichen compared, pruefe check, pruefen check, ueberpruefe check, lage status, stand status, vorfall incident, vorfaelle incidents,
vorfallbericht incident, angreifer attackers, quellen sources, herkunft sources, laender countries, adressen addresses, wer who,
hilfe help, einstellungen settings, auf on, bei on, fuer for, gegen against, und and, mit with, als as, nur only, bloss only, versuche attempts,
warum why, wieso why, weshalb why, privat privately, vertraulich privately, zeig show, zeige show, gib give, mir me, bitte please, danke thanks,
hallo hello, moin hello, servus hello, guten good, tag day, wie how, viele many, viel much, gab were, gibt is, gibts is, es it, hat has, hatte had,
haben have, hatten had, bekam got, bekommen got, war was, waren were, ist is, sind is, sieht looks, wird is, wurde was, werden is, wurden were,
wir we, uns us, unser our, unsere our, alles everything, etwas anything, irgendwas anything, was what, los happening, passiert happened,
geschehen happened, angegriffen attacked, beschuss attack, unter under, ruhig quiet, normal normal, ungewoehnlich unusual, auffaellig unusual,
komisch weird, seltsam strange, schlimm bad, vorbei over-yet, noch still, jetzt now, gerade now, derzeit now, aktuell now, momentan now,
der the, die the, das the, dem the, den the, ein a, eine a, einen a, einem a, einer a, bericht report, ueber about, zum to, zur to, zu to, welcher which,
welche which, welches which, welchen which, host host, hosts hosts, seite site, allen all, alle all, vorherigen previous, vorher previous,
davor previous, sonst also, denn please, mal please, doch please, ich i, brauche need, moechte want, will want, kannst can, du you, datei file,
sql-injection sqli, sql-injektion sqli, einschleusung injection, insgesamt overall, kommen come, kamen came, woher where, grafik graph, diagramm chart,
greift attacking, greifen attacking, laeuft is, laufen is, dauert is
`;

const ENGLISH: ReadonlyMap<string, string> = new Map(
  GERMAN.split(',').map((row) => {
    const [german = '', english = ''] = row.trim().split(' ');
    return [german, english.replace('-', ' ')] as const;
  }),
);

/** Words that English has too, with another meaning or the same. */
const SHARED = /^(was|will|tag|die|den|gab|mal|host|hosts|normal|stand|arten|los|war)$/;

const fold = (word: string): string =>
  word.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');

/** The words as English reads them, if some are clearly German. Times stay as typed. */
export function inEnglish(words: readonly Word[]): readonly Word[] {
  const bare = ({ lower, quoted }: Word): string => (quoted ? '' : fold(lower.replace(/[?!.,;:]+$/, '')));
  const isGerman = words.some((word) => ENGLISH.has(bare(word)) && !SHARED.test(bare(word)));
  if (!isGerman) return words;
  return words.map((word, at) => {
    const next = words[at + 1];
    if (bare(word) === 'im' && next !== undefined && bare(next) === 'vergleich') return { ...word, lower: 'also' };
    if (bare(word) === 'an') return { ...word, lower: next === undefined ? 'also' : 'to' };
    const english = ENGLISH.get(bare(word));
    // `gegen 14 Uhr` is a time, and `zu`, `der` may belong to one.
    const isBeforeNumber = /^\d/.test(words[at + 1]?.lower ?? '');
    if (english === undefined || (isBeforeNumber && /^(gegen|zu|zum|auf|fuer|bei|und)$/.test(bare(word)))) return word;
    if (english === 'compare' && bare(words[at - 1] ?? word) === 'im') return { ...word, lower: 'compared' };
    return { ...word, lower: english };
  });
}
