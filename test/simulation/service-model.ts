/**
 * The statistics service in memory, in place of its HTTP peer: right answers from a traffic model, and answers that are late,
 * fail, are cut off or are for another window. Its clock is that of the bot's machines, so that there are numbers for whatever the
 * bot takes for the past. Requests, retries, circuit breaker, dialect and caches on top are the real ones.
 */
import { DEFAULT_HOSTS } from '../../playground/service/hosts.ts';
import {
  distribution,
  loggedBetween,
  offsetMs,
  type Point,
  timeline,
  type Window,
} from '../../playground/service/statistics.ts';
import type { TrafficModel } from '../../playground/service/traffic.ts';
import type { Wave } from '../../playground/service/waves.ts';
import { HOUR_MS } from '../../src/time-units.ts';
import type { HttpReply } from '../../src/waf/client/failure.ts';
import { ServiceFailure, timedOut } from '../../src/waf/client/failure.ts';
import type { Peer } from '../../src/waf/client/http.ts';
import type { Life, World } from './world.ts';

interface ServiceWeather {
  slowMs: number;
  /** The share of calls that get a 500. */
  errors: number;
  /** The share of calls that are never answered. */
  silences: number;
  /** The share of timelines that are for another window. */
  wrongWindows: number;
  away: boolean;
  /** The same for as long as a history plans it, whatever else changes. */
  blackout: boolean;
}

export interface ServiceModel {
  readonly weather: ServiceWeather;
  peerOf(life: Life): Peer;
  /** What really happened in a window, or what was logged of it at a moment. */
  truth(fromMs: number, toMs: number, atMs?: number): { readonly requests: number; readonly attacks: number };
}

export interface ServiceModelOptions {
  /** A broken seam: the numbers of an hour earlier, under the times that were asked for. */
  readonly mislabels?: boolean;
}

/** One site, and the same traffic in each history, so that most of it is drawn once. */
const SITE = { seed: 11, hosts: DEFAULT_HOSTS.slice(0, 1), seededWaves: false } as const;

export function createServiceModel(
  world: World,
  waves: readonly Wave[],
  { mislabels = false }: ServiceModelOptions = {},
): ServiceModel {
  const model: TrafficModel = { ...SITE, waves };
  const weather: ServiceWeather = {
    slowMs: 150,
    errors: 0,
    silences: 0,
    wrongWindows: 0,
    away: false,
    blackout: false,
  };
  const { chance } = world;

  function answer(path: string): unknown {
    const { pathname, searchParams } = new URL(path, 'http://service');
    const window: Window = {
      fromMs: Number(searchParams.get('from')),
      toMs: Number(searchParams.get('to')),
      hosts: searchParams.getAll('hosts'),
    };
    const isTimeline = pathname.endsWith('/timeline');
    if (!isTimeline) return distribution(model, window, world.wallMs());
    const shiftMs = offsetMs(searchParams.get('timezone') ?? '') ?? 0;
    if (mislabels) return mislabeled(model, window, shiftMs, world.wallMs());
    if (!chance.happens(weather.wrongWindows)) return timeline(model, window, shiftMs, world.wallMs());
    world.fault('service: wrong window');
    const awayMs = (window.toMs - window.fromMs + HOUR_MS) * chance.pick([-1, 1]);
    const other = { ...window, fromMs: window.fromMs + awayMs, toMs: window.toMs + awayMs };
    return timeline(model, other, shiftMs, Math.max(world.wallMs(), other.toMs + HOUR_MS));
  }

  function send(life: Life, path: string, timeoutMs: number): Promise<HttpReply> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpReply>();
    const ms = chance.between(5, weather.slowMs);
    const isSilent = chance.happens(weather.silences);
    world.stall(life);
    if (isSilent || ms >= timeoutMs) {
      world.fault('service: no answer in time');
      world.after(timeoutMs, life, () => reject(timedOut('statistics', timeoutMs)));
      return promise;
    }
    world.after(ms, life, () => {
      const isFailing = weather.away || weather.blackout || chance.happens(weather.errors);
      if (!isFailing) return resolve({ status: 200, headers: new Headers(), body: JSON.stringify(answer(path)) });
      world.fault('service: server error');
      const facts = { service: 'statistics', status: 500, retry: true, outage: true } as const;
      return reject(new ServiceFailure('upstream_unavailable', 'The statistics service failed.', facts));
    });
    return promise;
  }

  return {
    weather,
    peerOf: (life) => ({
      send: (path, { timeoutMs }) => send(life, path, timeoutMs),
      reach: (options) => send(life, '/', options.timeoutMs),
    }),
    truth(fromMs, toMs, atMs = toMs + HOUR_MS) {
      const [requests = 0, ...attacks] = loggedBetween(model, { fromMs, toMs, hosts: [] }, atMs);
      return { requests, attacks: attacks.reduce((sum, count) => sum + count, 0) };
    },
  };
}

function mislabeled(model: TrafficModel, window: Window, shiftMs: number, nowMs: number) {
  const earlier = { ...window, fromMs: window.fromMs - HOUR_MS, toMs: window.toMs - HOUR_MS };
  const { requests, attacks } = timeline(model, earlier, shiftMs, nowMs);
  const moved = ({ time, num }: Point): Point => ({ time: time + HOUR_MS, num });
  return { requests: requests.map(moved), attacks: attacks.map(moved) };
}
