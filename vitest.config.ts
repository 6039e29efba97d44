/**
 * Three kinds of tests. `unit` waits for nothing. `loopback` talks to real peers and threads on this machine and waits for
 * conditions. `real-time` needs the machine's own time: Redis, processes, crashes; it runs after the others.
 *
 * `--mode long`, as in `npm run verify`, runs every file, with many cases of the property tests, and with all of them if
 * `CASES=all` is set. `npm test` leaves out what takes minutes, and `--mode fast`, as in `npm run check`, the slower unit tests too.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The process zone must never matter. What `time` reads and says is checked under three of them, of which two have odd
// offsets; everything else once, under one of those, so that a leak is visible at once.
const TIME = 'test/unit/time/**/*.test.ts';
const READINGS = ['tables', 'describe-range', 'clock-changes', 'process-zone'].map(
  (name) => `test/unit/time/${name}.test.ts`,
);
const PROCESS_ZONES = [
  { zone: 'UTC', include: READINGS },
  { zone: 'America/St_Johns', include: READINGS },
  { zone: 'Australia/Lord_Howe', include: [TIME] },
];

/**
 * The seed of the property tests. It is fixed, so that a change fails only through its own fault; `SEED=random npm test`
 * tries other cases, and `SEED=<number>` repeats them.
 */
const SEED = process.env.SEED === 'random' ? String(randomInt(2 ** 31)) : process.env.SEED || '20260807';
process.stdout.write(`property tests: SEED=${SEED}\n`);

/** For hangs on a busy machine, not for speed: longer than any single wait in a test, which ends after 30 s. */
const limits = (testTimeout: number) => ({ testTimeout, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } });

/**
 * Files that take long, the longest first. By size, which is all that is known on a new machine, the small ones among them would
 * start last, and in the end one would run alone.
 */
const SLOW = [
  'page-kills',
  'chaos',
  'unanswered-questions',
  'rolling-upgrade',
  'trace',
  'watch-interruptions',
  'process-redis',
  'load',
  'scheduler-bullmq',
  'twelve-ways',
  'twelve-ways-on-other-sites',
  'suggest',
  'every-service',
  'page-in-browser',
  'calls',
  'simulation',
];

/** The same guarantees again: over a site's year, on every kind of service, in a browser, with kills and load, and on Redis. */
const ONLY_IN_VERIFY = [
  'test/unit/evaluation/**',
  'test/unit/commands/{agreement,twelve-ways*}.test.ts',
  'test/loopback/commands/{calls,dialects-agree,every-service}.test.ts',
  'test/loopback/slack/{many-questions,statistics-service}.test.ts',
  'test/loopback/fuzz/fuzz.test.ts',
  'test/loopback/playground/{browser,night,page-in-browser}.test.ts',
  'test/real-time/{backup,chaos,copy-store,load,page-kills,rolling-upgrade,store-migration,trace}.test.ts',
  'test/real-time/{unanswered-questions,upgrade,watch-interruptions}.test.ts',
  'test/real-time/{scheduler-bullmq,waf-replicas,replicas,*redis*}.test.ts',
];

/** Several seconds each: whole days, or pictures compared pixel by pixel. */
const NOT_IN_CHECK = [
  'test/unit/charts/render/drawing.test.ts',
  'test/unit/commands/one-account.test.ts',
  'test/unit/episodes/{find-episodes,which-host}.test.ts',
  'test/unit/subscriptions/service.test.ts',
  'test/unit/subscriptions/digest/logged-late.test.ts',
  'test/unit/subscriptions/watch/preview.test.ts',
];

/** Starts the slow files of each project first, so that none of them runs alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    const turnOf = ({ moduleId }: TestSpecification): number => {
      const turn = SLOW.indexOf(basename(moduleId, '.test.ts'));
      return turn === -1 ? SLOW.length : turn;
    };
    return [...byProject.values()].flatMap((all) => all.toSorted((a, b) => turnOf(a) - turnOf(b)));
  }
}

/** No test replaces a module, or a global for longer than itself, so one worker can run many files. */
const SHARED = { isolate: false } as const;

export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  // A file that is named on the command line runs in every mode.
  const isNamed = process.argv.some((argument) => argument.endsWith('.test.ts'));
  const leftOut = isLong || isNamed ? [] : [...ONLY_IN_VERIFY, ...(mode === 'fast' ? NOT_IN_CHECK : [])];
  const env = {
    TZ: 'America/St_Johns',
    SEED,
    LONG: isLong ? 'yes' : 'no',
    // Tests start the program dozens of times; what Node has compiled once is not compiled again.
    NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/compiled`,
  };
  const long = { name: 'long', include: ['test/long/**/*.test.ts'], env, ...SHARED, ...limits(240_000) };
  return {
    test: {
      // Many tests wait for peers: with one worker more than there are cores, none is idle.
      maxWorkers: availableParallelism() + 1,
      sequence: { sequencer: SlowFirst },
      projects: [
        {
          test: {
            name: 'unit',
            include: ['test/unit/**/*.test.ts'],
            exclude: [TIME, ...leftOut],
            env,
            ...SHARED,
            ...limits(60_000),
          },
        },
        ...PROCESS_ZONES.map(({ zone, include }) => ({
          test: {
            name: `time in ${zone}`,
            include,
            env: { ...env, TZ: zone, EXPECTED_PROCESS_ZONE: zone },
            ...SHARED,
            ...limits(60_000),
          },
        })),
        'playground/slack',
        {
          test: {
            name: 'loopback',
            include: ['test/loopback/**/*.test.ts'],
            exclude: leftOut,
            env,
            setupFiles: 'test/support/cheap-key-derivation.ts',
            ...SHARED,
            ...limits(120_000),
          },
        },
        {
          test: {
            name: 'real-time',
            include: ['test/real-time/**/*.test.ts'],
            exclude: leftOut,
            env,
            globalSetup: 'test/support/program.ts',
            // Most of their time they wait, for processes to start and for moments to come.
            maxWorkers: 2 * availableParallelism(),
            sequence: { groupOrder: 1 },
            ...SHARED,
            ...limits(240_000),
          },
        },
        ...(isLong ? [{ test: long }] : []),
      ],
    },
  };
});
