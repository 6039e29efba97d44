/** Small blocks to build messages from, good and bad. */
export const plain = (text: string) => ({ type: 'plain_text', text });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
export const long = (length: number) => 'x'.repeat(length);
export const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
export const section = (text = 'hello') => ({ type: 'section', text: mrkdwn(text) });
export const button = (id: string, more = {}) => ({ type: 'button', action_id: id, text: plain('Go'), ...more });
export const cell = (text: string) => ({ type: 'raw_text', text });
export const option = (value: string) => ({ text: plain(value), value });
export const pie = (values: readonly number[]) => ({
  type: 'data_visualization',
  title: 'By category',
  chart: { type: 'pie', segments: values.map((value, index) => ({ label: `s${index}`, value })) },
});
export const series = (names: readonly string[], labels: readonly string[], categories: readonly string[]) => ({
  type: 'data_visualization',
  title: 'Over time',
  chart: {
    type: 'line',
    series: names.map((name) => ({ name, data: labels.map((label) => ({ label, value: 1 })) })),
    axis_config: { categories },
  },
});
export const dataTable = (rows: number, columns: number, more = {}) => ({
  type: 'data_table',
  caption: 'Numbers',
  rows: times(rows, () => times(columns, () => cell('1'))),
  ...more,
});
