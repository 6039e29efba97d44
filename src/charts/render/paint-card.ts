/**
 * Draws a card from its Chart.js configuration directly on the canvas: the same picture that Chart.js draws, in a fraction
 * of the time. It supports only what `charts/spec` uses; anything else there is refused until it's implemented here.
 * Positions follow from the same arithmetic as in Chart.js, and names are the same.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { CardConfig, DatasetConfig, Font, HeadLines, ScaleConfig } from './card-config.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The position of a scale and of its values. */
interface Placed {
  readonly from: number;
  readonly to: number;
  readonly at: (value: number) => number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const lineHeightOf = ({ size, lineHeight }: Font): number => size * lineHeight;

const linesPx = ({ text, font, padding }: HeadLines): number =>
  text.length * lineHeightOf(font) + padding.top + padding.bottom;

export function paintCard(context: SKRSContext2D, { data, options }: CardConfig, { width, height }: Size): void {
  const { layout, plugins, scales } = options;
  const { left, top, right } = layout.padding;
  const subtitleTop = top + linesPx(plugins.title);
  // The lowest word of a column may be centered on the edge.
  const columns = Object.values(scales).filter(({ type, axis }) => type === 'category' && axis === 'y');
  const bottom = Math.max(layout.padding.bottom, ...columns.map(({ ticks }) => lineHeightOf(ticks.font) / 2));
  const area = { left, right: width - right, top: subtitleTop + linesPx(plugins.subtitle), bottom: height - bottom };
  const places = placeScales(scales, area);
  const placeOf = (name: string): Placed => {
    const place = places.get(name);
    if (place === undefined) throw new Error(`no scale ${name}`);
    return place;
  };
  for (const scale of Object.values(scales)) paintStripes(context, scale, area);
  paintHead(context, plugins.title, area, top);
  paintHead(context, plugins.subtitle, area, subtitleTop);
  for (const scale of Object.values(scales)) paintWords(context, scale, area, placeOf);
  // The first dataset is on top.
  for (const dataset of data.datasets.toSorted((a, b) => b.order - a.order)) {
    paintDataset(context, dataset, placeOf(dataset.xAxisID), placeOf(dataset.yAxisID));
  }
}

type Area = Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>;

/** Every scale takes the whole area, except stacked ones, which share it from top to bottom. */
function placeScales(scales: CardConfig['options']['scales'], area: Area): Map<string, Placed> {
  const all = Object.entries(scales);
  const stacked = all.filter(([, { stackWeight }]) => stackWeight !== undefined);
  const weights = stacked.reduce((sum, [, { stackWeight = 0 }]) => sum + stackWeight, 0);
  const places = new Map(all.map(([name, scale]) => [name, place(scale, area)]));
  let top = area.top;
  for (const [name, scale] of stacked.sort(([, a], [, b]) => (b.weight ?? 0) - (a.weight ?? 0))) {
    const bottom = top + ((area.bottom - area.top) * (scale.stackWeight ?? 0)) / weights;
    places.set(name, place(scale, { ...area, top, bottom }));
    top = bottom;
  }
  return places;
}

function place({ type, axis, min, max, reverse = false, offset = false }: ScaleConfig, area: Area): Placed {
  const [from, to] = axis === 'x' ? [area.left, area.right] : [area.top, area.bottom];
  // Half a slot is free at either end of a scale with an offset.
  const [first, range] = offset ? [min - 0.5, max - min + 1] : [min, max - min];
  const downwards = type === 'category' || reverse || axis === 'x';
  return {
    from,
    to,
    at(value) {
      const share = (value - first) / range;
      return from + (downwards ? share : 1 - share) * (to - from);
    },
  };
}

/** Grid lines as wide as a row; lines end on whole pixels. */
function paintStripes(context: SKRSContext2D, scale: ScaleConfig, area: Area): void {
  const { grid } = scale;
  if (grid?.display !== true) return;
  const { at } = place(scale, area);
  const { lineWidth = 1, color = [] } = grid;
  context.lineWidth = lineWidth;
  color.forEach((stroke, index) => {
    const y = Math.round((at(index) - lineWidth / 2) * 2) / 2 + lineWidth / 2;
    context.strokeStyle = stroke;
    context.beginPath();
    context.moveTo(area.left, y);
    context.lineTo(area.right, y);
    context.stroke();
  });
}

/** A line that is too long for the card is condensed. */
function paintHead(context: SKRSContext2D, { text, color, font }: HeadLines, area: Area, top: number): void {
  const lineHeight = lineHeightOf(font);
  setLetters(context, font, 'left');
  context.fillStyle = color;
  text.forEach((line, index) => {
    context.fillText(line, area.left, top + (index + 0.5) * lineHeight, area.right - area.left);
  });
}

function setLetters(context: SKRSContext2D, font: Font, align: 'left' | 'center' | 'right'): void {
  context.font = `${font.weight} ${font.size}px ${font.family}`;
  context.textBaseline = 'middle';
  context.textAlign = align;
}

const ALIGN = { start: 'left', end: 'right', center: 'center' } as const;

/** The labels of a category scale, each in its slot. */
function paintWords(context: SKRSContext2D, scale: ScaleConfig, area: Area, placeOf: (name: string) => Placed): void {
  const { labels, position, ticks, axis } = scale;
  const [across] = Object.entries(position ?? {});
  if (labels === undefined || across === undefined) return;
  const { at } = place(scale, area);
  const crossing = placeOf(across[0]).at(across[1]);
  const lineHeight = lineHeightOf(ticks.font);
  setLetters(context, ticks.font, axis === 'x' ? ALIGN[ticks.align ?? 'center'] : 'right');
  labels.forEach((label, index) => {
    const lines = typeof label === 'string' ? [label] : label;
    const colour = ofIndex(ticks.color, index);
    lines.forEach((line, row) => {
      if (line === '') return;
      context.fillStyle = colour;
      if (axis === 'x') context.fillText(line, at(index), crossing + (row + 0.5) * lineHeight);
      else context.fillText(line, crossing, at(index) + (row + 0.5 - lines.length / 2) * lineHeight);
    });
  });
}

function paintDataset(context: SKRSContext2D, dataset: DatasetConfig, x: Placed, y: Placed): void {
  const points = dataset.data.map((one, index): Point | null => {
    // A plain number belongs to the row of its index.
    if (typeof one === 'number') return { x: x.at(one), y: y.at(index) };
    return one === null || one.y === null ? null : { x: x.at(one.x), y: y.at(one.y) };
  });
  context.save();
  if (dataset.fill !== undefined) paintFill(context, dataset, points, x, y);
  const { clip = 0 } = dataset;
  if (clip !== false) {
    context.beginPath();
    context.rect(x.from - clip, y.from - clip, x.to - x.from + 2 * clip, y.to - y.from + 2 * clip);
    context.clip();
  }
  if (dataset.type === 'bar') paintBars(context, dataset, points, x.at(0), y);
  else if (dataset.showLine !== false) paintLine(context, dataset, points);
  paintPoints(context, dataset, points);
  context.restore();
}

/** The segments of a line between its gaps. */
function partsOf(points: readonly (Point | null)[]): Point[][] {
  const parts: Point[][] = [[]];
  for (const point of points) {
    if (point === null) parts.push([]);
    else parts[parts.length - 1]?.push(point);
  }
  return parts.filter((part) => part.length > 0);
}

function paintLine(context: SKRSContext2D, dataset: DatasetConfig, points: readonly (Point | null)[]): void {
  context.strokeStyle = dataset.borderColor ?? '';
  context.lineWidth = ofIndex(dataset.borderWidth ?? 0, 0);
  context.lineCap = dataset.borderCapStyle ?? 'butt';
  context.lineJoin = dataset.borderJoinStyle ?? 'miter';
  context.setLineDash(dataset.borderDash ?? []);
  for (const part of partsOf(points)) {
    context.beginPath();
    tracePath(context, part);
    context.stroke();
  }
}

/** Of points in the same pixel column, only the highest, lowest and last are drawn, at their average position. */
function tracePath(context: SKRSContext2D, part: readonly Point[]): void {
  let [column, count, middle] = [Number.NaN, 0, 0];
  let [top, bottom, last] = [0, 0, 0];
  const closeColumn = () => {
    if (top !== bottom) for (const y of [bottom, top, last]) context.lineTo(middle, y);
  };
  for (const { x, y } of part) {
    if (Math.trunc(x) === column) {
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      count += 1;
      middle = ((count - 1) * middle + x) / count;
    } else {
      closeColumn();
      context.lineTo(x, y);
      [column, count, top, bottom] = [Math.trunc(x), 0, y, y];
    }
    last = y;
  }
  closeColumn();
}

/** The shape enclosed by the line, or the area between the line and zero. */
function paintFill(
  context: SKRSContext2D,
  dataset: DatasetConfig,
  points: readonly (Point | null)[],
  x: Placed,
  y: Placed,
): void {
  context.fillStyle = ofIndex(dataset.backgroundColor ?? '', 0);
  for (const part of partsOf(points)) {
    context.beginPath();
    tracePath(context, part);
    if (dataset.fill === 'origin') {
      context.lineTo(part[part.length - 1]?.x ?? x.to, y.at(0));
      context.lineTo(part[0]?.x ?? x.from, y.at(0));
    }
    context.closePath();
    context.fill();
  }
}

/** The common value, or this item's own. */
function ofIndex<T extends string | number>(values: T | readonly T[], index: number): T {
  if (typeof values !== 'object') return values;
  const value = values[index];
  if (value === undefined) throw new Error('a list in a chart is too short');
  return value;
}

/** Bars have an edge on three sides, not at their start. */
function paintBars(
  context: SKRSContext2D,
  { barPercentage = 1, minBarLength = 0, backgroundColor = '', borderColor = '', borderWidth = 0 }: DatasetConfig,
  points: readonly (Point | null)[],
  base: number,
  rows: Placed,
): void {
  const height = (rows.at(1) - rows.at(0)) * barPercentage;
  points.forEach((point, index) => {
    if (point === null) return;
    const top = point.y - height / 2;
    const width = Math.max(minBarLength, point.x - base);
    const edge = Math.min(ofIndex(borderWidth, index), width / 2, height / 2);
    const addInner = () => context.rect(base, top + edge, width - edge, height - 2 * edge);
    context.save();
    if (edge > 0) {
      context.beginPath();
      context.rect(base, top, width, height);
      context.clip();
      addInner();
      context.fillStyle = borderColor;
      context.fill('evenodd');
    }
    context.beginPath();
    addInner();
    context.fillStyle = ofIndex(backgroundColor, index);
    context.fill();
    context.restore();
  });
}

const TRIANGLE = [0, 1, 2].map((corner) => (corner * 2 * Math.PI) / 3);

function paintPoints(context: SKRSContext2D, dataset: DatasetConfig, points: readonly (Point | null)[]): void {
  const { pointStyle, pointBorderWidth = 1, pointRadius = dataset.radius ?? 0 } = dataset;
  if (dataset.type === 'bar' || pointRadius === 0) return;
  const turned = ((dataset.pointRotation ?? 0) * Math.PI) / 180;
  context.fillStyle = dataset.pointBackgroundColor ?? '';
  context.strokeStyle = dataset.pointBorderColor ?? '';
  context.lineWidth = pointBorderWidth;
  for (const point of points) {
    if (point === null) continue;
    const { x, y } = point;
    context.beginPath();
    if (pointStyle === undefined) context.arc(x, y, pointRadius, 0, 2 * Math.PI);
    else if (pointStyle === 'triangle') {
      for (const angle of TRIANGLE)
        context.lineTo(x + Math.sin(angle) * pointRadius, y - Math.cos(angle) * pointRadius);
    } else {
      context.moveTo(x - Math.cos(turned) * pointRadius, y - Math.sin(turned) * pointRadius);
      context.lineTo(x + Math.cos(turned) * pointRadius, y + Math.sin(turned) * pointRadius);
    }
    if (pointStyle !== 'line') {
      context.closePath();
      context.fill();
    }
    if (pointBorderWidth > 0) context.stroke();
  }
}
