/** The arrows between the folders, as a table. What a folder may import is said here once; everything else is refused. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** What everyone may import: the error, the clock, the wrapper of secrets, the logger's type. */
const LEAVES = ['src/errors.ts', 'src/clock.ts', 'src/secret.ts', 'src/observability/logger.ts'];

const PURE = ['src/time', 'src/insight'];

/** The longest folder name that fits a file decides. A folder may always import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'src/time': ['src/errors.ts'],
  'src/insight': ['src/errors.ts'],
  'src/waf': [...LEAVES, ...PURE],
  'src/charts/spec': [...LEAVES, ...PURE],
  'src/charts': [...LEAVES, ...PURE],
  'src/store': LEAVES,
  'src/scheduler': [...LEAVES, 'src/store'],
  'src/commands': [...LEAVES, ...PURE, 'src/charts/spec'],
  'src/subscriptions': [...LEAVES, ...PURE, 'src/charts/spec', 'src/commands', 'src/scheduler'],
  'src/slack': [...LEAVES, ...PURE, 'src/charts/spec', 'src/commands'],
  'src/config': [...LEAVES, ...PURE],
  'src/observability': LEAVES,
  'src/cli': ['src'],
  src: ['src'],
  playground: [],
};

/** The one file that starts the playground from a checkout. */
const PLAYGROUND_STARTER = 'src/start-playground.ts';

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file));
}

function importsOf(file: string): string[] {
  const code = readFileSync(file, 'utf8');
  const specifiers = [...code.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return specifiers.map((match) => path.join(path.dirname(file), match[1] ?? ''));
}

const isWithin = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);

function refusal(file: string, imported: string): string | null {
  if (file === PLAYGROUND_STARTER && isWithin(imported, 'playground')) return null;
  const folder = Object.keys(ARROWS)
    .filter((known) => isWithin(file, known))
    .sort((a, b) => b.length - a.length)[0];
  if (folder === undefined) return `${file} is in no known folder`;
  const allowed = [folder, ...(ARROWS[folder] ?? [])];
  return allowed.some((target) => isWithin(imported, target)) ? null : `${file} may not import ${imported}`;
}

describe('import arrows', () => {
  it('are kept by every file', () => {
    const files = [...sourceFiles('src'), ...sourceFiles('playground')];
    expect(files.length).toBeGreaterThan(100);
    const refused = files.flatMap((file) => importsOf(file).flatMap((imported) => refusal(file, imported) ?? []));
    expect(refused).toEqual([]);
  });

  it.each([
    ['src/time/index.ts', 'src/waf/index.ts'],
    ['src/insight/summary.ts', 'src/time/index.ts'],
    ['src/waf/index.ts', 'src/store/index.ts'],
    ['src/charts/spec/index.ts', 'src/charts/index.ts'],
    ['src/commands/index.ts', 'src/charts/index.ts'],
    ['src/commands/verbs/check.ts', 'src/waf/index.ts'],
    ['src/subscriptions/service.ts', 'src/slack/index.ts'],
    ['src/slack/index.ts', 'src/config/config.ts'],
    ['src/bot.ts', 'playground/slack/index.ts'],
    ['playground/slack/index.ts', 'src/errors.ts'],
  ])('%s may not import %s', (file, imported) => {
    expect(refusal(file, imported)).toContain('may not import');
  });
});
