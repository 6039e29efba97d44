/** Slack's rate limit for posting: about one message per second and channel, with a short burst allowed. */
export interface RateLimitOptions {
  readonly burst: number;
  readonly perSecond: number;
}

/** Counts one post to the channel. Returns the seconds to wait if that is too many, undefined if it is allowed. */
export type PostLimiter = (channel: string) => number | undefined;

export function createPostLimiter(options: RateLimitOptions | undefined, now: () => number): PostLimiter {
  if (options === undefined) return () => undefined;
  const buckets = new Map<string, { left: number; atMs: number }>();
  return (channel) => {
    const bucket = buckets.get(channel) ?? { left: options.burst, atMs: now() };
    const refilled = bucket.left + ((now() - bucket.atMs) / 1000) * options.perSecond;
    const left = Math.min(options.burst, refilled);
    const allowed = left >= 1;
    buckets.set(channel, { left: allowed ? left - 1 : left, atMs: now() });
    return allowed ? undefined : Math.max(1, Math.ceil((1 - left) / options.perSecond));
  };
}
