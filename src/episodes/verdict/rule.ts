/** The numbers the verdict goes by, and the sentence that states them, which is built from the same numbers. */
import { formatCount } from '../../statistics/format.ts';
import { BURST_RULE } from './bursts.ts';
import { CATEGORY_RULE, KINDS_RULE } from './moved-categories.ts';
import { BURST, GATES } from './scan.ts';

/** Who asks decides how odd something must be to be called. */
export type Sensitivity = 'check' | 'sensitive' | 'normal' | 'quiet';

/** The scores from which something is called: that of a check, and those that a watch can be set to. */
export const BARS: Readonly<Record<Sensitivity, number>> = { check: 1.6, sensitive: 1.7, normal: 2, quiet: 2.4 };

export const RULE = {
  /** The time before the window that is asked for with it. */
  trailingMs: 6 * 3_600_000,
  /** A surge has 15 minutes, or as much as there is of a wave that has just begun, with so many times the expected, and so many more. */
  surgeRatio: 3,
  surgeExcess: 60,
} as const;

/** The chance that a score stands for: `once in 200`. */
export function chanceInWords(score: number): string {
  const windows = 10 ** score;
  const rounded = windows < 10 ? Math.max(1, Math.round(windows)) : Number(windows.toPrecision(2));
  return windows > 10_000 ? 'less than once in 10,000' : `about once in ${formatCount(rounded)}`;
}

/** How many times as rare a step of the score is. */
const times = (score: number): string => {
  const factor = 10 ** score;
  return factor < 2 ? factor.toFixed(1) : String(Math.round(factor));
};

export function ruleInWords(bar: number): string {
  return (
    `something is called when a stretch of 10 minutes to 4 hours has at least ${GATES.ratio} times the expected attacks ` +
    `(${GATES.longRatio} beyond an hour), ${GATES.excess} more than expected and ${Math.round(GATES.hourShare * 100)} % of a usual hour more, ` +
    `and chance brings that ${chanceInWords(bar)} windows on this site, by how far it strayed in the last four weeks when about as much was expected; ` +
    `or when one category has ${CATEGORY_RULE.aloneRatio} times its expected events and so many more that they alone would be called. ` +
    `What it is made of counts too: a stretch of up to ${BURST.upToMs / 60_000} minutes is taken as ${times(BURST.score)} times as common ` +
    `unless one category has no more than ${Math.round(KINDS_RULE.mostOfOne * 100)} % of what is more, because single scanners send bursts of one kind; ` +
    `when all other categories together deviate ${KINDS_RULE.restFrom} times as far as they do by chance, that is ${chanceInWords(KINDS_RULE.restScore)} windows, ` +
    `and ${times(KINDS_RULE.restStep)} times as rare with each further one; ` +
    `when the weeks before had only so many times as much of the category, it is taken to have come ${KINDS_RULE.inBursts} times as often in them; ` +
    `and of up to ${BURST_RULE.most} bursts in them, with ${Math.round(BURST_RULE.asLarge * 100)} % of what is more beyond the expected or beyond the hours around them, ` +
    `only those count, ${BURST_RULE.times} times each, that were of the category or of one that had at most ${BURST_RULE.asRare} more. ` +
    `It is a surge when 15 minutes (or the called 10, or all of a wave that has just begun) have ${RULE.surgeRatio} times the expected and ${RULE.surgeExcess} more. ` +
    'Expected is what the same time of the last four weeks had, moved by how the level of the last day has changed since, ' +
    'by the mood of the hours before and by more visitors (up to four times); what two of those weeks or of the last three days had at that time is expected too'
  );
}
