/**
 * The answers of the overviews dialect, from the same traffic. Regions differ, so their habits are options: how points are
 * labeled, whether qps is a count or a rate, which windows are answered, which queries exist.
 */
import { attacksBy } from './attackers.ts';
import type { DetailQuery } from './details.ts';
import { type HostListHabits, hostNameOf } from './host-lists.ts';
import { type Answer, type RefusalCode, refuse } from './refusals.ts';
import { bucketsOf, loggedBetween, type Window } from './statistics.ts';
import { columnsOf, type TrafficModel } from './traffic.ts';

export type OverviewQuery = 'request timeline' | 'qps timeline' | 'statistics' | 'classification';

export interface ServiceHabits extends HostListHabits {
  /** Queries of other dialects don't exist. */
  readonly speaks: readonly ('events' | 'overviews')[];
  /** Queries of the overviews dialect that this region lacks. */
  readonly without: readonly (OverviewQuery | DetailQuery | 'distribution' | 'sources')[];
  readonly label: 'start' | 'end';
  readonly qps: 'counts' | 'rates';
  /** `fixed`: today, yesterday, and the last 3, 7 and 30 days, from midnight in UTC. */
  readonly windows: 'any' | 'fixed';
  /** `recent`: the distribution takes the name of a window instead of times. */
  readonly categories: 'any' | 'recent';
  /** `first`: uses only the first of several hosts. */
  readonly hosts: 'all' | 'first';
  /** The name of the total in a timeline. */
  readonly attackKey: 'ATTACK' | 'TOTAL_ATTACK';
  /** `strings`: every number is sent as text. */
  readonly numbers: 'numbers' | 'strings';
  /** Every n-th point of a timeline is missing; 0: none. */
  readonly missingEvery: number;
  /** Categories that are `null` in the distribution: not known. */
  readonly unknownCategories: readonly string[];
  /** What a timeline shows of data that is too old: nothing, or zeros. */
  readonly beyondRetention: 'gaps' | 'zeros';
  /** The response to an unknown query; `bare`: an empty 404. */
  readonly noSuchQuery: RefusalCode | 'bare';
}

export const DEFAULT_HABITS: ServiceHabits = {
  speaks: ['events'],
  without: [],
  label: 'start',
  qps: 'counts',
  windows: 'any',
  categories: 'any',
  hosts: 'all',
  attackKey: 'ATTACK',
  numbers: 'numbers',
  missingEvery: 0,
  unknownCategories: [],
  beyondRetention: 'gaps',
  noSuchQuery: 'APIG.0101',
  hostLists: 'none',
  engines: [],
  paging: 'pages',
};

const PATHS: readonly (readonly [RegExp, OverviewQuery])[] = [
  [/\/waf\/overviews\/request\/timeline$/, 'request timeline'],
  [/\/waf\/overviews\/qps\/timeline$/, 'qps timeline'],
  [/\/waf\/overviews\/statistics$/, 'statistics'],
  [/\/waf\/overviews\/classification$/, 'classification'],
];

export function overviewName(path: string): OverviewQuery | undefined {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS_OF: Readonly<Record<string, number>> = { today: 1, '3days': 3, '1week': 7, '1month': 30 };

/** The window that `recent` names. */
export function recentWindow(recent: string, nowMs: number): Pick<Window, 'fromMs' | 'toMs'> | undefined {
  const midnightMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (recent === 'yesterday') return { fromMs: midnightMs - DAY_MS, toMs: midnightMs };
  const days = DAYS_OF[recent];
  return days === undefined ? undefined : { fromMs: midnightMs - (days - 1) * DAY_MS, toMs: nowMs };
}

/** Whether a region that answers for fixed windows answers for this one; their end may be a few minutes off. */
function isFixedWindow({ fromMs, toMs }: Window, nowMs: number): boolean {
  return ['yesterday', ...Object.keys(DAYS_OF)].some((recent) => {
    const fixed = recentWindow(recent, nowMs);
    if (fixed?.fromMs !== fromMs) return false;
    return recent === 'yesterday'
      ? toMs === fixed.toMs
      : toMs > nowMs - 15 * MINUTE_MS && toMs <= fixed.fromMs + 31 * DAY_MS;
  });
}

/** What each group counts; blacklist and geolocation hits are in none of them. */
const GROUPS: Readonly<Record<string, readonly string[] | 'others'>> = {
  WEB_ATTACK: 'others',
  CRAWLER: ['robot', 'anticrawler'],
  PRECISE: ['custom'],
  CC: ['cc'],
};
const UNGROUPED = ['whiteblackip', 'custom_geoip'];

function totalsOf(tally: Float64Array, model: TrafficModel): Record<string, number> {
  const [all = 0, ...counts] = tally;
  const fields = columnsOf(model).slice(1);
  const grouped = Object.values(GROUPS).flatMap((group) => (group === 'others' ? [] : group));
  const sum = (isIn: (field: string) => boolean): number =>
    counts.reduce((total, n, at) => total + (isIn(fields[at] ?? '') ? n : 0), 0);
  const groups = Object.entries(GROUPS).map(([key, group]) => [
    key,
    group === 'others'
      ? sum((field) => !grouped.includes(field) && !UNGROUPED.includes(field))
      : sum((field) => group.includes(field)),
  ]);
  return { ACCESS: all, ATTACK: sum(() => true), ...Object.fromEntries(groups) };
}

/** Events as the overviews dialect calls them. */
const EVENT_NAMES: Readonly<Record<string, string>> = { custom: 'custom_custom', whiteblackip: 'custom_whiteblackip' };

interface TopItem {
  readonly key: string;
  readonly num: number;
}

const top = <T extends TopItem>(items: readonly T[], most: number) => {
  const largest = items
    .filter(({ num }) => num > 0)
    .toSorted((a, b) => b.num - a.num)
    .slice(0, most);
  return { total: largest.length, items: largest };
};

/** Only the addresses, as in the older query. */
export function topAddresses(model: TrafficModel, window: Window, nowMs: number): unknown {
  const { total, items } = top(attacksBy('ip', model, window, nowMs), 10);
  return { total, items: items.map(({ key, num }) => ({ ip: key, num })) };
}

export function createOverviews(model: () => TrafficModel, habits: () => ServiceHabits, now: () => number) {
  function timeline(window: Window, isRate: boolean): unknown {
    const points = bucketsOf(model(), window, 0, now()).map(({ endMs, intervalMs, tally }) => ({
      time: habits().label === 'start' ? endMs - intervalMs : endMs,
      seconds: intervalMs / 1000,
      totals: totalsOf(tally, model()),
    }));
    const keys = ['ACCESS', 'ATTACK', ...Object.keys(GROUPS)];
    return keys.map((key) => ({
      key: key === 'ATTACK' ? habits().attackKey : key,
      timeline: points.map(({ time, seconds, totals }) => {
        const count = totals[key] ?? 0;
        return { time, num: isRate ? Math.round(count / seconds) : count };
      }),
    }));
  }

  function statistics(window: Window): unknown {
    const totals = totalsOf(loggedBetween(model(), window, now()), model());
    return Object.entries(totals).map(([key, num]) => ({ key, num }));
  }

  function classification(window: Window, most: number): unknown {
    const traffic = model();
    const [, ...counts] = loggedBetween(traffic, window, now());
    const fields = columnsOf(traffic).slice(1);
    const by = (key: 'ip' | 'path' | 'country') => attacksBy(key, traffic, window, now());
    const hosts = traffic.hosts.filter(({ id }) => window.hosts.length === 0 || window.hosts.includes(id));
    const attacksOn = (id: string) =>
      loggedBetween(traffic, { ...window, hosts: [id] }, now())
        .slice(1)
        .reduce((sum, n) => sum + n, 0);
    const host = hostNameOf(hosts[0]?.name ?? '');
    return {
      attack_type: top(
        fields.map((field, at) => ({ key: EVENT_NAMES[field] ?? field, num: counts[at] ?? 0 })),
        most,
      ),
      domain: top(
        hosts.map(({ id, name }) => ({ key: hostNameOf(name), num: attacksOn(id), web_tag: name })),
        most,
      ),
      ip: top(by('ip'), most),
      url: top(
        by('path').map((item) => ({ ...item, host })),
        most,
      ),
      geo: top(by('country'), most),
    };
  }

  return function answer(query: OverviewQuery, window: Window, search: URLSearchParams): Answer {
    if (habits().windows === 'fixed' && !isFixedWindow(window, now())) return refuse('WAF.00011001');
    const most = Number(search.get('top') ?? 5);
    if (!(most >= 1 && most <= 10)) return refuse('WAF.00011001');
    switch (query) {
      case 'request timeline':
        return { status: 200, body: timeline(window, false) };
      case 'qps timeline':
        return { status: 200, body: timeline(window, habits().qps === 'rates') };
      case 'statistics':
        return { status: 200, body: statistics(window) };
      case 'classification':
        return { status: 200, body: classification(window, most) };
    }
  };
}
