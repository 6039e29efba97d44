import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The process zone must never matter; a zone with odd offsets makes a leak visible at once.
    env: { TZ: 'America/St_Johns' },
  },
});
