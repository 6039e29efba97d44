/** Replaces words that no rule knows by the nearest known ones, or splits them. The answer shows how it was read. */
import { distance } from 'fastest-levenshtein';
import type { Span } from '../errors.ts';
import type { TokenReader } from './lexer/lexer.ts';
import { CONTENT_WORDS, isTimeWord, MONTHS, UNITS, WEEKDAYS } from './lexer/words.ts';
import type { RuleGroup, TimeToken } from './model.ts';

export const MISSPELT: RuleGroup = {
  title: 'Misspelled words',
  about: 'Corrected only if one reading is left; the answer shows how it was read.',
  examples: `
yesterdya 3pm-5pm                        => 2025-06-17 15:00 .. 2025-06-17 17:00 as yesterday 3pm-5pm
betwen 8am adn 10am                      => 2025-06-18 08:00 .. 2025-06-18 10:00 as between 8am and 10am
sicne monday                             => 2025-06-16 .. now as since monday
last 24 huors                            => 2025-06-17 16:25:40 .. now as last 24 hours
lastmonth                                => 2025-05-01 .. 2025-06-01 as last month
9amto11am                                => 2025-06-18 09:00 .. 2025-06-18 11:00 as 9am to 11am
febuary 5                                => 2025-02-05 .. 2025-02-06 as february 5
`,
};

/** One corrected text. It is answered only if `sure`, otherwise suggested. */
export interface Correction {
  readonly text: string;
  readonly slips: number;
  readonly sure: boolean;
}

interface Replacement extends Omit<Correction, 'text'>, Span {
  readonly word: string;
}

const MIN_LENGTH = 3;
const MAX_LENGTH = 16;
const MAX_WORDS = 3;
const MAX_REPLACEMENTS = 4;
const MAX_TEXTS = 24;
/** From this length on, two typos are allowed. */
const LONG_WORD = 8;

/** Too short for other corrections than swapped or doubled letters. */
const SHORT_WORDS: readonly string[] = 'and the ago now day min hrs to of am pm'.split(' ');

/** English words one typo away from ours, whose correction is only suggested: `last post`. */
const OTHER_WORDS: ReadonlySet<string> = new Set(
  `list post part file fire seen mind lost fine nice hall tree pass match mini
  string sets miss eastern fort sharing toll mine standing previously easier specs yeah hundreds decide jane forth
  tall mint jury starring sees teeth precious minds previews seating paste staying tile staffing frog alter altar fist
  judy minus fur pest tent junk halo pas pasta skating mines stating foul seas thorough neon flour marsh sorting tilt threw
  quartet nile tents noun storing midway thirds currents pant lust hale halt nineteenth mains sturdy staring wording
  staging sect dams pact filth lest mans staining forte soaring eater dads cast fast blast pasts brought thought tough
  trough formed forms firm fours fives hover house hose houses horse weekly`.split(/\s+/),
);

/** Too common to be typos of our words. */
const NEVER_OURS: ReadonlySet<string> = new Set('nicht least none thus tell non thin thee though there'.split(' '));

/** Texts with all unknown words replaced, fewest typos first; none if too many words are unknown. */
export function corrections({ tokens, text }: TokenReader): readonly Correction[] {
  const unknown = tokens.flatMap((token, index) => (token.type === 'word' && !isTimeWord(token.text) ? [index] : []));
  if (unknown.length === 0 || unknown.length > MAX_WORDS) return [];
  let texts: Correction[] = [{ text, slips: 0, sure: true }];
  // From the back, so that offsets stay valid.
  for (const index of unknown.toReversed()) {
    const replacements = replacementsOf(tokens, index);
    texts = replacements.flatMap((replacement) => texts.map((before) => replaced(before, replacement)));
  }
  return texts.toSorted((a, b) => a.slips - b.slips).slice(0, MAX_TEXTS);
}

const replaced = (before: Correction, { start, end, word, slips, sure }: Replacement): Correction => ({
  text: before.text.slice(0, start) + word + before.text.slice(end).replace(/^(?=\d)/, ' '),
  slips: before.slips + slips,
  sure: before.sure && sure,
});

function replacementsOf(tokens: readonly TimeToken[], index: number): readonly Replacement[] {
  const token = tokens[index];
  if (!token || token.text.length < 2 || token.text.length > MAX_LENGTH) return [];
  const { start, end, text } = token;
  const isAfterHour = tokens[index - 1]?.type === 'number' || tokens[index - 1]?.type === 'clock';
  const near = [...nearWords(text), ...splits(text)]
    .filter(({ word }) => isAfterHour || (word !== 'am' && word !== 'pm'))
    .map((found) => ({ start, end, ...found }));
  // Of two equally near words prefer the longer: people drop letters more often than they add them.
  const byLikelihood = (a: Replacement, b: Replacement) => a.slips - b.slips || b.word.length - a.word.length;
  return near.toSorted(byLikelihood).slice(0, MAX_REPLACEMENTS);
}

type Near = Pick<Replacement, 'word' | 'slips' | 'sure'>;

function* nearWords(typed: string): Generator<Near> {
  if (NEVER_OURS.has(typed)) return;
  for (const word of SHORT_WORDS) {
    const isTwice = word !== 'the' && typed.length > word.length && once(typed) === word;
    const isHalf = (word === 'pm' || word === 'am') && typed.length === 2 && typed[0] === word[0];
    if (isSwap(typed, word) || isTwice || isHalf) yield { word, slips: 1, sure: true };
  }
  if (typed.length < MIN_LENGTH) return;
  const isOther = OTHER_WORDS.has(typed);
  const letters = new Set([typed.charAt(0), typed.charAt(1)]);
  for (const word of [...letters].flatMap((letter) => BY_FIRST_LETTER.get(letter) ?? [])) {
    const slips = slipsBetween(typed, word);
    if (slips !== null) yield { word, slips, sure: (!isOther && !hasRival(typed, word)) || isSwap(typed, word) };
  }
}

const NAMES = [...WEEKDAYS, ...[...MONTHS].map(([name, month]) => [name, month + WEEKDAYS.size] as const)];
const NAMES_OF: ReadonlyMap<string, number> = new Map(NAMES);
const MAX_LEFT_OUT = 2;

/** Whether another day or month is as near (`munday`, `jue`), or could be meant with letters missing (`tsday`). */
function hasRival(typed: string, word: string): boolean {
  const meant = NAMES_OF.get(word);
  return NAMES.some(([name, meaning]) => {
    if (meaning === meant || Math.abs(name.length - typed.length) > MAX_LEFT_OUT) return false;
    if (isLeftOver(typed, name)) return !isLeftOver(typed, word);
    return meant !== undefined && distance(typed, name) <= 1;
  });
}

/** The letters of the name in order, some missing. */
function isLeftOver(typed: string, name: string): boolean {
  let at = 0;
  for (const letter of name) if (letter === typed[at]) at += 1;
  return at === typed.length;
}

const BY_FIRST_LETTER = Map.groupBy(CONTENT_WORDS, (word) => word.charAt(0));

/** Each repeated letter only once. */
const once = (word: string): string => word.replace(/(.)\1+/g, '$1');

/** Number of typos between two words, or `null` if too many. The first letter is hardly ever wrong. */
function slipsBetween(typed: string, word: string): number | null {
  const allowed = word.length >= LONG_WORD ? 2 : 1;
  if (Math.abs(typed.length - word.length) > allowed + 1) return null;
  if (isSwap(typed, word)) return 1;
  if (typed[0] !== word[0]) return null;
  if (once(typed) === once(word)) return 1;
  const slips = distance(typed, word);
  return slips <= allowed ? slips : null;
}

/** Whether two letters side by side have changed places. */
export function isSwap(typed: string, word: string): boolean {
  if (typed.length !== word.length) return false;
  let at = 0;
  while (at < typed.length && typed[at] === word[at]) at += 1;
  if (at > typed.length - 2 || typed[at] !== word[at + 1] || typed[at + 1] !== word[at]) return false;
  return typed.slice(at + 2) === word.slice(at + 2);
}

const PARTS: ReadonlySet<string> = new Set([...CONTENT_WORDS, ...'am pm to and ago now day may yday tdy'.split(' ')]);

/** `lastweek`, `9amto11am`. */
function* splits(typed: string): Generator<Near> {
  for (let at = 1; at <= typed.length - 2; at++) {
    const [first, second] = [typed.slice(0, at), typed.slice(at)];
    if ((PARTS.has(first) || (second === 'ago' && UNITS.has(first))) && PARTS.has(second))
      yield { word: `${first} ${second}`, slips: 1, sure: true };
  }
}
