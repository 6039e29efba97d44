/** The last verdict on each choice of hosts, to be told while the service gives no numbers. What a restart loses is not told. */

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

const OF_NOW_MS = 15 * 60_000;
/** Many more than anybody asks about. */
const MOST = 200;

export function createLastVerdicts(): LastVerdicts {
  const known = new Map<string, KnownVerdict>();
  const keyOf = (hosts: readonly string[]): string => hosts.toSorted().join();
  return {
    remember(hosts, { verdict: { level, toMs }, timeline }) {
      const key = keyOf(hosts);
      // Neither old numbers nor a look at the past says how things are.
      const isOfNow = !timeline.stale && timeline.asOfMs - toMs < OF_NOW_MS;
      if (!isOfNow || level === 'not_enough_data' || toMs < (known.get(key)?.atMs ?? 0)) return;
      known.delete(key);
      known.set(key, { atMs: toMs, level });
      if (known.size > MOST) known.delete(known.keys().next().value ?? '');
    },
    recall: (hosts) => known.get(keyOf(hosts)),
  };
}
