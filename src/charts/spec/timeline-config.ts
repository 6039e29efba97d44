/**
 * A timeline as one Chart.js configuration with two panels: attacks with their usual range, and below them a thin strip of
 * requests on the same time axis. Each panel has its own unit and scale; incomplete data is hatched.
 */
import { compactCount, duration } from '../../statistics/format.ts';
import { clock, dayInWords, zoned } from '../../time/index.ts';
import { DAY_MS } from '../../time-units.ts';
import {
  type ChartConfig,
  card,
  emptyCard,
  INNER,
  type JsonObject,
  type PlacedWord,
  TEXT_PX,
  textWidth,
  wordRow,
} from './layout.ts';
import { PALETTES, type Palette } from './palette.ts';
import { subjectLine } from './subject-line.ts';
import {
  clockWords,
  countWords,
  dataScales,
  type HeadSample,
  headWords,
  MARKS_TOP,
  type Plot,
  plotOf,
  pxAt,
  STRIP_NAME_PX,
} from './timeline-axes.ts';
import { type ChartPeak, type TimelineChart, type TimelineView, timelineView } from './timeline-chart.ts';
import {
  attackLines,
  gridLines,
  hatching,
  markLines,
  middleOf,
  peakDots,
  requestsArea,
  sampleOf,
  usualBand,
} from './timeline-datasets.ts';

export function timelineConfig(spec: TimelineChart): ChartConfig {
  const colours = PALETTES[spec.theme];
  const view = timelineView(spec);
  const head = { title: spec.title, below: [subjectLine(spec, spec.timeline)] };
  if (!view.hasData) return emptyCard(spec.theme, head, 'No data for this window');
  const marks = marksOf(spec, view, colours);
  const plot = plotOf(spec, view);
  const { words, samples } = headWords(`Attacks per ${unitOf(spec)}`, namesOf(spec, view), colours);
  const scales = {
    ...dataScales(plot),
    counts: countWords(plot, colours),
    clock: clockWords(plot, colours),
    attacksHead: wordRow(words, { topPx: 0, align: 'start', weight: 600 }),
    requestsHead: wordRow([{ atPx: 0, text: `Requests per ${unitOf(spec)}`, ink: colours.requestsInk }], {
      topPx: plot.attacks.bottom + STRIP_NAME_PX,
      align: 'start',
      weight: 600,
    }),
    ...(marks.length === 0 ? {} : { marks: markWords(marks, plot) }),
    ...cutWords(spec, view, plot, colours),
    ...(view.fillingFromMs === null ? {} : { notes: noteWords(colours) }),
  };
  const datasets = [
    ...peakDots(spec, view, plot, colours),
    ...attackLines(spec, view, plot, colours),
    ...samples.map((sample) => sampleOf(sample, plot, colours)),
    ...markLines(markedInstants(spec, view), plot, colours),
    ...usualBand(spec, plot, colours),
    ...requestsArea(spec, view, plot, colours),
    ...hatching(view, plot, colours),
    ...gridLines(plot, colours),
  ].map((dataset, order) => ({ ...dataset, order }));
  return card(spec.theme, head, { heightPx: plot.heightPx, type: 'line', datasets, scales });
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

/** When it began and ended, or else the peak. */
function marksOf(spec: TimelineChart, view: TimelineView, colours: Palette): Mark[] {
  const instants = markedInstants(spec, view);
  if (instants.length > 0) return instants.map((mark) => ({ ...mark, ink: colours.mark }));
  const { peak } = view;
  if (peak !== null) {
    const atMs = peak.startMs + middleOf(spec, view);
    return [{ atMs, text: `peak ${peakWords(spec, view, peak)}`, ink: colours.attacksInk }];
  }
  if (view.attacks.length === 0 && view.requests.length === 0) return [];
  const text = view.attacks.some(({ value }) => value !== null) ? 'no attacks' : 'no data for attacks';
  return [{ atMs: (view.fromMs + view.toMs) / 2, text, ink: colours.quietInk }];
}

function markedInstants({ onsetMs, endMs, zone }: TimelineChart, { fromMs, toMs }: TimelineView) {
  const words = [
    { atMs: onsetMs, word: 'began' },
    { atMs: endMs, word: 'ended' },
  ];
  return words.flatMap(({ atMs, word }) => {
    if (atMs === null || atMs < fromMs || atMs > toMs) return [];
    const at = zoned(atMs, zone);
    return [{ atMs, text: `${word} ${toMs - fromMs > DAY_MS ? `${dayInWords(at)}, ` : ''}${clock(at)}` }];
  });
}

interface Mark {
  readonly atMs: number;
  readonly text: string;
  readonly ink: string;
}

/** Each mark above its position, moved inward at the edges. */
function markWords(marks: readonly Mark[], plot: Plot): JsonObject {
  const placed = marks.map((mark) => place(plot, mark.text, mark.ink, pxAt(plot, mark.atMs)));
  const [first, second] = placed;
  const touch =
    first !== undefined &&
    second !== undefined &&
    second.atPx - first.atPx < (first.widthPx + second.widthPx) / 2 + APART_PX;
  const words = touch ? besideEachOther(first, second, plot) : placed;
  return wordRow(words, { topPx: MARKS_TOP, align: 'center', weight: 600 });
}

const APART_PX = 14;

/** One left of its line and the other right of its own; if there's no room, joined between both. */
function besideEachOther(first: WordOverPlot, second: WordOverPlot, plot: Plot): PlacedWord[] {
  const push = Math.max(0, APART_PX - (second.wantedPx - first.wantedPx)) / 2;
  const fromPx = first.wantedPx - push - first.widthPx;
  const toPx = second.wantedPx + push + second.widthPx;
  if (fromPx < plot.leftPx || toPx > INNER) {
    return [place(plot, `${first.text}, ${second.text}`, first.ink, (first.wantedPx + second.wantedPx) / 2)];
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

/** Not over the counts beside the plot. */
function place({ leftPx }: Plot, text: string, ink: string, wantedPx: number): WordOverPlot {
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

function noteWords(colours: Palette): JsonObject {
  const words = [{ atPx: INNER, text: 'still filling in', ink: colours.quietInk }];
  return wordRow(words, { topPx: 0, align: 'end', weight: 400 });
}

/** Peaks that are cut off and that no mark names: beside the cut, and beside the name of the strip. */
function cutWords(spec: TimelineChart, view: TimelineView, plot: Plot, colours: Palette): JsonObject {
  const { peak, requestsPeak } = view;
  const words: Record<string, JsonObject> = {};
  if (isCut(peak, plot.attacks.max) && markedInstants(spec, view).length > 0) {
    const text = peakWords(spec, view, peak);
    const peakPx = pxAt(plot, peak.startMs);
    const align = peakPx > INNER / 2 ? 'end' : 'start';
    const atPx = align === 'end' ? peakPx - BESIDE_PX : peakPx + BESIDE_PX;
    const style = { topPx: plot.attacks.top + 2, align, weight: 600 } as const;
    words.cut = wordRow([{ atPx, text, ink: colours.attacksInk }], style);
  }
  if (isCut(requestsPeak, plot.requests.max)) {
    const text = `peak ${peakWords(spec, view, requestsPeak)}`;
    const style = { topPx: plot.attacks.bottom + STRIP_NAME_PX, align: 'end', weight: 400 } as const;
    words.requestsCut = wordRow([{ atPx: INNER, text, ink: colours.requestsInk }], style);
  }
  return words;
}

const BESIDE_PX = 14;

function isCut(peak: ChartPeak | null, max: number): peak is ChartPeak {
  return peak !== null && peak.value > max;
}
