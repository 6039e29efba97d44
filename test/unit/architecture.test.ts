import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const REFUSED = [
  ['src/time', '../waf/index.ts'],
  ['src/time', '../insight/timeline.ts'],
  ['src/insight', '../time/index.ts'],
  ['src/waf', '../store/index.ts'],
  ['src/charts', '../commands/reply.ts'],
  ['src/charts/spec', '../canvas.ts'],
  ['src/store', '../slack/index.ts'],
  ['src/commands', '../slack/index.ts'],
  ['src/commands', '../charts/index.ts'],
  ['src/commands/verbs', '../../waf/index.ts'],
  ['src/digests', '../slack/index.ts'],
  ['src/slack/doors', '../../waf/index.ts'],
  ['src/slack', '../config.ts'],
  ['src/playground', '../commands/index.ts'],
  ['src/waf', '../app.ts'],
] as const;

const ALLOWED = [
  ['src/time', '../errors.ts'],
  ['src/waf', '../insight/timeline.ts'],
  ['src/commands', '../charts/spec/index.ts'],
  ['src/commands/verbs', '../../time/index.ts'],
  ['src/slack', '../commands/index.ts'],
  ['src', './slack/index.ts'],
] as const;

/** A folder with nothing in it but the project's rules and files that keep or break them. */
const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-arrows-'));
afterAll(() => rmSync(folder, { recursive: true }));

function put(file: string, code: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), code);
}

const probe = (room: string, from: string): string => `${room}/probe-${from.replace(/\W+/g, '-')}.ts`;

function lintAll(): string[] {
  const rules = JSON.parse(readFileSync('biome.json', 'utf8'));
  put('biome.json', JSON.stringify({ ...rules, $schema: undefined, vcs: { enabled: false } }));
  for (const [room, from] of [...REFUSED, ...ALLOWED]) {
    put(probe(room, from), `import { thing } from '${from}';\n\nexport const used = thing;\n`);
  }
  put('src/waf/environment.ts', 'export const home = process.env.HOME;\n');
  put('src/config.ts', 'export const home = process.env.HOME;\n');
  put('src/waf/hen.ts', "import { egg } from './egg.ts';\n\nexport const hen = () => egg;\n");
  put('src/waf/egg.ts', "import { hen } from './hen.ts';\n\nexport const egg = () => hen;\n");
  const { stdout } = spawnSync(
    path.resolve('node_modules/.bin/biome'),
    ['lint', '--reporter=github', '--max-diagnostics=none'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return stdout.split('\n').filter((line) => line.startsWith('::'));
}

const found = lintAll();
const saysOf = (file: string): string => found.filter((line) => line.includes(`/${file},`)).join('\n');

describe('import arrows', () => {
  it.each(REFUSED)('%s may not import %s', (room, from) => {
    expect(saysOf(probe(room, from))).toContain('noRestrictedImports');
  });

  it.each(ALLOWED)('%s may import %s', (room, from) => {
    expect(saysOf(probe(room, from))).toBe('');
  });

  it('refuses cycles', () => {
    expect(saysOf('src/waf/hen.ts') + saysOf('src/waf/egg.ts')).toContain('noImportCycles');
  });

  it('lets nobody but the configuration read the environment', () => {
    expect(saysOf('src/waf/environment.ts')).toContain('noProcessEnv');
    expect(saysOf('src/config.ts')).toBe('');
  });
});
