/**
 * A third generator of labelled weeks, which draws nothing as the other two do: twenty kinds of sites with rhythms,
 * noise, bursts, scans and crowds of their own, each in a circumstance such as a holiday or a release. An event could
 * be seen in a window if that has more (of a drop: less) than nearly all windows at that time of the week in 48 weeks
 * that the same site might have had without events, and if this is mostly due to the event.
 */
import { type LabelledStream, RARE, type StreamEvent, whenSeen } from '../../streams.ts';
import { WEEK } from '../world.ts';
import { type AddedEvent, addEvent, meaningful } from './add-events.ts';
import { ARCHETYPES, type Archetype, CATEGORIES } from './archetypes.ts';
import { drawCircumstance, newDeck } from './circumstances.ts';
import { add, type Column, columnOf, HISTORY, MINUTE_MS, MINUTES, type Span, sumOf, totalOf } from './columns.ts';
import { type PlannedEvent, planEvents } from './events.ts';
import { endsSeen, type Weeks } from './labels.ts';
import { createNorm, type Norm } from './norm.ts';
import { drawStranger, simulate } from './normal-traffic.ts';
import { addOutages, addPastAttacks, drawGaps, lump } from './past.ts';
import { Random } from './random.ts';
import { drawSite, type Site } from './site.ts';

/** Each week is of another site. */
export function* thirdWeeks(seed: number, count: number): Generator<LabelledStream> {
  const random = new Random(`g3/${seed}/decks`);
  let archetypes: Archetype[] = [];
  let circumstances: string[] = [];
  for (let index = 0; index < count; index++) {
    if (archetypes.length === 0) archetypes = random.shuffled(ARCHETYPES);
    if (circumstances.length < 2) circumstances = [...newDeck(random), ...circumstances];
    const archetype = archetypes.pop();
    if (archetype === undefined) return;
    yield weekOf(seed, index, archetype, drawCircumstance(random, circumstances, archetype));
  }
}

function weekOf(seed: number, index: number, archetype: Archetype, wanted: string): LabelledStream {
  const randomFor = (what: string): Random => new Random(`g3/${seed}/${index}/${what}`);
  const site = drawSite(randomFor('site'), archetype, wanted);
  const traffic = simulate(randomFor('actual'), site, {
    from: 0,
    to: MINUTES,
    lookedAt: null,
    strangersUntil: HISTORY,
  });
  const { categories, requests } = traffic;
  const planning = randomFor('plan');
  addOutages(planning, site, traffic);
  addPastAttacks(planning, site, traffic);
  const gaps = drawGaps(planning, site);
  const planned = planEvents(planning, site, traffic.crowds, gaps);
  const norm = normOf(randomFor('sims'), site, planned);
  const { fresh, strange } = addStrangers(randomFor('strange'), site, traffic, planned, gaps);
  const without = copyOf(categories, requests);
  const random = randomFor('events');
  const added = planned.map((event) =>
    addEvent(meaningful(event, norm), { random, site, norm, fresh, categories, requests }),
  );
  const weeks = { categories, requests, attacks: totalOf(categories, MINUTES) };
  const events = added.map((event) => {
    const [ends, clear] = [1, RARE].map((times) => endsSeen(event, site, norm, weeks, without, times));
    return labelled(random, event, site, ends, clear);
  });
  if (site.circumstance === 'lumpy') lump(random, site.bornAt, traffic);
  const msAt = (minute: number): number => site.startMs + minute * MINUTE_MS;
  return {
    id: `third-${seed}-${index}`,
    site: archetype.name,
    circumstance: site.circumstance,
    zone: site.zone,
    numbers: recorded(site, categories, requests, gaps),
    fromMs: msAt(HISTORY),
    toMs: msAt(MINUTES),
    events,
    strange: strange.map(([from, to]) => [msAt(from), msAt(to)]),
  };
}

const POSSIBLE_WEEKS = 48;

/** Only what is near an event is simulated in full. */
function normOf(random: Random, site: Site, events: readonly PlannedEvent[]): Norm {
  const lookedAt = new Uint8Array(WEEK);
  for (const { from, to } of events) lookedAt.fill(1, from - 135, to + 75);
  const stretch = { from: HISTORY, to: MINUTES, lookedAt, strangersUntil: MINUTES };
  return createNorm(Array.from({ length: POSSIBLE_WEEKS }, () => simulate(random, site, stretch)));
}

function copyOf(categories: ReadonlyMap<string, Column>, requests: Column): Weeks {
  return {
    categories: new Map([...categories].map(([name, column]) => [name, column.slice()])),
    requests: requests.slice(),
    attacks: totalOf(categories, MINUTES),
  };
}

/** In four weeks; with more, a category isn't new. */
const HARDLY_SEEN = 12;
const MOST_TRIES = 200;

/** Scanners of categories that the site hardly has, away from events, and a category that is left for an event. */
function addStrangers(
  random: Random,
  site: Site,
  { categories, requests }: Pick<Weeks, 'categories' | 'requests'>,
  events: readonly PlannedEvent[],
  gaps: readonly Span[],
): { fresh: string; strange: Span[] } {
  const shuffled = random.shuffled(site.strange);
  const pastOf = (category: string): number => sumOf(categories.get(category)?.subarray(0, HISTORY) ?? []);
  const unseen = shuffled.filter((category) => pastOf(category) < HARDLY_SEEN);
  const fresh = unseen[0] ?? shuffled[0];
  if (fresh === undefined) throw new Error('the site has every category');
  const isSpecial = site.circumstance === 'strange';
  const count = isSpecial ? random.whole(2, 5) : random.chance(0.35) ? random.whole(1, 2) : 0;
  const others = unseen.filter((category) => category !== fresh || random.chance(0.1));
  const strange: Span[] = [];
  for (let tries = 0; strange.length < count && others.length > 0 && tries < MOST_TRIES; tries++) {
    const at = random.whole(0, WEEK - 60);
    const isFree =
      events.every(({ from, to }) => at + 130 <= from || at - 90 >= to) &&
      gaps.every(([from, to]) => at + 40 < from - HISTORY || at - 5 > to - HISTORY);
    if (!isFree) continue;
    const column = columnOf(categories, random.pick(others), MINUTES);
    const minutes = drawStranger(random, site, HISTORY + at);
    for (const minute of minutes) {
      add(column, minute, 1);
      add(requests, minute, 1);
    }
    strange.push([Math.min(...minutes), Math.max(...minutes) + 1]);
  }
  return { fresh, strange };
}

function labelled(
  random: Random,
  event: AddedEvent,
  { startMs }: Site,
  ends: readonly number[] = [],
  [clear]: readonly number[] = [],
): StreamEvent {
  const msAt = (minute: number): number => startMs + (HISTORY + minute) * MINUTE_MS;
  return {
    kind: event.kind,
    fromMs: msAt(event.from),
    toMs: msAt(event.to),
    ...whenSeen(ends, clear, (all) => random.pick(all), msAt),
    level: null,
    main: event.main,
  };
}

function recorded(
  { startMs, bornAt }: Site,
  categories: ReadonlyMap<string, Column>,
  requests: Column,
  gaps: readonly Span[],
): LabelledStream['numbers'] {
  const isMissing = new Uint8Array(MINUTES).fill(1, 0, bornAt);
  for (const [from, to] of gaps) isMissing.fill(1, from, to);
  const known = (countAt: (minute: number) => number): (number | null)[] =>
    Array.from(isMissing, (missing, at) => (missing === 1 ? null : countAt(at)));
  const attacks = totalOf(categories, MINUTES);
  const columnAt = (name: string) => (at: number) => categories.get(name)?.[at] ?? 0;
  return {
    startMs,
    intervalMs: MINUTE_MS,
    requests: known((at) => Math.max(requests[at] ?? 0, attacks[at] ?? 0)),
    attacks: known((at) => attacks[at] ?? 0),
    categories: Object.fromEntries(CATEGORIES.map((name) => [name, known(columnAt(name))])),
  };
}
