/** Slack's own pace for posts: about one a second and channel, with a short burst allowed. */
export interface PaceOptions {
  readonly burst: number;
  readonly perSecond: number;
}

/** Takes one post for the channel; the seconds to wait when there are too many, undefined when it may go. */
export type Pace = (channel: string) => number | undefined;

export function createPace(options: PaceOptions | undefined, now: () => number): Pace {
  if (options === undefined) return () => undefined;
  const buckets = new Map<string, { left: number; atMs: number }>();
  return (channel) => {
    const bucket = buckets.get(channel) ?? { left: options.burst, atMs: now() };
    const refilled = bucket.left + ((now() - bucket.atMs) / 1000) * options.perSecond;
    const left = Math.min(options.burst, refilled);
    const may = left >= 1;
    buckets.set(channel, { left: may ? left - 1 : left, atMs: now() });
    return may ? undefined : Math.max(1, Math.ceil((1 - left) / options.perSecond));
  };
}
