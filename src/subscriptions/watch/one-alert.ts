/**
 * One alert for one event, as pure steps of a watch's state. What had already begun when people were alerted joins that alert:
 * it's posted in its thread, named in its message and covered by its page, and the alert waits up to an hour for it to end. A
 * surge is posted in the channel.
 */
import { byNature, type Natured } from '../../episodes/episode.ts';
import { HOUR_MS } from '../../time-units.ts';
import {
  courseOf,
  coursesOf,
  GONE,
  inEachCourse,
  isOpen,
  type JoinedEpisode,
  type WatchedEpisode,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';

/** An open alert that others may join. */
interface Lead {
  readonly episode: WatchedEpisode;
  /** The message whose thread they go to; `null` until it's posted, empty once it's gone. */
  readonly ts: string | null;
}

/** Decides which alerts join which, and notes it in both. */
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
  return inEachCourse(all, (state) => withJoined(state, all));
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

/** Only a first message that hasn't been sent may still join. What outlasts the alert that it joined goes on by itself. */
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

/** An alert names everything that has joined it, even what is over. */
function withJoined(state: WatchState, record: WatchRecord): WatchState {
  const { episode } = state;
  if (episode === null || !isOpen(state)) return state;
  const now = coursesOf(record).flatMap((course) => joinedBy(courseOf(record, course), episode.id));
  const { also = [] } = episode;
  const known = also.map((each) => now.find((one) => one.episode === each.episode) ?? { ...each, isOver: true });
  const next = [...known, ...now.filter((one) => also.every((each) => each.episode !== one.episode))];
  if (JSON.stringify(next) === JSON.stringify(also)) return state;
  return { ...state, episode: { ...episode, also: next }, revision: state.revision + 1 };
}

function joinedBy({ episode, message }: WatchState, lead: string): JoinedEpisode[] {
  if (episode === null || message === null || episode.joins !== lead) return [];
  const { id, mix, told, closedMs } = episode;
  return [{ episode: id, ...(mix === undefined ? {} : { mix }), level: told.level, isOver: closedMs !== null }];
}

/** Whether its message waits for the one whose thread it goes to. */
export const waitsForThread = ({ message }: WatchState): boolean => message?.ts === null && message.threadTs === null;
