/**
 * One sentence, understood: verb, window, hosts, zone and the rest, in any order that can be understood. Words are
 * taken out part by part; whatever is left must be the range, so nothing is ever ignored in silence.
 */
import { closest, distance } from 'fastest-levenshtein';
import { type Span, UsageError } from '../../errors.ts';
import { type ParsedRange, parseRange } from '../../time/index.ts';
import type { HostAlias } from '../ports.ts';
import {
  ALSO_TIMES,
  COMMAND_WORDS,
  type CommandDefinition,
  commandFor,
  type Part,
  type Verb,
} from './command-table.ts';
import { type Host, readHosts } from './hosts.ts';
import { CSV, findVersus, PRIVATE, takeCsv, takeFlag, takeZone } from './sentence-parts.ts';
import { blankOut, plainPunctuation, splitWords, type Word } from './tokens.ts';

export interface SentenceContext {
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
  /** The verb's own words, common parts taken out. */
  readonly own: readonly Word[];
}

export function parseSentence(text: string, context: SentenceContext): Sentence {
  const words = splitWords(text);
  const found = findVerb(words);
  const command: CommandDefinition & { readonly verb: Verb } = found?.command ?? impliedCommand(words);
  const has = (part: Part): boolean => command.parts.includes(part);

  const used: Span[] = found === null ? [] : [found.word];
  const take = (taken: readonly Word[]): void => void used.push(...taken);
  const left = (): Word[] => words.filter((word) => !used.some((span) => span.start === word.start));

  const privately = has('privately') ? takeFlag(left(), PRIVATE, take) : false;
  const csv = has('csv') ? takeCsv(left, take) : false;
  const hosts = has('hosts') ? readHosts(text, left(), context.aliases) : { hosts: [], used: [] };
  take(hosts.used);
  const zone = has('zone') ? takeZone(left(), take) : null;
  const versusAt = has('versus') ? findVersus(left(), command.verb) : null;

  const own = command.ownWords ? left() : [];
  const base = { verb: command.verb, text, hosts: hosts.hosts, zone: zone ?? context.zone, privately, csv, own };
  if (!has('range')) {
    if (!command.ownWords) refuseLeftover(text, left());
    return { ...base, range: null, versus: null };
  }
  const time = { now: context.now, zone: zone ?? context.zone };
  const rest = blankOut(plainPunctuation(text), used);
  const read = (from: number, to: number): ParsedRange | null => {
    // Blanked on both sides, so that offsets of a fault are offsets into the text as typed.
    const part = ' '.repeat(from) + rest.slice(from, to) + ' '.repeat(rest.length - to);
    // `check now` says the same twice.
    const nothing = part.trim() === '' || command.aliases.includes(part.trim().toLowerCase());
    return nothing ? null : readRange(text, part, time, found === null ? words[0] : undefined);
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

const AFTER_A_VERB = new Set([...PRIVATE, ...CSV, 'as', 'with', 'on', 'for', 'in']);
const PREVIOUS = /^(the )?(previous|prior|before|period before|previous period|prior period)$/;

/** The first word names the verb, or else the only verb word in the sentence: `last 24h timeline`. */
function findVerb(words: readonly Word[]): { command: CommandDefinition & { verb: Verb }; word: Word } | null {
  const first = words[0];
  if (first === undefined) return null;
  const candidates = words.filter(
    (word, at) => !word.quoted && commandFor(word.lower) !== undefined && isVerb(words, at),
  );
  const word = candidates.includes(first) ? first : candidates.length === 1 ? candidates[0] : undefined;
  const command = word === undefined ? undefined : commandFor(word.lower);
  return word === undefined || command === undefined ? null : { command, word };
}

/** `now on shop` is a question; `now - 6h to now` and `since 9am to now` are times. */
function isVerb(words: readonly Word[], at: number): boolean {
  if (!ALSO_TIMES.has(words[at]?.lower ?? '')) return true;
  const next = words[at + 1]?.lower;
  return at === 0 && (next === undefined || AFTER_A_VERB.has(next));
}

/** No verb at all: a bare range means the timeline, an empty sentence asks for help. */
function impliedCommand(words: readonly Word[]): CommandDefinition & { readonly verb: Verb } {
  const command = commandFor(words.length === 0 ? 'help' : 'timeline');
  if (command === undefined) throw new Error('the command table lacks help or timeline');
  return command;
}

/** The range, with a better word for it when the fault is really a misspelt verb. */
function readRange(
  text: string,
  part: string,
  time: { now: Temporal.Instant; zone: string },
  first: Word | undefined,
): ParsedRange {
  try {
    return parseRange(part, time);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const suggestion = first === undefined ? undefined : nearestCommand(first.lower);
    if (first === undefined || suggestion === undefined) throw atFault(text, error);
    throw new UsageError(`“${first.text}” is not a command.`, {
      text,
      span: first,
      suggestion,
      example: (suggestion + text.slice(first.end)).trim(),
    });
  }
}

/** The same fault, told of the whole sentence instead of the part that was read as a range. */
function atFault(text: string, error: UsageError): UsageError {
  const { span, suggestion, example, hint } = error;
  return new UsageError(error.message, {
    text,
    ...(span ? { span } : {}),
    ...(suggestion ? { suggestion } : {}),
    ...(example ? { example: `timeline ${example}` } : {}),
    ...(hint ? { hint } : {}),
  });
}

export function nearestCommand(word: string): string | undefined {
  const nearest = closest(word, COMMAND_WORDS.slice());
  const allowed = word.length <= 4 ? 1 : 2;
  return distance(word, nearest) <= allowed ? nearest : undefined;
}

/** What was only partly understood is refused. */
export function refuseLeftover(text: string, [word]: readonly Word[]): void {
  if (word === undefined) return;
  throw new UsageError(`“${word.text}” has no meaning here.`, { text, span: word, example: 'help' });
}
