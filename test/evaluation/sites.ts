/** The sites that are judged: single hosts and whole projects, from a handful of attacks a minute to hundreds. */
import { DEFAULT_HOSTS, type TrafficHost } from '../../playground/service/hosts.ts';

export interface Site {
  readonly name: string;
  readonly hosts: readonly TrafficHost[];
  /** Domain IDs that are asked about; none means all. */
  readonly asked: readonly string[];
}

function times(host: TrafficHost, factor: number): TrafficHost {
  const attacks = Object.fromEntries(Object.entries(host.attacks).map(([name, rate]) => [name, rate * factor]));
  return { ...host, visitsPerMinute: host.visitsPerMinute * factor, attacks };
}

const project = (name: string, factor: number): Site => ({
  name,
  hosts: DEFAULT_HOSTS.map((host) => times(host, factor)),
  asked: [],
});

function single(name: string, factor: number): Site {
  const hosts = DEFAULT_HOSTS.map((host) => times(host, factor));
  const asked = hosts.filter((host) => host.name === name).map((host) => host.id);
  return { name: factor === 1 ? name : `${name} ×${factor}`, hosts, asked };
}

export const SITES: readonly Site[] = [
  project('project', 1),
  project('project ×6', 6),
  project('project ×30', 30),
  single('shop', 1),
  single('shop', 20),
  single('api', 1),
  single('api', 8),
  single('blog', 1),
  single('blog', 10),
  single('admin', 1),
];

/** Hosts that a question reaches. */
export function reached({ hosts, asked }: Site): readonly TrafficHost[] {
  return asked.length === 0 ? hosts : hosts.filter((host) => asked.includes(host.id));
}

/** Background attacks a minute over a day, by the site's own description. */
export function usualAttacks(site: Site): number {
  return reached(site).reduce((sum, { attacks }) => sum + Object.values(attacks).reduce((a, b) => a + b, 0), 0);
}
