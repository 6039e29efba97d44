/** The cloud and dedicated host lists, with the paging of different editions. */
import type { TrafficHost } from './hosts.ts';
import { type Answer, refuse } from './refusals.ts';

export type HostListQuery = 'cloud hosts' | 'dedicated hosts';

export interface HostListHabits {
  /** Which lists this region has. */
  readonly hostLists: 'none' | 'cloud' | 'dedicated' | 'both';
  /** `rows`: older editions count rows from 0. `page numbers`: the same parameters, but the offset counts pages. */
  readonly paging: 'pages' | 'rows' | 'page numbers';
}

export function hostListName(path: string): HostListQuery | undefined {
  if (/^\/v1\/[^/]+\/waf\/instance$/.test(path)) return 'cloud hosts';
  return /^\/v1\/[^/]+\/premium-waf\/host$/.test(path) ? 'dedicated hosts' : undefined;
}

export const hasHostList = (query: HostListQuery, { hostLists }: HostListHabits): boolean =>
  hostLists === 'both' || query.startsWith(hostLists);

const DEFAULT_SIZE = 10;

/** `null` if it's out of bounds. */
function numberOf(search: URLSearchParams, name: string, otherwise: number, least: number, most: number) {
  const text = search.get(name) ?? String(otherwise);
  const number = Number(text);
  return /^-?\d+$/.test(text) && number >= least && number <= most ? number : null;
}

/** If there are both lists, sites alternate between them. */
function sitesOf(query: HostListQuery, hosts: readonly TrafficHost[], { hostLists }: HostListHabits) {
  if (hostLists !== 'both') return hosts;
  return hosts.filter((_, at) => (at % 2 === 0) === (query === 'cloud hosts'));
}

export function hostList(
  query: HostListQuery,
  hosts: readonly TrafficHost[],
  habits: HostListHabits,
  search: URLSearchParams,
): Answer {
  const isOld = habits.paging !== 'pages';
  const size = isOld
    ? numberOf(search, 'limit', DEFAULT_SIZE, 1, 50)
    : search.get('pagesize') === '-1'
      ? Number.POSITIVE_INFINITY
      : numberOf(search, 'pagesize', DEFAULT_SIZE, 1, 100);
  const at = isOld ? numberOf(search, 'offset', 0, 0, 1e9) : numberOf(search, 'page', 1, 1, 1e9);
  if (size === null || at === null) return refuse(isOld ? 'WAF.1001' : 'WAF.00011011');
  const sites = sitesOf(query, hosts, habits);
  const from = habits.paging === 'rows' ? at : (habits.paging === 'pages' ? at - 1 : at) * Math.min(size, sites.length);
  const items = sites.slice(from, from + size).map(({ id, name }) => ({
    id,
    ...(isOld ? { policy_id: `policy-${name}` } : { hostid: id, policyid: `policy-${name}` }),
    hostname: hostNameOf(name),
    web_tag: name.charAt(0).toUpperCase() + name.slice(1),
  }));
  return { status: 200, body: { total: sites.length, items } };
}

/** `shop` is `shop.example.org` to the service. */
export const hostNameOf = (name: string): string => (name.includes('.') ? name : `${name}.example.org`);
