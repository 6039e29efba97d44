/** The pagers that the operator has configured: what they get, what they didn't get, and what to do about that. */
import { randomUUID } from 'node:crypto';
import { type Clock, withTimeout } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { PagerObserver } from '../observability/observers.ts';
import type { Secret } from '../secret.ts';
import type { Store } from '../store/index.ts';
import { createAlertmanager } from './alertmanager.ts';
import { createPageDelivery, type PageDelivery } from './deliver-pages.ts';
import type { EpisodePage, PageLevel, PageOutcome, PageQueue, Pager, PagerDesk, PagerStatus } from './page.ts';
import { createPagerDuty } from './pagerduty.ts';
import {
  createStoredPages,
  isOver,
  nextPage,
  type PagedEpisode,
  progressOf,
  type StoredPages,
  waitingIn,
  withoutDead,
  withPage,
} from './stored-pages.ts';
import { createWebhook } from './webhook.ts';

export interface PagerSettings {
  readonly pagerduty: { readonly url: string; readonly routingKey: Secret } | null;
  readonly alertmanager: { readonly url: string } | null;
  readonly webhook: { readonly url: string; readonly secret: Secret } | null;
  readonly from: PageLevel;
}

interface PagersDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observerOf?: (pagers: readonly string[]) => PagerObserver;
  readonly isWatched: (page: EpisodePage) => Promise<boolean>;
  /** Aborted once nothing may wait for a pager any more. */
  readonly giveUp: AbortSignal;
  readonly lockMs?: number | undefined;
}

export type Pagers = ReturnType<typeof openPagers>;

/** Shorter than people wait for an answer. */
const TEST_LIMIT_MS = 10_000;

export function openPagers(settings: PagerSettings, deps: PagersDeps) {
  const { locks, exclusive } = deps.store;
  const pagers = createAll(settings, deps.giveUp);
  const names = pagers.map(({ name }) => name);
  const pages = createStoredPages(deps.store);
  const observer = deps.observerOf?.(names);
  const delivery = createPageDelivery({ ...deps, pagers, pages, locks, exclusive, observer });
  const queue: PageQueue = {
    from: settings.from,
    async put(added) {
      for (const page of added) {
        await pages.update(page.key, (current) => withPage(current, page, names));
        void delivery.deliverSoon(page.key);
      }
    },
  };
  return {
    queue,
    ...createDesk(deps.clock, pagers, pages, delivery),
    /** The last page of an open episode; `null` if the episode is unknown or over. */
    async openPage(key: string): Promise<EpisodePage | null> {
      const episode = await pages.get(key);
      return episode === undefined || isOver(episode) ? null : (episode.pages.at(-1) ?? null);
    },
    start: delivery.start,
    stop: delivery.stop,
  };
}

function createDesk(clock: Clock, pagers: readonly Pager[], pages: StoredPages, delivery: PageDelivery): PagerDesk {
  async function changeDead(fate: 'again' | 'dropped'): Promise<number> {
    let changed = 0;
    for await (const [key, episode] of pages.list()) {
      const dead = pagers.reduce((sum, { name }) => sum + (progressOf(episode, name).dead ?? []).length, 0);
      if (dead === 0) continue;
      await pages.update(key, (current) => current && withoutDead(current, fate));
      changed += dead;
      if (fate === 'again') await delivery.deliverSoon(key);
    }
    return changed;
  }

  return {
    async status() {
      const episodes = await Array.fromAsync(pages.list(), ([, episode]) => episode);
      return pagers.map((pager) => statusOf(pager, episodes));
    },
    test() {
      const id = `wafbot-test-${randomUUID()}`;
      const late = (): PageOutcome => ({ is: 'failed', why: 'no answer in time' });
      return Promise.all(
        pagers.map(async (pager) => ({
          label: pager.label,
          outcome: await withTimeout(clock, TEST_LIMIT_MS, () => pager.test(id, clock.now()), late),
        })),
      );
    },
    sendAgain: () => changeDead('again'),
    drop: () => changeDead('dropped'),
  };
}

function statusOf({ name, label }: Pager, episodes: readonly PagedEpisode[]): PagerStatus {
  const dead = episodes.flatMap((episode) => progressOf(episode, name).dead ?? []).toSorted((a, b) => a.atMs - b.atMs);
  const waiting = episodes.filter((episode) => nextPage(episode, name) !== undefined);
  return {
    label,
    waiting: waiting.reduce((sum, episode) => sum + waitingIn(episode, name), 0),
    failing: waiting.flatMap((episode) => progressOf(episode, name).why ?? []).at(-1) ?? null,
    dead: dead.length,
    deadBecause: dead.at(-1)?.why ?? null,
  };
}

function createAll({ pagerduty, alertmanager, webhook }: PagerSettings, giveUp: AbortSignal): readonly Pager[] {
  return [
    ...(pagerduty === null ? [] : [createPagerDuty({ ...pagerduty, giveUp })]),
    ...(alertmanager === null ? [] : [createAlertmanager({ ...alertmanager, giveUp })]),
    ...(webhook === null ? [] : [createWebhook({ ...webhook, giveUp })]),
  ];
}
