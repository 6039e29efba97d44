/**
 * Dates written in digits. ISO 8601 (calendar, week, ordinal and basic forms), month/day/year with slashes or hyphens,
 * day.month.year with dots. Values are not checked here: an impossible date is a date all the same, and is refused
 * later with its place in the text.
 */
export interface WrittenDate {
  readonly year?: number;
  /** Two digits were typed for the year. */
  readonly shortYear?: boolean;
  readonly month?: number;
  readonly day?: number;
  readonly week?: number;
  readonly weekday?: number;
  readonly dayOfYear?: number;
}

type Form = readonly [pattern: RegExp, read: (n: readonly number[], text: readonly string[]) => WrittenDate];

const shortYear = (text: string | undefined): { shortYear?: boolean } =>
  text?.length === 2 ? { shortYear: true } : {};
const at = (n: readonly number[], index: number): number => n[index] ?? Number.NaN;

// The first form that fits wins; each ends where no digit follows, so that `2014-2018` stays two years.
const FORMS: readonly Form[] = [
  [
    /(\d{4})-?w(\d{2})(?:-?([1-7]))?(?![\d])/y,
    (n, t) => ({ year: at(n, 1), week: at(n, 2), ...(t[3] ? { weekday: at(n, 3) } : {}) }),
  ],
  [/(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y, (n) => ({ year: at(n, 1), month: at(n, 3), day: at(n, 4) })],
  [
    /(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/y,
    (n, t) => ({ month: at(n, 1), day: at(n, 3), year: at(n, 4), ...shortYear(t[4]) }),
  ],
  [/(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]*\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2), year: at(n, 3) })],
  [
    /(\d{2})\.(\d{2})\.(\d{2})(?![\d.:]*\d)/y,
    (n) => ({ day: at(n, 1), month: at(n, 2), year: at(n, 3), shortYear: true }),
  ],
  // `5.8.`, `16.08.`: the last dot tells it from a time of day, and a single digit in front from `9.05` at a full stop.
  [/(\d{1,2})\.(\d)\.(?!\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2) })],
  [/(\d{2})\.(0\d|1[0-2])\.(?!\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2) })],
  [/(\d{4})-(\d{3})(?![\d-])/y, (n) => ({ year: at(n, 1), dayOfYear: at(n, 2) })],
  [/((?:19|20)\d{2})-(\d{1,2})(?![\d:]|-\d|\s*[ap]\.?m)/y, (n) => ({ year: at(n, 1), month: at(n, 2) })],
  [/((?:19|20)\d{2})\/(\d{1,2})(?![\d:/])/y, (n) => ({ year: at(n, 1), month: at(n, 2) })],
  [/(\d{1,2})\/((?:19|20)\d{2})(?![\d/])/y, (n) => ({ month: at(n, 1), year: at(n, 2) })],
  [/(\d{1,2})\/(\d{1,2})(?![\d/])/y, (n) => ({ month: at(n, 1), day: at(n, 2) })],
  [/((?:19|20)\d{2})(0\d|1[0-2])([0-2]\d|3[01])(?!\d)/y, (n) => ({ year: at(n, 1), month: at(n, 2), day: at(n, 3) })],
];

/** Most numbers are turned away by what follows their digits. */
const MAY_BE_DATE = /^(?:\d{1,4}[-/.w]|\d{8}(?!\d))/;
const LOOK_AHEAD = 9;

export function lexDate(text: string, start: number): { date: WrittenDate; length: number } | null {
  if (!MAY_BE_DATE.test(text.slice(start, start + LOOK_AHEAD))) return null;
  for (const [pattern, read] of FORMS) {
    pattern.lastIndex = start;
    const found = pattern.exec(text);
    if (found) return { date: read(found.map(Number), found), length: found[0].length };
  }
  return null;
}
