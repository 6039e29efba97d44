/**
 * The types that grammar and resolver share. Ranges first, then what the grammar has understood of a phrase before it is
 * put on the calendar: one or two `RangeEnd`s. An end may lack what the other one says (`July 13-15`, `9:30-11:00 on
 * thursday`), so nothing is resolved while reading.
 */
import type { Span } from '../errors.ts';
import type { CalendarUnit, Unit } from './lexer/words.ts';

/** Half-open: `from` belongs to it, `to` does not. */
export interface Range {
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
}

/**
 * - `rolling`: a duration that ends now (`last 24h`)
 * - `calendar`: whole named units, cut at now (`today`, `last month`, `Q1 2025`, `monday morning`)
 * - `since`: from a moment until now (`since 9am`)
 * - `between`: two ends, both said (`9:30-11:00 on thursday`)
 * - `around`: half an hour each side of a moment (`around 14:30`)
 */
export type RangeKind = 'rolling' | 'calendar' | 'since' | 'between' | 'around';

export interface ParsedRange extends Range {
  readonly kind: RangeKind;
  /** IANA name or fixed offset the phrase was read in: the one it names, or else the asker's. */
  readonly zone: string;
  /** The phrase reached past now and was cut there. */
  readonly cut: boolean;
  /** The phrase with its misspelt words put right, where there were any. */
  readonly readAs?: string;
}

/** With the words it was asked in. */
export interface TypedRange extends ParsedRange {
  readonly typed: string;
}

/** From where a phrase is read. */
export interface TimeContext {
  readonly now: Temporal.Instant;
  /** IANA name or fixed offset `+HH:MM`. */
  readonly zone: string;
}

/** Whole days, `end` excluded. */
export interface CivilSpan {
  readonly start: Temporal.PlainDate;
  readonly end: Temporal.PlainDate;
}

/** From where ends are resolved: now in one zone. */
export interface Env {
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly today: Temporal.PlainDate;
  /** The days of a date that has begun by today, or null where there are none such. */
  readonly daysOf: (date: DateExpr) => CivilSpan | null;
}

export interface DateFields {
  readonly year?: number;
  readonly shortYear?: boolean;
  readonly half?: number;
  readonly quarter?: number;
  readonly month?: number;
  readonly week?: number;
  readonly day?: number;
  readonly weekday?: number;
}

/** A calendar unit that now decides, such as last week. */
export interface FixedUnit {
  readonly unit: CalendarUnit;
  /** Null where there are no such days. */
  readonly at: (env: Env) => CivilSpan | null;
}

/** Named fields, a fixed unit, or fields within a fixed unit (`monday of last week`). */
export interface DateExpr {
  readonly fields?: DateFields;
  readonly fixed?: FixedUnit;
  /** `last march` is not this one; `this march` is the one of this year. */
  readonly which?: 'last' | 'this';
  /** Only a part of it, or one of its edges. */
  readonly part?: 'start' | 'middle' | 'end';
  /** `end of day`: of the day that the other end names. */
  readonly dayEnd?: true;
  /** Picks something inside once the date is known: `second monday of …`. */
  readonly inside?: (span: CivilSpan) => CivilSpan | null;
}

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ns: number;
  readonly meridian?: 'am' | 'pm';
  /** Written so that only the 24-hour reading is meant: `09:30`, `22:00`, `noon`. */
  readonly sure: boolean;
  /** `noon`, `midnight`: says nothing about the half of the day of the other end. */
  readonly named?: true;
  /** Two digits and minutes (`10:00`): hardly ever meant after noon unless the other end says so. */
  readonly twoDigits?: true;
  /** Am and pm are settled and `hour` counts from midnight, beyond 24 into the next day. */
  readonly settled?: true;
  readonly span: Span;
}

export interface PartOfDay {
  readonly name: 'morning' | 'afternoon' | 'evening' | 'night';
  readonly from: number;
  readonly to: number;
}

/** An amount of time: `24h`, `2 quarters`, `1 day 2 hours`. */
export interface ParsedDuration {
  readonly amount: Temporal.DurationLike;
  /** Set where it is a single count of a single unit: `2 quarters`. */
  readonly count?: number;
  readonly unit?: Unit;
  /** Set where it is days and weeks and nothing else: `1 week 2 days`. */
  readonly wholeDays?: number;
  /** Has days or longer units, whose length the calendar decides. */
  readonly calendar: boolean;
  /** Why it cannot be answered, said only when the phrase turns out to use it. */
  readonly fault?: { readonly message: string; readonly suggestion?: string };
  /** Nothing at all, which date math may add: `-0d@d`. */
  readonly zero?: true;
}

export interface RangeEnd {
  readonly span: Span;
  readonly date?: DateExpr;
  readonly clock?: ClockTime;
  readonly part?: PartOfDay;
  /** IANA name, fixed offset, or `LOCAL_ZONE`. */
  readonly zone?: string;
  /** A number that may be an hour or a day, as the other end decides. */
  readonly number?: {
    readonly value: number;
    readonly ordinal: boolean;
    readonly digits: string;
    /** Said to be a time: `june 5 at 10`. */
    readonly isTime: boolean;
    /** An ordinal in words without its article: `first`. */
    readonly isLoose?: boolean;
  };
  /** Instants that do not need a date: epochs, date math, rolling durations. */
  readonly instants?: { readonly kind: RangeKind; readonly at: (env: Env) => Range };
  /** `N units ago`: a moment next to other moments, else a calendar unit. */
  readonly ago?: ParsedDuration;
  /** Date math, which alone begins a range that ends now. */
  readonly dateMath?: boolean;
  /** A duration that stands alone: `8h` next to `13h` is a clock time after all. */
  readonly duration?: ParsedDuration;
  /** Date and time are joined by a `T`. */
  readonly iso?: boolean;
  /** Lies in the future whatever now is: `tomorrow`, `next week`. */
  readonly future?: boolean;
}

/** A whole phrase, by its shape. */
export type RangePhrase = { readonly span: Span } & (
  | { readonly shape: 'single' | 'since' | 'after'; readonly end: RangeEnd }
  /** `margin` each side of a moment; half an hour if it is not said. */
  | { readonly shape: 'around'; readonly end: RangeEnd; readonly margin?: ParsedDuration }
  | {
      readonly shape: 'pair';
      readonly from: RangeEnd;
      readonly to: RangeEnd;
      /** A date said once for both. */
      readonly shared?: RangeEnd;
      /** `after … and before …`: the named units themselves are left out. */
      readonly after: boolean;
      readonly before: boolean;
      /** Only a dash joins them. */
      readonly dashed: boolean;
      /** `yesterday and today`: only what touches is one range. */
      readonly joined: boolean;
      /** `since 2h until 1h`: durations back from now, not hours of the clock. */
      readonly back: boolean;
      /** `since monday until 1pm`, `between monday and 1pm`: the end is a time of today, not of that day. */
      readonly since: boolean;
    }
  | {
      readonly shape: 'for' | 'until';
      readonly end: RangeEnd;
      readonly duration: ParsedDuration;
      readonly shared?: RangeEnd;
      /** A whole day will do: it begins where the duration begins (`2025-06-01/PT2H`), or ends where it ends. */
      readonly wholeDays?: boolean;
    }
  /** Has no beginning: `before 2010`. */
  | { readonly shape: 'open'; readonly end: RangeEnd }
  /** Lies ahead, or is a duration that points nowhere. */
  | { readonly shape: 'future' }
  | { readonly shape: 'duration'; readonly duration: ParsedDuration }
);

type WithoutSpan<Phrase> = Phrase extends Phrase ? Omit<Phrase, 'span'> : never;
/** A phrase before it is known where in the text it ends. */
export type RangeShape = WithoutSpan<RangePhrase>;

/** Rules that belong together, with what they make of examples: `phrase => from .. to`. */
export interface RuleGroup {
  readonly title: string;
  readonly about: string;
  readonly examples: string;
}
