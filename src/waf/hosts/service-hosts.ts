/**
 * The list of hosts, stored for all replicas and restarts. It is requested once an hour at most, and questions don't wait
 * for it: the stored list is used until the new one is there.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { formatCount } from '../../statistics/format.ts';
import type { ListedHosts } from '../../statistics/statistics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { BestEffortCache, ReplicaSharing } from '../cache.ts';
import type { ProbeFinding } from '../client/query-checks.ts';
import type { HostListing } from './host-pages.ts';

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
  /** Of the last list that was given; `null` if there never was one. */
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

/** The new list, or the previous hosts with what came instead of one. */
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
    /** For the doctor: lists them anew, however old the last list is. */
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
