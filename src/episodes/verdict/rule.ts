/** The verdict's thresholds, all of them, and the rule in words, built from the same numbers. */
import { formatCount, formatShare } from '../../statistics/format.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';

/** Who asks decides how rare something must be to be called. */
export type Sensitivity = 'check' | 'sensitive' | 'normal' | 'quiet';

/** Strengths from which something is called, in answers (`check`) and by a watch. */
export const BARS: Readonly<Record<Sensitivity, number>> = { check: 1.1, sensitive: 1.7, normal: 1.95, quiet: 2.6 };

/** People's answers to the alerts of a watch move its bar. */
export const FEEDBACK = {
  /** By so much each: alerts become about twice as rare, or twice as frequent. */
  step: 0.3,
  /** So many steps away from the chosen setting, at most. */
  maxSteps: 3,
  /** No watch alerts on weaker ones. */
  least: 1.4,
} as const;

/** What is expected at a time of the day, by earlier weeks. */
export const EXPECTED = {
  /** The past is read in steps of this length, or of the service's intervals if these are longer. */
  stepMs: 10 * MINUTE_MS,
  /** A step with a smaller known share is unknown. */
  minKnown: 0.5,
  /** Each step of a week is smoothed with so many on either side. */
  smoothSteps: 3,
  /** The level of a day leaves out so many of its highest and lowest hours: an attack or an outage must not move it. */
  leftOutHours: 4,
  /** The level of a day may have changed by this factor; more is no level any more. */
  maxGrowth: 4,
  /** With fewer events a day, changes of the level are chance. */
  fewADay: 40,
} as const;

/** More visitors than expected raise what is expected of attacks. */
export const VISITORS = {
  /** Changes below this factor are everyday. */
  matterFrom: 1.15,
  /** More than this factor explains no more attacks. */
  max: 4,
  /** With fewer an hour, a ratio says little. */
  fewAnHour: 20,
  /** Visitors are compared over this time. */
  comparedMs: 10 * MINUTE_MS,
} as const;

/** What came at that time in two of the weeks is expected. */
export const REPETITION = {
  /** Up to so many steps early or late. */
  shifts: [-2, -1, 0, 1, 2],
  /** So many units of chance above the expected in two of the weeks are a repetition. */
  inTwo: 2,
  /** And so many in three of them. */
  inThree: 1,
  /** Silence in two of the weeks is expected, too, where so many events came in a step around it. */
  silentFrom: 3,
} as const;

/** How rare a stretch is, by how far stretches of its length strayed in the site's own four weeks. */
export const RARITY = {
  /** The lengths that are compared. */
  lengthsMs: [20 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS],
  /** What all lengths and positions in an hour are worth as independent tries. */
  tries: 3,
  /** The tail begins at what this part of the hours reaches. */
  tailShare: 0.1,
  /** Peaks nearer than this belong to one occasion. */
  apartHours: 2,
  /** So many of the largest peaks in a week may have been attacks: it only counts that they reach the next. */
  attacksAWeek: 3,
  /** A tail falls off no faster: in units of chance for a factor of e. */
  minSlope: 0.3,
  /** Beyond counting, relative to the square of the expected. */
  minSpread: 0.004,
  /** What is assumed about a site before it is known, and how many hours, stretches and peaks of it that is worth. */
  prior: { hours: 40, from: 2, stretches: 60, spread: 0.05, peaks: 8, slope: 0.6 },
} as const;

/** A rise. */
export const RISE = {
  /** So many times the expected. */
  ratio: 1.5,
  /** So many more attacks than expected. */
  excess: 8,
  /** And this part of a usual hour's attacks more. */
  hourShare: 0.2,
  /** It belongs together while it is above a level between the usual and itself: so steep is its foot, at least so high. */
  foot: { power: 0.75, min: 1.3 },
  /** A long one would move the level of the day. */
  longMs: 4 * HOUR_MS,
  /** So the level stays as it was when that began, for so many days. */
  heldDays: 3,
  /** So long a pause at the usual level separates two. */
  pauseMs: 20 * MINUTE_MS,
  /** It goes on if it stood out this recently. */
  recentMs: 10 * MINUTE_MS,
  /** It has become stronger when its strength grew by this. */
  minStep: 0.05,
  /** Its pace is counted over this time. */
  paceMs: 5 * MINUTE_MS,
  /** A new pace is recorded when it grew by this factor. */
  paceGrowth: 1.1,
} as const;

/** A surge: so many times the expected and so many more, within one of these times. */
export const SURGE = { ratio: 3, excess: 60, withinMs: [10 * MINUTE_MS, 15 * MINUTE_MS] } as const;

/** A category that is new or much busier than before. */
export const CATEGORY = {
  /** So many events in half a day. */
  minEvents: 10,
  /** And so many times as many as on any whole day before but one, which wasn't yesterday; to be reported, on any. */
  timesBusiest: 1.5,
  /** So many days are compared with. */
  days: 28,
  /** At least so many of them must be known. */
  minDays: 3,
  /** With less than this part of a usual hour's attacks, only answers and sensitive watches name it. */
  hourShare: 0.1,
  /** Five minutes belong to it with so many times the usual. */
  times: 2,
  /** And this part of what is enough. */
  inPiece: 0.02,
  /** What begins this near to a rise is a part of it. */
  withRiseMs: 30 * MINUTE_MS,
  /** A watch waits so long for a rise that explains it: what people were alerted to must not become a part of something else. */
  waitsMs: 5 * MINUTE_MS,
} as const;

/** A known category takes over in a quarter of an hour or in half an hour while all others together fall. */
export const TAKEOVER = {
  /** The times that are looked at. */
  lengthsMs: [15 * MINUTE_MS, 30 * MINUTE_MS],
  /** So many times what is usual of it. */
  times: 2.5,
  /** So many more events. */
  excess: 20,
  /** Weaker ones alert nobody: a burst of one category while few others come was wrong more often than right. */
  strength: 3,
  /** But they're named from this on, weaker by 1 if ten times as large as they must be. */
  namedFrom: 2.2,
  /** Looked for in parts, and in those hours of them, in which it has this part of an hour's events more than its share. */
  hourShare: 0.15,
  /** What is usual of it at an hour follows from so many earlier days and weeks: two of them must agree. */
  sameHours: { days: 1, weeks: 2 },
  /** It's reported from a little more on, so that it is still found when the part is over. */
  reportFrom: 1.1,
  /** The others must be fewer than is usual so long before, too: a scan that comes every week is expected, and of one category. */
  earlierMs: 2 * HOUR_MS,
} as const;

/** How categories are counted. */
export const MIX = {
  /** Half days are counted in parts of this length; where one may hold something its hours, and of those the pieces. */
  partMs: 6 * HOUR_MS,
  /** Findings begin and end with one of these. */
  pieceMs: 5 * MINUTE_MS,
  /** So long a pause separates two, and one goes on if it stood out this recently. */
  pauseMs: 30 * MINUTE_MS,
} as const;

/** Attacks that stop while visitors go on, and visitors who are gone: so many missing for so long, with this share of the expected left. */
export const DROPS = {
  /** To be named in an answer. */
  check: {
    attacks: { missing: 22, forMs: 15 * MINUTE_MS, left: 0.1 },
    requests: { missing: 60, forMs: 8 * MINUTE_MS, left: 0.1 },
  },
  /** To alert. */
  watch: {
    attacks: { missing: 40, forMs: 20 * MINUTE_MS, left: 0.05 },
    requests: { missing: 100, forMs: 10 * MINUTE_MS, left: 0.1 },
  },
  /** Visitors go on with this share of those expected. */
  visitorsGoOn: 0.5,
  /** It begins and ends where the sum of this share of the expected, less what came, is largest. */
  between: 0.3,
  /** So much time at the usual rate separates two. */
  apartMs: 15 * MINUTE_MS,
  /** It goes on while this much at the end is below `between`. */
  latestMs: 5 * MINUTE_MS,
  /** No sensitivity hides that something has stopped. */
  strength: 9,
} as const;

/** How a window is described. */
export const RULE = {
  /** The time before the window that is requested with it. */
  trailingMs: 6 * HOUR_MS,
  /** A smaller known share of the window is not enough to judge it by. */
  minKnown: 0.34,
  /** A window of this length is its own past as well. */
  longMs: DAY_MS,
  /** From so many times the expected on, there are more visitors than usual. */
  manyVisitors: 1.3,
  /** They explain the attacks if these are no more than so many times the expected. */
  aLittle: 1.1,
  /** Nine in ten normal windows and intervals lie within so many units of chance. */
  nineInTen: 1.645,
  /** A smaller known share is mentioned. */
  complete: 0.9,
  /** A shorter past is mentioned. */
  enoughPastMs: 8 * DAY_MS,
} as const;

/** The chance that a strength stands for: `about once in 200 hours`. */
export function chanceInWords(strength: number): string {
  const hours = 10 ** strength;
  const rounded = hours < 10 ? Math.max(1, Math.round(hours)) : Number(hours.toPrecision(2));
  return hours > 10_000 ? 'less than once in 10,000 hours' : `about once in ${formatCount(rounded)} hours`;
}

/** The rule in words, from its own numbers. */
export function ruleInWords(): string {
  return [
    `A rise: ${RISE.ratio}× the expected and ${RISE.excess} extra attacks, rarer than ${chanceInWords(BARS.check).replace('about ', '')}.`,
    `A surge: ${SURGE.ratio}× and ${SURGE.excess} extra within 15 minutes.`,
    `A category: ${CATEGORY.minEvents} events in half a day and ${CATEGORY.timesBusiest}× any day but one of 4 weeks, or ${TAKEOVER.times}× for 15 minutes while others fall.`,
    `A drop: at most ${formatShare(DROPS.check.attacks.left)} of usual attacks or visitors.`,
  ].join(' ');
}
