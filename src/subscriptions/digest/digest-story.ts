/** What happened in a digest's time, in words: its episodes with who acknowledged them, or that it was calm. */
import {
  type Episode,
  type EpisodeFigures,
  type EpisodeRecord,
  natureOf,
  type ReportedEpisode,
  traitsOf,
} from '../../episodes/episode.ts';
import { isMinor } from '../../episodes/episode-log.ts';
import { DROP_KINDS } from '../../episodes/verdict/index.ts';
import type { Host } from '../../grammar/hosts.ts';
import { alsoWord, closeUp, leadWords, whatWords } from '../../replies/episode-account.ts';
import {
  acknowledgerWords,
  afterWords,
  bareName,
  dropWords,
  expectedWords,
  heldBackWords,
  usualSinceWords,
  usualWords,
} from '../../replies/episode-lines.ts';
import { counted, onHosts } from '../../replies/phrases.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { lasting } from '../../replies/verdict-lines.ts';
import { categoryName } from '../../statistics/categories.ts';
import { capitalized, duration } from '../../statistics/format.ts';
import { clockOf, type Range, spanInWords, windowInWords } from '../../time/index.ts';
import { HOUR_MS } from '../../time-units.ts';

/** What a watch has said about an episode in the channel. */
export interface ChannelReport extends Pick<Episode, 'acknowledged'> {
  /** The hosts of the watch; none means the whole project. */
  readonly hosts: readonly Host[];
  /** When the channel was alerted. */
  readonly openedMs: number;
  /** The link to its message; `null` if there is none. */
  readonly link: string | null;
  /** What held its alert back; absent if nothing did. */
  readonly heldBack?: ReportedEpisode['heldBack'];
}

/** An episode as a digest reports it: as it's recorded for everyone, or else as a watch has seen it. */
export interface DigestEpisode extends Omit<Episode, 'acknowledged'>, Pick<EpisodeRecord, 'strength' | 'ignored'> {
  /** The hosts it's about; none means the whole project. */
  readonly hosts: readonly Host[];
  /** The hosts that carry it, in words; `null` if that is unknown or wasn't looked for. */
  readonly on: string | null;
  /** The threshold in words, if a watch for a number reported it. */
  readonly limit: string | null;
  /** `null` if the channel wasn't alerted. */
  readonly report: ChannelReport | null;
}

export interface Story {
  readonly range: Range;
  readonly zone: string;
  readonly hosts: readonly Host[];
  /** The leading one first: ongoing ones, then the strongest. */
  readonly episodes: readonly DigestEpisode[];
  /** What ended just before, which the previous digest may have called ongoing. */
  readonly ended: readonly EpisodeRecord[];
  /** Whether all of the time could be judged, so that the rest counts as calm. */
  readonly judged: boolean;
}

/** `Last 24 hours`, `Last 7 days`, `Tue 10 Mar`: a digest's time, as people reading it on time would call it. */
export function periodName({ from, to }: Range, zone: string): string {
  const [start, end] = [from.toZonedDateTimeISO(zone), to.toZonedDateTimeISO(zone)];
  const words = windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone);
  if (start.add({ days: 1 }).equals(end)) return end.equals(end.startOfDay()) ? words : 'Last 24 hours';
  if (start.add({ days: 7 }).equals(end)) return 'Last 7 days';
  const ms = to.epochMilliseconds - from.epochMilliseconds;
  const isRound = ms % HOUR_MS === 0 || ms < 2 * HOUR_MS;
  return ms > 24 * HOUR_MS || !isRound ? words : `Last ${duration(ms, { units: ['hour', 'minute'], bareOne: true })}`;
}

/** `one surge, two smaller rises, otherwise calm`; `one surge ongoing at 08:00, before that one smaller rise` */
export function storyFinding(story: Story): string | null {
  const { judged } = story;
  const episodes = story.episodes.filter((episode) => !isMinor(episode));
  const ongoing = partsOf(episodes.filter(isOngoing), story);
  const over = partsOf(
    episodes.filter((episode) => !isOngoing(episode)),
    story,
  );
  if (ongoing.length > 0) return inFewWords([...ongoing, ...withLead(over, 'before that ')]);
  if (over.length > 0) return [inFewWords(over), ...(judged ? ['otherwise calm'] : [])].join(', ');
  return judged ? 'calm' : null;
}

const isOngoing = ({ endMs }: Pick<Episode, 'endMs'>): boolean => endMs === null;

/** A part of the heading, and how many episodes it stands for. */
interface FindingPart {
  readonly says: string;
  readonly of: number;
}

const withLead = ([first, ...rest]: readonly FindingPart[], lead: string): FindingPart[] =>
  first === undefined ? [] : [{ ...first, says: `${lead}${first.says}` }, ...rest];

const MAX_PARTS = 3;

/** `one surge, one smaller rise, visitors gone for 40 minutes, two others` */
function inFewWords(parts: readonly FindingPart[]): string {
  // If only one part is left over, naming it is as short as counting it.
  const shown = parts.length > MAX_PARTS + 1 ? parts.slice(0, MAX_PARTS) : parts;
  const left = parts.slice(shown.length).reduce((sum, { of }) => sum + of, 0);
  return [...shown.map(({ says }) => says), ...(left === 0 ? [] : [`${numberWord(left)} others`])].join(', ');
}

/** Episodes of which either all or none are ongoing, by kind. */
function partsOf(episodes: readonly DigestEpisode[], story: Story): FindingPart[] {
  const course = episodes.some(isOngoing) ? ` ongoing${asOfWords(episodes, story)}` : '';
  const many = (of: number, one: string, more: string): FindingPart[] =>
    of === 0 ? [] : [{ of, says: `${numberWord(of)} ${of === 1 ? one : more}${course}` }];
  const odd = episodes.filter(({ limit }) => limit === null);
  const rises = odd.filter((episode) => natureOf(episode) === 'rise');
  const surges = rises.filter(({ worst }) => worst === 'surge').length;
  return [
    ...many(surges, 'surge', 'surges'),
    ...many(rises.length - surges, 'smaller rise', 'smaller rises'),
    ...many(episodes.length - odd.length, 'limit exceeded', 'limits exceeded'),
    ...dropParts(odd, story),
    ...mixParts(odd),
  ];
}

/** `more Webshell than usual` */
function mixParts(episodes: readonly DigestEpisode[]): FindingPart[] {
  const mixes = episodes.flatMap(({ mix }) => (mix === undefined ? [] : [categoryName(mix)]));
  if (mixes.length === 0) return [];
  const names = [...new Set(mixes)].join(', ').replace(/, ([^,]*)$/, ' and $1');
  return [{ of: mixes.length, says: `more ${names} than usual` }];
}

/** `visitors gone for 50 minutes`, `no attacks for 2 hours`; several times are added up. */
function dropParts(episodes: readonly DigestEpisode[], story: Story): FindingPart[] {
  const toMs = story.range.to.epochMilliseconds;
  return DROP_KINDS.flatMap((what) => {
    const times = episodes.filter(({ drop }) => drop === what);
    const ms = times.reduce(
      (sum, { onsetMs, endMs, figures }) => sum + (endMs ?? figures?.untilMs ?? toMs) - onsetMs,
      0,
    );
    const asOf = asOfWords(times, story);
    const course = !times.some(isOngoing) ? '' : asOf === '' ? ' so far' : `, ongoing${asOf}`;
    const says = `${dropWords(what).name.toLowerCase()} for ${lasting(ms)}${course}`;
    return times.length === 0 ? [] : [{ of: times.length, says }];
  });
}

/** ` at 09:46`: a digest is read later. */
function asOfWords(episodes: readonly DigestEpisode[], { zone, range }: Story): string {
  const untilMs = Math.max(0, ...episodes.filter(isOngoing).map(({ figures }) => figures?.untilMs ?? 0));
  return untilMs > 0 ? ` at ${clockOf(zone, lastInstant(range))(untilMs)}` : '';
}

const lastInstant = ({ to }: Range): Temporal.Instant => to.subtract({ nanoseconds: 1 });

const numberWord = (count: number): string => NUMBERS[count] ?? String(count);

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Red and orange are for ongoing episodes: a reader must see at once whether to act. */
export function storyLevel({ episodes, judged }: Story): NonNullable<Reply['level']> | null {
  const ongoing = episodes.filter((episode) => isOngoing(episode) && !isMinor(episode));
  if (ongoing.some(({ worst }) => worst === 'surge')) return 'surge';
  if (ongoing.length > 0) return 'elevated';
  if (episodes.some((episode) => !isMinor(episode))) return 'past';
  return judged ? 'calm' : null;
}

/** Two episodes get a full line, the others a short one; of many, the weakest are only counted. */
const MAX_DETAILED = 2;
const MAX_NAMED = 6;

/** Those that a digest names in its text, and so marks in its chart. */
export const namedIn = ({ episodes }: Pick<Story, 'episodes'>): readonly DigestEpisode[] =>
  episodes.length === MAX_NAMED + 1 ? episodes : episodes.slice(0, MAX_NAMED);

/** Those that get a full line. */
export const detailedIn = (story: Pick<Story, 'episodes'>): readonly DigestEpisode[] =>
  namedIn(story)
    .filter((episode) => !isMinor(episode))
    .slice(0, MAX_DETAILED);

export function storyLines(story: Story): Line[] {
  const { episodes, range, zone } = story;
  const asOf = lastInstant(range);
  const named = namedIn(story);
  const left = episodes.length - named.length;
  const detailed = detailedIn(story);
  return [
    ...detailed.map((episode) => fullLine(episode, story, asOf)),
    ...named.slice(detailed.length).map((episode): Line => {
      const when = closeUp(timesOf(episode, zone, asOf), episode, zone);
      return [`${alsoWord(episode)} ${when}: ${briefFacts(episode, story)}`, ...courseOf(episode), '.'];
    }),
    ...(left === 0 ? [] : [[`And ${left} smaller ones.`]]),
    ...story.ended.map((episode): Line => {
      const when = closeUp(
        spanInWords(episode.onsetMs, episode.endMs ?? episode.figures.untilMs, zone, asOf),
        episode,
        zone,
      );
      return [`Ended shortly before: ${when}, ${whatWords(episode)}.`];
    }),
  ];
}

/** A digest is read later, so it never says since when. */
function timesOf(episode: DigestEpisode, zone: string, asOf: Temporal.Instant): string {
  const { onsetMs, endMs, figures } = episode;
  const times = clockOf(zone, asOf);
  if (endMs !== null) return usualSinceWords(episode, times) ?? spanInWords(onsetMs, endMs, zone, asOf);
  return `from ${times(onsetMs)} on (ongoing${figures === null ? '' : ` at ${times(figures.untilMs)}`})`;
}

/** `09:12 – 09:47: 2,170 attacks on shop, 3.1× usual, led by SQL injection, acknowledged after 2 minutes by @maya (alert).` */
function fullLine(episode: DigestEpisode, story: Story, asOf: Temporal.Instant): Line {
  const when = timesOf(episode, story.zone, asOf);
  const facts = factsOf(episode, story);
  return [{ bold: capitalized(when) }, `: ${facts}`, ...courseOf(episode), '.'];
}

/** What it was, how much of it and where. */
function factsOf(episode: DigestEpisode, story: Story): string {
  const { drop, mix, figures, limit } = episode;
  const brief = briefFacts(episode, story);
  const on = episode.on === null ? [] : [episode.on];
  if (figures === null) return brief;
  if (mix !== undefined) return [brief, ...on].join(', ');
  if (drop !== undefined) return [brief, ...countWords(traitsOf(episode).unit, figures)].join(', ');
  if (limit !== null) return [brief, ...usualWords(figures), counted(figures.total, 'attack')].join(', ');
  const what = `${counted(figures.total, 'attack')}${whereOf(episode.hosts, story.hosts)}`;
  return [what, ...usualWords(figures), ...leadWords({ ...episode, figures }), ...on].join(', ');
}

/** The same in fewer words: those that every answer has for it. */
function briefFacts(episode: DigestEpisode, story: Story): string {
  const { figures, limit } = episode;
  const where = whereOf(episode.hosts, story.hosts);
  if (limit !== null) return `${limit}${where}`;
  if (figures === null) return `${bareName(episode)}${where}`;
  return `${whatWords({ ...episode, figures })}${where === '' ? '' : `,${where}`}`;
}

/** ` on shop`; nothing if it's the digest's own hosts. */
const whereOf = (hosts: readonly Host[], own: readonly Host[]): string =>
  sameHosts(hosts, own) ? '' : hosts.length === 0 ? ' on all hosts' : onHosts(hosts);

/** What a watch reported in the channel, and who acknowledged it. */
function courseOf({ report, hosts }: DigestEpisode): Line {
  if (report === null) return [];
  const { acknowledged, openedMs, link } = report;
  const elsewhere = whereOf(report.hosts, hosts);
  const where = elsewhere === '' ? '' : `, reported${elsewhere}`;
  const message: Line = link === null ? [] : [' (', { link, says: 'alert' }, ')'];
  // An alert that was held back can't have been acknowledged.
  if (report.heldBack !== undefined && link === null) return [`${where}, ${heldBackWords(report.heldBack)}`];
  if (acknowledged === null) return [`${where}, not acknowledged`, ...message];
  const after = afterWords(acknowledged.atMs - openedMs);
  return [`${where}, acknowledged ${after} by `, ...acknowledgerWords(acknowledged, 'quietly'), ...message];
}

/** `4 visits, about 900 expected` */
function countWords(unit: string, { total, expected }: EpisodeFigures): string[] {
  const usually = expected === null ? [] : [expectedWords(expected)];
  return [...(total === 0 ? [] : [counted(total, unit)]), ...usually];
}

export const sameHosts = (a: readonly Host[], b: readonly Host[]): boolean =>
  a.length === b.length && a.every(({ id }) => b.some((host) => host.id === id));
