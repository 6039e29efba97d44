/** How many cases a test tries: few in `npm test`, many in `npm run verify`, and all with `CASES=all`, as every night. */

/** Set by `vitest run --mode long`. */
const isLong = process.env.LONG === 'yes';
const isAll = process.env.CASES === 'all';

/** The cases of a table: all of them in the long run, otherwise those that `few` picks. */
export const casesOf = <T>(all: readonly T[], few: (each: T) => boolean): readonly T[] =>
  isLong ? all : all.filter(few);

/** `few` is a tenth unless it is given, but at least ten. */
export const count = (
  all: number,
  few: number = Math.min(all, Math.max(10, Math.ceil(all / 10))),
  many: number = all,
): number => (isAll ? all : isLong ? many : few);
