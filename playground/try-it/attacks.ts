/** Attacks that a newcomer can start, by type, host and strength, as waves in the local service's traffic. */
import type { StatisticsService } from '../service/server.ts';
import { type Attacker, takesAway, type Wave, type WaveKind } from '../service/waves.ts';
import type { WorkspaceClock } from '../workspace-clock.ts';

interface AttackKind {
  readonly id: string;
  readonly label: string;
  readonly wave: WaveKind;
  readonly categories: Readonly<Record<string, number>>;
  readonly attacker?: Attacker;
  readonly minutes: number;
  /** Attacks per minute. All hosts together usually get about a dozen. */
  readonly perMinute: Readonly<Record<Strength, number>>;
  /** Minutes until a watch alerts, for the middle half of 28 measured starts: `node test/alert-delays/run.ts 28`. */
  readonly alertsAfter: Readonly<Record<Strength, readonly [from: number, to: number]>>;
}

export type Strength = 'mild' | 'strong';

export const STRENGTHS: readonly { readonly value: Strength; readonly label: string }[] = [
  { value: 'strong', label: 'strong' },
  { value: 'mild', label: 'mild' },
];

export const ATTACK_KINDS: readonly AttackKind[] = [
  {
    id: 'sqli',
    label: 'SQL injection',
    wave: 'step',
    categories: { sqli: 0.85, cmdi: 0.15 },
    attacker: 'scanner',
    minutes: 40,
    perMinute: { mild: 16, strong: 70 },
    alertsAfter: { mild: [13, 20], strong: [7, 9] },
  },
  {
    id: 'cc',
    label: 'CC flood',
    wave: 'flood',
    categories: { cc: 0.9, robot: 0.1 },
    attacker: 'botnet',
    minutes: 30,
    perMinute: { mild: 25, strong: 240 },
    alertsAfter: { mild: [12, 15], strong: [6, 9] },
  },
  {
    id: 'crawler',
    label: 'Crawler',
    wave: 'step',
    categories: { robot: 1 },
    attacker: 'scanner',
    minutes: 60,
    perMinute: { mild: 14, strong: 55 },
    alertsAfter: { mild: [16, 23], strong: [7, 10] },
  },
  {
    id: 'slow-burn',
    label: 'Slow burn',
    wave: 'slow-burn',
    categories: { sqli: 0.4, xss: 0.3, illegal: 0.3 },
    attacker: 'botnet',
    minutes: 360,
    perMinute: { mild: 14, strong: 20 },
    alertsAfter: { mild: [18, 26], strong: [13, 18] },
  },
  {
    id: 'new-category',
    label: 'New category',
    wave: 'new-category',
    categories: { ssrf: 1 },
    attacker: 'scanner',
    minutes: 45,
    perMinute: { mild: 4, strong: 22 },
    alertsAfter: { mild: [29, 33], strong: [12, 15] },
  },
  {
    id: 'misfiring-rule',
    label: 'Misfiring rule',
    wave: 'step',
    categories: { custom: 1 },
    attacker: 'own address',
    minutes: 60,
    perMinute: { mild: 14, strong: 50 },
    alertsAfter: { mild: [17, 22], strong: [7, 10] },
  },
  {
    id: 'visitors-gone',
    label: 'No visitors',
    wave: 'visitors-gone',
    categories: {},
    minutes: 40,
    perMinute: { mild: 0, strong: 0 },
    alertsAfter: { mild: [14, 16], strong: [14, 16] },
  },
  {
    id: 'attacks-gone',
    label: 'Firewall stops seeing attacks',
    wave: 'attacks-gone',
    categories: {},
    minutes: 60,
    perMinute: { mild: 0, strong: 0 },
    alertsAfter: { mild: [24, 26], strong: [24, 26] },
  },
];

export function alertWords({ alertsAfter }: Pick<AttackKind, 'alertsAfter'>, strength: Strength): string {
  const [from, to] = alertsAfter[strength];
  return `The watch usually alerts ${from} to ${to} minutes after the start.`;
}

/** The wave of an attack that starts at a minute. */
export function waveOf(
  { wave: kind, minutes, categories, attacker, perMinute }: AttackKind,
  hostId: string,
  strength: Strength,
  fromMinute: number,
): Wave {
  return {
    ...{ kind, fromMinute, minutes, categories, attacker },
    perMinute: perMinute[strength],
    // A watch on all hosts doesn't notice what stops on just one of them.
    hosts: takesAway({ kind }) ? undefined : [hostId],
  };
}

interface Running {
  readonly label: string;
  readonly alerts: string;
  readonly wave: Wave;
}

const MINUTE_MS = 60_000;

export function createAttacks(service: StatisticsService, clock: WorkspaceClock) {
  let started: readonly Running[] = [];
  let first: { readonly label: string; readonly sinceMs: number } | undefined;
  const minuteNow = () => Math.floor(clock.nowMs() / MINUTE_MS);
  const running = () => started.filter(({ wave }) => wave.fromMinute + wave.minutes > minuteNow());
  return {
    hosts: service.hosts.map(({ id, name }) => ({ value: id, label: name })),
    /** Returns what was started and when a watch usually alerts; `null` if the choice is invalid. */
    start(kindId: string | undefined, hostId: string | undefined, strength: string | undefined): string | null {
      const kind = ATTACK_KINDS.find(({ id }) => id === kindId);
      const host = service.hosts.find(({ id }) => id === hostId);
      if (kind === undefined || host === undefined || (strength !== 'mild' && strength !== 'strong')) return null;
      const wave = waveOf(kind, host.id, strength, minuteNow());
      const label =
        wave.hosts === undefined ? `${kind.label}, all hosts` : `${kind.label} on ${host.name}, ${strength}`;
      started = [...running(), { label, alerts: alertWords(kind, strength), wave }];
      first ??= { label, sinceMs: wave.fromMinute * MINUTE_MS };
      service.setWaves([...service.waves(), wave]);
      return `${label}. ${alertWords(kind, strength)}`;
    },
    running: (): readonly { readonly label: string; readonly alerts: string }[] =>
      running().map(({ label, alerts }) => ({ label, alerts })),
    /** The first that was started, also when it's over. */
    first: (): { readonly label: string; readonly sinceMs: number } | undefined => first,
    everStartedMs: (): number | undefined => started[0] && started[0].wave.fromMinute * MINUTE_MS,
    /** The name of the host that was attacked last. */
    lastHost(): string | undefined {
      const attacked = started.findLast(({ wave }) => wave.hosts !== undefined);
      return service.hosts.find(({ id }) => id === attacked?.wave.hosts?.[0])?.name;
    },
    /** Ends running attacks; what was logged so far stays. */
    stop(): void {
      const ending = new Set(running().map(({ wave }) => wave));
      const minute = minuteNow();
      const ended = (wave: Wave) => ({ ...wave, minutes: Math.max(1, minute - wave.fromMinute) });
      service.setWaves(service.waves().map((wave) => (ending.has(wave) ? ended(wave) : wave)));
      started = started.map((one) => (ending.has(one.wave) ? { ...one, wave: ended(one.wave) } : one));
    },
  };
}

export type Attacks = ReturnType<typeof createAttacks>;
