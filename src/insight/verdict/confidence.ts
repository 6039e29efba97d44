/** How far a verdict can be trusted, and what stands against it. */
import { formatShare } from '../numbers.ts';
import type { Scene } from './scene.ts';
import type { Steps } from './steps.ts';

export type Confidence = 'high' | 'medium' | 'low';

export interface Trust {
  readonly confidence: Confidence;
  /** Whole sentences. */
  readonly doubts: readonly string[];
}

export interface Circumstances {
  /** Which earlier days were asked for, in the order of the scene's days; `false` where no answer came. */
  readonly dayBefore: boolean;
  readonly weekBefore: boolean;
  readonly stale: boolean;
  /** Visitors as a multiple of those expected. */
  readonly crowd: number;
}

const WHOLE = 0.95;
const POOR = 0.6;
const NOBODY = 0.2;

export function trustOf(scene: Scene, { dayBefore, weekBefore, stale, crowd }: Circumstances): Trust {
  const doubts: [weight: number, sentence: string][] = [];
  const { now, days, first, grid } = scene;
  const hole = (steps: Steps, from: number, to: number, what: string, weight: number): void => {
    const part = knownPart(steps, from, to);
    if (part >= WHOLE) return;
    const sentence = part === 0 ? `No data for ${what}.` : `${formatShare(1 - part)} of ${what} has no data.`;
    doubts.push([part < POOR ? weight + 1 : weight, sentence]);
  };
  hole(now.attacks, first, grid.length, 'the window', 1);
  hole(now.attacks, 0, first, 'the hours before', 1);
  const names = [...(dayBefore ? ['the day before'] : []), ...(weekBefore ? ['the week before'] : [])];
  names.forEach((name, at) => {
    const day = days[at];
    if (day !== undefined) hole(day.attacks, 0, grid.length, name, 0.5);
  });
  if (!dayBefore) doubts.push([0.5, 'The day before is not known.']);
  if (!weekBefore) doubts.push([0.5, 'The week before is not known.']);
  if (stale) doubts.push([2, 'The service does not answer; this was judged from numbers kept from before.']);
  if (crowd < NOBODY) {
    doubts.push([2, 'There are hardly any visitors: the site, or the counting of it, may be down.']);
  }
  const weight = doubts.reduce((sum, [each]) => sum + each, 0);
  const confidence = weight >= 2 ? 'low' : weight >= 0.5 ? 'medium' : 'high';
  return { confidence, doubts: doubts.map(([, sentence]) => sentence) };
}

export function knownPart({ known }: Steps, from: number, to: number): number {
  if (to <= from) return 0;
  let sum = 0;
  for (let at = from; at < to; at++) sum += Math.min(1, known[at] ?? 0);
  return sum / (to - from);
}
