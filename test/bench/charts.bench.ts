/**
 * A picture drawn here, beside one drawn by a QuickChart server from the same configuration, in turn. `-- quickchart --quickchart
 * http://host:3400` names a real server, and the aims are for that; where none is named, the local one with the same
 * Chart.js stands in, as a process of its own, on a canvas that is faster than the real one's. Nothing is kept on either side.
 */
import { parseArgs } from 'node:util';
import { createEmbedded } from '../../src/charts/render/embedded.ts';
import { createQuickchartClient } from '../../src/charts/render/quickchart.ts';
import { chartConfig } from '../../src/charts/spec/index.ts';
import { startPeer } from '../load/peer-process.ts';
import { quietLog } from './bot-here.ts';
import { aim, isQuick, machineLoad, median, spread, times } from './figures.ts';
import type { QuickchartPeer } from './quickchart-peer.ts';
import { breakdown, timelineOf } from './sample-charts.ts';

const ROUNDS = isQuick ? 15 : 60;
const WARM_UP = isQuick ? 8 : 20;
const TIMEOUT_MS = 30_000;

const timelines = { '24 points': timelineOf(24), '1,440 points': timelineOf(1_440) };
const charts = isQuick ? timelines : { ...timelines, breakdown };
const AIMS: Readonly<Record<string, number>> = { '24 points': 1 / 5, '1,440 points': 1 / 4 };

const { values } = parseArgs({ strict: false, options: { quickchart: { type: 'string' } } });
const given = typeof values.quickchart === 'string' ? values.quickchart : undefined;
const peer =
  given === undefined ? await startPeer<QuickchartPeer>(new URL('./quickchart-peer.ts', import.meta.url)) : null;
const url = given ?? (await peer?.call.url()) ?? '';
const contenders = {
  here: await createEmbedded({ log: quietLog }),
  server: createQuickchartClient(url, TIMEOUT_MS),
};

const rows: Record<string, Record<string, string>> = {};
const ratios: Record<string, number> = {};
for (const [name, spec] of Object.entries(charts)) {
  const ms = { here: [] as number[], server: [] as number[] };
  const bytes = { here: 0, server: 0 };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const side of ['here', 'server'] as const) {
      const begun = performance.now();
      const { config, ...card } = chartConfig(spec);
      const png = await contenders[side].draw({ ...card, config: JSON.stringify(config) });
      if (round >= 0) ms[side].push(performance.now() - begun);
      bytes[side] = png.byteLength;
    }
  }
  ratios[name] = median(ms.here) / median(ms.server);
  rows[name] = {
    'here, ms': spread(ms.here),
    'server, ms': spread(ms.server),
    'server : here': times(1 / ratios[name]),
    'here, KB': (bytes.here / 1_000).toFixed(0),
    'server, KB': (bytes.server / 1_000).toFixed(0),
  };
  if (name === '24 points') aim('bytes of a picture at 24 points', bytes.here / 1_000, 60, 'KB');
}
console.log(
  `pictures, p50 / p95, ${given === undefined ? 'local server with the code of the real one' : url}; ${machineLoad()}`,
);
console.table(rows);
if (given === undefined) {
  console.log('the aims, 5 × at 24 points and 4 × at 1,440, are for a real server: --quickchart http://host:3400');
} else {
  for (const [name, most] of Object.entries(AIMS)) aim(`${name}, to the server`, ratios[name] ?? Number.NaN, most);
}
await contenders.here.close();
await peer?.stop();
process.exit();
