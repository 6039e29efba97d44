/** All rule groups in the order of docs/time.md, which is generated from their examples, as are the table tests. */
import { GERMAN } from '../lexer/german.ts';
import { PASTED } from '../lexer/lexer.ts';
import { CHAT } from '../lexer/plain-text.ts';
import type { RuleGroup } from '../model.ts';
import { REFUSED } from '../refusal.ts';
import { MISSPELT } from '../typos.ts';
import { OTHER_SPELLINGS } from './chrono-dates.ts';
import { TIMES_OF_DAY } from './clock-time.ts';
import { ROLLING } from './duration.ts';
import { ZONES } from './end.ts';
import { NAMED_DAYS } from './holidays.ts';
import { NAMED_DATES } from './named-date.ts';
import { PARTS_OF_A_PERIOD, PERIODS } from './period.ts';
import { DURATIONS_NEXT_TO_A_MOMENT, PAIRS } from './phrase.ts';
import { DASHBOARDS, RELATIVE_DATES } from './relative-date.ts';

/** The moment and zone the examples are resolved at. */
export const EXAMPLES_READ_AT = '2025-06-18T16:25:40+02:00[Europe/Berlin]';

export const RULE_GROUPS: readonly RuleGroup[] = [
  ROLLING,
  RELATIVE_DATES,
  NAMED_DATES,
  PARTS_OF_A_PERIOD,
  PERIODS,
  NAMED_DAYS,
  OTHER_SPELLINGS,
  TIMES_OF_DAY,
  PAIRS,
  DURATIONS_NEXT_TO_A_MOMENT,
  DASHBOARDS,
  PASTED,
  ZONES,
  CHAT,
  GERMAN,
  MISSPELT,
  REFUSED,
];
