/**
 * One queue for everything the bot posts unasked, under Slack's limits: about one message a second to a channel, and a
 * cap on the workspace as a whole. Channels take turns, so a channel with twenty digests at nine delays no other.
 */
import type { Clock } from '../../clock.ts';

interface PostRateLimiterOptions {
  readonly clock: Clock;
  readonly perChannelMs?: number;
  /** Between any two messages; Slack speaks of several hundred a minute. */
  readonly betweenMs?: number;
}

export interface PostRateLimiter {
  /** Resolves when a message may go to the channel. Each slot is for one message. */
  slot(channel: string): Promise<void>;
  /** Slack asked to wait: nothing goes out for so long. */
  hold(ms: number): void;
}

interface Lane {
  readonly channel: string;
  readonly queue: Array<() => void>;
  freeAtMs: number;
}

export function createPostRateLimiter({
  clock,
  perChannelMs = 1_000,
  betweenMs = 200,
}: PostRateLimiterOptions): PostRateLimiter {
  const lanes = new Map<string, Lane>();
  /** Lanes with a message waiting, in the order of their turns, and lanes that just sent, in the order they get free. */
  const ready: Lane[] = [];
  const resting: Lane[] = [];
  let waiting = 0;
  let openAtMs = 0;
  let cancelTimer: (() => void) | undefined;

  const nowMs = () => clock.now().epochMilliseconds;

  function wake(): void {
    for (let lane = resting[0]; lane && lane.freeAtMs <= nowMs(); lane = resting[0]) {
      resting.shift();
      if (lane.queue.length > 0) ready.push(lane);
      else lanes.delete(lane.channel);
    }
  }

  function turn(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    wake();
    while (ready.length > 0 && openAtMs <= nowMs()) {
      const lane = ready.shift();
      const go = lane?.queue.shift();
      if (!lane || !go) continue;
      waiting -= 1;
      openAtMs = nowMs() + betweenMs;
      lane.freeAtMs = nowMs() + perChannelMs;
      resting.push(lane);
      go();
    }
    // A lane without messages needs no timer: it is dropped at the next turn.
    if (waiting === 0) return;
    const nextMs = Math.max(openAtMs, ready.length > 0 ? 0 : (resting[0]?.freeAtMs ?? 0));
    cancelTimer = clock.after(Math.max(1, nextMs - nowMs()), turn);
  }

  return {
    slot(channel) {
      const granted = Promise.withResolvers<void>();
      wake();
      let lane = lanes.get(channel);
      if (!lane) {
        lane = { channel, queue: [], freeAtMs: 0 };
        lanes.set(channel, lane);
        ready.push(lane);
      }
      lane.queue.push(granted.resolve);
      waiting += 1;
      turn();
      return granted.promise;
    },
    hold(ms) {
      openAtMs = Math.max(openAtMs, nowMs() + ms);
    },
  };
}
