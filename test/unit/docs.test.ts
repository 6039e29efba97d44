/** The documents agree with the code: generated pages are current, and files, folders and links they name exist. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../src/config/fields.ts';
import { undocumentedSettings } from '../support/configuration-page.ts';
import { GENERATED_PAGES } from '../support/generated-pages.ts';
import { scriptMismatches } from '../support/scripts-page.ts';

const isDocument = (file: string): boolean => file.endsWith('.md');
const pages = [
  ...readdirSync('.').filter(isDocument),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter(isDocument)
    .map((file) => path.join('docs', file)),
];

describe('generated pages', () => {
  it.each(Object.entries(GENERATED_PAGES))('%s is current (npm run docs)', (file, render) => {
    expect(readFileSync(file, 'utf8')).toBe(render());
  });

  it('document every setting', () => {
    expect(undocumentedSettings()).toEqual([]);
  });

  it('document every npm script, and no other', () => {
    expect(scriptMismatches()).toEqual([]);
  });
});

it('docs/verdict.md fits on two pages, and its rule in 60 words', () => {
  const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const page = readFileSync('docs/verdict.md', 'utf8');
  expect(wordsIn(page)).toBeLessThanOrEqual(1_200);
  const rule = page.split('\n').filter((line) => line.startsWith('>'));
  expect(rule).not.toEqual([]);
  expect(wordsIn(rule.join(' '))).toBeLessThanOrEqual(60);
});

it('.env.example has every setting, and no other', () => {
  const names = [...readFileSync('.env.example', 'utf8').matchAll(/^(?:# )?(\w+)=/gm)].map(([, name = '']) => name);
  expect(names.map((name) => name.replace(/_FILE$/, '')).sort()).toEqual(Object.keys(FIELDS).sort());
});

it('docs/decisions/libraries.md has every dependency, and no other', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { optionalDependencies } = JSON.parse(readFileSync('tools/node/package.json', 'utf8'));
  const tables = readFileSync('docs/decisions/libraries.md', 'utf8').matchAll(/^\| (`.*?) \|/gm);
  const listed = [...tables].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  const installed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(listed.sort()).toEqual(installed.sort());
});

/** Documents name files from the root, from `src/`, or by a bare file name. A package may end in `.js`. */
const ROOTS = ['.', 'src', 'playground', 'node_modules'];
/** Written by scripts, so not in a fresh checkout. */
const WRITTEN = ['benchmark/', 'dist/', 'gallery/', 'sbom/'];
const everyFile = new Set(
  ['src', 'playground', 'test', 'docs']
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }))
    .map((file) => path.basename(file)),
);

function isThere(named: string): boolean {
  if (WRITTEN.some((folder) => named.startsWith(folder))) return true;
  return ROOTS.some((root) => existsSync(path.join(root, named))) || (!named.includes('/') && everyFile.has(named));
}

const NAMED_FILE = /`([\w./-]+\.(?:ts|js|md|yml))`/g;
const NAMED_FOLDER = /`((?:[a-z-]+\/)+)`/g;
const LINK = /\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g;

const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('names files and folders that exist', () => {
    const named = [...text.matchAll(NAMED_FILE), ...text.matchAll(NAMED_FOLDER)].map(([, name = '']) => name);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  it('links to pages and headings that exist', () => {
    const broken = [...text.matchAll(LINK)].filter(([, file = '', anchor]) => {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(target)) return true;
      return anchor !== undefined && statSync(target).isFile() && !anchorsOf(target).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});
