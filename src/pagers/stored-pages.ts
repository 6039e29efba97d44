/**
 * The stored pages of an episode, and how far each pager has got with them, as pure steps. Pages go out in order: an end that
 * overtakes its beginning would leave an incident open.
 */
import { z } from 'zod';
import { createValidRecords } from '../store/create-store.ts';
import type { Records } from '../store/store.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../time-units.ts';
import type { EpisodePage, PageOutcome, PagerName } from './page.ts';

/** A page that was given up. */
interface DeadPage {
  readonly number: number;
  readonly why: string;
  readonly atMs: number;
}

interface PagerProgress {
  /** How many pages are done with: sent or given up. */
  readonly done: number;
  /** Failed attempts at the next one. */
  readonly failures: number;
  /** When the next attempt is due. */
  readonly nextMs: number;
  /** Why the last attempt failed. */
  readonly why?: string | undefined;
  readonly dead?: readonly DeadPage[] | undefined;
  /** Given up before, and to be tried once more. */
  readonly again?: readonly number[] | undefined;
}

export interface PagedEpisode {
  /** In order, numbered from 1. */
  readonly pages: readonly EpisodePage[];
  readonly pagers: Readonly<Partial<Record<PagerName, PagerProgress>>>;
}

const progress = z.object({ done: z.number(), failures: z.number(), nextMs: z.number() });
const schema = z.object({
  pages: z.array(z.object({ key: z.string(), number: z.number(), state: z.string(), atMs: z.number() })).min(1),
  pagers: z.record(z.string(), progress),
});

export const createStoredPages = (records: Records) => createValidRecords<PagedEpisode>(records, 'pages', schema);

export type StoredPages = ReturnType<typeof createStoredPages>;

const NOTHING_DONE: PagerProgress = { done: 0, failures: 0, nextMs: 0 };

export const isOver = ({ pages }: PagedEpisode): boolean => pages.at(-1)?.state === 'over';

/** A pager that was added later gets what is open, and nothing of what was over by then. */
export function progressOf(episode: PagedEpisode, pager: PagerName): PagerProgress {
  const known = episode.pagers[pager];
  if (known !== undefined) return known;
  return isOver(episode) ? { ...NOTHING_DONE, done: episode.pages.length } : NOTHING_DONE;
}

/** Nothing follows the end, and what is already there stays as it is. */
export function withPage(
  episode: PagedEpisode | undefined,
  page: EpisodePage,
  pagers: readonly PagerName[],
): PagedEpisode {
  if (episode === undefined) {
    const begun = Object.fromEntries(pagers.map((pager) => [pager, NOTHING_DONE]));
    return { pages: [{ ...page, number: 1 }], pagers: begun };
  }
  if (isOver(episode) || page.number <= episode.pages.length) return episode;
  return { ...episode, pages: [...episode.pages, { ...page, number: episode.pages.length + 1 }] };
}

/** The page that the pager gets next: one that is to be sent once more, or the next in order. */
export function nextPage(episode: PagedEpisode, pager: PagerName): EpisodePage | undefined {
  const { done, again = [] } = progressOf(episode, pager);
  return episode.pages[(again[0] ?? done + 1) - 1];
}

/** After a failure the next attempt waits twice as long, up to five minutes. */
const backoffMs = (failures: number): number => Math.min(5 * SECOND_MS * 2 ** Math.max(0, failures - 1), 5 * MINUTE_MS);
/** After this long, nobody needs to be woken up by it any more. */
const GIVE_UP_MS = DAY_MS;

/** The state after an attempt at that page; unchanged if another process has handled it in the meantime. */
export function withOutcome(
  episode: PagedEpisode,
  pager: PagerName,
  page: EpisodePage,
  outcome: PageOutcome,
  nowMs: number,
): PagedEpisode {
  if (nextPage(episode, pager)?.number !== page.number) return episode;
  const now = progressOf(episode, pager);
  const set = (changed: PagerProgress): PagedEpisode => ({
    ...episode,
    pagers: { ...episode.pagers, [pager]: changed },
  });
  const isRepeated = (now.again ?? []).length > 0;
  const passed: PagerProgress = isRepeated
    ? { ...now, again: now.again?.slice(1), failures: 0, nextMs: 0, why: undefined }
    : { ...now, done: now.done + 1, failures: 0, nextMs: 0, why: undefined };
  if (outcome.is === 'sent') return set(passed);
  const isGivenUp = outcome.is === 'refused' || isRepeated || nowMs - page.atMs >= GIVE_UP_MS;
  if (isGivenUp) {
    const dead = { number: page.number, why: outcome.why, atMs: nowMs };
    return set({ ...passed, dead: [...(now.dead ?? []), dead] });
  }
  const failures = now.failures + 1;
  const waitMs = Math.max(backoffMs(failures), outcome.is === 'failed' ? (outcome.retryAfterMs ?? 0) : 0);
  return set({ ...now, failures, nextMs: nowMs + waitMs, why: outcome.why });
}

/** What was given up is tried once more, or forgotten. */
export function withoutDead(episode: PagedEpisode, fate: 'again' | 'dropped'): PagedEpisode {
  const entries = Object.entries(episode.pagers).map(([pager, each]) => {
    const { dead = [], again = [], ...rest } = each;
    const numbers = fate === 'again' ? [...again, ...dead.map(({ number }) => number)] : again;
    return [pager, { ...rest, ...(numbers.length === 0 ? {} : { again: numbers, nextMs: 0 }) }];
  });
  return { ...episode, pagers: Object.fromEntries(entries) };
}

/** How many pages the pager still has to get. */
export function waitingIn(episode: PagedEpisode, pager: PagerName): number {
  const { done, again = [] } = progressOf(episode, pager);
  return episode.pages.length - done + again.length;
}

export const isDue = (episode: PagedEpisode, pager: PagerName, nowMs: number): boolean =>
  nextPage(episode, pager) !== undefined && progressOf(episode, pager).nextMs <= nowMs;

/** An episode can be acknowledged and asked about after its end; pages that were given up can be resent for longer. */
const KEPT_MS = DAY_MS;
const DEAD_KEPT_MS = 7 * DAY_MS;

/** Whether nobody needs the record any longer. */
export function isFinished(episode: PagedEpisode, pagers: readonly PagerName[], nowMs: number): boolean {
  const lastMs = episode.pages.at(-1)?.atMs ?? 0;
  if (!isOver(episode) || nowMs - lastMs < KEPT_MS) return false;
  const isDead = pagers.some((pager) => (progressOf(episode, pager).dead ?? []).length > 0);
  if (isDead) return nowMs - lastMs >= DEAD_KEPT_MS;
  return pagers.every((pager) => nextPage(episode, pager) === undefined) || nowMs - lastMs >= DEAD_KEPT_MS;
}
