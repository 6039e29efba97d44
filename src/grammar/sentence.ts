/**
 * Understands one sentence: verb, window, hosts, zone and the rest, in any order that makes sense. Words are taken out
 * part by part, and whatever is left must be the range, so that no word is ignored.
 */
import { BotError, type Span, UsageError } from '../errors.ts';
import {
  findZone,
  type ParsedRange,
  parseRange,
  plainPunctuation,
  suggestedRange,
  type TypedRange,
} from '../time/index.ts';
import {
  type AskedSubCommand,
  type Command,
  commandFor,
  commandOf,
  nearestCommand,
  type Part,
  readSubCommand,
  type Verb,
} from './command-table.ts';
import { distinctHosts, type Host, type KnownHosts, readHosts } from './hosts.ts';
import { asksForHelp, type CategoryWords, findCategory, isTalk, type Topic, takeTalk, topicOf } from './talk.ts';
import {
  bareWord,
  blankOut,
  placeOf,
  type SqueezedText,
  splitWords,
  squeezeBlanks,
  type Word,
  withOther,
  withoutBlanks,
  withoutMarksAtEnd,
} from './tokens.ts';

interface SentenceContext extends KnownHosts {
  readonly now: Temporal.Instant;
  /** The zone when the sentence names none. */
  readonly zone: string;
}

export interface Sentence extends AskedSubCommand {
  readonly verb: Verb;
  /** As typed, for carets. */
  readonly text: string;
  /** `null` when the sentence names no window. */
  readonly range: TypedRange | null;
  readonly versus: TypedRange | 'previous' | null;
  readonly hosts: readonly Host[];
  /** The field of the one attack category that is asked about. */
  readonly category: string | null;
  /** What it was taken to be about, where no command was named. */
  readonly topic: Topic | null;
  readonly zone: string;
  readonly privately: boolean;
  /** `only`: the file without the answer around it. */
  readonly csv: boolean | 'only';
  /** What the answer rests on, instead of the answer. */
  readonly why: boolean;
}

/** What a button's value holds, so that every sentence the bot writes itself can be asked. Reading longer ones is slow. */
const LONGEST_SENTENCE = 2_000;

export function parseSentence(text: string, context: SentenceContext): Sentence {
  if (text.length > LONGEST_SENTENCE) throw tooLong(text.length);
  const words = splitWords(text);
  const { command, word: verbWord, topic, category } = findCommand(words);
  const has = (part: Part): boolean => command.parts.includes(part);

  const used = new Set<Word>(verbWord === null ? [] : [verbWord]);
  const take = (taken: readonly Word[]): void => taken.forEach((word) => void used.add(word));
  const left = (): Word[] => words.filter((word) => !used.has(word));

  const privately = has('privately') ? takeFlag(left(), PRIVATE, take) : false;
  const csv: Sentence['csv'] =
    has('csv') && takeFlag(left(), CSV, take) && (takeFlag(left(), ONLY, take) ? 'only' : true);
  const why = has('why') ? takeFlag(left(), WHY, take) : false;
  const named = has('hosts') ? readHosts(text, left(), context) : { hosts: [], used: [] };
  take(named.used);
  take(category?.words ?? []);
  const inZone = has('zone') ? findZone(left()) : null;
  take(inZone?.words ?? []);
  const zone = inZone?.zone ?? context.zone;
  const versusAt = has('versus') ? findVersus(left(), command.verb) : null;

  const own = command.subCommands !== undefined || command.takesWords ? left() : [];
  const wish = readSubCommand(command, verbWord?.lower, own);
  const base = {
    verb: command.verb,
    text,
    zone,
    privately,
    csv,
    why,
    category: category?.field ?? null,
    topic,
    ...wish,
  };
  if (!has('range')) {
    if (own.length === 0) refuseLeftover(text, left());
    return { ...base, hosts: named.hosts, range: null, versus: null };
  }
  const hosts = [...named.hosts];
  const rest = (talk: readonly Word[]): string => blankOut(plainPunctuation(text), [...used, ...talk]);
  const readWithout = (talk: readonly Word[], from: number, to: number): TypedRange | null => {
    const part = squeezeBlanks(rest(talk), from, to);
    // `check now` says the same twice.
    if (part.text === '' || command.aliases.includes(withoutMarksAtEnd(part.text.toLowerCase()))) return null;
    const found = readRange(part, { now: context.now, zone }, { text, command, isNamed: verbWord !== null, used });
    return { ...found, typed: part.text };
  };
  /** The range between two offsets. Talk is left out where there is no command, or where it cannot be read otherwise. */
  const read = (from: number, to: number): TypedRange | null => {
    const readWithoutTalk = (fault?: UsageError): TypedRange | null => {
      const inside = left().filter(({ start, end }) => start >= from && end <= to);
      const talk = takeTalk(inside, context, topic);
      if (fault !== undefined && talk.taken.length === 0) throw fault;
      hosts.push(...talk.hosts);
      return readWithout(talk.taken, from, to);
    };
    if (verbWord === null) return readWithoutTalk();
    try {
      return readWithout([], from, to);
    } catch (error) {
      if (error instanceof UsageError) return readWithoutTalk(error);
      throw error;
    }
  };
  const range = read(0, versusAt?.start ?? text.length);
  const done = (versus: Sentence['versus']): Sentence => ({ ...base, hosts: distinctHosts(hosts), range, versus });
  if (versusAt === null) return done(null);
  const after = rest([]).slice(versusAt.end).trim().toLowerCase();
  const versus = PREVIOUS.test(after) ? 'previous' : read(versusAt.end, text.length);
  if (versus !== null) return done(versus);
  const corrected = `${text.slice(0, versusAt.end)} previous${text.slice(versusAt.end)}`;
  throw new UsageError('After “vs” a second window is missing.', { text, span: versusAt, corrected });
}

const PRIVATE: ReadonlySet<string> = new Set(['privately', 'private']);
const CSV: ReadonlySet<string> = new Set(['csv']);
const ONLY: ReadonlySet<string> = new Set(['only']);
const WHY: ReadonlySet<string> = new Set(['why', 'why?', 'details']);
/** Words that lead to a part, beside the flags. */
const LEADS = ['as', 'with', 'on', 'for', 'in'];
const AFTER_A_VERB: ReadonlySet<string> = new Set([...PRIVATE, ...CSV, ...WHY, ...LEADS]);
const OTHER_JOINTS = ['vs', 'vs.', 'versus', 'against', 'compared', 'and', '&', 'none', 'all', 'project'];
const RESERVED: ReadonlySet<string> = new Set([...AFTER_A_VERB, ...ONLY, ...OTHER_JOINTS]);
const PREVIOUS = /^(the )?(previous|prior|before|period before|previous period|prior period)$/;

/** Whether a word means something wherever it stands, so that no host can have that name. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word.toLowerCase()) || commandFor(word) !== undefined;
}

interface AskedCommand {
  readonly command: Command;
  /** `null` where it was only implied. */
  readonly word: Word | null;
  readonly topic: Topic | null;
  readonly category: CategoryWords | null;
}

/**
 * What is asked, by the first of these: the first word as a command, or `who`; an attack category; a general question, which gets
 * the check; the only command word in the sentence; a greeting, which gets the check too. Else it is a range for the timeline.
 */
function findCommand(words: readonly Word[]): AskedCommand {
  const verb = findVerb(words);
  const isMeant = verb?.word === words[0] || verb?.command.verb === 'who';
  const isAttacks = verb?.command.verb === 'attacks';
  const category = verb === null || isAttacks ? findCategory(words, isAttacks) : null;
  if (verb !== null && (isMeant || category !== null)) return { ...verb, topic: null, category };
  if (category !== null) return implied('attacks', null, category);
  const topic = topicOf(words);
  if (topic === 'question') return implied('check', topic);
  if (topic === 'help' || topic === 'thanks') return implied('help', topic);
  if (verb !== null) return { ...verb, topic: null, category: null };
  if (topic === 'greeting') return implied('check', topic);
  return words.every(isTalk) ? implied('help', words.length === 0 ? null : 'help') : implied('timeline', null);
}

function implied(verb: Verb, topic: Topic | null, category: CategoryWords | null = null): AskedCommand {
  return { command: commandOf(verb), word: null, topic, category };
}

/** The first word names the verb, or else the only verb word in the sentence: `last 24h timeline`. */
function findVerb(words: readonly Word[]): { readonly command: Command; readonly word: Word } | null {
  const candidates = words.flatMap((word, at) => {
    const command =
      word.quoted || !isVerb(words, at) ? undefined : (commandFor(word.lower) ?? commandFor(bareWord(word)));
    return command === undefined ? [] : [{ command, word }];
  });
  const [first] = candidates;
  return first !== undefined && (first.word === words[0] || candidates.length === 1) ? first : null;
}

/** `now on shop` is a question; `now - 6h to now` and `since 9am to now` are times; `is it ok ?` is no call for help. */
function isVerb(words: readonly Word[], at: number): boolean {
  const lower = words[at]?.lower ?? '';
  if (lower === 'who') return !asksForHelp(words.slice(at));
  if (lower === '?') return words.length === 1;
  if (lower !== 'now') return true;
  const next = words[at + 1]?.lower;
  return at === 0 && (next === undefined || AFTER_A_VERB.has(next));
}

function takeFlag(words: readonly Word[], flag: ReadonlySet<string>, take: (words: readonly Word[]) => void): boolean {
  const at = words.findIndex((word) => !word.quoted && flag.has(word.lower));
  const word = words[at];
  if (word === undefined) return false;
  const before = words[at - 1];
  const lead = before !== undefined && ['as', 'in', 'with'].includes(before.lower) ? [before] : [];
  take([...lead, word]);
  return true;
}

function findVersus(words: readonly Word[], verb: Verb): Span | null {
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    if (['vs', 'vs.', 'versus', 'against'].includes(word.lower)) return word;
    if (word.lower === 'compared' && next !== undefined && ['to', 'with'].includes(next.lower)) {
      return { start: word.start, end: next.end };
    }
    if (verb === 'compare' && word.lower === 'with') return word;
  }
  return null;
}

interface ReadSentence {
  readonly text: string;
  readonly command: Command;
  /** By a word in the sentence. */
  readonly isNamed: boolean;
  /** The words of the other parts. */
  readonly used: ReadonlySet<Word>;
}

/** The range, with a better explanation when the fault is really a misspelt verb. */
function readRange(
  part: SqueezedText,
  time: { now: Temporal.Instant; zone: string },
  whole: ReadSentence,
): ParsedRange {
  try {
    return parseRange(part.text, time);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { text, command, isNamed, used } = whole;
    const first = isNamed ? undefined : splitWords(text).find(({ start }) => start === part.places[0]);
    const suggestion = first === undefined ? undefined : nearestCommand(bareWord(first));
    if (first !== undefined && suggestion !== undefined) {
      const corrected = suggestion + text.slice(first.end);
      throw new UsageError(`“${first.text}” is not a command.`, { text, span: first, suggestion, corrected });
    }
    const range = suggestedRange(part.text, error, time);
    const corrected = range === undefined ? {} : { corrected: withOther(text, part, range, [...used]) };
    throw inSentence(error, text, command.verb, { places: part.places, ...corrected });
  }
}

/**
 * The error of one part as an error of the whole sentence; its example gets the verb it needs. `places` says where the
 * characters of the part stand, where that is not where they stand in the sentence.
 */
export function inSentence(
  error: UsageError,
  text: string,
  verb: string,
  { places, corrected }: { readonly places?: readonly number[]; readonly corrected?: string } = {},
): UsageError {
  const { message, suggestion, example, hint, next } = error;
  const span = places === undefined || error.span === undefined ? error.span : placeOf(error.span, places);
  return new UsageError(message, {
    text,
    ...(span === undefined ? {} : { span: withoutBlanks(text, span) }),
    suggestion,
    corrected,
    ...(example === undefined ? {} : { example: example.startsWith(verb) ? example : `${verb} ${example}` }),
    hint,
    next,
  });
}

/** Refuses a word that no part has used and that is no talk. */
export function refuseLeftover(text: string, words: readonly Word[]): void {
  const word = words.find((each) => !isTalk(each));
  if (word === undefined) return;
  const corrected = `${text.slice(0, word.start).trim()} ${text.slice(word.end).trim()}`.trim();
  throw new UsageError(`“${word.text}” has no meaning here.`, { text, span: word, corrected });
}

function tooLong(length: number): BotError {
  return new BotError('limit', `That has ${length} characters; I read up to ${LONGEST_SENTENCE}.`, {
    hint: 'Say it in fewer words; names for hosts are shorter than their IDs.',
  });
}
