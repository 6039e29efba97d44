/** Requests as a quiet area on the left scale, attacks as a strong line on the right one, and what a check found. */
import { compactCount } from '../../insight/format.ts';
import {
  type ChartConfig,
  card,
  chartOptions,
  head,
  hiddenScale,
  INNER,
  type JsonObject,
  LINE_PX,
  legend,
  legendLabel,
  legendRows,
  sentence,
  TEXT_PX,
  textWidth,
} from './layout.ts';
import { PALETTES, type Palette } from './palette.ts';
import { clock, DAY_MS, intervalInWords, subjectLine, zoned } from './time-labels.ts';
import {
  type CountAxis,
  countAxis,
  countAxisWords,
  type Mark,
  type MarkLabels,
  markAxis,
  markLabels,
  timeAxis,
  timeTicksOf,
} from './timeline-axes.ts';
import { type SeriesName, type TimelineChart, type TimelineView, type Trace, timelineView } from './timeline-chart.ts';

const BASE_HEIGHT = 312;
const EMPTY_HEIGHT = 220;
const BOTTOM = 8;

export function timelineConfig(spec: TimelineChart): ChartConfig {
  const colours = PALETTES[spec.theme];
  const view = timelineView(spec);
  if (!view.hasData) return emptyTimeline(spec, view);
  const highs = (spec.baseline?.points ?? []).map((point) => ({ startMs: 0, value: point.high }));
  const left = countAxis(largest(view.requests, view.fillingRequests));
  const right = countAxis(largest(view.attacks, view.fillingAttacks, view.previousAttacks, highs));
  const datasets = timelineDatasets(spec, view, colours);
  const { ticks, roomBelow } = timeTicksOf(spec, view);
  const note = view.fillingAttacks.length + view.fillingRequests.length > 0 ? 'unfinished' : '';
  const marks = placeMarks(spec, view, left, right, roomBelow ? '' : note, colours);
  const rows = legendRows(datasets.map((dataset) => String(dataset.label)));
  const plugins = { ...head(spec.title, [subjectLine(spec, spec.timeline)], colours), legend: legend(true, colours) };
  const scales = {
    x: hiddenScale('x', 0, (view.toMs - view.fromMs) / 1000),
    requests: hiddenScale('y', 0, left.max),
    attacks: hiddenScale('y', 0, right.max),
    // Before the time axis, so that its lines lie under the upright ones.
    left: countAxisWords('left', left, colours.requestsInk, colours),
    time: timeAxis(spec, view, ticks, roomBelow ? note : '', colours),
    marks: markAxis(marks),
    right: countAxisWords('right', right, colours.attacksInk, colours),
  };
  const config = { type: 'line', data: { datasets }, options: chartOptions(plugins, scales, BOTTOM) };
  return card(spec.theme, BASE_HEIGHT + (rows + marks.rows - 1) * LINE_PX, config);
}

/** Only the time and a sentence: an empty grid would look like a chart of zeros. */
function emptyTimeline(spec: TimelineChart, view: TimelineView): ChartConfig {
  const colours = PALETTES[spec.theme];
  const plugins = { ...head(spec.title, [subjectLine(spec, spec.timeline)], colours), legend: legend(false, colours) };
  const scales = {
    x: hiddenScale('x', 0, (view.toMs - view.fromMs) / 1000),
    y: hiddenScale('y', 0, 1),
    time: timeAxis(spec, view, timeTicksOf(spec, view).ticks, '', { ...colours, axis: 'transparent' }),
    sentence: sentence('No data for this window', colours),
  };
  const config = { type: 'line', data: { datasets: [] }, options: chartOptions(plugins, scales, BOTTOM) };
  return card(spec.theme, EMPTY_HEIGHT, config);
}

/** In order of their claim to the row next to the plot. */
function marksOf(spec: TimelineChart, view: TimelineView, note: string, colours: Palette): Mark[] {
  const { peak, fromMs, toMs } = view;
  const marks: Mark[] = [];
  const instant = (atMs: number, word: string) =>
    marks.push({ atMs, text: `${word} ${clock(zoned(atMs, spec.zone))}`, ink: colours.mark });
  if (spec.onsetMs !== null) instant(spec.onsetMs, 'onset');
  if (spec.endMs !== null) instant(spec.endMs, 'over');
  if (peak !== null) {
    const when = intervalInWords(peak.startMs, peak.endMs, spec.zone, toMs - fromMs > DAY_MS);
    marks.push({
      atMs: peak.startMs,
      text: `peak ${compactCount(peak.value)} attacks · ${when}`,
      ink: colours.attacksInk,
    });
  } else {
    const text = view.totalAttacks === null ? 'no numbers for attacks' : 'no attacks';
    marks.push({ atMs: (fromMs + toMs) / 2, text, ink: colours.quietInk });
  }
  if (note !== '') marks.push({ atMs: toMs, text: note, ink: colours.quietInk });
  return marks.filter((mark) => mark.atMs >= fromMs && mark.atMs <= toMs);
}

function placeMarks(
  spec: TimelineChart,
  view: TimelineView,
  left: CountAxis,
  right: CountAxis,
  note: string,
  colours: Palette,
): MarkLabels {
  const inside = marksOf(spec, view, note, colours);
  const sides = [left, right].map((axis) => 16 + Math.max(...axis.labels.map((label) => textWidth(label, TEXT_PX))));
  const [leftPx = 0, rightPx = 0] = sides;
  return markLabels(inside, view.fromMs, view.toMs, INNER - leftPx - rightPx, Math.min(leftPx, rightPx));
}

function largest(...traces: readonly Trace[]): number {
  let most = 0;
  for (const trace of traces) for (const { value } of trace) if (value !== null && value > most) most = value;
  return most;
}

const RING_PX = 5;
/** With its border of 3 px this is a full dot. */
const LONE_PX = 1.5;
/** From here on a thick line would be a block. */
const DENSE = 120;
/** Chart.js gives every dataset a place in the legend; one without words and sign is put last, where it does not show. */
const UNNAMED = '';

/** The lines and areas, from the top down; the legend lists them in this order. */
function timelineDatasets(spec: TimelineChart, view: TimelineView, colours: Palette): JsonObject[] {
  const dense = view.attacks.length > DENSE;
  const strong = {
    borderColor: colours.attacks,
    borderWidth: dense ? 2 : 3,
    pointBorderWidth: 3,
    pointBackgroundColor: colours.card,
  };
  const area = {
    borderColor: colours.requestsEdge,
    backgroundColor: colours.requestsFill,
    pointBackgroundColor: colours.requestsFill,
    pointBorderWidth: 1.5,
    borderWidth: 1.5,
    fill: 'origin',
  };
  const faint = { borderColor: colours.previous, borderWidth: 2, borderDash: [1.5, 4], borderCapStyle: 'round' };
  const peak = view.peak?.startMs;
  const attacks = legendLabel(`Attacks ${count(view.totalAttacks)} (right)`);
  const requests = legendLabel(`Requests ${count(view.totalRequests)} (left)`);
  const list = [
    line(view, 'attacks', attacks, view.attacks, strong, peak),
    line(view, 'attacks', legendLabel('attacks before (dotted)'), view.previousAttacks, faint),
    band(spec, view, colours),
    line(view, 'requests', requests, view.requests, { ...area, pointStyle: 'rect' }),
    line(view, 'attacks', UNNAMED, view.fillingAttacks, { ...strong, borderDash: [5, 5], pointStyle: false }, peak),
    line(view, 'requests', UNNAMED, view.fillingRequests, { ...area, ...unfinishedArea(colours), pointStyle: false }),
  ];
  // Requests and attacks are named also when there are none of them.
  return list
    .filter(({ points, json }) => points > 0 || json.label === attacks || json.label === requests)
    .map(({ json }, index) => ({ ...json, order: index }));
}

interface Dataset {
  readonly points: number;
  readonly json: JsonObject;
}

function line(
  view: TimelineView,
  scale: SeriesName,
  label: string,
  plain: Trace,
  style: JsonObject,
  ringMs?: number,
): Dataset {
  const size = (trace: Trace, index: number) => {
    const sample = trace[index];
    if (sample === undefined || sample.value === null) return 0;
    return sample.startMs === ringMs ? RING_PX : isAlone(trace, index) ? LONE_PX : 0;
  };
  // The legend takes its sign from the first point, which therefore must not be a dot: an empty one goes before it.
  const trace = size(plain, 0) > 0 ? [{ startMs: plain[0]?.startMs ?? 0, value: null }, ...plain] : plain;
  const radius = trace.map((_, index) => size(trace, index));
  const dots = radius.some((px) => px > 0);
  const sign = style.pointStyle ?? 'line';
  const json = {
    type: 'line',
    label,
    xAxisID: 'x',
    yAxisID: scale,
    parsing: false,
    data: trace.map(({ startMs, value }) => ({ x: seconds(view, startMs), y: value })),
    tension: 0,
    spanGaps: false,
    clip: RING_PX + 3,
    backgroundColor: 'transparent',
    borderJoinStyle: trace.length > DENSE ? 'bevel' : 'round',
    ...style,
    pointRadius: dots ? radius : 0,
    pointStyle: dots ? radius.map((px) => (px > 0 ? 'circle' : sign)) : sign,
  };
  return { points: trace.length, json };
}

/** A number with nothing on either side has no line to be part of. */
function isAlone(trace: Trace, index: number): boolean {
  const before = trace[index - 1]?.value ?? null;
  const after = trace[index + 1]?.value ?? null;
  return before === null && after === null;
}

function unfinishedArea(colours: Palette): JsonObject {
  return { borderDash: [4, 4], backgroundColor: colours.requestsFaintFill };
}

/** One closed shape: along the upper edge and back along the lower. */
function band(spec: TimelineChart, view: TimelineView, colours: Palette): Dataset {
  const { intervalMs } = spec.timeline;
  const points = (spec.baseline?.points ?? [])
    .map((point) => ({ ...point, startMs: point.endMs - intervalMs }))
    .filter((point) => point.startMs >= view.fromMs && point.startMs <= view.toMs);
  const upper = points.map((point) => ({ x: seconds(view, point.startMs), y: point.high }));
  const lower = points.map((point) => ({ x: seconds(view, point.startMs), y: Math.max(0, point.low) })).toReversed();
  const json = {
    type: 'line',
    label: legendLabel('usual'),
    xAxisID: 'x',
    yAxisID: 'attacks',
    parsing: false,
    data: [...upper, ...lower],
    fill: 'shape',
    backgroundColor: colours.band,
    borderColor: colours.bandEdge,
    pointBackgroundColor: colours.band,
    borderWidth: 1,
    pointRadius: 0,
    pointStyle: 'rect',
  };
  return { points: points.length, json };
}

/** Places on the axis are seconds from its left end: short to write, and the same for the same shape. */
function seconds(view: TimelineView, atMs: number): number {
  return (atMs - view.fromMs) / 1000;
}

function count(total: number | null): string {
  return total === null ? '–' : compactCount(total);
}
