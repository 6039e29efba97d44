/** The numbers of a reply as CSV: its table, or the intervals of its chart, summed into as many as were requested. */
import type { TimelineChart } from '../charts/spec/index.ts';
import { toCsv } from '../replies/csv.ts';
import type { Reply, Table } from '../replies/reply.ts';
import { duration } from '../statistics/format.ts';
import { bucketFor, rebucket, type Timeline } from '../statistics/timeline.ts';
import { zoned } from '../time/index.ts';

interface AnswerRows {
  readonly csv: string | null;
  /** What to know about them. */
  readonly says: readonly string[];
}

const NONE: AnswerRows = { csv: null, says: [] };

export function rowsOf({ table, chart, attachments }: Reply, maxRows: number | null): AnswerRows {
  if (table !== undefined) return { csv: lines(tableRows(table, maxRows)), says: [] };
  if (maxRows === null) return NONE;
  if (chart?.kind === 'timeline') return timelineRows(chart, maxRows);
  // The question was for the file alone.
  const [file] = attachments ?? [];
  if (chart !== undefined || file === undefined) return NONE;
  return {
    csv: file.content
      .split('\r\n')
      .slice(0, maxRows + 1)
      .join('\n')
      .trim(),
    says: [],
  };
}

type Cell = string | number | null;

const lines = (rows: readonly (readonly Cell[])[]): string => toCsv(rows).replaceAll('\r\n', '\n').trim();

const GROUPED = /^\d{1,3}(,\d{3})+$/;

/** Columns left out: those that follow from others, and IDs where names are enough to ask with. */
const OMITTED: ReadonlySet<string> = new Set(['Domain ID', 'Share', 'Change', 'Rate change', 'Difference']);

function tableRows({ columns, rows }: Table, maxRows: number | null): Cell[][] {
  const shown = columns.map(({ name }) => !OMITTED.has(name));
  const cells = (row: readonly string[]): Cell[] =>
    row.filter((_, at) => shown[at]).map((text) => (GROUPED.test(text) ? text.replaceAll(',', '') : text));
  return [cells(columns.map(({ name }) => name)), ...rows.slice(0, maxRows ?? rows.length).map(cells)];
}

function timelineRows({ timeline, previous, zone }: TimelineChart, maxRows: number): AnswerRows {
  const bucketMs = bucketFor(timeline, maxRows);
  const shown = rebucket(timeline, bucketMs);
  const before = previous === null ? null : attacksByOffset(rebucket(previous, bucketMs));
  const time = localTimes(shown, zone);
  const rows = shown.points.map(({ endMs, requests, attacks }): Cell[] => [
    time(Math.max(shown.fromMs, endMs - shown.intervalMs)),
    requests,
    attacks,
    ...(before === null ? [] : [before.get(endMs - shown.fromMs) ?? null]),
  ]);
  const head = ['start', 'requests', 'attacks', ...(before === null ? [] : ['attacks_before'])];
  const isPart = (shown.points.at(-1)?.endMs ?? 0) > shown.settledUntilMs;
  const length = duration(shown.intervalMs, { units: ['day', 'hour', 'minute'] });
  const last = isPart ? ' The last one is not complete.' : '';
  return {
    csv: lines([head, ...rows]),
    says: [`Rows of ${length}, times in ${zone}, dates where they change.${last}`],
  };
}

const attacksByOffset = ({ points, fromMs }: Timeline): Map<number, number | null> =>
  new Map(points.map(({ endMs, attacks }) => [endMs - fromMs, attacks]));

/**
 * `2026-03-01T14:00`, then `14:30`: the date takes half of a row's tokens, so it's only written when it changes. The
 * offset is added if clocks change within the window.
 */
function localTimes({ fromMs, toMs }: Timeline, zone: string): (ms: number) => string {
  const isOne = zoned(fromMs, zone).offset === zoned(toMs, zone).offset;
  let day = '';
  return (ms) => {
    const at = zoned(ms, zone);
    const isSameDay = day === at.toPlainDate().toString();
    day = at.toPlainDate().toString();
    const time = (isSameDay ? at.toPlainTime() : at.toPlainDateTime()).toString({ smallestUnit: 'minute' });
    return `${time}${isOne ? '' : at.offset}`;
  };
}
