/** Hosts by their names: read from a sentence (`on shop, "my blog" and 3ac26c…`), looked up, and written again. */
import { BotError, type NextStep, UsageError } from '../../errors.ts';
import { bareWord, nearestWord, type Word } from './tokens.ts';

/** A name that people use for a domain ID, as it is stored. Shared by the whole workspace. */
export interface HostAlias {
  readonly name: string;
  readonly id: string;
  readonly addedBy: string;
}

/** Where the names of a project's hosts are stored. */
interface AliasStore {
  entries(): Promise<readonly (readonly [string, HostAlias])[]>;
}

export async function listAliases({ hosts }: { readonly hosts: AliasStore }): Promise<HostAlias[]> {
  const entries = await hosts.entries();
  return entries.map(([, alias]) => alias).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

export interface Host {
  /** What people call it: the alias, or the domain ID itself. */
  readonly name: string;
  readonly id: string;
}

/** Domain IDs are long and have digits; a shorter or plainer word is treated as an unknown name. */
const DOMAIN_ID = /^(?=.*\d)[A-Za-z0-9-]{16,64}$/;

export function isDomainId(text: string): boolean {
  return DOMAIN_ID.test(text);
}

/** Lists of aliases by name in lower case. A long sentence looks up hundreds of words in a list of hundreds of names. */
const byName = new WeakMap<readonly HostAlias[], ReadonlyMap<string, HostAlias>>();

function indexOf(aliases: readonly HostAlias[]): ReadonlyMap<string, HostAlias> {
  const known = byName.get(aliases);
  if (known !== undefined) return known;
  const index = new Map(aliases.map((alias) => [alias.name.toLowerCase(), alias]));
  byName.set(aliases, index);
  return index;
}

export function findHost(word: string, aliases: readonly HostAlias[]): Host | null {
  const alias = indexOf(aliases).get(word.toLowerCase());
  if (alias !== undefined) return { name: alias.name, id: alias.id };
  return isDomainId(word) ? { name: word, id: word } : null;
}

/** By a word of a sentence, which may end in its question mark. */
export function findNamed(word: Word, aliases: readonly HostAlias[]): Host | null {
  return findHost(word.text, aliases) ?? (word.quoted ? null : findHost(bareWord(word), aliases));
}

/** As many IDs as a sentence has room for. A watch asks for its hosts again every few minutes. */
const MOST_NAMED = 50;

export function assertFewHosts(hosts: readonly unknown[]): void {
  if (hosts.length <= MOST_NAMED) return;
  throw new BotError('limit', `That names ${hosts.length} hosts; ${MOST_NAMED} at once is the limit.`, {
    hint: 'Leave the hosts out to ask about all of the project.',
  });
}

/** Where a name is stored, and what to do there when it is no longer known. */
const REFERENCES = {
  channel: {
    says: (name: string) => `This channel asks about “${name}” by default`,
    hint: 'Change it with settings hosts, or add the name again with hosts add.',
    next: [{ label: 'Settings', sentence: 'settings', opensForm: true }],
  },
  digest: {
    says: (name: string) => `This digest is about “${name}”`,
    hint: 'Add the name again with hosts add, or make the digest anew.',
  },
  watch: { says: (name: string) => `This watch is about “${name}”` },
} as const;

/** Stored names as hosts. One that was removed since is an error: leaving it out would silently widen the question. */
export function resolveHosts(
  names: readonly string[],
  aliases: readonly HostAlias[],
  storedIn: keyof typeof REFERENCES,
): Host[] {
  const { says, ...help } = REFERENCES[storedIn];
  return names.map((name) => {
    const host = findHost(name, aliases);
    if (host !== null) return host;
    const add: NextStep = { label: 'Add this host', sentence: `hosts add ${quoteName(name)}`, opensForm: true };
    const next = [add, ...('next' in help ? help.next : [])];
    throw new BotError('not_found', `${says(name)}, but no host has that name any more.`, { ...help, next });
  });
}

/** ` on shop, "my blog"` as it must be typed, or nothing when all hosts are meant. */
export function namedHosts(hosts: readonly Host[]): string {
  return hosts.length === 0 ? '' : ` on ${hosts.map(({ name }) => quoteName(name)).join(', ')}`;
}

/** A name as it must be typed: quoted where it would fall apart into words. */
export function quoteName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name.replaceAll('"', '')}"`;
}

/** `on thursday` and `on 3 March` are times; only what cannot begin a time is taken for an unknown host. */
const TIME_LIKE =
  /^(\d|the$|last$|this$|past$|today|yesterday|weekend|(mon|tue|wed|thu|fri|sat|sun)|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/i;

interface HostsFound {
  readonly hosts: readonly Host[];
  /** The words used, `on` included. */
  readonly used: readonly Word[];
}

/** The hosts that can be named, and whose they are where there are several projects. */
export interface KnownHosts {
  readonly aliases: readonly HostAlias[];
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
    // In `what is going on here` it leads to no host.
    if (first === undefined || words[at - 1]?.lower === 'going') continue;
    const isKnown = findNamed(first, known.aliases) !== null;
    if (!isKnown && !first.quoted && (word.lower === 'for' || TIME_LIKE.test(first.text))) continue;
    used.push(word);
    at = readList(text, words, at + 1, known, hosts, used);
  }
  return { hosts: distinctHosts(hosts), used };
}

/** Each once; throws for too many. */
export function distinctHosts(hosts: readonly Host[]): Host[] {
  const named = new Set<string>();
  const different = hosts.filter(({ id }) => !named.has(id) && named.add(id));
  assertFewHosts(different);
  return different;
}

/** Reads `a, b and c` from `at`; returns the index of the last word it took. */
function readList(
  text: string,
  words: readonly Word[],
  at: number,
  known: KnownHosts,
  hosts: Host[],
  used: Word[],
): number {
  const { aliases } = known;
  let place = at;
  for (;;) {
    const word = words[place];
    if (word === undefined) throw noHostAfterComma(text, words);
    const host = findNamed(word, aliases);
    if (host === null) throw unknownHost(text, word, known);
    hosts.push(host);
    used.push(word);
    const joint = words[place + 1];
    const next = words[place + 2];
    const comma = joint !== undefined && joint.text === ',' && !joint.quoted;
    const and = joint !== undefined && (joint.lower === 'and' || joint.text === '&');
    if (joint === undefined || (!comma && !and)) return place;
    if (and && (next === undefined || findNamed(next, aliases) === null)) return place;
    used.push(joint);
    place += 2;
  }
}

export function unknownHost(text: string, word: Word, { aliases, project = null }: KnownHosts): UsageError {
  const names = aliases.map(({ name }) => name);
  const nearest = nearestWord(word.text, names, 2);
  const known = names.length > 0 ? `Known are: ${names.slice(0, 10).join(', ')}.` : 'Nobody has added a host yet.';
  const name = quoteName(word.text);
  return new UsageError(`No host is called “${word.text}” ${project === null ? 'here' : `in project ${project}`}.`, {
    detail: { unknownHost: word.text },
    text,
    span: word,
    ...(nearest === undefined ? {} : { suggestion: nearest }),
    hint: known,
    next: [{ label: 'Add this host', sentence: `hosts add ${name}`, opensForm: true }],
    ...(nearest === undefined
      ? {}
      : { corrected: text.slice(0, word.start) + quoteName(nearest) + text.slice(word.end) }),
  });
}

function noHostAfterComma(text: string, words: readonly Word[]): UsageError {
  const last = words.at(-1);
  return new UsageError(
    'A host name is missing after the comma.',
    last === undefined ? { text } : { text, span: last },
  );
}
