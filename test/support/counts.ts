/** How many cases a test tries: all of them in `npm run verify`, a few in `npm test`. */

/** Set by `vitest run --mode long`. */
const isLong = process.env.LONG === 'yes';

/** The cases of a table: all of them in the long run, otherwise those that `few` picks. */
export const casesOf = <T>(all: readonly T[], few: (each: T) => boolean): readonly T[] =>
  isLong ? all : all.filter(few);

/** `all` in the long run, otherwise `few`: a tenth, but at least ten. */
export const count = (all: number, few: number = Math.min(all, Math.max(10, Math.ceil(all / 10)))): number =>
  isLong ? all : few;
