/**
 * The largest sources in an answer. Addresses are personal data, so they are masked here, before any store, log or chat
 * sees them. Paths come from attackers, so they are shortened and lose their query, which may hold secrets.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import type { NamedSources, ShowAddresses, SourceCount } from '../../statistics/attack-sources.ts';
import { plainName } from '../../untrusted-input.ts';
import { countSchema, itemsSchema, MAX_ITEMS, readAs } from './exchange.ts';

const MAX_NAMED = 10;
const MAX_KEY_LENGTH = 80;

const listSchema = itemsSchema.nullish();
const classificationSchema = z.object({ ip: listSchema, url: listSchema, domain: listSchema, geo: listSchema });
const addressesSchema = z.object({
  items: z
    .array(z.object({ ip: z.string(), num: countSchema }))
    .max(MAX_ITEMS)
    .nullish(),
});

/** Reads the answer of `classification`. */
export function readSources(body: unknown, show: ShowAddresses): NamedSources {
  const { ip, url, domain, geo } = readAs(classificationSchema, body, 'classification');
  const list = (part: z.infer<typeof listSchema>, name: (key: string) => string | null): SourceCount[] | null =>
    part?.items == null ? null : largest(part.items, name);
  return {
    addresses: list(ip, (key) => shownAddress(key, show)),
    paths: list(url, plainPath),
    hosts: list(domain, plainText),
    countries: list(geo, plainText),
  };
}

/** Reads the answer of `event/attack/source`, which only has addresses. */
export function readAddresses(body: unknown, show: ShowAddresses): NamedSources {
  const { items } = readAs(addressesSchema, body, 'sources');
  const named = (items ?? []).map(({ ip, num }) => ({ key: ip, num }));
  return { addresses: largest(named, (key) => shownAddress(key, show)), paths: null, hosts: null, countries: null };
}

/** Largest first; entries with the same name are added up. */
function largest(
  items: readonly { readonly key: string; readonly num: number }[],
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
  const groups = groupsOf(plain);
  const [high, low] = embedded(groups) ?? [];
  if (high !== undefined && low !== undefined) return `${high >> 8}.${high & 0xff}.${low >> 8}.x`;
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The last two may be written as an IPv4 address.
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const numbers = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: Math.max(0, zeros) }, () => 0), ...last];
}

/** The IPv4 address in an IPv6 address that carries one: 6to4, NAT64, mapped and compatible ones. */
function embedded(groups: readonly number[]): readonly number[] | null {
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  if (groups[0] === 0x2002) return groups.slice(1, 3);
  const isNat64 = groups[0] === 0x64 && groups[1] === 0xff9b && (isZero(2, 6) || groups[2] === 1);
  const isMapped = isZero(0, 5) && groups[5] === 0xffff;
  const isCompatible = isZero(0, 6) && groups[6] !== 0;
  return isNat64 || isMapped || isCompatible ? groups.slice(6) : null;
}

/** Without the query, which may hold what a visitor typed, and without segments that may be a secret, as in a link. */
export function plainPath(path: string): string | null {
  const [segments = ''] = path.replace(/^https?:\/\/[^/]*/i, '').split(/[?#;]/);
  const shown = segments.split('/').map((segment) => (isOpaque(segment) ? '…' : segment));
  return plainText(shown.join('/'));
}

/** Shorter ones would be too easy to guess to be a secret. */
const MIN_OPAQUE_LENGTH = 8;

/** Whether it has a part that isn't a word: a token, a key, an ID. A file name has an extension. */
function isOpaque(segment: string): boolean {
  if (/\.[a-z]{2,5}\d?$/i.test(segment)) return false;
  const parts = segment.replace(/%[\da-f]{2}/gi, '-').split(/[^\p{L}\p{N}]+/u);
  return parts.some((part) => part.length >= MIN_OPAQUE_LENGTH && (/\d/.test(part) || /\p{L}\p{Lu}/u.test(part)));
}

export function plainText(text: string): string | null {
  return plainName(text, MAX_KEY_LENGTH) || null;
}
