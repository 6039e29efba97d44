/**
 * The list of hosts: those in the cloud, those of dedicated engines, and the engines themselves, each of which is one more name
 * for the hosts behind it. It is stored for all replicas and restarts, requested once an hour at most, and questions don't wait
 * for it: the stored list is used until the new one is there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { formatCount } from '../statistics/format.ts';
import type { ListedHost, ListedHosts } from '../statistics/statistics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';
import { INVISIBLE, plainName } from '../untrusted-input.ts';
import type { BestEffortCache, ReplicaSharing } from './cache.ts';
import { isRequestRefused } from './client/failure.ts';
import type { SendRequest } from './client/http.ts';
import type { ProbeFinding } from './client/probe.ts';
import { parseBody, type QueryParameters, readAs } from './wire/exchange.ts';

interface ServiceHostsOptions {
  readonly list: (signal: AbortSignal) => Promise<HostListing>;
  readonly cache: BestEffortCache;
  readonly replicas: ReplicaSharing;
  readonly scope: string;
  readonly now: () => number;
  readonly log: Logger;
  readonly closing: AbortSignal;
}

const storedHostsSchema = z.object({
  atMs: z.number(),
  was: z.enum(['given', 'refused', 'missing', 'failed']),
  /** Of the last list received; `null` if there never was one. */
  hosts: z
    .array(z.object({ id: z.string(), name: z.string(), tag: z.string().nullable(), isEngine: z.boolean().optional() }))
    .nullable(),
});
type StoredHosts = Readonly<z.infer<typeof storedHostsSchema>>;

const RENEW_MS = HOUR_MS;
const RETRY_AFTER_FAILURE_MS = 10 * MINUTE_MS;
/** Digests and watches refer to hosts by name; they must survive a service that gives no list for a while. */
const TTL_MS = 90 * DAY_MS;
const MAX_WAIT_MS = 2_000;

const isDue = (stored: StoredHosts | undefined, nowMs: number): boolean =>
  stored === undefined || nowMs - stored.atMs >= (stored.was === 'failed' ? RETRY_AFTER_FAILURE_MS : RENEW_MS);

/** The new list, or the previous hosts with the reason why there's no new one. */
async function requestHosts(options: ServiceHostsOptions, previous: StoredHosts | undefined): Promise<StoredHosts> {
  const { now, log, closing } = options;
  const atMs = now();
  const hosts = previous?.hosts ?? null;
  try {
    const answer = await options.list(closing);
    if (answer.is !== 'given') return { atMs, was: answer.is, hosts };
    log.info({ hosts: answer.hosts.filter(({ isEngine }) => isEngine !== true).length }, 'hosts listed');
    return { atMs, was: 'given', hosts: [...answer.hosts] };
  } catch (error) {
    if (closing.aborted || !(error instanceof BotError)) throw error;
    log.info({ ...error.detail, code: error.code }, 'could not list the hosts');
    return { atMs, was: 'failed', hosts };
  }
}

export function createServiceHosts(options: ServiceHostsOptions) {
  const { cache, replicas, now, log, closing } = options;
  const key = `hosts:${options.scope}`;
  let current: StoredHosts | undefined;
  let loading: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;

  const read = () => cache.get(key, storedHostsSchema);

  async function readFresh(): Promise<StoredHosts | undefined> {
    const stored = await read();
    return isDue(stored, now()) ? undefined : stored;
  }

  async function requestAndStore(): Promise<StoredHosts> {
    const answer = await requestHosts(options, current);
    await cache.set(key, answer, TTL_MS);
    return answer;
  }

  async function renew(): Promise<void> {
    try {
      current = (await readFresh()) ?? (await replicas.once(key, readFresh, requestAndStore, closing));
    } catch (error) {
      if (!closing.aborted) log.warn({ err: error }, 'could not list the hosts');
    }
  }

  function renewOnce(): Promise<void> {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function load(): Promise<void> {
    loading ??= read().then((stored) => {
      current ??= stored;
    });
    await loading;
  }

  const listed: ListedHosts = {
    async known() {
      await load();
      // The first list is requested only for an unknown name: many never need it.
      if (current !== undefined && current.was !== 'missing' && isDue(current, now())) void renewOnce();
      return current?.hosts ?? [];
    },
    async renewed() {
      await load();
      if (isDue(current, now())) {
        const renewal = renewOnce();
        if (current?.hosts == null) await Promise.race([renewal, delay(MAX_WAIT_MS, undefined, { ref: false })]);
      }
      return current?.hosts ?? [];
    },
  };
  return {
    ...listed,
    /** For the doctor: lists them again, however recent the last list is. */
    async examine(): Promise<ProbeFinding> {
      await load();
      current = await requestAndStore();
      return findingOf(current);
    },
  };
}

const counted = (count: number, what: string): string => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;

const MANUAL = 'names added with `hosts add` still work';

function findingOf({ was, hosts }: StoredHosts): ProbeFinding {
  const what = 'host names';
  const count = hosts?.filter(({ isEngine }) => isEngine !== true).length ?? 0;
  const engines = new Set(hosts?.flatMap(({ name, isEngine }) => (isEngine === true ? [name] : []))).size;
  const previous = hosts === null ? '' : ` The last list with ${count} hosts is still used.`;
  const cost = hosts === null ? `Hosts can't be found by name; ${MANUAL}.` : previous.trim();
  switch (was) {
    case 'given':
      return {
        what,
        ok: true,
        says: `The service lists ${counted(count, 'host')} and ${engines === 0 ? 'no dedicated engines' : counted(engines, 'dedicated engine')}.`,
      };
    case 'missing':
      return { what, ok: true, says: `This service has no list of hosts; ${MANUAL}.${previous}` };
    case 'refused':
      return {
        what,
        ok: false,
        says: `The bot's account isn't allowed to list the hosts. ${cost}`,
        fix: 'Give it the permission waf:instance:list (waf:host:list in some regions).',
      };
    case 'failed':
      return { what, ok: false, says: `The list of hosts failed. ${cost}`, fix: 'Try again in a few minutes.' };
  }
}

/** `refused`: the account may not list them. `missing`: the service has no such list. */
export type HostListing =
  | { readonly is: 'given'; readonly hosts: readonly ListedHost[] }
  | { readonly is: 'refused' | 'missing' };

const PATHS = ['waf/instance', 'premium-waf/host'] as const;
/** Lists dedicated engines with their hosts. */
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
    // If the account may see only one kind of host, the missing ones may be of the other.
    if (hosts.length === 0 && lists.includes('refused')) return { is: 'refused' };
    // There are only engines if there are dedicated hosts.
    const engines = lists[1] === 'missing' || lists[1]?.length === 0 ? [] : await listOf(ENGINES_PATH, signal);
    return { is: 'given', hosts: [...hosts, ...(typeof engines === 'string' ? [] : withoutHostNames(engines, hosts))] };
  };
}

/** By name, without engines that have the name of a host. */
function withoutHostNames(engines: readonly ListedHost[], hosts: readonly ListedHost[]): ListedHost[] {
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
  const { total, items: all } = readAs(pageSchema, body, 'hosts');
  const given = all ?? [];
  const items = given.map(read).filter((item) => item !== null);
  return { total: total ?? null, given: given.length, items, unusable: given.length - items.length };
}
