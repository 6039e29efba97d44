/** Our own answers to the benchmark, those of the scan and those of the plain methods, written as any method would. */
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { createEpisodeLog } from '../../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { recordsBetween, replayRecords } from '../../../src/subscriptions/watch/replay.ts';
import { callingStrength } from '../../../src/subscriptions/watch/sensitivity.ts';
import { PLAIN_METHODS } from '../methods/plain-methods.ts';
import { STEP_MS, stepsUntil } from '../methods/steps.ts';
import { verdictOn } from '../verdicts.ts';
import { ABOUT, type About, FILES, OURS } from './answers.ts';
import type { WeekAnswer, WindowAnswer } from './labels.ts';
import { SETS, type WeekQuestion, type WindowQuestion, weekQuestions, windowQuestions } from './lines.ts';
import { scan } from './scan.ts';
import { UNSETTLED_MS } from './scoring.ts';

const SCAN = 'scan of 110 lines';

/** How each was fitted, for the figures. */
const MEASURED: Readonly<Record<string, string>> = {
  [OURS]: 'As it is, a watch at normal; nothing was chosen on these seeds.',
  [SCAN]: 'Sums of 10 minutes to 2 hours against the same time of four weeks, each category against its largest hour.',
  ...Object.fromEntries(
    PLAIN_METHODS.map(({ name }) => [name, 'As in the table of plain methods, but with the threshold chosen here.']),
  ),
};

interface MeasureOptions {
  readonly folder: string;
  readonly what: 'windows' | 'weeks';
  readonly oursOnly: boolean;
}

/** Writes one folder of answers for each method. */
export async function writeAnswers({ folder, what, oursOnly }: MeasureOptions): Promise<void> {
  for (const set of ['figures', 'tuning'] as const) {
    const methods = oursOnly ? [OURS] : Object.keys(MEASURED);
    const files = methods.map((method) => {
      const own = path.join(folder, 'answers', method.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
      mkdirSync(own, { recursive: true });
      writeFileSync(path.join(own, ABOUT), JSON.stringify(aboutOf(method)));
      return createWriteStream(path.join(own, FILES[set][what]));
    });
    const questions = what === 'windows' ? windowQuestions(SETS[set]) : weekQuestions(SETS[set]);
    for (const question of questions) {
      const answers = await answersTo(question, oursOnly);
      for (const [at, answer] of answers.entries()) files[at]?.write(`${JSON.stringify(answer)}\n`);
    }
    for (const file of files) await finished(file.end());
  }
}

function aboutOf(method: string): About {
  const date = Temporal.Now.plainDateISO('UTC').toString();
  const about = { method, fitted: MEASURED[method] ?? '', date };
  if (method !== OURS) return about;
  const args = ['log', '-1', '--format=%h', '--', 'src/episodes/verdict'];
  return { ...about, commit: execFileSync('git', args, { encoding: 'utf8' }).trim() };
}

type Answer = WindowAnswer | WeekAnswer;

/** Ours, the scan's, then those of the plain methods. */
async function answersTo(question: WindowQuestion | WeekQuestion, oursOnly: boolean): Promise<Answer[]> {
  if ('fromMs' in question.line) {
    const ours = await ourVerdict(question.line);
    return oursOnly ? [ours] : [ours, ...windowScores(question.line)];
  }
  const ours = await ourMessages(question.line);
  if (oursOnly) return [ours];
  return [ours, ...weekScores(question.line)];
}

async function ourVerdict(line: WindowQuestion['line']): Promise<WindowAnswer> {
  const { verdict } = await verdictOn({ ...line, numbers: line });
  const { level, score, drops } = verdict;
  return { id: line.id, level, score, drops };
}

async function ourMessages({ id, zone, nowMs, watchFromMs, ...numbers }: WeekQuestion['line']): Promise<WeekAnswer> {
  const statistics = recordedStatistics(numbers)(nowMs);
  const log = createEpisodeLog({ statistics, blocks: null, nowMs: () => nowMs, zone });
  const times = { fromMs: watchFromMs, toMs: nowMs };
  const { records } = await recordsBetween(log, { ...times, hosts: [] });
  const { messages } = await replayRecords(records, callingStrength('normal'), times);
  return { id, messages };
}

/** A window's score is that of its highest step. */
function windowScores(line: WindowQuestion['line']): WindowAnswer[] {
  const untilMs = line.nowMs - UNSETTLED_MS;
  const count = Math.floor((untilMs - line.fromMs) / STEP_MS);
  const steps = stepsUntil(line, untilMs);
  const { rises, drops } = scan(line, untilMs, count);
  return [
    { id: line.id, score: rounded(Math.max(...rises)), dropScore: rounded(Math.max(...drops)) },
    ...PLAIN_METHODS.map((method) => ({
      id: line.id,
      score: rounded(Math.max(0, ...method.scores(steps, steps.length - count))),
    })),
  ];
}

function weekScores(line: WeekQuestion['line']): WeekAnswer[] {
  const count = Math.floor((line.nowMs - line.watchFromMs) / STEP_MS);
  const steps = stepsUntil(line, line.nowMs);
  const { rises, drops } = scan(line, line.nowMs, count);
  return [
    { id: line.id, scores: rises.map(rounded), dropScores: drops.map(rounded) },
    ...PLAIN_METHODS.map((method) => ({
      id: line.id,
      scores: method.scores(steps, steps.length - count).map(rounded),
    })),
  ];
}

const rounded = (score: number): number => Number(score.toPrecision(4));
