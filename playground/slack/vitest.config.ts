/** The package's own tests, run on its source under the package's name. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { 'slack-test-workspace': `${import.meta.dirname}/index.ts` } },
  test: {
    name: 'local slack',
    include: ['{examples,test}/**/*.test.ts'],
    // As for the others, which they run with.
    maxWorkers: availableParallelism() + 1,
    // No test replaces a module, so one worker can run all files.
    isolate: false,
    testTimeout: 60_000,
  },
});
