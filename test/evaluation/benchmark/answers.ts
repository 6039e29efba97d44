/** Reads labels and answers from a folder of JSON lines. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Answers, Labels, WeekAnswer, WeekLabel, WindowAnswer, WindowLabel } from './labels.ts';

/** Beside the answers of a method whose figures are recorded. */
export const ABOUT = 'about.json';

export interface About {
  readonly method: string;
  /** How it was fitted, in a sentence. */
  readonly fitted: string;
  readonly date: string;
  /** The last change of our rule before it was measured. */
  readonly commit?: string;
}

export const OURS = 'our verdict';

/** The names of the files, of labels and of answers alike. */
export const FILES = {
  figures: { windows: 'windows.jsonl', weeks: 'weeks.jsonl' },
  tuning: { windows: 'tuning-windows.jsonl', weeks: 'tuning-weeks.jsonl' },
} as const;

export function readLabels(folder: string, set: keyof typeof FILES): Labels {
  return {
    windows: readLines<WindowLabel>(path.join(folder, FILES[set].windows)),
    weeks: readLines<WeekLabel>(path.join(folder, FILES[set].weeks)),
  };
}

/**
 * `null` if the folder has no answers to the set at all; a method may answer only windows or only weeks. Throws if an answer belongs to no question, so that the wrong labels
 * aren't scored.
 */
export function readAnswered(
  labelsFolder: string,
  folder: string,
  set: keyof typeof FILES,
): { labels: Labels; answers: Answers } | null {
  const [windows, weeks] = [path.join(folder, FILES[set].windows), path.join(folder, FILES[set].weeks)];
  if (!existsSync(windows) && !existsSync(weeks)) return null;
  const asked = readLabels(labelsFolder, set);
  const labels = {
    windows: existsSync(windows) ? asked.windows : [],
    weeks: existsSync(weeks) ? asked.weeks : [],
  };
  const answers = { windows: byId(readIfThere<WindowAnswer>(windows)), weeks: byId(readIfThere<WeekAnswer>(weeks)) };
  for (const what of ['windows', 'weeks'] as const) {
    const known = new Set(labels[what].map(({ id }) => id));
    const stray = answers[what].keys().find((id) => !known.has(id));
    if (stray !== undefined) throw new Error(`There is no question ${stray} among the ${what}.`);
  }
  return { labels, answers };
}

const byId = <T extends { readonly id: string }>(answers: readonly T[]): Map<string, T> =>
  new Map(answers.map((answer) => [answer.id, answer]));

const readIfThere = <T>(file: string): T[] => (existsSync(file) ? readLines<T>(file) : []);

function readLines<T>(file: string): T[] {
  const lines: T[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line.trim() !== '') lines.push(JSON.parse(line));
  return lines;
}
