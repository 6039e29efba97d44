/** The events of a watched week: their kinds, lengths and shapes, and when they happen. */
import type { StreamEvent } from '../../streams.ts';
import { DAY, WEEK } from '../world.ts';
import { dayOf, weekdayOf } from './calendar.ts';
import { HISTORY, type Span } from './columns.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';

export type Kind = StreamEvent['kind'];

/** In minutes of the watched week. */
export interface PlannedEvent {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
}

const KINDS: readonly Kind[] = [
  'flood',
  'ramp',
  'wave',
  'category wave',
  'slow burn',
  'takeover',
  'new category',
  'attacks gone',
  'visitors gone',
];

/** Where none of the others has found a place. */
const MORE_KINDS: readonly Kind[] = ['flood', 'ramp', 'category wave', 'takeover', 'new category', 'visitors gone'];

export function drawLength(random: Random, kind: Kind): number {
  switch (kind) {
    case 'flood':
      return Math.round(random.logBetween(5, 240));
    case 'ramp':
      return random.whole(30, 180);
    case 'wave':
      return Math.round(random.logBetween(50, 300));
    case 'category wave':
      return Math.round(random.logBetween(20, 300));
    case 'slow burn':
      return Math.round(random.logBetween(180, 720));
    case 'takeover':
      return Math.round(random.logBetween(40, 360));
    case 'new category':
      return Math.round(random.logBetween(25, 360));
    default:
      return Math.round(random.logBetween(20, 180));
  }
}

/** The parts of a rise by minute; those of its strongest hour are 1 together. */
export function drawShape(random: Random, kind: Kind, length: number): Float64Array {
  const heightAt = drawHeights(random, kind, length);
  const heights = new Float64Array(length).map((_, at) => heightAt(at));
  let hour = 0;
  let strongest = 0;
  heights.forEach((height, at) => {
    hour += height;
    if (at >= 60) hour -= heights[at - 60] ?? 0;
    strongest = Math.max(strongest, hour);
  });
  return heights.map((height) => height / (strongest || 1));
}

function drawHeights(random: Random, kind: Kind, length: number): (minute: number) => number {
  if (kind === 'ramp') {
    const top = random.between(0.25, 0.8);
    const bend = random.between(0.8, 2);
    return (minute) => {
      const part = (minute + 0.5) / length;
      return (part < top ? part / top : (1 - part) / (1 - top)) ** bend;
    };
  }
  if (kind === 'wave') {
    const period = random.logBetween(6, 45);
    const busyPart = random.between(0.2, 0.6);
    const isSoft = random.chance(0.4);
    return (minute) => {
      const part = (minute % period) / period;
      return isSoft ? Math.sin(Math.PI * part) ** 2 : part < busyPart ? 1 : 0.02;
    };
  }
  if (kind === 'category wave') {
    const rise = random.between(0.03, 0.35) * length;
    return (minute) => Math.min(1, (minute + 1) / rise, (length - minute) / rise);
  }
  if (kind === 'flood' && random.chance(0.35)) {
    const pace = length / random.between(0.8, 2.5);
    return (minute) => Math.exp(-minute / pace);
  }
  return () => 1;
}

/** Minutes of the watched week that events keep away from, and how far. */
interface Kept {
  readonly span: Span;
  readonly margin: number;
}

/** Scans, crowds, maintenance and gaps, all in minutes of the five weeks. */
function keptFree(site: Site, chanceCrowds: readonly Span[], gaps: readonly Span[]): Kept[] {
  const scans = site.scans.flatMap(({ times, jitter, length }) =>
    times.map((at): Span => [at - jitter, at + jitter + length]),
  );
  const crowds = site.crowds.flatMap(({ at, jitter, rise, hold, fall }): Span[] => {
    const falls = at + rise + hold;
    if (!site.areCrowdsLong) return [[at - jitter, falls + jitter + fall]];
    // Of a crowd that stays for days, only from its rise and its fall.
    return [
      [at, at + rise + 30],
      [falls, falls + Math.min(fall, 600)],
    ];
  });
  const withMargin = (spans: readonly Span[], margin: number): Kept[] =>
    spans.map(([from, to]) => ({ span: [from - HISTORY, to - HISTORY], margin }));
  return [
    ...withMargin(scans, 60),
    ...withMargin([...crowds, ...chanceCrowds], 65),
    ...withMargin(site.maintenance, 75),
    ...withMargin(gaps, 90),
  ];
}

/** From the start and the end of the week. */
const EDGE = 180;
const APART = 300;
const MOST_KINDS = 60;
const MOST_PLACES = 80;

/** Three to five, each of another kind if they find a place. */
export function planEvents(
  random: Random,
  site: Site,
  chanceCrowds: readonly Span[],
  gaps: readonly Span[],
): PlannedEvent[] {
  const kept = keptFree(site, chanceCrowds, gaps);
  const events: PlannedEvent[] = [];
  const count = random.whole(3, 5);
  const kinds = random.shuffled(KINDS);
  for (let tries = 0; events.length < count && tries < MOST_KINDS; tries++) {
    const kind = kinds[tries] ?? random.pick(MORE_KINDS);
    // Where there is hardly an attack, nobody can see that they are gone.
    if (kind === 'attacks gone' && site.attacks * 60 <= 30 && !random.chance(0.2)) continue;
    const apart = tries > 20 ? APART - 60 : APART;
    const taken = [...kept, ...events.map(({ from, to }): Kept => ({ span: [from, to], margin: apart }))];
    const event = placeEvent(random, site, kind, taken);
    if (event !== null) events.push(event);
  }
  return events.sort((a, b) => a.from - b.from);
}

function placeEvent(random: Random, site: Site, kind: Kind, taken: readonly Kept[]): PlannedEvent | null {
  for (let tries = 0; tries < MOST_PLACES; tries++) {
    const length = drawLength(random, kind);
    const from = random.whole(EDGE, WEEK - EDGE - length);
    const to = from + length;
    // Attackers like nights and weekends.
    if (tries < MOST_PLACES / 2 && random.chance(0.3) && !isQuietTime(site.clock[HISTORY + from] ?? 0)) continue;
    if (taken.every(({ span, margin }) => to + margin <= span[0] || from - margin >= span[1]))
      return { kind, from, to };
  }
  return null;
}

function isQuietTime(minute: number): boolean {
  const hour = (minute % DAY) / 60;
  return hour < 6 || hour > 22 || [0, 6].includes(weekdayOf(dayOf(minute)));
}
