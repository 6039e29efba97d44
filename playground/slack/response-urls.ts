/** response_urls: each valid for 30 minutes and five uses, and bound to the conversation it was issued for. */
import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 30 * 60_000;
const MAX_USES = 5;

export interface ResponseTarget {
  readonly channel: string;
  readonly user: string;
  /** The message that was interacted with, if any. */
  readonly messageTs?: string | undefined;
  readonly threadTs?: string | undefined;
}

export interface ResponseUrls {
  issue(target: ResponseTarget): string;
  /** Counts one use of the URL with this path. */
  use(path: string): ResponseTarget | 'used_url' | 'expired_url';
  /** Invalidates every URL issued so far. */
  expireAll(): void;
}

export function createResponseUrls(deps: {
  readonly now: () => number;
  readonly baseUrl: () => string;
  readonly teamId: string;
}): ResponseUrls {
  const issued = new Map<string, ResponseTarget & { readonly expiresMs: number; uses: number }>();
  let count = 0;

  return {
    issue(target) {
      count += 1;
      const path = `/commands/${deps.teamId}/${count}/${randomBytes(12).toString('hex')}`;
      issued.set(path, { ...target, expiresMs: deps.now() + LIFETIME_MS, uses: 0 });
      return deps.baseUrl() + path;
    },
    use(path) {
      const known = issued.get(path);
      if (known === undefined || deps.now() >= known.expiresMs) return 'expired_url';
      if (known.uses >= MAX_USES) return 'used_url';
      known.uses += 1;
      return known;
    },
    expireAll: () => issued.clear(),
  };
}
