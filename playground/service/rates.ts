/** Expected rates at a minute: a daily and a weekly rhythm with slow random variation. */

import type { TrafficHost } from './hosts.ts';
import { wander } from './random.ts';

const HOUR = 60;
const DAY = 1440;

/** The rhythm of a host: 1 on an average hour of a working day. */
export function rhythm(host: TrafficHost, minute: number): number {
  const hour = (minute / HOUR) % 24;
  const phase = ((hour - host.peakHour) / 24) * 2 * Math.PI;
  const daily = 1 + host.swing * (0.75 * Math.cos(phase) + 0.2 * Math.cos(2 * phase));
  // Day 0 of the epoch was a Thursday; the weekend fades in and out over the hours around midnight.
  const weekday = (minute / DAY + 3) % 7;
  const edge = Math.min(Math.abs(weekday - 5), Math.abs(weekday - 7), Math.abs(weekday)) * 24;
  const inside = weekday >= 5 ? 0.5 + Math.min(0.5, edge / 8) : 0.5 - Math.min(0.5, edge / 8);
  return daily * (1 + (host.weekend - 1) * inside);
}

export function visitRate(host: TrafficHost, key: number, minute: number): number {
  const day = wander(minute, 2 * DAY, key, 1) * 0.05;
  const hours = wander(minute, 3 * HOUR, key, 2) * 0.06;
  return host.visitsPerMinute * rhythm(host, minute) * Math.exp(day + hours);
}

/** Attacks follow the daily rhythm less than visits do, and each category varies independently. */
export function attackRate(host: TrafficHost, key: number, column: number, base: number, minute: number): number {
  const variation = wander(minute, 4 * HOUR, key, 10 + column) * 0.25;
  return base * (0.75 + 0.25 * rhythm(host, minute)) * Math.exp(variation);
}
