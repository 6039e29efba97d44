/**
 * Reads one sentence: verb, window, hosts, zone and the rest, in any order that makes sense. Words are taken out part by
 * part, and whatever is left must be the range, so that no word is ignored.
 */
import { BotError, type Span, UsageError } from '../errors.ts';
import { findZone, parseRange, plainPunctuation, suggestedRange, type TypedRange } from '../time/index.ts';
import {
  type CommandDefinition,
  type CommandTable,
  type Part,
  type RequestedSubCommand,
  readSubCommand,
} from './command-table.ts';
import { distinctHosts, type Host, type KnownHosts, readHosts } from './hosts.ts';
import { asksForHelp, type CategoryWords, findCategory, isTalk, type Topic, takeTalk, topicOf } from './talk.ts';
import {
  bareWord,
  blankOut,
  placeOf,
  splitWords,
  squeezeBlanks,
  type Word,
  withOther,
  withoutBlanks,
  withoutMarksAtEnd,
} from './tokens.ts';

interface SentenceContext extends KnownHosts {
  readonly commands: CommandTable;
  readonly now: Temporal.Instant;
  /** The zone when the sentence names none. */
  readonly zone: string;
}

export interface Sentence extends RequestedSubCommand {
  readonly verb: string;
  /** As typed, for carets. */
  readonly text: string;
  /** `null` when the sentence names no window. */
  readonly range: TypedRange | null;
  readonly versus: TypedRange | 'previous' | null;
  readonly hosts: readonly Host[];
  /** The field of the one attack category it is about. */
  readonly category: string | null;
  /** What it was taken to be about when it names no command. */
  readonly topic: Topic | null;
  readonly zone: string;
  readonly privately: boolean;
  /** `only`: the file without the answer around it. */
  readonly csv: boolean | 'only';
  /** Asks for what the answer rests on instead of the answer: in a few lines, the rule, or all numbers. */
  readonly why: boolean | 'rule' | 'numbers';
  /** Asks for single events instead of who leads. */
  readonly events: boolean;
}

/** What a button's value holds, so that every sentence the bot writes itself can be read. Longer ones are slow to read. */
const MAX_SENTENCE_LENGTH = 2_000;

export function parseSentence(text: string, context: SentenceContext): Sentence {
  if (text.length > MAX_SENTENCE_LENGTH) throw tooLong(text.length);
  const words = splitWords(text);
  const requested = findCommand(words, context.commands);
  const { command, word: verbWord, topic, category } = requested;
  const { used, hosts, ...parts } = takeParts(text, words, requested, context);
  const left = words.filter((word) => !used.has(word));
  const own = command.subCommands !== undefined || command.takesWords ? left : [];
  const base = {
    ...parts,
    verb: command.verb,
    text,
    category: category?.field ?? null,
    topic,
    ...readSubCommand(command, verbWord?.lower, own),
  };
  if (command.parts.includes('range')) {
    const reading = { text, words, requested, used, context: { ...context, zone: parts.zone } };
    return { ...base, ...readWindows(reading, hosts) };
  }
  if (own.length === 0) refuseLeftover(text, left);
  return { ...base, hosts, range: null, versus: null };
}

interface TakenParts extends Pick<Sentence, 'privately' | 'csv' | 'why' | 'events' | 'hosts' | 'zone'> {
  /** Their words, with those of the command and the category. */
  readonly used: ReadonlySet<Word>;
}

/** Takes out every part but the windows. A flag that the command doesn't declare is refused. */
function takeParts(
  text: string,
  words: readonly Word[],
  { command, word: verbWord, more = [], category }: RequestedCommand,
  context: SentenceContext,
): TakenParts {
  const has = (part: Part): boolean => command.parts.includes(part);
  const used = new Set<Word>(verbWord === null ? [] : [verbWord, ...more]);
  const take = (taken: readonly Word[]): void => taken.forEach((word) => void used.add(word));
  const left = (): Word[] => words.filter((word) => !used.has(word));
  const takeFlag = (part: Part, flag: ReadonlySet<string>): boolean => {
    const found = findFlag(left(), flag);
    if (found === null) return false;
    if (has(part)) take(found);
    else if (verbWord !== null && !command.takesWords) throw undeclared(text, command, found);
    return has(part);
  };
  const privately = takeFlag('privately', PRIVATE);
  const csv: Sentence['csv'] = takeFlag('csv', CSV) && (takeFlag('csv', ONLY) ? 'only' : true);
  const [whyPart, whyWords] = findWhyPart(left());
  const why: Sentence['why'] = takeFlag('why', WHY) && (whyPart ?? true);
  if (why !== false) take(whyWords);
  const single = has('events') ? findSingleEvents(left()) : [];
  take(single);
  const named = has('hosts') ? readHosts(text, left(), context) : { hosts: [], used: [] };
  take(named.used);
  take(category?.words ?? []);
  const inZone = has('zone') ? findZone(left()) : null;
  take(inZone?.words ?? []);
  const events = single.length > 0;
  return { privately, csv, why, events, hosts: named.hosts, zone: inZone?.zone ?? context.zone, used };
}

interface SentenceReading {
  readonly text: string;
  readonly words: readonly Word[];
  readonly requested: RequestedCommand;
  /** The words of the other parts. */
  readonly used: ReadonlySet<Word>;
  readonly context: SentenceContext;
}

/** The window and what it is compared with, and the hosts that are named in passing, as in `is shop ok?` */
function readWindows(reading: SentenceReading, named: readonly Host[]): Pick<Sentence, 'range' | 'versus' | 'hosts'> {
  const { text, words, requested, used, context } = reading;
  const { command, word: verbWord } = requested;
  const left = words.filter((word) => !used.has(word));
  const versusAt = findVersus(left, command);
  if (versusAt !== null && !command.parts.includes('versus')) {
    if (verbWord !== null) throw notComparing(text, requested, verbWord, versusAt, context.commands);
    return { ...readWindow(reading, named, 0, text.length), versus: null };
  }
  const first = readWindow(reading, named, 0, versusAt?.start ?? text.length);
  if (versusAt === null) return { ...first, versus: null };
  const after = blankOut(plainPunctuation(text), [...used])
    .slice(versusAt.end)
    .trim()
    .toLowerCase();
  if (PREVIOUS.test(after)) return { ...first, versus: 'previous' };
  const second = readWindow(reading, first.hosts, versusAt.end, text.length);
  if (second.range !== null) return { range: first.range, hosts: second.hosts, versus: second.range };
  const corrected = `${text.slice(0, versusAt.end)} previous${text.slice(versusAt.end)}`;
  throw new UsageError('The second window is missing after “vs”.', { text, span: versusAt, corrected });
}

/** The range between two offsets. Talk is left out if there is no command, or if the range can't be read otherwise. */
function readWindow(
  reading: SentenceReading,
  hosts: readonly Host[],
  from: number,
  to: number,
): Pick<Sentence, 'range' | 'hosts'> {
  const { words, requested, used, context } = reading;
  const readWithoutTalk = (fault?: UsageError) => {
    const inside = words.filter((word) => !used.has(word) && word.start >= from && word.end <= to);
    const talk = takeTalk(inside, context, requested.topic);
    if (fault !== undefined && talk.taken.length === 0) throw fault;
    return {
      range: readRange(reading, talk.taken, from, to),
      hosts: distinctHosts([...hosts, ...talk.hosts], context),
    };
  };
  if (requested.word === null) return readWithoutTalk();
  try {
    return { range: readRange(reading, [], from, to), hosts: distinctHosts(hosts, context) };
  } catch (error) {
    if (error instanceof UsageError) return readWithoutTalk(error);
    throw error;
  }
}

const PRIVATE: ReadonlySet<string> = new Set(['privately', 'private']);
const CSV: ReadonlySet<string> = new Set(['csv']);
const ONLY: ReadonlySet<string> = new Set(['only']);
const WHY: ReadonlySet<string> = new Set(['why', 'why?', 'details']);
/** Words that introduce a part. */
const LEADS = ['as', 'with', 'on', 'for', 'in'];
const AFTER_A_VERB: ReadonlySet<string> = new Set([...PRIVATE, ...CSV, ...WHY, ...LEADS]);
const OTHER_JOINTS = ['vs', 'vs.', 'versus', 'against', 'compared', 'and', '&', 'none', 'all', 'project'];
const RESERVED: ReadonlySet<string> = new Set([...AFTER_A_VERB, ...ONLY, ...OTHER_JOINTS]);
const PREVIOUS = /^(the )?(previous|prior|before|period before|previous period|prior period)$/;

/** Whether a word means something wherever it stands, so that no host can have that name. */
export function isReserved(word: string, commands: CommandTable): boolean {
  return RESERVED.has(word.toLowerCase()) || commands.find(word) !== undefined;
}

interface RequestedCommand {
  readonly command: CommandDefinition;
  /** `null` if it was only implied. */
  readonly word: Word | null;
  /** The words after it, if it's a phrase. */
  readonly more?: readonly Word[];
  readonly topic: Topic | null;
  readonly category: CategoryWords | null;
}

/**
 * The command, by the first of these: the first word; a phrase, or a verb that counts anywhere; an attack category; a
 * general question; the only command word in the sentence; a greeting, which is taken for a question. Else it's a range.
 */
function findCommand(words: readonly Word[], commands: CommandTable): RequestedCommand {
  const implied = (
    by: NonNullable<CommandDefinition['impliedBy']>,
    topic: Topic | null,
    category: CategoryWords | null = null,
  ): RequestedCommand => ({ command: commands.impliedBy(by), word: null, topic, category });
  const verb = findVerb(words, commands);
  const phrase = verb !== null && verb.word === words[0] ? null : findPhrase(words, commands);
  if (phrase !== null) return { ...phrase, topic: null, category: null };
  const isMeant = verb?.word === words[0] || verb?.command.anywhere;
  const takesCategory = verb?.command.parts.includes('category') === true;
  const category = verb === null || takesCategory ? findCategory(words, takesCategory) : null;
  if (verb !== null && (isMeant || category !== null)) return { ...verb, topic: null, category };
  if (category !== null) return implied('category', null, category);
  const topic = topicOf(words);
  if (topic === 'question') return implied('question', topic);
  if (topic === 'help' || topic === 'thanks') return implied('help', topic);
  if (verb !== null) return { ...verb, topic: null, category: null };
  if (topic === 'greeting') return implied('question', topic);
  return words.every(isTalk) ? implied('help', words.length === 0 ? null : 'help') : implied('range', null);
}

/** The first word names the verb, or else the only verb word in the sentence: `last 24h timeline`. */
function findVerb(
  words: readonly Word[],
  commands: CommandTable,
): { readonly command: CommandDefinition; readonly word: Word } | null {
  const candidates = words.flatMap((word, at) => {
    const command = word.quoted ? undefined : (commands.find(word.lower) ?? commands.find(bareWord(word)));
    return command === undefined || !isVerb(words, at) ? [] : [{ command, word }];
  });
  const [first] = candidates;
  return first !== undefined && (first.word === words[0] || candidates.length === 1) ? first : null;
}

/** `which host`, wherever it stands. */
function findPhrase(
  words: readonly Word[],
  { all }: CommandTable,
): (Pick<RequestedCommand, 'command' | 'more'> & { readonly word: Word }) | null {
  const bare = words.map((word) => (word.quoted ? '' : bareWord(word)));
  for (const command of all) {
    for (const { words: phrase, beside } of command.phrases ?? []) {
      const at = bare.findIndex((_, start) => phrase.every((part, index) => bare[start + index] === part));
      const [word, ...more] = at < 0 ? [] : words.slice(at, at + phrase.length);
      if (word !== undefined && (beside === undefined || bare.some((each) => beside.includes(each))))
        return { command, word, more };
    }
  }
  return null;
}

/** `now on shop` is a question; `now - 6h to now` and `since 9am to now` are times; `is it ok ?` doesn't ask for help. */
function isVerb(words: readonly Word[], at: number): boolean {
  const lower = words[at]?.lower ?? '';
  if (asksForHelp(words.slice(at))) return false;
  if (lower === '?') return words.length === 1;
  if (lower !== 'now') return true;
  const next = words[at + 1]?.lower;
  return at === 0 && (next === undefined || AFTER_A_VERB.has(next));
}

function findFlag(words: readonly Word[], flag: ReadonlySet<string>): Word[] | null {
  const at = words.findIndex((word) => !word.quoted && flag.has(word.lower));
  const word = words[at];
  if (word === undefined) return null;
  const before = words[at - 1];
  return before !== undefined && ['as', 'in', 'with'].includes(before.lower) ? [before, word] : [word];
}

/** The word right after `why`, so that a host can still be called `numbers`. */
function findWhyPart(words: readonly Word[]): [part: 'rule' | 'numbers' | null, words: readonly Word[]] {
  const at = words.findIndex(({ lower, quoted }) => !quoted && WHY.has(lower));
  const next = at < 0 ? undefined : words[at + 1];
  const part = next?.lower === 'rule' || next?.lower === 'numbers' ? next.lower : null;
  return [part, part === null || next === undefined ? [] : [next]];
}

/** Two words, so that a host can still be called `events`. */
function findSingleEvents(words: readonly Word[]): Word[] {
  const at = words.findIndex(
    ({ lower }, index) => lower === 'single' && /^events?$/.test(words[index + 1]?.lower ?? ''),
  );
  return at < 0 ? [] : words.slice(at, at + 2);
}

function findVersus(words: readonly Word[], { impliedBy }: CommandDefinition): Span | null {
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    if (['vs', 'vs.', 'versus', 'against'].includes(word.lower)) return word;
    if (word.lower === 'compared' && next !== undefined && ['to', 'with'].includes(next.lower)) {
      return { start: word.start, end: next.end };
    }
    if (impliedBy === 'versus' && word.lower === 'with') return word;
  }
  return null;
}

/** The range between two offsets without some words; the fault is explained better if it is really a misspelt verb. */
function readRange(reading: SentenceReading, without: readonly Word[], from: number, to: number): TypedRange | null {
  const { text, requested, used, context } = reading;
  const { command, word: verbWord } = requested;
  const part = squeezeBlanks(blankOut(plainPunctuation(text), [...used, ...without]), from, to);
  // `check now` says the same twice.
  if (part.text === '' || command.aliases.includes(withoutMarksAtEnd(part.text.toLowerCase()))) return null;
  try {
    return { ...parseRange(part.text, context), typed: part.text };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const first = verbWord !== null ? undefined : splitWords(text).find(({ start }) => start === part.places[0]);
    const suggestion = first === undefined ? undefined : context.commands.nearest(bareWord(first));
    if (first !== undefined && suggestion !== undefined) {
      const corrected = suggestion + text.slice(first.end);
      throw new UsageError(`“${first.text}” isn't a command.`, { text, span: first, suggestion, corrected });
    }
    const range = suggestedRange(part.text, error, context);
    const corrected = range === undefined ? undefined : withOther(text, part, range, [...used]);
    throw inSentence(error, text, command.verb, { places: part.places, corrected });
  }
}

/**
 * The error of one part as an error of the whole sentence; its example gets the verb it needs. `places` maps the
 * characters of the part to the sentence where the two differ.
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
    span: span === undefined ? undefined : withoutBlanks(text, span),
    suggestion,
    corrected,
    example: example === undefined || example.startsWith(verb) ? example : `${verb} ${example}`,
    hint,
    next,
  });
}

/** Refuses a word that no part has used and that isn't talk. */
export function refuseLeftover(text: string, words: readonly Word[]): void {
  const word = words.find((each) => !isTalk(each));
  if (word === undefined) return;
  throw new UsageError(`I don't know what “${word.text}” means here.`, {
    text,
    span: word,
    corrected: withoutWords(text, word),
  });
}

const withoutWords = (text: string, { start, end }: Span): string =>
  `${text.slice(0, start).trim()} ${text.slice(end).trim()}`.trim();

/** For a flag that another command would understand. */
function undeclared(text: string, { verb }: CommandDefinition, words: readonly Word[]): UsageError {
  const span = { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? text.length };
  return new UsageError(`“${text.slice(span.start, span.end)}” doesn't work with ${verb}.`, {
    text,
    span,
    hint: `See help ${verb} for what it understands.`,
    corrected: withoutWords(text, span),
  });
}

/** For `check today vs yesterday`, which `compare` answers. */
function notComparing(
  text: string,
  { command }: RequestedCommand,
  verbWord: Span,
  span: Span,
  commands: CommandTable,
): UsageError {
  const { verb } = commands.impliedBy('versus');
  return new UsageError(`${command.verb} is about one window. To see two side by side, use ${verb}.`, {
    text,
    span,
    corrected: text.slice(0, verbWord.start) + verb + text.slice(verbWord.end),
  });
}

function tooLong(length: number): BotError {
  return new BotError('limit', `That has ${length} characters; I read up to ${MAX_SENTENCE_LENGTH}.`, {
    hint: 'Use fewer words. Host names are shorter than host IDs.',
  });
}
