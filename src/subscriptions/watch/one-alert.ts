/**
 * One alert for what is one event, as pure steps of a watch's state. What had begun when people were alerted to something else
 * is told in the thread of that alert, which names it, pages for it and waits an hour for its end. A surge is told in the channel.
 */
import { byNature, type Natured } from '../../episodes/episode.ts';
import { HOUR_MS } from '../../time-units.ts';
import {
  courseOf,
  coursesOf,
  GONE,
  inEachCourse,
  isOpen,
  type ToldWith,
  type WatchedEpisode,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';

/** An open alert that others may join. */
interface Lead {
  readonly episode: WatchedEpisode;
  /** The message below which they are told; `null` until it's there, empty if it's gone. */
  readonly ts: string | null;
}

/** Settles with which alert each message goes out, and notes that in the alerts. */
export function withOneAlert(record: WatchRecord): WatchRecord {
  const openedMs = (course: (typeof courses)[number]): number => courseOf(record, course).episode?.openedMs ?? 0;
  const courses = coursesOf(record);
  const leads: Lead[] = [];
  let all = record;
  for (const course of courses.toSorted((a, b) => openedMs(a) - openedMs(b))) {
    const state = courseOf(all, course);
    const joined = joining(state, leads);
    if (joined !== state) all = withCourse(all, course, joined);
    leads.push(...leadIn(joined));
  }
  return inEachCourse(all, (state) => withTold(state, all));
}

/** After so long, people have to be alerted again. */
const JOINED_FOR_MS = 2 * HOUR_MS;

/** What has stopped is another event than what has begun. */
const mayJoin = (episode: Natured): boolean =>
  byNature(episode, { rise: () => true, mix: () => true, drop: () => false });

function leadIn({ episode, message }: WatchState): Lead[] {
  if (episode === null || episode.closedMs !== null || message === null) return [];
  const ts = message.shown === GONE ? '' : (message.threadTs ?? message.ts);
  return episode.joins === undefined && mayJoin(episode) ? [{ episode, ts }] : [];
}

/** Only a first message that can't have been sent may still join. What outlasts its alert goes on by itself. */
function joining(state: WatchState, leads: readonly Lead[]): WatchState {
  const { episode, message } = state;
  if (episode === null || message === null || !mayJoin(episode)) return state;
  if (episode.posts > 1 || message.ts !== null || message.sendingMs !== null) {
    const hasLead = leads.some(({ episode: { id } }) => id === episode.joins);
    const outlastsIt = episode.joins !== undefined && !hasLead && isOpen(state) && episode.endMs === null;
    return outlastsIt ? { ...state, episode: { ...episode, joins: undefined } } : state;
  }
  const { onsetMs, openedMs } = episode;
  const isWith = (alertedMs: number): boolean => onsetMs < alertedMs && openedMs - alertedMs <= JOINED_FOR_MS;
  const lead = isOpen(state) ? leads.find(({ episode: each, ts }) => ts !== '' && isWith(each.openedMs)) : undefined;
  const joins = lead?.episode.id;
  const threadTs = lead === undefined || episode.worst === 'surge' ? undefined : lead.ts;
  if (episode.joins === joins && message.threadTs === threadTs) return state;
  return { ...state, episode: { ...episode, joins }, message: { ...message, threadTs } };
}

/** The alert names all that was told with it, also what is over. */
function withTold(state: WatchState, record: WatchRecord): WatchState {
  const { episode } = state;
  if (episode === null || !isOpen(state)) return state;
  const now = coursesOf(record).flatMap((course) => toldWith(courseOf(record, course), episode.id));
  const { also = [] } = episode;
  const known = also.map((each) => now.find((one) => one.episode === each.episode) ?? { ...each, isOver: true });
  const next = [...known, ...now.filter((one) => also.every((each) => each.episode !== one.episode))];
  if (JSON.stringify(next) === JSON.stringify(also)) return state;
  return { ...state, episode: { ...episode, also: next }, revision: state.revision + 1 };
}

function toldWith({ episode, message }: WatchState, lead: string): ToldWith[] {
  if (episode === null || message === null || episode.joins !== lead) return [];
  const { id, mix, told, closedMs } = episode;
  return [{ episode: id, ...(mix === undefined ? {} : { mix }), level: told.level, isOver: closedMs !== null }];
}

/** Whether its message waits for the one below which it's told. */
export const waitsForThread = ({ message }: WatchState): boolean => message?.ts === null && message.threadTs === null;
