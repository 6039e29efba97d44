/** `attacks`: events by category. */
import { breakdownChart } from '../../charts/spec/index.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { categoryName } from '../../insight/categories.ts';
import { formatChange, formatCount, formatShare } from '../../insight/format.ts';
import { type CategoryRow, rankCategories, summarise, totalOf } from '../../insight/summary.ts';
import { describeRange, type Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { categoriesCsv } from '../replies/csv.ts';
import {
  compareAction,
  csvAction,
  digestAction,
  periodBefore,
  stepActions,
  threadAction,
} from '../replies/follow-ups.ts';
import { change, counted, lengthNote, notGiven, onHosts, staleNote, withAge } from '../replies/phrases.ts';
import type { Action, Line, Reply, Table } from '../replies/reply.ts';
import { noData, OLD_DATA } from './timeline.ts';

export async function answerAttacks(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const ids = hosts.map(({ id }) => id);
  const named = sentence.versus !== null && sentence.versus !== 'previous' ? sentence.versus : null;
  const other = named ?? periodBefore(range);
  const [distribution, before, timeline] = await Promise.all([
    deps.statistics.distribution({ range, hosts: ids, zone }),
    nullIfUnavailable(deps.statistics.distribution({ range: other, hosts: ids, zone })),
    nullIfUnavailable(deps.statistics.timeline({ range, hosts: ids, zone })),
  ]);
  const rows = rankCategories(distribution, before);
  const total = totalOf(distribution);
  const title = `Attacks by category${onHosts(hosts)}`;
  const common = { title, subject: { hosts, range, zone }, actions: attackActions(context) };
  const series = timeline === null ? null : summarise(timeline);
  const notes: Line[] = [...staleNote([distribution, before], now), ...lengthNote(range, other)];
  if (series !== null && series.intervals > 0) notes.push(...notGiven({ requests: 0, attacks: series.attacks }));
  if (series !== null && series.attacks !== null && series.attacks !== total) {
    notes.push([
      `The categories add up to ${counted(total, 'event')}, the timeline to ${counted(series.attacks, 'attack')}: the service counts them apart.`,
    ]);
  }
  if (series !== null && series.unsettled > 0) notes.push(['The last minutes are still filling.']);
  if (total === 0) {
    if (series !== null && series.intervals === 0)
      return { ...common, headline: noData(), notes: [...notes, OLD_DATA] };
    return {
      ...common,
      headline: withAge([{ bold: 'No attacks' }, ' in this window.'], [distribution, before], now),
      body: [againstLine(0, before === null ? null : totalOf(before), context, named)],
      notes,
    };
  }
  return {
    ...common,
    headline: withAge(headline(total, rows), [distribution, before], now),
    body: [againstLine(total, before === null ? null : totalOf(before), context, named)],
    chart: breakdownChart({
      distribution,
      title,
      hosts,
      zone,
      ...(before === null ? {} : { previous: before }),
    }),
    table: categoryTable(rows),
    notes,
    ...(sentence.csv ? { attachments: [categoriesCsv(rows, range, zone)] } : {}),
  };
}

function headline(total: number, rows: readonly CategoryRow[]): Line {
  const [first, second] = rows;
  if (first === undefined) return [];
  const name = ({ category, count, share }: CategoryRow): Line => [
    { bold: categoryName(category) },
    ` ${formatCount(count)} (${formatShare(share)})`,
  ];
  const next: Line = second === undefined || second.count === 0 ? [] : [', then ', ...name(second)];
  return [
    { bold: formatCount(total) },
    total === 1 ? ' event. Most: ' : ' events. Most: ',
    ...name(first),
    ...next,
    '.',
  ];
}

function againstLine(total: number, before: number | null, { now, zone }: WindowContext, named: Range | null): Line {
  const against = named === null ? 'Against the period before' : `Against ${describeRange(named, { now, zone })}`;
  if (before === null) return [`${against}: not known, the service did not answer for it.`];
  return [`${against}: `, ...change('events', total, before), '.'];
}

/** Exact numbers as text, for readers who cannot see the chart. */
export function categoryTable(rows: readonly CategoryRow[]): Table {
  return {
    columns: [
      { name: 'Category', align: 'left' },
      { name: 'Events', align: 'right' },
      { name: 'Share', align: 'right' },
      { name: 'Change', align: 'right' },
    ],
    rows: rows.map(({ category, count, share, before }) => [
      categoryName(category),
      formatCount(count),
      formatShare(share),
      before === null ? '?' : formatChange(count, before),
    ]),
  };
}

function attackActions(context: WindowContext): Action[] {
  return [
    ...stepActions(context, 'attacks'),
    threadAction('Over time', context, 'timeline'),
    compareAction(context),
    csvAction(context, 'attacks'),
    digestAction(context),
  ];
}
