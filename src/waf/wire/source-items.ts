/**
 * The largest sources in an answer. Addresses are personal data, so they are masked here, before any store, log or chat
 * sees them. Paths come from attackers, so they are shortened and lose their query, which may hold secrets.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import type { NamedSources, ShowAddresses, SourceCount } from '../../statistics/attack-sources.ts';
import { badAnswer } from '../client/failure.ts';
import { countSchema } from './exchange.ts';

const MAX_NAMED = 10;
const MAX_ITEMS = 1_000;
const MAX_KEY_LENGTH = 80;

const itemSchema = z.object({ key: z.string(), num: countSchema });
const listSchema = z.object({ items: z.array(itemSchema).max(MAX_ITEMS).nullish() }).nullish();
const classificationSchema = z.object({ ip: listSchema, url: listSchema, domain: listSchema, geo: listSchema });
const addressesSchema = z.object({
  items: z
    .array(z.object({ ip: z.string(), num: countSchema }))
    .max(MAX_ITEMS)
    .nullish(),
});

/** Of `classification`. */
export function readSources(body: unknown, show: ShowAddresses): NamedSources {
  const parsed = classificationSchema.safeParse(body);
  if (!parsed.success) throw badAnswer('statistics', 'classification: not lists of sources');
  const { ip, url, domain, geo } = parsed.data;
  const list = (part: z.infer<typeof listSchema>, name: (key: string) => string | null): SourceCount[] | null =>
    part?.items == null ? null : largest(part.items, name);
  return {
    addresses: list(ip, (key) => shownAddress(key, show)),
    paths: list(url, plainPath),
    hosts: list(domain, plainText),
    countries: list(geo, plainText),
  };
}

/** Of `event/attack/source`, which has addresses alone. */
export function readAddresses(body: unknown, show: ShowAddresses): NamedSources {
  const parsed = addressesSchema.safeParse(body);
  if (!parsed.success) throw badAnswer('statistics', 'sources: not a list of addresses');
  const items = (parsed.data.items ?? []).map(({ ip, num }) => ({ key: ip, num }));
  return { addresses: largest(items, (key) => shownAddress(key, show)), paths: null, hosts: null, countries: null };
}

/** Largest first; entries with the same name are added up. */
function largest(
  items: readonly z.infer<typeof itemSchema>[],
  nameOf: (key: string) => string | null,
): readonly SourceCount[] & SourceCount[] {
  const found = new Map<string, { key: string; count: number; addresses: number }>();
  for (const [at, { key, num }] of items.entries()) {
    const name = nameOf(key);
    if (name === null || num === 0) continue;
    // Hidden addresses stay separate.
    const id = name === '' ? `${at}` : `:${name}`;
    const known = found.get(id);
    found.set(id, { key: name, count: (known?.count ?? 0) + num, addresses: (known?.addresses ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, MAX_NAMED);
}

/** `203.0.113.x`, `2001:db8:17:0::/64`; `null` if it isn't an address. */
export function shownAddress(address: string, show: ShowAddresses): string | null {
  const plain = address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
  const kind = isIP(plain);
  if (kind === 0 || plain.includes('%')) return null;
  if (show === 'no') return '';
  if (show === 'yes') return plain;
  if (kind === 4) return plain.replace(/\.\d+$/, '.x');
  const [head = '', tail] = plain.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...last];
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}

/** Without the query, which may hold what a visitor typed. */
export function plainPath(path: string): string | null {
  return plainText(path.replace(/^https?:\/\/[^/]*/i, '').split(/[?#;]/)[0] ?? '');
}

export function plainText(text: string): string | null {
  const plain = text
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  if (plain === '') return null;
  return plain.length > MAX_KEY_LENGTH ? `${[...plain].slice(0, MAX_KEY_LENGTH - 1).join('')}…` : plain;
}
