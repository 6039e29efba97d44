/**
 * The layout of a timeline: its two panels with their scales (counts from zero in round steps, cut off if one peak would
 * flatten the rest), the clock below with round times in the reader's zone, marks and names above.
 */
import { compactCount } from '../../statistics/format.ts';
import { clock, dayAndMonth, dayInWords, isMidnight, monthName, offsetName, zoned } from '../../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import {
  cardScale,
  fitText,
  font,
  hiddenScale,
  INNER,
  type JsonObject,
  MAX_SLOTS,
  type PlacedWord,
  slotAxis,
  slotsFor,
  TEXT_PX,
  textWidth,
  wordRow,
} from './layout.ts';
import { COLORS } from './palette.ts';
import type { TimelineChart, TimelineView, Trace } from './timeline-chart.ts';

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
export const MARKS_TOP = 26;
const ATTACKS_PX = 12 * ROW_PX;
/** Position of the strip's name, clear of the counts above and below it. */
const BETWEEN_PX = 4 * ROW_PX;
export const STRIP_NAME_PX = ROW_PX;
const REQUESTS_PX = 4 * ROW_PX;
const CLOCK_PX = [3 * ROW_PX, 5 * ROW_PX] as const;
/** Between the plot and the words beside or below it. */
const GAP_PX = 8;

/** Positions in pixels from the left and upper edge of the card's body. */
export interface Plot {
  readonly leftPx: number;
  readonly attacks: Panel;
  readonly requests: Panel;
  readonly heightPx: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly ticks: readonly TimeTick[];
}

export interface Panel extends CountAxis {
  readonly top: number;
  readonly bottom: number;
}

const MAX_TICKS = 7;
const CLOCK_TOLERANCE_PX = 2;

export function plotOf(spec: TimelineChart, view: TimelineView): Plot {
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
export function secondsAt({ fromMs }: Plot, atMs: number): number {
  return (atMs - fromMs) / 1000;
}

export function pxAt({ leftPx, fromMs, toMs }: Plot, atMs: number): number {
  return leftPx + ((atMs - fromMs) / (toMs - fromMs)) * (INNER - leftPx);
}

/** The seconds that lie left of the plot are those of the counts beside it. */
export function secondsOfPx({ leftPx, fromMs, toMs }: Plot, px: number): number {
  const exact = ((px - leftPx) / (INNER - leftPx)) * ((toMs - fromMs) / 1000);
  return Math.round(exact * 1000) / 1000;
}

/** The scales that place the data. The two panels and what parts them are stacked; `card` lies over all of them. */
export function dataScales(plot: Plot): JsonObject {
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
export function countWords({ leftPx, attacks, requests, heightPx, ...plot }: Plot): JsonObject {
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
export function clockWords(plot: Plot): JsonObject {
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

/** So far words may reach into the margin. */
const EDGE_PX = 8;

const SAMPLE_PX = 22;
const SAMPLE_GAP_PX = 8;
const BETWEEN_WORDS_PX = 26;

/** A word of the head with the line or the area it stands for, drawn before it. */
export interface HeadSample {
  readonly of: 'usual' | 'previous';
  readonly fromPx: number;
  readonly toPx: number;
}

/** What the first panel shows: its unit, then the other things in it by name, each behind a sample. */
export function headWords(
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

/** The rest of the row is for what is still filling. */
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
