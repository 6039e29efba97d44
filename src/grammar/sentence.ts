/** Reads one sentence. Words are taken out part by part, and what is left must be the range, so that no word is ignored. */
import { BotError, type Span, UsageError } from '../errors.ts';
import { CATEGORY_WORDS } from '../statistics/categories.ts';
import {
  findZone,
  isGermanWord,
  isSameRange,
  isTimeWord,
  parseRange,
  plainPunctuation,
  suggestedRange,
  type TimeContext,
  type TypedRange,
  unlessRefused,
} from '../time/index.ts';
import {
  type CommandDefinition,
  type CommandTable,
  type Part,
  readSubCommand,
  type SaidBy,
  type Sentence,
} from './command-table.ts';

export type { Sentence } from './command-table.ts';

import { carryOver, onSameDay, withoutAcknowledgment, withoutReference } from './conversation.ts';
import { inEnglish } from './german.ts';
import {
  distinctHosts,
  findListed,
  findMentions,
  findNamed,
  type Host,
  type HostMention,
  type KnownHosts,
  nearestHost,
  type OtherMeaning,
  unknownHost,
} from './hosts.ts';
import { isOtherLanguage, nearestExamples, suggestionFor } from './suggest.ts';
import {
  asksForHelp,
  asksWhether,
  type CategoryWords,
  findCategories,
  firstMeaningful,
  isAllTalk,
  isAttackVerb,
  isFormOfTalk,
  isQuestionWord,
  isTalk,
  isTalkNoun,
  misplacedTalk,
  type Topic,
  takeTalk,
  topicOf,
  wordsOfPhrases,
} from './talk.ts';
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

/** Its zone applies to sentences that name none. */
interface SentenceContext extends KnownHosts, TimeContext {
  readonly commands: CommandTable;
  /** The last question of the conversation. */
  readonly before?: Sentence | null;
}

/** What a button's value holds, so that every sentence the bot writes itself can be read. Longer ones are slow to read. */
const MAX_SENTENCE_LENGTH = 2_000;

export function parseSentence(text: string, context: SentenceContext): Sentence {
  if (text.length > MAX_SENTENCE_LENGTH) throw tooLong(text.length);
  try {
    return readSentence(text, context);
  } catch (error) {
    throw error instanceof UsageError ? withSuggestion(error.changed({ text }), text, context) : error;
  }
}

/** A suggestion must itself be understood, and must not change a number that was typed. */
function withSuggestion(error: UsageError, text: string, context: SentenceContext): UsageError {
  const meaningOf = otherMeanings(context.commands);
  const isKnown = (word: Word): boolean =>
    meaningOf(word) !== null ||
    findNamed(word, context) !== null ||
    findListed(bareWord(word), context) !== undefined ||
    // `sat-sun`
    bareWord(word)
      .split(/[-/]/)
      .every((part) => isTimeWord(part) || NUMBER.test(part)) ||
    NEGATION.test(word.lower) ||
    (/^(too|instead|auch)$/.test(bareWord(word)) && text.trimEnd().endsWith(word.text)) ||
    isFilter(word) ||
    OCCASION.test(bareWord(word)) ||
    findZone([IN, word]) !== null;
  // A command with words of its own would accept any word.
  const read = (sentence: string): Sentence => {
    const found = readSentence(sentence, context);
    if (found.args.some((word) => !isKnown(word))) throw new UsageError('unknown words');
    return found;
  };
  const isUnanswerable = FILTERS.some(([, message]) => message === error.message);
  const repaired = isUnanswerable ? undefined : suggestionFor(text, { ...context, isKnown, read });
  const numbers = (sentence = ''): string => sentence.replace(/\D+/g, ' ').trim();
  const { corrected } = error;
  const isKept =
    corrected !== undefined && numbers(corrected) === numbers(text) && unlessRefused(() => read(corrected)) !== null;
  const meant = repaired === undefined && isKept ? corrected : (repaired ?? undefined);
  if (meant !== undefined) return error.changed({ corrected: meant });
  const hasAdvice = error.hint !== undefined || error.next.length > 0;
  return error.changed({
    corrected: undefined,
    suggestion: undefined,
    ...(hasAdvice ? {} : withExamples(text, isKnown, context.commands)),
  });
}

/** The two nearest examples; three and a word about languages if hardly a word was understood. */
function withExamples(text: string, isKnown: (word: Word) => boolean, commands: CommandTable) {
  const words = inEnglish(splitWords(text.slice(0, MAX_EXAMINED))).filter(({ lower }) => /^\p{L}/u.test(lower));
  const unknown = words.filter((word) => !isKnown(word));
  const isOther = isOtherLanguage(words, unknown);
  const examples = nearestExamples(text, commands, isOther ? 3 : 2);
  return { example: undefined, examples, ...(isOther ? { message: 'I understand English and German only.' } : {}) };
}
/** Enough to tell the language. */
const MAX_EXAMINED = 300;

/** Never treated as typos: the suggestion could mean the opposite. */
const NEGATION = /^(not|no|never|none|neither|nor|nicht|kein|keine|more|less|fewer|top)$/;
const IN: Word = { text: 'in', lower: 'in', quoted: false, start: 0, end: 0 };

/** Greetings, because `morning` is also a time and `now` may only continue the conversation. */
const GREETING =
  /^\s*(?:(?:good |guten )?(?:morning|morgen|afternoon|evening|abend)(?: all| team| folks| zusammen)?\s*[,!]|(?:thanks|thx|ok|okay|great|cool)[,.!]*\s+now,?\s+(?=[a-z]+ (?:on|for|to|of|last|today|yesterday|since|against)\b))/i;

/** `requests vs attacks` is no comparison: both are shown together. */
const BOTH_NUMBERS = /(?<=\b(?:attacks|requests|traffic)\s+)(?:vs\.?|versus)(?=\s+(?:attacks|requests|traffic)\b)/gi;
const blanks = (found: string): string => ' '.repeat(found.length);

function readSentence(typed: string, { before = null, ...others }: SentenceContext): Sentence {
  const plain = (typed.includes('"') ? typed : typed.replace(/[()]/g, ' ')).replace(BOTH_NUMBERS, blanks);
  const greeted = withoutAcknowledgment(plain.replace(GREETING, blanks));
  const text = before === null ? greeted : withoutReference(greeted);
  const context =
    before === null
      ? others
      : { ...others, before, zone: before.namedZone ?? others.zone, previous: before.range ?? undefined };
  const all = inEnglish(splitWords(text));
  const introduction = findIntroduction(all, context);
  const words = all.slice(introduction.length);
  const { allHosts, mentions } = takeHosts(text, words, context);
  const taken = new Set([...allHosts, ...mentions.flatMap((mention) => mention.words)]);
  const open = words.filter((word) => !taken.has(word));
  refuseOrder(text, words, mentions);
  refuseFilters(text, open, context.commands);
  const occasion = takeOccasion(open);
  const said = open.filter((word) => !occasion.includes(word));
  refuseSecondQuestion(words, mentions, context.commands);
  const requested = findCommand(said, context, taken.size > 0);
  const { command, word: verbWord, topic, saidBy } = requested;
  const { used, ...parts } = takeParts(text, said, requested, context);
  const reading = {
    text,
    words,
    requested,
    used: new Set([...introduction, ...used, ...taken, ...occasion]),
    mentions,
    context: { ...context, zone: parts.zone },
  };
  const left = said.filter((word) => !used.has(word));
  const own = command.subCommands !== undefined || command.takesWords ? left : [];
  const hosts = hostsOf(mentions, context);
  const base = {
    ...parts,
    verb: command.verb,
    text: typed,
    topic,
    saidBy,
    carried: [],
    allHosts: allHosts.length > 0,
    ...readSubCommand(command, verbWord?.lower, own),
  };
  if (!command.parts.includes('range')) {
    const mayBeHost = command.parts.includes('hosts') || command.impliedBy === 'help';
    const name = context.mayKnowMore && mayBeHost ? own.find(isUnknown(context)) : undefined;
    if (name !== undefined) throw unknownHost(text, name, context);
    if (own.length === 0 || (verbWord === null && !isAllTalk(left))) refuseLeftover(text, left);
    return { ...base, hosts, versusHosts: [], range: null, versus: null };
  }
  const sentence = { ...base, ...readWindows(reading, hosts) };
  return before === null ? sentence : carryOver(sentence, before, context.commands);
}

const hostsOf = (mentions: readonly HostMention[], context: SentenceContext): Host[] =>
  distinctHosts(
    mentions.flatMap(({ hosts }) => hosts),
    context,
  );

/** It may be the name of a listed host. */
const isUnknown =
  ({ commands }: SentenceContext) =>
  (word: Word): boolean =>
    /^[a-z][\w.-]*$/.test(word.lower) && otherMeanings(commands)(word) === null;

const INTRO_STARTS =
  /^(i|i'm|im|i've|we|we're|they|he|she|someone|somebody|people|customers?|clients?|users?|boss|manager|support|got|sorry)$/;
const ASKS =
  /^(on|of|for|from|in|with|by|at|against|about|only|want|need|show|see|give|get|check|look|find|like|mean)$/;
const MAX_INTRO_WORDS = 6;

/** `got paged.`, `customer complains,`: why somebody asks. It has an unknown word, and none that asks for something. */
function findIntroduction(words: readonly Word[], context: SentenceContext): readonly Word[] {
  const end = words.findIndex(({ text, quoted }) => !quoted && /[,.;:!]$/.test(text));
  const intro = words.slice(0, end + 1).filter(({ lower }) => lower !== ',');
  if (end < 1 || end === words.length - 1 || intro.length > MAX_INTRO_WORDS) return [];
  if (!intro.slice(0, 2).some((word) => INTRO_STARTS.test(bareWord(word)))) return [];
  const meaningOf = otherMeanings(context.commands);
  const isAsking = (word: Word): boolean =>
    ASKS.test(word.lower) ||
    NEGATION.test(word.lower) ||
    isFilter(word) ||
    findNamed(word, context) !== null ||
    (word.lower !== 'to' && !isTalk(word) && /^(other|command|numbers)$/.test(meaningOf(word) ?? ''));
  const isUnknown = intro.some((word) => meaningOf(word) === null);
  const isBut = /^(but|so|and)$/.test(words[end + 1]?.lower ?? '');
  return isUnknown && !intro.some(isAsking) ? words.slice(0, end + (isBut ? 2 : 1)) : [];
}

/** What people may want to filter. */
const NUMBERS =
  'attacks?|attackers?|attempts?|requests|traffic|hits|visits|visitors|ips|addresses|sources|events|activity|ones';

/** Filters that the service can't apply, and requests that this bot can't fulfill. */
const FILTERS: readonly (readonly [words: string, message: string, instead?: string])[] = [
  ['post[- ]?mortem|rca', 'The report about a past window is called incident.', 'incident'],
  [
    '(?<=(?:were|was|been|got|get|we|waf) )(?:stopped|caught)|blocked|allowed|denied|dropped|logged|mitigated|successful|blockierte',
    "I can't filter by what was done with a request. The answer says how much was blocked.",
  ],
  [
    String.raw`\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?|[\da-f]{0,4}(?::[\da-f]{0,4}){3,}`,
    "I can't filter by address. Ask who for the largest ones.",
  ],
  [String.raw`/\w\S*`, "I can't filter by path. Ask who for the largest ones."],
  ['GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS', "I can't filter by method."],
  ['except|excluding|without|ohne|außer', "I can't leave anything out. Name what you want to see instead."],
  [
    String.raw`[45]xx|[45]\d\ds|errors|latency|slow|slower`,
    'I only have requests and attacks, not how they were answered.',
  ],
  [
    '(?<!(?:is|are|was|were|did|any) .*)(?:ddos|dos|brute[- ]?force)',
    "That's not a category that I can show. Ask for attacks to see all of them.",
  ],
  [
    'what would .+|what if .+|how (?:do|can|could|should) (?:i|we) (?!look|do|stand|compare).+|how to .+|how many .+ (?:would|will) .+|(?:when|how long|what|who|how many) will (?!you).+|who(?: is|.s| was) on ?call|who reported .+|zoom out',
    "That isn't in the numbers I have.",
  ],
  [
    `(?<=^)(?:what is|what's|whats|what are|define|explain) (?:an? )?(?:${CATEGORY_WORDS.join('|')})(?=$)|what does \\S+ mean`,
    'I only show numbers. Ask for one category by its name, such as sqli today.',
  ],
  [
    String.raw`(?:first|second|third|fourth|fifth|\d+(?:st|nd|rd|th)) (?:biggest|largest|worst|busiest|most)`,
    'I can show the largest ones. Say how many, such as top 3.',
  ],
  ['share of', "I don't calculate shares. A timeline shows attacks beside requests."],
  [
    '(?:ips|addresses) (?:that |which )?(?:were|was|got|get|being) .+',
    'I know which addresses attack, not which are attacked.',
  ],
  [
    '(?<=^|^please |^can you |^could you )(?:stop|turn|switch|shut|block|ban|disable|enable|restart|reboot|kill|remind|fix|open|close) (?!to ).+',
    "I only show what happened. I can't do that.",
  ],
  [
    '(?:alert|notify|warn|ping|page) .*if .+|(?:tell|let|alert|notify|warn|ping) (?:me|us)(?: know)? (?:when|once|whenever|as soon as) (?!.*(?:was|were|did|started|began|ended|stopped|happened)).+',
    'To hear about it when it happens, set up a watch: type watch.',
  ],
];
const FILTER_PATTERNS = FILTERS.map(
  ([words, ...rest]) =>
    [new RegExp(`(?<=^| )(?:${words})(?= |$)`, words.startsWith('GET') ? '' : 'i'), ...rest] as const,
);

const isFilter = ({ text }: Word): boolean => FILTER_PATTERNS.some(([pattern]) => pattern.test(text));

function refuseFilters(text: string, words: readonly Word[], commands: CommandTable): void {
  if (words.length < 2) return;
  // `help /timeline`
  const isCommand = (word: Word): boolean => commands.find(word.text.replace(/^\//, '')) !== undefined;
  const said = words.map((word) =>
    word.quoted || (word.text.startsWith('/') && isCommand(word)) ? '"' : withoutMarksAtEnd(word.text),
  );
  for (const [pattern, message, instead] of FILTER_PATTERNS) {
    const found = pattern.exec(said.join(' '));
    const at = found === null ? -1 : said.join(' ').slice(0, found.index).split(' ').length - 1;
    const span = words[at];
    const corrected = instead && found ? text.replace(found[0], instead) : undefined;
    if (span !== undefined) throw fault(message, span, corrected);
  }
  const country = words.find(({ text: name }, at) => words[at - 1]?.lower === 'from' && isCountry(name));
  if (country !== undefined) throw fault("I can't filter by country. Ask who for the largest ones.", country);
}

const POLITE = /^(please|pls|plz|can|could|you|now|and|then|ok|just|,)$/;

/** `attack the crm`, `scan shop` */
function refuseOrder(text: string, words: readonly Word[], mentions: readonly HostMention[]): void {
  const at = words.findIndex(({ lower }) => !POLITE.test(lower));
  const [verb, object] = words.slice(at, at + 2);
  if (verb === undefined || object === undefined || !isAttackVerb(verb)) return;
  const isHost = mentions.some(({ lead, words: [first] }) => lead === null && first === object);
  if (!isHost && !/^(the|our|my|us|it|them|this|that|every|all)$/.test(object.lower)) return;
  const corrected = verb.lower === 'attack' && isHost ? replaced(text, verb, 'attacks on') : undefined;
  throw fault("I only show what happened. I can't do that.", verb, corrected);
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = new Set(
  LETTERS.flatMap((first) => LETTERS.map((second) => COUNTRY_NAMES.of(first + second)?.toLowerCase())),
);
const isCountry = (text: string): boolean => COUNTRIES.has(withoutMarksAtEnd(text).toLowerCase());

const ALL_HOSTS =
  /^(across (?:the |our )?(?:hosts|sites)|(?:on |for |across |over )?(?:all|every|each|any)(?: of)?(?: the| our| my)?(?: hosts?| sites?| websites?| domains?)|everywhere)(?: |$)/;
/** Means all hosts after a question about some. */
const EVERYTHING = /^(?:on |for |and )*(?:everything|all|overall)(?: please)?$/;
const MAX_ALL_WORDS = 6;

interface TakenHosts {
  readonly allHosts: readonly Word[];
  readonly mentions: readonly HostMention[];
}

/** The hosts of a sentence whose first word isn't a command that has other uses for names. */
function takeHosts(text: string, words: readonly Word[], context: SentenceContext): TakenHosts {
  const { commands } = context;
  const named = words[0] === undefined || words[0].quoted ? undefined : commands.find(words[0].lower);
  const subCommand = named?.subCommands?.find((each) => each.words.includes(words[1]?.lower ?? ''));
  // `help, shop is under attack`
  const isCallForHelp = named?.impliedBy === 'help' && topicOf(words.slice(1)) === 'question';
  const isWithout = named?.parts.includes('hosts') === false && !isCallForHelp;
  const hasOther = isWithout || subCommand?.withoutHosts === true;
  if (hasOther) return { allHosts: [], mentions: [] };
  if (context.before && EVERYTHING.test(words.map(bareWord).join(' '))) return { allHosts: words, mentions: [] };
  const allHosts = words.flatMap((word, at) => {
    if (!/^(on|for|across|over|all|every|each|any|everywhere)\b/.test(word.lower)) return [];
    const ahead = words.slice(at, at + MAX_ALL_WORDS).map(bareWord);
    const phrase = ALL_HOSTS.exec(ahead.join(' '))?.[1];
    return phrase === undefined ? [] : words.slice(at, at + phrase.split(' ').length);
  });
  const others = words.filter((word) => !allHosts.includes(word));
  const reading = { text, words: others, known: context, meaningOf: otherMeanings(commands) };
  return { allHosts, mentions: findMentions(reading) };
}

/** Words of talk that are also common host names. */
const NAMES =
  /^(id|go|mix|ask|search|call|track|target|upload|review|news|data|info|stats|report|team|project|people|customer|channel|message|view|share|health|ticket|alert)$/;
/** Shorter talk, such as `us`, is never a host. */
const MIN_NAME = 4;

/** What a word means unless it is a host. */
function otherMeanings(commands: CommandTable): (word: Word) => OtherMeaning {
  const meaningOf = (word: Word): OtherMeaning => {
    if (hasMeaning(bareWord(word)) || findCategories([word]).length > 0) return 'other';
    const command = commands.find(bareWord(word)) ?? commands.findNoun(bareWord(word));
    if (command !== undefined) return isAboutNumbers(command) ? 'numbers' : 'command';
    if (!isTalk(word)) return null;
    if (isFormOfTalk(word) || NAMES.test(bareWord(word))) return 'form of talk';
    return bareWord(word).length < MIN_NAME ? 'other' : isTalkNoun(word) ? 'talk' : 'filler';
  };
  // A long sentence repeats its words.
  const known = new Map<string, OtherMeaning>();
  return (word) => {
    const found = word.quoted ? null : known.get(word.lower);
    if (found !== undefined) return found;
    const meaning = meaningOf(word);
    known.set(word.lower, meaning);
    return meaning;
  };
}

const NUMBER = /^\d/;

const hasMeaning = (word: string): boolean =>
  word === 'top' || RESERVED.has(word) || NUMBER.test(word) || isTimeWord(word) || isGermanWord(word);

/** Every part but hosts and windows, and the words used for them. A flag that the command doesn't declare is refused. */
function takeParts(text: string, words: readonly Word[], requested: RequestedCommand, context: SentenceContext) {
  const { command, word: verbWord, more = [] } = requested;
  const has = (part: Part): boolean => command.parts.includes(part);
  const category = oneCategory(text, requested, context.commands);
  const named = withLeads(words, category?.words ?? []);
  const used = new Set<Word>([...(verbWord === null ? [] : [verbWord]), ...more, ...named]);
  const take = (taken: readonly Word[]): void => taken.forEach((word) => void used.add(word));
  const left = (): Word[] => words.filter((word) => !used.has(word));
  const takeFlag = (part: Part, flag: RegExp): boolean => {
    const found = findFlag(left(), flag);
    if (found === null) return false;
    if (has(part)) take(found);
    else if (verbWord !== null && !command.takesWords) throw undeclared(text, command, found);
    return has(part);
  };
  const privately = takeFlag('privately', PRIVATE);
  const isCsv = takeFlag('csv', CSV) && (takeFlag('csv', CSV) || true);
  const csv: Sentence['csv'] = isCsv && (takeFlag('csv', ONLY) ? 'only' : true);
  const canvas = takeFlag('canvas', CANVAS);
  const [whyPart, whyWords] = findWhyPart(left());
  const why: Sentence['why'] = takeFlag('why', WHY) && (whyPart ?? true);
  if (why !== false) take(whyWords);
  const single = has('events') ? findSingleEvents(left()) : [];
  take(single);
  const topWords = findTop(left()) ?? findTop(words) ?? (context.before ? findRows(left()) : null);
  if (topWords !== null && (has('top') || topWords.top === null)) take(topWords.words);
  const top = topWords !== null && has('top') ? topWords.top : null;
  const inZone = has('zone') ? findZone(left()) : null;
  take(inZone?.words ?? []);
  if (has('range')) take(takeNamedOccasion(left()));
  if (/\bthan (?:usual|normal)\b/i.test(text) || (has('versus') && /\b(?:than|or|als|oder)\b/i.test(text)))
    take(left().filter(({ lower }) => COMPARATIVE.test(lower)));
  return {
    category: category?.field ?? null,
    privately,
    csv,
    canvas,
    why,
    events: single.length > 0,
    top,
    namedZone: inZone?.zone ?? null,
    zone: inZone?.zone ?? context.zone,
    used,
  };
}

/** The category that is named. Throws for two, and for a command that can't be limited to one. */
function oneCategory(
  text: string,
  { command, word, categories }: RequestedCommand,
  commands: CommandTable,
): CategoryWords | null {
  const [first, ...others] = categories;
  if (first === undefined) return null;
  const other = others.find(({ field }) => field !== first.field);
  const span = spanOf(other?.words ?? first.words);
  if (other !== undefined) throw fault('I can show one category at a time, or all of them.', span);
  if (command.parts.includes('category')) return { ...first, words: categories.flatMap((each) => each.words) };
  const { verb } = commands.impliedBy('category');
  const corrected = isAboutNumbers(command) && word !== null ? replaced(text, word, verb) : undefined;
  throw fault(`${command.verb} can't be limited to one category.`, span, corrected);
}

const fault = (message: string, span: Span | undefined, corrected?: string): UsageError =>
  new UsageError(message, { span, corrected });

const spanOf = (words: readonly Word[]): Span => ({ start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 });

const replaced = (text: string, { start, end }: Span, by: string): string =>
  text.slice(0, start) + by + text.slice(end);

const COUNTS = new Map(
  Object.entries({ two: 2, three: 3, five: 5, ten: 10, twenty: 20, drei: 3, fünf: 5, zehn: 10, zwanzig: 20 }),
);

const TOP = /^(top|biggest|largest|worst|busiest|main|commonest)$/;
const MOST = /^(common|frequent|active|aggressive|popular)$/;
const RANKED = /^(ips?|addresses|attackers|sources|countries|offenders|types|categories|kinds)$/;

/** `top 10`, `top ten`, `top`, `10 biggest`; `the biggest ones, top 5`. */
function findTop(words: readonly Word[]): { readonly top: number | null; readonly words: readonly Word[] } | null {
  const isMost = (at: number): boolean => words[at]?.lower === 'most' && MOST.test(words[at + 1]?.lower ?? '');
  const said = words.filter(({ lower, quoted }, at) => !quoted && (TOP.test(lower) || isMost(at) || isMost(at - 1)));
  const ranked = words.findIndex(({ lower }, at) => RANKED.test(lower) && /^\d+$/.test(words[at - 1]?.lower ?? ''));
  const [number] = said.length > 0 || isTimeWord(words[ranked - 2]?.lower ?? '') ? [] : words.slice(ranked - 1, ranked);
  if (number !== undefined && ranked > 0) return { top: Number(number.lower), words: [number] };
  for (const word of said) {
    const at = words.indexOf(word);
    for (const number of [words[at + 1], words[at - 1]]) {
      const count =
        number === undefined ? Number.NaN : (COUNTS.get(bareWord(number)) ?? Number(bareWord(number) || 'none'));
      if (number !== undefined && Number.isInteger(count) && count > 0) return { top: count, words: [...said, number] };
    }
  }
  return said.length === 0 ? null : { top: null, words: said };
}

/** `show 50` after a question that lists something. */
function findRows(words: readonly Word[]): ReturnType<typeof findTop> {
  const [number, ...others] = words.filter((word) => !isTalk(word));
  const isShown = /^(show|list|give)$/.test(words[0]?.lower ?? '');
  if (!isShown || number === undefined || others.length > 0 || !/^[1-9]\d?$/.test(number.lower)) return null;
  return { top: Number(number.lower), words: [number] };
}

const OCCASION =
  /^(deploy|deployment|release|rollout|rollback|push|merge|restart|reboot|outage|alert|alarm|page|change|maintenance|upgrade|migration|launch|failover|hotfix|patch|incident)$/;
const BESIDE_OCCASION = /^(since|after|from|before|until|seit|nach|ab)$/;
const MAX_OCCASION_WORDS = 6;

/** `the deploy at` in `since the deploy at 14:10`, `we restarted nginx at` in `since we restarted nginx at 9`. */
function takeOccasion(words: readonly Word[]): readonly Word[] {
  for (const [since, { lower }] of words.entries()) {
    if (!BESIDE_OCCASION.test(lower)) continue;
    const to = words.findIndex(
      ({ lower: joint }, index) => index > since + 1 && /^(at|@|around|um|gegen)$/.test(joint),
    );
    if (to < 0 || to - since > MAX_OCCASION_WORDS + 1 || !isTime(words[to + 1])) continue;
    const said = words.slice(since + 1, to);
    const isSaid = said.every((word) => /^(the|our|my|new|last|this|back)$/.test(word.lower) || !isTime(word));
    // `attacks from aws at 9am` is about aws.
    const isNamed = !/^(from|ab)$/.test(lower) || said.some((word) => OCCASION.test(bareWord(word)));
    if (isSaid && isNamed) return words.slice(since + 1, to + 1);
  }
  return [];
}

const isTime = (word: Word | undefined): boolean =>
  word !== undefined && (NUMBER.test(word.lower) || isTimeWord(bareWord(word)));

/** Without `at`, or without the time. */
function takeNamedOccasion(words: readonly Word[]): readonly Word[] {
  // `since the 14:10 deploy`
  const isAfterTime = (at: number): boolean => /^(\d|[ap]m$|noon$|midnight$)/.test(words[at - 1]?.lower ?? '');
  const at = words.findIndex(
    (word, index) =>
      OCCASION.test(bareWord(word)) &&
      words
        .slice(Math.max(0, index - (isAfterTime(index) ? 4 : 2)), index)
        .some(({ lower }) => BESIDE_OCCASION.test(lower)),
  );
  const noun = words[at];
  if (noun === undefined) return [];
  if (isAfterTime(at)) return [noun];
  const articles = /^(the|our|that|this|last|my)$/.test(words[at - 1]?.lower ?? '') ? words.slice(at - 1, at) : [];
  const joint = /^(at|@|around|from)$/.test(words[at + 1]?.lower ?? '') ? words.slice(at + 1, at + 2) : [];
  if (!isTime(words[at + 1 + joint.length]))
    throw fault(`I don't know when the ${bareWord(noun)} was. Say the time, such as since 14:10.`, noun);
  return [...articles, noun, ...joint];
}

interface SentenceReading {
  readonly text: string;
  readonly words: readonly Word[];
  readonly requested: RequestedCommand;
  /** The words of the other parts. */
  readonly used: ReadonlySet<Word>;
  readonly mentions: readonly HostMention[];
  readonly context: SentenceContext;
}

type ReadWindows = Pick<Sentence, 'range' | 'versus' | 'hosts' | 'versusHosts'> & { readonly verb?: string };

/** The window, and what it is compared with: another window, or other hosts. */
function readWindows(reading: SentenceReading, hosts: readonly Host[]): ReadWindows {
  const { text, requested, mentions, context } = reading;
  const { command, word: verbWord } = requested;
  const joint = findVersus(reading) ?? findPair(reading);
  if (joint === null) {
    const range = readWindow(reading, 0, text.length);
    const isCompared = command.impliedBy === 'versus' || (command.parts.includes('versus') && asksWhichIsMore(reading));
    return { range, versus: null, ...(isCompared ? sides(reading) : { hosts, versusHosts: [] }) };
  }
  if (!command.parts.includes('versus')) throw notComparing(reading, joint);
  const { before = null } = context;
  const isLeft = ({ words: [first] }: HostMention): boolean => (first?.start ?? 0) < joint.start;
  const named = hostsOf(mentions.filter(isLeft), context);
  const left = named.length > 0 ? named : (before?.hosts ?? []);
  const right = hostsOf(mentions.slice(mentions.filter(isLeft).length), context);
  const range = readWindow(reading, 0, joint.start);
  const areHosts = left.length > 0 && right.length > 0 && !isSame(left, right);
  const versus = sameHours(range, readSecond(reading, joint, range, areHosts));
  if (areHosts) {
    if (range !== null && versus !== null && (versus === 'previous' || !isSameRange(range, versus)))
      throw fault('Compare two hosts over the same window, or two windows of the same hosts.', joint);
    const isImplied = verbWord === null && command.impliedBy === 'range';
    const { verb } = isImplied ? context.commands.impliedBy('versus') : command;
    const window = range ?? (versus === 'previous' ? null : versus);
    return { verb, range: window, versus: null, hosts: left, versusHosts: right };
  }
  if (versus === null && right.length > 0)
    throw fault(`What should ${right[0]?.name} be compared with? Name two hosts, or two windows.`, joint);
  if (versus === null) {
    const corrected = `${text.slice(0, joint.end)} previous${text.slice(joint.end)}`;
    throw fault('The second window is missing after “vs”.', joint, corrected);
  }
  if (range === null && versus !== 'previous' && before?.range == null)
    throw missingFirst(text, joint, CURRENT.get(versus.typed.toLowerCase()));
  if (range !== null && versus !== 'previous' && isSameRange(range, versus))
    throw fault('Both windows are the same.', joint);
  return { range, versus, hosts, versusHosts: [] };
}

/** `13:00-14:00 today vs yesterday`: if the other is a whole day, the same hours of it. */
function sameHours(range: TypedRange | null, versus: Sentence['versus']): Sentence['versus'] {
  if (range === null || versus === null || versus === 'previous') return versus;
  const { zone, kind, cut } = range;
  const [from, to, day, end] = [range.from, range.to, versus.from, versus.to].map((at) => at.toZonedDateTimeISO(zone));
  if (!from || !to || !day || !end || !/^(calendar|between|around)$/.test(kind)) return versus;
  const isWholeDay = day.equals(day.startOfDay()) && end.equals(day.add({ days: 1 }));
  const isInDay = to.subtract({ seconds: 1 }).toPlainDate().equals(from.toPlainDate());
  if (!isWholeDay || !isInDay || (from.equals(from.startOfDay()) && (cut || to.equals(to.startOfDay())))) return versus;
  const at = (hours: Temporal.ZonedDateTime): Temporal.Instant =>
    day
      .add({ days: hours.toPlainDate().since(from.toPlainDate()).days })
      .withPlainTime(hours.toPlainTime())
      .toInstant();
  return { ...versus, from: at(from), to: at(to) };
}

/** What is compared when the first window is left out: `more than yesterday`. */
const CURRENT = new Map(Object.entries({ yesterday: 'today', 'last week': 'this week', 'last month': 'this month' }));

function missingFirst(text: string, joint: Span, current: string | undefined): UsageError {
  const said = text.slice(joint.start, joint.end);
  const corrected = current && `${text.slice(0, joint.start)}${current} ${text.slice(joint.start)}`;
  return fault(`The first window is missing before “${said === 'than' ? said : 'vs'}”.`, joint, corrected);
}

const isSame = (some: readonly Host[], others: readonly Host[]): boolean =>
  some.length === others.length && some.every(({ id }, at) => id === others[at]?.id);

const COMPARATIVE = /^(more|less|fewer|higher|lower|bigger|larger|busier|harder|worse)$/;

/** `which got more attacks, shop or blog?` */
const asksWhichIsMore = ({ words, mentions }: SentenceReading): boolean =>
  words.some(({ lower }) => COMPARATIVE.test(lower)) &&
  mentions.some((mention) => mention.words.some(({ lower }) => lower === 'or'));

/** `compare shop and blog`: the first with the other. */
function sides({ mentions, context }: SentenceReading): Pick<Sentence, 'hosts' | 'versusHosts'> {
  const hosts = mentions.flatMap((mention) => mention.hosts);
  const [first, second, third] = hosts;
  if (first === undefined || second === undefined) return { hosts: distinctHosts(hosts, context), versusHosts: [] };
  if (third !== undefined) throw fault('I can compare two hosts at a time.', mentions.at(-1)?.words.at(-1));
  return { hosts: distinctHosts([first], context), versusHosts: distinctHosts([second], context) };
}

/** The window after `vs`; `null` if there is none. */
function readSecond(
  reading: SentenceReading,
  joint: Span,
  range: TypedRange | null,
  areHosts: boolean,
): TypedRange | 'previous' | null {
  const { text, used, context } = reading;
  const after = squeezeBlanks(blankOut(plainPunctuation(text), [...used]), joint.end, text.length).text;
  const bare = withoutMarksAtEnd(after.toLowerCase())
    .replace(/(^|\s)(please|pls|plz)$/, '')
    .trim();
  if (!areHosts && PREVIOUS.test(bare)) return 'previous';
  const previous = range ?? context.previous;
  return readWindow({ ...reading, context: { ...context, previous } }, joint.end, text.length);
}

/** The range between two offsets. Talk is left out if the range can't be read otherwise. */
function readWindow(reading: SentenceReading, from: number, to: number): TypedRange | null {
  const { words, used } = reading;
  const inside = words.filter((word) => !used.has(word) && word.start >= from && word.end <= to);
  const ends = takeTalk(inside, 'ends');
  const attempts = [[], ends, withEdges(inside, takeTalk(inside, 'everywhere'))];
  let fault: unknown;
  for (const [at, without] of attempts.entries()) {
    if (at > 0 && without.length === attempts[at - 1]?.length) continue;
    try {
      const range = readRange(reading, without, from, to);
      refuseMisplaced(reading, without);
      return range;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // The error is clearest without the talk at the ends.
      if (fault === undefined || without === ends) fault = error;
    }
  }
  throw fault;
}

/** Whether talk would be left out that is also the name of a host. */
const isNameOf = (words: readonly Word[], word: Word, known: SentenceContext): boolean =>
  bareWord(word).length >= MIN_NAME &&
  !/^(the|a|an|any|some|no|our|my|your|that|this|what's|whats)$/.test(words[words.indexOf(word) - 1]?.lower ?? '') &&
  (findListed(bareWord(word), known) !== undefined ||
    // Another word may be the name of a listed host, too.
    (known.mayKnowMore === true && known.commands.find(bareWord(word)) !== undefined));

/** Refuses talk that would change the meaning. */
function refuseMisplaced({ text, words, context }: SentenceReading, without: readonly Word[]): void {
  const host = without.find((word) => word !== words[0] && isNameOf(words, word, context));
  if (host !== undefined && context.mayKnowMore) throw unknownHost(text, host, context);
  if (host !== undefined) {
    const message = `If you mean the host “${bareWord(host)}”, say on ${bareWord(host)}.`;
    throw fault(message, host, replaced(text, host, `on ${host.text}`));
  }
  const isCounted = (word: Word): boolean => COUNTED.test(bareWord(word)) || findCategories([word]).length > 0;
  const span = misplacedTalk(words, without, isCounted);
  const next = span && words[words.indexOf(span) + 1];
  if (span === undefined) return;
  if (next === undefined || !isCounted(next)) throw unknownWord(text, span);
  const which = `${span.text} ${bareWord(next)}`;
  throw fault(`I can't tell ${which} from others. Ask for all of them, or for one category.`, span);
}
const COUNTED = new RegExp(`^(?:${NUMBERS})$`);

/** Adds the small words that are left at both ends. */
function withEdges(words: readonly Word[], taken: readonly Word[]): readonly Word[] {
  const left = words.filter((word) => !taken.includes(word));
  const isSmall = (word: Word): boolean => /^(,|and|so|the|a|an|of)$/.test(word.lower);
  const from = left.findIndex((word) => !isSmall(word));
  const to = left.findLastIndex((word) => !isSmall(word));
  return from < 0 ? words : [...taken, ...left.slice(0, from), ...left.slice(to + 1)];
}

const PRIVATE =
  /^(?:(?:just |only )?visible (?:just |only )?(?:for|to) me(?: only)?|(?:just|only) (?:for|to) me|(?:for|to) me (?:only|alone)|for my eyes(?: only)?|in private|just me|privately|private|only me|between us|(?:in a )?dm me)(?: |$)/;
const CANVAS = /^(?:(?:in |as |to |into |with )?(?:a |the )?canvas)(?: |$)/;
const CSV =
  /^(?:(?:in |as |to |into )?(?:a |the )?csv(?: file| format| export| download)?(?: of)?|export|download)(?: |$)/;
const PREVIOUS =
  /^(the )?(previous|prev|prior|before|(period|time|window) before|(previous|prior) (period|window|one))$/;
const ONLY = /^only(?: |$)/;
const WHY =
  /^(?:why|with details|(?:more )?details?|in detail|explain|how come|tell me more|what caused (?:it|this|that))(?: |$)/;
/** Words that introduce a part. */
const FLAGS = ['privately', 'private', 'csv', 'canvas', 'why', 'why?', 'details'];
const LEADS = ['as', 'with', 'on', 'for', 'in'];
const AFTER_A_VERB: ReadonlySet<string> = new Set([...FLAGS, ...LEADS]);
const OTHER_JOINTS = ['vs', 'vs.', 'versus', 'against', 'compared', 'and', '&', 'none', 'all', 'project', 'only'];
const RESERVED: ReadonlySet<string> = new Set([...AFTER_A_VERB, ...OTHER_JOINTS]);

/** Whether a word has a meaning at any position, so that no host can have that name. */
export const isReserved = (word: string, commands: CommandTable): boolean =>
  RESERVED.has(word.toLowerCase()) || commands.find(word) !== undefined;

interface RequestedCommand {
  readonly command: CommandDefinition;
  /** `null` if it was only implied. */
  readonly word: Word | null;
  /** Its other words: the rest of a phrase, and nouns that repeat what the command means. */
  readonly more?: readonly Word[];
  readonly topic: Topic | null;
  readonly saidBy: SaidBy;
  readonly categories: readonly CategoryWords[];
}

type ChosenVerb = Pick<RequestedCommand, 'command' | 'more'> & { readonly word: Word };

/** No real sentence has more words than this, besides hosts. */
const MAX_SAID_WORDS = 100;

interface VerbCandidate {
  readonly command: CommandDefinition;
  readonly word: Word;
  /** Named by its verb or an alias, not by a noun. */
  readonly isVerb: boolean;
}

/** Its words are also nouns: `the attacks`, `the requests`. */
const isAboutNumbers = ({ impliedBy }: CommandDefinition): boolean => impliedBy === 'range' || impliedBy === 'category';

/** By a verb or noun, or else a category, a general question, a host or a greeting. Anything else is a range. */
function findCommand(all: readonly Word[], context: SentenceContext, hasHosts: boolean): RequestedCommand {
  const { commands, before = null } = context;
  const words = all.slice(0, MAX_SAID_WORDS);
  const inPhrases = wordsOfPhrases(words);
  const candidates = findVerbs(words, commands).filter(
    ({ word, command }) => !inPhrases.includes(word) && !(hasHosts && command.impliedBy === 'help'),
  );
  const categories = findCategories(words);
  const topic = topicOf(words);
  const chosen = chooseVerb(words, commands, candidates, categories.length > 0, topic);
  if (chosen !== null) return withNouns(words, chosen, candidates, categories, commands);
  const nouns = candidates.flatMap(({ command, word }) => (isAboutNumbers(command) && !isTalk(word) ? [word] : []));
  const implied = (by: NonNullable<CommandDefinition['impliedBy']>, about: Topic | null = null): RequestedCommand => ({
    command: commands.impliedBy(by),
    word: null,
    more: by === 'question' || by === 'category' ? withLeads(words, nouns) : [],
    topic: about,
    saidBy: by === 'question' ? 'question' : 'other',
    categories,
  });
  const isMore = topic !== null && words.some(({ lower }) => COMPARATIVE.test(lower));
  if (categories.length > 0 || (isMore && topic === 'question')) return implied('category');
  const than = words.findIndex(({ lower }) => lower === 'than');
  if (than > 0 && isTime(words[than + 1])) return implied('versus');
  if (before !== null && !hasHosts && words.length > 0 && words.every(isInterjection)) return implied('help', 'thanks');
  if (topic === 'state' || topic === 'question') return implied('question', 'question');
  if (topic === 'help' || topic === 'thanks') return implied('help', topic);
  const isTalking = isAllTalk(words);
  const isNow = words.some(({ lower }) => /^now\W*$/.test(lower));
  if (before !== null && topic !== 'greeting' && (hasHosts || words.length > 0) && !(isTalking && isNow))
    return { ...implied('range'), command: carriedCommand(words, before, commands), saidBy: 'conversation' };
  if (isTalking && (hasHosts || topic === 'greeting' || (before !== null && isNow)))
    return implied('question', topic === 'greeting' ? topic : 'question');
  if (isTalking) return implied('help', words.length === 0 ? null : 'help');
  return asksHow(words) ? implied('question', 'question') : implied('range');
}

/** `what did we miss over the weekend`, but not `how many yesterday`. */
const asksHow = ([first, second]: readonly Word[]): boolean =>
  first !== undefined &&
  /^(what|how|did|was|were|is|are|has|have)$/.test(bareWord(first)) &&
  !/^(many|much|about)$/.test(second?.lower ?? '');

/** `lol` asks for nothing. */
const isInterjection = (word: Word): boolean =>
  !word.lower.endsWith('?') &&
  /^(lol|h+m+|uh|um|oh|ah|huh|omg|wtf|yeah|yep|yes|sure|ok|okay|k|alright|)$/.test(bareWord(word));

/** The last question's command, or the one that compares if this one does and that one can't. */
function carriedCommand(words: readonly Word[], { verb }: Sentence, commands: CommandTable): CommandDefinition {
  const command = commands.of(verb);
  const compares = words.some(({ lower }) => VERSUS.test(lower) || COMPARED.test(lower));
  return compares && !command.parts.includes('versus') ? commands.impliedBy('versus') : command;
}

function chooseVerb(
  words: readonly Word[],
  commands: CommandTable,
  candidates: readonly VerbCandidate[],
  hasCategory: boolean,
  topic: ReturnType<typeof topicOf>,
): ChosenVerb | null {
  const top = findTop(words)?.words ?? [];
  const first = firstMeaningful(words.filter((word) => !top.includes(word)));
  const isLeading = ({ word, isVerb, command }: VerbCandidate): boolean =>
    isVerb && !isAboutNumbers(command) && (word === words[0] || word === first);
  const leading = candidates.find(isLeading);
  const phrase = leading?.word === words[0] ? null : findPhrase(words, commands);
  if (phrase !== null) return phrase;
  const isOnlyAsked = ({ word }: VerbCandidate): boolean => asksWhether(words) && isQuestionWord(word);
  if (leading !== undefined && !isOnlyAsked(leading)) return leading;
  const anywhere = candidates.filter(({ command }) => command.anywhere);
  const named = anywhere.find(({ isVerb }) => isVerb) ?? anywhere[0];
  if (named !== undefined && !isOnlyAsked(named)) return named;
  if (topic === 'state' && !hasCategory) return null;
  const numbers = candidates.filter(({ command }) => isAboutNumbers(command));
  const isAsked = topic !== 'question' || (!asksWhether(words) && numbers.some(({ word }) => word === first));
  const [one] = numbers;
  if (one !== undefined && isAsked) return numbersMeant(numbers, hasCategory) ?? one;
  const others = candidates.filter(({ command, isVerb }) => isVerb && !isAboutNumbers(command) && !command.takesWords);
  return topic === null && others.length === 1 ? (others[0] ?? null) : null;
}

/**
 * For both `attacks` and `requests` in a sentence: by category if one is named, otherwise over time, which shows both.
 */
function numbersMeant(numbers: readonly VerbCandidate[], hasCategory: boolean): VerbCandidate | undefined {
  const by = (what: CommandDefinition['impliedBy']) => numbers.filter(({ command }) => command.impliedBy === what);
  const [overTime] = by('range');
  const isTimeline = overTime?.isVerb === true && overTime.word.lower === overTime.command.verb;
  const breakdown = by('category').find(({ word }) => !/^attacks?/.test(word.lower));
  if (hasCategory && !isTimeline) return by('category')[0];
  return isTimeline ? overTime : (breakdown ?? overTime ?? by('category')[0]);
}

/** Adds the article and preposition before each noun: `to the traffic`. */
function withLeads(words: readonly Word[], nouns: readonly Word[]): Word[] {
  return nouns.flatMap((noun) => {
    const at = words.indexOf(noun);
    const isArticle = /^(the|a|an|our|this|that)$/.test(words[at - 1]?.lower ?? '');
    const before = words[isArticle ? at - 2 : at - 1];
    const isLed = before !== undefined && /^(to|with|in|of|on|for|by|as)$/.test(before.lower);
    return [...(isLed ? [before] : []), ...(isArticle ? words.slice(at - 1, at) : []), noun];
  });
}

/** Takes the categories, and nouns that repeat what the command means. */
function withNouns(
  words: readonly Word[],
  chosen: ChosenVerb,
  candidates: readonly VerbCandidate[],
  categories: readonly CategoryWords[],
  commands: CommandTable,
): RequestedCommand {
  const { word, more = [] } = chosen;
  const { yieldsToCategory, verb } = chosen.command;
  const isSaid = yieldsToCategory === 'always' || (yieldsToCategory !== undefined && word.lower !== verb);
  const command = categories.length > 0 && isSaid ? commands.impliedBy('category') : chosen.command;
  if (!command.parts.includes('range')) return { command, word, more, topic: null, saidBy: 'verb', categories: [] };
  const nouns = candidates.filter((each) => isAboutNumbers(each.command) || each.command === command);
  const said = nouns.map((each) => each.word).filter((each) => !isTalk(each));
  const leads = isAboutNumbers(command) ? said : [word, ...said];
  return { command, word, more: [...more, ...withLeads(words, leads)], topic: null, saidBy: 'verb', categories };
}

/** Every word that names a command, or that one has as a noun. */
function findVerbs(words: readonly Word[], commands: CommandTable): VerbCandidate[] {
  return words.flatMap((word, at) => {
    if (word.quoted) return [];
    const verb = commands.find(word.lower) ?? commands.find(bareWord(word));
    const command = verb ?? commands.findNoun(bareWord(word));
    return command === undefined || !isVerb(words, at) || !isSaid(command, words, at)
      ? []
      : [{ command, word, isVerb: verb !== undefined }];
  });
}

/** `all quiet?` asks how things are. */
const isSaid = ({ saidAs }: CommandDefinition, words: readonly Word[], at: number): boolean =>
  saidAs === undefined || (at === 0 && saidAs.test(words.map(({ lower }) => lower).join(' ')));

/** `which host`, wherever it stands. */
function findPhrase(words: readonly Word[], { all }: CommandTable): ChosenVerb | null {
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
  const word = words[at];
  const lower = word === undefined ? '' : bareWord(word) || word.lower;
  if (asksForHelp(words.slice(at))) return false;
  if (lower === '?') return words.length === 1;
  if (lower !== 'now') return true;
  const next = words[at + 1]?.lower;
  return at === 0 && (next === undefined || AFTER_A_VERB.has(next));
}

const MAX_FLAG_WORDS = 5;
const FIRST_OF_FLAG =
  /^(just|only|for|to|visible|between|dm|in|private|as|a|the|csv|canvas|export|download|why|with|detail|more|explain|how|tell|what)/;

function findFlag(words: readonly Word[], flag: RegExp): Word[] | null {
  for (const at of words.keys()) {
    if (words[at]?.quoted || !FIRST_OF_FLAG.test(words[at]?.lower ?? '')) continue;
    const phrase = words.slice(at, at + MAX_FLAG_WORDS).map((word) => (word.quoted ? '"' : bareWord(word)));
    const found = flag.exec(phrase.join(' '))?.[0].trim();
    if (found === undefined) continue;
    const before = words[at - 1];
    const lead = before !== undefined && ['as', 'in', 'with'].includes(before.lower) ? [before] : [];
    return [...lead, ...words.slice(at, at + found.split(' ').length)];
  }
  return null;
}

/** The word right after `why`, so that a host can still be called `numbers`. */
function findWhyPart(words: readonly Word[]): [part: 'rule' | 'numbers' | null, words: readonly Word[]] {
  const at = words.findIndex(({ lower, quoted }) => !quoted && /^(why\??|details)$/.test(lower));
  const next = at < 0 ? undefined : words[at + 1];
  const part = next?.lower === 'rule' || next?.lower === 'numbers' ? next.lower : null;
  return [part, part === null || next === undefined ? [] : [next]];
}

/** Two words, so that a host can still be called `events`. */
const findSingleEvents = (words: readonly Word[]): readonly Word[] =>
  words
    .map((_, at) => words.slice(at, at + 2))
    .find(([single, events]) => single?.lower === 'single' && /^events?$/.test(events?.lower ?? '')) ?? [];

const VERSUS = /^(vs?\.?|versus|against)$/;
const COMPARED = /^(compared|relative|comparison)$/;

/** `vs` and the like; `against blog` after another host, and in a comparison also `with blog` and `to blog`. */
function findVersus({ words, used, mentions, requested: { command } }: SentenceReading): Span | null {
  for (const [at, word] of words.entries()) {
    if (used.has(word)) continue;
    const next = words[at + 1];
    if (VERSUS.test(word.lower)) return word;
    if (COMPARED.test(word.lower) && next !== undefined && /^(to|with|against)$/.test(next.lower))
      return { start: word.start, end: used.has(next) ? word.end : next.end };
    if (word.lower === 'than' && !isTalk(next ?? word) && words.some(({ lower }) => COMPARATIVE.test(lower)))
      return word;
    if (command.impliedBy === 'versus' && word.lower === 'with') return word;
  }
  const joints = command.impliedBy === 'versus' ? /^(against|with|to)$/ : /^against$/;
  return mentions.slice(1).find(({ lead }) => joints.test(lead?.lower ?? ''))?.lead ?? null;
}

/** `compare last week to the week before`, `compare yesterday and monday`: a word between two windows. */
function findPair(reading: SentenceReading): Span | null {
  const { words, used, requested } = reading;
  const { before = null } = reading.context;
  if (requested.command.impliedBy !== 'versus') return null;
  const joints = words.filter((word) => !used.has(word) && /^(to|and|with|,)$/.test(word.lower));
  const readOther = (joint: Word): TypedRange | 'previous' | null => {
    const range = readWindow(reading, 0, joint.start);
    if (range === null && (before?.range == null || !/^(to|with)$/.test(joint.lower))) return null;
    return range !== null && /^(from|between)\b/.test(range.typed) ? null : readSecond(reading, joint, range, false);
  };
  const isPair = (joint: Word): boolean => unlessRefused(() => readOther(joint)) !== null;
  return joints.slice(0, MAX_JOINTS).find(isPair) ?? null;
}
const MAX_JOINTS = 4;

/** `previous 24h` next to another window. */
const PREVIOUS_WINDOW = /^(?:the )?(?:previous|prev|prior|preceding) (\d.*|hour|night|day|week|month)$/i;

/** After a single day, `the previous week` is a whole week. */
const isLike = (length: string, { previous }: TimeContext): boolean =>
  previous !== undefined && (!/^(week|month)$/i.test(length) || previous.from.until(previous.to).total('days') > 1);

/** `yesterday same time` is `same time yesterday`. */
const SAME_TIME_LAST = /^(\S.*?),? (?:at )?(?:the )?same (times?|hours?|period)$/i;

/** `attacks from yesterday afternoon` are within it; `from yesterday 14:00` and `from yesterday to now` start there. */
const FROM_PERIOD =
  /^from (?=(?:the )?(?:last|past|previous|this|yesterday|yday|today|weekend)\b(?!.*(?:\d| to | until | till | on(?:wards?)?$|-)))/i;

/** Reads the range between two offsets without some words. A misspelled verb gets a better error. */
function readRange(reading: SentenceReading, without: readonly Word[], from: number, to: number): TypedRange | null {
  const { text, requested, used, context } = reading;
  const { command, word: verbWord } = requested;
  const part = squeezeBlanks(blankOut(plainPunctuation(text), [...used, ...without]), from, to);
  // `check now` says the same twice.
  if (!/[\p{L}\d]/u.test(part.text) || command.aliases.includes(withoutMarksAtEnd(part.text.toLowerCase())))
    return null;
  refuseTwoQuestions(text, part);
  // `since 12:45: attacks`
  const said = part.text
    .replace(/(?<=\d):(?=\s|$)/g, ' ')
    .trim()
    .replace(SAME_TIME_LAST, 'same $2 $1')
    .replace(PREVIOUS_WINDOW, (words, length: string) => (isLike(length, context) ? `the ${length} before` : words));
  const typed =
    verbWord === null && requested.saidBy === 'other' && requested.categories.length === 0
      ? said
      : said.replace(FROM_PERIOD, '');
  const onDay = context.before ? onSameDay(typed, context.before, context) : typed;
  try {
    const range = parseRange(onDay, context);
    if (range.readAs !== undefined) refuseMisspelledHost(text, part, context);
    return { ...range, typed: withoutMarksAtEnd(typed) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const first = verbWord !== null ? undefined : splitWords(text).find(({ start }) => start === part.places[0]);
    const suggestion = first === undefined ? undefined : context.commands.nearest(bareWord(first));
    if (first !== undefined && suggestion !== undefined) {
      const corrected = suggestion + text.slice(first.end);
      throw new UsageError(`“${first.text}” isn't a command.`, { text, span: first, suggestion, corrected });
    }
    const range = suggestedRange(onDay, error, context);
    const isAround = command.impliedBy === 'question' || /^(the )?(this|same) time /i.test(part.text);
    if (isAround && range?.startsWith('around ') && !/\bnow\b/i.test(range))
      return { ...parseRange(range, context), typed: range };
    const corrected = range === undefined ? undefined : withOther(text, part, range, [...used]);
    // An unknown host already points at its place in the sentence.
    const places = error.reason === undefined ? part.places : undefined;
    throw inSentence(error, text, command.verb, { places, corrected });
  }
}

/** `frum` could be `from`, or the host `forum`. */
function refuseMisspelledHost(text: string, { places }: SqueezedText, context: SentenceContext): void {
  const words = splitWords(text);
  const isSaid = ({ start, lower }: Word, at: number): boolean =>
    places.includes(start) && /^[a-z]{3,}$/.test(lower) && !isTimeWord(lower) && !isTime(words[at - 1]);
  const isNear = ({ lower }: Word): boolean =>
    context.mayKnowMore === true || nearestHost(lower, context, 1) !== undefined;
  const word = words.find((each, at) => isSaid(each, at) && isNear(each));
  if (word !== undefined) throw unknownHost(text, word, context);
}

/** `attacks on shop and requests on blog`: a host on both sides. */
function refuseSecondQuestion(words: readonly Word[], mentions: readonly HostMention[], commands: CommandTable): void {
  const isQuestion = (word: Word | undefined): boolean =>
    word !== undefined && (commands.find(bareWord(word)) ?? commands.findNoun(bareWord(word))) !== undefined;
  const span = words.find(({ lower }, at) => lower === 'and' && isQuestion(words[at + 1]));
  if (span === undefined || mentions.length < 2) return;
  const isAfter = ({ words: [first] }: HostMention): boolean => (first?.start ?? 0) > span.start;
  if (mentions.some(isAfter) && !mentions.every(isAfter)) throw twoQuestions(span);
}

const twoQuestions = (span: Span): UsageError => fault('Ask one question at a time.', span);

/** `attacks on shop yesterday and requests today`: there are other parts between the windows. */
function refuseTwoQuestions(text: string, { text: said, places }: SqueezedText): void {
  const at = said.search(/ and (?!half)/);
  if (at < 0) return;
  const [start, end] = [(places[at - 1] ?? 0) + 1, places[at + ' and '.length] ?? text.length];
  const between = text.slice(start, end).replace(/\band\b/, '');
  if (/\p{L}/u.test(between)) throw twoQuestions({ start, end });
}

/** The error of one part as one of the whole sentence. `places` maps the characters of the part to the sentence's. */
export function inSentence(
  error: UsageError,
  text: string,
  verb: string,
  { places, corrected }: { readonly places?: readonly number[]; readonly corrected?: string } = {},
): UsageError {
  const { example } = error;
  const span = places === undefined || error.span === undefined ? error.span : placeOf(error.span, places);
  return error.changed({
    text,
    span: span && withoutBlanks(text, span),
    corrected,
    example: example === undefined || example.startsWith(verb) ? example : `${verb} ${example}`,
  });
}

/** Refuses a word that no part has used and that isn't talk. */
export function refuseLeftover(text: string, words: readonly Word[]): void {
  const word = words.find((each) => !isTalk(each));
  if (word === undefined) return;
  // A word with a number was meant, so a correction doesn't drop it.
  throw unknownWord(text, word, NUMBER.test(word.lower) ? undefined : withoutWords(text, word));
}

const unknownWord = (text: string, span: Word, corrected?: string): UsageError =>
  new UsageError(`I don't know what “${span.text}” means here.`, { text, span, corrected });

const withoutWords = (text: string, { start, end }: Span): string =>
  `${text.slice(0, start).trim()} ${text.slice(end).trim()}`.trim();

/** For a flag that another command would understand. */
function undeclared(text: string, { verb }: CommandDefinition, words: readonly Word[]): UsageError {
  const span = spanOf(words);
  return new UsageError(`“${text.slice(span.start, span.end)}” doesn't work with ${verb}.`, {
    text,
    span,
    hint: `See help ${verb} for what it understands.`,
    corrected: withoutWords(text, span),
  });
}

/** For `check today vs yesterday`, which `compare` answers. */
function notComparing({ text, requested, context }: SentenceReading, span: Span): UsageError {
  const { command, word: verbWord } = requested;
  const { verb } = context.commands.impliedBy('versus');
  const corrected = verbWord === null ? `${verb} ${text}` : replaced(text, verbWord, verb);
  return fault(`${command.verb} is about one window. To see two side by side, use ${verb}.`, span, corrected);
}

function tooLong(length: number): BotError {
  return new BotError('limit', `That has ${length} characters; I read up to ${MAX_SENTENCE_LENGTH}.`, {
    hint: 'Use fewer words. Host names are shorter than host IDs.',
  });
}
