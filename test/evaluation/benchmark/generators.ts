/** Where the benchmark's traffic comes from. */
import { type LabelledStream, labelledStreams } from '../streams.ts';
import { type LabelledWindow, labelledWindows } from '../windows.ts';

export interface TrafficGenerator {
  readonly name: string;
  windows(seed: number, worlds: number): Iterable<LabelledWindow>;
  weeks(seed: number, count: number, holds: 'rises' | 'drops'): Iterable<LabelledStream>;
}

export const GENERATORS: readonly TrafficGenerator[] = [
  { name: 'first', windows: labelledWindows, weeks: labelledStreams },
];
