/** Slack's own chart block as plain data, for places where a picture cannot go. Its limits are held to here. */
import { breakdownRows } from './breakdown-rows.ts';
import type { BreakdownChart, ChartSpec, TimelineChart } from './chart-spec.ts';
import { fitCharacters } from './text-fit.ts';
import { clock, dayAndMonth, zoned } from './time-words.ts';

export interface NativePoint {
  readonly label: string;
  readonly value: number;
}

export interface NativeSeries {
  readonly name: string;
  readonly data: readonly NativePoint[];
}

export interface NativeChart {
  readonly title: string;
  readonly chart: {
    readonly type: 'bar' | 'line';
    readonly series: readonly NativeSeries[];
    readonly axis_config: { readonly categories: readonly string[]; readonly y_label?: string };
  };
}

const TITLE_LENGTH = 50;
const LABEL_LENGTH = 20;
const MOST_POINTS = 20;
const MOST_SEGMENTS = 6;

export function nativeChart(spec: ChartSpec): NativeChart | null {
  return spec.kind === 'timeline' ? nativeTimeline(spec) : nativeBreakdown(spec);
}

function nativeTimeline(spec: TimelineChart): NativeChart | null {
  const { points, intervalMs } = spec.timeline;
  const per = Math.ceil(points.length / MOST_POINTS);
  const data: NativePoint[] = [];
  for (let index = 0; index < points.length; index += per) {
    const at = zoned((points[index]?.endMs ?? 0) - intervalMs, spec.zone);
    const value = points.slice(index, index + per).reduce((sum, point) => sum + (point.attacks ?? 0), 0);
    data.push({ label: `${dayAndMonth(at)} ${clock(at)}`, value });
  }
  return data.length === 0 ? null : native(spec.title, 'line', [{ name: 'Attacks', data }]);
}

function nativeBreakdown(spec: BreakdownChart): NativeChart | null {
  const rows = breakdownRows(spec).rows.filter((row) => row.count > 0);
  if (rows.length === 0) return null;
  const shown = rows.length <= MOST_SEGMENTS ? rows : rows.slice(0, MOST_SEGMENTS - 1);
  const rest = rows.slice(shown.length).reduce((sum, row) => sum + row.count, 0);
  const data = shown.map((row) => ({ label: fitCharacters(row.name, LABEL_LENGTH), value: row.count }));
  if (rest > 0) data.push({ label: 'other', value: rest });
  return native(spec.title, 'bar', [{ name: 'Events', data }]);
}

function native(title: string, type: 'bar' | 'line', series: readonly NativeSeries[]): NativeChart {
  const categories = (series[0]?.data ?? []).map(({ label }) => label);
  return { title: fitCharacters(title, TITLE_LENGTH), chart: { type, series, axis_config: { categories } } };
}
