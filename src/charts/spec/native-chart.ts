/**
 * Slack's own chart block as plain data, for where a picture cannot go. Its limits are kept here: a timeline is summed
 * into at most twenty columns of a round length, a breakdown names its largest categories.
 */
import { categoryName } from '../../insight/categories.ts';
import { duration } from '../../insight/format.ts';
import { rankCategories } from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import type { BreakdownChart } from './breakdown-chart.ts';
import type { ChartSpec } from './chart-spec.ts';
import { fitCharacters } from './layout.ts';
import { clock, DAY_MS, dayAndMonth, dayInWords, offsetName, zoned } from './time-labels.ts';
import { type SeriesName, seriesTotal, type TimelineChart } from './timeline-chart.ts';

interface NativePoint {
  readonly label: string;
  readonly value: number;
}

interface NativeSeries {
  readonly name: string;
  /** One for each category of the axis, in its order. */
  readonly data: readonly NativePoint[];
}

/** The fields of a `data_visualization` block. */
export interface NativeChart {
  readonly title: string;
  readonly chart: {
    readonly type: 'bar';
    readonly series: readonly NativeSeries[];
    readonly axis_config: { readonly categories: readonly string[]; readonly y_label: string };
  };
}

const TITLE_LENGTH = 50;
const LABEL_LENGTH = 20;
/** For names that would be cut. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['rfi', 'Remote file incl.'],
  ['lfi', 'Local file incl.'],
  ['whiteblackip', 'Black- and Whitelist'],
]);
/** Five by name, and the rest. */
const NAMED = 5;

/** Null when there is nothing to draw. */
export function nativeChart(spec: ChartSpec): NativeChart | null {
  if (spec.kind === 'breakdown') return nativeBreakdown(spec);
  const buckets = nativeBuckets(spec);
  return buckets === null ? null : native(spec.title, buckets.yLabel, buckets.labels, buckets.series);
}

function nativeBreakdown(spec: BreakdownChart): NativeChart | null {
  const rows = rankCategories(spec.distribution, spec.previous);
  if (rows.length === 0) return null;
  const named = rows.length > NAMED + 1 ? rows.slice(0, NAMED) : rows;
  const rest = rows.slice(named.length);
  const series: Record<string, number[]> = { Now: named.map((row) => row.count) };
  if (spec.previous !== null) series['Period before'] = named.map((row) => row.before ?? 0);
  if (rest.length > 0) {
    series.Now?.push(rest.reduce((sum, row) => sum + row.count, 0));
    series['Period before']?.push(rest.reduce((sum, row) => sum + (row.before ?? 0), 0));
  }
  const labels = [
    ...named.map((row) => SHORT_NAMES.get(row.category) ?? categoryName(row.category)),
    ...(rest.length > 0 ? ['other'] : []),
  ];
  return native(spec.title, 'Events', labels, series);
}

function native(
  title: string,
  yLabel: string,
  labels: readonly string[],
  series: Readonly<Record<string, readonly number[]>>,
): NativeChart {
  const categories = distinct(labels.map((label) => fitCharacters(label, LABEL_LENGTH)));
  return {
    title: fitCharacters(title.trim() === '' ? 'Chart' : title, TITLE_LENGTH),
    chart: {
      type: 'bar',
      series: Object.entries(series).map(([name, values]) => ({
        name,
        data: categories.map((label, index) => ({ label, value: values[index] ?? 0 })),
      })),
      axis_config: { categories, y_label: fitCharacters(yLabel, LABEL_LENGTH) },
    },
  };
}

/** Labels are keys to Slack: cut names and hours that come twice must not fall together. */
function distinct(labels: readonly string[]): string[] {
  const seen = new Set<string>();
  return labels.map((label) => {
    let unique = label;
    for (let copy = 2; seen.has(unique); copy += 1) {
      const suffix = ` ${copy}`;
      unique = `${fitCharacters(label, LABEL_LENGTH - suffix.length)}${suffix}`;
    }
    seen.add(unique);
    return unique;
  });
}

interface NativeBuckets {
  readonly labels: readonly string[];
  readonly series: Readonly<Record<string, readonly number[]>>;
  readonly yLabel: string;
}

const MOST_POINTS = 20;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const ROUND_MS = [
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28, 56, 91, 182, 365].map((days) => days * DAY_MS),
];

function nativeBuckets(spec: TimelineChart): NativeBuckets | null {
  const { timeline, previous } = spec;
  // Requests outnumber attacks by orders of magnitude; on Slack's one axis only one of them can be seen.
  const series = (seriesTotal(timeline, 'attacks') ?? 0) > 0 ? 'attacks' : 'requests';
  if (seriesTotal(timeline, series) === null) return null;
  const bucketMs = bucketLength(timeline);
  const now = sums(timeline, series, bucketMs);
  // A column nobody has numbers for is left out: zero would be wrong, and the labels show the jump.
  const known = [...now.keys()].sort((a, b) => a - b);
  const before = previous === null ? null : sums(previous, series, bucketMs);
  const name = series === 'attacks' ? 'Attacks' : 'Requests';
  const all: Record<string, number[]> = { [name]: known.map((index) => now.get(index) ?? 0) };
  if (before !== null && known.every((index) => before.has(index))) {
    all['Period before'] = known.map((index) => before.get(index) ?? 0);
  }
  const labels = known.map((index) => label(spec, index * bucketMs + timeline.fromMs, bucketMs));
  return {
    labels: toldApart(spec, labels, known, bucketMs),
    series: all,
    yLabel: `${name} per ${bucketName(bucketMs)}`,
  };
}

/** The shortest round length that holds whole intervals and needs no more columns than there may be. */
function bucketLength({ fromMs, toMs, intervalMs, points }: Timeline): number {
  const endMs = Math.max(toMs, points[points.length - 1]?.endMs ?? toMs);
  const fits = (ms: number) => ms >= intervalMs && ms % intervalMs === 0 && (endMs - fromMs) / ms <= MOST_POINTS;
  const least = Math.max(1, Math.ceil((endMs - fromMs) / MOST_POINTS / intervalMs));
  return ROUND_MS.find(fits) ?? least * intervalMs;
}

function sums({ points, fromMs, intervalMs }: Timeline, series: SeriesName, bucketMs: number): Map<number, number> {
  const found = new Map<number, number>();
  for (const point of points) {
    const value = point[series];
    // An interval that reaches over the edge of the window belongs to the first column.
    const index = Math.max(0, Math.floor((point.endMs - intervalMs - fromMs) / bucketMs));
    if (value !== null) found.set(index, (found.get(index) ?? 0) + value);
  }
  return found;
}

function label({ timeline, zone }: TimelineChart, startMs: number, bucketMs: number): string {
  // Columns of days begin an hour off midnight once clocks have changed; the day they mean is the one they lie in.
  const at = zoned(bucketMs >= DAY_MS ? startMs + 2 * HOUR_MS : startMs, zone);
  const soFar = Math.min(startMs + bucketMs, timeline.toMs) > timeline.settledUntilMs ? ' (so far)' : '';
  const spanMs = timeline.toMs - timeline.fromMs;
  if (bucketMs >= DAY_MS) return `${dayAndMonth(at)}${soFar}`;
  if (spanMs <= DAY_MS) return `${clock(at)}${soFar}`;
  return spanMs <= 7 * DAY_MS
    ? `${dayInWords(at).slice(0, 3)} ${clock(at)}${soFar}`
    : `${dayAndMonth(at)} ${clock(at)}`;
}

/** The hour that comes twice when clocks go back gets its distance from UTC. */
function toldApart(
  spec: TimelineChart,
  labels: readonly string[],
  known: readonly number[],
  bucketMs: number,
): string[] {
  return labels.map((text, place) => {
    if (labels.indexOf(text) === place && labels.lastIndexOf(text) === place) return text;
    return `${text} ${offsetName(zoned((known[place] ?? 0) * bucketMs + spec.timeline.fromMs, spec.zone))}`;
  });
}

/** Slack cuts the label of an axis early: hours and minutes are abbreviated. */
const bucketName = (ms: number): string =>
  duration(ms, { units: ['day', 'hour', 'minute'], form: 'short', bareOne: ms >= HOUR_MS });
