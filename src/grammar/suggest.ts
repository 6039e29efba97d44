/** The sentence that was probably meant: words that weren't understood are replaced by the nearest, all at once. */
import { distance } from 'fastest-levenshtein';
import type { Span } from '../errors.ts';
import { CATEGORY_WORDS } from '../statistics/categories.ts';
import { isGermanWord, isSwap, timeWordsNear, unlessRefused, zoneNames } from '../time/index.ts';
import type { CommandTable, Sentence } from './command-table.ts';
import { GERMAN_WORDS, inEnglish } from './german.ts';
import { type HostNames, quoteName } from './hosts.ts';
import { TALK_WORDS } from './talk.ts';
import { bareWord, splitWords, type Word } from './tokens.ts';

interface Repair extends Span {
  readonly by: string;
  readonly slips: number;
}

interface SuggestionContext extends HostNames {
  readonly commands: CommandTable;
  /** Whether a word is understood anywhere in a sentence. */
  readonly isKnown: (word: Word) => boolean;
  readonly read: (text: string) => Sentence;
}

/** `5on www`, `24hvs` */
const GLUED = /^(\d+(?:h|d|m|am|pm)?)(on|vs|for|to|and)$/;
const MAX_UNKNOWN = 4;
const MAX_SLIPS = 3;
const MAX_WORD = 40;
const MAX_REPAIRS = 5;
const MAX_ATTEMPTS = 60;
const MAX_LENGTH = 300;
const SMALL_WORDS = 'on in to for at vs and only csv'.split(' ');
const OTHER_WORDS =
  'versus against compared previous privately private why top since after before during until around between from with more less fewer worst biggest busiest show please host hosts attacked export download canvas same date';

/** `undefined` if there's nothing to repair; `null` if it could mean several things. */
export function suggestionFor(text: string, context: SuggestionContext): string | null | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const typed = splitWords(text);
  const words = inEnglish(typed);
  const isUnknown = (word: Word): boolean =>
    /^\p{L}/u.test(word.lower) && (word.lower === 'o' || !context.isKnown(word));
  const unknown = words.filter((word) => !word.quoted && (isUnknown(word) || GLUED.test(word.lower)));
  if (unknown.length === 0 || unknown.length > MAX_UNKNOWN) return undefined;
  const isGerman = words !== typed || words.some(({ lower }) => isGermanWord(lower));
  const talk = isOtherLanguage(words, unknown) ? [] : isGerman ? GERMAN_WORDS : TALK_WORDS;
  let texts: { readonly text: string; readonly slips: number }[] = [{ text, slips: 0 }];
  // From the back, so that offsets stay valid.
  for (const word of unknown.toReversed()) {
    // An unknown word may stay where any word is allowed: `since doors opened at 10`.
    const kept = { start: 0, end: 0, by: '', slips: MAX_SLIPS };
    const repairs = [kept, ...repairsOf(word, words, { ...context, talk })];
    texts = texts.flatMap((each) =>
      repairs.map(({ start, end, by, slips }) => ({
        text: each.text.slice(0, start) + by + each.text.slice(end),
        slips: each.slips + slips,
      })),
    );
  }
  let best: { readonly text: string; readonly slips: number; readonly meaning: string } | undefined;
  for (const each of texts.toSorted((a, b) => a.slips - b.slips).slice(0, MAX_ATTEMPTS)) {
    if (best !== undefined && each.slips > best.slips) break;
    const meaning = meaningOf(each.text, context);
    if (meaning === null) continue;
    if (best !== undefined && best.meaning !== meaning) return null;
    best ??= { ...each, meaning };
  }
  return best?.text;
}

/** Whether hardly a word was understood, and only short ones. */
export const isOtherLanguage = (words: readonly Word[], unknown: readonly Word[]): boolean =>
  unknown.length * 2 > words.length &&
  (unknown.length > 1 || unknown.some(({ text }) => /[^ -~äöüß]/i.test(text))) &&
  words.every((word) => word.text.length <= 3 || unknown.includes(word));

const MAX_COMPARED = 20;

/** Examples that have the most words in common with what was typed, similar ones included: `attaques`. */
export function nearestExamples(text: string, { all }: CommandTable, count: number): string[] {
  const typed = inEnglish(splitWords(text.slice(0, MAX_LENGTH)))
    .slice(0, MAX_COMPARED)
    .map(bareWord);
  const likeness = (word: string): number => Math.max(...typed.map((other) => similarity(word, other)), MISSING);
  const examples = all.flatMap((command) =>
    command.parts.includes('range') ? [...command.help.examples, ...command.examples] : [],
  );
  return [...new Set(examples)]
    .map((example) => ({
      example,
      score: Math.max(
        0,
        splitWords(example).reduce((sum, word) => sum + likeness(bareWord(word)), 0),
      ),
    }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ example }) => example);
}

/** The penalty for a word of an example that wasn't typed. */
const MISSING = -0.1;

function similarity(one: string, other: string): number {
  if (one === other) return 1;
  const share = 1 - distance(one, other) / Math.max(one.length, other.length);
  return Math.min(one.length, other.length) > 3 && share >= 0.4 ? share : MISSING;
}

/** Verb, window, hosts and category, to be compared; `null` if the sentence can't be read. */
const meaningOf = (text: string, { read }: SuggestionContext): string | null =>
  unlessRefused(() => {
    const { verb, range, versus, hosts, versusHosts, category, zone } = read(text);
    return JSON.stringify([verb, range?.from, range?.to, versus, hosts, versusHosts, category, zone]);
  });

const ZONES = ['utc', 'gmt', 'cet', 'cest', 'est', 'edt', 'pst', 'pdt'];

/** Whole names, and the words of `new york`. */
const zoneWords = (): string[] => [...ZONES, ...new Set(zoneNames().flatMap((name) => [name, ...name.split(' ')]))];

function repairsOf(
  word: Word,
  words: readonly Word[],
  context: SuggestionContext & { readonly talk: readonly string[] },
): Repair[] {
  const at = words.indexOf(word);
  const lower = bareWord(word);
  const end = word.start + lower.length;
  if (lower.length > MAX_WORD) return [];
  const [, number, joint] = GLUED.exec(lower) ?? [];
  if (joint !== undefined) return [{ start: word.start, end, by: `${number} ${joint}`, slips: 1 }];
  const lead = words[at - 2]?.lower === 'going' ? undefined : words[at - 1]?.lower;
  const hosts = hostWords(context).map((name) => name.toLowerCase());
  const hasHost = words.some((each) => hosts.includes(bareWord(each)));
  const beside = `${lead ?? ''} ${words[at + 1]?.lower ?? ''}`;
  const mayBeHost =
    !hasHost ||
    /^(on|to|for|at|against|of|vs|than|with|and|or|,) | (vs\.?|versus|against|and|or|with|\+|&)$/.test(beside);
  const isZone = words.slice(Math.max(0, at - 2), at).some((each) => each.lower === 'in');
  const others = [
    ...everyWord(context),
    ...context.talk,
    ...(mayBeHost ? hosts : []),
    ...(isZone ? zoneWords() : ZONES),
  ];
  const places = lead === 'on' ? hosts : others;
  const near = places.flatMap((place) => {
    const slips = slipsBetween(lower, place.toLowerCase());
    return slips === null || (slips > 0 && isOwnWord(word, place, context))
      ? []
      : [{ start: word.start, end, by: wholeName(place, context), slips }];
  });
  const isBeforeHost = hosts.includes(bareWord(words[at + 1] ?? word)) && distance(lower, 'on') === 1;
  const on = isBeforeHost ? [{ start: word.start, end, by: 'on', slips: 1 }] : [];
  const times = lead === 'on' ? [] : timeWordsNear(lower).map((by) => ({ start: word.start, end, by, slips: 1 }));
  const isWord = (part: string): boolean =>
    (part.length > 3 || SMALL_WORDS.includes(part) || hosts.includes(part)) &&
    splitWords(part).every((each) => context.isKnown(each));
  const splits = Array.from({ length: Math.max(0, lower.length - 3) }, (_, index) => index + 2)
    .map((cut) => [lower.slice(0, cut), lower.slice(cut)] as const)
    .filter(([one, other]) => (lead === 'on' ? hosts.includes(one) : isWord(one)) && isWord(other))
    .map(([one, other]) => ({
      start: word.start,
      end,
      by: `${one} ${other}`,
      slips: Math.min(one.length, other.length) < 3 ? 2 : 1,
    }));
  const joins = [words[at - 1], words[at + 1]].flatMap((other) => {
    if (other === undefined || other.quoted) return [];
    const [one, two] = other.start < word.start ? [other, word] : [word, other];
    const by = one.lower + bareWord(two);
    return places.includes(by) || isWord(by)
      ? [{ start: one.start, end: two.start + bareWord(two).length, by, slips: 1 }]
      : [];
  });
  const all = [...near, ...on, ...times, ...splits, ...joins].toSorted((a, b) => a.slips - b.slips);
  return all.filter(({ by }, index) => all.findIndex((other) => other.by === by) === index).slice(0, MAX_REPAIRS);
}

/**
 * Whether a word is probably meant as typed rather than a typo: an abbreviation, a short word, or one with another
 * first letter (`paid`, `said`) or ending (`server`, `serve`). There are so many words of talk that only the nearest
 * counts.
 */
function isOwnWord(word: Word, other: string, { talk }: { readonly talk: readonly string[] }): boolean {
  const lower = bareWord(word);
  const letters = (text: string): string => [...new Set(text.toLowerCase())].toSorted().join();
  if (letters(lower) === letters(other)) return false;
  const isShort =
    lower.length <= 3 && lower.length === other.length && (talk.includes(other) || isOtherKey(lower, other));
  if (isShort || /^[A-Z]{2,4}$/.test(word.text) || lower[0] !== other[0]?.toLowerCase()) return true;
  const isFar = distance(lower, other) > 1 && (other.length < MIN_LONG || other.startsWith(lower));
  return talk.includes(other) && (isFar || lower.startsWith(other));
}
const MIN_LONG = 8;

/** Completes the first part of a listed host to its unambiguous full name. */
function wholeName(word: string, { aliases, listed = [] }: HostNames): string {
  const isName = ({ name }: { readonly name: string }): boolean => name.toLowerCase() === word;
  if (aliases.some(isName)) return quoteName(word);
  return listed.find(({ name }) => name.toLowerCase().startsWith(`${word}.`))?.name ?? word;
}

const hostWords = ({ aliases, listed = [] }: HostNames): string[] => [
  ...[...aliases, ...listed].map(({ name }) => name),
  ...listed.map(({ name }) => name.split('.', 1)[0] ?? ''),
];

const everyWord = ({ commands }: SuggestionContext): string[] => [
  ...commands.words,
  ...CATEGORY_WORDS.flatMap((words) => [words, ...words.split(' '), ...words.split(/[ -]/)]),
  ...SMALL_WORDS,
  ...OTHER_WORDS.split(' '),
];

const MAX_DOUBLED = 3;
const KEYS =
  'qwertyuiop asdfghjkl zxcvbnm qaz wsx edc rfv tgb yhn ujm sz dx fc gv hb jn km aw se dr ft gy hu ji ko lp'.split(' ');

/** Whether one letter was typed for another that isn't beside it on the keyboard. */
function isOtherKey(typed: string, word: string): boolean {
  if (typed.length !== word.length) return false;
  const at = [...typed].findIndex((letter, index) => letter !== word[index]);
  const pair = `${typed[at]}${word[at]}`;
  return !KEYS.some((row) => row.includes(pair) || row.includes(`${word[at]}${typed[at]}`));
}

/** Likelier than a missing or an extra letter. */
const SWAP = 0.9;

/** Swapped letters count as one typo. Short words allow only that, or an extra letter. */
function slipsBetween(typed: string, word: string): number | null {
  const allowed = word.length <= 2 ? 0 : word.length <= 5 ? 1 : 2;
  if (Math.abs(typed.length - word.length) > allowed + 1) return null;
  const slips = distance(typed, word);
  if (slips < 2 && slips <= allowed && !isSwap(typed, word))
    return slips === 1 && isOtherKey(typed, word) ? 1.5 : slips;
  if (isSwap(typed, word)) return SWAP;
  const once = (text: string): string => text.replace(/(.)\1+/g, '$1');
  if (slips <= MAX_DOUBLED && once(typed) === once(word)) return 1;
  return slips <= allowed ? slips : null;
}
