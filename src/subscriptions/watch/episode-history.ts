/**
 * What happened to an episode besides its numbers, for the report on it: when it got worse, who acknowledged or snoozed
 * it, when it was over. Recorded by comparing the state before and after a step, so that no step has to know about it.
 */
import type { Acknowledgment, EpisodeEvent } from '../../episodes/episode.ts';
import { courseOf, coursesOf, isOpen, type WatchRecord, type WatchState, withCourse } from './watch-state.ts';

/** More than an episode of a normal length has. */
const MAX_EVENTS = 30;

export function noteEvents(before: WatchRecord, after: WatchRecord, nowMs: number): WatchRecord {
  return coursesOf(after).reduce((record, course) => {
    const state = courseOf(record, course);
    const events = eventsBetween(courseOf(before, course), state, nowMs);
    const { episode } = state;
    if (episode === null || events.length === 0) return record;
    const history = [...(episode.history ?? []), ...events].slice(-MAX_EVENTS);
    return withCourse(record, course, { ...state, episode: { ...episode, history } });
  }, after);
}

function eventsBetween(before: WatchState, after: WatchState, nowMs: number): readonly EpisodeEvent[] {
  const { episode, snoozed } = after;
  if (episode === null) return [];
  const was = before.episode?.id === episode.id ? before.episode : null;
  const { acknowledged } = episode;
  const events: EpisodeEvent[] = [];
  if (was?.worst === 'elevated' && episode.worst === 'surge') events.push({ what: 'worse', atMs: nowMs });
  if (was?.acknowledged && acknowledged === null)
    events.push({ what: 'unacknowledged', atMs: nowMs, by: was.acknowledged.by, ...viaOf(was.acknowledged) });
  if (acknowledged !== null && was?.acknowledged?.by !== acknowledged.by) events.push(takenOn(acknowledged));
  if ((was?.reminded ?? 0) < (episode.reminded ?? 0)) events.push({ what: 'reminded', atMs: nowMs });
  const isOther = before.snoozed?.untilMs !== snoozed?.untilMs || before.snoozed?.by !== snoozed?.by;
  if (isOther && isOpen(after)) {
    if (snoozed !== null) events.push({ what: 'snoozed', atMs: nowMs, by: snoozed.by, untilMs: snoozed.untilMs });
    else if (was !== null) events.push({ what: 'awake', atMs: nowMs });
  }
  if (episode.closedMs !== null && was?.closedMs == null) events.push({ what: 'over', atMs: episode.closedMs });
  return events;
}

const viaOf = ({ via }: Acknowledgment): Pick<EpisodeEvent, 'via'> => (via === undefined ? {} : { via });

function takenOn(acknowledged: Acknowledgment): EpisodeEvent {
  const { by, atMs, assignedBy } = acknowledged;
  return assignedBy === undefined
    ? { what: 'acknowledged', atMs, by, ...viaOf(acknowledged) }
    : { what: 'assigned', atMs, by: assignedBy, to: by };
}
