/** Every command in the documents is run by a test, or listed in `docs/README.md` as one that none runs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SHELL_COMMANDS } from '../../src/cli.ts';

const PAGES = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs').map((file) => path.join('docs', file))].filter(
  (file) => file.endsWith('.md'),
);
const PROGRAMS = /^(?:npm|npx|node|wafbot|docker|kubectl|systemctl|install|promtool) /;
/** A sentence of the program itself. */
const OUTPUT = /^wafbot cannot start\./;

/** The test, or the script of CI, that runs a command that starts like this. */
const RUN_BY: Readonly<Record<string, string>> = {
  'wafbot start': 'test/long/tarball.test.ts',
  'wafbot check-config': 'test/long/tarball.test.ts',
  'wafbot doctor': 'test/long/tarball.test.ts',
  'wafbot waf': 'test/real-time/waf-cli.test.ts',
  'wafbot backup': 'test/real-time/backup.test.ts',
  'wafbot restore': 'test/real-time/backup.test.ts',
  'wafbot copy-store': 'test/real-time/copy-store.test.ts',
  'wafbot judge': 'test/real-time/judge-cli.test.ts',
  'wafbot understand': 'test/unit/cli/understand.test.ts',
  'promtool test rules': 'test/unit/observability/deployed-monitoring.test.ts',
  'npm ci': '.ci/run',
  'npm start': 'test/real-time/npm-start.test.ts',
  // The same program as `wafbot playground`.
  'npm run playground': 'test/long/tarball.test.ts',
  'npm run trace': 'test/real-time/trace.test.ts',
  'npm run docs': 'test/unit/docs.test.ts',
  'npm run verify': '.ci/run',
  // A part of `verify`.
  'npm run check': '.ci/run',
  'npx vitest run': '.ci/run',
  'node benchmark/generate.js': 'test/unit/evaluation/benchmark.test.ts',
  'node generate.js': 'test/unit/evaluation/benchmark.test.ts',
  'node score.js': 'test/unit/evaluation/benchmark.test.ts',
};

/** Indented blocks of a document, line by line. */
const commandsIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim())
    .filter((line) => PROGRAMS.test(line) && !OUTPUT.test(line));

const documented = new Set(PAGES.flatMap((page) => commandsIn(readFileSync(page, 'utf8'))));
const [, untested = ''] = readFileSync('docs/README.md', 'utf8').split('## Commands that no test runs');
const byHand = [...untested.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
  cell.replaceAll('`', '').split(', '),
);

it('every command is run by a test, or listed as one that none runs', () => {
  expect(documented.size).toBeGreaterThan(25);
  const known = [...Object.keys(RUN_BY), ...byHand];
  expect([...documented].filter((command) => !known.some((start) => command.startsWith(start)))).toEqual([]);
});

it('no command is listed that no document has', () => {
  const isUsed = (start: string): boolean => [...documented].some((command) => command.startsWith(start));
  expect([...Object.keys(RUN_BY), ...byHand].filter((start) => !isUsed(start))).toEqual([]);
});

it('the tests exist, and the commands do', () => {
  expect(Object.values(RUN_BY).filter((file) => !existsSync(file))).toEqual([]);
  const names = [...documented].flatMap((command) => /^wafbot ([\w-]+)/.exec(command)?.[1] ?? []);
  expect(names.filter((name) => !Object.hasOwn(SHELL_COMMANDS, name))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const run = [...documented].flatMap((command) => /^npm run (?:-s )?([\w-]+)/.exec(command)?.[1] ?? []);
  expect(run.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});
