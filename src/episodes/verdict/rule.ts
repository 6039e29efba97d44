/** Every threshold of the verdict. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';

/** How rare something must be to be reported depends on who asks: an answer (`check`), or a watch. */
export type Sensitivity = 'check' | 'sensitive' | 'normal' | 'quiet';

/** How strong something must be for an answer (`check`) or a watch to report it. 2 is once in 100 hours, 3 once in 1,000. */
export const BARS: Readonly<Record<Sensitivity, number>> = { check: 1.1, sensitive: 1.7, normal: 1.9, quiet: 2.6 };

/** Feedback on an alert moves the bar of that watch. */
export const FEEDBACK = {
  /** How far each piece of feedback moves it: about twice as many alerts, or half as many. */
  step: 0.3,
  /** The furthest it can move from its setting, in steps. */
  maxSteps: 3,
  /** The lowest bar that a watch can have. */
  least: 1.4,
} as const;

/** How many attacks are expected, from the same time in earlier weeks. */
export const EXPECTED = {
  /** The past is read in steps of this length, or in the service's intervals if they are longer. */
  stepMs: 10 * MINUTE_MS,
  /** A step counts as unknown if less of it is known. */
  minKnown: 0.5,
  /** Each step is averaged with this many on either side. */
  smoothSteps: 3,
  /** The level is never taken to have grown or shrunk by more than this factor. */
  maxGrowth: 4,
  /** With fewer events a day, a change of the level is mostly chance. */
  fewADay: 40,
} as const;

/** More visitors than expected raise the number of attacks that is expected. */
export const VISITORS = {
  /** Smaller increases are ignored. */
  matterFrom: 1.15,
  /** They raise it by this factor at most. */
  max: 4,
  /** With fewer an hour, a ratio says little. */
  fewAnHour: 20,
  /** How many minutes of visitors are compared. */
  comparedMs: 10 * MINUTE_MS,
} as const;

/** What happened at this time in two of the four weeks before is expected. */
export const REPETITION = {
  /** It may have come this many steps earlier or later. */
  shifts: [-2, -1, 0, 1, 2],
  /** How far above the expected it must have been, in standard deviations, in two weeks. */
  inTwo: 2,
  /** The same, in three weeks. */
  inThree: 1,
  /** Silence is expected too, if two weeks had it between steps with this many events. */
  silentFrom: 3,
} as const;

/** How rare a stretch of time is, by how far those of its length deviated in the site's own four weeks. */
export const RARITY = {
  /** The lengths compared. */
  lengthsMs: [20 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS],
  /** How many independent chances to stand out all lengths have in an hour, taken together. */
  tries: 3,
  /** The tail is fitted to this share of the hours, those that deviate most. */
  tailShare: 0.1,
  /** Peaks closer together than this count once. */
  apartHours: 2,
  /** This many of the largest peaks a week may have been attacks: each is cut to the height of the next. What was reached more often is as rare as that. */
  attacksAWeek: 2,
  /** What is assumed of a site that isn't known yet, and how many hours, stretches and peaks that assumption is worth. */
  prior: { hours: 40, from: 2, stretches: 60, spread: 0.05, peaks: 8, slope: 0.6 },
} as const;

/** More attacks than expected. */
export const RISE = {
  /** At least this many times the expected. */
  ratio: 1.5,
  /** At least this many more than expected. */
  excess: 8,
  /** At least this share of a usual hour's attacks more. */
  hourShare: 0.2,
  /** In a stretch at least so many count as expected: of nothing, nothing is a multiple. */
  leastUsual: 0.5,
  /** It begins and ends at a level between the usual and its height: its ratio to this power, and at least `min`. */
  foot: { power: 0.75, min: 1.3 },
  /** During a longer one, the level stays as it was before. */
  longMs: 4 * HOUR_MS,
  /** For this many days at most. */
  heldDays: 3,
  /** A pause of this length at the usual level separates two. */
  pauseMs: 20 * MINUTE_MS,
  /** It's ongoing if it stood out this recently. */
  recentMs: 10 * MINUTE_MS,
  /** A new strength is recorded when it has grown by this much. */
  minStep: 0.05,
  /** Its pace is measured over this time. */
  paceMs: 5 * MINUTE_MS,
  /** A new pace is recorded when it has grown by this factor. */
  paceGrowth: 1.1,
} as const;

/** A surge: at least this many times the expected and this many more, within one of these times. */
export const SURGE = { ratio: 3, excess: 60, withinMs: [10 * MINUTE_MS, 15 * MINUTE_MS] } as const;

/** A category that is new or much busier than before. */
export const CATEGORY = {
  /** At least this many events in half a day. */
  minEvents: 10,
  /** And this many times as many as on its second busiest day, or yesterday if that was busier. */
  timesBusiest: 1.5,
  /** The number of days compared. */
  days: 28,
  /** The number of days that must be known. */
  minDays: 3,
  /** With fewer events than this share of a usual hour's attacks, only answers and sensitive watches report it. */
  hourShare: 0.1,
  /** Five minutes belong to it if they have this many times its usual number; a takeover needs it, too. */
  times: 2,
  /** And if they have this share of the events that are enough. */
  inPiece: 0.02,
  /** After so many days of it, it's usual. */
  followedDays: 1,
  /** If it begins this close to a rise, it's a part of that. */
  withRiseMs: 30 * MINUTE_MS,
  /** A watch waits this long for such a rise, so that nothing it has reported becomes a part of something else. */
  waitsMs: 5 * MINUTE_MS,
} as const;

/** A known category takes over while all others together fall. */
export const TAKEOVER = {
  /** The lengths compared. */
  lengthsMs: [15 * MINUTE_MS, 30 * MINUTE_MS],
  /** At least this many times its usual ratio to all others. */
  times: 4,
  /** Every watch reports it from this strength on. Answers and sensitive watches also report weaker ones, from `BARS.sensitive` on. */
  strength: 3,
  /** A weaker one that lasts this long is reported by watches at normal, too. */
  longMs: 45 * MINUTE_MS,
  /** It's looked for in hours in which a category exceeds its usual share by this share of an hour's attacks. */
  hourShare: 0.2,
  /** And by this many events. */
  excess: 20,
  /** Its usual share at an hour is the second largest on this many days and weeks before. */
  sameHours: { days: 1, weeks: 2 },
  /** The others must also be fewer than they were in this time before the hour in which it began: on a holiday all are fewer than usual. */
  beforeMs: 2 * HOUR_MS,
} as const;

/** How categories are counted. */
export const MIX = {
  /** Hours are counted in pieces of this length where one may hold something: findings begin and end with one. */
  pieceMs: 5 * MINUTE_MS,
  /** A pause of this length separates two, and one is ongoing if it stood out this recently. */
  pauseMs: 30 * MINUTE_MS,
  /** Slow ones may pause for as long as this many of their events take, and for `longestPauseMs` at most. */
  pauseEvents: 6,
  longestPauseMs: 3 * HOUR_MS,
} as const;

/** Attacks that stop while visitors keep coming, and visitors who stop coming: for how long, of how many expected, and what share of these may be left. */
export const DROPS = {
  /** To be reported in an answer. */
  check: {
    attacks: { expected: 22, forMs: 15 * MINUTE_MS, left: 0.1 },
    requests: { expected: 60, forMs: 8 * MINUTE_MS, left: 0.1 },
  },
  /** To be reported by a watch. */
  watch: {
    attacks: { expected: 40, forMs: 20 * MINUTE_MS, left: 0.05 },
    requests: { expected: 100, forMs: 10 * MINUTE_MS, left: 0.1 },
  },
  /** Visitors keep coming if there's at least this share of those expected. */
  visitorsGoOn: 0.5,
  /** It begins and ends where counts cross this share of the expected. */
  edgeShare: 0.3,
  /** This much time at the usual rate separates two. */
  apartMs: 15 * MINUTE_MS,
  /** And more events than these above what may be left: at night, a single one doesn't mean that they're back. */
  strays: 3,
  /** It's ongoing while the latest minutes, this many, are below `edgeShare`. */
  latestMs: 5 * MINUTE_MS,
  /** After so many days of it, few are usual: all weeks that it's compared with are of it. */
  heldDays: 28,
  /** Every watch reports a drop, whatever its sensitivity. */
  strength: 9,
} as const;

/** How a window is described. */
export const RULE = {
  /** The time before the window that is requested with it. */
  trailingMs: 6 * HOUR_MS,
  /** A window isn't judged if less of it is known. */
  minKnown: 0.34,
  /** A window of this length or more is its own past as well. */
  longMs: DAY_MS,
  /** From this many times the expected on, there are more visitors than usual. */
  manyVisitors: 1.3,
  /** They explain the attacks if these are at most this many times what is expected with them. */
  aLittle: 1.1,
  /** Nine in ten normal windows and intervals lie within this many standard deviations. */
  nineInTen: 1.645,
  /** If less of the window is known, the answer says so. */
  complete: 0.9,
  /** If the past is shorter, the answer says so. */
  enoughPastMs: 8 * DAY_MS,
} as const;
