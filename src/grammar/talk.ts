/** What people say around a command or instead of one. In a sentence without a command its topic decides what is meant. */
import { CATEGORY_WORDS, categoryFor } from '../statistics/categories.ts';
import { bareWord, type Word } from './tokens.ts';

/** What a sentence without a command is about. */
export type Topic = 'question' | 'help' | 'thanks' | 'greeting';

/**
 * `state` asks whether all is well, whatever the rest of the sentence; `attack` and `question` only if it doesn't ask
 * for numbers. `filler` never means anything. The meaning of an `answer`, an `aside` or a `quality` depends on its
 * position. `small` words mean nothing by themselves, but may belong to a time.
 */
type Talk = Topic | 'state' | 'attack' | 'filler' | 'answer' | 'aside' | 'quality' | 'small';

const PHRASES: readonly (readonly [Talk, string])[] = [
  [
    'state',
    `ok, okay, fine, good, alright, all right, all good, we good, is good, looking good, all well, all clear, all quiet, back to normal, high, low, so high, so low, safe, secure, healthy,
    unhealthy, normal, usual, unusual, abnormal, anomalous, strange, weird, odd, suspicious, fishy, funky, off, interesting, notable,
    noteworthy, remarkable, worrying, wrong, bad, worse, badly, calm, quiet, busy, serious, severe, critical, stable, elevated, broken, on fire,
    down, up and running, red, orange, yellow, green, as usual, other than usual, than usual, more than usual, higher than usual, than normal, more than normal, higher than normal, out of the ordinary, to worry about, over yet, over now, not ok, not okay, not good, not normal, not right,
    it over, it over yet, better, improving, escalating, overloaded, struggling, a lot, too much, too many, in trouble,
    false alarm, false positive`,
  ],
  [
    'attack',
    `under attack, under fire, under load, attack, hack, compromise, breach, ddos, dos, hammer, hit, slam, pound, flood, bombard, bomb, probe, scan,
    crawl, spam, abuse, poke, knock, brute force, brute forced, bruteforce, mess, target, affect, offend, go after, going after, went after, pwned, impacted,
    impacting`,
  ],
  [
    'question',
    `going down, ongoing, stop, start, end, begin, began, since when, attack over, attack start, attack end, attack begin, it start, it end, it begin,
    happen, occur, occurred, occurring, going on, goes on, went on, status, state, situation, news, update, what's up, whats up, wassup, sup, alarm,
    alert, incident, problem, trouble, issue, anomaly, anomalies, spike, surge, peak at, jump, burst, bump, worry, worried, concern, anything,
    everything, everything else, how are things, how is it going, how's it going, how bad, how long, how is, how's, hows, how are, how was, how were,
    how did, change, increase, rise, rose, decrease, fall, fell, climb, grow, grew, explode, appear, show up, pop up, come in, roll in, pour in,
    what's new, what's the latest, whats the latest, the deal, we do, we doing, go up, went up, going up, go down, went down, come down, came down, hold up, holding up, recover,
    calm down, calmed down, settle down, settled down, die down, died down`,
  ],
  [
    'help',
    'what can you do, what do you do, what can i ask, how does this work, how do you work, who are you, what are you',
  ],
  [
    'thanks',
    `thanks, thank you, thx, tx, ty, tia, cheers, great, nice, perfect, awesome, cool, good bot, well done, good job, got it, bye,
    goodbye, see you, good night`,
  ],
  [
    'greeting',
    `hello, hi, hey, hiya, howdy, yo, greetings, good morning, good afternoon, good evening, good day, morning all, hi all,
    hey all, hi team, hey team, hi folks, hey folks, hey there, hi there`,
  ],
  [
    'filler',
    `is, are, am, was, were, be, been, being, isn't, aren't, wasn't, weren't, it, its, it's, we, we've, we're, i, i'm, im, i'd, i'll, i've, ive, id,
    you, u, they, them, they're, their, he, she, me, us, our, ours, my, your, ur, there, there's, theres, that, that's, thats, these, those, ones,
    one, any, some, something, here, what, what's, whats, how, why, who, who's, whos, whom, which, where, where's, wheres, when, do, does, did, done,
    doing, didn't, don't, doesn't, can, could, would, will, should, might, has, have, had, having, haven't, hasn't, get, got, getting, gotten, give,
    gave, gimme, show, shown, tell, told, see, saw, seen, seeing, look, let, let's, lets, lemme, letme, know, knows, need, want, wanna, like, love,
    like to, love to, want to, need to, try to, trying to, have to, to see, to know, to get, to check, to look at, to find out, to understand, please,
    pls, plz, just, only, also, still, really, currently, about, many, much, very, often, frequently, more or less, overall, all, all the, bot,
    wafbot, waf, firewall, site, website, project, system, with, going, go, goes, went, gone, looking, out, if, whether, most, rn, atm, asap, btw,
    fyi, imo, tbh, afaik, quick, quickly, quick one, quick question, one question, real quick, again, actually, maybe, perhaps, probably, apparently,
    basically, simply, roughly, approximately, exactly, ok so, draw, visualize, visualise, display, as a graph, as a chart, as graph, as chart,
    as a plot, as a table, pull, pull up, bring up, fetch, grab, dig up, dig out, send, share, generate, prepare, find, checking, checking in,
    double checking, summarize, summarise, curious, wonder, ask, asking, make, make it, make that, create, run, do we, we get, for me, to me, for us,
    to us, write, write up, behind, behind it, behind that, came, come, coming, receive, reach, take, took, taken, record, measure, observe, detect,
    notice, catch, caught, say, said, look like, looked like, look at, take a look, take a look at, have a look, have a look at, check out, check on,
    due, due to, anyone, anybody, someone, somebody, nobody, made, sent, serve, handle, kind of, kinds of, sort of, both, hmm, hm, uh, um, oh, ah,
    lol, omg, wtf, huh, yeah, yep, yes, sure, sorry, then, there was, zoom, zoom in, zoom into, zoom in on, zoom in to, zoom to, focus, focus on,
    drill, drill into, drill down, drill down into, drill down to, narrow, narrow it, narrow it down to, narrow to, narrow down to, switch to,
    change to, change it to, change that to, break down, break it down, broken down, try, tried, trying, when you can, when you get a chance,
    if possible, if you can, keep, kept, mean, meant, seem, feel, felt, think, thought, believe, guess, hope, expect, understand, understood, confirm,
    verify, review, investigate, analyze, analyse, read, cause, figure out, sort out, look into, look through, go through, run through,
    walk me through, go over, dig into, already, yet, either, anyway, anyhow, somehow, rather, quite, pretty, fairly, particularly, especially,
    specifically, mainly, mostly, largely, generally, usually, normally, typically, suddenly, constantly, continuously, repeatedly, heavily,
    massively, seriously, definitely, certainly, obviously, clearly, surely, possibly, likely, finally, eventually, immediately, directly, together,
    because, while, though, regarding, concerning, to you, for you, at all, by now, as well, in general, in total, responsible for the, responsible for this, responsible for that, responsible for these, full report,
    so few, so little, help, show me more, show more, miss, heads up, not sure, not sure if, no idea, no rush, on call, oncall, my shift, on my shift,
    around here, upload, put, psst, visible, visible to, drop, else, whole, entire, throughout,
    identify, retrieve, provide, compile, produce, gather, extract, search for, look up, check for,
    spit out, dump, render, highlight, point out, inspect, examine, explore, track, assess, evaluate, calculate, determine, describe, outline,
    triage, pull together, talk me through, aimed, aimed at, directed at, inbound, incoming, http, visited,
    group, one more, one more thing, looks, seems, feels, gets, sees, shows, says, from which, from what, hardest, the hardest, the most`,
  ],
  [
    'answer',
    `number, amount, count, total, things, stuff, graph, chart, plot, diagram, report, summary, overview, view, glance, peek, data, info, information,
    stats, statistics, numbers, figures, result, history, curve, trend, picture, writeup, recap, rundown, brief, briefing, snapshot, mix, case, kind,
    sort, list, pattern, health, activity, print, level, distribution`,
  ],
  [
    'aside',
    `everyone, team, folks, guys, mate, ppl, people, person, everybody, boss, manager, customer, ticket, standup, handover, shift, call`,
  ],
  [
    'quality',
    `new, well, real, big, huge, massive, heavy, strong, intense, crazy, insane, terrible, awful, nasty, actual, possible, potential, active,
    single, responsible, hard, behavior, behaviour, name, type, idea, bit, context, answer, reply, question, present, return, output, query, search, post,
    pass, hand`,
  ],
  ['small', 'the, a, an, this, at, in, of, for, on, now, right now, at the moment, so, and, or so'],
];
const MAX_PHRASE_WORDS = 4;

const TALK: ReadonlyMap<string, Talk> = new Map(
  PHRASES.flatMap(([talk, phrases]) => phrases.split(/,\s*/).map((phrase): [string, Talk] => [phrase, talk])),
);

/** Candidates for a misspelled word, including other forms of words for attacks. */
export const TALK_WORDS: readonly string[] = [
  ...new Set(
    [...TALK].flatMap(([phrase, talk]) => [
      ...phrase.split(' '),
      ...(talk === 'attack' || talk === 'question' ? ['ed', 'ing'].map((end) => phrase.replace(/e$/, '') + end) : []),
    ]),
  ),
  ...'hitting scanning slamming spamming stopped stopping times sites hosts'.split(' '),
].filter((word) => !word.includes(' ') && word.length > 3);

/** Words that belong together: talk, or a single other word. */
interface TalkSegment {
  readonly words: readonly Word[];
  readonly talk: Talk | null;
}

/** Talk is short; a longer sentence lists hosts. */
const MAX_WORDS = 40;

function segmentsOf(words: readonly Word[]): TalkSegment[] {
  const bare = words.slice(0, MAX_WORDS).map((word) => (word.quoted ? '"' : bareWord(word)));
  const segments: TalkSegment[] = [];
  for (let at = 0; at < bare.length; at += segments.at(-1)?.words.length ?? 1) {
    const lengths = Array.from({ length: Math.min(MAX_PHRASE_WORDS, bare.length - at) }, (_, shorter) => shorter + 1);
    const length = lengths.findLast((each) => talkOf(bare.slice(at, at + each)) !== undefined) ?? 1;
    // `are the attacks over`, but `over the weekend`
    if (at === bare.length - 1 && bare[at] === 'over')
      return [...segments, { words: words.slice(at, at + 1), talk: 'state' }];
    // `end of last week` is a time.
    const isEdge = length === 1 && /^(start|end|beginning)$/.test(bare[at] ?? '') && bare[at + 1] === 'of';
    const talk = isEdge ? null : (talkOf(bare.slice(at, at + length)) ?? null);
    segments.push({ words: words.slice(at, at + length), talk });
  }
  return segments;
}

function talkOf(bare: readonly string[]): Talk | undefined {
  const phrase = bare.join(' ');
  if (phrase === '') return 'filler';
  return phrase === ',' ? 'small' : (TALK.get(phrase) ?? talkOfForm(phrase));
}

const ENDING = /(?:s|es|ed|ing)$/;

/** The talk that an inflected word belongs to: `hammers`, `hitting`, `probed`. */
function talkOfForm(phrase: string): Talk | undefined {
  if (phrase.includes(' ') || !ENDING.test(phrase) || NUMBERS.test(phrase)) return undefined;
  const stems = [/s$/, /(?<=[sxzo]|ch|sh)es$/, /ed$/, /d$/, /ing$/].flatMap((ending) => {
    const stem = phrase.replace(ending, '');
    return stem.length < MIN_STEM || stem === phrase
      ? []
      : [stem, `${stem}e`, ...(phrase.endsWith('s') ? [] : [stem.replace(/(.)\1$/, '$1')])];
  });
  const talks = stems.map((stem) => TALK.get(stem));
  return talks.find((talk) => talk !== undefined && talk !== 'small' && talk !== 'greeting' && talk !== 'thanks');
}
const MIN_STEM = 3;
/** These ask for numbers, or for some of them. */
const NUMBERS = /^(attacks|types|https)$/;

/** `attack` in `attack over?` doesn't ask for numbers. */
export const wordsOfPhrases = (words: readonly Word[]): readonly Word[] =>
  segmentsOf(words).flatMap((segment) =>
    segment.talk === 'question' && segment.words.length > 1 ? segment.words : [],
  );

/** Thanks end a conversation unless they come with a question, and a question says more than a greeting. */
export function topicOf(words: readonly Word[]): Topic | 'state' | null {
  if (words.length > MAX_WORDS) return null;
  const said = new Set(segmentsOf(words).map(({ talk }) => (talk === 'attack' ? 'question' : talk)));
  const asks = words.some(({ text, quoted }) => !quoted && text.endsWith('?'));
  const order: readonly (Topic | 'state')[] = asks
    ? ['help', 'state', 'question', 'thanks', 'greeting']
    : ['help', 'thanks', 'state', 'question', 'greeting'];
  return order.find((topic) => said.has(topic)) ?? null;
}

/** The first word that says something: not filler, not a greeting. */
export function firstMeaningful(words: readonly Word[]): Word | undefined {
  const isEmpty = (talk: Talk | null): boolean => talk !== null && !/^(state|attack|question|help|thanks)$/.test(talk);
  return segmentsOf(words).find(({ talk }) => !isEmpty(talk))?.words[0];
}

const YES_OR_NO = /^(is|are|was|were|did|does|do|has|have|had|any|when)$/;

/** `were there …`, `any …`: asks whether, not how many. */
export const asksWhether = (words: readonly Word[]): boolean => {
  const first = words.find((word) => {
    const talk = word.quoted ? undefined : talkOf([bareWord(word)]);
    return talk !== 'greeting' && talk !== 'small' && bareWord(word) !== '';
  });
  return first !== undefined && YES_OR_NO.test(bareWord(first));
};

/** `incident` in `was there an incident?` */
export const isQuestionWord = (word: Word): boolean => /^(attack|question)$/.test(talkOf([bareWord(word)]) ?? '');

/** `attack`, but not `attacks` or `hitting`. */
export const isAttackVerb = ({ lower }: Word): boolean => TALK.get(lower) === 'attack';

/** `update`, `data`, `search` */
export const isTalkNoun = (word: Word): boolean =>
  /^(question|answer|aside|quality)$/.test(talkOf([bareWord(word)]) ?? '');

/** Whether nothing but talk is said. */
export const isAllTalk = (words: readonly Word[]): boolean =>
  words.length <= MAX_WORDS && segmentsOf(words).every(({ talk }) => talk !== null);

/** Whether a word is only talk, such as `me` in `help me`. */
export const isTalk = (word: Word): boolean => !word.quoted && talkOf([bareWord(word)]) !== undefined;

/** `tickets` where only `ticket` is listed. */
export const isFormOfTalk = (word: Word): boolean => isTalk(word) && !TALK.has(bareWord(word));

/** `who are you?`, whatever follows. */
export const asksForHelp = (words: readonly Word[]): boolean =>
  segmentsOf(words.slice(0, MAX_PHRASE_WORDS))[0]?.talk === 'help';

/** Talk at both ends, or also inside, since people scatter the parts of a time. Small words go with adjacent talk. */
export function takeTalk(words: readonly Word[], where: 'ends' | 'everywhere'): readonly Word[] {
  if (words.length > MAX_WORDS) return [];
  const segments = segmentsOf(words);
  const isSmall = ({ talk }: TalkSegment): boolean => talk === 'small';
  const isTaken = (at: number): boolean => segments[at] !== undefined && segments[at]?.talk !== null;
  let from = 0;
  for (let at = 0; isTaken(at); at++) if (!isSmall(segments[at] as TalkSegment)) from = at + 1;
  let to = segments.length;
  for (let at = segments.length - 1; at >= from && isTaken(at); at--)
    if (!isSmall(segments[at] as TalkSegment)) to = at;
  // If only small words are left between, they belong to the talk.
  if (segments.slice(from, to).every(isSmall)) from = to;
  const inside = segments.slice(from, to).filter((segment) => segment.talk !== null && !isSmall(segment));
  const outside = [...segments.slice(0, from), ...segments.slice(to)];
  return [...outside, ...(where === 'everywhere' ? inside : [])].flatMap((segment) => segment.words);
}

const ARTICLE = /^(the|a|an|our|my|your|this|that|any|some)$/;
/** Before `attacks` or `requests`, these words ask for the check. */
const CHECKED =
  /^(un\w+|abnormal|anomalous|strange|weird|odd|suspicious|fishy|funky|interesting|notable|noteworthy|remarkable|worrying|high|low|elevated|ongoing|how.?s)$/;
/** `ok attacks today`, `attacking ips` */
const BEFORE_COUNTED = /^(?:(?:attack|ok|okay|alright|thanks|thx|tx|ty|tia|cheers) |\w+ing (?:ips?|addresses|sources))/;

/** Verbs that say which attacks or requests are meant: `read requests`. */
const MODIFIER =
  /^(record|read|write|put|run|share|upload|serve|call|measure|handle|create|expected|missing|missed|visited)$/;

/** These describe a host and aren't part of its name. */
const HOW = /^(behaviou?r|well|active|hard|bit)$/;

/** `uploads` in `media uploads yesterday`; in `attacks on shop, folks` it's only a form of address. */
const isOwned = (words: readonly Word[], at: number, dropped: readonly Word[]): boolean => {
  const [before, next] = [words[at - 1], words[at + 1]];
  const isCategory = findCategories(words.slice(Math.max(0, at - 1), at)).length > 0;
  const isHost = before !== undefined && !dropped.includes(before) && !isTalk(before) && !isCategory;
  const isAddress = next === undefined && /^(everyone|everybody|team|folks|guys|mate)$/.test(words[at]?.lower ?? '');
  return isHost && !isAddress && (next === undefined || !dropped.includes(next));
};

/** `who changed shop`: only attackers are known. */
const WHO_IS = /(?:^|\s)who(?:'?s)?(?: (?:is|was|are|were|has|have|had|did|been|just))*$/;

/** The first word that would be dropped as talk although it says which or whose attacks are meant: `big attacks`. */
export function misplacedTalk(
  words: readonly Word[],
  dropped: readonly Word[],
  isCounted: (word: Word) => boolean,
): Word | undefined {
  for (const { words: said, talk } of segmentsOf(words)) {
    const [word] = said;
    if (word === undefined || said.length > 1 || talk === null || talk === 'small' || !dropped.includes(word)) continue;
    const at = words.indexOf(word);
    const next = words[at + 1];
    const says = talk === 'filler' ? MODIFIER.test(word.lower) : !/^(answer|greeting)$/.test(talk);
    const isAdjective = says && /\p{L}$/u.test(word.text) && next !== undefined && isCounted(next);
    if (isAdjective && !CHECKED.test(bareWord(word)) && !BEFORE_COUNTED.test(`${word.lower} ${next.lower}`))
      return word;
    const lead = words[ARTICLE.test(words[at - 1]?.lower ?? '') ? at - 2 : at - 1]?.lower ?? '';
    const isOther = talk === 'aside' || talk === 'quality';
    const isNoun =
      talk === 'aside' ||
      (talk === 'quality' && !HOW.test(bareWord(word)) && !word.lower.endsWith('?')) ||
      (/^(filler|quality)$/.test(talk) && /s$/.test(bareWord(word)) && isFormOfTalk(word));
    if (isNoun && isOwned(words, at, dropped)) return word;
    if (lead === 'with' && /^(attack|question)$/.test(talk) && words.slice(0, at).some(isCounted)) return word;
    if (/^(by|via|from|using|through|per)$/.test(lead) || (isOther && /^(with|in|at|to|many)$/.test(lead))) return word;
    if ((isOther && next?.lower === 'of') || (talk === 'state' && lead === 'in')) return word;
    const isVerb = says && next !== undefined && !/^(attack|filler)$/.test(talk);
    if (isVerb && WHO_IS.test(words.slice(0, at).map(bareWord).join(' '))) return word;
  }
  return undefined;
}

export interface CategoryWords {
  /** The service's name for it. */
  readonly field: string;
  readonly words: readonly Word[];
}

/** Words that name a category only right before `attacks`, or right after it. */
const ORDINARY: ReadonlySet<string> = new Set(
  'other custom illegal invalid command commands bot bots sql flood whitelist blacklist'.split(' '),
);
/** These also name a category by themselves, unless they address the bot. */
const BY_ITSELF: ReadonlySet<string> = new Set(['bots', 'sql', 'flood', 'commands']);
const MAX_CATEGORY_WORDS = 3;
const ATTACKS = /^(attacks?|attempts?|requests?|traffic|rules?|events?|hits?|payloads?|activity)$/;

/** `yo bot attacks today` */
const isAddressed = (words: readonly Word[], at: number): boolean =>
  bareWord(words[at] as Word) === 'bot' && at > 0 && talkOf([bareWord(words[at - 1] as Word)]) === 'greeting';

/** Every attack category that is named: `sqli`, `SQL injection attempts`, `cross-site scripting`. */
export function findCategories(words: readonly Word[]): CategoryWords[] {
  const found: CategoryWords[] = [];
  for (let at = 0; at < words.length; at++) {
    const category = categoryAt(words, at);
    if (category === null || isAddressed(words, at)) continue;
    found.push(category);
    at += category.words.length - 1;
  }
  return found;
}

const firstOf = (words: string): string => words.split(/[ -]/, 1)[0]?.replace(/s$/, '') ?? '';
const FIRST_WORDS: ReadonlySet<string> = new Set(CATEGORY_WORDS.map((words) => firstOf(words)));

function categoryAt(words: readonly Word[], at: number): CategoryWords | null {
  if (!FIRST_WORDS.has(firstOf(words[at]?.lower.replace(/(?<!\W)\W+$/, '') ?? ''))) return null;
  const bare = (index: number): string => (words[index] === undefined ? '' : bareWord(words[index]));
  for (let length = Math.min(MAX_CATEGORY_WORDS, words.length - at); length > 0; length--) {
    const taken = words.slice(at, at + length);
    if (taken.some(({ quoted }) => quoted)) continue;
    const phrase = taken.map(bareWord).join(' ').replace('sql-', 'sql ').replace('cross site', 'cross-site');
    const field = categoryFor(phrase);
    if (field === undefined) continue;
    const isBeside = ATTACKS.test(bare(at + length)) || /^attacks?$/.test(bare(at - 1));
    if (ORDINARY.has(phrase) && !isBeside && !BY_ITSELF.has(phrase)) continue;
    const noun = /^(attempts?|events?|payloads?|activity|hits?)$/.test(bare(at + length)) ? 1 : 0;
    return { field, words: words.slice(at, at + length + noun) };
  }
  return null;
}
