import { defineConfig } from 'vitest/config';

// The process zone must never matter. The room of time is run under three of them, of which two have odd offsets;
// everything else once, under one of those, so that a leak is visible at once.
const PROCESS_ZONES = ['UTC', 'America/St_Johns', 'Australia/Lord_Howe'];
const TIME = 'test/unit/time/**/*.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [TIME],
          env: { TZ: 'America/St_Johns' },
        },
      },
      ...PROCESS_ZONES.map((zone) => ({
        test: {
          name: `time in ${zone}`,
          include: [TIME],
          env: { TZ: zone, EXPECTED_PROCESS_ZONE: zone },
          // Property tests on a busy machine.
          testTimeout: 30_000,
        },
      })),
    ],
  },
});
