/** The two generators of traffic: made in different ways, so that a rule can't fit one alone. */
import { drawEvent, type EventKind, type TrafficEvent } from './events.ts';
import type { Random } from './random.ts';
import { createSecondWorld, drawSecondEvent, secondSite } from './second.ts';
import { SITES, type Site } from './sites.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

export interface TrafficGenerator {
  readonly name: 'first' | 'second';
  siteAt(random: Random, index: number): Site;
  createWorld(options: WorldOptions): World;
  drawEvent(random: Random, world: World, kind: EventKind, from: number, other?: string): TrafficEvent;
}

export const FIRST: TrafficGenerator = {
  name: 'first',
  siteAt: (random, index) => SITES[index % SITES.length] ?? random.pick(SITES),
  createWorld,
  drawEvent,
};

export const SECOND: TrafficGenerator = {
  name: 'second',
  siteAt: secondSite,
  createWorld: createSecondWorld,
  drawEvent: drawSecondEvent,
};

export const GENERATORS: readonly TrafficGenerator[] = [FIRST, SECOND];
