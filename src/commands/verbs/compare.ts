/** `compare`: two windows side by side, what is new or grew first. */
import { timelineChart } from '../../charts/spec/index.ts';
import { categoryName } from '../../insight/categories.ts';
import { formatChange, formatCount, formatShare } from '../../insight/format.ts';
import {
  bucketFor,
  type CategoryRow,
  rankCategories,
  rebucket,
  summarise,
  type TimelineSummary,
} from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import { describeRange, type Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { categoriesCsv } from '../replies/csv.ts';
import { csvAction, periodBefore, threadAction } from '../replies/follow-ups.ts';
import { counted, lengthNote, onHosts, staleNote, timelineNotes, withAge } from '../replies/phrases.ts';
import type { Line, Reply, Table } from '../replies/reply.ts';

export async function answerCompare(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const versus = sentence.versus === null || sentence.versus === 'previous' ? periodBefore(range) : sentence.versus;
  const ids = hosts.map(({ id }) => id);
  const query = (window: Range) => ({ range: window, hosts: ids, zone });
  const [timeline, before, distribution, distributionBefore] = await Promise.all([
    deps.statistics.timeline(query(range)),
    deps.statistics.timeline(query(versus)),
    deps.statistics.distribution(query(range)),
    deps.statistics.distribution(query(versus)),
  ]);
  const a = summarise(timeline);
  const b = summarise(before);
  const rows = newAndGrownFirst(rankCategories(distribution, distributionBefore));
  const title = `Comparison${onHosts(hosts)}`;
  const names = [describeRange(range, { now, zone }), describeRange(versus, { now, zone })] as const;
  const answers = [timeline, before, distribution, distributionBefore];
  const notes = [...staleNote(answers, now), ...timelineNotes(timeline, a), ...lengthNote(range, versus)];
  return {
    title,
    headline: withAge(headline(a, b), answers, now),
    subject: { hosts, range, zone },
    body: [[{ bold: 'This window: ' }, names[0]], [{ bold: 'Compared with: ' }, names[1]], ...fresh(rows)],
    ...(a.intervals === 0
      ? {}
      : { chart: comparisonChart(timeline, before, { zone, title, hosts, window: `${names[0]} vs ${names[1]}` }) }),
    ...(a.intervals === 0 || b.intervals === 0 ? {} : { table: comparisonTable(a, b, rows) }),
    notes,
    actions: [
      threadAction('By category', context, 'attacks'),
      threadAction('Over time', context, 'timeline'),
      csvAction(context, 'compare'),
    ],
    ...(sentence.csv ? { attachments: [categoriesCsv(rows, range, zone)] } : {}),
  };
}

/** Two curves of single minutes hide each other, so both are drawn in the same longer intervals. */
const MOST_POINTS = 96;

function comparisonChart(
  timeline: Timeline,
  before: Timeline,
  words: { zone: string; title: string; hosts: WindowContext['hosts']; window: string },
) {
  const bucketMs = Math.max(bucketFor(timeline, MOST_POINTS), before.intervalMs);
  return timelineChart({ timeline: rebucket(timeline, bucketMs), previous: rebucket(before, bucketMs), ...words });
}

function headline(a: TimelineSummary, b: TimelineSummary): Line {
  if (a.intervals === 0 || b.intervals === 0) {
    const which = a.intervals === 0 ? (b.intervals === 0 ? 'either window' : 'the first window') : 'the second window';
    return [{ bold: 'No data' }, ` for ${which}, so there is nothing to compare.`];
  }
  const part = (now: number | null, was: number | null, one: string): Line => {
    if (now === null || was === null) {
      const given = [now, was].map((count) => (count === null ? 'not known' : formatCount(count)));
      return [{ bold: `${one}s ${given[0]}` }, ` (against ${given[1]})`];
    }
    const moved = now === 0 || was === 0 ? '' : `${formatChange(now, was)} `;
    return [{ bold: counted(now, one) }, ` (${moved}against ${was === 0 ? 'none' : formatCount(was)})`];
  };
  return [...part(a.requests, b.requests, 'request'), ', ', ...part(a.attacks, b.attacks, 'attack'), '.'];
}

/** New categories first, then those that grew most in events, then the rest. */
export function newAndGrownFirst(rows: readonly CategoryRow[]): CategoryRow[] {
  const isNew = (row: CategoryRow): boolean => row.before === 0 && row.count > 0;
  return rows.toSorted((a, b) => {
    if (isNew(a) !== isNew(b)) return isNew(a) ? -1 : 1;
    return b.count - (b.before ?? 0) - (a.count - (a.before ?? 0));
  });
}

function fresh(rows: readonly CategoryRow[]): Line[] {
  const news = rows.filter(({ before, count }) => before === 0 && count > 0);
  if (news.length === 0) return [];
  return [
    [
      { bold: 'New: ' },
      news.map(({ category, count }) => `${categoryName(category)} ${formatCount(count)}`).join(', '),
    ],
  ];
}

function comparisonTable(a: TimelineSummary, b: TimelineSummary, rows: readonly CategoryRow[]): Table {
  const share = ({ attackShare }: TimelineSummary): string => (attackShare === null ? '–' : formatShare(attackShare));
  const row = (name: string, now: number | null, was: number | null): string[] => {
    const cell = (count: number | null): string => (count === null ? '?' : formatCount(count));
    return [name, cell(now), cell(was), now === null || was === null ? '?' : formatChange(now, was)];
  };
  return {
    columns: [
      { name: '', align: 'left' },
      { name: 'This window', align: 'right' },
      { name: 'Compared with', align: 'right' },
      { name: 'Change', align: 'right' },
    ],
    rows: [
      row('Requests', a.requests, b.requests),
      row('Attacks', a.attacks, b.attacks),
      ['Attack share', share(a), share(b), ''],
      ...rows.map(({ category, count, before }) => [
        categoryName(category),
        formatCount(count),
        formatCount(before ?? 0),
        formatChange(count, before ?? 0),
      ]),
    ],
  };
}
