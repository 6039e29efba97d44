/** What is special about a site in its five weeks. */
import type { Archetype } from './archetypes.ts';
import type { Random } from './random.ts';

/** How many of each are in a deck. */
const DECK = {
  ordinary: 4,
  crowd: 2,
  'sale days': 1,
  holiday: 2,
  dst: 2,
  gaps: 2,
  young: 2,
  release: 2,
  'new normal': 1,
  rules: 2,
  renamed: 1,
  trend: 2,
  'past outage': 2,
  'past attacks': 3,
  strange: 2,
  'scan moved': 2,
  'monthly scan': 1,
  lumpy: 1,
  afterglow: 1,
  'botnet gone': 1,
  clipped: 1,
};

/** Only at sites of this kind. */
const SPECIAL: Readonly<Record<string, string>> = {
  bank: 'month end',
  'gov-forms': 'ramadan',
  'portal-blocklist': 'makeup day',
  'school-portal': 'school holiday',
  'tiny-blog': 'linked post',
};

export const newDeck = (random: Random): string[] =>
  random.shuffled(Object.entries(DECK).flatMap(([name, count]) => Array.from({ length: count }, () => name)));

export function drawCircumstance(random: Random, deck: string[], { name }: Archetype): string {
  const special = SPECIAL[name];
  if (special !== undefined && random.chance(0.25)) return special;
  return deck.pop() ?? 'ordinary';
}
