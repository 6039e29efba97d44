/** The words of the grammar, each by what it can be. Maps, not objects: `constructor` is not a word. */
export type Unit =
  | 'millisecond'
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'fortnight'
  | 'month'
  | 'quarter'
  | 'half'
  | 'year'
  | 'decade'
  | 'weekend';

/** Whole calendar units, as against elapsed time. */
export type CalendarUnit = Exclude<Unit, 'millisecond' | 'second' | 'minute' | 'hour'>;

const table = <Value>(rows: Iterable<readonly [words: string, value: Value]>): ReadonlyMap<string, Value> => {
  const map = new Map<string, Value>();
  for (const [words, value] of rows) for (const word of words.split(' ')) map.set(word, value);
  return map;
};

export const UNITS: ReadonlyMap<string, Unit> = table<Unit>([
  ['ms msec msecs millisecond milliseconds', 'millisecond'],
  ['s sec secs second seconds', 'second'],
  ['m min mins minute minutes', 'minute'],
  ['h hr hrs hour hours', 'hour'],
  ['d day days', 'day'],
  ['w wk wks week weeks', 'week'],
  ['fortnight fortnights', 'fortnight'],
  ['mo mos mth mths month months', 'month'],
  ['q qtr qtrs quarter quarters', 'quarter'],
  ['y yr yrs year years', 'year'],
  ['decade decades', 'decade'],
  ['weekend weekends', 'weekend'],
]);

/** Full words only: `this m` means nothing. */
export const SPELLED_UNITS: ReadonlySet<string> = new Set([...UNITS.keys()].filter((word) => word.length > 1));

const MONTH_NAMES = [
  'january jan',
  'february feb febr',
  'march mar',
  'april apr',
  'may',
  'june jun',
  'july jul',
  'august aug',
  'september sep sept',
  'october oct',
  'november nov',
  'december dec',
];
export const MONTHS = table(MONTH_NAMES.map((names, index) => [names, index + 1] as const));

const WEEKDAY_NAMES = [
  'monday mon mondays',
  'tuesday tue tues tuesdays',
  'wednesday wed weds wednesdays',
  'thursday thu thur thurs thursdays',
  'friday fri fridays',
  'saturday sat saturdays',
  'sunday sun sundays',
];
/** ISO numbers, Monday is 1. */
export const WEEKDAYS = table(WEEKDAY_NAMES.map((names, index) => [names, index + 1] as const));

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
export const NUMBER_WORDS = table([
  ...SMALL.split(' ').map((word, value) => [word, value] as const),
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
  ['sixty', 60],
  ['seventy', 70],
  ['eighty', 80],
  ['ninety', 90],
]);

const SMALL_ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth';
export const ORDINAL_WORDS = table([
  ...SMALL_ORDINALS.split(' ').map((word, index) => [word, index + 1] as const),
  ['thirtieth', 30],
]);

/** Words for the period before this one. */
export const LAST_WORDS: ReadonlySet<string> = new Set(
  'last past previous prev prior preceding trailing rolling recent latest'.split(' '),
);
/** After these even a single unit rolls. */
export const ROLLING_WORDS: ReadonlySet<string> = new Set(['rolling', 'trailing']);
export const THIS_WORDS: ReadonlySet<string> = new Set('this current these'.split(' '));
export const NEXT_WORDS: ReadonlySet<string> = new Set('next upcoming coming following'.split(' '));
