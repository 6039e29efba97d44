/** How rarely a site itself produces as much as an event adds: the benchmark's measure of what could be seen. */
import { addedAt, type TrafficEvent } from '../traffic/events.ts';
import type { Column, World } from '../traffic/world.ts';

/** Once in so many of the site's own stretches of the same length, among all attacks and among those of the main category. */
export interface Rarity {
  readonly total: number;
  readonly category: number;
}

/** An event that adds fewer attacks can't be told from chance, however quiet its category is. */
const MIN_ADDED = 10;
/** Stretches are compared if about as much is usual in them. */
const ALIKE = 1.5;

export function rarityIn(event: TrafficEvent, world: World, attacks: Column, from: number, to: number): Rarity | null {
  if (event.ratio < 1) return null;
  let added = 0;
  for (let at = from; at < to; at++) added += addedAt(event, world, at);
  const category =
    event.main === null ? undefined : (world.categories.get(event.main) ?? new Int32Array(world.minutes));
  return {
    total: oneIn(world, attacks, { from, to, added }),
    category: category === undefined ? 1 : oneIn(world, category, { from, to, added }),
  };
}

/** The rarest hour of an event. */
export function rarestHour(event: TrafficEvent, world: World, attacks: Column): Rarity | null {
  if (event.ratio < 1) return null;
  let rarest: Rarity = { total: 1, category: 1 };
  for (let from = event.from; from === event.from || from + 60 <= event.to; from += 30) {
    const { total, category } = rarityIn(event, world, attacks, from, from + 60) ?? rarest;
    rarest = { total: Math.max(total, rarest.total), category: Math.max(category, rarest.category) };
  }
  return rarest;
}

interface Addition {
  readonly from: number;
  readonly to: number;
  readonly added: number;
}

/** Scheduled scans are left out: they come when they are due, so nobody has to take them for an event or an event for them. */
function oneIn(world: World, own: Column, { from, to, added }: Addition): number {
  const { usual, scanned, bornAt = 0 } = world;
  if (added < MIN_ADDED) return 1;
  const length = to - from;
  const expected = sum(usual, from, to);
  const share = sum(own, bornAt, own.length) / sum(usual, bornAt, usual.length);
  let alike = 0;
  let exceeding = 0;
  for (let start = bornAt; start + length <= own.length; start += Math.ceil(length / 2)) {
    const level = sum(usual, start, start + length);
    if (level > expected * ALIKE || level < expected / ALIKE) continue;
    if (scanned.some(([first, last]) => first < start + length && last > start)) continue;
    alike += 1;
    if ((sum(own, start, start + length) - share * level) / level >= added / expected) exceeding += 1;
  }
  return (alike + 1) / (exceeding + 1);
}

function sum(column: ArrayLike<number>, from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at++) total += column[at] ?? 0;
  return total;
}
