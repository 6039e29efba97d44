/** Remembers the latest verdict per choice of hosts, in memory, to show while the service is unavailable. */

import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../time-units.ts';
import type { Assessment } from './assess.ts';
import type { Level } from './verdict/index.ts';

interface KnownVerdict {
  readonly atMs: number;
  readonly level: Level;
}

export interface LastVerdicts {
  remember(hosts: readonly string[], assessment: Pick<Assessment, 'verdict' | 'timeline'>): void;
  recall(hosts: readonly string[]): KnownVerdict | undefined;
}

const CURRENT_MS = 15 * MINUTE_MS;
/** Far more than people ask about. */
const MAX_VERDICTS = 200;

export function createLastVerdicts(): LastVerdicts {
  const verdicts = new LRUCache<string, KnownVerdict>({ max: MAX_VERDICTS });
  const keyOf = (hosts: readonly string[]): string => hosts.toSorted().join();
  return {
    remember(hosts, { verdict: { level, toMs }, timeline }) {
      const key = keyOf(hosts);
      // Neither stale numbers nor a window in the past describe the current state.
      const isCurrent = !timeline.stale && timeline.asOfMs - toMs < CURRENT_MS;
      if (!isCurrent || level === 'not_enough_data' || toMs < (verdicts.get(key)?.atMs ?? 0)) return;
      verdicts.set(key, { atMs: toMs, level });
    },
    recall: (hosts) => verdicts.get(keyOf(hosts)),
  };
}
