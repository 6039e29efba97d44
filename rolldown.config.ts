/**
 * The production build: `npm run build` puts the program into `dist/`, which the package and the image run. A start reads a
 * few files instead of more than a thousand, and Node doesn't strip types under `node_modules`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

const DEPENDENCY = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Its own package too, which the bundle has from its source. */
const LOCAL_SLACK = /^(.*\/playground\/slack)\//;

/** Node reads all of a source map at the start, so it maps our own code and leaves out the dependencies. */
const ownSourceMaps: Plugin = {
  name: 'own source maps',
  transform: (code, id) => (DEPENDENCY.test(id) ? { code, map: { mappings: '' } } : null),
};

/** Installed beside the bundle: native, or files that are looked for in `node_modules`. */
const BESIDE = ['@napi-rs/canvas', '@fontsource/inter'];

/** Whoever passes a bundle on passes on the licences of what is in it, and says what that is. */
const contents: Plugin = {
  name: 'contents',
  generateBundle() {
    const folders = new Set(BESIDE.map((name) => path.join('node_modules', name)));
    for (const id of this.getModuleIds()) folders.add((DEPENDENCY.exec(id) ?? LOCAL_SLACK.exec(id))?.[1] ?? '');
    folders.delete('');
    const packages = [...folders].map(readPackage).sort((a, b) => a.name.localeCompare(b.name));
    const texts = packages.map(({ name, text }) => `${name}\n\n${text}`);
    this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: `${texts.join(`\n${'-'.repeat(80)}\n\n`)}` });
    this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source: billOfMaterials(packages) });
  },
};

interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Of its licence. */
  readonly text: string;
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license = '' } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return { name, version, license, text: licenceIn(folder) };
}

/** CycloneDX, which scanners look packages up with. */
function billOfMaterials(packages: readonly BundledPackage[]): string {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const purl = (of: string, at: string) => `pkg:npm/${of.replace('@', '%40')}@${at}`;
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, purl: purl(name, version) } },
    components: packages.map((each) => ({
      type: 'library',
      name: each.name,
      version: each.version,
      purl: purl(each.name, each.version),
      licenses: each.license === '' ? [] : [{ license: { id: each.license } }],
    })),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** What the playground's page loads. */
const page: Plugin = {
  name: 'page',
  generateBundle() {
    const folder = 'playground/page/static';
    for (const file of readdirSync(folder)) {
      this.emitFile({
        type: 'asset',
        fileName: `static/${file}`,
        source: readFileSync(path.join(folder, file)),
      });
    }
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
    wafbot: 'src/wafbot.js',
    'draw-worker': 'src/charts/render/draw-worker.ts',
  },
  platform: 'node',
  external: [
    ...BESIDE,
    // Native and optional: what would use it does without.
    'msgpackr-extract',
  ],
  plugins: [ownSourceMaps, contents, page],
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
