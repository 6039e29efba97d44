/** Sentences that several answers share: counts and changes, and what to know about the data before trusting a number. */
import { duration, formatChange, formatCount } from '../../insight/numbers.ts';
import { summarise, type TimelineSummary } from '../../insight/summary.ts';
import type { Distribution, Timeline } from '../../insight/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { Host } from '../grammar/hosts.ts';
import type { Line } from './reply.ts';

/** ` on shop, blog`, or nothing when all hosts are meant. */
export function onHosts(hosts: readonly Host[]): string {
  if (hosts.length === 0) return '';
  const names = hosts.slice(0, 3).map(({ name }) => name);
  const more = hosts.length > names.length ? ` and ${hosts.length - names.length} more` : '';
  return ` on ${names.join(', ')}${more}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `requests +18 % (was 1,200)`; a percentage of zero would mean nothing. */
export function change(what: string, now: number, before: number): Line {
  if (before === 0) return [now === 0 ? `no ${what} then either` : `no ${what} then`];
  if (now === 0) return [`${what} `, { bold: 'down to none' }, ` (was ${formatCount(before)})`];
  return [`${what} `, { bold: formatChange(now, before) }, ` (was ${formatCount(before)})`];
}

/** The change of both numbers against an earlier window, or why it is not known. */
export function changeLine(
  now: { requests: number; attacks: number },
  before: { requests: number; attacks: number; intervals: number } | null,
  against: string,
): Line {
  if (before === null) return [`${against}: not known, the service did not answer for it.`];
  if (before.intervals === 0) return [`${against}: no data to compare with.`];
  return [
    `${against}: `,
    ...change('requests', now.requests, before.requests),
    ', ',
    ...change('attacks', now.attacks, before.attacks),
    '.',
  ];
}

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

/** For an answer from the cache, because the service does not answer now. */
export function staleNote(answer: Timeline | Distribution, now: Temporal.Instant): Line[] {
  if (!answer.stale) return [];
  const ageMs = Math.max(60_000, now.epochMilliseconds - answer.asOfMs);
  const age = duration(ageMs, { units: ['hour', 'minute'], rounding: 'whole', form: 'short' });
  return [['The service does not answer at the moment. These numbers were kept from ', { bold: `${age} ago` }, '.']];
}

/** Totals of windows of different length are hard to compare, so the reader is warned. */
export function lengthNote(a: Range, b: Range): Line[] {
  const length = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;
  const ratio = length(a) / length(b);
  // A clock change or an unfinished minute makes no difference worth a warning.
  if (ratio > 0.95 && ratio < 1.05) return [];
  return [['The two windows differ in length; compare shares rather than totals.']];
}
