/** Lines are found however the stream is cut, and one that is too long costs no memory and only itself. */
import { expect, it } from 'vitest';
import { readLines } from '../../../src/cli/read-lines.ts';

async function linesOf(chunks: readonly (string | Buffer)[], longest?: number): Promise<(string | null)[]> {
  const lines: (string | null)[] = [];
  async function* stream() {
    yield* chunks;
  }
  for await (const line of readLines(stream(), longest)) lines.push(line.tooLong ? null : line.text);
  return lines;
}

it('finds the same lines wherever the stream is cut, also inside a letter', async () => {
  const bytes = Buffer.from('ä1\n\nöß\n€');
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await linesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['ä1', '', 'öß', '€']);
  }
});

it('skips what is too long and goes on with the next', async () => {
  expect(await linesOf(['12345', '67', '8\nab', 'c\n', 'x'.repeat(9)], 4)).toEqual([null, 'abc', null]);
});
