/**
 * Waves: events on top of everyday traffic. A wave is plain data, so a test can place one anywhere and compare what was
 * found with it.
 *
 * | kind             | shape over its length                          | adds                                         |
 * |------------------|------------------------------------------------|----------------------------------------------|
 * | `step`           | full height at once, then gone at once         | attacks of its categories                    |
 * | `ramp`           | from nothing to full height in a straight line | attacks of its categories                    |
 * | `spike`          | full height at once, then halving every tenth  | attacks of its categories                    |
 * | `slow-burn`      | a low plateau breathing between 0.7 and 1      | attacks of its categories                    |
 * | `flood`          | up within a twentieth, plateau, cut off        | attacks; CC and crawlers by default          |
 * | `new-category`   | full height at once                            | one category, possibly an unknown one        |
 * | `marketing-peak` | up within a tenth, then fading                 | visitors and the host's usual share of attacks |
 * | `attacks-gone`   | full height at once                            | nothing: every attack is missing             |
 * | `visitors-gone`  | full height at once                            | nothing: almost every request is missing     |
 */

import type { TrafficHost } from './hosts.ts';
import { keyOf, mix, uniform } from './random.ts';

export type WaveKind =
  | 'step'
  | 'ramp'
  | 'spike'
  | 'slow-burn'
  | 'flood'
  | 'new-category'
  | 'marketing-peak'
  | 'attacks-gone'
  | 'visitors-gone';

/** One address, hundreds of them with few attacks each, or one of our own that a rule mistakes for an attacker. */
export type Attacker = 'scanner' | 'botnet' | 'own address';

export interface Wave {
  readonly kind: WaveKind;
  /** Minutes since the Unix epoch; the wave covers `[fromMinute, fromMinute + minutes)`. */
  readonly fromMinute: number;
  readonly minutes: number;
  /** Events per minute and host at full height: attacks, or visitors for a marketing peak. */
  readonly perMinute: number;
  /** Domain IDs; all hosts by default. */
  readonly hosts?: readonly string[];
  /** Share of each category, relative to their sum. */
  readonly categories?: Readonly<Record<string, number>>;
  /** Whose attacks they are; everyday sources by default. */
  readonly attacker?: Attacker;
}

const USUAL: Readonly<Record<WaveKind, Readonly<Record<string, number>>>> = {
  step: { sqli: 0.5, xss: 0.3, lfi: 0.2 },
  ramp: { sqli: 0.6, cmdi: 0.4 },
  spike: { sqli: 0.4, xss: 0.3, cmdi: 0.15, lfi: 0.15 },
  'slow-burn': { robot: 0.7, illegal: 0.3 },
  flood: { cc: 0.85, robot: 0.15 },
  'new-category': { webshell: 1 },
  'marketing-peak': {},
  'attacks-gone': {},
  'visitors-gone': {},
};

/** Health checks continue while visitors are gone. */
export const VISITS_LEFT = 0.003;

export const takesAway = ({ kind }: Pick<Wave, 'kind'>): boolean => kind === 'attacks-gone' || kind === 'visitors-gone';

/** Height between 0 and 1 at a minute; 0 outside the wave. */
export function heightAt(wave: Wave, minute: number): number {
  const t = (minute - wave.fromMinute) / wave.minutes;
  if (t < 0 || t >= 1) return 0;
  switch (wave.kind) {
    case 'step':
    case 'new-category':
    case 'attacks-gone':
    case 'visitors-gone':
      return 1;
    case 'ramp':
      return (minute - wave.fromMinute + 1) / wave.minutes;
    case 'spike':
      return 2 ** (-10 * t);
    case 'slow-burn':
      return 0.85 + 0.15 * Math.sin(t * wave.minutes * 0.05);
    case 'flood':
      return Math.min(1, t * 20 + 1 / wave.minutes);
    case 'marketing-peak':
      return t < 0.1 ? t * 10 : (1 - t) / 0.9;
  }
}

/** A wave's category shares at a host, adding up to 1; empty if it only brings visitors. */
export function mixOf(wave: Wave): readonly (readonly [category: string, share: number])[] {
  const entries = Object.entries(wave.categories ?? USUAL[wave.kind]);
  const sum = entries.reduce((total, [, share]) => total + share, 0);
  return entries.map(([category, share]) => [category, share / sum] as const);
}

export function touchesHost(wave: Wave, hostId: string): boolean {
  return wave.hosts === undefined || wave.hosts.includes(hostId);
}

/** Two waves that differ in anything draw differently; their order in a list does not matter. */
export function waveKey(wave: Wave): number {
  const mixture = mixOf(wave).map(([category, share]) => `${category}${share}`);
  return mix(keyOf(`${wave.kind}${mixture}`), wave.fromMinute, wave.minutes, Math.round(wave.perMinute * 1000));
}

const DAY = 1440;
const SEEDED_KINDS: readonly { kind: WaveKind; minutes: readonly [number, number]; height: number }[] = [
  { kind: 'spike', minutes: [20, 70], height: 40 },
  { kind: 'step', minutes: [15, 60], height: 14 },
  { kind: 'ramp', minutes: [40, 120], height: 18 },
  { kind: 'slow-burn', minutes: [180, 480], height: 5 },
  { kind: 'flood', minutes: [8, 30], height: 160 },
];

/** The waves of a host on a day that follow from the seed: none on two days of three. */
export function seededWaves(seed: number, host: TrafficHost, day: number): readonly Wave[] {
  const key = mix(seed, keyOf(host.id), day, 101);
  if (uniform(key) > 1 / 3) return [];
  const draw = (salt: number) => uniform(mix(key, salt, 0, 103));
  const drawn = SEEDED_KINDS[Math.floor(draw(1) * SEEDED_KINDS.length)];
  if (drawn === undefined) return [];
  const [shortest, longest] = drawn.minutes;
  // Bigger sites get bigger waves, but not in proportion.
  const size = Math.sqrt(host.visitsPerMinute / 400);
  return [
    {
      kind: drawn.kind,
      fromMinute: day * DAY + Math.floor(draw(2) * DAY),
      minutes: shortest + Math.floor(draw(3) * (longest - shortest)),
      perMinute: drawn.height * size * (0.5 + draw(4)),
      hosts: [host.id],
    },
  ];
}
