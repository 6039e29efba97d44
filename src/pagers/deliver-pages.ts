/**
 * Delivers stored pages to every pager, at least once and in order, with retries that survive restarts. A sweep picks up what is
 * due, repeats open alerts for pagers that forget them, and ends episodes that nobody watches any longer.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { PagerObserver } from '../observability/observers.ts';
import { undefinedIfDamaged } from '../store/create-store.ts';
import type { Locks } from '../store/store.ts';
import { MINUTE_MS, SECOND_MS } from '../time-units.ts';
import { type EpisodePage, type Pager, pageIdOf } from './page.ts';
import {
  isDue,
  isFinished,
  isOver,
  nextPage,
  type PagedEpisode,
  progressOf,
  type StoredPages,
  waitingIn,
  withOutcome,
  withPage,
} from './stored-pages.ts';

interface DeliveryDeps {
  readonly pagers: readonly Pager[];
  readonly pages: StoredPages;
  readonly locks: Locks;
  /** True if no other process uses the store. */
  readonly exclusive: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: PagerObserver | undefined;
  /** Whether a watch still follows the episode of a page. */
  readonly isWatched: (page: EpisodePage) => Promise<boolean>;
  /** How long an episode stays with a process that died. */
  readonly lockMs?: number | undefined;
}

const SWEEP_EVERY_MS = 20 * SECOND_MS;
/** Longer than one attempt; it's renewed before each. */
const LOCK_MS = 20 * SECOND_MS;
const REPEAT_EVERY_MS = MINUTE_MS;
/** A resolved alert is repeated for this long, in case the pager missed it in a restart of its own. */
const REPEAT_END_MS = 5 * MINUTE_MS;

export type PageDelivery = ReturnType<typeof createPageDelivery>;

export function createPageDelivery(deps: DeliveryDeps) {
  const { pagers, pages, clock, log } = deps;
  const owner = randomUUID();
  const underWay = new Map<string, Promise<void>>();
  const repeater = createRepeater(deps);
  let isStopped = false;
  let cancel = () => {};
  const nowMs = (): number => clock.now().epochMilliseconds;

  /** One process at a time works on an episode; if two did, receivers would see a repeated ID. */
  async function deliver(key: string): Promise<void> {
    const lock = `pages/${key}`;
    const { locks, exclusive, lockMs = LOCK_MS } = deps;
    if (!exclusive && !(await locks.acquire(lock, owner, lockMs))) return;
    const mayGoOn = async (): Promise<boolean> => !isStopped && (exclusive || (await locks.renew(lock, owner, lockMs)));
    try {
      await Promise.all(pagers.map((pager) => deliverTo(deps, pager, key, mayGoOn)));
    } finally {
      if (!exclusive) await locks.release(lock, owner);
    }
  }

  /** Run again after the delivery in progress, which may not have seen the newest page. */
  function deliverSoon(key: string): Promise<void> {
    const before = underWay.get(key) ?? Promise.resolve();
    const next = before
      .then(() => (isStopped ? undefined : deliver(key)))
      .catch((err: unknown) => logFailure(err, 'could not deliver pages, will retry'))
      .finally(() => {
        if (underWay.get(key) === next) underWay.delete(key);
      });
    underWay.set(key, next);
    return next;
  }

  function logFailure(err: unknown, message: string): void {
    const isAway = err instanceof BotError && err.code === 'storage';
    if (!isStopped) log[isAway ? 'warn' : 'error']({ err }, message);
  }

  async function sweepOne(key: string, episode: PagedEpisode): Promise<void> {
    const names = pagers.map(({ name }) => name);
    if (isFinished(episode, names, nowMs())) {
      await pages.update(key, () => undefined);
      return;
    }
    const last = episode.pages.at(-1);
    if (last !== undefined && !isOver(episode) && !(await deps.isWatched(last))) {
      await endUnwatched(deps, key, last);
      void deliverSoon(key);
      return;
    }
    if (names.some((name) => isDue(episode, name, nowMs()))) void deliverSoon(key);
    else await repeater.repeat(key, episode);
  }

  async function sweep(): Promise<void> {
    let waiting = 0;
    for await (const [key, episode] of pages.list()) {
      if (isStopped) return;
      waiting += pagers.reduce((sum, { name }) => sum + waitingIn(episode, name), 0);
      await sweepOne(key, episode).catch((err: unknown) => logFailure(err, 'could not process a page'));
    }
    deps.observer?.waiting(waiting);
  }

  function sweepLater(afterMs: number): void {
    if (isStopped) return;
    cancel = clock.after(afterMs, () => {
      sweep()
        .catch((err: unknown) => logFailure(err, 'page sweep failed'))
        .then(() => sweepLater(SWEEP_EVERY_MS));
    });
  }

  return {
    deliverSoon,
    sweep,
    /** Also sends what the last process left behind. */
    start: () => sweepLater(0),
    async stop(): Promise<void> {
      isStopped = true;
      cancel();
      await Promise.all(underWay.values());
    },
  };
}

async function endUnwatched({ pages, clock, log }: DeliveryDeps, key: string, last: EpisodePage): Promise<void> {
  const atMs = clock.now().epochMilliseconds;
  const over: EpisodePage = { ...last, number: last.number + 1, state: 'over', atMs, reason: 'no_longer_watched' };
  await pages.update(key, (current) => current && withPage(current, over, []));
  log.info({ page: pageIdOf(over), channel: last.channel, watch: last.watch }, 'ended a page that no watch follows');
}

async function deliverTo(
  deps: DeliveryDeps,
  pager: Pager,
  key: string,
  mayGoOn: () => Promise<boolean>,
): Promise<void> {
  const { pages, clock, log, observer } = deps;
  for (;;) {
    const episode = await pages.get(key).catch(undefinedIfDamaged);
    if (episode === undefined) return;
    const page = nextPage(episode, pager.name);
    const [first] = episode.pages;
    if (page === undefined || first === undefined || !isDue(episode, pager.name, clock.now().epochMilliseconds)) return;
    if (!(await mayGoOn())) return;
    const outcome = await pager.send(page, first, clock.now());
    // A stop aborts what is under way; the next process sends it.
    if (outcome.is !== 'sent' && !(await mayGoOn())) return;
    const after = await pages.update(
      key,
      (current) => current && withOutcome(current, pager.name, page, outcome, clock.now().epochMilliseconds),
    );
    const isGivenUp = after !== undefined && nextPage(after, pager.name)?.number !== page.number;
    observer?.page(pager.name, outcome.is === 'sent' ? 'sent' : isGivenUp ? 'given_up' : 'failed');
    const facts = { pager: pager.name, page: pageIdOf(page), state: page.state };
    if (outcome.is === 'sent') log.info(facts, 'page sent');
    else if (isGivenUp) log.error({ ...facts, why: outcome.why }, 'gave up on a page, see doctor');
    else {
      log.warn({ ...facts, why: outcome.why }, 'page not delivered, will retry');
      return;
    }
  }
}

/** Repeats what some pagers forget. The time of the last repetition isn't stored, because an extra one does no harm. */
function createRepeater({ pagers, clock, log }: DeliveryDeps) {
  const repeatedMs = new Map<string, number>();
  const forgetful = pagers.filter(({ forgets = false }) => forgets);

  async function repeatTo(pager: Pager, key: string, { pages }: PagedEpisode): Promise<void> {
    const [first, last] = [pages[0], pages.at(-1)];
    if (first === undefined || last === undefined) return;
    const nowMs = clock.now().epochMilliseconds;
    const at = `${pager.name} ${key}`;
    const isEnding = last.state === 'over';
    if (isEnding && nowMs - last.atMs > REPEAT_END_MS) return void repeatedMs.delete(at);
    if (nowMs - (repeatedMs.get(at) ?? Number.NEGATIVE_INFINITY) < REPEAT_EVERY_MS) return;
    repeatedMs.set(at, nowMs);
    const outcome = await pager.send(last, first, clock.now());
    if (outcome.is !== 'sent') log.warn({ pager: pager.name, page: key, why: outcome.why }, 'could not repeat a page');
  }

  return {
    async repeat(key: string, episode: PagedEpisode): Promise<void> {
      for (const pager of forgetful) {
        const { done, dead = [] } = progressOf(episode, pager.name);
        const isThere = done === episode.pages.length && !dead.some(({ number }) => number === done);
        if (isThere) await repeatTo(pager, key, episode);
      }
    },
  };
}
