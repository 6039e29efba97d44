/**
 * One queue for everything the bot posts unasked, under Slack's limits: about one message a second to a channel, and a
 * cap on the workspace as a whole. Channels take turns, so a channel with twenty digests at nine delays no other. Several
 * replicas keep to the limits together, as long as the store that they share answers.
 */
import type { Clock } from '../../clock.ts';

/** Turns that all replicas take one after another. The store's fit. */
interface SharedTurns {
  /** Resolves to how long each key is still taken; only zeros when a turn was granted under all of them. */
  take(turns: readonly { readonly key: string; readonly everyMs: number }[]): Promise<readonly number[]>;
  hold(key: string, ms: number): Promise<void>;
}

interface PostRateLimiterOptions {
  readonly clock: Clock;
  /** Of the replicas; left out where this process is the only one. */
  readonly shared?: SharedTurns | undefined;
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

const EVERYWHERE = 'posts';

export function createPostRateLimiter({
  clock,
  shared,
  perChannelMs = 1_000,
  betweenMs = 200,
}: PostRateLimiterOptions): PostRateLimiter {
  const lanes = new Map<string, Lane>();
  /** Lanes with a message waiting, in the order of their turns, and lanes that just sent, in the order they get free. */
  const ready: Lane[] = [];
  const resting: Lane[] = [];
  let waiting = 0;
  let openAtMs = 0;
  let isAsking = false;
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
    // One question at a time: its answer decides about the next.
    while (!isAsking && ready.length > 0 && openAtMs <= nowMs()) {
      const lane = ready.shift();
      if (lane === undefined) continue;
      if (shared === undefined) grant(lane);
      else void ask(shared, lane).finally(turn);
    }
    if (isAsking) return;
    // A lane without messages needs no timer: it is dropped at the next turn.
    if (waiting === 0) return;
    const nextMs = Math.max(openAtMs, ready.length > 0 ? 0 : (resting[0]?.freeAtMs ?? 0));
    cancelTimer = clock.after(Math.max(1, nextMs - nowMs()), turn);
  }

  function grant(lane: Lane): void {
    const go = lane.queue.shift();
    if (go === undefined) return;
    waiting -= 1;
    openAtMs = nowMs() + betweenMs;
    rest(lane, perChannelMs);
    go();
  }

  function rest(lane: Lane, ms: number): void {
    lane.freeAtMs = nowMs() + ms;
    const next = resting.findIndex(({ freeAtMs }) => freeAtMs > lane.freeAtMs);
    resting.splice(next === -1 ? resting.length : next, 0, lane);
  }

  /** Grants the lane its turn, or puts it back for as long as another replica has it. */
  async function ask(turns: SharedTurns, lane: Lane): Promise<void> {
    isAsking = true;
    const limits = [
      { key: EVERYWHERE, everyMs: betweenMs },
      { key: `${EVERYWHERE}/${lane.channel}`, everyMs: perChannelMs },
    ];
    // Without the store the own pace has to do.
    const [everywhereMs = 0, channelMs = 0] = await turns.take(limits).catch(() => []);
    isAsking = false;
    if (everywhereMs > 0) openAtMs = Math.max(openAtMs, nowMs() + everywhereMs);
    if (channelMs > 0) rest(lane, channelMs);
    else if (everywhereMs > 0) ready.unshift(lane);
    else grant(lane);
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
      void shared?.hold(EVERYWHERE, ms).catch(() => undefined);
    },
  };
}
