/** The lines and areas of a timeline. Order is from the top down, and the legend lists them in that order. */
import { compactCount } from '../../insight/numbers.ts';
import type { JsonObject } from './chart-json.ts';
import type { TimelineChart } from './chart-spec.ts';
import type { Trace } from './columns.ts';
import { legendLabel } from './layout.ts';
import type { Palette } from './palette.ts';
import type { TimelineView } from './timeline-view.ts';

type Scale = 'requests' | 'attacks';

const RING_PX = 5;
/** With its border of 3 px this is a full dot. */
const LONE_PX = 1.5;
/** From here on a thick line would be a block. */
const DENSE = 120;
/** Chart.js gives every dataset a place in the legend; one without words and sign is put last, where it does not show. */
const UNNAMED = '';

export function timelineDatasets(spec: TimelineChart, view: TimelineView, colours: Palette): JsonObject[] {
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
  scale: Scale,
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
