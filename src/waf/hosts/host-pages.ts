/**
 * Requests the list of hosts page by page: those in the cloud, those of dedicated engines, and the engines themselves, each
 * of which is one more name for the hosts behind it.
 */
import { z } from 'zod';
import { BotError } from '../../errors.ts';
import type { ListedHost } from '../../statistics/statistics.ts';
import { INVISIBLE, plainName } from '../../untrusted-input.ts';
import { badAnswer, isRequestRefused } from '../client/failure.ts';
import type { SendRequest } from '../client/http.ts';
import { parseBody, type QueryParameters } from '../wire/exchange.ts';

/** `refused`: the account may not list them. `missing`: the service has no such list. */
export type HostListing =
  | { readonly is: 'given'; readonly hosts: readonly ListedHost[] }
  | { readonly is: 'refused' | 'missing' };

const PATHS = ['waf/instance', 'premium-waf/host'] as const;
/** Of dedicated engines with their hosts. */
export const ENGINES_PATH = 'premium-waf/instance';
const HEADERS = { 'content-type': 'application/json;charset=utf8' } as const;
/** Ten times what a large customer has. */
const MAX_HOSTS = 10_000;
const MAX_PAGES = 200;

/** Newer editions count pages, older ones rows; one document says that the offset is the number of a page. */
const PAGING: readonly ((page: number, got: number) => QueryParameters)[] = [
  (page) => [
    ['page', String(page + 1)],
    ['pagesize', '100'],
  ],
  (_, got) => [
    ['offset', String(got)],
    ['limit', '50'],
  ],
  (page) => [
    ['offset', String(page)],
    ['limit', '50'],
  ],
];

interface HostPagesOptions {
  readonly request: SendRequest;
  readonly projectId: string;
  readonly enterpriseProject: string | undefined;
}

export function createHostPages({ request, projectId, enterpriseProject }: HostPagesOptions) {
  const common: QueryParameters = enterpriseProject === undefined ? [] : [['enterprise_project_id', enterpriseProject]];

  async function page(path: string, paging: QueryParameters, signal: AbortSignal): Promise<HostPage> {
    const url = `/v1/${encodeURIComponent(projectId)}/${path}`;
    const body = parseBody(await request(url, [...paging, ...common], { signal, headers: HEADERS }));
    return readPage(body, path === ENGINES_PATH ? readEngine : readHost);
  }

  /** Switches to the next way of paging if one is refused or repeats the same hosts. */
  async function pagesOf(path: string, signal: AbortSignal): Promise<readonly ListedHost[]> {
    const found = new Map<string, readonly ListedHost[]>();
    let total: number | null = null;
    for (const paging of PAGING) {
      let withoutNews = 0;
      for (let at = 0; at < MAX_PAGES && withoutNews < 2 && found.size < MAX_HOSTS; at += 1) {
        const before = found.size;
        const next: HostPage | null = await page(path, paging(at, before), signal).catch(unlessBadPaging);
        if (next === null) break;
        for (const [id, hosts] of next.items) if (!found.has(id)) found.set(id, hosts);
        total = next.total ?? total;
        if (next.given === 0 && (at > 0 || total === null || before >= total)) break;
        if (total !== null && found.size + next.unusable >= total) return [...found.values()].flat();
        withoutNews = found.size > before ? 0 : withoutNews + 1;
      }
      if (total === null && found.size > 0) break;
    }
    return [...found.values()].flat();
  }

  async function listOf(path: string, signal: AbortSignal): Promise<readonly ListedHost[] | 'missing' | 'refused'> {
    try {
      return await pagesOf(path, signal);
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      if (error.reason?.is === 'no_such_query') return 'missing';
      if (error.reason?.is === 'not_permitted') return 'refused';
      throw error;
    }
  }

  return async function listHosts(signal: AbortSignal): Promise<HostListing> {
    const lists = await Promise.all(PATHS.map((path) => listOf(path, signal)));
    const given = lists.filter((list) => typeof list === 'object');
    if (given.length === 0) return { is: lists.includes('refused') ? 'refused' : 'missing' };
    // The same name in both lists is two hosts, and questions about the name mean both.
    const byId = new Map(given.flat().map((host) => [host.id, host]));
    const hosts = [...byId.values()].sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
    // If the account may see only one kind, its hosts may be of the other.
    if (hosts.length === 0 && lists.includes('refused')) return { is: 'refused' };
    // Only who has dedicated hosts has engines.
    const engines = lists[1] === 'missing' || lists[1]?.length === 0 ? [] : await listOf(ENGINES_PATH, signal);
    return { is: 'given', hosts: [...hosts, ...(typeof engines === 'string' ? [] : namedApart(engines, hosts))] };
  };
}

/** By name; without engines that are called like a host. */
function namedApart(engines: readonly ListedHost[], hosts: readonly ListedHost[]): ListedHost[] {
  const taken = new Set(hosts.map(({ name }) => name.toLowerCase()));
  return engines
    .filter(({ name }) => !taken.has(name.toLowerCase()))
    .toSorted((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
}

/** This edition doesn't know this way of paging. */
function unlessBadPaging(error: unknown): null {
  if (isRequestRefused(error) && error.code !== 'upstream_auth') return null;
  throw error;
}

interface HostPage {
  readonly total: number | null;
  readonly given: number;
  /** Under the ID of the host, or of the engine that is in front of them. */
  readonly items: readonly (readonly [id: string, hosts: readonly ListedHost[]])[];
  /** Entries whose name can't be used in a sentence. */
  readonly unusable: number;
}

const pageSchema = z.object({
  total: z.int().nonnegative().nullish(),
  items: z.array(z.unknown()).max(1_000).nullish(),
});
const idSchema = z.string().regex(/^[\w-]{1,64}$/);
// Quotes and brackets have a meaning in sentences; invisible characters cannot be typed.
const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^"<>,\s]+$/)
  .refine((name) => !INVISIBLE.test(name));
const hostSchema = z.object({ id: idSchema, hostname: nameSchema, web_tag: z.string().nullish().catch(null) });
const engineSchema = z.object({
  id: idSchema,
  instancename: nameSchema,
  hosts: z.array(z.object({ id: idSchema })).nullish(),
});
const MAX_TAG_LENGTH = 60;

type ReadItem = (item: unknown) => HostPage['items'][number] | null;

const readHost: ReadItem = (item) => {
  const host = hostSchema.safeParse(item);
  if (!host.success) return null;
  const { id, hostname, web_tag: tag } = host.data;
  const words = plainName(tag ?? '', MAX_TAG_LENGTH);
  return [id, [{ id, name: hostname, tag: words === '' ? null : words }]];
};

const readEngine: ReadItem = (item) => {
  const engine = engineSchema.safeParse(item);
  if (!engine.success) return null;
  const { id, instancename: name, hosts } = engine.data;
  return [id, (hosts ?? []).map((host) => ({ id: host.id, name, tag: null, isEngine: true }))];
};

function readPage(body: unknown, read: ReadItem): HostPage {
  const parsed = pageSchema.safeParse(body);
  if (!parsed.success) throw badAnswer('statistics', 'hosts: not a list of them');
  const given = parsed.data.items ?? [];
  const items = given.map(read).filter((item) => item !== null);
  return { total: parsed.data.total ?? null, given: given.length, items, unusable: given.length - items.length };
}
