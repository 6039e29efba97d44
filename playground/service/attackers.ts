/**
 * Where attacks come from: everyday sources that are always there, and those of each wave with its own attacker,
 * depending on the kind of attacker. Addresses are from ranges that nobody owns.
 */
import { keyOf, mix, uniform } from './random.ts';
import { loggedBetween, type Window } from './statistics.ts';
import type { TrafficModel } from './traffic.ts';
import { type Attacker, mixOf, type Wave } from './waves.ts';

export interface Source {
  readonly ip: string;
  readonly country: string;
  readonly path: string;
  /** Its share of the attacker's attacks. */
  readonly share: number;
}

/** Sources that act together, and how many attacks they sent. */
interface AttackerInWindow {
  readonly sources: readonly Source[];
  readonly attacks: number;
  /** `null` for all of them. */
  readonly categories: readonly string[] | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const EVERYDAY: readonly Source[] = [
  { ip: '203.0.113.9', country: 'Germany', path: '/login', share: 0.4 },
  { ip: '198.51.100.23', country: 'Netherlands', path: '/wp-login.php', share: 0.25 },
  { ip: '2001:db8:17::5', country: 'Germany', path: '/search', share: 0.2 },
  { ip: '203.0.113.77', country: 'Germany', path: '/login?user=a', share: 0.05 },
];

/** Another one changes daily. */
function everyday({ fromMs }: Window): readonly Source[] {
  const day = Math.floor(fromMs / DAY_MS);
  return [...EVERYDAY, { ip: `192.0.2.${(day % 200) + 1}`, country: 'Brazil', path: `/old/${day}`, share: 0.1 }];
}

const PATH_OF: Readonly<Record<string, string>> = {
  sqli: '/login',
  xss: '/search',
  lfi: '/download',
  cmdi: '/api/export',
  webshell: '/uploads/x.php',
  cc: '/checkout',
  robot: '/products',
  ssrf: '/api/preview',
};

export const pathOf = (category: string): string => PATH_OF[category] ?? '/';

const COUNTRIES = ['Brazil', 'France', 'India', 'Indonesia', 'Mexico', 'Poland', 'Turkey', 'Vietnam'];
const BOTS = 240;

/** The range for benchmarks of networks, which is never routed: 512 networks of 256 addresses. */
const addressAt = (network: number, last: number): string =>
  `198.${18 + (Math.floor(network / 256) % 2)}.${network % 256}.${1 + (last % 254)}`;

const SOURCES_OF: Readonly<Record<Attacker, (key: number, path: string) => readonly Source[]>> = {
  scanner: (key, path) => [{ ip: addressAt(key % 512, key >>> 9), country: countryAt(key), path, share: 1 }],
  // The first is a little busier than the last, and none stands out.
  botnet: (key, path) =>
    Array.from({ length: BOTS }, (_, at) => ({
      ip: addressAt((key + at) % 512, mix(key, at, 0, 1)),
      country: countryAt(mix(key, at, 0, 2)),
      path,
      share: (1.5 - at / BOTS) / (BOTS + 0.5),
    })),
  'own address': () => [{ ip: '10.20.0.15', country: 'Private network', path: '/api/health', share: 1 }],
};

const countryAt = (key: number): string => COUNTRIES[Math.floor(uniform(key) * COUNTRIES.length)] ?? '';

/** Independent of the wave's length, so that an attack keeps its attacker when it's ended early. */
function sourcesOf(seed: number, wave: Wave, attacker: Attacker): readonly Source[] {
  const [largest] = mixOf(wave).toSorted(([, one], [, other]) => other - one);
  const key = mix(keyOf(`${attacker} ${wave.hosts ?? ''}`), wave.fromMinute, seed, 5);
  return SOURCES_OF[attacker](key, pathOf(largest?.[0] ?? ''));
}

const sumOf = ([, ...counts]: Float64Array): number => counts.reduce((sum, n) => sum + n, 0);

/** Who sent what of the window's attacks. */
function attackersIn(model: TrafficModel, window: Window, nowMs: number): readonly AttackerInWindow[] {
  const { waves = [] } = model;
  const all = sumOf(loggedBetween(model, window, nowMs));
  const led = waves.flatMap((wave): AttackerInWindow[] => {
    const { attacker, fromMinute, minutes } = wave;
    const isIn = fromMinute * MINUTE_MS < window.toMs && (fromMinute + minutes) * MINUTE_MS > window.fromMs;
    if (attacker === undefined || !isIn) return [];
    // A wave without height has the same categories, so that nothing else has to be drawn again.
    const without = { ...model, waves: waves.map((one) => (one === wave ? { ...wave, perMinute: 0 } : one)) };
    const attacks = Math.max(0, all - sumOf(loggedBetween(without, window, nowMs)));
    return [
      {
        sources: sourcesOf(model.seed, wave, attacker),
        attacks,
        categories: mixOf(wave).map(([category]) => category),
      },
    ];
  });
  const rest = all - led.reduce((sum, { attacks }) => sum + attacks, 0);
  return [{ sources: everyday(window), attacks: Math.max(0, rest), categories: null }, ...led];
}

/** How many attacks each address, country or path has in the window. */
export function attacksBy(
  key: 'ip' | 'country' | 'path',
  model: TrafficModel,
  window: Window,
  nowMs: number,
): { key: string; num: number }[] {
  const counts = new Map<string, number>();
  for (const { sources, attacks } of attackersIn(model, window, nowMs)) {
    for (const source of sources) {
      counts.set(source[key], (counts.get(source[key]) ?? 0) + Math.floor(attacks * source.share));
    }
  }
  return [...counts].map(([name, num]) => ({ key: name, num }));
}

/** The source of each attack of a category in the window: one of a wave, or `undefined` for an everyday one. */
export function createCulprits(model: TrafficModel, window: Window, nowMs: number) {
  const attackers = attackersIn(model, window, nowMs);
  return (category: string, n: number): Source | undefined => {
    const suspects = attackers.filter(({ categories }) => categories === null || categories.includes(category));
    const all = suspects.reduce((sum, { attacks }) => sum + attacks, 0);
    let left = uniform(mix(n, window.fromMs / MINUTE_MS, 0, 3)) * all;
    const culprit = suspects.find(({ attacks }) => {
      left -= attacks;
      return left < 0;
    });
    if (culprit === undefined || culprit.categories === null) return undefined;
    return culprit.sources[mix(n, window.fromMs / MINUTE_MS, 0, 4) % culprit.sources.length];
  };
}
