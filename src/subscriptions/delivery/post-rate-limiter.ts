/**
 * One queue for everything the bot posts by itself, within Slack's limits: about one message a second per channel, and a
 * cap for the whole workspace. Channels take turns, so a channel with twenty digests at nine delays no other. Replicas
 * share the limits while their store is reachable.
 */
import { type Clock, elapsedMsOf } from '../../clock.ts';
import type { Turns } from '../../store/store.ts';

interface PostRateLimiterOptions {
  readonly clock: Clock;
  /** Undefined if this process is the only one. */
  readonly shared?: Turns | undefined;
  readonly perChannelMs?: number;
  /** Between any two messages. Slack allows several hundred a minute. */
  readonly betweenMs?: number;
}

export interface PostRateLimiter {
  /** Resolves when a message may be sent to the channel. Each slot is for one message. */
  slot(channel: string): Promise<void>;
  /** Sends nothing for this long, because Slack asked for a pause. */
  hold(ms: number): void;
}

interface Lane {
  readonly channel: string;
  readonly queue: Array<() => void>;
  freeAtMs: number;
}

const EVERYWHERE = 'posts';

export function createPostRateLimiter(options: PostRateLimiterOptions): PostRateLimiter {
  const { clock, shared, perChannelMs = 1_000, betweenMs = 200 } = options;
  const lanes = createLanes(clock);
  let openAtMs = 0;
  let isAsking = false;
  let cancelTimer = () => {};
  const nowMs = elapsedMsOf(clock);

  function turn(): void {
    cancelTimer();
    lanes.wake();
    // One request to the store at a time: its result decides about the next.
    while (!isAsking && openAtMs <= nowMs()) {
      const lane = lanes.takeReady();
      if (lane === undefined) break;
      if (shared === undefined) grant(lane);
      else void askReplicas(shared, lane).finally(turn);
    }
    if (isAsking || !lanes.hasWaiting()) return;
    cancelTimer = clock.after(Math.max(1, Math.max(openAtMs, lanes.nextReadyMs()) - nowMs()), turn);
  }

  function grant(lane: Lane): void {
    const go = lane.queue.shift();
    if (go === undefined) return;
    openAtMs = nowMs() + betweenMs;
    lanes.rest(lane, perChannelMs);
    go();
  }

  /** Grants the lane its turn, or makes it wait for as long as another replica has the turn. */
  async function askReplicas(turns: Turns, lane: Lane): Promise<void> {
    isAsking = true;
    const limits = [
      { key: EVERYWHERE, everyMs: betweenMs },
      { key: `${EVERYWHERE}/${lane.channel}`, everyMs: perChannelMs },
    ];
    // While the store is down, this process's own limit has to do.
    const [everywhereMs = 0, channelMs = 0] = await turns.take(limits).catch(() => []);
    isAsking = false;
    if (everywhereMs > 0) openAtMs = Math.max(openAtMs, nowMs() + everywhereMs);
    if (channelMs > 0) lanes.rest(lane, channelMs);
    else if (everywhereMs > 0) lanes.putBack(lane);
    else grant(lane);
  }

  return {
    slot(channel) {
      const granted = Promise.withResolvers<void>();
      lanes.enqueue(channel, granted.resolve);
      turn();
      return granted.promise;
    },
    hold(ms) {
      openAtMs = Math.max(openAtMs, nowMs() + ms);
      void shared?.hold(EVERYWHERE, ms).catch(() => undefined);
    },
  };
}

/** The channels with waiting messages, in the order of their turns, and those that just sent one. */
function createLanes(clock: Clock) {
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  /** In the order in which they become free. */
  const resting: Lane[] = [];
  const nowMs = elapsedMsOf(clock);

  /** Moves lanes that are free again to `ready`, and drops those without messages. */
  function wake(): void {
    for (let lane = resting[0]; lane && lane.freeAtMs <= nowMs(); lane = resting[0]) {
      resting.shift();
      if (lane.queue.length > 0) ready.push(lane);
      else lanes.delete(lane.channel);
    }
  }

  return {
    wake,
    enqueue(channel: string, go: () => void): void {
      wake();
      let lane = lanes.get(channel);
      if (!lane) {
        lane = { channel, queue: [], freeAtMs: 0 };
        lanes.set(channel, lane);
        ready.push(lane);
      }
      lane.queue.push(go);
    },
    takeReady: (): Lane | undefined => ready.shift(),
    putBack: (lane: Lane): void => void ready.unshift(lane),
    rest(lane: Lane, ms: number): void {
      lane.freeAtMs = nowMs() + ms;
      const next = resting.findIndex(({ freeAtMs }) => freeAtMs > lane.freeAtMs);
      resting.splice(next === -1 ? resting.length : next, 0, lane);
    },
    hasWaiting: (): boolean => ready.length > 0 || resting.some(({ queue }) => queue.length > 0),
    nextReadyMs: (): number => (ready.length > 0 ? 0 : (resting[0]?.freeAtMs ?? 0)),
  };
}
