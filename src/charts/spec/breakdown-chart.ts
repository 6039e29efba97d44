/** Categories as horizontal bars, largest first, each with its count and share; the period before as a tick. */
import { categoryName } from '../../insight/categories.ts';
import { compactCount, formatChange, formatShare } from '../../insight/format.ts';
import { type CategoryRow, rankCategories, totalOf } from '../../insight/summary.ts';
import type { Distribution } from '../../insight/timeline.ts';
import {
  type ChartConfig,
  card,
  chartOptions,
  firstThatFits,
  fitText,
  font,
  head,
  headPx,
  hiddenScale,
  INNER,
  type JsonObject,
  legend,
  sentence,
  TEXT_PX,
  textWidth,
} from './layout.ts';
import { type ChartTheme, PALETTES, type Palette } from './palette.ts';
import { subjectLine } from './time-labels.ts';

export interface BreakdownChart {
  readonly kind: 'breakdown';
  /** The finding. */
  readonly title: string;
  /** Whose traffic it is, by name; none means all hosts. */
  readonly hosts: readonly string[];
  readonly zone: string;
  /** The window in words; null: said from the distribution, in the reader's zone. */
  readonly window: string | null;
  readonly distribution: Distribution;
  readonly previous: Distribution | null;
  /** What that period is called: `the day before`. */
  readonly previousName: string;
  readonly theme: ChartTheme;
}

interface BreakdownChartInput {
  readonly distribution: Distribution;
  readonly previous?: Distribution | undefined;
  /** IANA name: every time in the chart is said in it. */
  readonly zone: string;
  readonly previousName?: string | undefined;
  /** The finding, in the words of the answer's header. */
  readonly title: string;
  readonly hosts: readonly { readonly name: string }[];
  readonly window?: string | undefined;
  readonly theme?: ChartTheme | undefined;
}

export function breakdownChart(input: BreakdownChartInput): BreakdownChart {
  return {
    kind: 'breakdown',
    title: input.title,
    hosts: input.hosts.map(({ name }) => name),
    zone: input.zone,
    window: input.window ?? null,
    distribution: input.distribution,
    previous: input.previous ?? null,
    previousName: input.previousName ?? 'the period before',
    theme: input.theme ?? 'light',
  };
}

const ROW_PX = 28;
const BOTTOM = 14;
const MOST_NAME_PX = 190;
const SHARE_PX = 64;
/** Between a name and its bar, and between the longest bar and the counts. */
const NAME_GAP_PX = 10;
const COUNT_GAP_PX = 18;
/** Words keep this far from the ends of the stripe they stand on. */
const EDGE_PX = 6;
const HEAD_GAP_PX = 10;
const EMPTY_HEIGHT = 150;

export function breakdownConfig(spec: BreakdownChart): ChartConfig {
  const colours = PALETTES[spec.theme];
  const rows = rankCategories(spec.distribution, spec.previous);
  const below = [subjectLine(spec, spec.distribution), totals(spec, rows.length)].filter((line) => line !== '');
  const plugins = { ...head(spec.title, below, colours, HEAD_GAP_PX), legend: legend(false, colours) };
  if (rows.length === 0) {
    const none = { x: sentence('No events in any category', colours), y: { display: false } };
    const config = { type: 'bar', data: { labels: [], datasets: [] }, options: chartOptions(plugins, none, BOTTOM) };
    return card(spec.theme, EMPTY_HEIGHT, config);
  }
  const names = rows.map((row) => fitText(categoryName(row.category), TEXT_PX, MOST_NAME_PX));
  const counts = rows.map((row) => compactCount(row.count));
  const total = totalOf(spec.distribution);
  const shares = rows.map((row) => (total === 0 ? '' : formatShare(row.share)));
  const place = scale(rows, widest(names), widest(counts));
  const scales = {
    x: hiddenScale('x', place.min, place.max),
    y: column(names, place.names, colours.ink, font(400), stripes(rows, colours)),
    counts: column(counts, place.counts, colours.ink, font(600), { display: false }),
    shares: column(shares, place.shares, colours.quietInk, font(400), { display: false }),
  };
  const config = {
    type: 'bar',
    data: { labels: names, datasets: datasets(rows, colours) },
    options: { indexAxis: 'y', ...chartOptions(plugins, scales, BOTTOM) },
  };
  return card(spec.theme, Math.ceil(headPx(below.length, HEAD_GAP_PX) + rows.length * ROW_PX + BOTTOM), config);
}

function totals({ distribution, previous }: BreakdownChart, rows: number): string {
  if (rows === 0) return '';
  const total = totalOf(distribution);
  const all = `${compactCount(total)} ${total === 1 ? 'event' : 'events'}`;
  if (previous !== null) {
    const before = `${all}, ${formatChange(total, totalOf(previous))}`;
    return firstThatFits([`${before} · tick: the period before`, before]);
  }
  const silent = distribution.counts.length - rows;
  if (silent === 0) return all;
  return `${all} · ${silent} ${silent === 1 ? 'category' : 'categories'} without any`;
}

/**
 * The one horizontal scale: names end left of zero, bars run right of it, counts and shares end in columns behind the
 * longest bar. Every place is a value of that scale, so that Chart.js needs no room of its own for words.
 */
function scale(rows: readonly CategoryRow[], namePx: number, countPx: number) {
  const top = Math.max(1, ...rows.map((row) => Math.max(row.count, row.before ?? 0)));
  const zeroPx = EDGE_PX + namePx + NAME_GAP_PX;
  const perPx = top / (INNER - zeroPx - COUNT_GAP_PX - countPx - SHARE_PX - EDGE_PX);
  const at = (px: number) => (px - zeroPx) * perPx;
  return {
    min: at(0),
    max: at(INNER),
    names: at(EDGE_PX + namePx),
    counts: at(INNER - SHARE_PX - EDGE_PX),
    shares: at(INNER - EDGE_PX),
  };
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => textWidth(text, TEXT_PX)));
}

function datasets(rows: readonly CategoryRow[], colours: Palette): JsonObject[] {
  const on = { xAxisID: 'x', yAxisID: 'y' };
  const some = (count: number | null) => (count === 0 ? null : count);
  const bars = {
    ...on,
    type: 'bar',
    label: 'now',
    // The smallest count still shows, and none at all does not.
    data: rows.map((row) => some(row.count)),
    minBarLength: 3,
    backgroundColor: colours.attacks,
    barPercentage: 0.62,
    categoryPercentage: 1,
    order: 1,
  };
  const ticks = {
    ...on,
    type: 'line',
    label: 'before',
    data: rows.map((row) => some(row.before)),
    showLine: false,
    pointStyle: 'line',
    pointRotation: 90,
    pointRadius: 11,
    pointBorderWidth: 3,
    pointBorderColor: colours.mark,
    backgroundColor: colours.mark,
    clip: false,
    order: 0,
  };
  return rows.some((row) => row.before !== null) ? [bars, ticks] : [bars];
}

/** Every second row on a faint ground, drawn as a very wide grid line, so that the eye finds its way to the number. */
function stripes(rows: readonly CategoryRow[], colours: Palette): JsonObject {
  const color = rows.map((_, index) => (index % 2 === 0 ? colours.stripe : 'transparent'));
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
