/** What happened in a digest's time, in words: its episodes with who acknowledged them, or that it was calm. */
import type { Episode, EpisodeFigures } from '../../episodes/episode.ts';
import type { Verdict } from '../../episodes/verdict/index.ts';
import type { Host } from '../../grammar/hosts.ts';
import { afterWords, dropName, expectedWords, kindWords, risenWords, usualWords } from '../../replies/episode-lines.ts';
import { counted, onHosts } from '../../replies/phrases.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { clockOf, lasting, risenCategories, spanInWords } from '../../replies/verdict-lines.ts';
import { categoryName } from '../../statistics/categories.ts';
import { duration } from '../../statistics/format.ts';
import type { Range } from '../../time/index.ts';
import { windowInWords } from '../../time/index.ts';
import { HOUR_MS } from '../../time-units.ts';

/** An episode as a digest reports it. */
export interface DigestEpisode extends Episode {
  /** The hosts it's about; none means the whole project. */
  readonly hosts: readonly Host[];
  /** The threshold in words, if a watch for a number reported it. */
  readonly limit: string | null;
  /** When the channel was alerted; `null` if it wasn't. */
  readonly openedMs: number | null;
  /** The link to its message. */
  readonly link: string | null;
}

export interface Story {
  readonly range: Range;
  readonly zone: string;
  readonly hosts: readonly Host[];
  /** Oldest first. */
  readonly episodes: readonly DigestEpisode[];
  /** Whether all of the time could be judged, so that the rest counts as calm. */
  readonly judged: boolean;
  readonly verdicts: readonly Verdict[];
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

/** `one surge, two smaller rises, otherwise calm`, `two surges, one ongoing` */
export function storyFinding({ episodes, judged, verdicts, range }: Story): string | null {
  const many = (count: number, one: string, more: string): string[] =>
    count === 0 ? [] : [`${NUMBERS[count] ?? count} ${count === 1 ? one : more}`];
  const drops = episodes.filter(({ drop }) => drop !== undefined);
  const odd = episodes.filter(({ limit, drop }) => limit === null && drop === undefined);
  const surges = odd.filter(({ worst }) => worst === 'surge').length;
  const parts = [
    ...many(surges, 'surge', 'surges'),
    ...many(odd.length - surges, 'smaller rise', 'smaller rises'),
    ...many(episodes.length - drops.length - odd.length, 'limit exceeded', 'limits exceeded'),
    ...dropParts(drops, range),
  ];
  const ongoing = episodes.filter(({ endMs }) => endMs === null).length;
  const course =
    ongoing === 0
      ? judged
        ? ['otherwise calm']
        : []
      : [episodes.length === 1 ? 'ongoing' : `${NUMBERS[ongoing] ?? ongoing} ongoing`];
  if (parts.length > 0) return [...parts, ...course].join(', ');
  const [mover] = verdicts.flatMap(risenAlone);
  if (mover !== undefined) return `no surge, but more ${categoryName(mover.name)} than usual`;
  return judged ? 'calm' : null;
}

/** `visitors gone for 50 minutes`, `no attacks for 2 hours`; several times are added up. */
function dropParts(drops: readonly DigestEpisode[], { to }: Range): string[] {
  return (['requests', 'attacks'] as const).flatMap((what) => {
    const times = drops.filter(({ drop }) => drop === what);
    const ms = times.reduce((sum, { onsetMs, endMs }) => sum + (endMs ?? to.epochMilliseconds) - onsetMs, 0);
    return times.length === 0 ? [] : [`${dropName(what).toLowerCase()} for ${lasting(ms)}`];
  });
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Red and orange are for ongoing episodes: a reader must see at once whether to act. */
export function storyLevel({ episodes, judged, verdicts }: Story): NonNullable<Reply['level']> | null {
  const ongoing = episodes.filter(({ endMs }) => endMs === null);
  if (ongoing.some(({ worst }) => worst === 'surge')) return 'surge';
  const odd = verdicts.filter(({ level }) => level === 'elevated');
  if (ongoing.length > 0) return 'elevated';
  if (episodes.length > 0 || odd.length > 0) return 'past';
  return judged ? 'calm' : null;
}

const risenAlone = (verdict: Verdict) => (verdict.level === 'elevated' ? risenCategories(verdict) : []);

/** Two episodes get a line each and the others only their times: the totals need the third line. */
const MAX_DETAILED = 2;

export function storyLines(story: Story): Line[] {
  const { episodes, verdicts, range, zone } = story;
  const asOf = range.to.subtract({ nanoseconds: 1 });
  if (episodes.length === 0) {
    const moved = verdicts.flatMap(risenAlone);
    return moved.length === 0 ? [] : [[`${risenWords(moved)}.`]];
  }
  const worst = episodes.toSorted((a, b) => weight(b) - weight(a)).slice(0, MAX_DETAILED);
  const detailed = episodes.filter((episode) => worst.includes(episode));
  const others = episodes.filter((episode) => !worst.includes(episode));
  const lines = detailed.map((episode) => episodeLine(episode, story, asOf));
  if (others.length === 0) return lines;
  const times = others.map(({ onsetMs, endMs }) => timesOf({ onsetMs, endMs }, zone, asOf)).join(', ');
  return lines.map((line, at) => (at === lines.length - 1 ? [...line, ` Also ${times}.`] : line));
}

export const worstOf = (episodes: readonly DigestEpisode[]): DigestEpisode | undefined =>
  episodes.toSorted((a, b) => weight(b) - weight(a))[0];

/** Missing visitors are as bad as a surge. Drops are weighed by what's missing. */
const weight = ({ drop, worst, figures }: Episode): number =>
  (worst === 'surge' || drop === 'requests' ? 1e12 : 0) +
  ((drop === undefined ? figures?.total : figures?.expected) ?? 0);

function timesOf({ onsetMs, endMs }: Pick<Episode, 'onsetMs' | 'endMs'>, zone: string, asOf: Temporal.Instant): string {
  return endMs === null ? `since ${clockOf(zone, asOf)(onsetMs)}` : spanInWords(onsetMs, endMs, zone, asOf);
}

/** `09:12 – 09:47: 2,170 attacks on shop, 3.1× usual, led by SQL injection, acknowledged after 2 minutes by @maya (message).` */
function episodeLine(episode: DigestEpisode, { hosts, zone }: Story, asOf: Temporal.Instant): Line {
  const { drop, leading, figures, acknowledged, openedMs, link, limit, worst } = episode;
  const kinds = kindWords(leading, episode.endMs !== null);
  const size = figures === null ? null : counted(figures.total, 'attack');
  const what = limit ?? size ?? (worst === 'surge' ? 'surge' : 'more attacks than usual');
  const where = sameHosts(episode.hosts, hosts)
    ? ''
    : episode.hosts.length === 0
      ? ' on all hosts'
      : onHosts(episode.hosts);
  const more = limit === null ? kinds : size === null ? [] : [size];
  const facts =
    drop === undefined
      ? [`${what}${where}`, ...usualWords(figures), ...more].join(', ')
      : `${dropName(drop, figures).toLowerCase()}${where}${figures === null ? '' : `, ${dropWords(drop, figures)}`}`;
  const message: Line = link === null ? [] : [' (', { link, says: 'message' }, ')'];
  const ongoing = episode.endMs === null ? ', ongoing' : '';
  const course: Line =
    acknowledged === null || openedMs === null
      ? [openedMs === null ? '' : ', not acknowledged', ...message, '.']
      : [`, acknowledged ${afterWords(acknowledged.atMs - openedMs)} by `, { user: acknowledged.by }, ...message, '.'];
  const when = timesOf(episode, zone, asOf);
  return [{ bold: when.charAt(0).toUpperCase() + when.slice(1) }, `: ${facts}${ongoing}`, ...course];
}

/** `4 visits, about 900 expected` */
function dropWords(drop: NonNullable<Episode['drop']>, { total, expected }: EpisodeFigures): string {
  const usually = expected === null ? [] : [expectedWords(expected)];
  return [...(total === 0 ? [] : [counted(total, drop === 'requests' ? 'visit' : 'attack')]), ...usually].join(', ');
}

const sameHosts = (a: readonly Host[], b: readonly Host[]): boolean =>
  a.length === b.length && a.every(({ id }) => b.some((host) => host.id === id));
