/**
 * The list of hosts, kept in the store for all replicas and every restart. It is asked for once an hour at most, never
 * while a question waits: what is kept is used until the new list is there, and as long as there is none.
 */

import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import type { ReplicaSharing } from '../cache/request-sharing.ts';
import type { ProbeFinding } from '../client/probe.ts';
import type { HostListing, ServiceHost } from './host-pages.ts';

export interface ServiceHosts {
  /** As they were listed last; none where they never were. An old list is renewed in the background. */
  known(): Promise<readonly ServiceHost[]>;
  /** For a name that is not known: lists them where that was not done within the hour, and waits a moment where there is no list. */
  renewed(): Promise<readonly ServiceHost[]>;
}

interface ServiceHostsOptions {
  readonly list: (signal: AbortSignal) => Promise<HostListing>;
  readonly cache: BestEffortCache;
  readonly replicas: ReplicaSharing;
  readonly scope: string;
  readonly now: () => number;
  readonly log: Logger;
  /** Aborted when no call may be made any more. */
  readonly closing: AbortSignal;
}

/** What is stored. `hosts` are those of the last list that was given; `null` where none ever was. */
interface KeptList {
  readonly atMs: number;
  readonly was: HostListing['is'] | 'failed';
  readonly hosts: readonly ServiceHost[] | null;
}

const RENEW_MS = 60 * MINUTE_MS;
/** After a passing failure. */
const TRY_AGAIN_MS = 10 * MINUTE_MS;
/** Digests and watches are about names; a list that is not given for a while must not stop them. */
const KEPT_MS = 90 * 24 * 60 * MINUTE_MS;
const LONGEST_WAIT_MS = 2_000;

const isKept = (value: unknown): value is KeptList =>
  typeof value === 'object' && value !== null && 'atMs' in value && 'was' in value && 'hosts' in value;

export function createServiceHosts(options: ServiceHostsOptions) {
  const { cache, replicas, now, log, closing } = options;
  const key = `hosts:${options.scope}`;
  let kept: KeptList | undefined;
  let loading: Promise<void> | undefined;
  let listing: Promise<void> | undefined;

  async function read(): Promise<KeptList | undefined> {
    const stored = await cache.get(key);
    return isKept(stored) ? stored : undefined;
  }

  const isDue = (list: KeptList | undefined): boolean =>
    list === undefined || now() - list.atMs >= (list.was === 'failed' ? TRY_AGAIN_MS : RENEW_MS);

  async function ask(): Promise<KeptList> {
    const atMs = now();
    const hosts = kept?.hosts ?? null;
    try {
      const answer = await options.list(closing);
      if (answer.is !== 'given') return { atMs, was: answer.is, hosts };
      log.info({ hosts: answer.hosts.length }, 'the hosts were listed');
      return { atMs, was: 'given', hosts: answer.hosts };
    } catch (error) {
      if (closing.aborted || !(error instanceof BotError)) throw error;
      log.info({ ...error.detail, code: error.code }, 'the hosts could not be listed');
      return { atMs, was: 'failed', hosts };
    }
  }

  async function renew(): Promise<void> {
    const fresh = async () => {
      const stored = await read();
      return isDue(stored) ? undefined : stored;
    };
    const found =
      (await fresh()) ??
      (await replicas.once<KeptList>(
        key,
        fresh,
        async () => {
          const answer = await ask();
          return { answer, stored: cache.set(key, answer, KEPT_MS) };
        },
        closing,
      ));
    // The same list again stays the same object, and with it what was made of it.
    const isSame = JSON.stringify(found.hosts) === JSON.stringify(kept?.hosts);
    kept = isSame && kept !== undefined ? { ...found, hosts: kept.hosts } : found;
  }

  function inBackground(): Promise<void> {
    listing ??= renew()
      .catch((error: unknown) => {
        if (!closing.aborted) log.warn({ err: error }, 'the hosts could not be listed');
      })
      .finally(() => {
        listing = undefined;
      });
    return listing;
  }

  async function load(): Promise<void> {
    loading ??= read().then((stored) => {
      kept ??= stored;
    });
    await loading;
  }

  const hosts = (): readonly ServiceHost[] => kept?.hosts ?? NONE;

  const serviceHosts: ServiceHosts = {
    async known() {
      await load();
      // Whoever never names a host of the list costs the service nothing.
      if (kept !== undefined && kept.was !== 'missing' && isDue(kept)) void inBackground();
      return hosts();
    },
    async renewed() {
      await load();
      if (!isDue(kept)) return hosts();
      const renewing = inBackground();
      if (kept?.hosts == null) await Promise.race([renewing, waited()]);
      return hosts();
    },
  };
  return {
    ...serviceHosts,
    /** For the doctor. */
    async findings(): Promise<readonly ProbeFinding[]> {
      await serviceHosts.renewed();
      return kept === undefined ? [] : [findingOf(kept)];
    },
  };
}

const NONE: readonly ServiceHost[] = [];

function waited(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  AbortSignal.timeout(LONGEST_WAIT_MS).addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

const MANUAL = 'names that were added with hosts add work all the same';

function findingOf({ was, hosts }: KeptList): ProbeFinding {
  const what = 'host names';
  const kept = hosts === null ? '' : ` The ${hosts.length} of the last list are still known.`;
  switch (was) {
    case 'given':
      return {
        what,
        ok: true,
        says: `The service lists ${hosts?.length === 1 ? '1 host' : `${hosts?.length} hosts`}.`,
      };
    case 'missing':
      return { what, ok: true, says: `This service has no list of hosts; ${MANUAL}.${kept}` };
    case 'refused':
      return {
        what,
        ok: true,
        says: `The account of the bot may not list the hosts; ${MANUAL}.${kept}`,
        fix: 'Give it the permission waf:instance:list (waf:host:list in some regions) to know them by name.',
      };
    case 'failed':
      return { what, ok: true, says: `The hosts could not be listed the last time; ${MANUAL}.${kept}` };
  }
}
