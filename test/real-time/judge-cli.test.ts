/** Judging exported numbers at a shell, as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/program.ts';

const MINUTE_MS = 60_000;
const DAY = 1440;
const MINUTES = 9 * DAY;
const startMs = Date.UTC(2026, 4, 4);
const nowMs = startMs + MINUTES * MINUTE_MS;

async function judge(args: readonly string[], lines: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'judge', ...args], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const answers = out.split('\n').filter((line) => line !== '');
  return { code, err, out, answers: answers.map((line) => JSON.parse(line)) };
}

/** Twenty visits and about four attacks a minute for nine days; a flood in the minutes `[from, to)`. */
function numbers(
  id: string,
  flood: readonly [from: number, to: number] | null,
  gone: readonly [from: number, to: number] | null = null,
): string {
  const attacks = Array.from({ length: MINUTES }, (_, at) => {
    const extra = flood !== null && at >= flood[0] && at < flood[1] ? 60 : 0;
    return 3 + (at % 3) + extra;
  });
  const isGone = (at: number) => gone !== null && at >= gone[0] && at < gone[1];
  const requests = attacks.map((count, at) => (isGone(at) ? 0 : 20) + count);
  const categories = { sqli: attacks.map(() => 1), cc: attacks.map((count) => count - 1) };
  return JSON.stringify({
    id,
    zone: 'Europe/Berlin',
    nowMs,
    startMs,
    intervalMs: MINUTE_MS,
    requests,
    attacks,
    categories,
    watchFromMs: nowMs - DAY * MINUTE_MS,
  });
}

// Each run is a process that loads a good part of the house; on a busy machine that takes its time.
describe('judge', { timeout: 120_000 }, () => {
  it('answers each line in its order, with every field', async () => {
    const lines = [numbers('calm', null), numbers('flood', [MINUTES - 30, MINUTES])];
    const { code, err, answers } = await judge([], lines);
    expect([code, err]).toEqual([0, '']);
    const [calm, flood] = answers;
    const fields =
      'id level score onsetMs endedMs ongoing observed expected categories drops kind missing sentence'.split(' ');
    expect(Object.keys(calm).toSorted()).toEqual(fields.toSorted());
    expect(calm).toMatchObject({ id: 'calm', level: 'calm', onsetMs: null, observed: 228, categories: [], drops: [] });
    expect(flood).toMatchObject({ id: 'flood', level: 'surge', ongoing: true, endedMs: null, kind: null });
    expect(Math.abs(flood.onsetMs - (nowMs - 30 * MINUTE_MS))).toBeLessThanOrEqual(2 * MINUTE_MS);
    expect(flood.expected).toBeGreaterThan(200);
    expect(flood.expected).toBeLessThan(260);
    expect(flood.categories[0]).toMatchObject({ name: 'cc' });
    expect(flood.score).toBeGreaterThan(calm.score);
    expect(calm.sentence).toMatch(/^Calm · 228 attacks in the last 57 minutes, \d+–\d+ is usual\.$/);
    const surge =
      /^Surge since 01:\d\d · \d+× usual · led by CC attacks\. 1,\d{3} attacks in \d+ minutes so far, about \d+ expected/;
    expect(flood.sentence).toMatch(surge);
  });

  it('replays a watch', async () => {
    const [from, to] = [MINUTES - 300, MINUTES - 240];
    const lines = [numbers('quiet', null), numbers('flood', [from, to]), numbers('gone', null, [from, to])];
    const { code, answers } = await judge(['--watch'], lines);
    expect(code).toBe(0);
    const [quiet, flood, gone] = answers;
    expect(quiet).toEqual({ id: 'quiet', messages: [] });
    const [first] = flood.messages;
    expect(first).toMatchObject({ kind: 'new', level: 'surge' });
    expect(first.atMs).toBeGreaterThan(startMs + from * MINUTE_MS);
    expect(first.atMs).toBeLessThan(startMs + (from + 15) * MINUTE_MS);
    expect(flood.messages.at(-1)).toMatchObject({ kind: 'over' });
    expect(flood.messages.at(-1).atMs).toBeGreaterThan(startMs + to * MINUTE_MS);
    const drop = { drop: 'visitors_gone', level: 'elevated', onsetMs: startMs + from * MINUTE_MS };
    expect(gone.messages).toEqual([
      { ...drop, kind: 'new', atMs: expect.any(Number) },
      { ...drop, kind: 'over', atMs: expect.any(Number) },
    ]);
    expect(gone.messages[0].atMs).toBeLessThan(startMs + (from + 20) * MINUTE_MS);
  });

  it('says what is wrong with a line, goes on, and ends with a code', async () => {
    const { code, err, answers } = await judge([], ['{"id": 7, "zone": "Mars"}', 'no json', '', numbers('fine', null)]);
    expect(code).toBe(1);
    expect(err).toBe('2 lines of 3 could not be judged; their answers say why.\n');
    expect(answers.map(({ id }) => id)).toEqual([7, null, 'fine']);
    expect(answers.map(({ error }) => error)).toEqual([
      expect.stringMatching(/^zone /),
      'The line is not JSON, or nests too deep.',
      undefined,
    ]);
  });

  it('is not stopped by one line: deep nesting, extreme times, a watch from the beginning of time', async () => {
    const fine = numbers('fine', null);
    const changed = (change: object): string => JSON.stringify({ ...JSON.parse(fine), ...change });
    const deep = fine.replace('"id":"fine"', `"id":${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    const [least, most] = [-8.64e15, 8.64e15];
    const lines = [
      deep,
      changed({ id: 1, nowMs: most, toMs: most, fromMs: most - 1 }),
      changed({ id: 2, startMs: least, fromMs: least, toMs: least + 1 }),
      changed({ id: 3, fromMs: 0 }),
      changed({ id: 4, watchFromMs: 0 }),
    ];
    const { code, answers } = await judge(['--watch'], [...lines, changed({ watchFromMs: nowMs - 3_600_000 })]);
    expect(code).toBe(1);
    expect(answers.map(({ id, error }) => [id, typeof error])).toEqual([
      [null, 'string'],
      [1, 'string'],
      [2, 'string'],
      [3, 'string'],
      [4, 'string'],
      ['fine', 'undefined'],
    ]);
  });

  it('explains itself, and refuses what it does not know', async () => {
    const help = await spawnHelp();
    expect(help).toContain('watchFromMs');
    for (const [args, words] of [
      [['--fast'], '--help'],
      [['--watch', '--sensitivity', 'loud'], 'quiet, normal, sensitive'],
    ] as const) {
      const { code, err } = await judge(args, []);
      expect([code, err]).toEqual([1, expect.stringContaining(words)]);
    }
  });
});

async function spawnHelp(): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, 'judge', '--help'], { stdio: ['ignore', 'pipe', 'ignore'] });
  return text(child.stdout);
}
