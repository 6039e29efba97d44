/** What a reader must know about the data before trusting a number. */
import { formatCount } from '../../insight/numbers.ts';
import { summarise, type TimelineSummary } from '../../insight/summary.ts';
import type { Distribution, Timeline } from '../../insight/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { Line } from './reply.ts';

export function timelineNotes(timeline: Timeline, summary: TimelineSummary = summarise(timeline)): Line[] {
  const notes: Line[] = [];
  if (summary.unsettled > 0) {
    const last = summary.unsettled === 1 ? 'The last interval is' : `The last ${summary.unsettled} intervals are`;
    notes.push([`${last} still filling: attacks take a few minutes to be logged.`]);
  }
  if (summary.missing > 0) {
    const which = summary.missing === 1 ? '1 interval is' : `${formatCount(summary.missing)} intervals are`;
    notes.push([`${which} missing: the service gave no number there, which is not the same as zero.`]);
  }
  return notes;
}

/** For an answer that was kept from before, because the service does not answer now. */
export function staleNote(answer: Timeline | Distribution, now: Temporal.Instant): Line[] {
  if (!answer.stale) return [];
  const minutes = Math.max(1, Math.round((now.epochMilliseconds - answer.asOfMs) / 60_000));
  const age = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return [['The service does not answer at the moment. These numbers were kept from ', { bold: `${age} ago` }, '.']];
}

/** Windows of different length have totals that say little side by side; the reader is told. */
export function lengthNote(a: Range, b: Range): Line[] {
  const length = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;
  const ratio = length(a) / length(b);
  // A clock change, or a minute that is not over, makes no difference worth telling.
  if (ratio > 0.95 && ratio < 1.05) return [];
  return [['The two windows differ in length; compare shares rather than totals.']];
}
