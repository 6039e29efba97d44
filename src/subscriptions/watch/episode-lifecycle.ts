/**
 * The lifecycle of a watch's episodes as pure steps from one state to the next, caused by evaluations or by people. The
 * stored state alone determines which update the channel needs, so an update that a crash interrupts is still pending.
 *
 * A new message notifies people when they should look again: a new episode, one that returns, a worse level, a jump. In
 * between the newest message is edited, and a reply closes its thread. What returns again and again, such as an attack in
 * pulses, goes on in the message of its first return.
 */
import { type Acknowledgment, type EpisodeFigures, type EpisodeRecord, isReportOf } from '../../episodes/episode.ts';
import { leadingHostWords } from '../../replies/host-lines.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { type Hold, holdAt } from '../recurrence/time-window.ts';
import { type AlertPolicy, isMentionDue } from './alert-policy.ts';
import { holdsBack, isUndecided, underHold, withHeldBack, withSummary } from './hold.ts';
import { type Course, type Evaluation, type Observation, OTHER_CATEGORIES, observeNothing } from './observation.ts';
import { waitsForThread, withOneAlert } from './one-alert.ts';
import { isReminder, remind, withoutReminder } from './reminders.ts';
import { type FeedbackAnswer, withAnswer, withoutAnswer } from './sensitivity.ts';
import {
  courseOf,
  coursesOf,
  episodesOf,
  GONE,
  hasJoinedOngoing,
  inEachCourse,
  isOpen,
  mostTold,
  type News,
  type WatchedEpisode,
  type WatchRecord,
  type WatchState,
  withClosing,
  withCourse,
  withNextMessage,
} from './watch-state.ts';

/** What the channel hasn't been shown yet. */
export type PendingUpdate =
  /** A new message, posted exactly once under its key: in the channel, or in the thread of the alert that it joins. */
  | { readonly is: 'post'; readonly key: string; readonly revision: number; readonly threadTs?: string }
  /** The message needs an edit. */
  | { readonly is: 'edit'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit: it says that the episode is over. */
  | { readonly is: 'close'; readonly key: string; readonly ts: string; readonly revision: number }
  /** The last edit of a message that a newer one has replaced. */
  | { readonly is: 'retire'; readonly key: string; readonly ts: string; readonly by: News; readonly atMs: number }
  /** The reply that closes the thread, posted exactly once under its key. */
  | { readonly is: 'reply'; readonly key: string; readonly threadTs: string }
  /** What was held back during quiet hours or maintenance, posted exactly once under its key. */
  | { readonly is: 'summary'; readonly key: string };

/** This many calm evaluations in a row end an episode. */
const CALM_TO_CLOSE = 3;
/** An episode that begins this soon after the last one ended counts as its return. */
const RETURN_MS = 2 * HOUR_MS;
/** A return is over only after this long, because it may well return again, and so is an alert while what it names goes on. */
const RETURN_CALM_MS = HOUR_MS;
/** After this long without data, the message of an open episode says so. */
const NO_DATA_MS = 15 * MINUTE_MS;
/** The minimum time between two messages of an episode, and their maximum number. */
const BETWEEN_POSTS_MS = 10 * MINUTE_MS;
const MAX_POSTS = 4;
/** This soon after a message, a worse level is shown by an edit: people were just notified. */
const SHOWN_BY_EDIT_MS = 7 * MINUTE_MS;
/** After an interruption, moments older than this only update the message. */
const MAX_NEWS_AGE_MS = 15 * MINUTE_MS;
/** News at once: about four times the pace last reported, and at least this many more attacks a minute. */
const JUMP = { ratio: 3.5, more: 6 };

/** The state after an evaluation. The same state if it has to wait: see `mustPublishFirst`. */
export function advance(
  state: WatchState,
  observation: Observation,
  nowMs: number,
  policy: AlertPolicy = {},
): WatchState {
  const awake = state.snoozed !== null && state.snoozed.untilMs <= nowMs ? { ...state, snoozed: null } : state;
  // Repeating an evaluation, after a crash or on another replica, changes nothing.
  if (observation.level !== 'unknown' && observation.atMs <= state.lookedMs) return alerted(awake, nowMs);
  if (mustPublishFirst(state, observation)) return state;
  const lookedMs = observation.level === 'unknown' ? awake.lookedMs : observation.atMs;
  const below = belowOf(observation) ?? (observation.level === 'unknown' ? state.below : null);
  return alerted(next({ ...awake, lookedMs, below, seen: observation.level }, observation, nowMs, policy), nowMs);
}

/** The time of an alert that was held back or snoozed is when people are notified, not when it began. */
function alerted(state: WatchState, nowMs: number): WatchState {
  const planned = withPendingMessage(state);
  const { episode } = planned;
  if (episode === null || planned.message === state.message) return planned;
  const openedMs = episode.heldBack === undefined ? episode.openedMs : nowMs;
  return { ...planned, episode: { ...episode, openedMs, told: { ...episode.told, atMs: nowMs } } };
}

const isBad = ({ level }: Observation): boolean => level === 'elevated' || level === 'surge';

/** A new episode would replace one whose end the channel hasn't seen. */
function mustPublishFirst(state: WatchState, observation: Observation): boolean {
  return isBad(observation) && observation.atMs > state.lookedMs && !isOpen(state) && pendingUpdate(state) !== null;
}

function belowOf({ level, record, sinceMs }: Observation): WatchState['below'] {
  if (level !== 'between' || record === null) return null;
  const { strength, drop, mix } = record;
  return { strength, sinceMs, ...(drop === undefined ? {} : { drop }), ...(mix === undefined ? {} : { mix }) };
}

function next(state: WatchState, observation: Observation, nowMs: number, policy: AlertPolicy): WatchState {
  const { episode } = state;
  if (episode !== null && episode.closedMs === null) return proceed(state, episode, observation, nowMs, policy);
  if (!isBad(observation) || isKnown(state, observation)) return state;
  return begin(state, observation, nowMs);
}

/** Whether its end has already been reported. */
function isKnown(state: WatchState, { record }: Observation): boolean {
  return record !== null && episodesOf(state).some((episode) => isReportOf(episode, record));
}

function begin(state: WatchState, observation: Observation, nowMs: number): WatchState {
  const { episode: before } = state;
  const level = observation.level === 'surge' ? 'surge' : 'elevated';
  const onsetMs = onsetAfter(before?.endMs ?? Number.NEGATIVE_INFINITY, observation);
  const isReturn = before !== null && onsetMs - (before.endMs ?? before.lastSeenMs) < RETURN_MS;
  const fresh: WatchedEpisode = {
    id: idOf(observation, before, nowMs),
    openedMs: nowMs,
    onsetMs,
    endMs: null,
    level,
    worst: level,
    figures: null,
    lastSeenMs: observation.atMs,
    calmLooks: 0,
    blindSinceMs: null,
    closedMs: null,
    backAfter: isReturn ? { onsetMs: before.onsetMs, endMs: before.endMs ?? before.lastSeenMs } : null,
    acknowledged: null,
    leading: [],
    told: { level, atMs: nowMs, pace: paceIn(observation) },
    posts: 0,
    firstTs: null,
  };
  const begun = { ...state, past: episodesOf(state), message: null, closing: null, replaced: [] };
  return awakeIfWorse(changed(begun, follow(fresh, observation)));
}

const onsetAfter = (endMs: number, { onsetMs, sinceMs }: Observation): number => Math.max(onsetMs ?? sinceMs, endMs);

/** Identifies the messages, also if several episodes begin in one run. */
function idOf({ record }: Observation, before: WatchedEpisode | null, nowMs: number): string {
  // With the category: several may begin at the same moment.
  const course = record?.drop ?? (record?.mix === undefined ? null : `mix-${record.mix}`);
  const again =
    before !== null && before.openedMs === nowMs ? [`${Math.round((record?.onsetMs ?? 0) / MINUTE_MS)}`] : [];
  return [...(course === null ? [] : [course]), String(nowMs), ...again].join('-');
}

function proceed(
  state: WatchState,
  episode: WatchedEpisode,
  observation: Observation,
  nowMs: number,
  policy: AlertPolicy,
): WatchState {
  if (observation.level === 'unknown') {
    const blindSinceMs = episode.blindSinceMs ?? nowMs;
    const withoutData = { ...episode, blindSinceMs };
    const isLong = episode.blindSinceMs !== null && nowMs - blindSinceMs >= NO_DATA_MS;
    return isLong ? changed(state, withoutData) : { ...state, episode: withoutData };
  }
  const seeing = { ...episode, blindSinceMs: null };
  const reported = observation.earlier?.findLast((record) => isReportOf(episode, record));
  const isAnother = reported !== undefined || isAfterRest(episode, observation);
  // While it's calm, only what would alert counts.
  if (observation.level === 'calm' || (isAnother && !isBad(observation))) {
    const unreminded = withoutReminder(state);
    const own = isAnother
      ? { ...observation, record: reported ?? null, endedMs: reported?.endMs ?? null }
      : observation;
    return calmer(unreminded, { ...seeing, ...unreminded.episode, blindSinceMs: null }, own, nowMs);
  }
  if (!isAnother) return withNews(changed(state, follow(seeing, observation)), observation, nowMs, policy);
  const ended = reported && { ...withRecord(seeing, reported), endMs: reported.endMs ?? reported.figures.untilMs };
  const returned = withReturn(state, ended ?? seeing, observation);
  // If another one has begun, this one is over; the next evaluation begins the other.
  if (returned === null) return closed(withoutReminder(state), ended ?? seeing, nowMs);
  return withNews(returned, observation, nowMs, policy);
}

/** It has been calm for so long that any other episode would be over. */
const isAtRest = ({ calmLooks }: WatchedEpisode): boolean => calmLooks >= CALM_TO_CLOSE;

const isAfterRest = (episode: WatchedEpisode, { record }: Observation): boolean =>
  isAtRest(episode) && (record === null || !isReportOf(episode, record));

/**
 * Whether what returns goes on in the same message, as it wasn't said to be over: if there is one, and no summary waits for
 * the end.
 */
const mayReturn = ({ episode, message }: WatchState): boolean =>
  episode !== null && episode.heldBack?.reported !== false && message !== null && message.shown !== GONE;

/** The next pulse of the same episode, with its own times and numbers; `null` if it's an episode of its own. */
function withReturn(state: WatchState, last: WatchedEpisode, observation: Observation): WatchState | null {
  const { message } = state;
  const endMs = last.endMs ?? last.lastSeenMs;
  const onsetMs = onsetAfter(endMs, observation);
  if (message === null || !mayReturn(state) || onsetMs - endMs >= RETURN_CALM_MS) return null;
  const backAfter = { onsetMs: last.onsetMs, endMs };
  const pulse: WatchedEpisode = { ...last, onsetMs, worst: 'elevated', figures: null, on: [], backAfter };
  const past = episodesOf({ ...state, episode: last });
  // What the message said of the last one, such as a jump, isn't true of this one.
  const news = isReminder(message.news) ? message.news : 'back';
  return changed({ ...state, past, message: { ...message, news } }, follow(pulse, observation));
}

function withNews(followed: WatchState, { atMs }: Observation, nowMs: number, policy: AlertPolicy): WatchState {
  if (nowMs - atMs <= MAX_NEWS_AGE_MS) return planNews(followed, nowMs, policy);
  // People who have to be mentioned still are, by the first evaluation that isn't about the past.
  return isMentionDue(followed, policy) ? followed : withoutNews(followed);
}

/** Ends a snooze when it's worse than it was then: a higher level or a jump, or a surge if nothing was reported then. */
function awakeIfWorse(state: WatchState): WatchState {
  const { episode, message, snoozed } = state;
  if (episode === null || snoozed === null) return state;
  const isWorse = message === null ? episode.worst === 'surge' : newsOf(episode) !== null;
  if (!isWorse) return state;
  return { ...state, snoozed: null, episode: { ...episode, outdated: { ...episode.outdated, snoozedBy: snoozed.by } } };
}

function calmer(state: WatchState, episode: WatchedEpisode, observation: Observation, nowMs: number): WatchState {
  const calmLooks = episode.calmLooks + 1;
  const { endedMs, record } = observation;
  const last = record !== null && isReportOf(episode, record) ? withRecord(episode, record) : episode;
  const endMs = endedMs !== null && endedMs > episode.onsetMs ? endedMs : (episode.endMs ?? episode.lastSeenMs);
  const quieter = { ...last, calmLooks, endMs };
  // What is too weak to alert so far may be its return.
  const isReturning = mayReturn(state) && (episode.backAfter !== null || observation.level === 'between');
  const mayGoOn = (isReturning || hasJoinedOngoing(episode)) && observation.atMs - endMs < RETURN_CALM_MS;
  if (calmLooks >= CALM_TO_CLOSE && !mayGoOn) return closed(state, quieter, nowMs);
  // The message says so already, and each edit costs queries.
  const isShown = isAtRest(episode) && episode.endMs === endMs && state.episode?.blindSinceMs === null;
  return isShown ? { ...state, episode: quieter } : changed(state, quieter);
}

function closed(state: WatchState, episode: WatchedEpisode, nowMs: number): WatchState {
  const over = changed(state, { ...episode, endMs: episode.endMs ?? episode.lastSeenMs, closedMs: nowMs });
  return withClosing(over);
}

/** The episode after an evaluation that wasn't calm. */
function follow(episode: WatchedEpisode, { level, atMs, record }: Observation): WatchedEpisode {
  const endMs = record?.endMs ?? null;
  const seen: WatchedEpisode = {
    ...episode,
    // It counts as ongoing for a while, but messages must not say that it is.
    endMs: endMs !== null && endMs <= atMs ? endMs : null,
    calmLooks: 0,
    lastSeenMs: Math.max(episode.lastSeenMs, atMs),
    level: level === 'elevated' || level === 'surge' ? level : episode.level,
    worst: level === 'surge' ? 'surge' : episode.worst,
  };
  return record === null ? seen : { ...withRecord(seen, record), pace: paceIn({ atMs, record }) };
}

/** Attacks per minute as the numbers up to then showed, if known. */
const paceIn = ({ record, atMs }: Pick<Observation, 'record' | 'atMs'>): number | undefined =>
  record?.paces?.findLast((pace) => pace.atMs <= atMs)?.perMinute;

/** Its times and numbers are those of the record, as in every other answer. */
function withRecord(episode: WatchedEpisode, { id, drop, mix, onsetMs, leading, figures }: EpisodeRecord) {
  return { ...episode, record: id, drop, mix, onsetMs, leading, figures };
}

/** A worse moment long ago needs no message of its own: the current one includes it. */
function withoutNews(state: WatchState): WatchState {
  const { episode } = state;
  if (episode === null) return state;
  return { ...state, episode: { ...episode, told: { ...episode.told, ...mostTold(episode) } } };
}

/** Plans another message if the episode is now worse than last reported. */
function planNews(current: WatchState, nowMs: number, policy: AlertPolicy): WatchState {
  const state = awakeIfWorse(current);
  const { episode, message } = state;
  if (episode === null) return state;
  const { told, worst, pace, acknowledged } = episode;
  const news = newsOf(episode);
  if (news === null && told.pace === undefined && pace !== undefined) {
    // At first it was too short to have a pace.
    return { ...state, episode: { ...episode, told: { ...told, pace } } };
  }
  if (news === null || message === null || message.shown === GONE) return state;
  if (holdsBack(state, episode)) return withHeldBack(state, episode);
  const reported = { ...mostTold(episode), atMs: nowMs, ...(news === 'jump' ? { before: told.pace } : {}) };
  // A message that isn't posted yet will include it anyway.
  if (message.ts === null) return { ...state, episode: { ...episode, told: reported } };
  const sinceMs = nowMs - told.atMs;
  // People have just been notified, so an edit is enough, unless an acknowledgment or a snooze told them not to look, or the
  // message is in a thread.
  const isSilenced =
    acknowledged !== null || episode.outdated?.snoozedBy !== undefined || message.threadTs !== undefined;
  // A mention needs a new message, and can't wait for one.
  const mentions = isMentionDue(state, policy);
  if (news === 'worse' && sinceMs < SHOWN_BY_EDIT_MS && !isSilenced && !mentions) {
    return { ...state, episode: { ...episode, told: { ...told, level: worst } } };
  }
  const isTooSoon = news === 'worse' && sinceMs < BETWEEN_POSTS_MS;
  const alerts = episode.posts - (episode.reminded ?? 0);
  if (!mentions && (isTooSoon || alerts >= MAX_POSTS)) return state;
  const isTaken = news === 'worse' && acknowledged !== null;
  const { by: acknowledgedBy, via: acknowledgedVia } = acknowledged ?? {};
  const outdated = { ...episode.outdated, acknowledgedBy, ...(acknowledgedVia && { acknowledgedVia }) };
  const released = { acknowledged: null, outdated };
  const heard = episode.heldBack === undefined ? {} : { heldBack: { ...episode.heldBack, reported: true } };
  return withNextMessage(state, { ...episode, ...(isTaken ? released : {}), ...heard, told: reported }, news, nowMs);
}

/** A higher level is worse, at whatever pace. */
function newsOf({ told, worst, pace = 0 }: WatchedEpisode): 'worse' | 'jump' | null {
  if (worst === 'surge' && told.level === 'elevated') return 'worse';
  const before = told.pace ?? Number.POSITIVE_INFINITY;
  return pace >= JUMP.ratio * before && pace - before >= JUMP.more ? 'jump' : null;
}

const changed = (state: WatchState, episode: WatchedEpisode): WatchState => ({
  ...state,
  episode,
  revision: state.revision + 1,
});

/** Adds what its record doesn't have: the counts of a watch with a limit, and the hosts that carry a rise. */
export function withMeasured(
  state: WatchState,
  { figures, on }: { readonly figures: EpisodeFigures | null; readonly on?: WatchedEpisode['on'] },
): WatchState {
  const { episode } = state;
  if (episode === null) return state;
  return { ...state, episode: { ...episode, figures: figures ?? episode.figures, on: on ?? episode.on } };
}

/** Adds the hosts that weren't known when the message was shown. It's edited if they differ, which notifies nobody. */
export function withHosts(state: WatchState, id: string, on: NonNullable<WatchedEpisode['on']>): WatchState {
  const { episode } = state;
  if (episode?.id !== id) return state;
  const named = { ...episode, on };
  return leadingHostWords(on) === leadingHostWords(episode.on ?? [])
    ? { ...state, episode: named }
    : changed(state, named);
}

/** Plans a message for an open episode that has none, unless alerts are held back or the watch is snoozed. */
export function withPendingMessage(state: WatchState): WatchState {
  const { episode, message, snoozed } = state;
  if (episode === null || !isOpen(state) || message !== null) return state;
  if (holdsBack(state, episode)) return withHeldBack(state, episode);
  if (snoozed !== null || isUndecided(episode)) return state;
  const news: News = episode.backAfter === null ? 'new' : 'back';
  const { heldBack, told, worst, pace = told.pace } = episode;
  const reported = heldBack === undefined ? {} : { heldBack: { ...heldBack, reported: true } };
  return {
    ...state,
    episode: { ...episode, ...reported, posts: 1, told: { ...told, level: worst, pace } },
    message: { key: episode.id, ts: null, shown: -1, sendingMs: null, news },
  };
}

export function pendingUpdate(state: WatchState): PendingUpdate | null {
  const { episode, message, replaced, closing, revision, summary = null, held = null } = state;
  // While alerts are held back again, it waits too.
  const isHeld = held !== null && held.now !== null;
  if (summary !== null && summary.ts === null && !isHeld) return { is: 'summary', key: summary.key };
  if (episode === null || message === null) return null;
  const { key, ts, shown, threadTs } = message;
  if (waitsForThread(state)) return null;
  if (ts === null) return { is: 'post', key, revision, ...(threadTs == null ? {} : { threadTs }) };
  const [old] = replaced;
  if (old !== undefined) return { is: 'retire', ...old };
  if (shown < revision) return { is: episode.closedMs === null ? 'edit' : 'close', key, ts, revision };
  return closing === null || closing.ts !== null ? null : { is: 'reply', key: closing.key, threadTs: closing.threadTs };
}

/** The first acknowledgment stands until the level rises. Does nothing without an open episode. */
export function acknowledge(state: WatchState, by: string, atMs: number, via?: Acknowledgment['via']): WatchState {
  const isTaken = state.episode?.acknowledged != null;
  return isTaken ? withPendingMessage(state) : taken(state, { by, atMs, ...(via && { via }) });
}

/** Assigns the episode to somebody, whoever had it before. Does nothing without an open episode. */
export function assign(state: WatchState, to: string, by: string, atMs: number): WatchState {
  return taken(state, { by: to, atMs, assignedBy: by });
}

function taken(state: WatchState, acknowledged: Acknowledgment): WatchState {
  const unreminded = withoutReminder(state);
  const { episode } = unreminded;
  if (episode === null || !isOpen(state)) return state;
  const outdated = { ...episode.outdated, acknowledgedBy: undefined, acknowledgedVia: undefined };
  return withPendingMessage(changed(unreminded, { ...episode, acknowledged, outdated }));
}

/**
 * Posts no new message until then, unless it gets worse than it is now. An existing one is still edited, which notifies
 * nobody.
 */
export function snooze(state: WatchState, by: string, untilMs: number): WatchState {
  return withPendingMessage({
    ...withoutNews(withoutReminder(state)),
    snoozed: { untilMs, by },
    revision: revisionIfShown(state),
  });
}

export function wake(state: WatchState): WatchState {
  return withPendingMessage({ ...state, snoozed: null, revision: revisionIfShown(state) });
}

/** Stores somebody's opinion of an episode; `null` withdraws it. The last episode's message shows it. */
export function answered(
  state: WatchState,
  episode: string,
  answer: Omit<FeedbackAnswer, 'episode'> | null,
): WatchState {
  const { feedback, message, revision } = state;
  const isShown = state.episode?.id === episode && message !== null && message.shown !== GONE;
  return {
    ...state,
    feedback: answer === null ? withoutAnswer(feedback, episode) : withAnswer(feedback, { ...answer, episode }),
    revision: isShown ? revision + 1 : revision,
  };
}

const revisionIfShown = (state: WatchState): number => (isOpen(state) ? state.revision + 1 : state.revision);

/** Whether an evaluation has to wait until the channel has seen what is pending. */
export const isHeldUp = (record: WatchRecord, evaluation: Evaluation): boolean =>
  [...evaluation].some(([course, observation]) => mustPublishFirst(courseOf(record, course), observation));

/**
 * The state after a number of evaluations, up to the first that has to wait for what the channel must see before it. Alerts
 * are held back if the time is one of `holds`, or if what was seen is of such a time.
 */
export function advanceThrough(
  record: WatchRecord,
  evaluations: readonly Evaluation[],
  nowMs: number,
  { holds = [], ...policy }: AlertPolicy & { readonly holds?: readonly Hold[] } = {},
): WatchRecord {
  const hold = holdAt(holds, nowMs);
  // Also if nothing is evaluated: what couldn't be sent yet has to wait.
  let current = hold === null ? record : underHold(record, hold, nowMs);
  for (const evaluation of evaluations) {
    if (isHeldUp(current, evaluation)) break;
    const seenMs = evaluation.get('rise')?.atMs ?? nowMs;
    current = underHold(current, hold ?? holdAt(holds, seenMs), nowMs);
    const courses = new Set([...coursesOf(current), ...evaluation.keys()]);
    for (const course of courses) {
      if (isUncounted(current, course, evaluation)) continue;
      const observation = evaluation.get(course) ?? nothingIn(evaluation);
      // A course in which nothing was ever found needs no state.
      const isNew = !coursesOf(current).includes(course);
      if (isNew && (observation.level === 'calm' || observation.level === 'unknown')) continue;
      current = withCourse(current, course, advance(courseOf(current, course), observation, nowMs, policy));
    }
    current = withSummary(current, nowMs);
  }
  // Only once everything that was missed is known, because it may be over.
  return withOneAlert(inEachCourse(current, (state) => remind(state, nowMs, policy)));
}

/** The state when quiet hours or maintenance begin or end at a person's request. */
export const withHold = (record: WatchRecord, hold: Hold | null, nowMs: number): WatchRecord =>
  withSummary(
    inEachCourse(underHold(record, hold, nowMs), (state) => alerted(state, nowMs)),
    nowMs,
  );

/** How long an open episode is kept while its category can't be counted. */
const MAX_UNCOUNTED_MS = HOUR_MS;

/** Whether an open episode has no record only because categories can't be counted: for a while it stays as it is. */
function isUncounted(record: WatchRecord, course: Course, evaluation: Evaluation): boolean {
  const state = courseOf(record, course);
  const uncounted = evaluation.get(OTHER_CATEGORIES);
  if (uncounted === undefined || evaluation.has(course) || state.episode === null || !isOpen(state)) return false;
  return uncounted.atMs - state.episode.lastSeenMs < MAX_UNCOUNTED_MS;
}

/** A category that isn't unusual any more has no record: it's calm, or as unknown as everything else. */
function nothingIn(evaluation: Evaluation): Observation {
  const { atMs, level } = evaluation.get('rise') ?? observeNothing(0);
  return level === 'unknown' ? observeNothing(atMs) : { ...observeNothing(atMs), level: 'calm' };
}
