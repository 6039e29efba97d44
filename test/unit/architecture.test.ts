/** The shape of the code: which folder may import which, as a table, and the habits that a reader can rely on. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

/** What everyone may import: the error, the clock, the reader of bodies, the wrapper of secrets, the logger's type. */
const LEAVES = [
  'errors.ts',
  'clock.ts',
  'time-units.ts',
  'untrusted-input.ts',
  'secret.ts',
  'observability/logger.ts',
  'observability/observers.ts',
].map((file) => `src/${file}`);

/** Pure folders: no clock, no peers, no store. */
const PURE = ['src/time', 'src/statistics', 'src/grammar'];

/** What answers are made of, for people, digests and watches alike. */
const ANSWERS = [...LEAVES, ...PURE, 'src/charts/spec', 'src/episodes', 'src/replies', 'src/projects'];

/** The longest folder name that fits a file decides. A folder may always import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'src/time': ['src/errors.ts', 'src/time-units.ts'],
  'src/statistics': ['src/errors.ts', 'src/time-units.ts', 'src/untrusted-input.ts', 'src/time'],
  'src/grammar': ['src/errors.ts', 'src/time', 'src/statistics'],
  'src/waf': [...LEAVES, 'src/time', 'src/statistics'],
  'src/charts': [...LEAVES, 'src/time', 'src/statistics'],
  // The version is that of the package.
  'src/store': [...LEAVES, 'package.json'],
  'src/scheduler': [...LEAVES, 'src/store'],
  'src/episodes': [...LEAVES, ...PURE],
  'src/replies': [...LEAVES, ...PURE, 'src/charts/spec', 'src/episodes'],
  'src/projects': [...ANSWERS, 'src/config', 'src/store', 'src/waf'],
  'src/pagers': [...LEAVES, 'src/store', 'src/listen.ts'],
  'src/subscriptions': [...ANSWERS, 'src/scheduler', 'src/store', 'src/pagers/page.ts'],
  'src/commands': [
    ...ANSWERS,
    'src/subscriptions',
    'src/pagers/page.ts',
    'src/store/create-store.ts',
    'src/store/store.ts',
  ],
  'src/slack': [...ANSWERS, 'src/subscriptions', 'src/commands'],
  'src/mcp': [...ANSWERS, 'src/subscriptions/none.ts', 'src/commands', 'src/listen.ts', 'package.json'],
  'src/config': [...LEAVES, ...PURE],
  'src/observability': [...LEAVES, 'src/listen.ts'],
  'src/cli': ['src'],
  // The version is that of the package.
  src: ['src', 'package.json'],
  // A package of its own; the others share only its readers of JSON and of file types, and its guard.
  'playground/slack': [],
  'playground/service': ['playground/slack/loopback-only.ts'],
  'playground/page': [
    'playground/slack/json.ts',
    'playground/slack/file-types.ts',
    'playground/slack/loopback-only.ts',
  ],
  playground: ['playground/slack'],
};

/** The one file that starts the playground from a checkout. */
const PLAYGROUND_STARTER = 'src/start-playground.ts';

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file))
    .filter((file) => !file.startsWith('playground/slack/dist/'));
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
    ['src/statistics/timeline.ts', 'src/waf/index.ts'],
    ['src/waf/index.ts', 'src/store/index.ts'],
    ['src/episodes/assess.ts', 'src/replies/reply.ts'],
    ['src/replies/reply.ts', 'src/subscriptions/service.ts'],
    ['src/commands/index.ts', 'src/charts/index.ts'],
    ['src/commands/verbs/check.ts', 'src/waf/index.ts'],
    ['src/subscriptions/service.ts', 'src/commands/index.ts'],
    ['src/subscriptions/service.ts', 'src/slack/index.ts'],
    ['src/slack/index.ts', 'src/config/config.ts'],
    ['src/bot.ts', 'playground/slack/index.ts'],
    ['playground/slack/index.ts', 'src/errors.ts'],
    ['playground/slack/index.ts', 'playground/workspace.ts'],
    ['playground/page/index.ts', 'playground/slack/index.ts'],
  ])('%s may not import %s', (file, imported) => {
    expect(refusal(file, imported)).toContain('may not import');
  });
});

describe('the local Slack', () => {
  const { dependencies } = JSON.parse(readFileSync('playground/slack/package.json', 'utf8'));
  const packagesIn = (files: readonly string[]): Set<string> =>
    new Set(
      files.flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) [^;]*? from '([^.'][^']*)'/gm)]
          .map(([, name = '']) => name)
          .filter((name) => !name.startsWith('node:')),
      ),
    );
  const files = sourceFiles('playground/slack');
  const isTest = (file: string): boolean => /\/(examples|test)\/|vitest\.config/.test(file);

  it('uses what its package declares, and nothing else', () => {
    const used = packagesIn(files.filter((file) => !isTest(file)));
    expect([...used].sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('is tested by its name, like any other package', () => {
    const own = files.filter(isTest).flatMap((file) => importsOf(file));
    expect(own.filter((imported) => !isTest(imported))).toEqual([]);
  });
});

describe('every file', () => {
  it('gives its types names that no other file of the bot uses for something else', () => {
    const owners = new Map<string, string[]>();
    for (const file of sourceFiles('src')) {
      const declared = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(declared)) {
        owners.set(name, [...(owners.get(name) ?? []), file]);
      }
    }
    const ambiguous = [...owners].flatMap(([name, files]) => (files.length > 1 ? `${name}: ${files.join(', ')}` : []));
    expect(ambiguous.sort()).toEqual([]);
  });
});

describe('every test', () => {
  it('is of one of the kinds that the test runner knows', () => {
    const kinds = ['test/unit', 'test/loopback', 'test/real-time', 'test/long'];
    kinds.push('playground/slack/examples', 'playground/slack/test');
    const tests = [...sourceFiles('test'), ...sourceFiles('playground')].filter((file) => file.endsWith('.test.ts'));
    expect(tests.filter((file) => !kinds.some((kind) => isWithin(file, kind)))).toEqual([]);
  });

  it('draws from the seed of the run', () => {
    const drawing = sourceFiles('test').filter((file) =>
      /^import .* from 'fast-check'/m.test(readFileSync(file, 'utf8')),
    );
    expect(drawing).toEqual(['test/support/property.ts']);
  });
});

describe('the linter', () => {
  /** A folder with nothing in it but the project's rules and files that keep or break them. */
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-lint-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const rules = JSON.parse(readFileSync('biome.json', 'utf8'));
  const samples: Readonly<Record<string, string>> = {
    'biome.json': JSON.stringify({ ...rules, $schema: undefined, vcs: { enabled: false } }),
    'src/waf/hen.ts': "import { egg } from './egg.ts';\n\nexport const hen = () => egg;\n",
    'src/waf/egg.ts': "import { hen } from './hen.ts';\n\nexport const egg = () => hen;\n",
    'src/waf/key.ts': "import type { Lock } from './lock.ts';\n\nexport interface Key {\n  readonly fits: Lock;\n}\n",
    'src/waf/lock.ts': "import type { Key } from './key.ts';\n\nexport interface Lock {\n  readonly opens: Key;\n}\n",
    'src/waf/environment.ts': 'export const home = process.env.HOME;\n',
    'src/config/config.ts': 'export const home = process.env.HOME;\n',
    'src/bot.ts': "import { egg } from './waf/egg.ts';\n\nexport const bot = egg;\n",
  };
  for (const [file, text] of Object.entries(samples)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const { stdout } = spawnSync(path.resolve('node_modules/.bin/biome'), ['lint', '--reporter=github'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const saysOf = (file: string): string =>
    stdout
      .split('\n')
      .filter((line) => line.includes(`${file},`))
      .join('\n');

  it.each(['src/waf/hen.ts', 'src/waf/egg.ts'])('refuses the cycle that %s is part of', (file) => {
    expect(saysOf(file)).toContain('noImportCycles');
  });

  it.each(['src/waf/key.ts', 'src/waf/lock.ts'])('refuses the cycle of types that %s is part of', (file) => {
    expect(saysOf(file)).toContain('noImportCycles');
  });

  it('lets nobody but the configuration read the environment', () => {
    expect(saysOf('src/waf/environment.ts')).toContain('noProcessEnv');
    expect(saysOf('src/config/config.ts')).toBe('');
    const readers = sourceFiles('src').filter((file) =>
      /process\.env\b|from 'node:process'/.test(readFileSync(file, 'utf8')),
    );
    expect(readers.filter((file) => !isWithin(file, 'src/config'))).toEqual([]);
  });

  it('finds no fault with what is in order', () => {
    expect(saysOf('src/bot.ts')).toBe('');
  });
});
