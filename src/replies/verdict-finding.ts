/** A verdict in words: the finding for the heading, and at most three lines below it. */

import { byNature, type EpisodeRecord, hasBecomeUsual, natureOf } from '../episodes/episode.ts';
import { MAX_SEARCHED_MS } from '../episodes/episode-log.ts';
import type { Verdict } from '../episodes/verdict/index.ts';
import type { ExcessByHost } from '../episodes/which-host.ts';
import { distinctNames, type Host } from '../grammar/hosts.ts';
import { duration, formatCount } from '../statistics/format.ts';
import { clockOf, type Range } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import { type Account, type AccountWindow, accountOf, alsoLines, countedWords, isPast } from './episode-account.ts';
import { dropWords, factorWords, risenIn, risenLine, usualByNowWords } from './episode-lines.ts';
import { hostWords } from './host-lines.ts';
import { counted, onHosts } from './phrases.ts';
import type { Line, Reply } from './reply.ts';
import { LEVEL_NAMES, lasting, MEASURED } from './verdict-lines.ts';

/** Some services report rates that are too coarse to count intervals from, but know the attacks of the whole window. */
export interface WindowKnowledge {
  readonly isOfRates: boolean;
  readonly attacks: number | null;
}

/** What a finding is about, beyond the verdict itself. */
export interface FindingContext extends AccountWindow {
  readonly hosts: readonly Host[];
  readonly episodes: readonly EpisodeRecord[];
  /** What is known of the window where its intervals have no numbers. */
  readonly known?: WindowKnowledge | undefined;
  /** The hosts that carry the leading episode. */
  readonly on?: ExcessByHost | null;
}

/** The heading, the lines below it and one line for each other episode. */
export type FindingWords = Required<Pick<Reply, 'title' | 'body' | 'level' | 'also'>>;

export function findingOf(verdict: Verdict, context: FindingContext): FindingWords {
  const account = accountOf(context.episodes, context);
  if (account !== null) return episodeFinding(verdict, account, context);
  if (isTooLong(context.range)) return tooLong(verdict, context);
  if (isWithoutTraffic(verdict)) return noTraffic(verdict, context);
  if (verdict.level === 'not_enough_data' || verdict.expected === null) return notEnough(verdict, context);
  return calmFinding(verdict, context);
}

/** The same from cached numbers, because the service doesn't respond. It must not read as the current state. */
export function asOfEarlier(
  { title, body, level, also }: FindingWords,
  cachedMs: number,
  { zone, now }: AccountWindow,
): FindingWords {
  const then = level === 'not_enough_data' || level === 'past' ? 'last numbers' : LEVEL_NAMES[level].toLowerCase();
  const age = duration(Math.max(MINUTE_MS, now.epochMilliseconds - cachedMs), { ...MEASURED, rounding: 'whole' });
  return {
    title: `Can't reach your WAF statistics · ${then} at ${clockOf(zone, now)(cachedMs)}`,
    level: 'not_enough_data',
    body: [['Last numbers, from ', { bold: `${age} ago` }, `: ${title}.`], ...body].slice(0, 3),
    also,
  };
}

/** Not a single request, now or before: this may not be a host of the project at all. */
function isWithoutTraffic({ totals, references }: Verdict): boolean {
  if (totals.knownMs === 0 || totals.requests > 0 || totals.attacks > 0) return false;
  return references.every((reference) => reference.totals.requests + reference.totals.attacks === 0);
}

function noTraffic({ fromMs, toMs }: Verdict, { hosts }: FindingContext): FindingWords {
  const ids = hosts.map(({ id }) => id).join(', ');
  const whose = onHosts(hosts).replace(' on ', ' for ');
  const ask =
    hosts.length === 0 ? 'is the project right?' : hosts.length === 1 ? 'is its ID right?' : 'are the IDs right?';
  const which: Line = hosts.length === 0 ? [] : [` Host ${hosts.length === 1 ? 'ID' : 'IDs'}: `, { code: ids }];
  return {
    title: `No traffic seen${whose}: ${ask}`,
    level: 'not_enough_data',
    body: [[`Not a single request in ${lasting(toMs - fromMs)}, nor before that.`, ...which]],
    also: [],
  };
}

export const isTooLong = ({ from, to }: Range): boolean =>
  to.epochMilliseconds - from.epochMilliseconds > MAX_SEARCHED_MS;

export const TOO_LONG = `Up to ${lasting(MAX_SEARCHED_MS)} can be checked at once. A timeline shows longer ones.`;

/** Numbers, and no judgment. */
function tooLong(verdict: Verdict, { now }: FindingContext): FindingWords {
  const { totals } = verdict;
  const known = totals.knownMs === 0 ? '' : `${counted(totals.attacks, 'attack')} in ${judgedTime(verdict, now)} · `;
  return { title: `${known}too long to check`, level: 'not_enough_data', body: [[TOO_LONG]], also: [] };
}

function notEnough({ unjudged, totals }: Verdict, { hosts, known: window }: FindingContext): FindingWords {
  const finding = { title: 'Not enough data to judge', level: 'not_enough_data', also: [] } as const;
  if (totals.knownMs === 0 && window?.isOfRates === true && window.attacks !== null) {
    const why = 'The service reports rounded rates over time, which are too coarse to judge.';
    return { ...finding, body: [[`${why} In total: `, { bold: counted(window.attacks, 'attack') }, '.']] };
  }
  const known =
    totals.knownMs === 0
      ? []
      : [
          `${counted(totals.attacks, 'attack')} of ${counted(totals.requests, 'request')} counted in ${lasting(totals.knownMs)}.`,
        ];
  const ask =
    totals.knownMs > 0 || hosts.length === 0 ? [] : [`Is the ID of ${distinctNames(hosts).join(', ')} right?`];
  return { ...finding, body: [[[unjudged, ...known, ...ask].join(' ')]] };
}

/** `690–840 is usual` */
function rangeWords(observed: number, { low, high }: NonNullable<Verdict['usual']>): string {
  const range = `${formatCount(low)}–${formatCount(high)}`;
  return observed < Math.round(low) ? `below the usual ${range}` : `${range} is usual`;
}

/** Further above the usual range than this isn't a little. */
const A_LITTLE = 1.25;

/** What a window without episodes is called: never calm if it's above its own usual range. */
export function calmName({ totals: { attacks }, usual }: Pick<Verdict, 'totals' | 'usual'>): string {
  const high = usual === null ? Number.POSITIVE_INFINITY : Math.round(usual.high);
  if (attacks <= high) return LEVEL_NAMES.calm;
  return attacks <= A_LITTLE * high ? 'A little above usual' : 'Above usual';
}

function calmFinding(verdict: Verdict, context: FindingContext): FindingWords {
  const { now, episodes } = context;
  const { totals, usual, kind, visitorFactor } = verdict;
  const range = usual === null ? '' : `, ${rangeWords(totals.attacks, usual)}`;
  const visitors = `More visitors than usual: ${factorWords(visitorFactor)} times as many.`;
  return {
    title: `${calmName(verdict)} · ${counted(totals.attacks, 'attack')} in ${judgedTime(verdict, now)}${range}`,
    level: 'calm',
    body: kind === 'more visitors' ? [[`${visitors} Attacks rose no more than that, if at all.`]] : [],
    also: alsoLines(episodes, context),
  };
}

function episodeFinding(verdict: Verdict, account: Account, context: FindingContext): FindingWords {
  const { title, level, also, lead } = account;
  const counts = countedWords(lead, lengthWords(lead, context));
  const course = courseWords(lead, context);
  const window = windowWords(verdict, lead, context.now);
  if (lead.drop === undefined) {
    const within: Line = window === null ? ['.'] : [`; ${window}.`];
    const risen = natureOf(lead) === 'rise' ? risenIn(lead) : [];
    const where = hostWords(context.on ?? null);
    const named = risenLine(risen, where);
    return { title, level, also, body: [[...counts, ...within, course], ...named] };
  }
  const advice = lead.endMs === null && !isPast(context) ? ` ${dropWords(lead.drop, lead.figures).advice}` : course;
  return { title, level, also, body: [[...counts, `.${advice}`], ...(window === null ? [] : [[`${window}.`]])] };
}

/** `in 33 minutes so far`, `in 26 minutes` */
function lengthWords({ onsetMs, endMs, figures }: EpisodeRecord, context: FindingContext): string {
  const length = `in ${lasting((endMs ?? figures.untilMs) - onsetMs)}`;
  if (endMs !== null) return length;
  return isPast(context)
    ? `${length} up to ${clockOf(context.zone, context.now)(figures.untilMs)}`
    : `${length} so far`;
}

/** A past window says nothing about now. */
function courseWords(episode: EpisodeRecord, context: FindingContext): string {
  const { endMs } = episode;
  if (isPast(context) || hasBecomeUsual(episode)) return usualByNowWords(episode);
  return endMs === null ? ' Still ongoing.' : ` Ended ${clockOf(context.zone, context.now)(endMs)}.`;
}

/** What was counted in the whole window: `2,170 in the last 57 minutes`; with what is usual if attacks aren't what leads. */
function windowWords(verdict: Verdict, lead: EpisodeRecord, now: Temporal.Instant): string | null {
  const { usual, totals, fromMs } = verdict;
  const { attacks } = totals;
  const isSame = fromMs === lead.onsetMs && attacks === lead.figures.total && lead.mix === undefined;
  if (totals.knownMs === 0 || isSame) return null;
  const time = judgedTime(verdict, now);
  const inWords = `${counted(attacks, 'attack')} in ${time}`;
  return byNature(lead, {
    rise: () => `${formatCount(attacks)} in ${time}`,
    mix: () => inWords,
    drop: () => (usual === null ? null : `${inWords}, ${rangeWords(attacks, usual)}`),
  });
}

/** A window that ended longer ago than this, or than a hundredth of its length, isn't called “the last … minutes”. */
const RECENT_MS = 10 * MINUTE_MS;
const RECENT_SHARE = 0.01;

/** `the last 57 minutes`, or for a window in the past `the 2 hours you asked about`. */
function judgedTime({ fromMs, toMs }: Pick<Verdict, 'fromMs' | 'toMs'>, now: Temporal.Instant): string {
  const length = lasting(toMs - fromMs);
  const agoMs = now.epochMilliseconds - toMs;
  return agoMs <= Math.max(RECENT_MS, RECENT_SHARE * (toMs - fromMs))
    ? `the last ${length}`
    : `the ${length} you asked about`;
}
