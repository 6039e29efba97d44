/** The benchmark's folder is complete, repeats itself byte by byte, and its scorer is neither kind nor harsh. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLabels } from '../../evaluation/benchmark/answers.ts';
import { type FiguresByGenerator, figuresOf } from '../../evaluation/benchmark/figures.ts';
import { medianOf, rateOf, shareOf } from '../../evaluation/benchmark/intervals.ts';
import type { WeekAnswer, WeekLabel, WindowAnswer, WindowLabel } from '../../evaluation/benchmark/labels.ts';
import { GROUPS } from '../../evaluation/benchmark/labels.ts';
import { chooseThresholds, OWN_DECISION, scoreWeeks, scoreWindows } from '../../evaluation/benchmark/scoring.ts';
import { writeBenchmark } from '../../evaluation/benchmark/write.ts';

const SMALL = { seeds: [77], worlds: 1, weeks: 1 };
const root = mkdtempSync(path.join(tmpdir(), 'benchmark-'));
const folder = path.join(root, 'first');
afterAll(() => rmSync(root, { recursive: true }));

const filesIn = (at: string): Map<string, string> =>
  new Map(
    readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(at, file), readFileSync(file, 'utf8')]),
  );

const run = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 });

/** What the written scorer says of answers. */
function scored(windows: readonly WindowAnswer[], weeks: readonly WeekAnswer[]): FiguresByGenerator {
  const answers = path.join(root, 'answers');
  mkdirSync(answers, { recursive: true });
  const lines = (all: readonly object[]): string => all.map((each) => `${JSON.stringify(each)}\n`).join('');
  writeFileSync(path.join(answers, 'windows.jsonl'), lines(windows));
  writeFileSync(path.join(answers, 'weeks.jsonl'), lines(weeks));
  return JSON.parse(run('score.js', answers, '--json'));
}

const windowTruth = ({ id, group }: WindowLabel): WindowAnswer => ({
  id,
  alarm: group !== null && group !== 'drop',
  drop: group === 'drop',
});
const weekTruth = ({ id, events }: WeekLabel): WeekAnswer => ({
  id,
  messages: events.map(({ fromMs, group }) => ({ atMs: fromMs, drop: group === 'drop' })),
});

describe('the folder', () => {
  beforeAll(() => writeBenchmark(folder, { figures: SMALL, tuning: { ...SMALL, seeds: [78] } }));

  it('has generator, labels, scorer, figures and what they are', () => {
    expect([...filesIn(folder).keys()].sort()).toEqual([
      'README.md',
      'figures.jsonl',
      'figures.md',
      'generate.js',
      'labels/tuning-weeks.jsonl',
      'labels/tuning-windows.jsonl',
      'labels/weeks.jsonl',
      'labels/windows.jsonl',
      'package.json',
      'score.js',
    ]);
  });

  it('is the same for the same seeds', async () => {
    const again = path.join(root, 'again');
    await writeBenchmark(again, { figures: SMALL, tuning: { ...SMALL, seeds: [78] } });
    expect(filesIn(again)).toEqual(filesIn(folder));
  });

  it('asks what its labels are about, without saying which has an event', () => {
    const args = ['--seeds', '77', '--count', '1'];
    const questions = run('generate.js', 'windows', ...args)
      .trimEnd()
      .split('\n');
    const labels = readFileSync(path.join(folder, 'labels/windows.jsonl'), 'utf8');
    expect(run('generate.js', 'windows', '--labels', ...args)).toBe(labels);
    const asked = questions.map((line) => JSON.parse(line));
    expect(asked.map(({ id }) => id)).toEqual(
      readLabels(path.join(folder, 'labels'), 'figures').windows.map(({ id }) => id),
    );
    for (const line of asked) {
      expect(Object.keys(line).sort()).toEqual(
        ['attacks', 'categories', 'fromMs', 'id', 'intervalMs', 'nowMs', 'requests', 'startMs', 'zone'].sort(),
      );
      expect(line.attacks).toHaveLength((line.nowMs - line.startMs) / line.intervalMs);
    }
  });

  it('gives full marks to the truth', () => {
    const labels = readLabels(path.join(folder, 'labels'), 'figures');
    const byGenerator = scored(labels.windows.map(windowTruth), labels.weeks.map(weekTruth));
    for (const { windows, weeks } of Object.values(byGenerator)) {
      expect(windows.precision.value).toBe(1);
      expect(windows.falseAlarms.value).toBe(0);
      expect(weeks.falseMessages.value).toBe(0);
      expect(weeks.delay.value).toBe(0);
      for (const group of GROUPS) {
        for (const { value, of } of [windows.recall[group], weeks.found[group]])
          expect(value).toBe(of === 0 ? null : 1);
      }
      expect(windows.recall.rise.of).toBeGreaterThan(0);
      expect(weeks.found.drop.of).toBeGreaterThan(0);
    }
  });

  it('gives nothing to an empty answer', () => {
    for (const { windows, weeks } of Object.values(scored([], []))) {
      expect(windows.precision.value).toBeNull();
      expect(windows.falseAlarms.value).toBe(0);
      expect(weeks.falseMessages.value).toBe(0);
      for (const group of GROUPS) {
        for (const { value, of } of [windows.recall[group], weeks.found[group]])
          expect(value).toBe(of === 0 ? null : 0);
      }
    }
  });

  it('measures nothing where a method leaves out the weeks', () => {
    scored([], []);
    rmSync(path.join(root, 'answers/weeks.jsonl'));
    const byGenerator: FiguresByGenerator = JSON.parse(run('score.js', path.join(root, 'answers'), '--json'));
    for (const { windows, weeks } of Object.values(byGenerator)) {
      expect([windows.falseAlarms.value, weeks.falseMessages.value]).toEqual([0, null]);
    }
  });

  it('counts an alarm everywhere as false wherever nothing happens', () => {
    const labels = readLabels(path.join(folder, 'labels'), 'figures');
    const everywhere = scored(
      labels.windows.map(({ id }) => ({ id, alarm: true })),
      labels.weeks.map(({ id, fromMs }) => ({ id, messages: [{ atMs: fromMs }] })),
    );
    for (const { windows, weeks } of Object.values(everywhere)) {
      expect(windows.falseAlarms.value).toBe(1);
      expect(weeks.falseMessages.value).toBe(1);
      expect(windows.recall.rise.value).toBe(1);
      // A drop has to be called one.
      expect(windows.recall.drop.value).toBe(windows.recall.drop.of === 0 ? null : 0);
    }
  });

  it('refuses answers to other questions', () => {
    expect(() => scored([{ id: 'nowhere', alarm: true }], [])).toThrow(
      'There is no question nowhere among the windows.',
    );
  });
});

describe('thresholds', () => {
  const about = { generator: 'first', seed: 1, site: 'shop', cause: 'night' };
  /** 100 windows, every other one normal, and the later ones the more unusual. */
  const windows = Array.from({ length: 100 }, (_, at): WindowLabel => {
    const group = at % 2 === 0 ? null : 'rise';
    return {
      id: String(at),
      world: String(at),
      ...about,
      group,
      kind: group,
      detectable: group !== null,
      onsetMs: null,
    };
  });
  const windowAnswers = new Map(windows.map(({ id }) => [id, { id, score: Number(id) }]));
  const HOUR_MS = 3_600_000;
  const week: WeekLabel = { id: 'w', ...about, fromMs: 0, toMs: 168 * HOUR_MS, events: [], unknownScanners: [] };
  /** One alarm a day, each higher than the last. */
  const scores = Array.from({ length: 2016 }, (_, at) => (at % 288 === 0 ? at / 288 : 0));
  const chosen = (weeks: number) =>
    chooseThresholds(
      {
        labels: { windows, weeks: [week] },
        answers: { windows: windowAnswers, weeks: new Map([['w', { id: 'w', scores }]]) },
      },
      { windows: 0.04, weeks },
    );

  it('are the lowest that keep to the share of false alarms', () => {
    const { window } = chosen(2);
    const { falseAlarms, recall } = scoreWindows(windows, windowAnswers, () => ({ ...OWN_DECISION, window }));
    expect(falseAlarms).toMatchObject({ value: 0.04, of: 50 });
    // The windows 95, 97 and 99 lie above 94, the highest normal one that stays silent.
    expect([window, recall.rise.value]).toEqual([94, 0.06]);
  });

  it('never come from the seed that they are used on', () => {
    // On seed 2 every score is higher, so its own threshold would be.
    const later = windows.map((label): WindowLabel => ({ ...label, id: `later ${label.id}`, seed: 2 }));
    const answers = new Map([
      ...windowAnswers,
      ...later.map(({ id }, at): [string, WindowAnswer] => [id, { id, score: 1000 + at }]),
    ]);
    const measured = {
      labels: { windows: [...windows, ...later], weeks: [] },
      answers: { windows: answers, weeks: new Map() },
    };
    const figures = figuresOf(measured, null, { windows: 0.04, weeks: 1 });
    // All of seed 2 lies above what seed 1 allows, and nothing of seed 1 above what seed 2 allows.
    expect(figures.first?.windows.falseAlarms.value).toBe(0.5);
    expect(figures.first?.windows.recall.rise.value).toBe(0.5);
  });

  it('are the lowest that keep to the messages a week', () => {
    const { week: bar } = chosen(2);
    const answers = new Map([['w', { id: 'w', scores }]]);
    expect(bar).toBe(4);
    expect(scoreWeeks([week], answers, () => ({ ...OWN_DECISION, week: bar })).falseMessages.value).toBe(2);
  });

  it('send one message in two hours, and blame an unknown scanner', () => {
    const often = new Map([['w', { id: 'w', scores: scores.map((_, at) => (at < 48 ? 1 : 0)) }]]);
    const scanned: WeekLabel = { ...week, unknownScanners: [[0, HOUR_MS]] };
    const { falseMessages, falseByCause } = scoreWeeks([scanned], often, () => ({ ...OWN_DECISION, week: 0.5 }));
    expect(falseMessages.value).toBe(2);
    expect(falseByCause).toMatchObject({ night: { value: 1 }, 'unknown scanner': { value: 1 } });
  });
});

describe('intervals', () => {
  const cases = (hits: number, of: number, clusters: number) =>
    Array.from({ length: of }, (_, at) => ({ hit: at < hits, cluster: String(Math.floor((at * clusters) / of)) }));
  const share = (hits: number, of: number, clusters: number) =>
    shareOf(
      cases(hits, of, clusters),
      ({ hit }) => hit,
      ({ cluster }) => cluster,
    );

  it('are Wilson intervals for independent cases', () => {
    // Newcombe (1998), table I: 81 of 263, and 0 of 20.
    const { low, high } = share(81, 263, 263);
    expect([low, high]).toEqual([expect.closeTo(0.2553, 3), expect.closeTo(0.3662, 3)]);
    expect(share(0, 20, 20)).toMatchObject({ low: 0, high: expect.closeTo(0.1611, 3) });
  });

  it('are wider where cases of one site go the same way', () => {
    const [apart, together] = [share(50, 100, 100), share(50, 100, 10)];
    expect(together.high - together.low).toBeGreaterThan(2.5 * (apart.high - apart.low));
  });

  it('hold messages a week and the median', () => {
    expect(rateOf([0, 0, 0, 0])).toMatchObject({ value: 0, low: 0, high: expect.closeTo(0.96, 2) });
    const even = rateOf(Array.from({ length: 100 }, () => 1));
    expect(even).toMatchObject({ value: 1, low: expect.closeTo(0.822, 2), high: expect.closeTo(1.216, 2) });
    expect(medianOf(Array.from({ length: 101 }, (_, at) => at))).toEqual({ value: 50, low: 40, high: 60, of: 101 });
  });
});
