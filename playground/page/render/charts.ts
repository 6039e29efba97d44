/** The data_visualization block as SVG. Colors come from the style sheet; every value is also in a title. */
import { type JsonObject, objectAt, objectsIn, stringAt } from '../../slack/json.ts';
import { type Html, html } from './html.ts';

const WIDTH = 520;
const HEIGHT = 220;
const LEFT = 46;
const BOTTOM = 26;
/** Approximate width of a letter in a label on a phone, where letters are drawn larger. */
const LETTER = 10;
const TOP = 10;

export function renderChart(block: JsonObject): Html {
  const chart = objectAt(block, 'chart') ?? {};
  const title = stringAt(block, 'title') ?? '';
  const { drawing, names } = chart.type === 'pie' ? pie(chart, title) : axes(chart, title);
  return html`<figure class="chart"><figcaption>${title}</figcaption>${drawing}
<ul class="legend">${names.map((name, index) => html`<li><i class="swatch series-${index % 6}"></i>${name}</li>`)}</ul></figure>`;
}

interface Drawn {
  readonly drawing: Html;
  readonly names: readonly string[];
}

function pie(chart: JsonObject, title: string): Drawn {
  const segments = objectsIn(chart.segments).map((part) => ({ label: String(part.label), value: Number(part.value) }));
  const total = segments.reduce((sum, part) => sum + part.value, 0) || 1;
  let turn = 0;
  const slices = segments.map(({ label, value }, index) => {
    const from = turn;
    turn += value / total;
    const share = `${label}: ${value} (${Math.round((value / total) * 100)} %)`;
    // A full circle has no arc.
    if (segments.length === 1)
      return html`<circle class="series-${index}" cx="80" cy="80" r="70"><title>${share}</title></circle>`;
    const [x1, y1, x2, y2] = [...onCircle(from), ...onCircle(turn)];
    const large = turn - from > 0.5 ? 1 : 0;
    return html`<path class="series-${index % 6}" d="M80 80 L${x1} ${y1} A70 70 0 ${large} 1 ${x2} ${y2} Z"><title>${share}</title></path>`;
  });
  const names = segments.map(
    ({ label, value }) => `${label} ${value.toLocaleString('en')} (${Math.round((value / total) * 100)} %)`,
  );
  return {
    drawing: html`<svg class="pie" viewBox="0 0 160 160" role="img" aria-label="${title}">${slices}</svg>`,
    names,
  };
}

function onCircle(turn: number): readonly [string, string] {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  return [(80 + 70 * Math.cos(angle)).toFixed(2), (80 + 70 * Math.sin(angle)).toFixed(2)];
}

const cut = (text: string, room: number): string =>
  text.length <= room ? text : `${text.slice(0, room - 1).trimEnd()}…`;

function axes(chart: JsonObject, title: string): Drawn {
  const config = objectAt(chart, 'axis_config') ?? {};
  const categories = (Array.isArray(config.categories) ? config.categories : []).map(String);
  const series = objectsIn(chart.series).map((one) => {
    const values = new Map(objectsIn(one.data).map((point) => [String(point.label), Number(point.value)]));
    return { name: String(one.name), values: categories.map((category) => values.get(category) ?? 0) };
  });
  const top = niceTop(Math.max(0, ...series.flatMap((one) => one.values)));
  const step = (WIDTH - LEFT) / Math.max(1, categories.length);
  const x = (index: number) => LEFT + step * (index + 0.5);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.max(0, value) / top);
  const marks = series.map((one, index) =>
    chart.type === 'bar'
      ? bars(one, index, series.length, categories, { x, y, step })
      : line(one, index, chart.type === 'area', { x, y }),
  );
  const every = Math.ceil(categories.length / 8);
  // Neighbors must not overlap; the full name is in the title.
  const room = Math.max(3, Math.floor((step * every - 4) / LETTER));
  const labels = categories.map((category, index) =>
    index % every === 0
      ? html`<text x="${x(index).toFixed(1)}" y="${HEIGHT - 8}" text-anchor="middle"><title>${category}</title>${cut(category, room)}</text>`
      : undefined,
  );
  const grid = [0, 0.5, 1].map(
    (part) =>
      html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${y(top * part)}" y2="${y(top * part)}"/><text x="${LEFT - 6}" y="${y(top * part) + 4}" text-anchor="end">${short(top * part)}</text>`,
  );
  return {
    drawing: html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${grid}${marks}${labels}</svg>`,
    names: series.map((one) => one.name),
  };
}

interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface Scale {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

function bars(
  one: Series,
  at: number,
  of: number,
  categories: readonly string[],
  scale: Scale & { readonly step: number },
): readonly Html[] {
  const width = (scale.step * 0.8) / of;
  return one.values.map((value, index) => {
    const left = scale.x(index) - scale.step * 0.4 + width * at;
    const top = scale.y(value);
    return html`<rect class="series-${at % 6}" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${Math.max(1, width - 1).toFixed(1)}" height="${(HEIGHT - BOTTOM - top).toFixed(1)}"><title>${categories[index] ?? ''}: ${one.name} ${value}</title></rect>`;
  });
}

function line(one: Series, at: number, filled: boolean, scale: Scale): readonly Html[] {
  const points = one.values.map((value, index) => `${scale.x(index).toFixed(1)},${scale.y(value).toFixed(1)}`);
  const floor = HEIGHT - BOTTOM;
  const area = `${scale.x(0).toFixed(1)},${floor} ${points.join(' ')} ${scale.x(one.values.length - 1).toFixed(1)},${floor}`;
  return [
    html`${filled && html`<polygon class="area series-${at % 6}" points="${area}"/>`}`,
    html`<polyline class="line series-${at % 6}" points="${points.join(' ')}"><title>${one.name}</title></polyline>`,
  ];
}

/** Rounds up to the next round number. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 3, 5, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

function short(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
