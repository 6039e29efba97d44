/** What happened in the time of a digest, in words: its episodes with who took care of them, or that it was calm. */
import { windowInWords } from '../../charts/spec/index.ts';
import type { Host } from '../../commands/grammar/hosts.ts';
import { afterWords, kindWords, risenWords, usualWords } from '../../commands/replies/episode-lines.ts';
import { counted, onHosts } from '../../commands/replies/phrases.ts';
import type { Line, Reply } from '../../commands/replies/reply.ts';
import { clockOf, dropLine, risenCategories, spanInWords } from '../../commands/replies/verdict-lines.ts';
import { categoryName } from '../../insight/categories.ts';
import type { Episode } from '../../insight/episode.ts';
import { duration } from '../../insight/format.ts';
import type { Verdict } from '../../insight/verdict/index.ts';
import type { Range } from '../../time/index.ts';

/** An episode as a digest tells it. */
export interface ToldEpisode extends Episode {
  /** Whose it is; none means all of the project. */
  readonly hosts: readonly Host[];
  /** In words, where a watch for a number called it. */
  readonly limit: string | null;
  /** When the channel was told of it; `null` where it was not. */
  readonly openedMs: number | null;
  /** The address of its message. */
  readonly link: string | null;
}

export interface Story {
  readonly range: Range;
  readonly zone: string;
  readonly hosts: readonly Host[];
  /** The oldest first. */
  readonly episodes: readonly ToldEpisode[];
  /** Whether all of the time could be judged, so that the rest can be called calm. */
  readonly judged: boolean;
  readonly verdicts: readonly Verdict[];
}

const HOUR_MS = 3_600_000;

/** `Last 24 hours`, `Last 7 days`, `Tue 10 Mar`: the time of a digest, as people call it on time. */
export function periodName({ from, to }: Range, zone: string): string {
  const [start, end] = [from.toZonedDateTimeISO(zone), to.toZonedDateTimeISO(zone)];
  const words = windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone);
  if (start.add({ days: 1 }).equals(end)) return end.equals(end.startOfDay()) ? words : 'Last 24 hours';
  if (start.add({ days: 7 }).equals(end)) return 'Last 7 days';
  const ms = to.epochMilliseconds - from.epochMilliseconds;
  const isRound = ms % HOUR_MS === 0 || ms < 2 * HOUR_MS;
  return ms > 24 * HOUR_MS || !isRound ? words : `Last ${duration(ms, { units: ['hour', 'minute'], bareOne: true })}`;
}

/** `one surge, two smaller rises, otherwise calm`, `two surges, one still going on` */
export function storyFinding({ episodes, judged, verdicts }: Story): string | null {
  const many = (count: number, one: string, more: string): string[] =>
    count === 0 ? [] : [`${NUMBERS[count] ?? count} ${count === 1 ? one : more}`];
  const odd = episodes.filter(({ limit }) => limit === null);
  const surges = odd.filter(({ worst }) => worst === 'surge').length;
  const parts = [
    ...many(surges, 'surge', 'surges'),
    ...many(odd.length - surges, 'smaller rise', 'smaller rises'),
    ...many(episodes.length - odd.length, 'limit passed', 'limits passed'),
  ];
  const goingOn = episodes.filter(({ endMs }) => endMs === null).length;
  const course =
    goingOn === 0
      ? judged
        ? ['otherwise calm']
        : []
      : [episodes.length === 1 ? 'still going on' : `${NUMBERS[goingOn] ?? goingOn} still going on`];
  if (parts.length > 0) return [...parts, ...course].join(', ');
  const [drop] = verdicts.flatMap(({ drops }) => drops);
  if (drop !== undefined) return drop.what === 'requests' ? 'visitors gone' : 'attacks stopped while visitors went on';
  const [mover] = verdicts.flatMap(risenAlone);
  if (mover !== undefined) return `no surge, but more ${categoryName(mover.name)} than usual`;
  return judged ? 'calm' : null;
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Red and orange are for what goes on: whoever reads a digest must see at once whether to act. */
export function storyLevel({ episodes, judged, verdicts, range }: Story): NonNullable<Reply['level']> | null {
  const goingOn = episodes.filter(({ endMs }) => endMs === null);
  if (goingOn.some(({ worst }) => worst === 'surge')) return 'surge';
  // What has stopped is told to the end of what was judged, a few minutes before the digest.
  const isNow = ({ toMs }: Verdict): boolean => range.to.epochMilliseconds - toMs < HOUR_MS;
  const odd = verdicts.filter(({ level, drops }) => level === 'elevated' || drops.length > 0);
  if (goingOn.length > 0 || odd.some((verdict) => verdict.drops.length > 0 && isNow(verdict))) return 'elevated';
  if (episodes.length > 0 || odd.length > 0) return 'past';
  return judged ? 'calm' : null;
}

const risenAlone = (verdict: Verdict) => (verdict.level === 'elevated' ? risenCategories(verdict) : []);

/** Two of them in a line each, and the times of the others: the totals need the third line. */
const MOST_TOLD = 2;

export function storyLines(story: Story): Line[] {
  const { episodes, verdicts, range, zone } = story;
  const asOf = range.to.subtract({ nanoseconds: 1 });
  if (episodes.length === 0) {
    const drops = verdicts.flatMap((verdict) => verdict.drops);
    const moved = verdicts.flatMap(risenAlone);
    const lines = drops.map((drop) => dropLine(drop, clockOf(zone, asOf)));
    return [...lines, ...(moved.length === 0 ? [] : [[`${risenWords(moved)}.`]])].slice(0, MOST_TOLD);
  }
  const worst = episodes.toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST_TOLD);
  const told = episodes.filter((episode) => worst.includes(episode));
  const others = episodes.filter((episode) => !worst.includes(episode));
  const lines = told.map((episode) => episodeLine(episode, story, asOf));
  if (others.length === 0) return lines;
  const times = others.map(({ onsetMs, endMs }) => timesOf({ onsetMs, endMs }, zone, asOf)).join(', ');
  return lines.map((line, at) => (at === lines.length - 1 ? [...line, ` Also ${times}.`] : line));
}

export const worstOf = (episodes: readonly ToldEpisode[]): ToldEpisode | undefined =>
  episodes.toSorted((a, b) => weight(b) - weight(a))[0];

const weight = ({ worst, figures }: Episode): number => (worst === 'surge' ? 1e12 : 0) + (figures?.total ?? 0);

function timesOf({ onsetMs, endMs }: Pick<Episode, 'onsetMs' | 'endMs'>, zone: string, asOf: Temporal.Instant): string {
  return endMs === null ? `since ${clockOf(zone, asOf)(onsetMs)}` : spanInWords(onsetMs, endMs, zone, asOf);
}

/** `09:12 – 09:47: 2,170 attacks on shop, 3.1× usual, led by SQL injection, acknowledged after 2 minutes by @maya (message).` */
function episodeLine(episode: ToldEpisode, { hosts, zone }: Story, asOf: Temporal.Instant): Line {
  const { leading, figures, acknowledged, openedMs, link, limit, worst } = episode;
  const kinds = kindWords(leading, episode.endMs !== null);
  const size = figures === null ? null : counted(figures.total, 'attack');
  const what = limit ?? size ?? (worst === 'surge' ? 'surge' : 'more attacks than usual');
  const where = sameHosts(episode.hosts, hosts)
    ? ''
    : episode.hosts.length === 0
      ? ' on all hosts'
      : onHosts(episode.hosts);
  const more = limit === null ? kinds : size === null ? [] : [size];
  const facts = [`${what}${where}`, ...usualWords(figures), ...more].join(', ');
  const message: Line = link === null ? [] : [' (', { link, says: 'message' }, ')'];
  const going = episode.endMs === null ? ', still going on' : '';
  const course: Line =
    acknowledged === null || openedMs === null
      ? [openedMs === null ? '' : ', not acknowledged', ...message, '.']
      : [`, acknowledged ${afterWords(acknowledged.atMs - openedMs)} by `, { user: acknowledged.by }, ...message, '.'];
  const when = timesOf(episode, zone, asOf);
  return [{ bold: when.charAt(0).toUpperCase() + when.slice(1) }, `: ${facts}${going}`, ...course];
}

const sameHosts = (a: readonly Host[], b: readonly Host[]): boolean =>
  a.length === b.length && a.every(({ id }) => b.some((host) => host.id === id));
