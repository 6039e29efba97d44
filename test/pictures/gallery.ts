/**
 * `npm run gallery` draws every chart of a fixed set of data into `gallery/` and puts them on one page at full size and at the width of a phone, on both grounds of Slack. Names after `--` draw only charts that have them.
 * It writes nowhere else; the pictures of the documents are taken by `npm run docs-pictures`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRenderer } from '../../src/charts/index.ts';
import { altText, type ChartSpec, nativeChart } from '../../src/charts/spec/index.ts';
import { breakdowns } from './breakdowns.ts';
import { page, type Shown } from './page.ts';
import { timelines } from './timelines.ts';

const folder = `${import.meta.dirname}/../../gallery`;
const wanted = process.argv.slice(2);
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const renderer = await createRenderer({ kind: 'embedded' }, { log: quiet });
const shown: Shown[] = [];
const specs: Record<string, ChartSpec> = { ...timelines(), ...breakdowns() };
for (const [name, spec] of Object.entries(specs)) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const file = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.png`;
  const { png, width, height } = await renderer.draw(spec);
  writeFileSync(`${folder}/${file}`, png);
  const native = JSON.stringify(nativeChart(spec));
  shown.push({ name, file, width, height, bytes: png.length, alt: altText(spec), native });
}
await renderer.close();
writeFileSync(`${folder}/index.html`, page(shown));
process.stdout.write(`${shown.length} pictures in gallery/, look at gallery/index.html\n`);
