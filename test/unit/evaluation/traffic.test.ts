/** The traffic that the verdict is measured on strays like real traffic does, and its labels are true by construction. */
import { describe, expect, it } from 'vitest';
import { addedAt, drawEvent, isDetectable, withEvents } from '../../evaluation/traffic/events.ts';
import { FIRST, GENERATORS, SECOND } from '../../evaluation/traffic/generators.ts';
import { createRandom } from '../../evaluation/traffic/random.ts';
import { SITES } from '../../evaluation/traffic/sites.ts';
import { farStepsPerThousand, inSteps } from '../../evaluation/traffic/tail.ts';
import { attacksOf, createWorld, DAY, recorded, WEEK } from '../../evaluation/traffic/world.ts';

const startMs = Date.UTC(2026, 3, 27);
const worldOf = (name: string, more: object = {}) => {
  const site = SITES.find((each) => each.name === name);
  if (site === undefined) throw new Error(`no site ${name}`);
  return createWorld({ seed: 77, site, zone: 'Europe/Berlin', startMs, minutes: 2 * WEEK, ...more });
};
const total = (counts: ArrayLike<number>, from = 0, to = counts.length): number =>
  Array.from(counts)
    .slice(from, to)
    .reduce((sum, count) => sum + count, 0);

describe('the tail', () => {
  // With fewer attacks a robust deviation says nothing: most steps are empty.
  const bursty = SITES.filter((site) => site.bursty && site.attacks >= 1);
  it.each(bursty.map(({ name }) => name))('of %s is as heavy as that of real series', (name) => {
    const far = farStepsPerThousand(inSteps(attacksOf(worldOf(name, { sessions: 0.6 }))));
    expect(far).toBeGreaterThanOrEqual(4);
    expect(far).toBeLessThanOrEqual(45);
  });

  it('of counts that only count is thin', () => {
    const random = createRandom(5);
    expect(farStepsPerThousand(Array.from({ length: 4000 }, () => random.poisson(50)))).toBeLessThan(1);
  });
});

describe('a world', () => {
  it('is the same for the same seed, and has about the attacks that it is said to have', () => {
    const world = worldOf('shop');
    expect(attacksOf(worldOf('shop'))).toEqual(attacksOf(world));
    expect(total(attacksOf(world)) / total(world.usual)).toBeGreaterThan(0.85);
    expect(total(attacksOf(world)) / total(world.usual)).toBeLessThan(1.15);
  });

  it('is scanned every night at about the same time, or not at all', () => {
    const world = worldOf('shop', { scans: 'nightly' });
    expect(world.scanned.length).toBeGreaterThanOrEqual(12);
    const starts = world.scanned.map(([from]) => from % DAY);
    const middle = starts.toSorted((a, b) => a - b)[Math.floor(starts.length / 2)] ?? 0;
    expect(starts.every((start) => Math.abs(start - middle) < 45)).toBe(true);
    expect(worldOf('shop').scanned).toEqual([]);
  });

  it('is zero before it is born, and missing where the data has a hole', () => {
    const world = worldOf('forum', { bornAt: WEEK });
    expect(total(attacksOf(world), 0, WEEK) + total(world.visitors, 0, WEEK)).toBe(0);
    expect(total(world.visitors, WEEK)).toBeGreaterThan(0);
    const { attacks, requests, categories } = recorded(world, WEEK - 10, WEEK + 10, [[WEEK, WEEK + 5]]);
    expect(attacks.slice(9, 15)).toEqual([0, null, null, null, null, null]);
    expect([requests, ...Object.values(categories ?? {})].every((column) => column[12] === null)).toBe(true);
  });
});

describe('the second generator', () => {
  const worldAt = (index: number, minutes: number) => {
    const site = SECOND.siteAt(createRandom(3, index), index);
    return SECOND.createWorld({ seed: index, site, zone: 'UTC', startMs, minutes });
  };

  it('has sites from 20 to 100,000 attacks a day', () => {
    const perDay = Array.from({ length: 20 }, (_, index) => SECOND.siteAt(createRandom(3, index), index).attacks * DAY);
    expect(Math.min(...perDay)).toBeCloseTo(20);
    expect(Math.max(...perDay)).toBeCloseTo(100_000);
  });

  it('has about the attacks that it is said to have, the same for the same seed', () => {
    const shares = [3, 8, 11, 14].map((index) => {
      const world = worldAt(index, 2 * WEEK);
      expect(attacksOf(worldAt(index, 2 * WEEK))).toEqual(attacksOf(world));
      return total(attacksOf(world)) / total(world.usual);
    });
    expect(shares.every((share) => share > 0.7 && share < 1.4)).toBe(true);
  });
});

it.each(GENERATORS)('the $name generator sends a scanner of a kind never seen about once a month', (generator) => {
  const counts = Array.from({ length: 12 }, (_, index) => {
    const site = generator.siteAt(createRandom(4, index), index);
    const minutes = 5 * WEEK;
    return generator.createWorld({ seed: 40 + index, site, zone: 'UTC', startMs, minutes }).strange.length;
  });
  expect(total(counts)).toBeGreaterThanOrEqual(5);
  expect(total(counts)).toBeLessThanOrEqual(25);
});

describe('a mix', () => {
  const world = worldOf('project');
  const at = WEEK + 300;
  const event = (kind: 'takeover' | 'new category') => ({
    ...FIRST.drawEvent(createRandom(12), world, kind, at),
    to: at + 60,
    share: 0.8,
  });

  it.each(['takeover', 'new category'] as const)('(%s) leaves the total as it is', (kind) => {
    const mix = event(kind);
    const changed = withEvents(world, 1, [mix]);
    expect(attacksOf(changed)).toEqual(attacksOf(world));
    const own = total(changed.categories.get(mix.main ?? '') ?? [], at, at + 60);
    expect(own / total(attacksOf(world), at, at + 60)).toBeGreaterThan(0.7);
    expect(world.categories.has(mix.main ?? '')).toBe(kind === 'takeover');
  });

  it('is detectable if no category of the site does that by itself', () => {
    const mix = event('new category');
    const seen = (share: number): boolean => isDetectable({ ...mix, share }, world, attacksOf(world), at - 20, at + 60);
    expect([0.001, 0.5, 0.9].map(seen)).toEqual([false, true, true]);
  });
});

describe('an event', () => {
  const world = worldOf('project');
  const background = attacksOf(world);
  const random = createRandom(9);
  const at = WEEK + 300;

  it('adds what it is said to add, in its minutes and nowhere else', () => {
    const event = { ...drawEvent(random, world, 'flood', at), ratio: 4 };
    const changed = attacksOf(withEvents(world, 1, [event]));
    const added = Array.from(changed, (count, minute) => count - (background[minute] ?? 0));
    const expected = Array.from(added, (_, minute) => addedAt(event, world, minute));
    expect(total(added, event.from, event.to) / total(expected)).toBeGreaterThan(0.85);
    expect(total(added, event.from, event.to) / total(expected)).toBeLessThan(1.15);
    expect(total(added)).toBe(total(added, event.from, event.to));
  });

  it('is detectable where it stands out of what the site does by itself', () => {
    const event = { ...drawEvent(random, world, 'step', at), to: at + 40 };
    const seen = (ratio: number): boolean => isDetectable({ ...event, ratio }, world, background, at - 20, at + 40);
    expect([1.1, 1.3, 4, 10].map(seen)).toEqual([false, false, true, true]);
    expect(isDetectable({ ...event, ratio: 10 }, world, background, at - 60, at + 3)).toBe(false);
  });

  it('may take the attacks away, or the visitors with them', () => {
    for (const kind of ['attacks gone', 'visitors gone'] as const) {
      const event = drawEvent(random, world, kind, at);
      const changed = withEvents(world, 1, [event]);
      expect(total(attacksOf(changed), event.from, event.to)).toBeLessThan(
        0.06 * total(background, event.from, event.to),
      );
      const visitors = total(changed.visitors, event.from, event.to) / total(world.visitors, event.from, event.to);
      expect(visitors).toBeCloseTo(kind === 'attacks gone' ? 1 : event.ratio, 1);
    }
  });
});
