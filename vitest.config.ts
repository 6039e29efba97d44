import { defineConfig } from 'vitest/config';

// The process zone must never matter. What the room of time reads and says is checked under three of them, of which two
// have odd offsets; everything else once, under one of those, so that a leak is visible at once.
const TIME = 'test/unit/time/**/*.test.ts';
const READINGS = ['tables', 'describe-range', 'clock-changes', 'process-zone'].map(
  (name) => `test/unit/time/${name}.test.ts`,
);
const PROCESS_ZONES = [
  { zone: 'UTC', include: READINGS },
  { zone: 'America/St_Johns', include: READINGS },
  { zone: 'Australia/Lord_Howe', include: [TIME] },
];

/** Nothing here waits for a time; the limit is for a machine that is busy with something else. */
const PATIENCE = { testTimeout: 30_000, hookTimeout: 30_000 };

/** Tests start the program dozens of times; what Node has compiled once is not compiled again. */
const NODE_COMPILE_CACHE = `${import.meta.dirname}/node_modules/.cache/compiled`;

export default defineConfig({
  test: {
    // Many tests wait for other processes; one core less than there are, as is the default, would stand idle.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [TIME],
          env: { TZ: 'America/St_Johns', NODE_COMPILE_CACHE },
          ...PATIENCE,
        },
      },
      ...PROCESS_ZONES.map(({ zone, include }) => ({
        test: {
          name: `time in ${zone}`,
          include,
          env: { TZ: zone, EXPECTED_PROCESS_ZONE: zone },
          ...PATIENCE,
        },
      })),
    ],
  },
});
