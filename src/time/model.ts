/**
 * What the grammar has understood before it is placed on the calendar. A phrase is one or two `End`s; an end may lack
 * what the other one says (`July 13-15`, `9:30-11:00 on thursday`), so nothing is resolved while reading.
 */
import type { Span } from '../errors.ts';
import type { Length } from './length.ts';
import type { RangeKind } from './parsed-range.ts';
import type { CalendarUnit } from './vocabulary.ts';

/** Whole days, `end` excluded. */
export interface CivilSpan {
  readonly start: Temporal.PlainDate;
  readonly end: Temporal.PlainDate;
}

/** From where ends are placed: now in one zone. */
export interface Env {
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly local: Temporal.ZonedDateTime;
  readonly today: Temporal.PlainDate;
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
  readonly dayOfYear?: number;
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
  /** Picks something inside once the date is known: `second monday of …`. */
  readonly inside?: (span: CivilSpan) => CivilSpan | null;
}

export interface Clock {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ns: number;
  readonly meridian?: 'am' | 'pm';
  /** Written so that only the 24-hour reading is meant: `09:30`, `22:00`, `noon`. */
  readonly sure: boolean;
  /** Am and pm are settled and `hour` counts from midnight, beyond 24 into the next day. */
  readonly settled?: true;
  readonly span: Span;
}

export interface PartOfDay {
  readonly name: 'morning' | 'afternoon' | 'evening' | 'night';
  readonly from: number;
  readonly to: number;
}

/** Instants that do not need a date: epochs, date math, rolling lengths. */
export interface Stretch {
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
}

export interface End {
  readonly span: Span;
  readonly date?: DateExpr;
  readonly clock?: Clock;
  readonly part?: PartOfDay;
  readonly zone?: string;
  /** A number that may be an hour or a day, as the other end decides. */
  readonly number?: {
    readonly value: number;
    readonly ordinal: boolean;
    readonly digits: string;
    /** Said to be a time: `june 5 at 10`. */
    readonly isTime: boolean;
  };
  readonly stretch?: { readonly kind: RangeKind; readonly at: (env: Env) => Stretch };
  /** `N units ago`: a moment next to other moments, else a calendar unit. */
  readonly ago?: Length;
  /** Date math, which alone begins a range that ends now. */
  readonly math?: boolean;
  /** A length that stands alone: `8h` next to `13h` is a clock time after all. */
  readonly plain?: Length;
  /** Date and time are joined by a `T`. */
  readonly iso?: boolean;
  /** Lies ahead whatever now is: `tomorrow`, `next week`. */
  readonly ahead?: boolean;
}
