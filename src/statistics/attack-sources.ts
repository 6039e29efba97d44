/** The largest sources and targets of attacks in a window, as far as the service reports them. */
import type { AnsweredWindow } from './timeline.ts';

/** How much of an IP address is shown: none of it, all but the last part, or all. */
export type ShowAddresses = 'no' | 'masked' | 'yes';

export interface SourceCount {
  /** Empty for a hidden address. */
  readonly key: string;
  readonly count: number;
  /** How many addresses share this masked form. */
  readonly addresses?: number;
}

export const SOURCE_KINDS = ['addresses', 'paths', 'hosts', 'countries'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The largest of each kind, in descending order; `null` if the service doesn't report it. */
export type NamedSources = Readonly<Record<SourceKind, readonly SourceCount[] | null>>;

export interface AttackSources extends NamedSources, AnsweredWindow {
  readonly shown: ShowAddresses;
  /** Whether the service also lists single attacks. */
  readonly hasEvents?: boolean;
}

/** Sources that were not among the largest before. Hidden addresses can't be compared. */
export function newSources(now: readonly SourceCount[] | null, before: readonly SourceCount[] | null): SourceCount[] {
  if (now === null || before === null) return [];
  const known = new Set(before.map(({ key }) => key));
  return now.filter(({ key }) => key !== '' && !known.has(key));
}
