/**
 * What pagers are told of a watch's episodes, as pure steps of its state. The state has what they know and what they're about to
 * be told, written together with the change itself, so that no crash can lose a page. What doesn't alert doesn't page.
 */
import { type EpisodeNature, natureOf } from '../../episodes/episode.ts';
import { type EpisodePage, type PageKind, type PageState, pageKeyOf } from '../../pagers/page.ts';
import { leadingHostWords } from '../../replies/host-lines.ts';
import { categoryName } from '../../statistics/categories.ts';
import { jobIdOf, type SubscriptionRef } from '../subscription.ts';
import { type AlertLevel, reaches } from './alert-policy.ts';
import { alsoWords, instantOf, type ResolvedWatch, titleOf } from './episode-words.ts';
import {
  courseOf,
  coursesOf,
  inEachCourse,
  levelTold,
  type PagedSoFar,
  type WatchedEpisode,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';

export interface PagedWatch {
  readonly ref: SubscriptionRef;
  readonly watch: ResolvedWatch;
  /** The project's name, if there are several. */
  readonly project: string | null;
  /** The lowest level that pages. */
  readonly from: AlertLevel;
}

/** Nobody reads more about one episode. Its end is always sent. */
const MAX_PAGES = 40;
/** Limits the record if the queue can't take pages for a long time. */
const MAX_PENDING = 100;

/** The record with a page for each state that pagers don't know of. */
export function withPages(record: WatchRecord, watch: PagedWatch, nowMs: number): WatchRecord {
  return coursesOf(record).reduce((all, course) => {
    const state = courseOf(all, course);
    const next = inCourse(state, watch, nowMs);
    return next === state ? all : withCourse(all, course, next);
  }, record);
}

function inCourse(current: WatchState, watch: PagedWatch, nowMs: number): WatchState {
  const { episode, message } = current;
  const state = withoutReplaced(current, nowMs);
  if (episode === null) return state;
  const isKnown = state.paged?.episode === episode.id && state.paged.isAbandoned !== true;
  // What has joined another alert is covered by that one's page.
  const hasAlerted = message !== null && episode.joins === undefined && reaches(levelTold(episode), watch.from);
  if (!isKnown && !hasAlerted) return state;
  // It ended while the watch was paused, or is about to, and pagers have been told that nobody watches it.
  const isEnding = episode.closedMs !== null || episode.endMs !== null || episode.calmLooks > 0;
  if (state.paged?.episode === episode.id && !isKnown && isEnding) return state;
  const begun = isKnown ? state : added(state, episode, 'begun', watch, nowMs);
  return withChanges(begun, episode, watch, nowMs);
}

/** An episode that another one has replaced is over, whatever became of it. */
function withoutReplaced(state: WatchState, nowMs: number): WatchState {
  const { paged, episode, past, pages = [], lastPage } = state;
  if (paged === undefined || lastPage === undefined || paged.episode === episode?.id) return state;
  if (paged.isOver || paged.isAbandoned === true) return state;
  const endMs = past.findLast(({ id }) => id === paged.episode)?.endMs ?? nowMs;
  const over: EpisodePage = { ...lastPage, number: paged.count + 1, state: 'over', atMs: nowMs, endMs };
  return { ...state, pages: [...pages, over], paged: { ...paged, count: over.number, isOver: true } };
}

function withChanges(state: WatchState, episode: WatchedEpisode, watch: PagedWatch, nowMs: number): WatchState {
  const { paged } = state;
  if (paged === undefined || paged.isOver) return state;
  const { told, acknowledged, closedMs } = episode;
  const jumpMs = told.before === undefined ? null : told.atMs;
  const isWorse = levelTold(episode) === 'surge' && paged.level === 'elevated';
  const hasJumped = jumpMs !== null && jumpMs > (paged.jumpMs ?? 0);
  const worse = isWorse || hasJumped ? added(state, episode, 'worse', watch, nowMs) : state;
  const by = acknowledged?.by ?? null;
  const isTaken = by !== null && by !== paged.acknowledgedBy;
  const taken = isTaken ? added(worse, episode, 'acknowledged', watch, nowMs) : worse;
  const isReleased = by === null && paged.acknowledgedBy !== null;
  const released = isReleased && taken.paged ? { ...taken, paged: { ...taken.paged, acknowledgedBy: null } } : taken;
  return closedMs === null ? released : added(released, episode, 'over', watch, nowMs);
}

function added(
  state: WatchState,
  episode: WatchedEpisode,
  kind: PageState,
  { ref, watch, project }: PagedWatch,
  nowMs: number,
): WatchState {
  const { told, acknowledged } = episode;
  const isNew = kind === 'begun';
  const before = state.paged?.episode === episode.id ? state.paged : undefined;
  const round = isNew ? (before?.round ?? 0) + 1 : (before?.round ?? 1);
  const count = isNew ? 1 : (before?.count ?? 0) + 1;
  const paged: PagedSoFar = {
    ...{ episode: episode.id, round, count },
    level: levelTold(episode),
    jumpMs: told.before === undefined ? (before?.jumpMs ?? null) : told.atMs,
    acknowledgedBy:
      kind === 'acknowledged' ? (acknowledged?.by ?? null) : isNew ? null : (before?.acknowledgedBy ?? null),
    isOver: kind === 'over',
  };
  if (count > MAX_PAGES && kind !== 'over') return { ...state, paged: { ...paged, count: count - 1 } };
  const page: EpisodePage = {
    ...pageOf(episode, kind, watch, nowMs),
    key: pageKeyOf(jobIdOf(ref), episode.id, round),
    number: count,
    ...{ channel: ref.channel, watch: ref.id },
    ...(project === null ? {} : { project }),
  };
  return { ...state, paged, lastPage: page, pages: [...(state.pages ?? []), page].slice(-MAX_PENDING) };
}

/** What other programs call each nature, here and in the messages of `judge`. */
export const PAGE_KINDS = {
  rise: 'attacks_high',
  mix: 'category_high',
  attacks: 'attacks_gone',
  requests: 'visitors_gone',
} as const satisfies Record<EpisodeNature, PageKind>;

const MAX_CATEGORIES = 3;

function pageOf(
  episode: WatchedEpisode,
  state: PageState,
  watch: ResolvedWatch,
  nowMs: number,
): Omit<EpisodePage, 'key' | 'number' | 'channel' | 'watch'> {
  const { id, told, onsetMs, endMs, closedMs, figures, leading, on = [], acknowledged } = episode;
  const news = state === 'worse' ? (told.before === undefined ? 'worse' : 'jump') : 'new';
  const where = leadingHostWords(on);
  const title = titleOf(episode, news, watch, instantOf(nowMs));
  return {
    state,
    atMs: nowMs,
    episode: id,
    hosts: watch.hosts.map(({ name }) => name),
    summary: `${[title, ...(where === null ? [] : [where]), ...alsoWords(episode)].join(' · ')} (${watch.zone})`,
    kind: PAGE_KINDS[natureOf(episode)],
    level: levelTold(episode),
    onsetMs,
    endMs: endMs ?? closedMs,
    total: figures?.total ?? null,
    // Records of an earlier version don't have it.
    expected: figures?.expected == null ? null : Math.round(figures.expected),
    categories: leading.toReversed().slice(0, MAX_CATEGORIES).map(categoryName),
    ...(acknowledged === null || state === 'begun'
      ? {}
      : { by: { name: acknowledged.by, via: acknowledged.via === undefined ? 'slack' : 'pagerduty' } }),
  };
}

export const pendingPages = (record: WatchRecord): readonly EpisodePage[] =>
  coursesOf(record).flatMap((course) => courseOf(record, course).pages ?? []);

/** Without pages that are stored in the queue. */
export const withoutPages = (record: WatchRecord, done: readonly EpisodePage[]): WatchRecord => {
  const stored = new Set(done.map(({ key, number }) => `${key} ${number}`));
  return inEachCourse(record, (state) => {
    const { pages = [], ...rest } = state;
    if (pages.length === 0) return state;
    const left = pages.filter(({ key, number }) => !stored.has(`${key} ${number}`));
    return left.length === 0 ? rest : { ...rest, pages: left };
  });
};

/** Whether the watch has more to say about an episode that it paged about. */
export const isPagingAbout = (record: WatchRecord, episode: string): boolean =>
  coursesOf(record).some((course) => {
    const { paged, pages = [] } = courseOf(record, course);
    const isOpen = paged?.episode === episode && !paged.isOver;
    return isOpen || pages.some((page) => page.episode === episode);
  });

/** The watch was paused, and pagers are told that nobody watches it. When it's resumed, a new round begins. */
export const withoutPaging = (record: WatchRecord): WatchRecord =>
  inEachCourse(record, (state) => {
    const { paged } = state;
    return paged === undefined || paged.isOver ? state : { ...state, paged: { ...paged, isAbandoned: true } };
  });
