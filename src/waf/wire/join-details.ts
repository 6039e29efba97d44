/** Details of several hosts or times, joined into those of the whole. */
import {
  type AttackActions,
  type AttackEvents,
  MAX_EVENTS,
  type ResponseCode,
  type ServerResponses,
} from '../../statistics/attack-details.ts';

export function joinActions(parts: readonly AttackActions[]): AttackActions {
  const sum = (key: keyof AttackActions): number => parts.reduce((total, part) => total + part[key], 0);
  return { blocked: sum('blocked'), logged: sum('logged'), other: sum('other') };
}

/** Of two paths that lead in their parts, it isn't known which one leads in the whole. */
export function joinResponses(parts: readonly ServerResponses[]): ServerResponses {
  const joined = new Map<string, ResponseCode>();
  for (const each of parts.flatMap(({ codes }) => codes)) {
    const known = joined.get(each.code);
    const path = known === undefined || known.path === each.path ? each.path : null;
    joined.set(each.code, { ...each, count: (known?.count ?? 0) + each.count, path });
  }
  return { codes: [...joined.values()].sort((a, b) => b.count - a.count) };
}

export const joinEvents = (parts: readonly AttackEvents[]): AttackEvents => ({
  total: parts.reduce((sum, { total }) => sum + total, 0),
  events: parts
    .flatMap(({ events }) => events)
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, MAX_EVENTS),
});
