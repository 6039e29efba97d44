/**
 * A timeline chart: what it shows, as plain data without pixels or a library; the same data prepared for drawing (traces reduced
 * to what pixels can show, the peak, and where incomplete data begins); and one Chart.js configuration of it.
 *
 * It has two panels: attacks with their usual range, and below them a thin strip of requests on the same time axis. Each panel
 * has its own unit and scale (counts from zero in round steps, cut off if one peak would flatten the rest); incomplete data is
 * hatched. Below is the clock with round times in the reader's zone, above are marks and names.
 */
import { compactCount, duration } from '../../statistics/format.ts';
import type { BandPoint, Timeline, TimelinePoint } from '../../statistics/timeline.ts';
import { clock, dayAndMonth, dayInWords, isMidnight, monthName, offsetName, zoned } from '../../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import {
  type ChartConfig,
  type ChartSubject,
  card,
  cardScale,
  emptyCard,
  fitText,
  font,
  hiddenScale,
  INNER,
  type JsonObject,
  MAX_SLOTS,
  type PlacedWord,
  slotAxis,
  slotsFor,
  subjectLine,
  TEXT_PX,
  textWidth,
  wordRow,
} from './layout.ts';
import { COLORS } from './palette.ts';

/** The usual range, on the scale of attacks. */
interface Baseline {
  readonly points: readonly BandPoint[];
}

/** A time that stands out. */
export interface ChartMark {
  readonly onsetMs: number;
  /** `null` while it's ongoing. */
  readonly endMs: number | null;
  /** The panel it's marked in. */
  readonly of: SeriesName;
}

export interface TimelineChart extends ChartSubject {
  readonly kind: 'timeline';
  /** The finding. */
  readonly title: string;
  readonly timeline: Timeline;
  /** Drawn shifted, so that both start together. */
  readonly previous: Timeline | null;
  /** Name of the previous period: `the day before`. */
  readonly previousName: string;
  readonly baseline: Baseline | null;
  /** The most important first: the first of each panel gets lines and words, the others only a shade. */
  readonly marks: readonly ChartMark[];
  /** What the finding is about: shown if there is only room for one of the two. */
  readonly about: SeriesName;
}

type TimelineChartInput = Omit<Partial<TimelineChart>, 'kind' | 'project' | 'hosts'> &
  Pick<TimelineChart, 'title' | 'zone' | 'timeline'> & {
    readonly hosts: readonly { readonly name: string }[];
    /** When the episode that the finding is about began and ended. */
    readonly onsetMs?: number | undefined;
    readonly endMs?: number | undefined;
  };

export function timelineChart({ onsetMs, endMs, ...input }: TimelineChartInput): TimelineChart {
  return {
    ...input,
    kind: 'timeline',
    hosts: [...new Set(input.hosts.map(({ name }) => name))],
    window: input.window ?? null,
    previous: input.previous ?? null,
    previousName: input.previousName ?? 'the period before',
    baseline: input.baseline ?? null,
    marks: [...onlyMark({ ...input, onsetMs, endMs }), ...(input.marks ?? [])],
    about: input.about ?? 'attacks',
  };
}

/** Without an onset, it began before the window. */
function onlyMark({ timeline, onsetMs, endMs, about = 'attacks' }: TimelineChartInput): ChartMark[] {
  if (onsetMs === undefined && endMs === undefined) return [];
  return [{ onsetMs: onsetMs ?? timeline.fromMs - timeline.intervalMs, endMs: endMs ?? null, of: about }];
}

interface ChartPeak {
  readonly startMs: number;
  readonly endMs: number;
  readonly value: number;
}

/** The data ready to be placed: finished intervals only, and where what is still filling begins. */
export interface TimelineView {
  /** Whole intervals: no edge cuts one. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly requests: Trace;
  readonly attacks: Trace;
  readonly previousAttacks: Trace;
  /** From here to the right edge, numbers are still coming in; null if all are there. */
  readonly fillingFromMs: number | null;
  /** The peaks of the drawn part. */
  readonly peak: ChartPeak | null;
  readonly requestsPeak: ChartPeak | null;
  /** Whether there is at least one number in the window, drawn or not. */
  readonly hasData: boolean;
}

export type SeriesName = 'requests' | 'attacks';

/** This long after the end of a window, nothing more will arrive. */
const LATE_MS = 5 * 60_000;

export function timelineView({ timeline, previous }: TimelineChart): TimelineView {
  const { intervalMs, settledUntilMs, asOfMs, points } = timeline;
  const grid = gridOf(timeline);
  const finishedMs = grid.down(Math.min(grid.endMs, settledUntilMs));
  const isLate = settledUntilMs < grid.endMs && asOfMs < timeline.toMs + LATE_MS;
  const isFinished = ({ endMs }: TimelinePoint) => endMs - intervalMs >= grid.fromMs && endMs <= finishedMs;
  const drawn = { ...timeline, points: points.filter(isFinished) };
  // An old interval that the window cuts off will never be complete, so it isn't shown.
  const toMs = isLate || finishedMs <= grid.fromMs ? grid.up(grid.endMs) : finishedMs;
  const shiftMs = previous === null ? 0 : timeline.fromMs - previous.fromMs;
  const before = previous === null ? [] : trace(previous, 'attacks', shiftMs);
  return {
    fromMs: grid.fromMs,
    toMs,
    requests: trace(drawn, 'requests'),
    attacks: trace(drawn, 'attacks'),
    previousAttacks: before.filter((at) => at.startMs >= grid.fromMs && at.startMs < (isLate ? finishedMs : toMs)),
    fillingFromMs: isLate ? Math.max(grid.fromMs, finishedMs) : null,
    peak: findPeak(drawn, 'attacks') ?? null,
    requestsPeak: findPeak(drawn, 'requests') ?? null,
    hasData: points.some((point) => point.requests !== null || point.attacks !== null),
  };
}

/** The intervals of the window: aligned to its points, or else to its start. */
function gridOf({ points, intervalMs, ...window }: Timeline) {
  // After the time of the answer is the future, not a gap.
  const endMs = Math.max(window.fromMs + 1, Math.min(window.toMs, window.asOfMs));
  const phaseMs = (points[0]?.endMs ?? window.fromMs) % intervalMs;
  const down = (ms: number) => Math.floor((ms - phaseMs) / intervalMs) * intervalMs + phaseMs;
  const up = (ms: number) => Math.ceil((ms - phaseMs) / intervalMs) * intervalMs + phaseMs;
  // A window shorter than one interval shows the interval that contains it.
  const fromMs = up(window.fromMs) < up(endMs) ? up(window.fromMs) : down(window.fromMs);
  return { fromMs, endMs, up, down };
}

function trace(timeline: Timeline, series: SeriesName, shiftMs = 0): Trace {
  const { intervalMs } = timeline;
  const samples: Sample[] = timeline.points.map((point) => ({
    startMs: point.endMs - intervalMs + shiftMs,
    value: point[series],
  }));
  return toTrace(samples, intervalMs);
}

/** `null` if there are no numbers. */
export function seriesTotal(timeline: Timeline, series: SeriesName): number | null {
  return timeline.points.reduce<number | null>((sum, point) => {
    const value = point[series];
    return value === null ? sum : (sum ?? 0) + value;
  }, null);
}

/** The first largest value. Zero isn't a peak. */
function findPeak(timeline: Timeline, series: SeriesName): ChartPeak | undefined {
  let best: ChartPeak | undefined;
  for (const point of timeline.points) {
    const value = point[series];
    if (value !== null && value > (best?.value ?? 0)) {
      best = { startMs: point.endMs - timeline.intervalMs, endMs: point.endMs, value };
    }
  }
  return best;
}

export interface Sample {
  /** Start of the interval: a count of 14:00–15:00 is at 14:00. */
  readonly startMs: number;
  readonly value: number | null;
}

/** Neighbors with a null between them aren't joined; nulls are never adjacent. */
export type Trace = readonly Sample[];

/** Two points per column; a plot of about 470 px at twice the size can't show more. */
export const MAX_COLUMNS = 150;

/** What one column shows. */
interface PixelColumn {
  low: Sample | null;
  high: Sample | null;
  /** The first missing interval. */
  gapMs: number | null;
}

/**
 * Reduces thousands of points to what pixels can show, by min/max per column: the window is divided into columns of equal
 * time, and each keeps its smallest and largest value at their own time. Unlike with largest-triangle (LTTB), every peak and
 * trough survives with its exact value, in linear time. Gaps survive too: a point without a value breaks the line.
 *
 * `samples` are sorted; an interval that isn't among them is missing, like one whose value is null.
 */
export function toTrace(samples: readonly Sample[], intervalMs: number, maxColumns = MAX_COLUMNS): Trace {
  const firstMs = samples[0]?.startMs ?? 0;
  const spanMs = (samples[samples.length - 1]?.startMs ?? 0) - firstMs + intervalMs;
  // Few points need no reduction.
  const reduce = samples.length > maxColumns * 2;
  const trace: Sample[] = [];
  let column: PixelColumn = { low: null, high: null, gapMs: null };
  let current = 0;
  let expectedMs = firstMs;
  samples.forEach((sample, index) => {
    const at = reduce ? Math.floor(((sample.startMs - firstMs) / spanMs) * maxColumns) : index;
    if (at !== current) {
      flush(column, trace);
      column = { low: null, high: null, gapMs: null };
      current = at;
    }
    // A missing interval goes before the point that reveals it.
    if (sample.startMs - expectedMs > intervalMs / 2) column.gapMs ??= expectedMs;
    expectedMs = sample.startMs + intervalMs;
    const { value } = sample;
    if (value === null) column.gapMs ??= sample.startMs;
    else {
      if (column.low === null || value < (column.low.value ?? 0)) column.low = sample;
      if (column.high === null || value > (column.high.value ?? 0)) column.high = sample;
    }
  });
  flush(column, trace);
  // A column of equal values keeps only the first, but the line ends where the data ends.
  const last = samples[samples.length - 1];
  if (last !== undefined && last.value !== null && trace[trace.length - 1]?.startMs !== last.startMs) trace.push(last);
  return trace;
}

/** Smallest, largest and gap in order of time. */
function flush({ low, high, gapMs }: PixelColumn, trace: Sample[]): void {
  const samples = [low, high === low ? null : high, gapMs === null ? null : { startMs: gapMs, value: null }];
  for (const sample of samples.filter((one) => one !== null).sort((a, b) => a.startMs - b.startMs)) {
    const last = trace[trace.length - 1];
    const twice = sample.value === null && (last === undefined || last.value === null);
    if (!twice) trace.push(sample);
  }
}

export function timelineConfig(spec: TimelineChart): ChartConfig {
  const view = timelineView(spec);
  const head = { title: spec.title, below: [subjectLine(spec, spec.timeline)] };
  if (!view.hasData) return emptyCard(head, 'No data for this window');
  const plot = plotOf(spec, view);
  const marks = marksOf(spec, view);
  const stripMarks = markedInstants(spec, view, 'requests').map((mark) => ({ ...mark, ink: COLORS.mark }));
  const { words, samples } = headWords(`Attacks per ${unitOf(spec)}`, namesOf(spec, view));
  const scales = {
    ...dataScales(plot),
    counts: countWords(plot),
    clock: clockWords(plot),
    attacksHead: wordRow(words, { topPx: 0, align: 'start', weight: 600 }),
    requestsHead: wordRow([{ atPx: 0, text: stripName(spec), ink: COLORS.requestsInk }], {
      topPx: plot.attacks.bottom + STRIP_NAME_PX,
      align: 'start',
      weight: 600,
    }),
    ...(marks.length === 0 ? {} : { marks: markWords(marks, plot, MARKS_TOP, plot.leftPx) }),
    ...stripMarkWords(spec, stripMarks, plot),
    ...cutWords(spec, view, plot),
    ...(view.fillingFromMs === null ? {} : { notes: noteWords() }),
  };
  const datasets = [
    ...peakDots(spec, view, plot),
    ...attackLines(spec, view, plot),
    ...samples.map((sample) => sampleOf(sample, plot)),
    ...markLines(markedInstants(spec, view, 'attacks'), plot.attacks, plot),
    ...markLines(stripMarks, plot.requests, plot),
    ...usualBand(spec, plot),
    ...requestsArea(spec, view, plot),
    ...hatching(view, plot),
    ...gridLines(plot),
    ...markShades(spec, view, plot),
  ].map((dataset, order) => ({ ...dataset, order }));
  return card(head, { heightPx: plot.heightPx, type: 'line', datasets, scales });
}

function unitOf({ timeline }: TimelineChart): string {
  return duration(timeline.intervalMs, { bareOne: true });
}

function namesOf(spec: TimelineChart, view: TimelineView): { of: HeadSample['of']; name: string }[] {
  return [
    ...(spec.baseline === null || spec.baseline.points.length === 0 ? [] : [{ of: 'usual', name: 'usual' } as const]),
    ...(view.previousAttacks.length === 0 ? [] : [{ of: 'previous', name: spec.previousName } as const]),
  ];
}

const stripName = (spec: TimelineChart): string => `Requests per ${unitOf(spec)}`;

/** When it began and ended, or else the peak. */
function marksOf(spec: TimelineChart, view: TimelineView): Mark[] {
  const instants = markedInstants(spec, view, 'attacks');
  if (instants.length > 0) return instants.map((mark) => ({ ...mark, ink: COLORS.mark }));
  const { peak } = view;
  if (peak !== null) {
    const atMs = peak.startMs + middleOf(spec, view);
    return [{ atMs, text: `peak ${peakWords(spec, view, peak)}`, ink: COLORS.attacksInk }];
  }
  if (view.attacks.length === 0 && view.requests.length === 0) return [];
  const text = view.attacks.some(({ value }) => value !== null) ? 'no attacks' : 'no data for attacks';
  return [{ atMs: (view.fromMs + view.toMs) / 2, text, ink: COLORS.quietInk }];
}

/** Where the most important mark of a panel begins and ends, as far as that's in the window. */
function markedInstants({ marks, zone }: TimelineChart, { fromMs, toMs }: TimelineView, of: SeriesName) {
  const lead = marks.find((mark) => mark.of === of && isInside(mark, fromMs, toMs));
  if (lead === undefined) return [];
  const words = [
    { atMs: lead.onsetMs, word: 'began' },
    { atMs: lead.endMs, word: 'ended' },
  ];
  const shown = words.flatMap(({ atMs, word }) =>
    atMs === null || atMs < fromMs || atMs > toMs ? [] : [{ atMs, word, at: zoned(atMs, zone) }],
  );
  return shown.map(({ atMs, word, at }, index) => {
    const isSameDay = shown[index - 1]?.at.toPlainDate().equals(at.toPlainDate()) === true;
    const day = toMs - fromMs > DAY_MS && !isSameDay ? `${dayInWords(at)}, ` : '';
    return { atMs, text: `${word} ${day}${clock(at)}` };
  });
}

const isInside = ({ onsetMs, endMs }: ChartMark, fromMs: number, toMs: number): boolean =>
  onsetMs <= toMs && (endMs ?? toMs) >= fromMs;

interface Mark {
  readonly atMs: number;
  readonly text: string;
  readonly ink: string;
}

/** Each mark above its position, moved inward at the edges. */
function markWords(marks: readonly Mark[], plot: Plot, topPx: number, fromPx: number): JsonObject {
  const placed = marks.map((mark) => place(fromPx, mark.text, mark.ink, pxAt(plot, mark.atMs)));
  const [first, second] = placed;
  const touch =
    first !== undefined &&
    second !== undefined &&
    second.atPx - first.atPx < (first.widthPx + second.widthPx) / 2 + APART_PX;
  const words = touch ? besideEachOther(first, second, fromPx) : placed;
  return wordRow(words, { topPx, align: 'center', weight: 600 });
}

/** In the row of the strip's name, beside it. */
function stripMarkWords(spec: TimelineChart, marks: readonly Mark[], plot: Plot): JsonObject {
  if (marks.length === 0) return {};
  const fromPx = textWidth(stripName(spec), TEXT_PX) + APART_PX;
  return { stripMarks: markWords(marks, plot, plot.attacks.bottom + STRIP_NAME_PX, fromPx) };
}

const APART_PX = 14;

/** One left of its line and the other right of its own; if there's no room, joined between both. */
function besideEachOther(first: WordOverPlot, second: WordOverPlot, leftPx: number): PlacedWord[] {
  const push = Math.max(0, APART_PX - (second.wantedPx - first.wantedPx)) / 2;
  const fromPx = first.wantedPx - push - first.widthPx;
  const toPx = second.wantedPx + push + second.widthPx;
  if (fromPx < leftPx || toPx > INNER) {
    return [place(leftPx, `${first.text}, ${second.text}`, first.ink, (first.wantedPx + second.wantedPx) / 2)];
  }
  return [
    { ...first, atPx: fromPx + first.widthPx / 2 },
    { ...second, atPx: toPx - second.widthPx / 2 },
  ];
}

interface WordOverPlot extends PlacedWord {
  readonly text: string;
  readonly widthPx: number;
  readonly wantedPx: number;
}

/** Keeps clear of everything left of `leftPx`. */
function place(leftPx: number, text: string, ink: string, wantedPx: number): WordOverPlot {
  const widthPx = textWidth(text, TEXT_PX);
  const atPx = Math.max(leftPx + widthPx / 2, Math.min(INNER - widthPx / 2, wantedPx));
  return { text, ink, atPx, widthPx, wantedPx };
}

/** `366 at 05:30`, with the day if the window spans several. */
function peakWords(
  { zone, timeline }: TimelineChart,
  { fromMs, toMs }: TimelineView,
  { startMs, value }: ChartPeak,
): string {
  const at = zoned(startMs, zone);
  const count = compactCount(value);
  if (timeline.intervalMs >= DAY_MS) return `${count} on ${dayInWords(at)}`;
  return toMs - fromMs > DAY_MS ? `${count} on ${dayInWords(at)}, ${clock(at)}` : `${count} at ${clock(at)}`;
}

function noteWords(): JsonObject {
  const words = [{ atPx: INNER, text: 'still filling in', ink: COLORS.quietInk }];
  return wordRow(words, { topPx: 0, align: 'end', weight: 400 });
}

/** Peaks that are cut off and that no mark names: beside the cut, and beside the name of the strip. */
function cutWords(spec: TimelineChart, view: TimelineView, plot: Plot): JsonObject {
  const { peak, requestsPeak } = view;
  const words: Record<string, JsonObject> = {};
  if (isCut(peak, plot.attacks.max) && markedInstants(spec, view, 'attacks').length > 0) {
    const text = peakWords(spec, view, peak);
    const peakPx = pxAt(plot, peak.startMs);
    const align = peakPx > INNER / 2 ? 'end' : 'start';
    const atPx = align === 'end' ? peakPx - BESIDE_PX : peakPx + BESIDE_PX;
    const style = { topPx: plot.attacks.top + 2, align, weight: 600 } as const;
    words.cut = wordRow([{ atPx, text, ink: COLORS.attacksInk }], style);
  }
  if (isCut(requestsPeak, plot.requests.max) && markedInstants(spec, view, 'requests').length === 0) {
    const text = `peak ${peakWords(spec, view, requestsPeak)}`;
    const style = { topPx: plot.attacks.bottom + STRIP_NAME_PX, align: 'end', weight: 400 } as const;
    words.requestsCut = wordRow([{ atPx: INNER, text, ink: COLORS.requestsInk }], style);
  }
  return words;
}

const BESIDE_PX = 14;

function isCut(peak: ChartPeak | null, max: number): peak is ChartPeak {
  return peak !== null && peak.value > max;
}

/** Up to this many counts are drawn as steps as long as their intervals; more become a line. */
const MAX_STEPS = 14;
/** From here on, a thick line would become a block. */
const DENSE = 120;
const RING_PX = 5;
const ARROW_PX = 8;
const DOT_PX = 2.5;

interface Place {
  readonly x: number;
  readonly y: number | null;
}

const isStepped = ({ timeline }: TimelineChart, { fromMs, toMs }: TimelineView): boolean =>
  (toMs - fromMs) / timeline.intervalMs <= MAX_STEPS;

/** From the start of an interval to the position of its count. */
function middleOf(spec: TimelineChart, view: TimelineView): number {
  return isStepped(spec, view) ? spec.timeline.intervalMs / 2 : 0;
}

function attackLines(spec: TimelineChart, view: TimelineView, plot: Plot): JsonObject[] {
  const now = line('attacks', placesOf(spec, view, view.attacks, plot, plot.attacks), {
    borderColor: COLORS.attacks,
    borderWidth: view.attacks.length > DENSE ? 2 : 3,
    borderJoinStyle: view.attacks.length > DENSE ? 'bevel' : 'round',
  });
  const alone = isStepped(spec, view) ? [] : view.attacks.filter((_, index) => isAlone(view.attacks, index));
  const before = placesOf(spec, view, view.previousAttacks, plot, plot.attacks);
  return [
    ...dots('attacks', alone, plot, { radius: DOT_PX, pointBackgroundColor: COLORS.attacks, pointBorderWidth: 0 }),
    now,
    ...(before.length === 0 ? [] : [line('attacks', before, previousStyle())]),
  ];
}

const previousStyle = () => ({
  borderColor: COLORS.previous,
  borderWidth: 2,
  borderDash: [2, 4],
  borderCapStyle: 'round',
});

function requestsArea(spec: TimelineChart, view: TimelineView, plot: Plot): JsonObject[] {
  const { max } = plot.requests;
  const within = view.requests.map(({ startMs, value }) => ({
    startMs,
    value: value === null ? null : Math.min(value, max),
  }));
  const style = {
    borderColor: COLORS.requests,
    borderWidth: 1.5,
    backgroundColor: COLORS.requestsFill,
    fill: 'origin',
  };
  const alone = isStepped(spec, view) ? [] : within.filter((_, index) => isAlone(within, index));
  return [
    ...dots('requests', alone, plot, { radius: DOT_PX, pointBackgroundColor: COLORS.requests, pointBorderWidth: 0 }),
    line('requests', placesOf(spec, view, within, plot, plot.requests), style),
  ];
}

/** A ring at the peak, or a triangle if the peak is cut off at the top. */
function peakDots(spec: TimelineChart, view: TimelineView, plot: Plot): JsonObject[] {
  const { peak } = view;
  if (peak === null) return [];
  const startMs = peak.startMs + middleOf(spec, view);
  if (peak.value > plot.attacks.max) {
    const at = { startMs, value: plot.attacks.top + ARROW_PX / 2 };
    const style = {
      radius: ARROW_PX,
      pointStyle: 'triangle',
      pointBackgroundColor: COLORS.attacks,
      pointBorderWidth: 0,
    };
    return dots('card', [at], plot, style);
  }
  const style = {
    radius: RING_PX,
    pointBackgroundColor: COLORS.card,
    pointBorderColor: COLORS.attacks,
    pointBorderWidth: 3,
  };
  return dots('attacks', [{ startMs, value: peak.value }], plot, style);
}

function dots(scale: string, samples: readonly Sample[], plot: Plot, style: JsonObject): JsonObject[] {
  if (samples.length === 0) return [];
  const data = samples.map(({ startMs, value }) => ({ x: secondsAt(plot, startMs), y: value }));
  return [{ ...line(scale, data, {}), showLine: false, clip: 12, ...style }];
}

function line(scale: string, data: readonly Place[], style: JsonObject): JsonObject {
  return {
    type: 'line',
    xAxisID: 'x',
    yAxisID: scale,
    data: data.map(({ x, y }) => ({ x, y })),
    tension: 0,
    spanGaps: false,
    clip: 3,
    radius: 0,
    ...style,
  };
}

/** The points of a line. It leaves its panel at the upper edge and returns where it falls below that again. */
function placesOf(spec: TimelineChart, view: TimelineView, trace: Trace, plot: Plot, { max }: Panel): Place[] {
  const { intervalMs } = spec.timeline;
  const at = (startMs: number, y: number | null) => ({ x: secondsAt(plot, startMs), y });
  if (isStepped(spec, view)) {
    return trace.flatMap(({ startMs, value }) => [at(startMs, value), at(startMs + intervalMs, value)]);
  }
  return trace.flatMap((sample, index) => {
    const { startMs, value } = sample;
    const crossing = value === null ? null : crossingMs(trace[index - 1], sample, max);
    const edge = crossing === null ? [] : [at(crossing, max)];
    return value !== null && value > max ? [...edge, at(startMs, null)] : [...edge, at(startMs, value)];
  });
}

/** When the line between two counts crosses `max`. */
function crossingMs(from: Sample | undefined, to: Sample, max: number): number | null {
  const before = from?.value ?? null;
  if (from === undefined || before === null || to.value === null || before > max === to.value > max) return null;
  return from.startMs + ((max - before) / (to.value - before)) * (to.startMs - from.startMs);
}

/** Numbers with no neighbor, which no line would show. */
function isAlone(trace: Trace, index: number): boolean {
  const value = (at: number) => trace[at]?.value ?? null;
  return value(index) !== null && value(index - 1) === null && value(index + 1) === null;
}

/** One closed shape: along the upper edge and back along the lower. */
function usualBand({ baseline, timeline }: TimelineChart, plot: Plot): JsonObject[] {
  const points = (baseline?.points ?? [])
    .map((point) => ({ ...point, startMs: point.endMs - timeline.intervalMs }))
    .filter(({ startMs }) => startMs >= plot.fromMs && startMs < plot.toMs);
  const last = points[points.length - 1];
  if (last === undefined) return [];
  // The range of the last interval extends to its end.
  const whole = [...points, { ...last, startMs: last.startMs + timeline.intervalMs }];
  const every = Math.max(1, Math.floor(whole.length / MAX_COLUMNS));
  const sampled = whole.filter((_, index) => index % every === 0 || index === whole.length - 1);
  const upper = sampled.map(({ startMs, high }) => ({ x: secondsAt(plot, startMs), y: round(high) }));
  const lower = sampled.map(({ startMs, low }) => ({ x: secondsAt(plot, startMs), y: round(Math.max(0, low)) }));
  return [shape('attacks', [...upper, ...lower.toReversed()])];
}

const round = (value: number): number => Math.round(value * 100) / 100;

function shape(scale: string, corners: readonly Place[]): JsonObject {
  const [first] = corners;
  const closed = first === undefined ? corners : [...corners, first];
  return line(scale, closed, {
    fill: 'shape',
    backgroundColor: COLORS.usualFill,
    borderColor: COLORS.usual,
    borderWidth: 1,
  });
}

/** The sample next to a name in the head. */
function sampleOf({ of, fromPx, toPx }: HeadSample, plot: Plot): JsonObject {
  const [left, right] = [secondsOfPx(plot, fromPx), secondsOfPx(plot, toPx)];
  const corners = [
    { x: left, y: 4 },
    { x: right, y: 4 },
    { x: right, y: 16 },
    { x: left, y: 16 },
  ];
  if (of === 'usual') return shape('card', corners);
  return segments([[left, 10, right, 10]], previousStyle());
}

/** Four numbers each: start and end, in seconds across and pixels down. */
type Stroke = readonly [x1: number, y1: number, x2: number, y2: number];

function segments(all: readonly Stroke[], style: JsonObject): JsonObject {
  const data = all.flatMap(([x1, y1, x2, y2]) => [
    { x: x1, y: y1 },
    { x: x2, y: y2 },
    { x: x2, y: null },
  ]);
  return line('card', data, style);
}

/** A shorter time would hardly be seen. */
const MIN_SHADE_PX = 5;

/** Only in their own panel: between the panels are words. */
function markLines(instants: readonly { readonly atMs: number }[], { top, bottom }: Panel, plot: Plot): JsonObject[] {
  if (instants.length === 0) return [];
  // Two lines that touch would cover what's between them.
  const apart = instants.filter(({ atMs }, at) => {
    const before = instants[at - 1];
    return before === undefined || pxAt(plot, atMs) - pxAt(plot, before.atMs) >= MIN_SHADE_PX;
  });
  const upright = apart.map(({ atMs }): Stroke => {
    const x = secondsAt(plot, atMs);
    return [x, top - 1, x, bottom];
  });
  return [segments(upright, { borderColor: COLORS.mark, borderWidth: 1.5 })];
}

/** A shade behind everything, from where it began to where it ended or the window does. */
function markShades({ marks }: TimelineChart, { fromMs, toMs, fillingFromMs }: TimelineView, plot: Plot): JsonObject[] {
  const lastMs = fillingFromMs ?? toMs;
  const secondsPerPx = secondsOfPx(plot, 1) - secondsOfPx(plot, 0);
  return marks
    .filter((mark) => isInside(mark, fromMs, lastMs))
    .map(({ onsetMs, endMs, of }) => {
      const { top, bottom } = plot[of];
      const from = secondsAt(plot, Math.max(onsetMs, fromMs));
      const to = secondsAt(plot, Math.min(endMs ?? lastMs, lastMs));
      const missing = Math.max(0, MIN_SHADE_PX * secondsPerPx - (to - from));
      const [left, right] = [Math.max(0, round(from - missing / 2)), round(to + missing / 2)];
      const corners = [
        { x: left, y: top },
        { x: right, y: top },
        { x: right, y: bottom },
        { x: left, y: bottom },
        { x: left, y: top },
      ];
      const style = { fill: 'shape', backgroundColor: COLORS.markFill, borderColor: COLORS.markFill, borderWidth: 1 };
      return line('card', corners, style);
    });
}

function gridLines(plot: Plot): JsonObject[] {
  const right = secondsAt(plot, plot.toMs);
  const level = [plot.attacks, plot.requests].flatMap(({ top, bottom, labels }) =>
    labels.map((_, index): Stroke => {
      const y = bottom - ((bottom - top) * index) / (labels.length - 1);
      return [0, y, right, y];
    }),
  );
  const dates = plot.ticks.filter(({ strong }) => strong);
  const upright = dates.flatMap(({ atMs }) =>
    [plot.attacks, plot.requests].map(({ top, bottom }): Stroke => {
      const x = secondsAt(plot, atMs);
      return [x, top, x, bottom];
    }),
  );
  return [
    ...(upright.length === 0 ? [] : [segments(upright, { borderColor: COLORS.midnight, borderWidth: 1 })]),
    segments(level, { borderColor: COLORS.grid, borderWidth: 1 }),
  ];
}

/** Distance between strokes, along the edge. */
const HATCH_PX = 12;

/** Hatching over incomplete data, in both panels. */
function hatching({ fillingFromMs, toMs }: TimelineView, plot: Plot): JsonObject[] {
  if (fillingFromMs === null) return [];
  const from = secondsAt(plot, fillingFromMs);
  const perPx = secondsOfPx(plot, 1) - secondsOfPx(plot, 0);
  const widthPx = (secondsAt(plot, toMs) - from) / perPx;
  const strokes: Stroke[] = [];
  for (const { top, bottom } of [plot.attacks, plot.requests]) {
    const heightPx = bottom - top;
    // Each rises to the right by as much as it goes across; `sum` is how far right plus how far down it is.
    for (let sum = HATCH_PX / 2; sum < widthPx + heightPx; sum += HATCH_PX) {
      const [x1, x2] = [Math.max(0, sum - heightPx), Math.min(widthPx, sum)];
      strokes.push([from + round(x1 * perPx), top + sum - x1, from + round(x2 * perPx), top + sum - x2]);
    }
  }
  return [segments(strokes, { borderColor: COLORS.filling, borderWidth: 1.25 })];
}

export interface CountAxis {
  readonly max: number;
  /** From the bottom up, one for every grid line. */
  readonly labels: readonly string[];
}

/** Keeps the mark of a peak away from the upper edge. */
const HEADROOM = 1.03;

/** Round numbers, close enough together that little height is wasted. */
const ROUND = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8, 10];

export function countAxis(largest: number, steps: number): CountAxis {
  const withRoom = largest * HEADROOM;
  const step = withRoom <= steps ? 1 : roundStep(withRoom / steps, steps);
  return {
    max: step * steps,
    labels: Array.from({ length: steps + 1 }, (_, line) => compactCount(step * line)),
  };
}

function roundStep(atLeast: number, steps: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  for (const factor of ROUND) {
    const step = factor * magnitude;
    // Counts are whole, and a label such as 13 k for 12.5 k would be wrong.
    if (step >= atLeast && Number.isInteger(step) && exact(step, steps)) return step;
  }
  return 10 * magnitude;
}

function exact(step: number, steps: number): boolean {
  return Array.from({ length: steps }, (_, line) => step * (line + 1)).every(isExact);
}

function isExact(value: number): boolean {
  const [digits = '', letter] = compactCount(value).split(' ');
  const unit = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 }[letter ?? ''] ?? 1;
  return Math.abs(Number(digits) * unit - value) < value * 1e-9;
}

/** With fewer values, none counts as a peak. */
const FEW = 12;
/** The share of values that may be cut off. */
const RARE = 0.02;
/** A peak this many times the others would leave them a sixth of the height. */
const ENORMOUS = 6;
const ROOM_ABOVE = 1.5;

/**
 * The largest value on the scale. If a few values are far above the rest, it's a little above that rest, and those values
 * are cut off.
 */
export function robustLargest(values: readonly number[], usualHigh: number): number {
  const sorted = values.toSorted((a, b) => b - a);
  const [largest = 0] = sorted;
  const rest = Math.max(usualHigh, sorted[Math.max(1, Math.round(values.length * RARE))] ?? 0);
  const flattens = values.length >= FEW && rest > 0 && largest > rest * ENORMOUS;
  return Math.max(flattens ? rest * ROOM_ABOVE : largest, usualHigh);
}

/** Everything is aligned to rows of this height, so that one axis can hold the counts of both panels. */
const ROW_PX = 12;
const ATTACK_STEPS = 4;
const HEAD_PX = 4 * ROW_PX;
const MARKS_TOP = 26;
const ATTACKS_PX = 12 * ROW_PX;
/** Position of the strip's name, clear of the counts above and below it. */
const BETWEEN_PX = 4 * ROW_PX;
const STRIP_NAME_PX = ROW_PX;
const REQUESTS_PX = 4 * ROW_PX;
const CLOCK_PX = [3 * ROW_PX, 5 * ROW_PX] as const;
/** Between the plot and the words beside or below it. */
const GAP_PX = 8;

/** Positions in pixels from the left and upper edge of the card's body. */
interface Plot {
  readonly leftPx: number;
  readonly attacks: Panel;
  readonly requests: Panel;
  readonly heightPx: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly ticks: readonly TimeTick[];
}

interface Panel extends CountAxis {
  readonly top: number;
  readonly bottom: number;
}

const MAX_TICKS = 7;
const CLOCK_TOLERANCE_PX = 2;

function plotOf(spec: TimelineChart, view: TimelineView): Plot {
  const usual = (spec.baseline?.points ?? []).map(({ high }) => high);
  const others = Math.max(0, ...usual, ...valuesOf(view.previousAttacks));
  const attacks = countAxis(robustLargest(valuesOf(view.attacks), others), ATTACK_STEPS);
  const requests = countAxis(robustLargest(valuesOf(view.requests), 0), 1);
  const ticks = timeTicks(view.fromMs, view.toMs, spec.zone, MAX_TICKS);
  const labels = [...attacks.labels, ...requests.labels];
  const requestsTop = HEAD_PX + ATTACKS_PX + BETWEEN_PX;
  const clockPx = CLOCK_PX[ticks.some(({ lines }) => lines[1] !== '') ? 1 : 0];
  return {
    leftPx: leftEdge(Math.ceil(Math.max(...labels.map((label) => textWidth(label, TEXT_PX)))) + GAP_PX, view, ticks),
    attacks: { ...attacks, top: HEAD_PX, bottom: HEAD_PX + ATTACKS_PX },
    requests: { ...requests, top: requestsTop, bottom: requestsTop + REQUESTS_PX },
    heightPx: requestsTop + REQUESTS_PX + clockPx,
    fromMs: view.fromMs,
    toMs: view.toMs,
    ticks,
  };
}

const MAX_SHIFT_PX = 16;

/** The left edge near the counts with which the time axis needs the fewest slots. */
function leftEdge(minPx: number, { fromMs, toMs }: TimelineView, ticks: readonly TimeTick[]): number {
  const inPlot = ticks.map(({ atMs }) => (atMs - fromMs) / (toMs - fromMs));
  let bestPx = minPx;
  let fewest = MAX_SLOTS;
  for (let leftPx = minPx; leftPx <= minPx + MAX_SHIFT_PX; leftPx += 2) {
    const shares = inPlot.map((share) => (leftPx + share * (INNER - leftPx)) / INNER);
    const { count } = slotsFor(shares, CLOCK_TOLERANCE_PX / INNER, fewest);
    if (count < fewest) [bestPx, fewest] = [leftPx, count];
  }
  return bestPx;
}

function valuesOf(trace: Trace): number[] {
  return trace.flatMap(({ value }) => (value === null ? [] : [value]));
}

/** Seconds from the left end of the plot: short to write, and the same for the same shape. */
function secondsAt({ fromMs }: Plot, atMs: number): number {
  return (atMs - fromMs) / 1000;
}

function pxAt({ leftPx, fromMs, toMs }: Plot, atMs: number): number {
  return leftPx + ((atMs - fromMs) / (toMs - fromMs)) * (INNER - leftPx);
}

/** Seconds left of the plot are for the counts next to it. */
function secondsOfPx({ leftPx, fromMs, toMs }: Plot, px: number): number {
  const exact = ((px - leftPx) / (INNER - leftPx)) * ((toMs - fromMs) / 1000);
  return Math.round(exact * 1000) / 1000;
}

/** The scales that place the data. The two panels and the gap between them are stacked; `card` covers all of them. */
function dataScales(plot: Plot): JsonObject {
  const { attacks, requests, heightPx } = plot;
  const stacked = (stackWeight: number, max: number, weight: number) => ({
    ...hiddenScale('y', 0, max),
    position: 'left',
    stack: 'panels',
    stackWeight,
    weight,
  });
  return {
    x: hiddenScale('x', secondsOfPx(plot, 0), (plot.toMs - plot.fromMs) / 1000),
    card: cardScale(heightPx),
    // The lightest is placed last, which is at the bottom.
    head: stacked(attacks.top, 1, 5),
    attacks: stacked(attacks.bottom - attacks.top, attacks.max, 4),
    between: stacked(requests.top - attacks.bottom, 1, 3),
    requests: stacked(requests.bottom - requests.top, requests.max, 2),
    foot: stacked(heightPx - requests.bottom, 1, 1),
  };
}

/** The counts of both panels, beside their lines. */
function countWords({ leftPx, attacks, requests, heightPx, ...plot }: Plot): JsonObject {
  const labels = Array.from({ length: heightPx / ROW_PX + 1 }, () => '');
  for (const panel of [attacks, requests]) {
    const step = (panel.bottom - panel.top) / (panel.labels.length - 1);
    panel.labels.forEach((label, line) => {
      labels[(panel.bottom - line * step) / ROW_PX] = label;
    });
  }
  return {
    ...slotAxis('y', { x: secondsOfPx({ leftPx, attacks, requests, heightPx, ...plot }, leftPx - GAP_PX) }, labels),
    ticks: { autoSkip: false, padding: 0, color: COLORS.quietInk, font: font(400) },
  };
}

/** Round times below the plot; one that would leave the card is left out, its line stays. */
function clockWords(plot: Plot): JsonObject {
  const dated = plot.ticks.some(({ lines }) => lines[1] !== '');
  const words = plot.ticks.flatMap(({ atMs, lines }): PlacedWord[] => {
    const atPx = pxAt(plot, atMs);
    const half = Math.max(...lines.map((line) => textWidth(line, TEXT_PX))) / 2;
    const fits = atPx + half <= INNER + EDGE_PX && atPx - half >= -EDGE_PX;
    return fits ? [{ atPx, text: dated ? lines : lines[0], ink: COLORS.quietInk }] : [];
  });
  return wordRow(words, {
    topPx: plot.requests.bottom + GAP_PX,
    align: 'center',
    weight: 400,
    tolerancePx: CLOCK_TOLERANCE_PX,
  });
}

/** How far words may reach into the margin. */
const EDGE_PX = 8;

const SAMPLE_PX = 22;
const SAMPLE_GAP_PX = 8;
const BETWEEN_WORDS_PX = 26;

/** A word of the head with the line or the area it stands for, drawn before it. */
interface HeadSample {
  readonly of: 'usual' | 'previous';
  readonly fromPx: number;
  readonly toPx: number;
}

/** What the first panel shows: its unit, then the other things in it by name, each behind a sample. */
function headWords(
  unit: string,
  others: readonly { readonly of: HeadSample['of']; readonly name: string }[],
): { words: PlacedWord[]; samples: HeadSample[] } {
  const words: PlacedWord[] = [{ atPx: 0, text: unit, ink: COLORS.attacksInk }];
  const samples: HeadSample[] = [];
  let usedPx = textWidth(unit, TEXT_PX);
  for (const { of, name } of others) {
    const fromPx = usedPx + BETWEEN_WORDS_PX;
    const atPx = fromPx + SAMPLE_PX + SAMPLE_GAP_PX;
    const text = fitText(name, TEXT_PX, HEAD_WORDS_PX - atPx);
    samples.push({ of, fromPx, toPx: fromPx + SAMPLE_PX });
    words.push({ atPx, text, ink: of === 'usual' ? COLORS.usualInk : COLORS.previousInk });
    usedPx = atPx + textWidth(text, TEXT_PX);
  }
  return { words, samples };
}

/** The rest of the row is for the note on incomplete data. */
const HEAD_WORDS_PX = INNER - 106;

export interface TimeTick {
  readonly atMs: number;
  /** The clock or day, and below it the date where it changes (else empty). */
  readonly lines: readonly [string, string];
  /** A new date (or year) begins here. */
  readonly strong: boolean;
}

interface TickStep {
  readonly unit: 'minutes' | 'days' | 'months';
  readonly every: number;
  readonly aboutMs: number;
}

const STEPS: readonly TickStep[] = [
  ...[1, 2, 5, 10, 15, 30].map((every) => step('minutes', every, every * MINUTE_MS)),
  ...[1, 2, 3, 4, 6, 12].map((every) => step('minutes', every * 60, every * HOUR_MS)),
  ...[1, 2, 7, 14].map((every) => step('days', every, every * DAY_MS)),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((every) => step('months', every, every * 30.4 * DAY_MS)),
];

function step(unit: TickStep['unit'], every: number, aboutMs: number): TickStep {
  return { unit, every, aboutMs };
}

/** At most `max` round times of the zone in `[fromMs, toMs]`, with every change of date. */
export function timeTicks(fromMs: number, toMs: number, zone: string, max: number): readonly TimeTick[] {
  const chosen = STEPS.find((candidate) => (toMs - fromMs) / candidate.aboutMs <= max) ?? STEPS[STEPS.length - 1];
  if (chosen === undefined) return [];
  const instants = walk(fromMs, toMs, zone, chosen);
  const isOneDay = zoned(fromMs, zone)
    .toPlainDate()
    .equals(zoned(toMs - 1, zone).toPlainDate());
  return chosen.unit === 'minutes' ? clockTicks(instants, isOneDay) : dateTicks(instants, chosen);
}

function walk(fromMs: number, toMs: number, zone: string, by: TickStep): Temporal.ZonedDateTime[] {
  if (by.unit === 'minutes' && by.every > 60) return wallClockHours(fromMs, toMs, zone, by.every / 60);
  const found: Temporal.ZonedDateTime[] = [];
  // Days and months are calendar steps. Minutes are steps in exact time, because an hour may repeat.
  for (let at = start(zoned(fromMs, zone), by); at.epochMilliseconds <= toMs; at = at.add({ [by.unit]: by.every })) {
    if (at.epochMilliseconds >= fromMs) found.push(at);
  }
  return found;
}

function start(from: Temporal.ZonedDateTime, by: TickStep): Temporal.ZonedDateTime {
  if (by.unit === 'minutes') return from.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const midnight = from.startOfDay();
  if (by.unit === 'days') return by.every % 7 === 0 ? midnight.subtract({ days: midnight.dayOfWeek - 1 }) : midnight;
  const years = Math.max(1, by.every / 12);
  return midnight.with({ day: 1, month: 1, year: midnight.year - (midnight.year % years) }).startOfDay();
}

/** 00:00, 06:00, 12:00 by the clock on the wall, also on days with 23 or 25 hours. */
function wallClockHours(fromMs: number, toMs: number, zone: string, hours: number): Temporal.ZonedDateTime[] {
  const found: Temporal.ZonedDateTime[] = [];
  const first = zoned(fromMs, zone).toPlainDate();
  const days = first.until(zoned(toMs, zone).toPlainDate()).days;
  for (let day = 0; day <= days; day += 1) {
    for (let hour = 0; hour < 24; hour += hours) {
      const wall = first.add({ days: day }).toPlainDateTime({ hour });
      const at = wall.toZonedDateTime(zone);
      const exists = at.toPlainDateTime().equals(wall);
      if (exists && at.epochMilliseconds >= fromMs && at.epochMilliseconds <= toMs) found.push(at);
    }
  }
  return found;
}

/** If the window is within one day, the date is shown elsewhere. */
function clockTicks(instants: readonly Temporal.ZonedDateTime[], isOneDay: boolean): TimeTick[] {
  return instants.map((at, index) => {
    const before = instants[index - 1];
    const newDate = !isOneDay && before !== undefined && !before.toPlainDate().equals(at.toPlainDate());
    // The first label also shows its date, unless the next one does: they would overlap.
    const next = instants[index + 1];
    const opens =
      !isOneDay && before === undefined && (next === undefined || next.toPlainDate().equals(at.toPlainDate()));
    const shifted = before !== undefined && before.offsetNanoseconds !== at.offsetNanoseconds;
    const below = newDate || opens ? dayInWords(at) : shifted ? offsetName(at) : '';
    return { atMs: at.epochMilliseconds, lines: [clock(at), below], strong: newDate || (opens && isMidnight(at)) };
  });
}

function dateTicks(instants: readonly Temporal.ZonedDateTime[], by: TickStep): TimeTick[] {
  return instants.map((at, index) => {
    const before = instants[index - 1];
    const newYear = before !== undefined && before.year !== at.year;
    const top = by.unit === 'months' ? (by.every >= 12 ? String(at.year) : monthName(at)) : dayAndMonth(at);
    const opens = index === 0 && by.unit === 'months';
    const year = (newYear || opens) && top !== String(at.year) ? String(at.year) : '';
    const below = by.unit === 'days' && by.every < 7 && !newYear ? dayInWords(at).slice(0, 3) : year;
    return { atMs: at.epochMilliseconds, lines: [top, below], strong: newYear };
  });
}
