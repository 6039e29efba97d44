/** The time zone in each person's Slack profile, cached for an hour. */
import type { Clock } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { resolveZone } from '../time/index.ts';
import type { SlackClients } from './transport/clients.ts';

/** `null` where Slack does not tell; a question is never refused for that. */
export type UserZone = (user: string) => Promise<string | null>;

const TTL_MS = 3_600_000;
const MAX_ENTRIES = 10_000;

export function createUserZone(clients: SlackClients, clock: Clock, log: Logger): UserZone {
  const cache = new Map<string, { readonly zone: Promise<string | null>; readonly untilMs: number }>();

  async function fetchZone(user: string): Promise<string | null> {
    try {
      const { user: profile } = await clients.read.users.info({ user });
      // A zone that this machine does not know would make every question of that person fail.
      return profile?.tz === undefined ? null : resolveZone(profile.tz);
    } catch (error) {
      log.warn({ err: error }, "a person's zone is not known");
      cache.delete(user);
      return null;
    }
  }

  return function userZone(user) {
    const nowMs = clock.now().epochMilliseconds;
    const cached = cache.get(user);
    if (cached !== undefined && cached.untilMs > nowMs) return cached.zone;
    if (cache.size >= MAX_ENTRIES) cache.clear();
    const zone = fetchZone(user);
    cache.set(user, { zone, untilMs: nowMs + TTL_MS });
    return zone;
  };
}
