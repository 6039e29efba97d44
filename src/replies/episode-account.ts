/** What happened in a window, in words: every answer about the window leads with the same episode and names the others. */
import type { ChartMark } from '../charts/spec/index.ts';
import { byNature, type EpisodeRecord, type Natured, natureOf, traitsOf } from '../episodes/episode.ts';
import { episodesBefore, isMinor, leadOf, rankEpisodes } from '../episodes/episode-log.ts';
import { categoryName } from '../statistics/categories.ts';
import { formatCount, lowered } from '../statistics/format.ts';
import { clockOf, type Range, spanInWords, zoned } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import {
  dropTitle,
  dropWords,
  expectedAfter,
  expectedWords,
  isNew,
  kindWords,
  usualByNowWords,
  usualSinceWords,
  usualWords,
} from './episode-lines.ts';
import { counted } from './phrases.ts';
import type { Line, Reply } from './reply.ts';
import { LEVEL_NAMES } from './verdict-lines.ts';

/** The window of an answer, and the time and zone of the question. */
export interface AccountWindow {
  readonly range: Range;
  readonly zone: string;
  readonly now: Temporal.Instant;
}

export interface Account {
  readonly lead: EpisodeRecord;
  /** `Surge since 14:57 · 4.6× usual · led by SQL injection` */
  readonly title: string;
  readonly level: NonNullable<Reply['level']>;
  /** Its own numbers, because those of the window come below: `1,789 attacks since 14:57, about 392 expected.` */
  readonly counts: Line;
  /** The other episodes, one line each. */
  readonly also: readonly Line[];
}

/** `null` if nothing happened that an answer leads with. */
export function accountOf(episodes: readonly EpisodeRecord[], asked: AccountWindow): Account | null {
  const lead = leadOf(episodes);
  if (lead === undefined) return null;
  const course = lead.endMs === null && !isPast(asked) ? ' Still ongoing.' : usualByNowWords(lead);
  return {
    lead,
    title: episodeTitle(lead, asked),
    level: levelOf(lead),
    counts: [...countedWords(lead, fromWords(lead, asked)), `.${course}`],
    also: alsoLines(
      episodes.filter((episode) => episode !== lead),
      asked,
    ),
  };
}

/** Red and orange are for what is ongoing. */
export const levelOf = ({ endMs, worst }: Pick<EpisodeRecord, 'endMs' | 'worst'>): 'elevated' | 'surge' | 'past' =>
  endMs === null ? worst : 'past';

/** A window that ended longer ago than this isn't about now. */
const RECENT_MS = 10 * MINUTE_MS;

export const isPast = ({ range, now }: Pick<AccountWindow, 'range' | 'now'>): boolean =>
  now.epochMilliseconds - range.to.epochMilliseconds > RECENT_MS;

type RecordSpan = Pick<EpisodeRecord, 'onsetMs' | 'endMs' | 'figures'>;
/** What its words depend on. */
type Described = Natured & Pick<EpisodeRecord, 'worst' | 'leading' | 'figures' | 'endMs'>;

/** `since 14:57`, `14:57 – 15:12`; for a past window, `from 14:57 on (ongoing at 18:20)`. */
export function whenWords(episode: RecordSpan & Natured, asked: AccountWindow): string {
  const { onsetMs, endMs, figures } = episode;
  const { zone, now } = asked;
  const times = clockOf(zone, now);
  if (endMs !== null) return usualSinceWords(episode, times) ?? spanInWords(onsetMs, endMs, zone, now);
  return isPast(asked) ? `from ${times(onsetMs)} on (ongoing at ${times(figures.untilMs)})` : `since ${times(onsetMs)}`;
}

/** `since 14:57`, `from 14:57 to 15:12` */
function fromWords({ onsetMs, endMs, figures }: RecordSpan, asked: AccountWindow): string {
  const { zone, now } = asked;
  if (endMs === null && !isPast(asked)) return `since ${clockOf(zone, now)(onsetMs)}`;
  return `from ${spanInWords(onsetMs, endMs ?? figures.untilMs, zone, now).replace(' – ', ' to ')}`;
}

/** `Surge 14:57 – 15:12 · 4.6× usual · led by SQL injection` */
function episodeTitle(episode: EpisodeRecord, asked: AccountWindow): string {
  const { worst, figures, endMs } = episode;
  const when = whenWords(episode, asked);
  const title = `${LEVEL_NAMES[worst]} ${when}`;
  return byNature(episode, {
    rise: () => [title, ...usualWords(figures), ...leadWords(episode)].join(' · '),
    mix: (category) => `${title} · ${mixWords(category, figures)}`,
    drop: (what) => dropTitle(what, figures, when, endMs !== null),
  });
}

/** `led by SQL injection`, or `new: Webshell` if there was none in the weeks before. */
export function leadWords({ leading, figures, endMs }: Pick<Described, 'leading' | 'figures' | 'endMs'>): string[] {
  const [first, ...more] = leading;
  const known = figures.categories.find(({ category }) => category === first);
  return first !== undefined && more.length === 0 && known !== undefined && isNew(known.expected)
    ? [`new: ${categoryName(first)}`]
    : kindWords(leading, endMs !== null);
}

/** `Webshell, 41 events, none before` */
function mixWords(category: string, figures: EpisodeRecord['figures']): string {
  return `${categoryName(category)}, ${counted(figures.total, 'event')}, ${beforeWords(figures, 'none before')}`;
}

const beforeWords = ({ expected }: EpisodeRecord['figures'], none: string): string =>
  isNew(expected) ? none : expectedWords(expected ?? 0);

/** `1,789 attacks since 14:57, about 392 expected`, `Webshell: 41 events since 12:15, none in the 4 weeks before` */
export function countedWords(episode: EpisodeRecord, when: string): Line {
  const { mix, figures } = episode;
  const { total, expected } = figures;
  if (mix !== undefined) {
    const before = beforeWords(figures, 'none in the 4 weeks before');
    return [`${categoryName(mix)}: `, { bold: counted(total, 'event') }, ` ${when}, ${before}`];
  }
  return [{ bold: counted(total, traitsOf(episode).unit) }, ` ${when}${expectedAfter(expected)}`];
}

/** How many of the others get a line; more are only counted, unless it's a single one. */
const MAX_NAMED = 3;

const namedOf = (others: readonly EpisodeRecord[]): readonly EpisodeRecord[] =>
  others.length === MAX_NAMED + 1 ? others : others.slice(0, MAX_NAMED);

/** `Also 02:37–03:03: 4.8× usual, led by SQL injection.`, `Minor, 14:20–14:45: 1.6× usual, led by XSS.`; the strongest first. */
export function alsoLines(episodes: readonly EpisodeRecord[], asked: AccountWindow): Line[] {
  const others = rankEpisodes(episodes);
  const named = namedOf(others);
  const more = others.length - named.length;
  const rest = more === 0 ? '' : `, and ${formatCount(more)} smaller ones`;
  return named.map((episode, at) => [
    `${alsoWord(episode)} ${shortSpan(episode, asked)}: ${whatWords(episode)}${at === named.length - 1 ? rest : ''}.`,
  ]);
}

export const alsoWord = (episode: Pick<EpisodeRecord, 'endMs' | 'onsetMs' | 'strength' | 'ignored'>): string =>
  episode.ignored === true ? 'Ignored,' : isMinor(episode) ? 'Minor,' : 'Also';

function shortSpan(episode: EpisodeRecord, asked: AccountWindow): string {
  return closeUp(whenWords(episode, asked), episode, asked.zone);
}

/** `02:37–03:03`; spaces only separate two days. */
export function closeUp(when: string, { onsetMs, endMs }: Pick<RecordSpan, 'onsetMs' | 'endMs'>, zone: string): string {
  const [from, to] = [zoned(onsetMs, zone), zoned(endMs ?? onsetMs, zone)];
  return from.toPlainDate().equals(to.toPlainDate()) ? when.replace(' – ', '–') : when;
}

/** What an episode was, after its time: `4.8× usual, led by SQL injection`, `no attacks while visitors kept coming`. */
export function whatWords(episode: Described): string {
  const { figures, leading, endMs } = episode;
  return byNature(episode, {
    mix: (category) => mixWords(category, figures),
    rise: () => {
      const kinds = [...new Set(leading)].map(categoryName).join(', then ');
      const [times] = usualWords(figures);
      const size = times ?? `${counted(figures.total, 'attack')}${expectedAfter(figures.expected)}`;
      return kinds === '' ? `${LEVEL_NAMES[episode.worst].toLowerCase()}, ${size}` : `${size}, led by ${kinds}`;
    },
    drop: (what) => {
      const { name, meanwhile } = dropWords(what, figures, endMs !== null);
      return `${lowered(name)} ${meanwhile}`.trimEnd();
    },
  });
}

/**
 * `Compared with a time that had a surge, Mon 9 Mar 02:37–03:03: 4.8× usual, led by SQL injection.`, which explains why there are
 * fewer attacks; nothing if there aren't, or if there was no rise.
 */
export async function explainFall(
  context: Parameters<typeof episodesBefore>[0] & AccountWindow,
  against: Range,
  totals: Parameters<typeof episodesBefore>[1],
  found: readonly EpisodeRecord[],
): Promise<Line[]> {
  const then = { ...context, range: against };
  const rises = (await episodesBefore(then, totals, found)).filter((episode) => natureOf(episode) === 'rise');
  const lead = leadOf(rises);
  if (lead === undefined) return [];
  const what = lead.worst === 'surge' ? 'a surge' : 'a rise';
  return [[`Compared with a time that had ${what}, ${shortSpan(lead, then)}: ${whatWords(lead)}.`]];
}

/** `, in the surge 02:37–03:03`: an instant that isn't in the leading episode, but in another rise. */
export function partOfWords(ms: number, episodes: readonly EpisodeRecord[], asked: AccountWindow): string {
  const lead = leadOf(episodes);
  const isIn = ({ onsetMs, endMs }: EpisodeRecord): boolean =>
    onsetMs <= ms && ms < (endMs ?? Number.POSITIVE_INFINITY);
  const other = episodes.find((episode) => natureOf(episode) === 'rise' && isIn(episode));
  if (other === undefined || (lead !== undefined && isIn(lead))) return '';
  return `, in the ${other.worst === 'surge' ? 'surge' : 'rise'} ${shortSpan(other, asked)}`;
}

/** What its counts are of, if that isn't obvious. */
export const countNotes = (lead: Natured | undefined): readonly Line[] =>
  lead?.drop === undefined ? [] : dropWords(lead.drop).notes;

/** A chart marks what the text names, with its true times: it draws what is inside. */
export function marksOf(episodes: readonly EpisodeRecord[]): {
  readonly marks: readonly ChartMark[];
  readonly about: ChartMark['of'];
} {
  const lead = leadOf(episodes);
  const others = namedOf(rankEpisodes(episodes.filter((episode) => episode !== lead)));
  const marks = [...(lead === undefined ? [] : [lead]), ...others].map(
    (episode): ChartMark => ({ onsetMs: episode.onsetMs, endMs: episode.endMs, of: traitsOf(episode).series }),
  );
  return { marks, about: marks[0]?.of ?? 'attacks' };
}
