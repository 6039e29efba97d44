/** A moment of `npm run load`: everybody is answered, every digest comes, and the run ends by itself. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const RUN = `${import.meta.dirname}/../load/run.ts`;

it('people who ask without pause are all answered, by a process whose memory is looked at', async () => {
  const args = ['--people', '8', '--questions', '60', '--think', '50', '--digests', '0', '--charts', 'none'];
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...args]);
  expect(stdout).toContain('      60 asked');
  expect(stdout).toMatch(/heap after collection: [\d.]+ MB in the second quarter, [\d.]+ MB in the last/);
  expect(stdout).toMatch(/ 0 faults\n$/);
});
