/** The vocabulary of the grammar. Maps, not objects: `constructor` must not be a word. */
import type { Unit } from '../model.ts';
import { ZONE_ABBREVIATIONS } from '../zones/zones.ts';

const table = <Value>(rows: Iterable<readonly [words: string, value: Value]>): ReadonlyMap<string, Value> => {
  const map = new Map<string, Value>();
  for (const [words, value] of rows) for (const word of words.split(' ')) map.set(word, value);
  return map;
};

export const UNITS: ReadonlyMap<string, Unit> = table<Unit>([
  ['s sec secs second seconds', 'second'],
  ['m min mins minute minutes', 'minute'],
  ['h hr hrs hour hours', 'hour'],
  ['d day days', 'day'],
  ['w wk wks week weeks', 'week'],
  ['fortnight fortnights', 'fortnight'],
  ['mo mos mth mths month months', 'month'],
  ['q qtr qtrs quarter quarters', 'quarter'],
  ['y yr yrs year years', 'year'],
  ['weekend', 'weekend'],
]);

/** Without single letters: `this m` means nothing. */
export const SPELLED_UNITS: typeof UNITS = new Map([...UNITS].filter(([word]) => word.length > 1));
/** Without plurals: `these days` and `last weeks` don't say how many. */
export const SINGULAR_UNITS: typeof UNITS = new Map(
  [...SPELLED_UNITS].filter(([word]) => !(word.endsWith('s') && UNITS.has(word.slice(0, -1)))),
);

/** By their place in a list, spellings side by side. */
const numbered = (list: string, first = 1, step = 1) =>
  table(list.split(/, ?/).map((names, index) => [names, first + step * index] as const));

const MONTH_NAMES =
  'january jan,february feb febr,march mar,april apr,may,june jun,july jul,august aug,september sep sept,october oct,november nov,december dec';
export const MONTHS = numbered(MONTH_NAMES);

const WEEKDAY_NAMES =
  'monday mon,tuesday tue tues,wednesday wed weds,thursday thu thur thurs,friday fri,saturday sat,sunday sun';
/** ISO numbers, Monday is 1. */
export const WEEKDAYS = numbered(WEEKDAY_NAMES);

const SMALL =
  'zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,nineteen';
const TENS = 'twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety';
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([...numbered(SMALL, 0), ...numbered(TENS, 20, 10)]);

const SMALL_ORDINALS =
  'first,second,third,fourth,fifth,sixth,seventh,eighth,ninth,tenth,eleventh,twelfth,thirteenth,fourteenth,fifteenth,sixteenth,seventeenth,eighteenth,nineteenth,twentieth';
export const ORDINAL_WORDS: ReadonlyMap<string, number> = new Map([...numbered(SMALL_ORDINALS), ['thirtieth', 30]]);

/** Other words and short forms, which every rule reads as the second one. */
export const SHORT_FORMS = table(
  `tdy today, yday yesterday, yest yesterday, tmrw tomorrow, tmr tomorrow, nite night, btw between, btwn between, til until,
  till until, thru through, onward onwards, xmas christmas, current this, nxt next, upcoming next, coming next,
  approx about, roughly about`
    .split(/,\s+/)
    .map((row) => [row.replace(/ .*/, ''), row.replace(/.* /, '')] as const),
);

/** Words before a time that are ignored. */
export const ABOUT = 'about|around|like|~';

/** Words for the period before this one. */
export const LAST_WORDS: ReadonlySet<string> = new Set(
  'last past previous prev prior trailing rolling recent latest'.split(' '),
);

export const RECURRING_WORDS: ReadonlySet<string> = new Set([
  ...'every each daily hourly weekly nightly monthly quarterly yearly annually per weekends'.split(' '),
  ...'mornings afternoons evenings nights'.split(' '),
  ...[...WEEKDAYS.keys()].filter((name) => name.endsWith('day')).map((name) => `${name}s`),
]);

/** Words that carry meaning, which misspelled words are corrected to. */
export const CONTENT_WORDS: readonly string[] = [
  ...new Set([
    ...`${MONTH_NAMES},${WEEKDAY_NAMES}`.split(',').map((names) => names.replace(/ .*/, '')),
    ...[NUMBER_WORDS, ORDINAL_WORDS].flatMap((words) => [...words.keys()]),
    ...SPELLED_UNITS.keys(),
    ...'last past previous this current today yesterday tomorrow tonight'.split(' '),
    ...'since until till from between before after through around within onwards either'.split(' '),
    ...'morning afternoon evening night overnight noon midnight midday weekend'.split(' '),
    ...'beginning starting ending early late business working'.split(' '),
    ...'christmas thanksgiving halloween easter couple'.split(' '),
  ]),
].filter((word) => word.length > 3);

/** Other known words: connecting words, short forms, letters of composite forms. */
const OTHER_WORDS =
  `a an the rest commencing to of in on at for by up and or but as any all over during within full complete completed calendar so
  far ago back earlier later now right date time period window each side either plus minus about around approx
  roughly like no than onwards onward following next upcoming coming day before after same most these those week
  final half quarter couple few several some early late mid middle start end begin beginning starting ending
  earliest latest since until till til thru through from between btw btwn prior recent trailing w c h q d m s y t
  z o am pm p noon midday midnight clock morning afternoon evening night nite my our local timezone tz wtd mtd qtd
  ytd kw eod weekdays ts please business working work weekday ms th st nd rd mon mons xmas eve new years boxing valentine valentines
  fool fools good labor black cyber`.split(/\s+/);

const known: ReadonlySet<string> = new Set([
  ...OTHER_WORDS,
  ...CONTENT_WORDS,
  ...[UNITS, MONTHS, WEEKDAYS, NUMBER_WORDS, ORDINAL_WORDS].flatMap((words) => [...words.keys()]),
  ...[LAST_WORDS, RECURRING_WORDS, SHORT_FORMS.keys()].flatMap((words) => [...words]),
]);

/** Whether any rule has a use for the word. */
export const isTimeWord = (word: string): boolean => known.has(word) || ZONE_ABBREVIATIONS.has(word);
