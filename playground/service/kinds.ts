/**
 * The kinds of service in the family, each as options of the local one: both dialects, editions that know less, that keep
 * less, or that write their answers differently.
 */
import { DEFAULT_HOSTS, type TrafficHost } from './hosts.ts';
import type { ServiceHabits } from './overviews.ts';

interface ServiceKind {
  readonly habits?: Partial<ServiceHabits>;
  readonly hosts?: readonly TrafficHost[];
  readonly retentionDays?: number;
  readonly loggingMs?: number;
}

const OVERVIEWS = { speaks: ['overviews'] } as const;
/** Dedicated engines: rates or counts per second instead of requests per interval, and no categories. */
const QPS = { ...OVERVIEWS, without: ['request timeline'], attackKey: 'TOTAL_ATTACK', label: 'end' } as const;

/** Many small hosts, so that no single one matters: each of the usual sites, spread over 500 of them. */
const MANY_HOSTS: readonly TrafficHost[] = DEFAULT_HOSTS.flatMap((site, n) =>
  Array.from({ length: 500 }, (_, at) => ({
    ...site,
    id: (n * 500 + at).toString(16).padStart(32, '0'),
    name: `site-${n * 500 + at}`,
    share: { of: site, at, parts: 500 },
  })),
);

/** The first two sites have one name: that of the cloud list is in the dedicated list too. */
const ONE_NAME: readonly TrafficHost[] = DEFAULT_HOSTS.map((host, at, [first = host]) =>
  at === 1 ? { ...host, name: first.name } : host,
);

/** Every category that the vendor names, beyond the thirteen of the first interface. */
const NEWER_CATEGORIES = [
  'rce',
  'ptr',
  'custom_robot',
  'anticrawler',
  'botm',
  'advanced_bot',
  'third_bot_river',
  'antiscan_high_freq_scan',
  'antiscan_dir_traversal',
  'custom_whiteip',
  'custom_blackip',
  'custom_geoip',
  'custom_idc_ip',
  'iprank',
  'leakage',
  'followed_action',
  'llm_prompt_injection',
  'llm_prompt_sensitive',
  'llm_response_sensitive',
  'antileakage',
  'custom_custom',
];

const NEWER_HOSTS: readonly TrafficHost[] = DEFAULT_HOSTS.map((host, at) => ({
  ...host,
  attacks: {
    ...host.attacks,
    ...Object.fromEntries(NEWER_CATEGORIES.map((category, n) => [category, 0.05 + ((n + at) % 7) * 0.04])),
  },
}));

export const SERVICE_KINDS = {
  events: {},
  overviews: { habits: OVERVIEWS },
  'overviews, points labeled by their end': { habits: { ...OVERVIEWS, label: 'end' } },
  'qps as counts': { habits: QPS },
  'qps as rates': { habits: { ...QPS, qps: 'rates' } },
  'fixed windows': { habits: { ...OVERVIEWS, windows: 'fixed' } },
  'categories by recent only': { habits: { ...OVERVIEWS, categories: 'recent' } },
  'ten largest categories': { habits: { ...OVERVIEWS, without: ['distribution'] } },
  'four groups': { habits: { ...OVERVIEWS, without: ['distribution', 'classification'] } },
  'one host per query': { habits: { ...OVERVIEWS, hosts: 'first' } },
  'events kept for 30 days': { retentionDays: 30 },
  'overviews kept for 30 days, zeros before': {
    retentionDays: 30,
    habits: { ...OVERVIEWS, beyondRetention: 'zeros' },
  },
  '2,000 hosts': { habits: { hostLists: 'cloud' }, hosts: MANY_HOSTS },
  'one name in both host lists': { habits: { hostLists: 'both' }, hosts: ONE_NAME },
  '34 categories': { habits: OVERVIEWS, hosts: NEWER_HOSTS },
  'missing points and unknown categories': { habits: { missingEvery: 9, unknownCategories: ['xss'] } },
  'numbers as strings': { habits: { ...OVERVIEWS, numbers: 'strings' } },
  'logged ten minutes late': { loggingMs: 600_000 },
} as const satisfies Readonly<Record<string, ServiceKind>>;
