/** Pages of a list, by cursor. */
import { type JsonObject, stringAt } from '../json.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

export function pageOf<T>(all: readonly T[], args: JsonObject) {
  const limit = Math.min(Number(args.limit ?? DEFAULT_LIMIT) || DEFAULT_LIMIT, MAX_LIMIT);
  const from = Number(/^offset:(\d+)$/.exec(stringAt(args, 'cursor') ?? '')?.[1] ?? 0);
  const next = from + limit < all.length ? `offset:${from + limit}` : '';
  return { items: all.slice(from, from + limit), response_metadata: { next_cursor: next } };
}
