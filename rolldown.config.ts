/**
 * The production build: `npm run build` puts the program into `dist/`, so that a start reads a few files instead of more
 * than a thousand. The playground is not part of it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

const DEPENDENCY = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Node reads all of a source map at the start, so it maps our own code and leaves out the dependencies. */
const ownSourceMaps: Plugin = {
  name: 'own source maps',
  transform: (code, id) => (DEPENDENCY.test(id) ? { code, map: { mappings: '' } } : null),
};

/** Whoever passes a bundle on passes on the licences of what is in it. */
const licences: Plugin = {
  name: 'licences',
  generateBundle() {
    const packages = new Map<string, string>();
    for (const id of this.getModuleIds()) {
      const [, folder = '', name = ''] = DEPENDENCY.exec(id) ?? [];
      if (name !== '') packages.set(name, folder);
    }
    const texts = [...packages]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, at]) => `${name}\n\n${licenceIn(at)}`);
    this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: `${texts.join(`\n${'-'.repeat(80)}\n\n`)}` });
  },
};

function licenceIn(folder: string): string {
  const { license = '', author = '' } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name)) ?? '';
  const text = path.join(folder, file);
  return file !== '' && existsSync(text) ? readFileSync(text, 'utf8').trim() : `${license} ${author?.name ?? author}`;
}

export default defineConfig({
  input: {
    main: 'src/main.ts',
    cli: 'src/cli.ts',
    'draw-worker': 'src/charts/render/draw-worker.ts',
  },
  platform: 'node',
  external: [
    // Native, looked for in `node_modules` as the font's files are.
    '@napi-rs/canvas',
    // Native and optional: what would use it does without.
    'msgpackr-extract',
    /start-playground/,
  ],
  plugins: [ownSourceMaps, licences],
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Names stay: in a trace of calls they say the most.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});
