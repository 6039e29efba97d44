/** Who attacks, and what: the largest sources and targets of a window, as far as a service names them. */

/** How much of an address is shown: nothing, all but its last part, or all of it. */
export type ShowAddresses = 'no' | 'masked' | 'yes';

export interface SourceCount {
  /** Empty for an address that is not shown. */
  readonly key: string;
  readonly count: number;
  /** How many addresses of the list are one once they are masked. */
  readonly addresses?: number;
}

export const SOURCE_KINDS = ['addresses', 'paths', 'hosts', 'countries'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Of each kind the largest, most first; `null` where the service does not tell. */
export type NamedSources = Readonly<Record<SourceKind, readonly SourceCount[] | null>>;

export interface AttackSources extends NamedSources {
  readonly fromMs: number;
  readonly toMs: number;
  readonly shown: ShowAddresses;
  readonly asOfMs: number;
  readonly stale: boolean;
}

/** Those that were not among the largest before. Addresses that are not shown cannot be told apart. */
export function newSources(now: readonly SourceCount[] | null, before: readonly SourceCount[] | null): SourceCount[] {
  if (now === null || before === null) return [];
  const known = new Set(before.map(({ key }) => key));
  return now.filter(({ key }) => key !== '' && !known.has(key));
}
