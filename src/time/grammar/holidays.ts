/** The few days that traffic itself remembers. Fixed dates, and the shopping days that hang on Thanksgiving. */
import { dateOf, plusDays, spanOfDays } from '../calendar.ts';
import { type GrammarRule, take } from '../lexer/reader.ts';
import type { CivilSpan, DateExpr } from '../model.ts';

type Holiday = readonly [
  words: readonly string[],
  fields: { month: number; day: number } | { afterThanksgiving: number },
];

const HOLIDAYS: readonly Holiday[] = [
  [['christmas', 'eve'], { month: 12, day: 24 }],
  [['christmas', 'day'], { month: 12, day: 25 }],
  [['christmas'], { month: 12, day: 25 }],
  [['xmas', 'eve'], { month: 12, day: 24 }],
  [['xmas', 'day'], { month: 12, day: 25 }],
  [['xmas'], { month: 12, day: 25 }],
  [['boxing', 'day'], { month: 12, day: 26 }],
  [['new', 'year', "'", 's', 'eve'], { month: 12, day: 31 }],
  [['new', 'years', 'eve'], { month: 12, day: 31 }],
  [['new', 'year', "'", 's', 'day'], { month: 1, day: 1 }],
  [['new', 'years', 'day'], { month: 1, day: 1 }],
  [['new', 'year', "'", 's'], { month: 1, day: 1 }],
  [['new', 'years'], { month: 1, day: 1 }],
  [['new', 'year'], { month: 1, day: 1 }],
  [['halloween'], { month: 10, day: 31 }],
  [['valentine', "'", 's', 'day'], { month: 2, day: 14 }],
  [['valentines', 'day'], { month: 2, day: 14 }],
  [['thanksgiving', 'day'], { afterThanksgiving: 0 }],
  [['thanksgiving'], { afterThanksgiving: 0 }],
  [['black', 'friday'], { afterThanksgiving: 1 }],
  [['cyber', 'monday'], { afterThanksgiving: 4 }],
];

/** The fourth Thursday of November. */
function thanksgiving(year: number): Temporal.PlainDate {
  const first = dateOf(year, 11, 1);
  return plusDays(first, ((4 - first.dayOfWeek + 7) % 7) + 21);
}

export const HOLIDAY: GrammarRule<DateExpr> = {
  words: new Set(HOLIDAYS.map(([words]) => words[0] ?? '')),
  read: (r) => {
    for (const [words, when] of HOLIDAYS) {
      if (!take(r, ...words)) continue;
      if ('month' in when) return { fields: when };
      // Every year has one in its November; the day hangs on the year, so it is picked inside the month.
      const inside = ({ start }: CivilSpan) => spanOfDays(plusDays(thanksgiving(start.year), when.afterThanksgiving));
      return { fields: { month: 11 }, inside };
    }
    return null;
  },
};
