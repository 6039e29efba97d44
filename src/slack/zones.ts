/** The zone each person has in their Slack profile, kept for a while. */

import type { Logger } from '../observability/logger.ts';
import { resolveZone } from '../time/index.ts';
import type { SlackClients } from './transport/clients.ts';

export interface Zones {
  /** `null` where Slack does not tell; a question is never refused for that. */
  zoneOf(user: string): Promise<string | null>;
}

const KEEP_MS = 3_600_000;
const MOST = 10_000;

export function createZones(clients: SlackClients, now: () => number, log: Logger): Zones {
  const kept = new Map<string, { zone: Promise<string | null>; untilMs: number }>();

  async function ask(user: string): Promise<string | null> {
    try {
      const { user: profile } = await clients.read.users.info({ user });
      // A zone that this machine does not know would make every question of that person fail.
      return profile?.tz === undefined ? null : resolveZone(profile.tz);
    } catch (error) {
      log.warn({ err: error }, "a person's zone is not known");
      kept.delete(user);
      return null;
    }
  }

  return {
    zoneOf(user) {
      const known = kept.get(user);
      if (known !== undefined && known.untilMs > now()) return known.zone;
      if (kept.size >= MOST) kept.clear();
      const zone = ask(user);
      kept.set(user, { zone, untilMs: now() + KEEP_MS });
      return zone;
    },
  };
}
