/** What happened before the watched week and has no label, and where numbers are missing. */
import { DAY, WEEK } from '../world.ts';
import { CATEGORIES } from './archetypes.ts';
import { add, type Column, columnOf, HISTORY, MINUTES, type Span } from './columns.ts';
import { drawLength, drawShape, type Kind } from './events.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';

interface Columns {
  readonly categories: Map<string, Column>;
  readonly requests: Column;
}

export function addOutages(random: Random, { circumstance, bornAt }: Site, columns: Columns): void {
  const isSpecial = circumstance === 'past outage';
  if (!isSpecial && !random.chance(0.1)) return;
  const count = isSpecial ? random.whole(1, 4) : 1;
  for (let outage = 0; outage < count; outage++) {
    const from = random.whole(bornAt, HISTORY - 400);
    const to = Math.min(HISTORY - 60, from + Math.round(random.logBetween(20, 900)));
    const kept = random.pick([0, 0.02, random.between(0.2, 0.6)]);
    const keptVisitors = random.chance(0.7) ? kept : 1;
    for (let at = from; at < to; at++) thin(random, columns, at, kept, keptVisitors);
  }
}

function thin(random: Random, { categories, requests }: Columns, at: number, kept: number, keptVisitors: number): void {
  let before = 0;
  let left = 0;
  for (const category of CATEGORIES) {
    const column = categories.get(category);
    if (column === undefined) continue;
    const count = column[at] ?? 0;
    const leftOfIt = random.binomial(count, kept);
    column[at] = leftOfIt;
    before += count;
    left += leftOfIt;
  }
  requests[at] = left + random.binomial((requests[at] ?? 0) - before, keptVisitors);
}

const PAST_KINDS: readonly Kind[] = ['flood', 'ramp', 'wave', 'category wave', 'slow burn', 'flood'];

export function addPastAttacks(random: Random, site: Site, columns: Columns): void {
  const isSpecial = site.circumstance === 'past attacks';
  const count = isSpecial ? random.whole(3, 7) : random.chance(0.45) ? random.whole(1, 2) : 0;
  if (HISTORY - site.bornAt <= 2 * DAY) return;
  for (let attack = 0; attack < count; attack++) addPastAttack(random, site, columns);
}

function addPastAttack(random: Random, site: Site, { categories, requests }: Columns): void {
  const kind = random.pick(PAST_KINDS);
  const length = drawLength(random, kind);
  const from = random.whole(site.bornAt, HISTORY - length - 60);
  const shape = drawShape(random, kind, length);
  const multiple = kind === 'slow burn' ? random.between(0.4, 2) : random.logBetween(0.5, 20);
  const perHour = site.attacks * 60 * multiple;
  const usual = random.shuffled(site.categories.filter(({ isRare }) => !isRare));
  const attacked = usual.slice(0, random.whole(1, 3));
  const companions = random.pick([0, 0, random.between(0, 3)]);
  shape.forEach((part, at) => {
    for (const { name } of attacked) {
      const count = random.poisson((perHour * part) / attacked.length);
      add(columnOf(categories, name, MINUTES), from + at, count);
      add(requests, from + at, count + random.poisson(count * companions));
    }
  });
}

export function drawGaps(random: Random, { circumstance, bornAt }: Site): Span[] {
  if (circumstance === 'gaps') return drawManyGaps(random, bornAt);
  if (!random.chance(0.35)) return [];
  return Array.from({ length: random.whole(1, 5) }, (): Span => {
    const from = random.whole(bornAt, MINUTES - 60);
    const to = from + random.whole(1, 12);
    return [from, from < HISTORY ? Math.min(to, HISTORY) : to];
  });
}

function drawManyGaps(random: Random, bornAt: number): Span[] {
  const before = Array.from({ length: random.whole(3, 20) }, (): Span => {
    const from = random.whole(bornAt, HISTORY - 700);
    return [from, from + Math.round(random.logBetween(1, 600))];
  });
  const long: Span[] = [];
  if (random.chance(0.5)) {
    const from = random.whole(bornAt, Math.max(bornAt + 1, HISTORY - 3 * DAY));
    long.push([from, from + Math.round(random.between(0.3, 2.2) * DAY)]);
  }
  const watched = Array.from({ length: random.whole(1, 4) }, (): Span => {
    const from = HISTORY + random.whole(0, WEEK - 400);
    return [from, from + Math.round(random.logBetween(1, 240))];
  });
  return [...before, ...long, ...watched];
}

/** For some hours, the service tells the numbers of several minutes at once. */
export function lump(random: Random, bornAt: number, { categories, requests }: Columns): void {
  const count = random.whole(3, 9);
  for (let time = 0; time < count; time++) {
    const from = random.whole(bornAt, MINUTES - 600);
    const to = from + random.whole(60, 500);
    const size = random.whole(2, 4);
    for (const column of [...categories.values(), requests]) {
      for (let at = from; at + size <= to; at += size) {
        const sum = column.subarray(at, at + size).reduce((all, one) => all + one, 0);
        column.fill(0, at, at + size);
        column[at + size - 1] = sum;
      }
    }
  }
}
