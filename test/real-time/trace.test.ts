/** How many files one has to know to follow a question, or a digest, from its beginning to its end. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { casesOf } from '../support/counts.ts';
import type { EnteredFile } from '../trace/trace.ts';

const RUN = `${import.meta.dirname}/../trace/run.ts`;

const TRACED = [
  { sentence: 'timeline last 24h', first: 'slack/transport/', last: 'charts/spec/', atMost: 72 },
  { sentence: 'digest', first: 'scheduler/', last: 'slack/', atMost: 72 },
];

it.each(casesOf(TRACED, ({ sentence }) => sentence !== 'digest'))(
  '"$sentence" enters at most $atMost files, from $first to $last',
  // On a busy machine, a ping of Slack may come first once.
  { retry: 1 },
  async ({ sentence, first, last, atMost }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [RUN, sentence, '--json']);
    const { entered, count }: { entered: EnteredFile[]; count: number } = JSON.parse(stdout);
    expect(entered).toHaveLength(count);
    expect(entered[0]?.file.slice(0, first.length)).toBe(first);
    expect(entered.at(-1)?.file.slice(0, last.length)).toBe(last);
    expect(count).toBeLessThanOrEqual(atMost);
    expect(new Set(entered.map(({ file }) => file)).size).toBe(count);
  },
);
