/** The cloud and dedicated host lists and that of dedicated engines, with the paging of different editions. */
import type { TrafficHost } from './hosts.ts';
import { type Answer, refuse } from './refusals.ts';

export type HostListQuery = 'cloud hosts' | 'dedicated hosts' | 'engines';

export interface HostListHabits {
  /** Which lists this region has. */
  readonly hostLists: 'none' | 'cloud' | 'dedicated' | 'both';
  /** Dedicated engines with the hosts behind each, by name; an empty list if the region doesn't list them. */
  readonly engines: readonly { readonly name: string; readonly hosts: readonly string[] }[];
  /** `rows`: older editions count rows from 0. `page numbers`: the same parameters, but the offset counts pages. */
  readonly paging: 'pages' | 'rows' | 'page numbers';
}

export function hostListName(path: string): HostListQuery | undefined {
  if (/^\/v1\/[^/]+\/waf\/instance$/.test(path)) return 'cloud hosts';
  if (/^\/v1\/[^/]+\/premium-waf\/instance$/.test(path)) return 'engines';
  return /^\/v1\/[^/]+\/premium-waf\/host$/.test(path) ? 'dedicated hosts' : undefined;
}

const LISTS: readonly string[] = ['cloud hosts', 'dedicated hosts', 'engines'] satisfies HostListQuery[];
export const isHostList = (name: string): name is HostListQuery => LISTS.includes(name);

export const hasHostList = (query: HostListQuery, { hostLists, engines }: HostListHabits): boolean =>
  query === 'engines' ? engines.length > 0 : hostLists === 'both' || query.startsWith(hostLists);

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
  const all =
    query === 'engines'
      ? enginesOf(hosts, habits)
      : sitesOf(query, hosts, habits).map(({ id, name }) => ({
          id,
          ...(isOld ? { policy_id: `policy-${name}` } : { hostid: id, policyid: `policy-${name}` }),
          hostname: hostNameOf(name),
          web_tag: name.charAt(0).toUpperCase() + name.slice(1),
        }));
  const from = habits.paging === 'rows' ? at : (habits.paging === 'pages' ? at - 1 : at) * Math.min(size, all.length);
  return { status: 200, body: { total: all.length, items: all.slice(from, from + size) } };
}

const enginesOf = (hosts: readonly TrafficHost[], { engines }: HostListHabits) =>
  engines.map(({ name, hosts: names }, at) => ({
    id: `engine${at}`.padEnd(32, '0'),
    instancename: name,
    hosts: hosts
      .filter((host) => names.includes(host.name))
      .map(({ id, name: host }) => ({ id, hostname: hostNameOf(host) })),
  }));

/** `shop` is `shop.example.org` to the service. */
export const hostNameOf = (name: string): string => (name.includes('.') ? name : `${name}.example.org`);
