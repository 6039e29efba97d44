/** The data_visualization block. Where Slack's documents disagree on a maximum, the lower one is used. */
import { z } from 'zod';
import { blockId, chars } from './text.ts';

const PARTS = 6;
const POINTS = 20;
const LABEL = 20;
const TITLE = 50;

const pie = z.strictObject({
  type: z.literal('pie'),
  segments: z
    .array(z.strictObject({ label: chars(LABEL), value: z.number().gt(0) }))
    .min(1)
    .max(PARTS),
});

const seriesChart = <const T extends string>(type: T) =>
  z.strictObject({
    type: z.literal(type),
    series: z
      .array(
        z.strictObject({
          name: chars(LABEL),
          data: z
            .array(z.strictObject({ label: chars(LABEL), value: z.number() }))
            .min(1)
            .max(POINTS),
        }),
      )
      .min(1)
      .max(PARTS),
    axis_config: z.strictObject({
      categories: z.array(chars(LABEL)).min(1).max(POINTS),
      x_label: chars(TITLE).optional(),
      y_label: chars(TITLE).optional(),
    }),
  });

const chart = z
  .discriminatedUnion('type', [pie, seriesChart('bar'), seriesChart('line'), seriesChart('area')])
  .superRefine((value, context) => {
    if (value.type === 'pie') return;
    const { categories } = value.axis_config;
    if (new Set(categories).size !== categories.length) {
      context.addIssue({ code: 'custom', message: 'categories must be unique', path: ['axis_config', 'categories'] });
    }
    const names = new Set<string>();
    value.series.forEach((series, index) => {
      if (names.has(series.name)) {
        context.addIssue({ code: 'custom', message: 'series names must be unique', path: ['series', index, 'name'] });
      }
      names.add(series.name);
      const labels = new Set(series.data.map((point) => point.label));
      if (labels.size !== categories.length || !categories.every((category) => labels.has(category))) {
        const message = 'data labels must match the categories';
        context.addIssue({ code: 'custom', message, path: ['series', index, 'data'] });
      }
    });
  });

export const dataVisualizationBlock = z.strictObject({
  type: z.literal('data_visualization'),
  block_id: blockId,
  title: chars(TITLE),
  chart,
});
