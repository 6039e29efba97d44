/** Requests as a quiet area on the left scale, attacks as a strong line on the right one, and what a check has to say. */
import { compactCount } from '../../insight/numbers.ts';
import type { ChartConfig, Json } from './chart-config.ts';
import type { TimelineChart } from './chart-spec.ts';
import type { Trace } from './columns.ts';
import { AXIS_STEPS, type CountAxis, countAxis } from './count-axis.ts';
import { font, head, MARGIN, PIXEL_RATIO, TEXT_PX, WIDTH } from './layout.ts';
import { type Palette, palette } from './palette.ts';
import { slotsFor } from './tick-slots.ts';
import { timeTicks } from './time-ticks.ts';
import { intervalInWords, offsetName, windowInWords, zoned } from './time-words.ts';
import { type TimelineView, timelineView } from './timeline-view.ts';

const HEIGHT = 340;
const MOST_TICKS = 6;

export function timelineConfig(spec: TimelineChart): ChartConfig {
  const colours = palette(spec.theme);
  const view = timelineView(spec);
  const baseline = spec.baseline?.points ?? [];
  const left = countAxis(largest(view.requests, view.fillingRequests, view.previousRequests));
  const highs = baseline.map((point) => ({ startMs: 0, value: point.high }));
  const right = countAxis(largest(view.attacks, view.fillingAttacks, view.previousAttacks, highs));
  const config: Json = {
    type: 'line',
    data: { datasets: datasets(view, colours) },
    options: {
      animation: false,
      responsive: false,
      layout: { padding: { left: MARGIN, right: MARGIN, top: 14, bottom: 10 } },
      plugins: {
        ...head(spec.title, spec.subtitle ?? defaultSubtitle(spec), colours),
        legend: legend(colours),
        tooltip: { enabled: false },
        decimation: { enabled: false },
      },
      scales: {
        x: { type: 'linear', display: false, min: view.fromMs, max: view.toMs },
        requests: { type: 'linear', axis: 'y', display: false, min: 0, max: left.max },
        attacks: { type: 'linear', axis: 'y', display: false, min: 0, max: right.max },
        time: timeAxis(spec, view, colours),
        peak: peakAxis(spec, view, colours),
        left: sideAxis('left', left, colours.requestsInk, colours),
        right: sideAxis('right', right, colours.attacksInk, colours),
      },
    },
  };
  return { width: WIDTH, height: HEIGHT, pixelRatio: PIXEL_RATIO, background: colours.card, config };
}

function defaultSubtitle(spec: TimelineChart): string {
  const { fromMs, toMs } = spec.timeline;
  return `${windowInWords(fromMs, toMs, spec.zone)} · ${spec.zone} ${offsetName(zoned(toMs, spec.zone))}`;
}

function largest(...traces: readonly Trace[]): number {
  let most = 0;
  for (const trace of traces) for (const { value } of trace) if (value !== null && value > most) most = value;
  return most;
}

function datasets(view: TimelineView, colours: Palette): Json[] {
  const list: Json[] = [
    line('attacks', `Attacks ${count(view.totalAttacks)}`, view.attacks, {
      borderColor: colours.attacks,
      backgroundColor: colours.attacks,
      borderWidth: 3,
      order: 1,
    }),
    line('requests', `Requests ${count(view.totalRequests)}`, view.requests, {
      borderColor: colours.requestsEdge,
      backgroundColor: colours.requestsFill,
      borderWidth: 1.5,
      fill: 'origin',
      pointStyle: 'rect',
      order: 6,
    }),
  ];
  return list;
}

function line(scale: 'requests' | 'attacks', label: string, trace: Trace, style: { [key: string]: Json }): Json {
  return {
    type: 'line',
    label,
    yAxisID: scale,
    parsing: false,
    data: trace.map(({ startMs, value }) => ({ x: startMs, y: value })),
    pointRadius: 0,
    pointStyle: 'line',
    tension: 0,
    spanGaps: false,
    ...style,
  };
}

function count(total: number | null): string {
  return total === null ? '–' : compactCount(total);
}

function legend(colours: Palette): Json {
  return {
    display: true,
    position: 'top',
    align: 'start',
    labels: {
      usePointStyle: true,
      pointStyleWidth: 26,
      boxHeight: 10,
      padding: 8,
      color: colours.ink,
      font: font(400),
    },
  };
}

function timeAxis(spec: TimelineChart, view: TimelineView, colours: Palette): Json {
  const ticks = timeTicks(view.fromMs, view.toMs, spec.zone, MOST_TICKS);
  const slots = slotsFor(ticks.map(({ atMs }) => (atMs - view.fromMs) / (view.toMs - view.fromMs)));
  const labels: Json[] = Array.from({ length: slots.count + 1 }, () => '');
  ticks.forEach((tick, index) => {
    labels[slots.at[index] ?? 0] = [...tick.lines];
  });
  return {
    type: 'category',
    axis: 'x',
    position: 'bottom',
    labels,
    min: 0,
    max: slots.count,
    offset: false,
    border: { color: colours.axis },
    grid: { drawOnChartArea: false, drawTicks: false },
    ticks: { autoSkip: false, maxRotation: 0, color: colours.quietInk, font: font(400), padding: 6 },
  };
}

function peakAxis(spec: TimelineChart, view: TimelineView, colours: Palette): Json {
  const labels = Array.from({ length: 49 }, () => '');
  const { peak } = view;
  let align = 'center';
  if (peak !== null) {
    const share = (peak.startMs - view.fromMs) / (view.toMs - view.fromMs);
    align = share < 0.2 ? 'start' : share > 0.8 ? 'end' : 'center';
    const when = intervalInWords(peak.startMs, peak.endMs, spec.zone, view.toMs - view.fromMs > 86_400_000);
    labels[Math.round(share * 48)] = `peak ${compactCount(peak.value)} · ${when}`;
  }
  return {
    type: 'category',
    axis: 'x',
    position: 'top',
    labels,
    min: 0,
    max: 48,
    offset: false,
    border: { display: false },
    grid: { display: false },
    ticks: { autoSkip: false, maxRotation: 0, align, color: colours.attacksInk, font: font(600), padding: 4 },
  };
}

function sideAxis(side: 'left' | 'right', axis: CountAxis, ink: string, colours: Palette): Json {
  return {
    type: 'category',
    axis: 'y',
    position: side,
    labels: axis.labels.toReversed(),
    min: 0,
    max: AXIS_STEPS,
    offset: false,
    border: { display: false },
    grid: { display: side === 'left', color: colours.grid, drawTicks: false, lineWidth: 1 },
    ticks: { autoSkip: false, color: ink, font: font(400, TEXT_PX), padding: 8 },
  };
}
