/**
 * Which hosts carry the excess of a rise: the attacks on each host during the episode, compared with the same hours of the
 * seven days before. Two calls for each of at most 20 hosts, all in parallel. The window of the second call keeps its edges
 * for six hours, so while an episode goes on it comes from the cache. Of an unusual category, each host's events are counted
 * in one call.
 */
import { BotError, nullIfUnavailable } from '../errors.ts';
import { type Host, type HostNames, type HostSources, hostNames } from '../grammar/hosts.ts';
import { countOf } from '../statistics/categories.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Timeline } from '../statistics/timeline.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../time-units.ts';
import { between } from './block.ts';
import { type EpisodeRecord, natureOf } from './episode.ts';
import { totalsBetween } from './verdict/index.ts';

export interface HostSpan {
  readonly onsetMs: number;
  /** The end, or how far the attacks are final. */
  readonly untilMs: number;
  readonly zone: string;
  /** Domain IDs; none means the whole project. */
  readonly hosts: readonly string[];
}

/** A rise that was found on all hosts of a project, or on some of them. */
export interface ExcessSpan extends HostSpan {
  /** Attacks on all of these hosts in this time. */
  readonly observed: number;
  readonly expected: number;
}

export interface HostCount {
  readonly host: Host;
  readonly observed: number;
  readonly expected: number;
}

export interface HostShare extends HostCount {
  /** Of the excess on all hosts, from 0 to 1. */
  readonly share: number;
}

/** A host that carries a rise, as a watch stores it. */
export interface LeadingHost {
  readonly name: string;
  /** Of the excess on all hosts, from 0 to 1. */
  readonly share: number;
}

/**
 * `one_host`: there is nothing to choose from. `not_listed`: the known hosts don't account for the attacks.
 * `no_ranking`: there are too many hosts to query each, and the service doesn't say which are the busiest. `no_answer`: the
 * service didn't answer for some host that may be the one. `no_excess`: this is no rise.
 */
export type UnknownHost = 'one_host' | 'not_listed' | 'no_ranking' | 'no_answer' | 'no_excess';

export type ExcessByHost =
  | {
      readonly is: 'known';
      /** What the shares are of: the attacks beyond what was expected, or the events of the unusual category. */
      readonly of: 'excess' | 'events';
      /** The one or two hosts that carry most of it, the larger first; none if it's spread over many. */
      readonly leading: readonly HostShare[];
      /** All hosts that were counted, the largest excess first. */
      readonly hosts: readonly HostShare[];
    }
  | { readonly is: 'unknown'; readonly why: UnknownHost };

/** How long a finding waits for its hosts before it goes out without them. */
export const HOSTS_WAIT_MS = 1_500;

/** Which hosts an episode is on. Only what there is too much of is on a host. */
export async function findHostsOf(
  statistics: Statistics,
  names: HostSources,
  episode: Pick<EpisodeRecord, 'onsetMs' | 'drop' | 'mix' | 'figures'>,
  where: Pick<HostSpan, 'zone' | 'hosts'>,
): Promise<ExcessByHost> {
  const { onsetMs, mix, figures } = episode;
  const { untilMs, total: observed, expected } = figures;
  const span = { ...where, onsetMs, untilMs };
  if (mix !== undefined) return findHostsOfCategory(statistics, names, { ...span, observed, expected: 0 }, mix);
  if (natureOf(episode) !== 'rise' || expected === null) return { is: 'unknown', why: 'no_excess' };
  return findHostsOfExcess(statistics, names, { ...span, observed, expected });
}

/** Such a category has hardly any events otherwise, so each host's share of them says where they come from. */
async function findHostsOfCategory(
  statistics: Statistics,
  names: HostSources,
  span: ExcessSpan,
  category: string,
): Promise<ExcessByHost> {
  const { onsetMs, untilMs, zone } = span;
  const counts = await countByHost(statistics, names, span, async (host) => {
    const query = { range: between(onsetMs, untilMs), hosts: [host.id], zone, asker: LOOKUPS };
    const found = await nullIfUnavailable(statistics.distribution(query));
    const observed = found === null || found.stale ? null : countOf(found, category);
    return observed === null ? null : { host, observed, expected: 0 };
  });
  if (typeof counts === 'string') return { is: 'unknown', why: counts };
  const found = attributeExcess(counts, span);
  return found.is === 'known' ? { ...found, of: 'events' } : found;
}

/**
 * Never rejects because the service fails. It takes one round of parallel calls, or two with more than 20 hosts, because the
 * busiest have to be found first.
 */
export async function findHostsOfExcess(
  statistics: Statistics,
  names: HostSources,
  span: ExcessSpan,
): Promise<ExcessByHost> {
  if (span.observed <= span.expected) return { is: 'unknown', why: 'no_excess' };
  const counts = await countByHost(statistics, names, span);
  return typeof counts === 'string' ? { is: 'unknown', why: counts } : attributeExcess(counts, span);
}

export interface CountsByHost {
  readonly counts: readonly HostCount[];
  /** Whether these are the busiest of more hosts. */
  readonly isTop: boolean;
  /** How many hosts the service didn't answer for. */
  readonly failed: number;
}

/** Queued apart from people, so that a service that is slow about single hosts doesn't hold up anybody's next question. */
const LOOKUPS = 'host lookups';

/** As many hosts are queried. */
export const MAX_QUERIED_HOSTS = 20;

/** Attacks on each host, or why they are unknown. */
export async function countByHost(
  statistics: Statistics,
  names: HostSources,
  span: HostSpan,
  count: (host: Host) => Promise<HostCount | null> = (host) => countHost(statistics, host, span),
): Promise<CountsByHost | Exclude<UnknownHost, 'no_excess'>> {
  if (span.hosts.length === 1) return 'one_host';
  const candidates = await candidatesFor(names, span.hosts);
  if (candidates.length < 2) return candidates.length === 1 && span.hosts.length === 0 ? 'one_host' : 'not_listed';
  const isTop = candidates.length > MAX_QUERIED_HOSTS;
  const queried = isTop ? await findBusiest(statistics, candidates, span) : candidates;
  if (queried === null) return 'no_ranking';
  const found = await Promise.all(queried.map(({ host }) => count(host)));
  const counts = found.filter((each) => each !== null);
  return counts.length === 0 ? 'no_answer' : { counts, isTop, failed: found.length - counts.length };
}

/** A host with the names that the service may call it by, in lowercase. */
interface Candidate {
  readonly host: Host;
  readonly keys: ReadonlySet<string>;
}

/** By the names that people added, or else those that the service lists. */
async function candidatesFor(names: HostSources, ids: readonly string[]): Promise<readonly Candidate[]> {
  const { aliases, listed } = await knownNames(names);
  const byId = new Map<string, { name: string; keys: Set<string> }>(
    ids.map((id) => [id, { name: id, keys: new Set() }]),
  );
  // Those that people added come last, so that their names are the ones shown.
  for (const { id, name } of [...listed.filter(({ isEngine }) => isEngine !== true), ...aliases]) {
    if (ids.length > 0 && !ids.includes(id)) continue;
    const keys = byId.get(id)?.keys ?? new Set();
    byId.set(id, { name, keys: keys.add(name.toLowerCase()) });
  }
  return [...byId].map(([id, { name, keys }]) => ({ host: { id, name }, keys: keys.add(id.toLowerCase()) }));
}

/** None if the store fails: whoever asks has a finding already, and must be able to report it. */
async function knownNames(names: HostSources): Promise<Required<HostNames>> {
  try {
    return await hostNames(names, 'renewed');
  } catch (error) {
    if (error instanceof BotError) return { aliases: [], listed: [] };
    throw error;
  }
}

/**
 * The busiest hosts of the episode itself, not of the time before: a host with most of the excess of a rise is always among
 * its ten busiest. `null` if the service doesn't name them.
 */
async function findBusiest(
  statistics: Statistics,
  candidates: readonly Candidate[],
  { onsetMs, untilMs, hosts, zone }: HostSpan,
): Promise<readonly Candidate[] | null> {
  if (statistics.sources === undefined) return null;
  const found = await nullIfUnavailable(statistics.sources({ range: between(onsetMs, untilMs), hosts, zone }));
  if (found === null || found.stale || found.hosts === null) return null;
  // Two hosts can have the same name, one in the cloud and one of a dedicated engine.
  const named = found.hosts.flatMap(({ key }) => candidates.filter(({ keys }) => keys.has(key.toLowerCase())));
  return named.length === 0 ? null : [...new Set(named)].slice(0, MAX_QUERIED_HOSTS);
}

/** The seven days before end at a multiple of this, so they are requested again only that often. */
const BASELINE_STEP_MS = 6 * HOUR_MS;

/** `null` if the service doesn't know: unknown is never zero. */
async function countHost(
  statistics: Statistics,
  host: Host,
  { onsetMs, untilMs, zone }: HostSpan,
): Promise<HostCount | null> {
  const baselineMs = Math.floor(onsetMs / BASELINE_STEP_MS) * BASELINE_STEP_MS;
  const hosts = [host.id];
  const [episode, before] = await Promise.all([
    nullIfUnavailable(statistics.timeline({ range: between(onsetMs, untilMs), hosts, zone, asker: LOOKUPS })),
    // In UTC, so that channels in all time zones share the cached answer.
    nullIfUnavailable(
      statistics.timeline({ range: between(baselineMs - WEEK_MS, baselineMs), hosts, zone: 'UTC', asker: LOOKUPS }),
    ),
  ]);
  if (episode === null || episode.stale || before === null) return null;
  const counted = totalsBetween(episode, onsetMs, untilMs);
  const rate = usualRate(before, onsetMs, untilMs, zone);
  if (counted.knownMs === 0 || rate === null) return null;
  // Only the part that has numbers is compared.
  return { host, observed: counted.attacks, expected: rate * counted.knownMs };
}

/** A shorter time of day has too few attacks on a small host to know its rate. */
const MIN_COMPARED_MS = 3 * HOUR_MS;
/** A day counts if this much of its hours has numbers. */
const MIN_KNOWN = 0.5;

/**
 * Attacks per millisecond, as usual at this time of day: the median of the days of the same kind (weekday or weekend), so
 * that an attack on one of them doesn't count as usual. `null` if unknown.
 */
function usualRate(before: Timeline, onsetMs: number, untilMs: number, zone: string): number | null {
  const middleMs = (onsetMs + untilMs) / 2;
  const lengthMs = Math.max(untilMs - onsetMs, MIN_COMPARED_MS);
  const kind = isWeekend(middleMs, zone);
  const days = [1, 2, 3, 4, 5, 6, 7].flatMap((back) => {
    const thenMs = middleMs - back * DAY_MS;
    const known = totalsBetween(before, thenMs - lengthMs / 2, thenMs + lengthMs / 2);
    if (known.knownMs < lengthMs * MIN_KNOWN) return [];
    return [{ rate: known.attacks / known.knownMs, isSameKind: isWeekend(thenMs, zone) === kind }];
  });
  const alike = days.filter(({ isSameKind }) => isSameKind);
  const rates = (alike.length > 0 ? alike : days).map(({ rate }) => rate).sort((a, b) => a - b);
  if (rates.length > 0) return rates[(rates.length - 1) >> 1] ?? null;
  // An episode of many days has no such hours; neither does a host that is new.
  const all = totalsBetween(before, before.fromMs, before.toMs);
  return all.knownMs === 0 ? null : all.attacks / all.knownMs;
}

const isWeekend = (ms: number, zone: string): boolean =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).dayOfWeek > 5;

/** From this share on, one host is named alone. */
const ALONE_SHARE = 0.8;
/** A smaller share is named only together with a second host. */
const MAIN_SHARE = 0.5;
/** The second of two hosts has at least this share. */
const SECOND_SHARE = 0.15;
/** If the other hosts rise by this much of what the leading ones do, everything rises. */
const ALIKE = 1 / 3;

/** Pure, for counts that are known already. */
export function attributeExcess(
  { counts, isTop, failed }: CountsByHost,
  { observed, expected }: Pick<ExcessSpan, 'observed' | 'expected'>,
): ExcessByHost {
  const excess = observed - expected;
  if (excess <= 0) return { is: 'unknown', why: 'no_excess' };
  const whole = inTotal({ counts, isTop, failed }, { observed, expected });
  const riseOf = (count: HostCount): number => Math.max(0, count.observed - count.expected);
  // Where other hosts fell, those that rose have more than all of the excess.
  const risen = Math.max(
    excess,
    whole.reduce((sum, count) => sum + riseOf(count), 0),
  );
  const hosts = whole
    .map((count) => ({ ...count, share: riseOf(count) / risen }))
    .toSorted((a, b) => b.observed - b.expected - (a.observed - a.expected));
  const leading = leadingHosts(hosts, { observed, expected });
  if (leading.length > 0) return { is: 'known', of: 'excess', leading, hosts };
  if (failed > 0) return { is: 'unknown', why: 'no_answer' };
  // A host with most of it would be among the busiest.
  const isCovered = isTop || hosts.reduce((sum, { share }) => sum + share, 0) >= ALONE_SHARE;
  return isCovered ? { is: 'known', of: 'excess', leading, hosts } : { is: 'unknown', why: 'not_listed' };
}

/** How far the sum of what is expected of all hosts may be from the episode's own figure. */
const MAX_SCALE = 2;
/** Of the attacks, how much the hosts must account for to be all of them. */
const MIN_COVERED = 0.95;

/** If these are all hosts, what is expected of them adds up to the figure for all of them, which rests on more weeks. */
export function inTotal(
  { counts, isTop, failed }: CountsByHost,
  { observed, expected }: Pick<ExcessSpan, 'observed' | 'expected'>,
): readonly HostCount[] {
  if (isTop || failed > 0) return counts;
  const sum = (of: (count: HostCount) => number): number => counts.reduce((total, count) => total + of(count), 0);
  const scale = expected / sum((count) => count.expected);
  const isAll = sum((count) => count.observed) >= MIN_COVERED * observed;
  if (!isAll || !(scale >= 1 / MAX_SCALE && scale <= MAX_SCALE)) return counts;
  return counts.map((count) => ({ ...count, expected: count.expected * scale }));
}

/** A smaller rise of a second host may be chance. */
const MIN_SIGMAS = 3;

/** None if no host or pair has most of the excess, or if the others rise about as much. */
function leadingHosts(
  hosts: readonly HostShare[],
  whole: Pick<ExcessSpan, 'observed' | 'expected'>,
): readonly HostShare[] {
  const [first, second] = hosts;
  if (first === undefined) return [];
  const isPair =
    first.share < ALONE_SHARE &&
    second !== undefined &&
    second.share >= SECOND_SHARE &&
    first.share + second.share >= ALONE_SHARE &&
    second.observed - second.expected >= MIN_SIGMAS * Math.sqrt(Math.max(1, second.expected));
  // Two of two don't stand out from anything.
  if (isPair && hosts.length > 2 && standsOut([first, second], whole)) return [first, second];
  return first.share >= MAIN_SHARE && standsOut([first], whole) ? [first] : [];
}

/** Whether the hosts rise clearly more than all others together. */
function standsOut(hosts: readonly HostShare[], whole: Pick<ExcessSpan, 'observed' | 'expected'>): boolean {
  const observed = hosts.reduce((sum, host) => sum + host.observed, 0);
  const expected = hosts.reduce((sum, host) => sum + host.expected, 0);
  const rise = observed / Math.max(1, expected) - 1;
  return (whole.observed - observed) / Math.max(1, whole.expected - expected) - 1 < ALIKE * rise;
}
