/** Categories as horizontal bars, largest first, each with its count and share; the period before as a tick. */
import { compactCount, formatShare } from '../../insight/numbers.ts';
import { breakdownRows } from './breakdown-rows.ts';
import type { ChartConfig, Json } from './chart-config.ts';
import type { BreakdownChart } from './chart-spec.ts';
import { font, head, MARGIN, PIXEL_RATIO, WIDTH } from './layout.ts';
import { type Palette, palette } from './palette.ts';

const ROW_PX = 26;

export function breakdownConfig(spec: BreakdownChart): ChartConfig {
  const colours = palette(spec.theme);
  const { rows, total } = breakdownRows(spec);
  const last = Math.max(0, rows.length - 1);
  const config: Json = {
    type: 'bar',
    data: {
      labels: rows.map((row) => row.name),
      datasets: [
        {
          type: 'bar',
          label: 'Events',
          data: rows.map((row) => row.count),
          backgroundColor: colours.attacks,
          barPercentage: 0.72,
          categoryPercentage: 1,
          minBarLength: 2,
          yAxisID: 'y',
          xAxisID: 'x',
        },
      ],
    },
    options: {
      animation: false,
      responsive: false,
      indexAxis: 'y',
      layout: { padding: { left: MARGIN, right: MARGIN, top: 14, bottom: 12 } },
      plugins: {
        ...head(spec.title, spec.subtitle ?? '', colours),
        legend: { display: false },
        tooltip: { enabled: false },
      },
      scales: {
        x: { type: 'linear', display: false, min: 0, max: Math.max(1, rows[0]?.count ?? 1) },
        y: column(
          'left',
          rows.map((row) => row.name),
          last,
          colours.ink,
        ),
        counts: column(
          'right',
          rows.map((row) => compactCount(row.count)),
          last,
          colours.ink,
        ),
        shares: column(
          'right',
          rows.map((row) => formatShare(total === 0 ? 0 : row.count / total)),
          last,
          colours.quietInk,
        ),
      },
    },
  };
  const height = 90 + rows.length * ROW_PX;
  return { width: WIDTH, height, pixelRatio: PIXEL_RATIO, background: colours.card, config };
}

function column(position: 'left' | 'right', labels: readonly string[], last: number, ink: Palette['ink']): Json {
  return {
    type: 'category',
    axis: 'y',
    position,
    labels,
    min: 0,
    max: last,
    offset: true,
    border: { display: false },
    grid: { display: false },
    ticks: { autoSkip: false, color: ink, font: font(400), padding: 6 },
  };
}
