/** Types of grammar and resolver. An end may lack what the other says (`July 13-15`), so parsing resolves nothing. */
import type { Span } from '../errors.ts';

export type CalendarUnit = 'day' | 'week' | 'fortnight' | 'month' | 'quarter' | 'half' | 'year' | 'decade' | 'weekend';
type ElapsedUnit = 'second' | 'minute' | 'hour';
export type Unit = CalendarUnit | ElapsedUnit;

/** Half-open: includes `from`, excludes `to`. */
export interface Range {
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
}

/**
 * - `rolling`: a duration that ends now (`last 24h`)
 * - `calendar`: whole named units, cut at now (`today`, `last month`, `Q1 2025`, `monday morning`)
 * - `since`: from a moment until now (`since 9am`)
 * - `between`: two named ends (`9:30-11:00 on thursday`)
 * - `around`: half an hour each side of a moment (`around 14:30`)
 */
type RangeKind = 'rolling' | 'calendar' | 'since' | 'between' | 'around';

export interface ParsedRange extends Range {
  readonly kind: RangeKind;
  /** IANA name or fixed offset: the one the phrase names, otherwise the asker's. */
  readonly zone: string;
  /** The phrase reached past now and was cut there. */
  readonly cut: boolean;
  /** The phrase with its spelling corrected, if it was misspelled. */
  readonly readAs?: string;
}

/** A range with the words that were typed for it. */
export interface TypedRange extends ParsedRange {
  readonly typed: string;
}

export interface TimeContext {
  readonly now: Temporal.Instant;
  /** IANA name or fixed offset `+HH:MM`. */
  readonly zone: string;
  /** The window that `the week before` and `same time last week` are relative to. */
  readonly previous?: Range | undefined;
}

export type TokenKind =
  | { readonly type: 'word' | 'mark' }
  | { readonly type: 'number'; readonly value: number; readonly ordinal: boolean }
  | { readonly type: 'date'; readonly date: DateFields }
  | ({ readonly type: 'clock' } & Pick<ClockTime, 'hour' | 'minute' | 'second' | 'ns'>)
  | { readonly type: 'span'; readonly duration: Temporal.Duration }
  | { readonly type: 'zone'; readonly zone: string };

/** Its text is in lower case, with plain punctuation; `spaced`: preceded by a space. */
export type TimeToken = TokenKind & Span & { readonly text: string; readonly spaced: boolean };

/** Whole days, `end` excluded. */
export interface CivilSpan {
  readonly start: Temporal.PlainDate;
  readonly end: Temporal.PlainDate;
}

/** Now in one zone, which ends are resolved against. */
export interface Env {
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly today: Temporal.PlainDate;
  readonly previous: Range | undefined;
  /** The latest such days starting by today, or `null` if there are none. */
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

/** A calendar unit relative to now, such as last week. */
export interface FixedUnit {
  readonly unit: CalendarUnit;
  /** `null` if there are no such days. */
  readonly at: (env: Env) => CivilSpan | null;
}

/** Named fields, a fixed unit, or fields within a fixed unit (`monday of last week`). */
export interface DateExpr {
  readonly fields?: DateFields;
  readonly fixed?: FixedUnit;
  /** `last march` is not this one; `this march` is the one of this year. */
  readonly which?: 'last' | 'this';
  /** Only part of it, or one of its edges. */
  readonly part?: 'start' | 'middle' | 'end' | 'early' | 'late';
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
  /** Can only be the 24-hour reading: `09:30`, `22:00`. */
  readonly sure: boolean;
  /** `noon`, `midnight`: says nothing about am or pm of the other end. */
  readonly named?: true;
  /** Two digits and minutes (`10:00`): rarely means pm unless the other end says so. */
  readonly twoDigits?: true;
  /** Am or pm is resolved: `hour` counts from midnight, beyond 24 into the next day. */
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
  /** Set for a single count of a single unit: `2 quarters`. */
  readonly count?: number;
  readonly unit?: Unit;
  /** Set if it consists only of days and weeks: `1 week 2 days`. */
  readonly wholeDays?: number;
  /** Has days or longer units, whose length depends on the calendar. */
  readonly calendar: boolean;
  /** Why it can't be answered; reported only if the phrase uses it. */
  readonly fault?: { readonly message: string; readonly suggestion?: string };
  /** Zero length, which date math allows: `-0d@d`. */
  readonly zero?: true;
}

export interface RangeEnd {
  readonly span: Span;
  readonly typed?: string;
  readonly date?: DateExpr;
  readonly clock?: ClockTime;
  readonly part?: PartOfDay;
  /** IANA name, fixed offset, or `LOCAL_ZONE`. */
  readonly zone?: string;
  /** A number that may be an hour or a day; the other end decides. */
  readonly number?: {
    readonly value: number;
    readonly ordinal: boolean;
    readonly digits: string;
    /** Marked as a time: `june 5 at 10`. */
    readonly isTime: boolean;
    /** An ordinal in words without its article: `first`. */
    readonly isLoose?: boolean;
  };
  /** Instants that do not need a date: epochs, date math, rolling durations. */
  readonly instants?: { readonly kind: RangeKind; readonly at: (env: Env) => Range };
  /** `N units ago`: a moment next to other moments, else a calendar unit. */
  readonly ago?: ParsedDuration;
  /** Date math, which on its own starts a range that ends now. */
  readonly dateMath?: boolean;
  /** A duration on its own; `8h` next to `13h` turns out to be a clock time. */
  readonly duration?: ParsedDuration;
  /** Date and time are joined by a `T`. */
  readonly iso?: boolean;
}

export interface PairShape {
  readonly shape: 'pair';
  readonly from: RangeEnd;
  readonly to: RangeEnd;
  /** A date named once for both. */
  readonly shared?: RangeEnd;
  /** `after … and before …`: excludes the named units themselves. */
  readonly after: boolean;
  readonly before: boolean;
  /** Only a dash or slash joins them. */
  readonly dashed: boolean;
  /** `yesterday and today`: one range only if they are adjacent. */
  readonly joined: boolean;
  /** `since 2h until 1h`: durations back from now, not hours of the clock. */
  readonly back: boolean;
  /** `since monday until 1pm`, `between monday and 1pm`: the end is a time of today, not of that day. */
  readonly since: boolean;
}

/** A whole phrase, by its shape. */
export type RangeShape =
  | { readonly shape: 'single' | 'since' | 'after'; readonly end: RangeEnd }
  /** `margin` on each side of a moment; half an hour by default. */
  | { readonly shape: 'around'; readonly end: RangeEnd; readonly margin?: ParsedDuration }
  | PairShape
  | {
      readonly shape: 'for' | 'until';
      readonly end: RangeEnd;
      readonly duration: ParsedDuration;
      readonly shared?: RangeEnd;
      /** A whole day is allowed: the duration starts at its start (`2025-06-01/PT2H`) or ends at its end. */
      readonly wholeDays?: boolean;
    }
  /** Has no start: `before 2010`. */
  | { readonly shape: 'open'; readonly end: RangeEnd }
  /** In the future, or a duration without a start. */
  | { readonly shape: 'future' }
  | { readonly shape: 'duration'; readonly suggestion: string };

export type RangePhrase = RangeShape & { readonly span: Span };

/** A group of rules with examples (`phrase => from .. to`), from which docs and tests are generated. */
export interface RuleGroup {
  readonly title: string;
  readonly about: string;
  readonly examples: string;
}
