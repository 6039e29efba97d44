/** Slack's own chart block as plain data, for places where a picture cannot go. Its limits are held to here. */
import { breakdownRows } from './breakdown-rows.ts';
import type { BreakdownChart, ChartSpec } from './chart-spec.ts';
import { nativeBuckets } from './native-buckets.ts';
import { fitCharacters } from './text-fit.ts';

export interface NativePoint {
  readonly label: string;
  readonly value: number;
}

export interface NativeSeries {
  readonly name: string;
  /** One for each category of the axis, in its order. */
  readonly data: readonly NativePoint[];
}

/** The fields of a `data_visualization` block. */
export interface NativeChart {
  readonly title: string;
  readonly chart: {
    readonly type: 'bar';
    readonly series: readonly NativeSeries[];
    readonly axis_config: { readonly categories: readonly string[]; readonly y_label: string };
  };
}

const TITLE_LENGTH = 50;
const LABEL_LENGTH = 20;
/** Names that would be cut. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['rfi', 'Remote file incl.'],
  ['lfi', 'Local file incl.'],
  ['whiteblackip', 'Black- and Whitelist'],
]);
/** Five by name, and the rest. */
const NAMED = 5;

/** Null when there is nothing to draw. */
export function nativeChart(spec: ChartSpec): NativeChart | null {
  if (spec.kind === 'breakdown') return nativeBreakdown(spec);
  const buckets = nativeBuckets(spec);
  return buckets === null ? null : native(spec.title, buckets.yLabel, buckets.labels, buckets.series);
}

function nativeBreakdown(spec: BreakdownChart): NativeChart | null {
  const { rows } = breakdownRows(spec);
  if (rows.length === 0) return null;
  const named = rows.length > NAMED + 1 ? rows.slice(0, NAMED) : rows;
  const rest = rows.slice(named.length);
  const series: Record<string, number[]> = { Now: named.map((row) => row.count) };
  if (spec.previous !== null) series['Period before'] = named.map((row) => row.before ?? 0);
  if (rest.length > 0) {
    series.Now?.push(rest.reduce((sum, row) => sum + row.count, 0));
    series['Period before']?.push(rest.reduce((sum, row) => sum + (row.before ?? 0), 0));
  }
  const labels = [...named.map((row) => SHORT.get(row.category) ?? row.name), ...(rest.length > 0 ? ['other'] : [])];
  return native(spec.title, 'Events', labels, series);
}

function native(
  title: string,
  yLabel: string,
  labels: readonly string[],
  series: Readonly<Record<string, readonly number[]>>,
): NativeChart {
  const categories = distinct(labels.map((label) => fitCharacters(label, LABEL_LENGTH)));
  return {
    title: fitCharacters(title.trim() === '' ? 'Chart' : title, TITLE_LENGTH),
    chart: {
      type: 'bar',
      series: Object.entries(series).map(([name, values]) => ({
        name,
        data: categories.map((label, index) => ({ label, value: values[index] ?? 0 })),
      })),
      axis_config: { categories, y_label: fitCharacters(yLabel, LABEL_LENGTH) },
    },
  };
}

/** Labels are keys to Slack: cut names and hours that come twice must not fall together. */
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
