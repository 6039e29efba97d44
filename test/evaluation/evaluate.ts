/** Runs a judge over a labelled set and counts what it got right, and how soon. */
import type { JudgeInput } from '../../src/insight/verdict/index.ts';
import { type Answers, answersFor } from './answers.ts';
import type { LabelledWindow } from './labelled-set.ts';

/** True when it says that this is not normal. */
export type Alarm = (input: JudgeInput) => boolean;

export interface Outcome {
  readonly labelled: LabelledWindow;
  readonly alarmed: boolean;
  /** Intervals of five minutes of finished data from the onset to the alarm; `null` for calm windows and misses. */
  readonly delay: number | null;
}

export interface Score {
  readonly precision: number;
  /** On waves of twice the baseline or more. */
  readonly recall: number;
  /** The part of those waves that looking every five minutes found while they lasted. */
  readonly caught: number;
  /** Median over all those waves, the missed ones counted as never. */
  readonly delay: number;
  readonly falseAlarms: number;
  readonly missed: number;
}

const TICK = 5;
const UNSETTLED = 4;
const MOST_MINUTES = 150;

/** Several judges over the same answers, so that all see the same data. */
export function evaluate(set: readonly LabelledWindow[], alarms: readonly Alarm[]): Outcome[][] {
  const outcomes: Outcome[][] = alarms.map(() => []);
  for (const labelled of set) {
    const { wave } = labelled;
    const last = wave === null ? labelled.toMinute : wave.fromMinute + Math.min(wave.minutes, MOST_MINUTES) + 20;
    const answers = answersFor(labelled, Math.max(labelled.toMinute, last));
    const input = answers.input(labelled.toMinute);
    alarms.forEach((alarm, at) => {
      const delay = wave === null ? null : delayOf(answers, wave.fromMinute, last, alarm);
      outcomes[at]?.push({ labelled, alarmed: alarm(input), delay });
    });
  }
  return outcomes;
}

/** Asks every five minutes, as a watch would. */
function delayOf(answers: Answers, onset: number, last: number, alarm: Alarm): number | null {
  for (let now = Math.floor((onset + UNSETTLED) / TICK) * TICK + TICK; now <= last; now += TICK) {
    if (alarm(answers.input(now))) return (now - UNSETTLED - onset) / TICK;
  }
  return null;
}

export function scoreOf(outcomes: readonly Outcome[]): Score {
  const falseAlarms = outcomes.filter(({ labelled, alarmed }) => labelled.wave === null && alarmed).length;
  const found = outcomes.filter(({ labelled, alarmed }) => labelled.wave !== null && alarmed).length;
  const large = outcomes.filter(({ labelled }) => labelled.wave !== null && labelled.size >= 2);
  const hits = large.filter(({ alarmed }) => alarmed).length;
  const delays = large.map(({ delay }) => delay ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  return {
    precision: found / Math.max(1, found + falseAlarms),
    recall: hits / Math.max(1, large.length),
    caught: delays.filter(Number.isFinite).length / Math.max(1, delays.length),
    delay: delays[Math.floor((delays.length - 1) / 2)] ?? Number.POSITIVE_INFINITY,
    falseAlarms,
    missed: large.length - hits,
  };
}
