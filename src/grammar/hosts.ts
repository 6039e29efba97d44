/** Hosts by name: read from a sentence (`on shop, "my blog" and 3ac26c…`), looked up, and written into one. */
import { BotError, type NextStep, UsageError } from '../errors.ts';
import type { ListedHost, ListedHosts } from '../statistics/statistics.ts';
import { bareWord, nearestWord, type Word } from './tokens.ts';

/** A name for a domain ID as stored, shared by the whole workspace. */
export interface HostAlias {
  readonly name: string;
  readonly id: string;
  readonly addedBy: string;
}

/** Every name that a host has: those that people added, which take precedence, and those that the service lists. */
export interface HostNames {
  readonly aliases: readonly HostAlias[];
  readonly listed?: readonly ListedHost[];
}

/** Where the names of a project's hosts come from. */
export interface HostSources {
  readonly hosts: { entries(): Promise<readonly (readonly [string, HostAlias])[]> };
  /** The hosts that the service lists, if it does. */
  readonly listedHosts?: ListedHosts;
}

/** `added`: only those that people added. `renewed`: with an up-to-date list of the service. */
export async function hostNames(
  { hosts, listedHosts }: HostSources,
  which: 'added' | 'known' | 'renewed' = 'known',
): Promise<Required<HostNames>> {
  const list = which === 'added' ? undefined : listedHosts?.[which]();
  const [entries, listed = NONE] = await Promise.all([hosts.entries(), list]);
  return { aliases: entries.map(([, alias]) => alias).sort((a, b) => a.name.localeCompare(b.name, 'en')), listed };
}

export interface Host {
  /** The alias, the listed name, or the domain ID itself. */
  readonly name: string;
  readonly id: string;
}

/** Domain IDs are long and have digits; a shorter or plainer word is an unknown name. */
const DOMAIN_ID = /^(?=.*\d)[A-Za-z0-9-]{16,64}$/;

export function isDomainId(text: string): boolean {
  return DOMAIN_ID.test(text);
}

/** Lists by lowercase name: a long sentence looks up hundreds of words in lists of hundreds of names. */
const byName = new WeakMap<readonly Host[], ReadonlyMap<string, Host>>();

function indexOf(hosts: readonly Host[]): ReadonlyMap<string, Host> {
  const known = byName.get(hosts);
  if (known !== undefined) return known;
  const index = new Map(hosts.map(({ name, id }) => [name.toLowerCase(), { name, id }]));
  byName.set(hosts, index);
  return index;
}

export function findHost(word: string, { aliases, listed = NONE }: HostNames): Host | null {
  const lower = word.toLowerCase();
  const host = indexOf(aliases).get(lower) ?? indexOf(listed).get(lower);
  return host ?? (isDomainId(word) ? { name: word, id: word } : null);
}

const NONE: readonly ListedHost[] = [];

/** By a word of a sentence, which may end with a question mark. */
export function findNamed(word: Word, names: HostNames): Host | null {
  return findHost(word.text, names) ?? (word.quoted ? null : findHost(bareWord(word), names));
}

/** Too many names share a shorter prefix. */
const MIN_PREFIX = 3;
/** They mean something else after `on` and `for`. */
const NOT_A_PREFIX = /^(a|all|an|and|any|each|every|here|it|my|none|now|our|that|there|us|you|your)$/i;

/**
 * The listed hosts whose name starts with a word: `shop` for `shop.example.org`, and if that matches none and `anywhere`
 * is set, `sho` too. Several if the prefix isn't unique.
 */
export function hostsWithPrefix(word: Word, { listed = NONE }: HostNames, anywhere: boolean): readonly Host[] {
  const start = bareWord(word);
  if (start === '' || NOT_A_PREFIX.test(start) || (!word.quoted && TIME_LIKE.test(start))) return [];
  const beginning = (letters: string): Host[] =>
    listed.flatMap(({ name, id }) => (name.toLowerCase().startsWith(letters) ? [{ name, id }] : []));
  const byPart = beginning(`${start}.`);
  return byPart.length > 0 || !anywhere || start.length < MIN_PREFIX ? byPart : beginning(start);
}

/** The host that a word means in a place for hosts. Throws if there is none or several. */
export function hostMeant(text: string, word: Word, known: KnownHosts): Host {
  const exact = findNamed(word, known);
  if (exact !== null) return exact;
  const [host, ...others] = hostsWithPrefix(word, known, true);
  if (host === undefined) throw unknownHost(text, word, known);
  if (others.some(({ name }) => !isSameName(name, host.name))) throw ambiguousHost(text, word, [host, ...others]);
  return host;
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A name may be that of two hosts, one in the cloud and one of a dedicated engine. A question about it means both. */
function allOfName(host: Host, { listed = NONE }: HostNames): readonly Host[] {
  const alike = listed.filter(({ name }) => isSameName(name, host.name));
  return alike.some(({ id }) => id === host.id) ? alike.map(({ name, id }) => ({ name, id })) : [host];
}

/** All hosts of a stored name; none if it's no longer known. */
export function findHosts(name: string, known: HostNames): readonly Host[] {
  const host = findHost(name, known);
  return host === null ? [] : allOfName(host, known);
}

/** Stored names as hosts. One that's no longer known keeps its name as ID. */
export const hostsOrNames = (names: readonly string[], known: HostNames): Host[] =>
  names.flatMap((name) => {
    const hosts = findHosts(name, known);
    return hosts.length > 0 ? hosts : [{ name, id: name }];
  });

/** Without repeating a name that two hosts have. */
export const distinctNames = (hosts: readonly Pick<Host, 'name'>[]): string[] => [
  ...new Set(hosts.map(({ name }) => name)),
];

/** As many IDs as fit into a sentence. A watch requests its hosts every few minutes. */
const MAX_HOSTS = 50;

export function assertFewHosts(hosts: readonly unknown[]): void {
  if (hosts.length <= MAX_HOSTS) return;
  throw new BotError('limit', `That's ${hosts.length} hosts; the limit is ${MAX_HOSTS} at a time.`, {
    hint: 'Leave out the hosts to ask about the whole project.',
  });
}

/** Where a name is stored, and what to do if it no longer exists. */
const REFERENCES = {
  channel: {
    says: (name: string) => `This channel's default host is “${name}”`,
    hint: 'Change it with settings hosts, or add the name again with hosts add.',
    next: [{ label: 'Settings', sentence: 'settings', opensForm: true }],
  },
  digest: {
    says: (name: string) => `This digest is about “${name}”`,
    hint: 'Add the name again with hosts add, or create the digest again.',
  },
  watch: { says: (name: string) => `This watch is about “${name}”` },
} as const;

/** Stored names as hosts. A removed one is an error, because leaving it out would silently widen the question. */
export function resolveHosts(names: readonly string[], known: HostNames, storedIn: keyof typeof REFERENCES): Host[] {
  const { says, ...help } = REFERENCES[storedIn];
  return [...new Set(names)].flatMap((name) => {
    const hosts = findHosts(name, known);
    if (hosts.length > 0) return hosts;
    const add: NextStep = { label: 'Add this host', sentence: `hosts add ${quoteName(name)}`, opensForm: true };
    const next = [add, ...('next' in help ? help.next : [])];
    throw new BotError('not_found', `${says(name)}, but that host no longer exists.`, { ...help, next });
  });
}

/** ` on shop, "my blog"` as typed, or nothing for all hosts. */
export function namedHosts(hosts: readonly Host[]): string {
  return hosts.length === 0 ? '' : ` on ${distinctNames(hosts).map(quoteName).join(', ')}`;
}

/** A name as typed: quoted if it would be split into words. */
export function quoteName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name.replaceAll('"', '')}"`;
}

/** `on thursday` and `on 3 March` are times; only a word that can't begin a time counts as an unknown host. */
const TIME_LIKE =
  /^(\d|the$|last$|this$|past$|today|yesterday|weekend|(mon|tue|wed|thu|fri|sat|sun)|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/i;

interface HostsFound {
  readonly hosts: readonly Host[];
  /** The words used, `on` included. */
  readonly used: readonly Word[];
}

/** The hosts that can be named, and their project if there are several. */
export interface KnownHosts extends HostNames {
  readonly project?: string | null;
}

/** Reads the hosts after each `on` (or `for`). Throws for an unknown name, and for too many. */
export function readHosts(text: string, words: readonly Word[], known: KnownHosts): HostsFound {
  const hosts: Host[] = [];
  const used: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.quoted || (word.lower !== 'on' && word.lower !== 'for')) continue;
    const first = words[at + 1];
    // In `what is going on here` no host follows.
    if (first === undefined || words[at - 1]?.lower === 'going') continue;
    const isKnown = findNamed(first, known) !== null || hostsWithPrefix(first, known, false).length > 0;
    if (!isKnown && !first.quoted && (word.lower === 'for' || TIME_LIKE.test(first.text))) continue;
    used.push(word);
    at = readList(text, words, at + 1, known, hosts, used);
  }
  return { hosts: distinctHosts(hosts, known), used };
}

/** All hosts of these names, without duplicates. Throws for too many. */
export function distinctHosts(hosts: readonly Host[], known: HostNames): Host[] {
  const named = new Set<string>();
  const distinct = hosts.flatMap((host) => allOfName(host, known)).filter(({ id }) => !named.has(id) && named.add(id));
  assertFewHosts(distinct);
  return distinct;
}

/** Reads `a, b and c` from `at`; returns the index of the last word it used. */
function readList(
  text: string,
  words: readonly Word[],
  at: number,
  known: KnownHosts,
  hosts: Host[],
  used: Word[],
): number {
  const isHost = (word: Word): boolean =>
    findNamed(word, known) !== null || hostsWithPrefix(word, known, false).length > 0;
  let place = at;
  for (;;) {
    const word = words[place];
    if (word === undefined) throw noHostAfterComma(text, words);
    hosts.push(hostMeant(text, word, known));
    used.push(word);
    const joint = words[place + 1];
    const next = words[place + 2];
    const comma = joint !== undefined && joint.text === ',' && !joint.quoted;
    const and = joint !== undefined && (joint.lower === 'and' || joint.text === '&');
    if (joint === undefined || (!comma && !and)) return place;
    if (and && (next === undefined || !isHost(next))) return place;
    used.push(joint);
    place += 2;
  }
}

/** The name that was probably meant, by the whole of it or its first part. */
function nearestHost(word: string, { aliases, listed = NONE }: HostNames): string | undefined {
  const names = [...aliases, ...listed].map(({ name }) => name);
  const whole = nearestWord(word, names, 2);
  if (whole !== undefined || word.includes('.')) return whole;
  const firstPart = (name: string): string => name.slice(0, name.indexOf('.') + 1).slice(0, -1);
  const part = nearestWord(word, listed.map(({ name }) => firstPart(name)).filter(Boolean), word.length <= 3 ? 1 : 2);
  return part === undefined ? undefined : listed.find(({ name }) => firstPart(name) === part)?.name;
}

/** As many as a person reads. */
const MAX_LISTED = 10;

function unknownHost(text: string, word: Word, known: KnownHosts): UsageError {
  const { aliases, listed = NONE, project = null } = known;
  const names = [...aliases, ...listed].map((host) => host.name);
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  const nearest = nearestHost(bareWord(word), known);
  return new UsageError(`There's no host “${word.text}” ${project === null ? 'here' : `in project ${project}`}.`, {
    reason: { is: 'unknown_host', name: word.text },
    text,
    span: word,
    suggestion: nearest,
    hint:
      names.length > 0
        ? `Known hosts: ${names.slice(0, MAX_LISTED).join(', ')}${more}.`
        : 'No hosts have been added yet.',
    next: [{ label: 'Add this host', sentence: `hosts add ${quoteName(word.text)}`, opensForm: true }],
    corrected: nearest === undefined ? undefined : withHost(text, word, nearest),
  });
}

const withHost = (text: string, word: Word, name: string): string =>
  text.slice(0, word.start) + quoteName(name) + text.slice(word.end);

/** A message has five buttons, one of them for help. */
const MAX_OFFERED = 4;

function ambiguousHost(text: string, word: Word, hosts: readonly Host[]): UsageError {
  const names = distinctNames(hosts);
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return new UsageError(`${names.length} hosts start with “${bareWord(word)}”. Which one?`, {
    text,
    span: word,
    hint: `It could be ${names.slice(0, MAX_LISTED).join(', ')}${more}.`,
    next: names.slice(0, MAX_OFFERED).map((name) => ({ label: name, sentence: withHost(text, word, name) })),
  });
}

function noHostAfterComma(text: string, words: readonly Word[]): UsageError {
  const last = words.at(-1);
  return new UsageError(
    'A host name is missing after the comma.',
    last === undefined ? { text } : { text, span: last },
  );
}
