/** Sentences that several answers share: counts and changes, and what to know about the data before trusting a number. */
import { subjectLine } from '../../charts/spec/index.ts';
import { duration, formatChange, formatCount } from '../../insight/format.ts';
import { summarise, type TimelineSummary } from '../../insight/summary.ts';
import type { Distribution, Timeline } from '../../insight/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { Host } from '../grammar/hosts.ts';
import type { Line, Subject } from './reply.ts';

/** ` on shop, blog`, or nothing when all hosts are meant. */
export function onHosts(hosts: readonly Host[]): string {
  if (hosts.length === 0) return '';
  const names = hosts.slice(0, 3).map(({ name }) => name);
  const more = hosts.length > names.length ? ` and ${hosts.length - names.length} more` : '';
  return ` on ${names.join(', ')}${more}`;
}

/** `all hosts · Tue 10 Mar 14:30–15:30 · Europe/Stockholm (UTC+1)`, as below the title of a chart. */
export function subjectWords({ hosts, range: { from, to }, zone }: Subject): string {
  const window = { fromMs: from.epochMilliseconds, toMs: to.epochMilliseconds };
  return subjectLine({ hosts: hosts.map(({ name }) => name), window: null, zone }, window);
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `requests +18 % (was 1,200)`; a percentage of zero would mean nothing. `null` is a number that was not given. */
export function change(what: string, now: number | null, before: number | null): Line {
  if (now === null || before === null) return [`${what} not known`];
  if (before === 0) return [now === 0 ? `no ${what} then either` : `no ${what} then`];
  if (now === 0) return [`${what} `, { bold: 'down to none' }, ` (was ${formatCount(before)})`];
  return [`${what} `, { bold: formatChange(now, before) }, ` (was ${formatCount(before)})`];
}

/** The change of both numbers against an earlier window, or why it is not known. */
export function changeLine(
  now: Pick<TimelineSummary, 'requests' | 'attacks'>,
  before: Pick<TimelineSummary, 'requests' | 'attacks' | 'intervals'> | null,
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
  const notes = summary.intervals === 0 ? [] : notGiven(summary);
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

/** A series that the service left out altogether is unknown; nobody may read that as none. */
export function notGiven({ requests, attacks }: Pick<TimelineSummary, 'requests' | 'attacks'>): Line[] {
  const line = (what: string): Line => [
    `The service gave no numbers of ${what} for this window, which is not the same as zero.`,
  ];
  return [...(requests === null ? [line('requests')] : []), ...(attacks === null ? [line('attacks')] : [])];
}

type Dated = Pick<Timeline | Distribution, 'stale' | 'asOfMs'> | null;

/** How old the oldest answer from the cache is; `null` where the service gave them all. */
function ageInWords(answers: readonly Dated[], now: Temporal.Instant): string | null {
  const asOf = answers.flatMap((answer) => (answer?.stale === true ? [answer.asOfMs] : []));
  if (asOf.length === 0) return null;
  const ageMs = Math.max(60_000, now.epochMilliseconds - Math.min(...asOf));
  return duration(ageMs, { units: ['hour', 'minute'], rounding: 'whole', form: 'short' });
}

/** For answers from the cache, because the service does not answer now. */
export function staleNote(answers: readonly Dated[], now: Temporal.Instant): Line[] {
  const age = ageInWords(answers, now);
  if (age === null) return [];
  return [['The service does not answer at the moment. These numbers were kept from ', { bold: `${age} ago` }, '.']];
}

/** The sentence with the numbers, with their age where they are old: a notification shows no note. */
export function withAge(headline: Line, answers: readonly Dated[], now: Temporal.Instant): Line {
  const age = ageInWords(answers, now);
  return age === null ? headline : [...headline, ` As of ${age} ago.`];
}

/** Totals of windows of different length are hard to compare, so the reader is warned. */
export function lengthNote(a: Range, b: Range): Line[] {
  const length = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;
  const ratio = length(a) / length(b);
  // A clock change or an unfinished minute makes no difference worth a warning.
  if (ratio > 0.95 && ratio < 1.05) return [];
  return [['The two windows differ in length; compare shares rather than totals.']];
}

/** A line as plain text, for notifications, logs and surfaces without markup. */
export function plainText(line: Line = []): string {
  return line
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if ('bold' in piece) return piece.bold;
      if ('italic' in piece) return piece.italic;
      if ('code' in piece) return piece.code;
      if ('user' in piece) return `@${piece.user}`;
      if ('channel' in piece) return `#${piece.channel}`;
      return plainInstant(piece.instant, piece.zone);
    })
    .join('');
}

/** `2026-03-01 14:00 Europe/Berlin` */
export function plainInstant(instant: Temporal.Instant, zone: string): string {
  const at = instant.toZonedDateTimeISO(zone);
  return `${at.toPlainDate()} ${at.toPlainTime().toString({ smallestUnit: 'minute' })} ${zone}`;
}
