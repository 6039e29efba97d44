/** Requests as a quiet area on the left scale, attacks as a strong line on the right one, and what a check has to say. */
import { compactCount } from '../../insight/numbers.ts';
import type { ChartConfig } from './chart-json.ts';
import type { TimelineChart } from './chart-spec.ts';
import type { Trace } from './columns.ts';
import { type CountAxis, countAxis } from './count-axis.ts';
import {
  card,
  firstThatFits,
  head,
  hiddenScale,
  INNER,
  LINE_PX,
  legend,
  legendRows,
  sentence,
  still,
  TEXT_PX,
} from './layout.ts';
import { type Mark, type MarkLabels, markLabels } from './mark-labels.ts';
import { type Palette, palette } from './palette.ts';
import { textWidth } from './text-fit.ts';
import { clock, DAY_MS, intervalInWords, offsetName, windowInWords, zoned } from './time-words.ts';
import { countAxisWords, markAxis, timeAxis, timeTicksOf } from './timeline-axes.ts';
import { timelineDatasets } from './timeline-datasets.ts';
import { type TimelineView, timelineView } from './timeline-view.ts';

const BASE_HEIGHT = 312;
const EMPTY_HEIGHT = 220;
const BOTTOM = 8;

export function timelineConfig(spec: TimelineChart): ChartConfig {
  const colours = palette(spec.theme);
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
  const plugins = { ...head(spec.title, [secondLine(spec)], colours), legend: legend(true, colours) };
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
  const config = { type: 'line', data: { datasets }, options: still(plugins, scales, BOTTOM) };
  return card(spec.theme, BASE_HEIGHT + (rows + marks.rows - 1) * LINE_PX, config);
}

/** Only the time and a sentence: an empty grid would look like a chart of zeros. */
function emptyTimeline(spec: TimelineChart, view: TimelineView): ChartConfig {
  const colours = palette(spec.theme);
  const plugins = { ...head(spec.title, [secondLine(spec)], colours), legend: legend(false, colours) };
  const scales = {
    x: hiddenScale('x', 0, (view.toMs - view.fromMs) / 1000),
    y: hiddenScale('y', 0, 1),
    time: timeAxis(spec, view, timeTicksOf(spec, view).ticks, '', { ...colours, axis: 'transparent' }),
    sentence: sentence('No data for this window', colours),
  };
  const config = { type: 'line', data: { datasets: [] }, options: still(plugins, scales, BOTTOM) };
  return card(spec.theme, EMPTY_HEIGHT, config);
}

function secondLine(spec: TimelineChart): string {
  if (spec.subtitle !== null) return spec.subtitle;
  const { fromMs, toMs } = spec.timeline;
  const window = windowInWords(fromMs, toMs, spec.zone);
  const [first, last] = [offsetName(zoned(fromMs, spec.zone)), offsetName(zoned(toMs, spec.zone))];
  const offset = first === last ? first : `${first}, then ${last}`;
  const full = spec.zone === 'UTC' ? 'UTC' : `${spec.zone} (${offset})`;
  return firstThatFits([`${window} · ${full}`, `${window} · ${spec.zone}`, `${window} · ${offset}`]);
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
