/** The projects of a sentence. They are read first, because host names belong to a project, and replaced with blanks. */
import { type Span, UsageError } from '../errors.ts';
import { plainPunctuation } from '../time/index.ts';
import { isTalk } from './talk.ts';
import { bareWord, blankOut, nearestWord, splitWords, touch, type Word } from './tokens.ts';

export interface NamedProjects {
  /** `null` if the sentence names none. */
  readonly project: string | null;
  /** `host`: its host, as in `vs shop@us`; `null` means the sentence's hosts there, too. */
  readonly versus: { readonly name: string; readonly host: string | null } | null;
  /** The sentence with blanks in their place. */
  readonly text: string;
}

const LEADS: ReadonlySet<string> = new Set(['in', 'of', 'for', 'on', 'from', 'within']);
const VERSUS: ReadonlySet<string> = new Set(['vs', 'vs.', 'versus', 'against']);
const AT_PROJECT = /^(?<host>[^@<]+)@(?<name>[a-z][a-z0-9-]*)(?<end>[?!.;:]*)$/i;

/** Words that name a project, with their place and the spans to blank out. */
interface Mention {
  readonly name: string;
  readonly place: Word;
  readonly taken: readonly Span[];
  readonly isVersus: boolean;
  readonly host: string | null;
}

/** Throws for a name that isn't in `names`, and for two projects. Suggestions come from `offered`, those usable here. */
export function readNamedProjects(
  text: string,
  names: readonly string[],
  offered: readonly string[] = names,
): NamedProjects {
  const words = splitWords(text);
  const mentions = words.flatMap(
    (_, at) => atProject(words, at, names) ?? byWord(text, words, at, names, offered) ?? [],
  );
  for (const { name, place } of mentions) if (!names.includes(name)) throw unknownProject(text, place, offered);
  const [first, ...others] = mentions.filter(({ isVersus }) => !isVersus);
  const other = others.find(({ name }) => name !== first?.name);
  if (first !== undefined && other !== undefined) throw twoProjects(text, other.place, first.name, other.name);
  const versus = mentions.find(({ isVersus }) => isVersus);
  return {
    project: first?.name ?? null,
    versus: versus === undefined ? null : { name: versus.name, host: versus.host },
    text: blankOut(
      plainPunctuation(text),
      mentions.flatMap(({ taken }) => taken),
    ),
  };
}

/** `shop@eu`, `"my blog"@eu` */
function atProject(words: readonly Word[], at: number, names: readonly string[]): Mention | null {
  const word = words[at];
  if (word === undefined || word.quoted) return null;
  const before = words[at - 1];
  const isAfterQuote = before?.quoted === true && touch(before, word) && word.text.startsWith('@');
  const match = AT_PROJECT.exec(isAfterQuote ? `x${word.text}` : word.text)?.groups;
  if (match?.name === undefined) return null;
  const name = match.name.toLowerCase();
  const hostAt = isAfterQuote ? at - 1 : at;
  const lead = words[hostAt - 1];
  // `friday@noon` is a time: an unknown name is only a project where a host is expected.
  const isHost = lead !== undefined && (['on', 'for', 'and', '&', ','].includes(lead.lower) || VERSUS.has(lead.lower));
  if (!names.includes(name) && !isHost) return null;
  const end = word.end - (match.end ?? '').length;
  const sign = { start: end - name.length - 1, end };
  const host = isAfterQuote ? (before?.text ?? null) : (match.host ?? null);
  const isVersus = lead !== undefined && VERSUS.has(lead.lower);
  const place = { ...word, text: match.name, lower: name, start: sign.start + 1, end };
  const taken = isVersus ? [lead, { start: words[hostAt]?.start ?? sign.start, end }] : [sign];
  return { name, place, isVersus, host: isVersus ? host : null, taken };
}

/** `in project eu`, `in the eu project`, `vs project us` */
function byWord(
  text: string,
  words: readonly Word[],
  at: number,
  names: readonly string[],
  offered: readonly string[],
): Mention | null {
  const word = words[at];
  if (word === undefined || word.quoted || bareWord(word) !== 'project') return null;
  const [before, after] = [words[at - 1], words[at + 1]];
  const isNamed = (each: Word | undefined): each is Word => each !== undefined && names.includes(bareWord(each));
  if (!isNamed(after) && isNamed(before)) return mention(words, at - 1, [before, word], before);
  // `is the project ok?` names no project.
  const isLed = before !== undefined && (LEADS.has(before.lower) || VERSUS.has(before.lower));
  if (!isLed && (after === undefined || (!isNamed(after) && isTalk(after)))) return null;
  if (after === undefined) {
    const example = `check in project ${offered[0] ?? 'eu'}`;
    throw new UsageError('Which project?', { text, span: word, hint: knownProjects(offered), example });
  }
  return mention(words, at, [word, after], after);
}

function mention(words: readonly Word[], from: number, own: readonly Word[], place: Word): Mention {
  const taken = [...own];
  let at = from - 1;
  const take = (isTaken: (lower: string) => boolean): boolean => {
    const word = words[at];
    if (word === undefined || word.quoted || !isTaken(word.lower)) return false;
    taken.unshift(word);
    at -= 1;
    return true;
  };
  take((lower) => lower === 'the');
  take((lower) => LEADS.has(lower));
  const isCompared = ['to', 'with'].includes(words[at]?.lower ?? '');
  const isWith = isCompared && (words[at - 1]?.lower === 'compared' || words[0]?.lower === 'compare');
  const isVersus = take((lower) => VERSUS.has(lower)) || (isWith && take(() => true));
  if (isWith) take((lower) => lower === 'compared');
  return { name: bareWord(place), place, taken, isVersus, host: null };
}

export const knownProjects = (names: readonly string[]): string => `Known projects: ${names.join(', ')}.`;

export function unknownProject(text: string, place: Word, names: readonly string[]): UsageError {
  const name = bareWord(place);
  // Two-letter names are all too similar.
  const nearest = nearestWord(name, names, name.length <= 2 ? 0 : name.length <= 4 ? 1 : 2);
  const withName = (each: string): string => text.slice(0, place.start) + each + text.slice(place.start + name.length);
  return new UsageError(`There's no project “${name}” here.`, {
    text,
    span: place,
    hint: knownProjects(names),
    ...(nearest === undefined
      ? { next: names.slice(0, 3).map((each) => ({ label: `Project ${each}`, sentence: withName(each) })) }
      : { suggestion: nearest, corrected: withName(nearest) }),
  });
}

function twoProjects(text: string, place: Word, first: string, other: string): UsageError {
  return new UsageError('Ask about one project at a time, or compare two over the same window.', {
    text,
    span: place,
    example: `compare last 24h in project ${first} vs project ${other}`,
  });
}
