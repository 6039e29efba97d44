/** The sites behind the local firewall, with their traffic, daily rhythm and usual attacks. */
export interface TrafficHost {
  /** The domain ID, as used in the service's `hosts` parameter. */
  readonly id: string;
  readonly name: string;
  /** Visits per minute, averaged over a working day. */
  readonly visitsPerMinute: number;
  /** Hour of the day (UTC) with the most visitors. */
  readonly peakHour: number;
  /** How much traffic drops at night, from 0 (not at all) to 1. */
  readonly swing: number;
  /** Weekend visits relative to a working day. */
  readonly weekend: number;
  /** Background attacks per minute, by category. */
  readonly attacks: Readonly<Record<string, number>>;
  /** It has one of several equal parts of a larger site's traffic, which is drawn once for all of them. */
  readonly share?: { readonly of: TrafficHost; readonly at: number; readonly parts: number };
}

export const DEFAULT_HOSTS: readonly [TrafficHost, ...TrafficHost[]] = [
  {
    id: '3f1c9a7e52b84d06a1e0c47d95b2f8a1',
    name: 'shop',
    visitsPerMinute: 420,
    peakHour: 18,
    swing: 0.8,
    weekend: 1.25,
    attacks: { robot: 2.1, sqli: 0.5, xss: 0.4, illegal: 0.6, cc: 0.25, whiteblackip: 0.9, custom: 0.3, lfi: 0.1 },
  },
  {
    id: '7b20d4c1e9f34a58b6c3d1a08e47f592',
    name: 'api',
    visitsPerMinute: 650,
    peakHour: 13,
    swing: 0.55,
    weekend: 0.45,
    attacks: { illegal: 1.4, sqli: 0.4, cmdi: 0.2, cc: 0.5, custom: 0.8, whiteblackip: 0.4, vuln: 0.3 },
  },
  {
    id: 'c85e61f0a2d74b3997e4b0d2f16a3c78',
    name: 'blog',
    visitsPerMinute: 90,
    peakHour: 20,
    swing: 0.7,
    weekend: 0.9,
    attacks: { robot: 1.3, xss: 0.2, lfi: 0.15, rfi: 0.05, webshell: 0.03, vuln: 0.25, whiteblackip: 0.3 },
  },
  {
    id: 'e4d7b3920c6f4e1fa85d29c70b1e63d4',
    name: 'admin',
    visitsPerMinute: 12,
    peakHour: 10,
    swing: 0.9,
    weekend: 0.15,
    attacks: { whiteblackip: 0.8, sqli: 0.1, cmdi: 0.06, webshell: 0.02, antitamper: 0.005, illegal: 0.1 },
  },
];
