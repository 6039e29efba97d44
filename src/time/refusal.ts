/** Explains why a text can't be parsed to its end, and points at the word at fault. */
import type { Span } from '../errors.ts';
import { DAY_AND_MONTH } from './grammar/clock-time.ts';
import { readPhrase } from './grammar/phrase.ts';
import { UNCLEAR_DATE } from './lexer/german.ts';
import { foldGerman, GERMAN_AMBIGUOUS } from './lexer/german-words.ts';
import { refuse, refuseFuture, type TokenReader } from './lexer/lexer.ts';
import { isTimeWord, RECURRING_WORDS, SINGULAR_UNITS, SPELLED_UNITS } from './lexer/words.ts';
import type { RuleGroup, TimeToken } from './model.ts';

export const REFUSED: RuleGroup = {
  title: 'What is refused',
  about: `Ranges in the future, backwards or impossible, moments, ambiguous names, and any phrase with a word left over.
    The answer points at the words at fault.`,
  examples: `
tomorrow                                 => refused: tomorrow
next week                                => refused: next
today to friday                          => refused: friday
2025-06-10 to 2025-06-01                 => refused: 2025-06-10 to 2025-06-01
june 20 to june 10                       => refused: june 20 to june 10
yesterday morning 3pm-4pm                => refused: yesterday morning 3pm
feb 30                                   => refused: feb 30
25:00-26:00                              => refused: 25:00
14:30                                    => refused: 14:30
9-5                                      => refused: 9-5
before june                              => refused: before june
for 3 hours                              => refused: for 3 hours
last few hours                           => refused: last few hours
tuesdays                                 => refused: tuesdays
last 24h and yesterday                   => refused: and yesterday
9 to midnight                            => refused: 9
since 2015                               => refused: 2015
since 10 to 3                            => refused: to 3
5.10 - 9.10                              => refused: 5.10 - 9.10
second monday                            => refused: second
last 24 bananas                          => refused: bananas
this summer                              => refused: summer
FY25                                     => refused: FY
hier soir                                => refused: hier
`,
};

/** Names that mean different times to different people, and what to type instead. */
const AMBIGUOUS: readonly (readonly [names: string, message: string])[] = [
  [
    'fy|fytd|fiscal|financial',
    'Fiscal years start in different months. Name the months or a calendar quarter, such as jan to mar or Q1.',
  ],
  ['spring|summer|autumn|fall|winter', 'Seasons start on different days. Name the months, such as june to august.'],
  [
    'business hours|office hours|working hours|work hours|lunchtime|lunch time|lunch|dinner|breakfast',
    "I can't tell which hours you mean. Try 20:00 to 08:00.",
  ],
  ['lately|recently', "I can't tell how long you mean. Try last 24h or last 7 days."],
];

const AMBIGUOUS_BY_FIRST = Map.groupBy(
  [...AMBIGUOUS, ...GERMAN_AMBIGUOUS].flatMap(([names, message]) =>
    names.split('|').map((name) => ({ words: name.split(' '), message })),
  ),
  ({ words }) => words[0] ?? '',
);

const NOT_ASCII = /[^ -~]/;
/** A word with a letter that neither English nor German has. */
const OTHER_LETTERS = /[\p{L}\p{M}]*[^\P{L}A-Za-zÄÖÜäöüß][\p{L}\p{M}]*/u;

interface Reason {
  readonly span: Span;
  readonly message: string;
}

/** Why a correctly spelled text can't be answered. */
export function reasonFor(r: TokenReader): Reason | null {
  const { text: typed, tokens } = r;
  const foreign = NOT_ASCII.test(typed) ? OTHER_LETTERS.exec(typed) : null;
  if (foreign) {
    const span = { start: foreign.index, end: foreign.index + foreign[0].length };
    return { span, message: 'I understand English and German only.' };
  }
  const unclear = tokens.find(({ text }) => text === UNCLEAR_DATE || DAY_AND_MONTH.test(text));
  if (unclear)
    return { span: unclear, message: 'That could be two different times: type 5.10. or 5:10, and years in full.' };
  const recurring = tokens.find(({ text: word }) => RECURRING_WORDS.has(word));
  if (recurring) return { span: recurring, message: 'I can only show a single range, not a repeating one.' };
  return findAmbiguous(r);
}

/** Throws a refusal that points at the first unknown word, or at what the longest phrase leaves over. */
export function refuseUnread(r: TokenReader, suggestion: string | undefined): never {
  const { text, tokens } = r;
  const unknown = tokens.find(({ type, text: word }) => type === 'word' && !isTimeWord(word));
  const ahead = tokens.find(({ text: word }) => /^(?:tomorrow|next|following|later|rest|soon)$/.test(word));
  if (ahead && (!unknown || unknown === ahead)) refuseFuture(ahead);
  const vague = unknown ? undefined : tokens.find(isVague);
  if (vague) refuse(vague, "I can't tell how many you mean.", { suggestion: `last 3 ${vague.text}` });
  const span = unknown ?? unreadSpan(r);
  const said = text.slice(span.start, span.end);
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said;
  refuse(span, `I don't know what “${shown}” means here.`, { suggestion });
}

/** `these days`, `last weeks`: doesn't say how many. */
const isVague = ({ text }: TimeToken, index: number, tokens: readonly TimeToken[]): boolean =>
  SPELLED_UNITS.has(text) && !SINGULAR_UNITS.has(text) && (tokens[index - 1]?.type ?? 'word') === 'word';

function findAmbiguous({ tokens }: TokenReader): Reason | null {
  for (const [first, token] of tokens.entries()) {
    const found = AMBIGUOUS_BY_FIRST.get(foldGerman(token.text))?.find(({ words }) =>
      words.every((word, ahead) => foldGerman(tokens[first + ahead]?.text ?? '') === word),
    );
    const last = tokens[first + (found?.words.length ?? 0) - 1];
    if (found && last) return { message: found.message, span: { start: token.start, end: last.end } };
  }
  return null;
}

const MAX_STARTS = 60;

/** The text before the longest phrase that can be parsed, otherwise the text after it. */
function unreadSpan(r: TokenReader): Span {
  let best: { readonly first: number; readonly after: number } | null = null;
  let starts = 0;
  // Continuing after each phrase keeps the work linear.
  for (let first = 0; first < r.tokens.length && starts < MAX_STARTS; starts++) {
    r.at = first;
    const phrase = readPhrase(r);
    if (phrase && (!best || r.at - first > best.after - best.first)) best = { first, after: r.at };
    first = phrase ? r.at : first + 1;
  }
  const { first, after } = best ?? { first: 0, after: 0 };
  const [from, to] = first > 0 ? [0, first - 1] : [after, r.tokens.length - 1];
  return { start: r.tokens[from]?.start ?? 0, end: r.tokens[to]?.end ?? r.text.length };
}
