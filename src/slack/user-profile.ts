/**
 * What Slack knows about a person. Profiles are cached for an hour. A time zone is used for a day, also after a restart,
 * while Slack is asked again: every answer names its zone. Nobody waits long for a profile, because a form has to open
 * within seconds.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, epochMsOf, withTimeout } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { resolveZone } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import type { SlackClients } from './transport/clients.ts';

interface UserProfile {
  readonly zone: string | null;
  /** The Enterprise Grid organization that the person belongs to. */
  readonly enterpriseId: string | null;
}

/** Each is `null` if Slack doesn't say, or not in time. Never rejects. */
export interface UserProfiles {
  zone(user: string): Promise<string | null>;
  enterpriseId(user: string): Promise<string | null>;
}

/** Zones that outlive the process. */
export interface StoredZones {
  get(user: string): Promise<string | undefined>;
  set(user: string, zone: string, ttlMs: number): Promise<unknown>;
}

const MAX_ENTRIES = 10_000;
export const PROFILE_LIMIT_MS = 1_000;
const UNKNOWN: UserProfile = { zone: null, enterpriseId: null };

export function createUserProfiles(
  clients: SlackClients,
  clock: Clock,
  log: Logger,
  storedZones?: StoredZones,
): UserProfiles {
  const age = { max: MAX_ENTRIES, ttlResolution: 0, perf: { now: epochMsOf(clock) } };
  const fetched = new LRUCache<string, Promise<UserProfile>>({ ...age, ttl: HOUR_MS });
  /** Stands in while Slack doesn't answer. */
  const lastKnown = new LRUCache<string, UserProfile>({ ...age, ttl: DAY_MS });

  async function fetchProfile(id: string): Promise<UserProfile> {
    const { user } = await clients.read.users.info({ user: id });
    const profile = {
      // A zone that this machine doesn't know would make every question of that person fail.
      zone: user?.tz === undefined ? null : resolveZone(user.tz),
      enterpriseId: user?.enterprise_user?.enterprise_id ?? null,
    };
    lastKnown.set(id, profile);
    if (profile.zone !== null) storedZones?.set(id, profile.zone, DAY_MS).catch(storeFailed);
    return profile;
  }

  const storeFailed = (error: unknown): undefined => {
    log.debug({ err: error }, 'could not read or store a time zone');
  };

  function fetchOnce(user: string): Promise<UserProfile> {
    const known = fetched.get(user);
    if (known !== undefined) return known;
    const fetching = fetchProfile(user).catch((error: unknown) => {
      log.warn({ err: error }, 'could not fetch a profile');
      // The next question tries again; the client respects Slack's limits.
      fetched.delete(user);
      return lastKnown.get(user) ?? UNKNOWN;
    });
    fetched.set(user, fetching);
    return fetching;
  }

  const profile = (user: string): Promise<UserProfile> =>
    withTimeout(
      clock,
      PROFILE_LIMIT_MS,
      () => fetchOnce(user),
      () => lastKnown.get(user) ?? UNKNOWN,
    );

  return {
    async zone(user) {
      const last = lastKnown.get(user);
      const known = last === undefined ? await storedZones?.get(user).catch(storeFailed) : last.zone;
      const current = profile(user);
      return known ?? (await current).zone;
    },
    enterpriseId: async (user) => (await profile(user)).enterpriseId,
  };
}
