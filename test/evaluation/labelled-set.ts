/**
 * Windows with a known truth, made from the traffic of the local statistics service. Half of them hold a wave of a
 * stated size, half do not, and both kinds come with the usual troubles: old waves in whatever they are compared with,
 * nights, Monday mornings, marketing peaks, holes in the data.
 *
 * Size is attacks with the wave over attacks without it, in the wave's strongest quarter of an hour.
 */
import type { TrafficModel } from '../../playground/service/traffic.ts';
import { heightAt, type Wave, type WaveKind } from '../../playground/service/waves.ts';
import { createDraw, type Draw } from './draw.ts';
import { reached, SITES, type Site, usualAttacks } from './sites.ts';

export interface LabelledWindow {
  readonly kind: string;
  readonly site: Site;
  readonly world: TrafficModel;
  readonly fromMinute: number;
  /** The window ends now. */
  readonly toMinute: number;
  /** The wave to be found; `null` where all is as usual. */
  readonly wave: Wave | null;
  readonly size: number;
  /** Minutes `[from, to)` for which the service has nothing. */
  readonly hole: readonly [number, number] | null;
  /** Days before that are not to be had. */
  readonly without: readonly ('day' | 'week')[];
}

/** The newest minutes are never judged, so the wave must be there before them. */
const UNSETTLED_MINUTES = 4;
const QUARTER = 15;
const DAY = 1440;

const LENGTHS: Readonly<Partial<Record<WaveKind, readonly [number, number]>>> = {
  step: [20, 120],
  ramp: [30, 120],
  spike: [20, 70],
  'slow-burn': [180, 480],
  flood: [15, 40],
  'new-category': [20, 90],
};
const WAVE_KINDS: readonly WaveKind[] = ['step', 'ramp', 'spike', 'slow-burn', 'flood', 'new-category'];
const SIZES = [1.5, 2, 2, 2.5, 3, 4, 6, 10];
const CALM_KINDS = [
  'any time',
  'night',
  'monday morning',
  'marketing peak',
  'marketing peak with pests',
  'after a wave',
];

export function labelledSet(seed: number, count: number): LabelledWindow[] {
  return Array.from({ length: count }, (_, index) => {
    const draw = createDraw(seed, index);
    return index % 2 === 0
      ? withWave(draw, seed * 1000 + index, index / 2)
      : without(draw, seed * 1000 + index, (index - 1) / 2);
  });
}

function withWave(draw: Draw, seed: number, turn: number): LabelledWindow {
  const site = draw.pick('site', SITES);
  const kind = WAVE_KINDS[turn % WAVE_KINDS.length] ?? 'step';
  const size = draw.pick('size', SIZES);
  const toMinute = endOfWindow(draw, draw.pick('when', ['any time', 'night', 'monday morning']));
  const length = draw.pick('window', [60, 60, 60, 30, 120]);
  const [shortest, longest] = LENGTHS[kind] ?? [20, 60];
  const minutes = draw.whole('minutes', shortest, longest);
  const strongest = strongestQuarter(kind, minutes);
  // The strongest quarter of an hour lies in the judged part of the window; the onset may lie before it.
  const latest = toMinute - UNSETTLED_MINUTES - (strongest.from + QUARTER);
  const earliest = toMinute - length - (kind === 'slow-burn' ? Math.min(240, minutes - 60) : strongest.from);
  const fromMinute = draw.whole('onset', Math.min(earliest, latest), latest);
  const perMinute = ((size - 1) * usualAttacks(site)) / strongest.height;
  const target = draw.part('spread') < 0.5 ? reached(site) : [draw.pick('host', reached(site))];
  const hosts = target.map((host) => host.id);
  const novel = draw.pick('novel', ['webshell', 'rfi', 'geoip']);
  const categories = kind === 'new-category' ? { categories: { [novel]: 1 } } : {};
  const wave: Wave = { kind, fromMinute, minutes, perMinute: perMinute / hosts.length, hosts, ...categories };
  const fromWindow = toMinute - length;
  const old = draw.part('old') < 0.4 ? [oldWave(draw, site, Math.min(fromWindow, fromMinute))] : [];
  const world = { seed, hosts: site.hosts, waves: [wave, ...old], seededWaves: false };
  return { kind, site, world, fromMinute: fromWindow, toMinute, wave, size, ...gaps(draw, fromWindow) };
}

function without(draw: Draw, seed: number, turn: number): LabelledWindow {
  const site = draw.pick('site', SITES);
  const kind = CALM_KINDS[turn % CALM_KINDS.length] ?? 'any time';
  const toMinute = endOfWindow(draw, kind);
  const fromMinute = toMinute - draw.pick('window', [60, 60, 60, 30, 120]);
  const waves: Wave[] = [];
  if (kind.startsWith('marketing')) waves.push(...marketing(draw, site, fromMinute, toMinute, kind.endsWith('pests')));
  if (kind === 'after a wave' || draw.part('old') < 0.3) waves.push(oldWave(draw, site, fromMinute));
  const world = { seed, hosts: site.hosts, waves, seededWaves: false };
  return { kind, site, world, fromMinute, toMinute, wave: null, size: 1, ...gaps(draw, fromMinute) };
}

/** Minutes since the epoch; weeks begin on Monday 2026-01-05, far enough from the epoch for all days before. */
function endOfWindow(draw: Draw, when: string): number {
  const monday = Date.UTC(2026, 0, 5) / 60_000 + draw.whole('week', 0, 40) * 7 * DAY;
  const day = when === 'monday morning' ? 0 : draw.whole('day', 0, 6);
  const [early, late] = when === 'night' ? [60, 270] : when === 'monday morning' ? [390, 660] : [0, DAY - 1];
  return monday + day * DAY + draw.whole('minute', early, late);
}

function strongestQuarter(kind: WaveKind, minutes: number): { from: number; height: number } {
  const wave: Wave = { kind, fromMinute: 0, minutes, perMinute: 1 };
  let best = { from: 0, height: 0 };
  for (let from = 0; from + QUARTER <= minutes; from++) {
    let sum = 0;
    for (let at = from; at < from + QUARTER; at++) sum += heightAt(wave, at);
    if (sum / QUARTER > best.height * 1.01) best = { from, height: sum / QUARTER };
  }
  return best;
}

/** A wave that is over before the window, or lies a day or a week back at the same hours. */
function oldWave(draw: Draw, site: Site, beforeMinute: number): Wave {
  const minutes = draw.whole('old minutes', 15, 75);
  const back = draw.pick('old where', ['just before', 'day', 'week']);
  const fromMinute =
    back === 'just before'
      ? beforeMinute - 20 - minutes - draw.whole('old pause', 0, 200)
      : beforeMinute - (back === 'day' ? DAY : 7 * DAY) + draw.whole('old at', -60, 60);
  const hosts = reached(site).map((host) => host.id);
  const perMinute = (draw.between('old size', 1, 8) * usualAttacks(site)) / hosts.length;
  return { kind: draw.pick('old kind', ['step', 'flood', 'spike']), fromMinute, minutes, perMinute, hosts };
}

function marketing(draw: Draw, site: Site, fromMinute: number, toMinute: number, pests: boolean): Wave[] {
  const minutes = draw.whole('peak minutes', 45, 180);
  const begin = draw.whole('peak from', fromMinute - 30, toMinute - 20);
  const factor = draw.between('peak size', 0.5, 4);
  return reached(site).map((host) => ({
    kind: 'marketing-peak',
    fromMinute: begin,
    minutes,
    perMinute: host.visitsPerMinute * factor,
    hosts: [host.id],
    ...(pests ? {} : { categories: {} }),
  }));
}

function gaps(draw: Draw, fromMinute: number): Pick<LabelledWindow, 'hole' | 'without'> {
  const from = fromMinute - draw.whole('hole at', -30, 300);
  const hole = draw.part('hole') < 0.1 ? ([from, from + draw.whole('hole minutes', 5, 60)] as const) : null;
  const absent = draw.part('without');
  return { hole, without: absent < 0.08 ? ['week'] : absent < 0.12 ? ['day', 'week'] : [] };
}
