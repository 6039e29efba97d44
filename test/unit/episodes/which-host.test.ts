/** Which host an attack is on, against generated attacks on one host of few and of many, with the calls that it takes. */
import { describe, expect, it } from 'vitest';
import {
  attributeExcess,
  type ExcessByHost,
  findHostsOfExcess,
  MAX_QUERIED_HOSTS,
} from '../../../src/episodes/which-host.ts';
import { BotError } from '../../../src/errors.ts';
import type { HostSources } from '../../../src/grammar/hosts.ts';
import type { Statistics, StatisticsQuery } from '../../../src/statistics/statistics.ts';
import type { Timeline } from '../../../src/statistics/timeline.ts';
import { createSeededRandom, SEED_OF_RUN } from '../../support/seeded-random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-05-04T00:00Z');

interface Site {
  readonly seed: number;
  readonly id: string;
  readonly name: string;
  /** Attacks per minute on an average weekday. */
  readonly rate: number;
  readonly peakHour: number;
  readonly swing: number;
  readonly weekend: number;
}

interface Attack {
  readonly host: string;
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly perMinute: number;
}

/** Hosts of very different sizes, with attacks whose truth is known. */
interface World {
  readonly sites: readonly Site[];
  readonly attacks: readonly Attack[];
  /** Hosts that the service fails for. */
  readonly failing?: ReadonlySet<string>;
}

type Draw = () => number;

/** A seed of several numbers. */
const seedOf = (...parts: readonly number[]): number =>
  parts.reduce((hash, part) => Math.imul(hash ^ part ^ (part / 2 ** 32), 0x01000193) + 0x6d2b79f5, 0x811c9dc5) >>> 0;

function drawing(seed: number): Draw {
  const random = createSeededRandom(seed);
  return () => (random.below(1 << 30) + 0.5) / (1 << 30);
}

/** Normal with a mean of zero and a deviation of one. */
const normal = (draw: Draw): number => Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw());

function poisson(mean: number, draw: Draw): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(draw)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let left = draw(); left > limit; left *= draw()) count++;
  return count;
}

/** Usual attacks per minute: daily and weekly rhythm, and a level of its own every few hours. */
function usualAt(site: Site, ms: number): number {
  const hour = (ms / HOUR_MS) % 24;
  const isWeekend = new Date(ms).getUTCDay() % 6 === 0;
  const daily = 1 + site.swing * Math.cos(((hour - site.peakHour) / 24) * 2 * Math.PI);
  const level = Math.exp(0.25 * normal(drawing(seedOf(site.seed, Math.floor(ms / (3 * HOUR_MS))))));
  return site.rate * daily * (isWeekend ? site.weekend : 1) * level;
}

/** Attacks before a minute of a block of ten, so that every window is the sum of its parts. */
const BLOCK = 10;

function backgroundIn(site: Site, fromMinute: number, toMinute: number): number {
  let sum = 0;
  for (let block = Math.floor(fromMinute / BLOCK); block * BLOCK < toMinute; block++) {
    const start = block * BLOCK;
    const rate = usualAt(site, (start + BLOCK / 2) * MINUTE_MS);
    const drawn = poisson(rate * BLOCK, drawing(seedOf(site.seed, block)));
    const until = (minute: number) => Math.floor((drawn * Math.min(BLOCK, Math.max(0, minute - start))) / BLOCK);
    sum += until(toMinute) - until(fromMinute);
  }
  return sum;
}

function countIn({ attacks }: World, site: Site, fromMs: number, toMs: number): number {
  const [from, to] = [fromMs / MINUTE_MS, toMs / MINUTE_MS];
  let count = backgroundIn(site, from, to);
  for (const { host, fromMinute, toMinute, perMinute } of attacks) {
    if (host !== site.id) continue;
    for (let minute = Math.max(from, fromMinute); minute < Math.min(to, toMinute); minute++)
      count += poisson(perMinute, drawing(seedOf(site.seed, fromMinute, minute)));
  }
  return count;
}

const counted = new WeakMap<World, Map<string, readonly number[]>>();

/** Attacks on every host in a window, drawn once. */
function countsIn(world: World, fromMs: number, toMs: number): readonly number[] {
  const known = counted.get(world) ?? new Map<string, readonly number[]>();
  counted.set(world, known);
  const counts = known.get(`${fromMs} ${toMs}`) ?? world.sites.map((site) => countIn(world, site, fromMs, toMs));
  known.set(`${fromMs} ${toMs}`, counts);
  return counts;
}

/** Up to a day by the minute, up to a week by ten minutes. */
const intervalOf = (lengthMs: number): number => (lengthMs <= DAY_MS ? MINUTE_MS : 10 * MINUTE_MS);

/** A service with these hosts, which counts its calls and, if `ranks`, names the ten busiest hosts. */
function serviceOf(world: World, ranks: boolean) {
  const calls: StatisticsQuery[] = [];
  const byId = new Map(world.sites.map((site) => [site.id, site]));
  const edges = ({ range }: StatisticsQuery) => ({
    fromMs: range.from.epochMilliseconds,
    toMs: range.to.epochMilliseconds,
  });
  const statistics: Statistics = {
    async timeline(query): Promise<Timeline> {
      calls.push(query);
      const { fromMs, toMs } = edges(query);
      const [id = ''] = query.hosts;
      const site = byId.get(id);
      if (site === undefined || world.failing?.has(id)) throw new BotError('upstream_timeout', 'No answer.');
      const intervalMs = intervalOf(toMs - fromMs);
      const points = Array.from({ length: Math.floor((toMs - fromMs) / intervalMs) }, (_, at) => {
        const endMs = fromMs + (at + 1) * intervalMs;
        return { endMs, requests: null, attacks: countIn(world, site, endMs - intervalMs, endMs) };
      });
      return { fromMs, toMs, intervalMs, points, settledUntilMs: toMs, asOfMs: toMs, stale: false };
    },
    distribution: async () => {
      throw new Error('not needed');
    },
    ...(ranks && {
      async sources(query: StatisticsQuery) {
        calls.push(query);
        const { fromMs, toMs } = edges(query);
        const counts = countsIn(world, fromMs, toMs);
        const hosts = world.sites
          .map(({ name }, at) => ({ key: `${name}.example.org`, count: counts[at] ?? 0 }))
          .toSorted((a, b) => b.count - a.count)
          .slice(0, 10);
        const others = { addresses: null, paths: null, countries: null, shown: 'masked' } as const;
        return { fromMs, toMs, hosts, ...others, asOfMs: toMs, stale: false };
      },
    }),
  };
  return { statistics, calls };
}

const namesOf = (sites: readonly Site[]): HostSources => {
  const listed = sites.map(({ id, name }) => ({ id, name: `${name}.example.org`, tag: null }));
  return {
    hosts: { entries: async () => [['first', { name: 'first', id: sites[0]?.id ?? '', addedBy: 'U1' }]] },
    listedHosts: { known: async () => listed, renewed: async () => listed },
  };
};

/** A few large ones, many small ones; eight attacks a minute in total. */
function sitesOf(count: number, draw: Draw): Site[] {
  const weights = Array.from({ length: count }, () => Math.exp(1.2 * normal(draw)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, at) => ({
    seed: Math.floor(draw() * 2 ** 31),
    id: `${at}`.padStart(32, '0'),
    name: `site-${at}`,
    rate: (8 * weight) / total,
    peakHour: draw() * 24,
    swing: 0.6 * draw(),
    weekend: 0.4 + draw(),
  }));
}

interface Case {
  readonly world: World;
  /** Attacks on all hosts that are usual in this time. */
  readonly usual: number;
  readonly target: Site;
  readonly onsetMs: number;
  readonly untilMs: number;
}

/** An attack on one host, of a size that a check would report, and earlier attacks on it and on others in the week before. */
function attackCase(hosts: number, seed: number): Case {
  const draw = drawing(seed);
  const sites = sitesOf(hosts, draw);
  const anySite = (): Site => sites[Math.floor(draw() * hosts)] as Site;
  const target = anySite();
  const fromMinute = START_MS / MINUTE_MS + Math.floor(draw() * 28 * 1440);
  const toMinute = fromMinute + 12 + Math.floor(draw() * 150);
  const all = usualIn(sites, fromMinute, toMinute);
  const usual = all / (toMinute - fromMinute);
  const earlier = Array.from({ length: 3 }, (): Attack => {
    const start = fromMinute - Math.floor((0.2 + 6.5 * draw()) * 1440);
    const { id: host } = draw() < 0.3 ? target : anySite();
    return {
      host,
      fromMinute: start,
      toMinute: start + 20 + Math.floor(100 * draw()),
      perMinute: usual * (1 + 4 * draw()),
    };
  });
  // From 1.7 to 8 times the usual.
  const attack = { host: target.id, fromMinute, toMinute, perMinute: usual * (0.7 + 6.3 * draw() ** 2) };
  const world = { sites, attacks: [...earlier, attack] };
  return { world, usual: all, target, onsetMs: fromMinute * MINUTE_MS, untilMs: toMinute * MINUTE_MS };
}

function usualIn(sites: readonly Site[], fromMinute: number, toMinute: number): number {
  let sum = 0;
  for (const site of sites)
    for (let minute = fromMinute; minute < toMinute; minute += BLOCK)
      sum += usualAt(site, minute * MINUTE_MS) * Math.min(BLOCK, toMinute - minute);
  return sum;
}

/** What an episode knows of its whole project; what it expects is off by about a tenth. */
function totalsOf({ world, usual, onsetMs, untilMs }: Case, draw: Draw) {
  const observed = countsIn(world, onsetMs, untilMs).reduce((sum, count) => sum + count, 0);
  return { observed, expected: usual * (1 + 0.1 * normal(draw)) };
}

const leadingOf = (found: ExcessByHost): string[] =>
  found.is === 'known' ? found.leading.map(({ host }) => host.id) : [found.why];

/** Asks for the host of an attack on all hosts, and counts the calls. */
async function askAbout(attack: Case, seed: number, { ranks = true, names = namesOf(attack.world.sites) } = {}) {
  const { statistics, calls } = serviceOf(attack.world, ranks);
  const { onsetMs, untilMs } = attack;
  const span = { onsetMs, untilMs, zone: 'UTC', hosts: [], ...totalsOf(attack, drawing(seed + 1)) };
  const found = await findHostsOfExcess(statistics, names, span);
  return { found, calls };
}

/** A fifth of them outside `npm run verify`. */
const ATTACKS = process.env.LONG === 'yes' ? 200 : 40;

describe('the host of an attack', () => {
  it.each([4, 40, 2_000])('is found among %i hosts in at least 95 % of attacks on one host', async (hosts) => {
    let correct = 0;
    let mostCalls = 0;
    for (let at = 0; at < ATTACKS; at++) {
      const seed = seedOf(SEED_OF_RUN, hosts, at);
      const attack = attackCase(hosts, seed);
      const { found, calls } = await askAbout(attack, seed);
      const [leading, ...others] = leadingOf(found);
      if (leading === attack.target.id && others.length === 0) correct += 1;
      mostCalls = Math.max(mostCalls, calls.length);
    }
    expect(correct / ATTACKS).toBeGreaterThanOrEqual(0.95);
    // One more for the busiest of many hosts, of which the service names ten.
    expect(mostCalls).toBe(hosts <= MAX_QUERIED_HOSTS ? 2 * hosts : 2 * 10 + 1);
  });

  it('is none if all hosts rise alike', async () => {
    let correct = 0;
    for (let at = 0; at < ATTACKS; at++) {
      const seed = seedOf(SEED_OF_RUN, 5, at);
      const { world, ...rest } = attackCase(4, seed);
      const [one] = world.attacks.slice(-1) as [Attack];
      const middleMs = ((one.fromMinute + one.toMinute) / 2) * MINUTE_MS;
      const everywhere = world.sites.map((site) => ({ ...one, host: site.id, perMinute: 3 * usualAt(site, middleMs) }));
      const { found } = await askAbout({ ...rest, world: { ...world, attacks: everywhere } }, seed);
      if (leadingOf(found).length === 0) correct += 1;
    }
    expect(correct / ATTACKS).toBeGreaterThanOrEqual(0.95);
  });

  it('is a pair if two of many hosts are attacked', async () => {
    const { world, target, ...rest } = attackCase(40, 7);
    const [one] = world.attacks.slice(-1) as [Attack];
    const [other] = world.sites.filter(({ id }) => id !== target.id) as [Site];
    const attacks = [
      { ...one, perMinute: 30 },
      { ...one, host: other.id, perMinute: 15 },
    ];
    const { found } = await askAbout({ ...rest, target, world: { ...world, attacks } }, 7);
    expect(leadingOf(found)).toEqual([target.id, other.id]);
    // The name that somebody added is the one that is shown.
    expect(found.is === 'known' && found.leading[1]?.host.name).toBe('first');
    expect(found.is === 'known' && found.leading[0]?.share).toBeCloseTo(2 / 3, 1);
  });

  it('adds up to the figures of the episode if all hosts are counted', async () => {
    const attack = attackCase(4, 11);
    const { found } = await askAbout(attack, 11);
    const hosts = found.is === 'known' ? found.hosts : [];
    const sum = (of: (host: (typeof hosts)[number]) => number) => hosts.reduce((total, host) => total + of(host), 0);
    const { observed, expected } = totalsOf(attack, drawing(12));
    expect(sum((host) => host.observed)).toBe(observed);
    expect(sum((host) => host.expected)).toBeCloseTo(expected, 6);
  });
});

it('shares add up to no more than all of it, also if other hosts fell', () => {
  const hostOf = (id: string, observed: number, expected: number) => ({ host: { id, name: id }, observed, expected });
  const counts = [hostOf('shop', 900, 100), hostOf('api', 500, 100), hostOf('blog', 0, 200)];
  const found = attributeExcess({ counts, isTop: false, failed: 0 }, { observed: 1_400, expected: 400 });
  const shares = found.is === 'known' ? found.hosts.map(({ share }) => share) : [];
  expect(shares).toEqual([2 / 3, 1 / 3, 0]);
});

describe('what the service does not say', () => {
  it('is unknown if the host that is attacked does not answer, and no other host is blamed', async () => {
    for (let at = 0; at < 50; at++) {
      const { world, target, ...rest } = attackCase(4, seedOf(SEED_OF_RUN, 17, at));
      const failing = new Set([target.id]);
      const { found } = await askAbout({ ...rest, target, world: { ...world, failing } }, at);
      expect(leadingOf(found)).toEqual(['no_answer']);
    }
  });

  it('does not hide the host that is attacked if another one fails', async () => {
    const { world, target, ...rest } = attackCase(4, 19);
    const [other] = world.sites.filter(({ id }) => id !== target.id) as [Site];
    const { found } = await askAbout({ ...rest, target, world: { ...world, failing: new Set([other.id]) } }, 19);
    expect(leadingOf(found)).toEqual([target.id]);
  });

  it('is unknown with many hosts if it does not name the busiest, without a call', async () => {
    const { found, calls } = await askAbout(attackCase(40, 23), 23, { ranks: false });
    expect(leadingOf(found)).toEqual(['no_ranking']);
    expect(calls).toEqual([]);
  });

  it('is unknown if most of the hosts are not listed', async () => {
    const attack = attackCase(40, 29);
    const others = attack.world.sites.filter(({ id }) => id !== attack.target.id).slice(0, 8);
    const { found } = await askAbout(attack, 29, { names: namesOf(others) });
    expect(leadingOf(found)).toEqual(['not_listed']);
  });

  it('is unknown if the store that has the names fails', async () => {
    const failing: HostSources = {
      hosts: { entries: () => Promise.reject(new BotError('storage', 'The store is down.')) },
    };
    const { found } = await askAbout(attackCase(4, 31), 31, { names: failing });
    expect(leadingOf(found)).toEqual(['not_listed']);
  });

  it('is unknown for a time that is no rise, and for a single host', async () => {
    const attack = attackCase(4, 37);
    const { statistics } = serviceOf(attack.world, true);
    const span = { ...attack, zone: 'UTC', hosts: [], observed: 100, expected: 120 };
    const names = namesOf(attack.world.sites);
    expect(leadingOf(await findHostsOfExcess(statistics, names, span))).toEqual(['no_excess']);
    const alone = { ...span, hosts: [attack.target.id], expected: 20 };
    expect(leadingOf(await findHostsOfExcess(statistics, names, alone))).toEqual(['one_host']);
  });
});

describe('the calls', () => {
  it('are all under way before the first answer', async () => {
    const attack = attackCase(20, 41);
    const { statistics, calls } = serviceOf(attack.world, true);
    let callsAtFirstAnswer: number | null = null;
    const slow: Statistics = {
      ...statistics,
      async timeline(query) {
        const answer = await statistics.timeline(query);
        await new Promise(setImmediate);
        callsAtFirstAnswer ??= calls.length;
        return answer;
      },
    };
    const span = { ...attack, zone: 'UTC', hosts: [], ...totalsOf(attack, drawing(42)) };
    await findHostsOfExcess(slow, namesOf(attack.world.sites), span);
    expect(callsAtFirstAnswer).toBe(40);
  });

  it('for what is usual have the same window for six hours', async () => {
    const attack = attackCase(4, 43);
    const { statistics, calls } = serviceOf(attack.world, true);
    const onsetMs = START_MS + 6 * HOUR_MS;
    for (const minutes of [0, 100, 359]) {
      const span = { onsetMs: onsetMs + minutes * MINUTE_MS, untilMs: onsetMs + (minutes + 30) * MINUTE_MS };
      await findHostsOfExcess(statistics, namesOf(attack.world.sites), {
        ...span,
        zone: 'Europe/Stockholm',
        hosts: [],
        observed: 1_000,
        expected: 100,
      });
    }
    const baselines = calls.filter(({ range }) => range.to.epochMilliseconds <= onsetMs);
    expect(baselines).toHaveLength(12);
    expect(new Set(baselines.map(({ range, zone }) => `${range.from} ${range.to} ${zone}`)).size).toBe(1);
  });
});
