/**
 * The time zone in each person's Slack profile, cached for an hour. Nobody waits long for it: a form has to open and a
 * question to be acknowledged within seconds.
 */
import { type Clock, withTimeout } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { resolveZone } from '../time/index.ts';
import type { SlackClients } from './transport/clients.ts';

/** `null` where Slack does not tell, or not in time; a question is never refused for that. Never rejects. */
export type UserZone = (user: string) => Promise<string | null>;

const TTL_MS = 3_600_000;
const MAX_ENTRIES = 10_000;
export const ZONE_LIMIT_MS = 1_000;

interface CachedZone {
  /** What was known last; it stands in while Slack does not answer. */
  last: string | null;
  /** Under way, or done. */
  readonly asked: Promise<string | null>;
  readonly untilMs: number;
}

export function createUserZone(clients: SlackClients, clock: Clock, log: Logger): UserZone {
  const cache = new Map<string, CachedZone>();

  async function fetchZone(user: string): Promise<string | null> {
    const { user: profile } = await clients.read.users.info({ user });
    // A zone that this machine does not know would make every question of that person fail.
    return profile?.tz === undefined ? null : resolveZone(profile.tz);
  }

  function ask(user: string, last: string | null): CachedZone {
    const asked = fetchZone(user).then(
      (zone) => {
        entry.last = zone;
        return zone;
      },
      (error: unknown) => {
        log.warn({ err: error }, "a person's zone is not known");
        // The next question asks again; Slack's limits are kept by the client.
        cache.set(user, { ...entry, untilMs: 0 });
        return last;
      },
    );
    const entry: CachedZone = { last, asked, untilMs: clock.now().epochMilliseconds + TTL_MS };
    return entry;
  }

  return async function userZone(user) {
    let entry = cache.get(user);
    if (entry === undefined || entry.untilMs <= clock.now().epochMilliseconds) {
      if (cache.size >= MAX_ENTRIES) cache.clear();
      entry = ask(user, entry?.last ?? null);
      cache.set(user, entry);
    }
    const { last, asked } = entry;
    return withTimeout(
      clock,
      ZONE_LIMIT_MS,
      () => asked,
      () => last,
    );
  };
}
