/**
 * A chart of either kind, and what can be derived from it without drawing: its Chart.js configuration, its content in words
 * for screen readers, and Slack's own chart block and table for places that can't show a picture.
 *
 * The configuration is pure JSON: no functions, no time scale, no plugin that a server might lack, nothing newer than
 * Chart.js 4.0, so that the embedded renderer and a QuickChart server draw the same picture from the same text. Visible axes
 * are category axes with our own labels, and the data uses hidden linear axes, which keeps zones and number formats out of
 * the drawing library. No axis is named after an axis type (`time`): on a server, where all types are registered, Chart.js
 * would give it that type's defaults.
 *
 * Slack picks colors by the order of the series, so attacks always come first and comparisons after them. Slack's limits
 * are enforced here: a timeline is summed into at most twenty columns of a round length, a breakdown shows its largest
 * categories.
 */

import { totalOf } from '../../statistics/categories.ts';
import { capitalized, duration, formatChange, formatCount, formatShare } from '../../statistics/format.ts';
import { missingTime, type Timeline } from '../../statistics/timeline.ts';
import {
  clock,
  dayAndMonth,
  dayInWords,
  intervalInWords,
  offsetName,
  offsetsInWords,
  zoned,
} from '../../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { type BreakdownChart, breakdownConfig, shownRows } from './breakdown-chart.ts';
import { type ChartConfig, fitCharacters, subjectLine } from './layout.ts';
import {
  type SeriesName,
  seriesTotal,
  type TimelineChart,
  type TimelineView,
  timelineConfig,
  timelineView,
} from './timeline-chart.ts';

export type ChartSpec = TimelineChart | BreakdownChart;

export function chartConfig(spec: ChartSpec): ChartConfig {
  return spec.kind === 'timeline' ? timelineConfig(spec) : breakdownConfig(spec);
}

/** Well under Slack's limit of 2,000 characters for any sensible title. */
export function altText(spec: ChartSpec): string {
  return spec.kind === 'timeline' ? timelineText(spec) : breakdownText(spec);
}

function timelineText(spec: TimelineChart): string {
  const { timeline, previous, zone, baseline } = spec;
  const subject = `${spec.title}. ${subjectLine(spec, timeline)}`;
  const view = timelineView(spec);
  if (!view.hasData) return `${subject}: no data.`;
  const attacks = seriesTotal(timeline, 'attacks');
  const sentences = [`${subject}: ${totals(seriesTotal(timeline, 'requests'), attacks)}.`];
  const { peak } = view;
  const unit = duration(timeline.intervalMs, { bareOne: true });
  if (peak !== null) {
    const when = intervalInWords(peak.startMs, peak.endMs, zone, view.toMs - view.fromMs > DAY_MS);
    sentences.push(`Attacks peak at ${formatCount(peak.value)} per ${unit}, ${when}${trend(timeline)}.`);
  }
  const usual = baseline === null ? [] : baseline.points;
  if (usual.length > 0) {
    const [low, high] = [Math.min(...usual.map((at) => at.low)), Math.max(...usual.map((at) => at.high))];
    sentences.push(`Usual is ${formatCount(Math.max(0, low))} to ${formatCount(high)}.`);
  }
  const before = previous === null ? null : seriesTotal(previous, 'attacks');
  if (before !== null && attacks !== null) sentences.push(`${against(attacks, before, spec.previousName)}.`);
  sentences.push(...marksText(spec, view));
  const gap = missingTime(timeline);
  if (hasGaps(timeline) || gap !== null) sentences.push('Some intervals are missing.');
  if (gap !== null) sentences.push(`No numbers for ${gap}.`);
  if (view.fillingFromMs !== null) sentences.push(`Incomplete from ${clock(zoned(view.fillingFromMs, zone))} on.`);
  return sentences.join(' ');
}

/** `Began 14:57. Ended 15:12. Also marked: 02:37 to 03:03, from 17:20 on.` */
function marksText({ marks, zone }: TimelineChart, { fromMs, toMs }: TimelineView): string[] {
  const times = (ms: number): string => {
    const at = zoned(ms, zone);
    return toMs - fromMs > DAY_MS ? `${dayInWords(at)}, ${clock(at)}` : clock(at);
  };
  const [lead, ...others] = marks;
  if (lead === undefined) return [];
  const also = others.map(({ onsetMs, endMs }) =>
    endMs === null ? `from ${times(onsetMs)} on` : `${times(onsetMs)} to ${times(endMs)}`,
  );
  return [
    ...(lead.onsetMs < fromMs ? [] : [`Began ${times(lead.onsetMs)}.`]),
    ...(lead.endMs === null ? [] : [`Ended ${times(lead.endMs)}.`]),
    ...(also.length === 0 ? [] : [`Also marked: ${also.join(', ')}.`]),
  ];
}

function totals(requests: number | null, attacks: number | null): string {
  if (attacks === null) return `${formatCount(requests ?? 0)} requests, no data for attacks`;
  const events = attacks === 0 ? 'no attacks' : `${formatCount(attacks)} attacks`;
  if (requests === null) return `${events}, no data for requests`;
  const share = attacks > 0 && attacks <= requests ? ` (${formatShare(attacks / requests)})` : '';
  return `${formatCount(requests)} requests, ${events}${share}`;
}

/** `The day before: 120 attacks (+18 %)`. */
function against(now: number, before: number, name: string): string {
  const lead = capitalized(name);
  if (before === 0) return `${lead}: no attacks`;
  return `${lead}: ${formatCount(before)} attacks${now === 0 ? '' : ` (${formatChange(now, before)})`}`;
}

const RISING = 1.25;

/** Compares the last third of the complete intervals with the first; empty if there are too few. */
function trend(timeline: Timeline): string {
  const values = timeline.points
    .filter((point) => point.endMs <= timeline.settledUntilMs)
    .flatMap((point) => (point.attacks === null ? [] : [point.attacks]));
  const third = Math.floor(values.length / 3);
  if (third < 2) return '';
  const first = values.slice(0, third).reduce((sum, value) => sum + value, 0);
  const last = values.slice(-third).reduce((sum, value) => sum + value, 0);
  if (last > first * RISING) return '; more at the end than at the start';
  if (first > last * RISING) return '; fewer at the end than at the start';
  return '; about as many at the end as at the start';
}

function hasGaps({ points, intervalMs }: Timeline): boolean {
  return points.some((point, index) => {
    const before = points[index - 1];
    const absent = before !== undefined && point.endMs - before.endMs > intervalMs * 1.5;
    return absent || point.attacks === null || point.requests === null;
  });
}

function breakdownText(spec: BreakdownChart): string {
  const { distribution, previous } = spec;
  const subject = `${spec.title}. ${subjectLine(spec, distribution)}`;
  const rows = shownRows(spec);
  if (rows.length === 0) return `${subject}: no attacks in any category.`;
  const total = totalOf(distribution);
  const change = previous === null ? '' : ` ${against(total, totalOf(previous), spec.previousName)}.`;
  const named = rows.map(({ name, count, share, before, moved }) => {
    const earlier = moved && before !== null ? (before === 0 ? ', new' : `, was ${formatCount(before)}`) : '';
    return `${name} ${formatCount(count)} (${formatShare(share)}${earlier})`;
  });
  const all = `${formatCount(total)} ${total === 1 ? 'attack' : 'attacks'}`;
  return `${subject}: ${all}.${change} ${named.join('; ')}.`;
}

/** The fields of a `data_visualization` block. */
export interface NativeChart {
  readonly title: string;
  readonly chart: {
    readonly type: 'bar';
    readonly series: readonly {
      readonly name: string;
      /** One per category of the axis, in order. */
      readonly data: readonly { readonly label: string; readonly value: number }[];
    }[];
    readonly axis_config: {
      readonly categories: readonly string[];
      readonly x_label?: string;
      readonly y_label: string;
    };
  };
}

const TITLE_LENGTH = 50;
const LABEL_LENGTH = 20;
/** For names that would be cut off. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['rfi', 'Remote file incl.'],
  ['lfi', 'Local file incl.'],
  ['whiteblackip', 'Black- and Whitelist'],
]);
/** Slack's documents disagree on the maximum; this is the lowest number. */
const MAX_ROWS = 6;

/** `null` if there is nothing to draw. */
export function nativeChart(spec: ChartSpec): NativeChart | null {
  return spec.kind === 'breakdown' ? nativeBreakdown(spec) : nativeTimeline(spec);
}

/** The same numbers as a table, for places that can't show a chart either. */
export function chartTable(spec: ChartSpec) {
  const chart = nativeChart(spec)?.chart;
  if (chart === undefined) return null;
  const { categories, x_label: offset } = chart.axis_config;
  const first = { name: offset === undefined ? 'Category' : `From (${offset})`, align: 'left' } as const;
  return {
    columns: [first, ...chart.series.map(({ name }) => ({ name, align: 'right' }) as const)],
    rows: categories.map((label, at) => [label, ...chart.series.map(({ data }) => formatCount(data[at]?.value ?? 0))]),
  };
}

function nativeBreakdown(spec: BreakdownChart): NativeChart | null {
  const rows = shownRows(spec, MAX_ROWS - 1);
  if (rows.length === 0) return null;
  const series: Record<string, number[]> = { Attacks: rows.map((row) => row.count) };
  if (spec.previous !== null) series[seriesName(spec.previousName)] = rows.map((row) => row.before ?? 0);
  const labels = rows.map((row) => SHORT_NAMES.get(row.category) ?? row.name);
  return native(spec.title, { y_label: 'Attacks' }, labels, series);
}

/** `The day before`: series names are capitalized. */
function seriesName(name: string): string {
  return fitCharacters(capitalized(name), LABEL_LENGTH);
}

function native(
  title: string,
  axes: { readonly x_label?: string; readonly y_label: string },
  labels: readonly string[],
  series: Readonly<Record<string, readonly number[]>>,
): NativeChart {
  const categories = distinct(labels.map((label) => fitCharacters(label, LABEL_LENGTH)));
  return {
    title: fitTitle(title.trim() === '' ? 'Chart' : title),
    chart: {
      type: 'bar',
      series: Object.entries(series).map(([name, values]) => ({
        name,
        data: categories.map((label, index) => ({ label, value: values[index] ?? 0 })),
      })),
      axis_config: { categories, ...axes },
    },
  };
}

/** As many whole facts as fit. */
function fitTitle(title: string): string {
  const facts = title.split(' · ');
  while (facts.length > 1 && facts.join(' · ').length > TITLE_LENGTH) facts.pop();
  return fitCharacters(facts.join(' · '), TITLE_LENGTH);
}

/** Slack uses labels as keys, so shortened names and repeated hours must stay distinct. */
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

const MAX_POINTS = 20;

const ROUND_MS = [
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28, 56, 91, 182, 365].map((days) => days * DAY_MS),
];

function nativeTimeline(spec: TimelineChart): NativeChart | null {
  const { timeline, previous, baseline, zone } = spec;
  const { fromMs, toMs, intervalMs } = timeline;
  const bucketMs = bucketLength(timeline);
  const [attacks, requests] = [sums(timeline, 'attacks', bucketMs), sums(timeline, 'requests', bucketMs)];
  // Requests outnumber attacks by orders of magnitude, so on a single axis they only make sense without attacks.
  const quiet = [...attacks.values()].every((count) => count === 0);
  const isOfRequests = spec.about === 'requests';
  // A column without any numbers is omitted: zero would be wrong, and the labels show the gap.
  const all = [...new Set([...attacks.keys(), ...(quiet || isOfRequests ? requests.keys() : [])])].sort(
    (a, b) => a - b,
  );
  const known = all.filter((index) => isMostlyFinished(timeline, index, bucketMs));
  if (known.length === 0) return null;
  const series: Record<string, number[]> = {};
  const add = (name: string, counts: ReadonlyMap<number, number>) => {
    if (known.every((index) => counts.has(index))) series[name] = known.map((index) => counts.get(index) ?? 0);
  };
  if (!isOfRequests) add('Attacks', attacks);
  if (quiet || isOfRequests) add('Requests', requests);
  if (baseline !== null && !isOfRequests) {
    const points = baseline.points.map(({ endMs, high }) => ({ endMs, attacks: Math.round(high), requests: null }));
    add('Usual, at most', sums({ ...timeline, points }, 'attacks', bucketMs));
  }
  if (previous !== null) add(seriesName(spec.previousName), sums(previous, 'attacks', bucketMs));
  if (Object.keys(series).length === 0) return null;
  const labels = known.map((index) => label(spec, index * bucketMs + fromMs, bucketMs));
  const unit = `per ${bucketName(Math.max(bucketMs, intervalMs))}`;
  const yLabel = isOfRequests ? `Requests ${unit}` : quiet ? `Count ${unit}` : `Attacks ${unit}`;
  const axes = { x_label: offsetsInWords(fromMs, toMs, zone), y_label: fitCharacters(yLabel, LABEL_LENGTH) };
  return native(spec.title, axes, withOffsets(spec, labels, known, bucketMs), series);
}

/** An incomplete column must be at least half full: a stump at the end would look like a drop. */
function isMostlyFinished({ fromMs, toMs, settledUntilMs }: Timeline, index: number, bucketMs: number): boolean {
  return settledUntilMs >= Math.min(toMs, fromMs + (index + 0.5) * bucketMs);
}

/** The shortest round length that holds whole intervals and needs at most the allowed number of columns. */
function bucketLength({ fromMs, toMs, intervalMs, points }: Timeline): number {
  const endMs = Math.max(toMs, points[points.length - 1]?.endMs ?? toMs);
  const fits = (ms: number) => ms >= intervalMs && ms % intervalMs === 0 && (endMs - fromMs) / ms <= MAX_POINTS;
  const least = Math.max(1, Math.ceil((endMs - fromMs) / MAX_POINTS / intervalMs));
  return ROUND_MS.find(fits) ?? least * intervalMs;
}

/** Complete intervals only. */
function sums(
  { points, fromMs, intervalMs, settledUntilMs }: Timeline,
  series: SeriesName,
  bucketMs: number,
): Map<number, number> {
  const found = new Map<number, number>();
  for (const point of points) {
    const value = point[series];
    // An interval that begins before the window belongs to the first column.
    const index = Math.max(0, Math.floor((point.endMs - intervalMs - fromMs) / bucketMs));
    if (value !== null && point.endMs <= settledUntilMs) found.set(index, (found.get(index) ?? 0) + value);
  }
  return found;
}

function label({ timeline, zone }: TimelineChart, startMs: number, bucketMs: number): string {
  // After a clock change, columns of days start an hour off midnight; they stand for the day they mostly cover.
  const at = zoned(bucketMs >= DAY_MS ? startMs + 2 * HOUR_MS : startMs, zone);
  const soFar = Math.min(startMs + bucketMs, timeline.toMs) > timeline.settledUntilMs ? ' (so far)' : '';
  const spanMs = timeline.toMs - timeline.fromMs;
  if (bucketMs >= DAY_MS) return `${dayAndMonth(at)}${soFar}`;
  if (spanMs <= DAY_MS) return `${clock(at)}${soFar}`;
  return spanMs <= 7 * DAY_MS
    ? `${dayInWords(at).slice(0, 3)} ${clock(at)}${soFar}`
    : `${dayAndMonth(at)} ${clock(at)}`;
}

/** The hour that repeats when clocks go back gets its UTC offset. */
function withOffsets(
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

/** Slack cuts off long axis labels, so hours and minutes are abbreviated. */
const bucketName = (ms: number): string =>
  duration(ms, { units: ['day', 'hour', 'minute'], form: 'short', bareOne: ms >= HOUR_MS });
