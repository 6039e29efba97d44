/**
 * An image drawn here, beside one drawn by a QuickChart server from the same configuration, in turn. `-- charts --quickchart
 * http://host:3400` names a real server. Without one, a local server with the same Chart.js stands in, on a canvas that
 * is faster than the real one's. Nothing is cached on either side.
 */
import { parseArgs } from 'node:util';
import { createEmbedded } from '../../src/charts/render/embedded.ts';
import { createQuickchartClient } from '../../src/charts/render/quickchart.ts';
import { chartConfig } from '../../src/charts/spec/index.ts';
import { startPeer } from '../load/peer-process.ts';
import { quietLog } from './bot-here.ts';
import { isQuick, machineLoad, median, spread, target, times } from './figures.ts';
import type { QuickchartPeer } from './quickchart-peer.ts';
import { breakdown, timelineOf } from './sample-charts.ts';

const ROUNDS = isQuick ? 15 : 60;
const WARM_UP = isQuick ? 8 : 20;
const TIMEOUT_MS = 30_000;

const charts = { '24 points': timelineOf(24), '1,440 points': timelineOf(1_440), breakdown };
/** Our time as a share of the server's. Beside the local one: 0.16 and 0.23 on an idle machine, plus a margin. */
const MAX_RATIO = {
  real: { '24 points': 1 / 5, '1,440 points': 1 / 4 },
  local: { '24 points': 0.2, '1,440 points': 0.3 },
} as const;

const { values } = parseArgs({ strict: false, options: { quickchart: { type: 'string' } } });
const given = typeof values.quickchart === 'string' ? values.quickchart : undefined;
const peer =
  given === undefined ? await startPeer<QuickchartPeer>(new URL('./quickchart-peer.ts', import.meta.url)) : null;
const url = given ?? (await peer?.call.url()) ?? '';
const sides = {
  here: await createEmbedded({ log: quietLog }),
  server: createQuickchartClient(url, TIMEOUT_MS),
};

const rows: Record<string, Record<string, string>> = {};
const ratios = new Map<string, number>();
for (const [name, spec] of Object.entries(charts)) {
  const ms = { here: [] as number[], server: [] as number[] };
  let bytes = 0;
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const side of ['here', 'server'] as const) {
      const startedMs = performance.now();
      const { config, ...card } = chartConfig(spec);
      const png = await sides[side].draw({ ...card, config: JSON.stringify(config) });
      if (round >= 0) ms[side].push(performance.now() - startedMs);
      if (side === 'here') bytes = png.byteLength;
    }
  }
  const ratio = median(ms.here) / median(ms.server);
  ratios.set(name, ratio);
  rows[name] = {
    'here, ms': spread(ms.here),
    'server, ms': spread(ms.server),
    'here : server': times(ratio),
    'here, KB': (bytes / 1_000).toFixed(0),
  };
}
console.log(`images, p50 / p95, server: ${given ?? 'local stand-in'}; ${machineLoad()}`);
console.table(rows);
for (const [name, max] of Object.entries(MAX_RATIO[given === undefined ? 'local' : 'real'])) {
  const server = given === undefined ? 'a local chart server' : 'the QuickChart server';
  target(`image of ${name}, compared with ${server}`, ratios.get(name) ?? Number.NaN, max, '×');
}
await sides.here.close();
await peer?.stop();
process.exit();
