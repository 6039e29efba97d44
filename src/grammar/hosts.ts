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

export const isDomainId = (text: string): boolean => DOMAIN_ID.test(text);

/** Indexed by list: a long sentence looks up hundreds of words in lists of hundreds of names. */
const indexes = new WeakMap<readonly Host[], HostIndex>();

function indexOf(list: readonly Host[]): HostIndex {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const hosts = list.map(({ name, id }) => ({ name, id }));
  const lower = ({ name }: Host): string => name.toLowerCase();
  const phrases = hosts
    .map((host) => ({ host, words: lower(host).trim().split(/\s+/) }))
    .filter(({ words }) => words.length > 1)
    .toSorted((a, b) => b.words.length - a.words.length);
  const index = {
    whole: new Map(hosts.map((host) => [lower(host), host])),
    byPart: Map.groupBy(hosts, (host) => lower(host).split('.', 1)[0] ?? ''),
    byWord: Map.groupBy(phrases, ({ words }) => words[0] ?? ''),
  };
  indexes.set(list, index);
  return index;
}

interface HostIndex {
  /** By lowercase name. */
  readonly whole: ReadonlyMap<string, Host>;
  /** By the first part of a listed name: `shop` of `shop.example.org`. */
  readonly byPart: ReadonlyMap<string, readonly Host[]>;
  /** Names of several words by the first of them, longest first. */
  readonly byWord: ReadonlyMap<string, readonly { readonly words: readonly string[]; readonly host: Host }[]>;
}

export function findHost(word: string, { aliases, listed = NONE }: HostNames): Host | null {
  const lower = word.toLowerCase().replace(/^https?:\/\/([^/]+)\/?$/, '$1');
  const host = indexOf(aliases).whole.get(lower) ?? indexOf(listed).whole.get(lower);
  return host ?? (isDomainId(word) ? { name: word, id: word } : null);
}

const NONE: readonly ListedHost[] = [];

/** By a word of a sentence, which may end with a question mark. */
export function findNamed(word: Word, names: HostNames): Host | null {
  return findHost(word.text, names) ?? (word.quoted ? null : findHost(bareWord(word), names));
}

/** By a name that people added, or the first part of a listed one. */
export const findListed = (name: string, { aliases, listed = NONE }: HostNames): Host | undefined =>
  indexOf(aliases).whole.get(name) ?? indexOf(listed).byPart.get(name)?.[0];

/** Too many names share a shorter prefix. */
const MIN_PREFIX = 3;
/** Words that mean something else after `on` and `for`. */
const NOT_A_PREFIX = /^(a|all|an|and|any|each|every|here|it|my|none|now|our|that|there|us|you|your)$/i;

/** The listed hosts whose name starts with a word: by its first part, else with `anywhere` by any prefix. */
function hostsWithPrefix(word: Word, { listed = NONE }: HostNames, anywhere: boolean, next?: Word): readonly Host[] {
  const start = bareWord(word);
  if (start === '' || NOT_A_PREFIX.test(start)) return [];
  // `on may 5` is a day, `on may` isn't.
  if (!word.quoted && TIME_LIKE.test(start) && !(anywhere && next !== undefined && !/^\d/.test(next.lower))) return [];
  const byPart = (indexOf(listed).byPart.get(start) ?? []).filter(({ name }) => name.length > start.length);
  if (byPart.length > 0 || !anywhere || start.length < MIN_PREFIX) return byPart;
  return listed.flatMap(({ name, id }) => (name.toLowerCase().startsWith(start) ? [{ name, id }] : []));
}

/** The host that a word means in a place for hosts. Throws if there is none or several. */
export function hostMeant(text: string, word: Word, known: KnownHosts, next?: Word): Host {
  const exact = findNamed(word, known);
  if (exact !== null) return exact;
  const [host, ...others] = hostsWithPrefix(word, known, true, next);
  if (host === undefined) throw unknownHost(text, word, known);
  if (others.some(({ name }) => !isSameName(name, host.name))) throw ambiguousHost(text, word, [host, ...others]);
  return host;
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A name may be that of several hosts, such as all those behind an engine. A question about it means all of them. */
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
export const namedHosts = (hosts: readonly Host[]): string =>
  hosts.length === 0 ? '' : ` on ${distinctNames(hosts).map(quoteName).join(', ')}`;

/** A name as typed: quoted if it would be split into words. */
export const quoteName = (name: string): string => (/^[\w.-]+$/.test(name) ? name : `"${name.replaceAll('"', '')}"`);

/** `on thursday` and `on 3 March` are times; only a word that can't begin a time counts as an unknown host. */
const TIME_LIKE =
  /^(\d|the$|last$|this$|past$|today|yesterday|weekend|(mon|tue|wed|thu|fri|sat|sun)|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/i;

/** The hosts that can be named, and their project if there are several. */
export interface KnownHosts extends HostNames {
  readonly project?: string | null;
  /** The service may list more: words that could be their names are refused as unknown. */
  readonly mayKnowMore?: boolean;
}

/**
 * What else a word can mean. Talk and a `command` may still name a host, after a preposition or next to another command
 * or `numbers`; so may a `form of talk` that isn't in the list. `filler` is talk that is hardly ever a name.
 */
export type OtherMeaning = 'talk' | 'filler' | 'form of talk' | 'command' | 'numbers' | 'other' | null;

/** A list of hosts in a sentence: `against the shop and blog`. */
export interface HostMention {
  readonly hosts: readonly Host[];
  /** Its words, including the preposition. */
  readonly words: readonly Word[];
  /** The preposition. */
  readonly lead: Word | null;
}

/** Prepositions that introduce a host. */
const LEADS: ReadonlySet<string> = new Set('on for to against at of with about toward towards in into onto'.split(' '));
/** Talk that may follow `on` without being a host. */
const AFTER_ON =
  /^(here|there|these|those|that|this|them|us|me|it|its|you|my|our|all|any|one|some|everything|anything|something|both|what|which|your|ours|systems?|sites?|websites?|project|firewall|call|fire|shift|average|again|currently)\b/;
const AFTER_VERSUS = /^(vs\.?|versus|compare|diff)$/;
const NOUN = /^(host|site|website|server|domain|app|page)$/;
const BEFORE_NAME = /^(the|our|my|your|host|site|website|server|domain|app)$/;

/** The hosts of a sentence. Throws for an unknown name after `on` or in a list, and for a prefix of several hosts. */
export function findMentions(reading: HostReading): HostMention[] {
  const { words } = reading;
  const mentions: HostMention[] = [];
  for (let at = 0; at < words.length; at++) {
    const found = mentionAt(reading, at);
    if (found === null) continue;
    mentions.push(found);
    at = words.indexOf(found.words.at(-1) as Word, at);
  }
  return mentions;
}

interface HostReading {
  readonly text: string;
  readonly words: readonly Word[];
  readonly known: KnownHosts;
  readonly meaningOf: (word: Word) => OtherMeaning;
}

/** `null` for a name without a preposition, which must be unambiguous. */
type HostLead = 'on' | 'other' | null;

function mentionAt(reading: HostReading, at: number): HostMention | null {
  const { text, words, known } = reading;
  const word = words[at] as Word;
  if (word.text === ',') return null;
  const lead = !word.quoted && LEADS.has(word.lower) ? word : null;
  const isPlace = lead !== null || AFTER_VERSUS.test(words[at - 1]?.lower ?? '');
  const after = lead?.lower === 'on' ? 'on' : isPlace ? 'other' : null;
  let place = lead === null ? at : at + 1;
  if (lead !== null && words[at - 1]?.lower === 'going') return null;
  while (hostAt(reading, place, after) === null && BEFORE_NAME.test(words[place]?.lower ?? '')) place += 1;
  const first = words[place];
  if (first === undefined) return null;
  if (hostAt(reading, place, after) === null) {
    // `on site` may be the prefix of a listed host, unlike `on the site`.
    const name = words[at + 1] as Word;
    if (after === 'on' && NOUN.test(name.lower)) throw unknownHost(text, name, known);
    const meaning = reading.meaningOf(first);
    const isName =
      meaning === null
        ? !TIME_LIKE.test(first.text)
        : !/^(other|command|numbers)$/.test(meaning) && !AFTER_ON.test(first.lower);
    // Another word may be the name of a listed host, too.
    const mayBeListed = known.mayKnowMore && !TIME_LIKE.test(first.text) && !AFTER_ON.test(first.lower);
    if (after === 'on' && (first.quoted || isName || mayBeListed)) throw unknownHost(text, first, known);
    return null;
  }
  const hosts: Host[] = [];
  const to = readList(reading, place, after, hosts);
  return { hosts, words: words.slice(at, to + 1), lead };
}

const BEFORE_NOUN = /^(the|a|an|any|some|no|more|our|all|what's|whats|show|get|give)$/;
const AFTER_NOUN = /^(of|for)$/;
const IS = /^(is|are|was|were|did|does|has|how's|hows|about|hit|\w+(?:ing|ed))$/;

/** Next to a command, or the subject of a question: `timeline status yesterday`, `is status ok`, `who hit news`. */
const isBeside = (words: readonly Word[], at: number, meaningOf: (word: Word) => OtherMeaning): boolean =>
  [at - 1, at + 1].some((beside) => /^(command|numbers)$/.test(meaningOf(words[beside] ?? NO_WORD) ?? '')) ||
  IS.test(words[at - 1]?.lower ?? '');
const NO_WORD: Word = { text: '', lower: '', quoted: true, start: 0, end: 0 };

/** The host that starts at a word, and how many words its name has. */
function hostAt(
  { text, words, known, meaningOf }: HostReading,
  at: number,
  after: HostLead,
): { readonly host: Host; readonly length: number } | null {
  const word = words[at];
  if (word === undefined) return null;
  const { aliases, listed = NONE } = known;
  for (const names of [aliases, listed]) {
    const phrase = indexOf(names).byWord.get(bareWord(word));
    const found = phrase?.find((each) =>
      each.words.every((part, index) => part === bareWord(words[at + index] ?? word)),
    );
    if (found !== undefined && !word.quoted) return { host: found.host, length: found.words.length };
  }
  const other = meaningOf(word);
  const isNoun = AFTER_NOUN.test(words[at + 1]?.lower ?? '') || BEFORE_NOUN.test(words[at - 1]?.lower ?? '');
  const isPlace = (): boolean => after !== null || (!isNoun && isBeside(words, at, meaningOf));
  const mayBeName =
    other === 'form of talk' ? after !== null || !isNoun : /^(talk|filler|command)$/.test(other ?? '') && isPlace();
  if (after === null && !word.quoted && other !== null && !mayBeName) return null;
  const exact = findNamed(word, known);
  // An ID by itself could be a date.
  if (exact !== null) return after === null && exact.name === exact.id ? null : { host: exact, length: 1 };
  if (after !== 'on' && (other === 'other' || other === 'numbers')) return null;
  const isNamed = hostsWithPrefix(word, known, after === 'on', words[at + 1]).length > 0;
  const isSaid = other === 'talk' ? IS.test(words[at - 1]?.lower ?? '') : other !== 'filler';
  const mayBeListed = mayBeName && known.mayKnowMore && (after !== null || isSaid);
  if (!isNamed && mayBeListed && !TIME_LIKE.test(word.text)) throw unknownHost(text, word, known);
  return isNamed ? { host: hostMeant(text, word, known, words[at + 1]), length: 1 } : null;
}

/** All hosts of these names, without duplicates. Throws for too many. */
export function distinctHosts(hosts: readonly Host[], known: HostNames): Host[] {
  const named = new Set<string>();
  const distinct = hosts.flatMap((host) => allOfName(host, known)).filter(({ id }) => !named.has(id) && named.add(id));
  assertFewHosts(distinct);
  return distinct;
}

const LIST_JOINT = /^(and|or|&|\+|plus)$/;

/** Reads `a, b and c` from the first; returns the index of the last word it used. */
function readList(reading: HostReading, first: number, after: HostLead, hosts: Host[]): number {
  const { text, words, known, meaningOf } = reading;
  for (let place = first; ; ) {
    const found = hostAt(reading, place, place === first ? after : (after ?? 'other'));
    if (found === null) return place;
    hosts.push(found.host);
    const last = place + found.length - 1;
    const end = NOUN.test(words[last + 1]?.lower ?? '') ? last + 1 : last;
    const joint = words[end + 1];
    const isComma = joint !== undefined && joint.text === ',' && !joint.quoted;
    if (joint === undefined || !(isComma || LIST_JOINT.test(joint.lower))) return end;
    // `on shop or on blog`
    const at = end + (LEADS.has(words[end + 2]?.lower ?? '') ? 3 : 2);
    const next = words[at];
    if (next === undefined && isComma)
      throw new UsageError('A host name is missing after the comma.', { text, span: words.at(-1) });
    if (next === undefined || hostAt(reading, at, after ?? 'other') === null) {
      if (next !== undefined && after === 'on' && meaningOf(next) === null && !TIME_LIKE.test(next.text))
        throw unknownHost(text, next, known);
      return end;
    }
    place = at;
  }
}

/** The name that was probably meant, by the whole of it or its first part. */
export function nearestHost(word: string, { aliases, listed = NONE }: HostNames, allowed = 2): string | undefined {
  const names = [...aliases, ...listed].map(({ name }) => name);
  const whole = nearestWord(word, names, allowed);
  if (whole !== undefined || word.includes('.')) return whole;
  const firstPart = (name: string): string => name.slice(0, name.indexOf('.') + 1).slice(0, -1);
  const part = nearestWord(
    word,
    listed.map(({ name }) => firstPart(name)).filter(Boolean),
    word.length <= 3 ? 1 : allowed,
  );
  return part === undefined ? undefined : listed.find(({ name }) => firstPart(name) === part)?.name;
}

/** As many as a person would read. */
const MAX_LISTED = 10;

const listOf = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED).join(', ') + (names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '');

export function unknownHost(text: string, word: Word, known: KnownHosts): UsageError {
  const { aliases, listed = NONE, project = null } = known;
  const names = distinctNames([...aliases, ...listed]);
  const nearest = nearestHost(bareWord(word), known);
  return new UsageError(`There's no host “${word.text}” ${project === null ? 'here' : `in project ${project}`}.`, {
    reason: { is: 'unknown_host', name: word.text },
    text,
    span: word,
    suggestion: nearest,
    hint: names.length > 0 ? `Known hosts: ${listOf(names)}.` : 'No hosts have been added yet.',
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
  return new UsageError(`${names.length} hosts start with “${bareWord(word)}”. Which one?`, {
    text,
    span: word,
    hint: `It could be ${listOf(names)}.`,
    next: names.slice(0, MAX_OFFERED).map((name) => ({ label: name, sentence: withHost(text, word, name) })),
  });
}
