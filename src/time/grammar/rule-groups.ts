/**
 * All rule groups in the order of the docs. Each group is defined next to its rules; docs/time.md and the table tests are
 * generated from their examples.
 */

import { PASTED } from '../lexer/lexer.ts';
import { CHAT } from '../lexer/plain-text.ts';
import type { RuleGroup } from '../model.ts';
import { REFUSED } from '../refusal.ts';
import { MISSPELT } from '../typos.ts';
import { ZONES } from '../zones/zone-phrase.ts';
import { DURATIONS_NEXT_TO_A_MOMENT } from './anchored-duration.ts';
import { OTHER_SPELLINGS } from './chrono-dates.ts';
import { TIMES_OF_DAY } from './clock-time.ts';
import { PAIRS } from './connectives.ts';
import { DASHBOARDS } from './date-math.ts';
import { NAMED_DAYS } from './holidays.ts';
import { NAMED_DATES } from './named-date.ts';
import { PARTS_OF_A_PERIOD } from './nth.ts';
import { PERIODS } from './period.ts';
import { RELATIVE_DATES } from './relative-date.ts';
import { ROLLING } from './rolling.ts';

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
  MISSPELT,
  REFUSED,
];
