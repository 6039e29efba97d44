/** Whether and when an event could be seen, by the weeks that the site might have had without it. */

import type { AddedEvent } from './add-events.ts';
import { HISTORY } from './columns.ts';
import { between, columnIn, type Measured, type Norm, runningSums, type Usual } from './norm.ts';
import type { Traffic } from './normal-traffic.ts';
import { mostOfStranger, type Site } from './site.ts';

/** All five weeks. */
export type Weeks = Omit<Traffic, 'crowds'>;

const WINDOWS = [15, 30, 60];
/** As a multiple of the median. */
const MIN_RISE = 1.3;
const MIN_ADDED = 3;
const MIN_LOST = 22;
/** The part of a window's distance from the median that the event has made, and not chance. */
const MIN_PART = 0.5;

/** The ends of the windows in which it could be seen, in minutes of the watched week; `times`: by who asks for what's rarer. */
export function endsSeen(event: AddedEvent, site: Site, norm: Norm, weeks: Weeks, without: Weeks, times = 1): number[] {
  const measured = measuredOf(event);
  const sums = runningSums(columnIn(weeks, measured), HISTORY);
  const sumsWithout = runningSums(columnIn(without, measured), HISTORY);
  // What is new must be more than a scanner that is strange but normal.
  const least = event.kind === 'new category' ? mostOfStranger(site) : MIN_ADDED;
  const isSeen = event.kind === 'attacks gone' || event.kind === 'visitors gone' ? isDrop : isRise;
  const ends: number[] = [];
  for (let end = event.from + 10; end < event.to; end += 10) ends.push(end);
  return [...ends, event.to].filter((end) =>
    WINDOWS.some((length) => {
      const count = between(sums, end - length, end);
      const countWithout = between(sumsWithout, end - length, end);
      return isSeen(count, countWithout, norm.usualAt(measured, end, length, times), least);
    }),
  );
}

function measuredOf({ kind, main }: AddedEvent): Measured {
  if (kind === 'visitors gone') return 'requests';
  return (kind === 'takeover' || kind === 'new category') && main !== null ? { category: main } : 'attacks';
}

function isRise(count: number, countWithout: number, { high, median }: Usual, least: number): boolean {
  const added = count - countWithout;
  return count > high && count >= MIN_RISE * median && added >= least && added >= MIN_PART * (count - median);
}

function isDrop(count: number, countWithout: number, { low, median }: Usual): boolean {
  const missing = median - count;
  return count < low && missing >= MIN_LOST && countWithout - count >= MIN_PART * missing;
}
