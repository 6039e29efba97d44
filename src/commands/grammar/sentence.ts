/**
 * Understands one sentence: verb, window, hosts, zone and the rest, in any order that makes sense. Words are taken out
 * part by part, and whatever is left must be the range, so that no word is ignored.
 */
import { BotError, type Span, UsageError } from '../../errors.ts';
import { type ParsedRange, parseRange, plainPunctuation, resolveZone } from '../../time/index.ts';
import {
  COMMAND_WORDS,
  type Command,
  type CommandEffect,
  commandFor,
  type Part,
  type SubCommandName,
  type Verb,
} from './command-table.ts';
import { type Host, type HostAlias, readHosts } from './hosts.ts';
import { blankOut, nearestWord, splitWords, type Word } from './tokens.ts';

interface SentenceContext {
  readonly now: Temporal.Instant;
  /** The zone when the sentence names none. */
  readonly zone: string;
  readonly aliases: readonly HostAlias[];
}

export interface Sentence {
  readonly verb: Verb;
  /** As typed, for carets. */
  readonly text: string;
  /** `null` when the sentence names no window. */
  readonly range: ParsedRange | null;
  readonly versus: ParsedRange | 'previous' | null;
  readonly hosts: readonly Host[];
  readonly zone: string;
  readonly privately: boolean;
  /** `only`: the file without the answer around it. */
  readonly csv: boolean | 'only';
  /** What the answer rests on, instead of the answer. */
  readonly why: boolean;
  /** `null` for a verb without sub-commands, and where the words fit none of them. */
  readonly subCommand: SubCommandName | null;
  readonly effect: CommandEffect;
  /** The words that are no common part, without the one that names the sub-command. */
  readonly args: readonly Word[];
}

/** What a button's value holds, so that every sentence the bot writes itself can be asked. Reading longer ones is slow. */
const LONGEST_SENTENCE = 2_000;

export function parseSentence(text: string, context: SentenceContext): Sentence {
  if (text.length > LONGEST_SENTENCE) throw tooLong(text.length);
  const words = splitWords(text);
  const verb = findVerb(words);
  const command = verb === null ? impliedCommand(words) : verb.command;
  const has = (part: Part): boolean => command.parts.includes(part);

  const used = new Set<Word>(verb === null ? [] : [verb.word]);
  const take = (taken: readonly Word[]): void => taken.forEach((word) => void used.add(word));
  const left = (): Word[] => words.filter((word) => !used.has(word));

  const privately = has('privately') ? takeFlag(left(), PRIVATE, take) : false;
  const csv: Sentence['csv'] =
    has('csv') && takeFlag(left(), CSV, take) && (takeFlag(left(), ONLY, take) ? 'only' : true);
  const why = has('why') ? takeFlag(left(), WHY, take) : false;
  const hosts = has('hosts') ? readHosts(text, left(), context.aliases) : { hosts: [], used: [] };
  take(hosts.used);
  const zone = (has('zone') ? takeZone(left(), take) : null) ?? context.zone;
  const versusAt = has('versus') ? findVersus(left(), command.verb) : null;

  const own = command.subCommands !== undefined || command.takesWords ? left() : [];
  const asked = readSubCommand(command, verb?.word.lower, own);
  const base = { verb: command.verb, text, hosts: hosts.hosts, zone, privately, csv, why, ...asked };
  if (!has('range')) {
    if (own.length === 0) refuseLeftover(text, left());
    return { ...base, range: null, versus: null };
  }
  const rest = blankOut(plainPunctuation(text), [...used]);
  const read = (from: number, to: number): ParsedRange | null => {
    const part = squeezeBlanks(rest, from, to);
    // `check now` says the same twice.
    const isEmpty = part.text === '' || command.aliases.includes(part.text.toLowerCase());
    return isEmpty ? null : readRange(text, part, { now: context.now, zone }, verb === null ? words[0] : undefined);
  };
  const range = read(0, versusAt?.start ?? rest.length);
  if (versusAt === null) return { ...base, range, versus: null };
  const after = rest.slice(versusAt.end).trim().toLowerCase();
  const versus = PREVIOUS.test(after) ? 'previous' : read(versusAt.end, rest.length);
  if (versus === null) {
    throw new UsageError('After “vs” a second window is missing.', {
      text,
      span: versusAt,
      example: 'compare today vs yesterday',
    });
  }
  return { ...base, range, versus };
}

const PRIVATE: ReadonlySet<string> = new Set(['privately', 'private']);
const CSV: ReadonlySet<string> = new Set(['csv']);
const ONLY: ReadonlySet<string> = new Set(['only']);
const WHY: ReadonlySet<string> = new Set(['why', 'why?', 'details']);
/** Words that lead to a part, beside the flags. */
const LEADS = ['as', 'with', 'on', 'for', 'in'];
const AFTER_A_VERB: ReadonlySet<string> = new Set([...PRIVATE, ...CSV, ...WHY, ...LEADS]);
const OTHER_JOINTS = ['vs', 'vs.', 'versus', 'against', 'compared', 'and', '&', 'none', 'all'];
const RESERVED: ReadonlySet<string> = new Set([...AFTER_A_VERB, ...ONLY, ...OTHER_JOINTS]);
const PREVIOUS = /^(the )?(previous|prior|before|period before|previous period|prior period)$/;
/** Words that name a command but also a time: they count as the verb only where no time can be meant. */
const ALSO_TIMES: ReadonlySet<string> = new Set(['now']);

/** Whether a word means something wherever it stands, so that no host can have that name. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word.toLowerCase()) || commandFor(word) !== undefined;
}

/** The first word names the verb, or else the only verb word in the sentence: `last 24h timeline`. */
function findVerb(words: readonly Word[]): { readonly command: Command; readonly word: Word } | null {
  const candidates = words.flatMap((word, at) => {
    const command = word.quoted || !isVerb(words, at) ? undefined : commandFor(word.lower);
    return command === undefined ? [] : [{ command, word }];
  });
  const [first] = candidates;
  return first !== undefined && (first.word === words[0] || candidates.length === 1) ? first : null;
}

/** `now on shop` is a question; `now - 6h to now` and `since 9am to now` are times. */
function isVerb(words: readonly Word[], at: number): boolean {
  if (!ALSO_TIMES.has(words[at]?.lower ?? '')) return true;
  const next = words[at + 1]?.lower;
  return at === 0 && (next === undefined || AFTER_A_VERB.has(next));
}

/** No verb at all: a bare range means the timeline, an empty sentence asks for help. */
function impliedCommand(words: readonly Word[]): Command {
  const command = commandFor(words.length === 0 ? 'help' : 'timeline');
  if (command === undefined) throw new Error('the command table lacks help or timeline');
  return command;
}

/** What a verb is asked to do. Words that fit no sub-command count as a change, so that in doubt an admin is needed. */
function readSubCommand(
  { subCommands }: Command,
  verbWord: string | undefined,
  words: readonly Word[],
): Pick<Sentence, 'subCommand' | 'effect' | 'args'> {
  if (subCommands === undefined) return { subCommand: null, effect: 'look', args: words };
  const at = words.findIndex(({ text, quoted }) => quoted || text !== ',');
  const first = words[at]?.lower;
  // `ack` and `snooze 2h` name the verb and its sub-command in one word.
  const inVerb = subCommands.find((each) => verbWord !== undefined && each.words.includes(verbWord));
  const named = first === undefined ? undefined : subCommands.find((each) => each.words.includes(first));
  const unnamed = subCommands.find(({ bareAfter, otherwise }) =>
    first === undefined ? verbWord !== undefined && bareAfter?.includes(verbWord) : otherwise,
  );
  const found = inVerb ?? named ?? unnamed;
  const args = inVerb === undefined && named !== undefined ? words.slice(at + 1) : words;
  return { subCommand: found?.name ?? null, effect: found?.effect ?? 'change', args };
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

/** Nobody says `in` more often, and looking a zone up takes its time. */
const MOST_INS = 10;

/** `in Europe/Berlin`, `in new york`; `in March` is left for the range. */
function takeZone(words: readonly Word[], take: (words: readonly Word[]) => void): string | null {
  const ins = words.entries().filter(([, { lower }]) => lower === 'in');
  for (const [at, word] of ins.take(MOST_INS)) {
    for (const length of [3, 2, 1]) {
      const name = words.slice(at + 1, at + 1 + length);
      const zone = name.length === length ? resolveZone(name.map((part) => part.text).join(' ')) : null;
      if (zone === null) continue;
      take([word, ...name]);
      return zone;
    }
  }
  return null;
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

interface SqueezedText {
  readonly text: string;
  /** Where each of its characters stands in the text it was made from. */
  readonly places: readonly number[];
}

/** The words between two offsets, one blank apart: where other parts were taken out, nothing but blanks is left. */
function squeezeBlanks(whole: string, from: number, to: number): SqueezedText {
  const places: number[] = [];
  for (let at = from; at < to; at += 1) {
    const isBlank = whole[at] === ' ';
    if (!isBlank || (places.length > 0 && whole[at - 1] !== ' ')) places.push(at);
  }
  if (whole[places.at(-1) ?? -1] === ' ') places.pop();
  return { text: places.map((place) => whole[place]).join(''), places };
}

/** The range, with a better explanation when the fault is really a misspelt verb. */
function readRange(
  text: string,
  part: SqueezedText,
  time: { now: Temporal.Instant; zone: string },
  first: Word | undefined,
): ParsedRange {
  try {
    return parseRange(part.text, time);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const suggestion = first === undefined ? undefined : nearestCommand(first.lower);
    if (first === undefined || suggestion === undefined) throw inSentence(error, text, 'timeline', part.places);
    throw new UsageError(`“${first.text}” is not a command.`, {
      text,
      span: first,
      suggestion,
      example: (suggestion + text.slice(first.end)).trim(),
    });
  }
}

/**
 * The error of one part as an error of the whole sentence; its example gets the verb it needs. `places` says where the
 * characters of the part stand, where that is not where they stand in the sentence.
 */
export function inSentence(error: UsageError, text: string, verb: string, places?: readonly number[]): UsageError {
  const { message, suggestion, example, hint } = error;
  const span = places === undefined || error.span === undefined ? error.span : placeOf(error.span, places);
  return new UsageError(message, {
    text,
    ...(span === undefined ? {} : { span: withoutBlanks(text, span) }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(example === undefined ? {} : { example: example.startsWith(verb) ? example : `${verb} ${example}` }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function placeOf({ start, end }: Span, places: readonly number[]): Span {
  const first = places[start] ?? places.at(-1) ?? 0;
  return { start: first, end: Math.max(first, places[end - 1] ?? places.at(-1) ?? 0) + 1 };
}

function withoutBlanks(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const blanks = part.length - part.trimStart().length;
  return { start: start + blanks, end: start + Math.max(blanks + 1, part.trimEnd().length) };
}

/** The word for a command that was probably meant. */
export function nearestCommand(word: string): string | undefined {
  return nearestWord(word, COMMAND_WORDS, word.length <= 4 ? 1 : 2);
}

/** Refuses a word that no part has used. */
export function refuseLeftover(text: string, [word]: readonly Word[]): void {
  if (word === undefined) return;
  throw new UsageError(`“${word.text}” has no meaning here.`, { text, span: word, example: 'help' });
}

function tooLong(length: number): BotError {
  return new BotError('limit', `That has ${length} characters; I read up to ${LONGEST_SENTENCE}.`, {
    hint: 'Say it in fewer words; names for hosts are shorter than their IDs.',
  });
}
