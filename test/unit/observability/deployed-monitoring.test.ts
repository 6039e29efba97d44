/** The dashboard and the alerting rules name metrics that exist, with labels that they have. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/observability/metrics.ts';

const FOLDER = 'deploy/observability';
const read = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: object }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const rules = (parse(read('wafbot.rules.yml')) as Rules).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('wafbot.dashboard.json')) as Dashboard;
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

const METRIC = /\b((?:wafbot|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;
/** What Prometheus adds. */
const OWN_LABELS = ['job', 'instance', 'le'];

const metrics = createMetrics();
const names = new Set(metrics.describe().map(({ name }) => name));
const labelsOf = new Map<string, readonly string[]>(
  Object.values(metrics).flatMap((metric) =>
    typeof metric === 'object' && 'labelNames' in metric
      ? [[String(Reflect.get(metric, 'name')), metric.labelNames as readonly string[]] as const]
      : [],
  ),
);
const base = (series: string): string => (names.has(series) ? series : series.replace(/_(bucket|count|sum)$/, ''));

it.each(expressions)('%s: every metric exists, with these labels', (_title, expr) => {
  const found = [...expr.matchAll(METRIC)];
  for (const [, series = '', selector = ''] of found) {
    expect(names).toContain(base(series));
    const used = [...selector.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label]) => label);
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
    const known = [...OWN_LABELS, ...(labelsOf.get(base(series)) ?? [])];
    expect(known).toEqual(expect.arrayContaining(used));
    expect(known).toEqual(expect.arrayContaining(grouped));
  }
  expect(found.length + [...expr.matchAll(/\bup\b/g)].length).toBeGreaterThan(0);
});

it('every metric of the bot is on the dashboard', () => {
  const shown = new Set(
    panels
      .flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => [...expr.matchAll(METRIC)].map(([, series = '']) => base(series))),
  );
  expect([...names].filter((name) => name.startsWith('wafbot_') && !shown.has(name))).toEqual([]);
});

it('no two panels overlap', () => {
  const overlapping = panels.flatMap((a, at) =>
    panels
      .slice(at + 1)
      .filter(
        (b) =>
          a.gridPos.x < b.gridPos.x + b.gridPos.w &&
          b.gridPos.x < a.gridPos.x + a.gridPos.w &&
          a.gridPos.y < b.gridPos.y + b.gridPos.h &&
          b.gridPos.y < a.gridPos.y + a.gridPos.h,
      )
      .map((b) => [a.title, b.title]),
  );
  expect(overlapping).toEqual([]);
});

it('every rule has a test, and says what to do', () => {
  const tests = read('wafbot.rules.test.yml');
  for (const { alert, annotations } of rules) {
    expect(annotations).toMatchObject({
      summary: expect.stringMatching(/\w/),
      description: expect.stringMatching(/\w/),
    });
    expect(tests.split(`alertname: ${alert}\n        exp_alerts`).length, alert).toBe(2);
  }
});

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
if (!isInstalled)
  process.stdout.write('promtool is not installed: the alerting rules are not run (Debian: prometheus)\n');

describe.runIf(isInstalled || process.env.CI === 'true')('promtool', () => {
  it.each([
    ['check', 'rules', 'wafbot.rules.yml'],
    ['test', 'rules', 'wafbot.rules.test.yml'],
  ])('%s %s %s', (...args) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('reads the metrics page', async () => {
    const { text } = await metrics.page();
    // Some of Node's own have names that it finds fault with.
    const ours = text.split('\n').filter((line) => /^(# \w+ )?wafbot_/.test(line));
    const input = `${ours.join('\n')}\n`;
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
