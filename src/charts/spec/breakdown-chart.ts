/**
 * Categories as horizontal bars with their counts: what stands out first, then the largest. Bars that changed most are
 * solid. A tick marks the previous period, with a number if it differs much.
 */
import {
  type CategoryRow,
  categoryName,
  findMovers,
  leadFirst,
  NOTICEABLE,
  rankCategories,
  STANDS_OUT,
  totalOf,
} from '../../statistics/categories.ts';
import { compactCount, formatChange, formatCount, formatShare } from '../../statistics/format.ts';
import type { Distribution } from '../../statistics/timeline.ts';
import {
  type ChartConfig,
  type ChartSubject,
  card,
  emptyCard,
  fitText,
  font,
  hiddenScale,
  INNER,
  type JsonObject,
  subjectLine,
  TEXT_PX,
  textWidth,
} from './layout.ts';
import { COLORS } from './palette.ts';

export interface BreakdownChart extends ChartSubject {
  readonly kind: 'breakdown';
  /** The finding. */
  readonly title: string;
  readonly distribution: Distribution;
  readonly previous: Distribution | null;
  /** Name of the previous period: `the day before`. */
  readonly previousName: string;
  /** Length of the window relative to that period. */
  readonly lengthRatio: number;
  /** The category that the title leads with; it comes first. */
  readonly leading: string | null;
  /** How many of the largest are shown, if that was asked for. */
  readonly top?: number | undefined;
}

type BreakdownChartInput = Omit<Partial<BreakdownChart>, 'kind' | 'project' | 'hosts'> &
  Pick<BreakdownChart, 'title' | 'zone' | 'distribution'> & { readonly hosts: readonly { readonly name: string }[] };

export function breakdownChart(input: BreakdownChartInput): BreakdownChart {
  return {
    ...input,
    kind: 'breakdown',
    hosts: [...new Set(input.hosts.map(({ name }) => name))],
    window: input.window ?? null,
    previous: input.previous ?? null,
    previousName: input.previousName ?? 'the period before',
    lengthRatio: input.lengthRatio ?? 1,
    leading: input.leading ?? null,
  };
}

const ROW_PX = 30;
const BOTTOM_PX = 12;
const MAX_NAME_PX = 190;
/** Between a name and its bar, and between the longest bar and the counts. */
const NAME_GAP_PX = 10;
const COUNT_GAP_PX = 16;
const COLUMN_GAP_PX = 18;
/** Distance of words from the ends of their stripe. */
const EDGE_PX = 6;

export function breakdownConfig(spec: BreakdownChart): ChartConfig {
  const rows = shownRows(spec);
  const head = { title: spec.title, below: [subjectLine(spec, spec.distribution), totals(spec, rows)] };
  if (rows.length === 0) {
    return emptyCard({ ...head, below: head.below.slice(0, 1) }, 'No attacks in any category');
  }
  const names = rows.map((row) => fitText(row.name, TEXT_PX, MAX_NAME_PX));
  const counts = rows.map((row) => compactCount(row.count));
  const asides = rows.map((row) => aside(row, spec.previous !== null));
  const place = scale(rows, widest(names), widest(counts), widest(asides));
  const asideInk = spec.previous === null ? COLORS.quietInk : COLORS.previousInk;
  return card(head, {
    heightPx: rows.length * ROW_PX,
    bottomPx: BOTTOM_PX,
    type: 'bar',
    datasets: datasets(rows),
    scales: {
      x: hiddenScale('x', place.min, place.max),
      y: column(names, place.names, COLORS.ink, font(400), stripes(rows)),
      counts: column(counts, place.counts, COLORS.ink, font(600), { display: false }),
      asides: column(asides, place.asides, asideInk, font(400), { display: false }),
    },
    options: { indexAxis: 'y' },
  });
}

/** `18,204 attacks · solid: changed more than usual · tick: the day before, 17,190 (+6 %)`. */
function totals(
  { distribution, previous, previousName, lengthRatio }: BreakdownChart,
  rows: readonly ShownRow[],
): string {
  const total = totalOf(distribution);
  const all = `${formatCount(total)} ${total === 1 ? 'attack' : 'attacks'}`;
  if (previous === null) return all;
  const before = totalOf(previous);
  const solid = isMixed(rows) ? ' · solid: changed more than usual' : '';
  return `${all}${solid} · tick: ${previousName}, ${formatCount(before)} (${formatChange(total, before * lengthRatio)})`;
}

export interface ShownRow extends CategoryRow {
  readonly name: string;
  /** It changed, by the same rule as in the answer's text. */
  readonly moved: boolean;
}

/** The largest, and some that moved. */
const MAX_ROWS = 11;
const LARGEST = 8;

/** Whether some bars are highlighted. */
const isMixed = (rows: readonly ShownRow[]): boolean =>
  rows.some(({ moved }) => moved) && rows.some(({ moved }) => !moved);

/** What stands out, as in the answer's text, then the largest and others that changed, and the rest as one row. */
export function shownRows(
  { distribution, previous, lengthRatio, leading, top }: BreakdownChart,
  most = MAX_ROWS,
): ShownRow[] {
  const rows = rankCategories(distribution, previous);
  const { moved } = leadFirst(findMovers(rows, NOTICEABLE, lengthRatio), leading);
  const named = (row: CategoryRow): ShownRow => ({
    ...row,
    name: categoryName(row.category),
    moved: moved.includes(row),
  });
  // If space is short, large categories must not crowd out those that changed most.
  const byRank = [...moved.slice(0, Math.floor(most / 2)), ...rows.slice(0, LARGEST), ...moved];
  const shown = top === undefined ? [...new Set(byRank)].slice(0, most) : rows.slice(0, Math.min(top, most));
  // A few events in a small category are a large change but not the finding.
  const first = leading === null ? findMovers(rows, STANDS_OUT, lengthRatio).moved : moved;
  const ordered = [...first, ...rows.filter((row) => !first.includes(row))];
  const rest = rows.filter((row) => !shown.includes(row));
  // A rest of one category goes by its name.
  if (rest.length < 2) return ordered.map(named);
  const sum = (of: (row: CategoryRow) => number): number => rest.reduce((all, row) => all + of(row), 0);
  const together = {
    category: '',
    count: sum(({ count }) => count),
    before: previous === null ? null : sum(({ before }) => before ?? 0),
    share: sum(({ share }) => share),
  };
  return [
    ...ordered.filter((row) => shown.includes(row)).map(named),
    {
      ...together,
      name: `${rest.length} others`,
      moved: findMovers([together], NOTICEABLE, lengthRatio).moved.length > 0,
    },
  ];
}

function aside({ share, before, moved }: ShownRow, compared: boolean): string {
  if (!compared) return formatShare(share);
  if (!moved || before === null) return '';
  return before === 0 ? 'new' : `was ${compactCount(before)}`;
}

/**
 * The horizontal scale: names end left of zero, bars extend to its right, and counts end in columns behind the longest bar.
 * Every position is a value of that scale, so Chart.js reserves no space for words.
 */
function scale(rows: readonly ShownRow[], namePx: number, countPx: number, asidePx: number) {
  const top = Math.max(1, ...rows.map((row) => Math.max(row.count, row.before ?? 0)));
  const zeroPx = EDGE_PX + namePx + NAME_GAP_PX;
  const countsPx = INNER - EDGE_PX - (asidePx === 0 ? 0 : asidePx + COLUMN_GAP_PX);
  const perPx = top / (countsPx - countPx - COUNT_GAP_PX - zeroPx);
  const at = (px: number) => (px - zeroPx) * perPx;
  return {
    min: at(0),
    max: at(INNER),
    names: at(EDGE_PX + namePx),
    counts: at(countsPx),
    asides: at(INNER - EDGE_PX),
  };
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => textWidth(text, TEXT_PX)));
}

function datasets(rows: readonly ShownRow[]): JsonObject[] {
  const on = { xAxisID: 'x', yAxisID: 'y' };
  const some = (count: number | null) => (count === 0 ? null : count);
  const bars = {
    ...on,
    type: 'bar',
    label: 'now',
    // The smallest count is visible, and zero isn't.
    data: rows.map((row) => some(row.count)),
    minBarLength: 3,
    // If nothing is highlighted, all are solid.
    backgroundColor: isMixed(rows) ? rows.map((row) => (row.moved ? COLORS.attacks : COLORS.grid)) : COLORS.attacks,
    borderColor: isMixed(rows) ? COLORS.filling : COLORS.attacks,
    // A separate edge would show as a seam in a solid bar.
    borderWidth: isMixed(rows) ? rows.map((row) => (row.moved ? 0 : 1)) : 0,
    barPercentage: 0.62,
    categoryPercentage: 1,
    order: 2,
  };
  const ticks = {
    ...on,
    type: 'line',
    label: 'before',
    data: rows.map((row) => some(row.before)),
    showLine: false,
    pointStyle: 'line',
    pointRotation: 90,
    pointRadius: 12,
    pointBorderWidth: 3,
    pointBorderColor: COLORS.previous,
    backgroundColor: COLORS.previous,
    clip: false,
    order: 0,
  };
  // On a dark bar, a tick needs an edge to be visible.
  const edges = { ...ticks, pointBorderWidth: 6, pointBorderColor: COLORS.card, order: 1 };
  return rows.some((row) => row.before !== null) ? [bars, ticks, edges] : [bars];
}

/** Every second row is tinted, as a very wide grid line, to guide the eye to the number. */
function stripes(rows: readonly ShownRow[]): JsonObject {
  const color = rows.map((_, index) => (index % 2 === 0 ? COLORS.stripe : 'transparent'));
  return { display: true, offset: false, drawTicks: false, color, lineWidth: ROW_PX };
}

/** Words that end at a value of the scale. */
function column(labels: string[], at: number, ink: string, letters: JsonObject, grid: JsonObject): JsonObject {
  return {
    type: 'category',
    axis: 'y',
    position: { x: at },
    labels,
    min: 0,
    max: labels.length - 1,
    offset: true,
    border: { display: false },
    grid,
    ticks: { autoSkip: false, color: ink, font: letters, padding: 0 },
  };
}
