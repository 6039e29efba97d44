/** The body of the distribution query: all known categories, zero where unsaid, and unknown ones under their own name. */
import { z } from 'zod';
import { CATEGORIES } from '../insight/categories.ts';
import type { CategoryCount } from '../insight/timeline.ts';
import { untrusted } from './failure.ts';

const schema = z.record(z.string(), z.int().nonnegative().nullable());
const KNOWN = CATEGORIES.map((category) => category.field);

/** Throws a `BotError` when the body cannot be trusted. */
export function readDistribution(body: unknown): readonly CategoryCount[] {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw untrusted('statistics', `distribution: ${issue?.code} at ${issue?.path.join('.')}`);
  }
  return inOrder(parsed.data);
}

function inOrder(counts: Readonly<Record<string, number | null>>): readonly CategoryCount[] {
  const unknown = Object.keys(counts)
    .filter((field) => !KNOWN.includes(field))
    .sort();
  return [...KNOWN, ...unknown].map((category) => ({ category, count: counts[category] ?? 0 }));
}

/** Parts of a window, or of the hosts, together. */
export function joinCounts(parts: readonly (readonly CategoryCount[])[]): readonly CategoryCount[] {
  // A category may be called toString: nothing is inherited here.
  const totals: Record<string, number> = Object.create(null);
  for (const { category, count } of parts.flat()) totals[category] = (totals[category] ?? 0) + count;
  return inOrder(totals);
}
