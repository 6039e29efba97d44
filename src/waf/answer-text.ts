/**
 * Answers as they are kept: compact text. A store serialises a text much faster than thousands of values, and reading an
 * answer back is most of what a kept one costs. Whatever cannot be read is as good as absent.
 */
import type { CategoryCount } from '../insight/timeline.ts';
import type { Series } from './series.ts';

export interface Text<T> {
  write(value: T): string;
  read(text: string): T | undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `[interval, ends, requests, attacks]`; ends that follow each other without a hole are just the first of them. */
export const seriesText: Text<Series> = {
  write({ intervalMs, ends, requests, attacks }) {
    const [first = 0] = ends;
    const regular = ends.length > 0 && ends.every((end, i) => end === first + i * intervalMs);
    return JSON.stringify([intervalMs, regular ? first : ends, requests, attacks]);
  },
  read(text) {
    const value = parse(text);
    if (!Array.isArray(value)) return undefined;
    const [intervalMs, where, requests, attacks] = value as [unknown, unknown, unknown, unknown];
    if (typeof intervalMs !== 'number' || !Array.isArray(requests) || !Array.isArray(attacks)) return undefined;
    const ends = typeof where === 'number' ? requests.map((_, i) => where + i * intervalMs) : where;
    if (!Array.isArray(ends) || ends.length !== requests.length || ends.length !== attacks.length) return undefined;
    return { intervalMs, ends, requests, attacks };
  },
};

export const countsText: Text<readonly CategoryCount[]> = {
  write: (counts) => JSON.stringify(counts),
  read(text) {
    const value = parse(text);
    return Array.isArray(value) ? value : undefined;
  },
};
