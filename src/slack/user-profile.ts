/**
 * What Slack knows about a person, cached for an hour, and their zone for a day, also beyond a restart: it is taken as it
 * was while Slack is asked anew, since an answer says its zone. Nobody waits long for the rest: a form has to open and a
 * question to be acknowledged within seconds.
 */
import { type Clock, withTimeout } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { resolveZone } from '../time/index.ts';
import type { SlackClients } from './transport/clients.ts';

interface UserProfile {
  readonly zone: string | null;
  /** The organisation on Enterprise Grid that the person belongs to. */
  readonly enterpriseId: string | null;
}

/** Each is `null` where Slack does not tell, or not in time. Never rejects. */
export interface UserProfiles {
  zone(user: string): Promise<string | null>;
  enterpriseId(user: string): Promise<string | null>;
}

/** Where zones outlive the process. */
export interface KeptZones {
  get(user: string): Promise<string | undefined>;
  set(user: string, zone: string, ttlMs: number): Promise<unknown>;
}

const TTL_MS = 3_600_000;
const ZONE_TTL_MS = 24 * TTL_MS;
const MAX_ENTRIES = 10_000;
export const PROFILE_LIMIT_MS = 1_000;
const UNKNOWN: UserProfile = { zone: null, enterpriseId: null };

interface CachedProfile {
  /** What was known last; it stands in while Slack does not answer. */
  last: UserProfile;
  /** Under way, or done. */
  readonly asked: Promise<UserProfile>;
  readonly untilMs: number;
}

export function createUserProfiles(
  clients: SlackClients,
  clock: Clock,
  log: Logger,
  keptZones?: KeptZones,
): UserProfiles {
  const cache = new Map<string, CachedProfile>();

  async function fetchProfile(id: string): Promise<UserProfile> {
    const { user } = await clients.read.users.info({ user: id });
    return {
      // A zone that this machine does not know would make every question of that person fail.
      zone: user?.tz === undefined ? null : resolveZone(user.tz),
      enterpriseId: user?.enterprise_user?.enterprise_id ?? null,
    };
  }

  function ask(user: string, last: UserProfile): CachedProfile {
    const asked = fetchProfile(user).then(
      (profile) => {
        entry.last = profile;
        const { zone } = profile;
        if (zone !== null) keptZones?.set(user, zone, ZONE_TTL_MS).catch(notKept);
        return profile;
      },
      (error: unknown) => {
        log.warn({ err: error }, "a person's profile is not known");
        // The next question asks again; Slack's limits are kept by the client.
        cache.set(user, { ...entry, untilMs: 0 });
        return last;
      },
    );
    const entry: CachedProfile = { last, asked, untilMs: clock.now().epochMilliseconds + TTL_MS };
    return entry;
  }

  const notKept = (error: unknown): undefined => {
    log.debug({ err: error }, 'zones cannot be kept');
  };

  /** The one known last, at once; `undefined` where none is. */
  async function knownZone(user: string): Promise<string | undefined> {
    const entry = cache.get(user);
    if (entry === undefined) return keptZones?.get(user).catch(notKept);
    const ageMs = clock.now().epochMilliseconds - (entry.untilMs - TTL_MS);
    return ageMs < ZONE_TTL_MS ? (entry.last.zone ?? undefined) : undefined;
  }

  async function profile(user: string): Promise<UserProfile> {
    let entry = cache.get(user);
    if (entry === undefined || entry.untilMs <= clock.now().epochMilliseconds) {
      if (cache.size >= MAX_ENTRIES) cache.clear();
      entry = ask(user, entry?.last ?? UNKNOWN);
      cache.set(user, entry);
    }
    const { last, asked } = entry;
    return withTimeout(
      clock,
      PROFILE_LIMIT_MS,
      () => asked,
      () => last,
    );
  }

  return {
    async zone(user) {
      const known = await knownZone(user);
      const asked = profile(user);
      return known ?? (await asked).zone;
    },
    enterpriseId: async (user) => (await profile(user)).enterpriseId,
  };
}
