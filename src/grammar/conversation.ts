/**
 * Questions that leave something out because the last question of the conversation said it: `why`, `and yesterday?`, `on shop`,
 * `only sqli`, `as csv`, `is it over?`
 */
import type { TimeContext } from '../time/index.ts';
import type { CommandTable, Sentence } from './command-table.ts';
import { namedHosts } from './hosts.ts';

const ACKNOWLEDGED =
  /^(?:(?:ok|okay|k|alright|right(?! now)|fine|good|great|cool|thanks|thx|hm+|ah|oh)[,.!]*\s+)+(?=(?:and|now|what|how|show|then|but|so|why|who|which|only|just|on|for|since|vs|compare|as|same|the|give|list|can|could|is|are|any)\b)|^(?:(?:ok|okay|k|alright|thanks|thx)[,.!]*\s+|(?:fine|good|great|cool|right)[,.!]+\s+)+(?=(?:attacks?|requests|traffic|timeline|check)\b)/i;
const THE_SAME =
  /^(\s*(?:and |then |now |but )*)(?:(?:can|could) you )?(?:please )?(?:do |show |show me |give me )?(?:the )?same(?: thing| question)?,?\s+(?=(?:for|on|but|with|in|as|since)\b)/i;
/** `now as csv`: "now" continues the conversation and doesn't mean the present. */
const NOW_THEN =
  /^\s*now,?\s+(?=(?:as|on|for|only|just|the|show|with|compare|vs|in|without)\b|(?!please|pls|then|too|and|to\b)[a-z][\w.-]+\W*$)/i;
const AND = /^\s*(?:(?:and|then|but|so|plus|also|add|include)\b,?\s+)+(?=\S)/i;
const INSTEAD = /\b(?:instead|as well|too|auch|stattdessen)\b\W*$/i;
/** Words that keep the hosts of the previous question. */
const ADDED = /\b(?:as well|too|auch)\b\W*$|^\W*(?:and |und )?(?:also|plus|add|include|auch)\b/i;

/** Blanks out the words of a follow-up that only refer to the previous question; offsets stay the same. */
export function withoutReference(text: string): string {
  const blanks = (found: string): string => ' '.repeat(found.length);
  return [THE_SAME, NOW_THEN, AND, INSTEAD].reduce((left, words) => left.replace(words, blanks), text);
}

/** `ok, show me …`: "ok" continues the conversation and doesn't ask whether all is well. */
export const withoutAcknowledgment = (text: string): string =>
  text.replace(ACKNOWLEDGED, (found) => ' '.repeat(found.length));

const TIME = String.raw`(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|h|uhr)?|noon|midday|midnight)`;
const CLOCKS = new RegExp(`^(?:from |between )?${TIME} ?(?:-|–|to|and|until|till|bis|und) ?${TIME}$`, 'i');
const ON_THE_DAY = new RegExp(
  `^(?:(?:in |during )?the )?(?:early |late )?(?:morning|afternoon|evening|night)$|^(?:after|from|around|about|at) ${TIME}$`,
  'i',
);
const UNTIL = new RegExp(`^(?:until|till|til|up to|before|to|by) (${TIME})$`, 'i');

const NEXT = /^(?:the )?(?:next|following) (.+)$/i;
const MOVED = /^(an?|one|\d+) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?) (earlier|later)$/i;
const MAKE_IT = /^(?:make|change) (?:it|that)(?: to)? (\d{1,3})$/i;
const SINCE_THEN = /^(?:since|since then|from then on|after that)$/i;
const WHOLE = /^(?:the )?(day|week|month)$/i;
const UNIT_HOURS: Readonly<Record<string, number>> = { m: 1 / 60, h: 1, d: 24, w: 168 };

/** Phrases relative to another window: `next hour`, `30 min later`, `since then`, `all day`. */
function besideWindow(words: string, { from, to }: NonNullable<Sentence['range']>): string | null {
  const [, next] = NEXT.exec(words) ?? [];
  if (next !== undefined) return `the ${next} after`;
  const [, long] = MAKE_IT.exec(words) ?? [];
  const minutes = from.until(to).total('minutes');
  if (long !== undefined) return `last ${long} ${minutes < 60 ? 'minutes' : minutes < 2 * 24 * 60 ? 'hours' : 'days'}`;
  if (SINCE_THEN.test(words)) return `since ${to}`;
  const [, unit] = WHOLE.exec(words) ?? [];
  if (unit !== undefined) return `the whole ${unit}`;
  const [, count = '', by = '', way = ''] = MOVED.exec(words) ?? [];
  const hours = UNIT_HOURS[by.charAt(0).toLowerCase()];
  if (hours === undefined) return null;
  const moved = { minutes: (Number(count) || 1) * hours * 60 * (/later/i.test(way) ? 1 : -1) };
  return `${from.add(moved)}/${to.add(moved)}`;
}

/**
 * `14:00-16:00` or `in the morning`, after a question about yesterday, is yesterday's; `until noon` starts as it did.
 */
export function onSameDay(words: string, { range }: Sentence, { now, zone }: TimeContext): string {
  const bare = words.replace(/(?<![?!.])[?!.]+$/, '');
  if (range === null) return words;
  const beside = besideWindow(bare, range);
  if (beside !== null) return beside;
  const from = range.from.toZonedDateTimeISO(zone);
  const day = from.toPlainDate();
  const isOneDay = range.to.subtract({ seconds: 1 }).toZonedDateTimeISO(zone).toPlainDate().equals(day);
  if (!isOneDay) return words;
  const [, until] = UNTIL.exec(bare) ?? [];
  if (until !== undefined) return `${day} ${from.toPlainTime().toString({ smallestUnit: 'minute' })} until ${until}`;
  const isToday = now.toZonedDateTimeISO(zone).toPlainDate().equals(day);
  return !isToday && (CLOCKS.test(bare) || ON_THE_DAY.test(bare)) ? `${day} ${bare}` : words;
}

/** Asks about the present, whatever the last question was about. */
const ABOUT_NOW = /\b(?:now|rn|over|still|yet|ongoing|stopped|currently|right now|at the moment|today)\b/i;
const IS = /^\W*(?:and |so |but )*(?:is|are|how is|how's|hows|status|now|check)\b/i;

/** `compare with blog` compares the hosts of the previous question with these. */
const WITH_HOST = /\bcompare\s+(?:it |that |this )?(?:with|to|and|against)\b/i;

function comparedWithBefore(sentence: Sentence, before: Sentence): Sentence {
  const { verb, text, hosts, versus, versusHosts } = sentence;
  const isHost = verb === 'compare' && WITH_HOST.test(text) && versus === null && versusHosts.length === 0;
  return isHost && hosts.length > 0 && before.hosts.length > 0
    ? { ...sentence, hosts: [], versusHosts: hosts }
    : sentence;
}

export function carryOver(typed: Sentence, before: Sentence, commands: CommandTable): Sentence {
  const sentence = comparedWithBefore(typed, before);
  const { verb, text, saidBy } = sentence;
  const { parts } = commands.of(verb);
  if (!parts.includes('range')) return sentence;
  const carried: Sentence['carried'][number][] = saidBy === 'conversation' ? ['kind of answer'] : [];
  const take = <T>(own: T, isMissing: boolean, theirs: T, part: Sentence['carried'][number]): T => {
    const isThere = theirs !== null && !(Array.isArray(theirs) && theirs.length === 0);
    if (!isMissing || !isThere) return own;
    carried.push(part);
    return theirs;
  };
  const isNow = saidBy === 'question' && (ABOUT_NOW.test(text) || (IS.test(text) && sentence.hosts.length > 0));
  const isNowVerb = saidBy === 'verb' && /^\W*(?:and )?(?:right )?(?:now|status)\b/i.test(text);
  const ownRange = sentence.range !== null || isNow || isNowVerb;
  const ownHosts = sentence.hosts.length > 0 || sentence.allHosts;
  const range = take(sentence.range, !ownRange, before.range, 'window');
  const added = saidBy === 'conversation' && ADDED.test(text) ? before.hosts : [];
  const others = added.filter(({ id }) => !sentence.hosts.some((host) => host.id === id));
  const hosts = take([...(ownHosts ? others : []), ...sentence.hosts], !ownHosts, before.hosts, 'hosts');
  const takesCategory = parts.includes('category') && saidBy === 'conversation';
  const category = take(sentence.category, sentence.category === null && takesCategory, before.category, 'category');
  const isCompared = sentence.versus !== null || sentence.versusHosts.length > 0;
  const takesVersus = parts.includes('versus') && !isCompared && (saidBy === 'conversation' || sentence.range === null);
  const versus = take(
    sentence.versus,
    takesVersus && (!ownRange || before.versus === 'previous'),
    before.versus,
    'comparison',
  );
  const versusHosts = take(sentence.versusHosts, takesVersus && !ownHosts, before.versusHosts, 'comparison');
  if (sentence.namedZone === null && before.namedZone !== null) carried.push('zone');
  const zone = sentence.namedZone ?? before.namedZone ?? sentence.zone;
  const top = sentence.top ?? (saidBy === 'conversation' ? before.top : null);
  const namedZone = sentence.namedZone ?? before.namedZone;
  return { ...sentence, range, hosts, category, versus, versusHosts, zone, namedZone, top, carried };
}

/** The question as one sentence that means the same at any time, to be carried over from; `null` if it isn't about a window. */
export function asRemembered(sentence: Sentence, commands: CommandTable): string | null {
  const { verb, range, versus, hosts, versusHosts, category, namedZone, top } = sentence;
  if (!commands.of(verb).parts.includes('range')) return null;
  const interval = (window: Exclude<Sentence['range'], null>): string => `${window.from}/${window.to}`;
  return [
    verb,
    ...(category === null ? [] : [category]),
    ...(range === null ? [] : [interval(range)]),
    ...(versus === null ? [] : [`vs ${versus === 'previous' ? versus : interval(versus)}`]),
    namedHosts(hosts).trim(),
    ...(versusHosts.length === 0 ? [] : [`vs${namedHosts(versusHosts).slice(' on'.length)}`]),
    ...(namedZone === null ? [] : [`in ${namedZone}`]),
    ...(top === null ? [] : [`top ${top}`]),
  ]
    .filter((part) => part !== '')
    .join(' ');
}
