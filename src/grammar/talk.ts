/**
 * What people say around a command or instead of one: greetings, general questions, thanks, politeness. Talk is removed
 * from both ends of what is left for the time range. Small words that also occur in times (`the last hour`) are removed
 * only next to other talk. In a sentence without a command, the talk's topic decides what is meant.
 */
import { categoryFor } from '../statistics/categories.ts';
import type { CommandTable } from './command-table.ts';
import { findNamed, type Host, type HostNames, hostsWithPrefix } from './hosts.ts';
import { bareWord, type Word } from './tokens.ts';

/** What a sentence without a command is about. */
export type Topic = 'question' | 'help' | 'thanks' | 'greeting';

/** `filler` means nothing by itself. Neither does `small`, but it may belong to a time. */
type Talk = Topic | 'filler' | 'small';

const PHRASES: readonly (readonly [Talk, string])[] = [
  [
    'question',
    `under attack, attack, attacked, attacking, hacked, ddos, ok, okay, fine, alright, all right, all good, all clear, all quiet, safe,
    secure, healthy, normal, usual, unusual, abnormal, strange, weird, odd, suspicious, wrong, bad, worse, calm, quiet, busy,
    serious, happening, happened, happen, going on, status, state, situation, news, update, what's up, whats up, alarm,
    alarms, alert, alerts, problem, problems, trouble, issue, issues, anomaly, anomalies, worry, worried, concerned,
    anything, everything, how are things, how is it going, how's it going, is it over`,
  ],
  [
    'help',
    'what can you do, what do you do, what can i ask, how does this work, how do you work, who are you, what are you',
  ],
  [
    'thanks',
    `thanks, thank you, thx, ty, cheers, great, nice, perfect, awesome, cool, good bot, well done, good job, got it, bye,
    goodbye, see you, good night`,
  ],
  ['greeting', 'hello, hi, hey, hiya, howdy, yo, greetings, good morning, good afternoon, good evening, good day'],
  [
    'filler',
    `is, are, am, was, were, be, been, being, it, its, it's, we, i, i'm, you, they, me, us, our, my, your, there, that,
    that's, any, some, something, here, what, what's, whats, how, how's, why, who, which, where, do, does, did, can, could,
    would, will, should, has, have, had, get, give, show, tell, see, look, let, let's, lets, know, need, want, like, please,
    pls, plz, just, also, still, really, currently, about, many, much, very, number, amount, things, new, all, everyone,
    team, folks, bot, wafbot, waf, firewall, site, sites, website, project, system, systems, with, going, doing, looking, seeing,
    good, well, out, if, other than, targeted, affected, most`,
  ],
  ['small', 'the, a, an, this, at, in, of, for, on, over, now, right now, at the moment, so, then, and'],
];
const MAX_PHRASE_WORDS = 4;

const TALK: ReadonlyMap<string, Talk> = new Map(
  PHRASES.flatMap(([talk, phrases]) => phrases.split(/,\s*/).map((phrase): [string, Talk] => [phrase, talk])),
);

/** Words that belong together: talk, a host name, or a single other word. */
interface TalkSegment {
  readonly words: readonly Word[];
  readonly talk: Talk | null;
  readonly host: Host | null;
}

/** Talk is short; a longer sentence lists hosts. */
const MAX_WORDS = 40;

function segmentsOf(words: readonly Word[]): TalkSegment[] {
  const bare = words.slice(0, MAX_WORDS).map((word) => (word.quoted ? '"' : bareWord(word)));
  const segments: TalkSegment[] = [];
  for (let at = 0; at < bare.length; at += segments.at(-1)?.words.length ?? 1) {
    const lengths = Array.from({ length: Math.min(MAX_PHRASE_WORDS, bare.length - at) }, (_, shorter) => shorter + 1);
    const length = lengths.findLast((each) => talkOf(bare.slice(at, at + each)) !== undefined) ?? 1;
    const talk = talkOf(bare.slice(at, at + length)) ?? null;
    segments.push({ words: words.slice(at, at + length), talk, host: null });
  }
  return segments;
}

function talkOf(bare: readonly string[]): Talk | undefined {
  const phrase = bare.join(' ');
  if (phrase === '') return 'filler';
  return phrase === ',' ? 'small' : TALK.get(phrase);
}

/** Thanks end a conversation unless they come with a question, and a question says more than a greeting. */
export function topicOf(words: readonly Word[]): Topic | null {
  if (words.length > MAX_WORDS) return null;
  const said = new Set(segmentsOf(words).map(({ talk }) => talk));
  const asks = words.some(({ text, quoted }) => !quoted && text.endsWith('?'));
  const order: readonly Topic[] = asks
    ? ['help', 'question', 'thanks', 'greeting']
    : ['help', 'thanks', 'question', 'greeting'];
  return order.find((topic) => said.has(topic)) ?? null;
}

/** Whether a word is only talk, such as `me` in `help me`. */
export function isTalk(word: Word): boolean {
  return !word.quoted && talkOf([bareWord(word)]) !== undefined;
}

/** `who are you?`, whatever follows. */
export const asksForHelp = (words: readonly Word[]): boolean =>
  segmentsOf(words.slice(0, MAX_PHRASE_WORDS))[0]?.talk === 'help';

export interface TakenTalk {
  readonly taken: readonly Word[];
  /** Those named without `on`, as in `is shop ok?` */
  readonly hosts: readonly Host[];
}

/** Talk and names of hosts at both ends. A general question may name what other commands are about. */
export function takeTalk(
  words: readonly Word[],
  names: HostNames & { readonly commands: CommandTable },
  topic: Topic | null,
): TakenTalk {
  if (words.length > MAX_WORDS) return { taken: [], hosts: [] };
  const segments = segmentsOf(words).map((segment): TalkSegment => {
    const [word] = segment.words;
    if (segment.talk !== null || word === undefined) return segment;
    return {
      ...segment,
      host: findByName(word, names, topic),
      talk: topic === 'question' && isNoun(word, names.commands) ? 'filler' : null,
    };
  });
  const isTaken = ({ talk, host }: TalkSegment): boolean => talk !== null || host !== null;
  const isSmall = ({ talk }: TalkSegment): boolean => talk === 'small';
  let from = 0;
  for (let at = 0; at < segments.length && isTaken(segments[at] as TalkSegment); at++)
    if (!isSmall(segments[at] as TalkSegment)) from = at + 1;
  let to = segments.length;
  for (let at = segments.length - 1; at >= from && isTaken(segments[at] as TalkSegment); at--)
    if (!isSmall(segments[at] as TalkSegment)) to = at;
  // If only small words are left between, they belong to the talk.
  if (from + segments.length - to > 0 && segments.slice(from, to).every(isSmall)) from = to;
  const outside = [...segments.slice(0, from), ...segments.slice(to)];
  return { taken: outside.flatMap((segment) => segment.words), hosts: outside.flatMap(({ host }) => host ?? []) };
}

/** `traffic` in `is the traffic normal?` */
function isNoun(word: Word, commands: CommandTable): boolean {
  const impliedBy = commands.find(bareWord(word))?.impliedBy;
  return impliedBy === 'range' || impliedBy === 'category';
}

/** An ID by itself could be a date. In a question, the first part of a name is enough: `is shop ok?` */
function findByName(word: Word, names: HostNames, topic: Topic | null): Host | null {
  const host = findNamed(word, names);
  if (host !== null) return host.name === host.id ? null : host;
  const [only, ...others] = topic === 'question' ? hostsWithPrefix(word, names, false) : [];
  return others.every(({ name }) => name === only?.name) ? (only ?? null) : null;
}

export interface CategoryWords {
  /** The service's name for it. */
  readonly field: string;
  readonly words: readonly Word[];
}

/** Words that name a category only beside `attacks`. */
const ORDINARY: ReadonlySet<string> = new Set(['other', 'custom', 'illegal', 'invalid', 'command']);
const MAX_CATEGORY_WORDS = 3;

/** The first attack category that is named: `sqli`, `SQL injections`, `cross-site scripting`. */
export function findCategory(words: readonly Word[], besideAttacks: boolean): CategoryWords | null {
  for (const at of words.keys()) {
    for (let length = Math.min(MAX_CATEGORY_WORDS, words.length - at); length > 0; length--) {
      const taken = words.slice(at, at + length);
      const phrase = taken.some(({ quoted }) => quoted) ? '' : taken.map(bareWord).join(' ');
      const field = categoryFor(phrase);
      if (field !== undefined && (besideAttacks || !ORDINARY.has(phrase))) return { field, words: taken };
    }
  }
  return null;
}
