/**
 * Which dialect a service is asked in. Unless that is set, one probe tells: `statistics` is in the overviews dialect
 * alone. The events dialect stays first: where a service answers in both, it is kept as long as it has the traffic. A
 * passing failure decides nothing. What was decided is kept in the store, so that most starts make no call for it.
 */

import { z } from 'zod';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import { type HttpReply, isNoSuchQuery } from '../client/failure.ts';
import type { Dialect, DialectName } from './dialect.ts';

export type DialectSetting = 'auto' | DialectName;

export interface DialectChoice {
  readonly dialect: DialectName;
  /** `for now`: the probe could not tell, and is made again later. */
  readonly how: 'set' | 'found' | 'kept' | 'for now';
}

interface ChooseOptions {
  readonly setting: DialectSetting;
  readonly events: Dialect;
  /** Asks for `statistics` of the last hour, once. */
  readonly probe: (nowMs: number) => Promise<HttpReply>;
  readonly cache: BestEffortCache;
  readonly scope: string;
  readonly now: () => number;
  readonly log: Logger;
  /** Aborted when no call may be made any more. */
  readonly closing: AbortSignal;
}

/** Services are extended now and then. */
const LOOK_AGAIN_MS = 7 * DAY_MS;
/** What is older is still better than nothing while the probe cannot tell. */
const KEPT_MS = 90 * DAY_MS;
/** A service that has neither is not probed for every question. */
const DOUBT_AGAIN_MS = HOUR_MS;
const TRY_AGAIN_MS = 2 * MINUTE_MS;
/** A site may be quiet for a night or a weekend. */
const TRAFFIC_WITHIN_MS = 7 * DAY_MS;

/** What the probe says: `traffic` where the totals of the last hour are not zero, or are not known. */
interface ProbeAnswer {
  readonly speaks: 'yes' | 'no' | 'unknown';
  readonly traffic: boolean;
}

/** What a refusal of an overviews query says about the dialect. A transient failure or one of the caller says nothing. */
function speaksOverviews({ reason }: BotError): ProbeAnswer['speaks'] {
  if (reason?.is === 'no_such_query') return 'no';
  if (reason?.is !== 'request_refused' || reason.dialect === undefined) return 'unknown';
  return reason.dialect === 'overviews' ? 'yes' : 'no';
}

async function readProbe(reply: Promise<HttpReply>): Promise<ProbeAnswer> {
  try {
    const body: unknown = JSON.parse((await reply).body);
    if (!Array.isArray(body)) return { speaks: 'unknown', traffic: false };
    return { speaks: 'yes', traffic: body.some((entry) => Number(entry?.num) > 0) };
  } catch (error) {
    if (!(error instanceof BotError)) return { speaks: 'unknown', traffic: false };
    const speaks = speaksOverviews(error);
    return { speaks, traffic: speaks === 'yes' };
  }
}

const storedChoiceSchema = z.object({ dialect: z.enum(['events', 'overviews']), atMs: z.number() });

export function createDialectChoice(options: ChooseOptions) {
  const { setting, cache, now, log } = options;
  const key = `dialect:${options.scope}`;
  let chosen: DialectChoice | undefined = setting === 'auto' ? undefined : { dialect: setting, how: 'set' };
  let pending: Promise<DialectChoice> | undefined;
  /** `null` once it is decided. */
  let tryAgainMs: number | null = null;
  /** When the probe was made, by this process or one before. */
  let probedMs = Number.NEGATIVE_INFINITY;
  let isDoubted = false;

  /** Where both dialects answer: `null` when the events dialect fails for now. */
  async function hasTraffic(nowMs: number): Promise<'yes' | 'silent' | 'no such query' | null> {
    const toMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    const window = { fromMs: toMs - TRAFFIC_WITHIN_MS, toMs, hosts: [], offset: '+00:00' };
    try {
      const { requests } = await options.events.timeline(window, options.closing);
      return requests.some((number) => (number ?? 0) > 0) ? 'yes' : 'silent';
    } catch (error) {
      return isNoSuchQuery(error) ? 'no such query' : null;
    }
  }

  async function decide(nowMs: number): Promise<DialectName | null> {
    const answer = await readProbe(options.probe(nowMs));
    if (answer.speaks === 'unknown') return null;
    if (answer.speaks === 'no') return 'events';
    const events = await hasTraffic(nowMs);
    if (events === null) return null;
    return events === 'no such query' || (events === 'silent' && answer.traffic) ? 'overviews' : 'events';
  }

  async function choose(): Promise<DialectChoice> {
    const nowMs = now();
    const kept = await cache.get(key, storedChoiceSchema);
    if (kept !== undefined && !isDoubted && nowMs - kept.atMs < LOOK_AGAIN_MS) {
      probedMs = kept.atMs;
      tryAgainMs = null;
      return { dialect: kept.dialect, how: 'kept' };
    }
    probedMs = nowMs;
    const dialect = await decide(nowMs);
    if (dialect === null) {
      tryAgainMs = nowMs + TRY_AGAIN_MS;
      log.info(
        { dialect: kept?.dialect ?? 'events' },
        'the dialect of the service could not be told; it is probed again',
      );
      return kept === undefined ? { dialect: 'events', how: 'for now' } : { dialect: kept.dialect, how: 'kept' };
    }
    tryAgainMs = null;
    isDoubted = false;
    await cache.set(key, { dialect, atMs: nowMs }, KEPT_MS);
    log.info({ dialect }, 'the dialect of the service was found');
    return { dialect, how: 'found' };
  }

  return {
    async get(): Promise<DialectChoice> {
      if (chosen !== undefined && (tryAgainMs === null || now() < tryAgainMs)) return chosen;
      pending ??= choose().finally(() => {
        pending = undefined;
      });
      chosen = await pending;
      return chosen;
    },
    /** The service no longer has what was chosen: the next question probes again, once in a while. */
    doubt(): void {
      if (setting !== 'auto' || tryAgainMs !== null || now() - probedMs < DOUBT_AGAIN_MS) return;
      isDoubted = true;
      chosen = undefined;
    },
  };
}

export type ChosenDialect = ReturnType<typeof createDialectChoice>;

interface Questions<Query, Timeline, Distribution, Sources> {
  timeline(query: Query): Promise<Timeline>;
  distribution(query: Query): Promise<Distribution>;
  sources(query: Query): Promise<Sources>;
}

/** Every question, asked in the dialect of the service; in the other one where that is found to have changed. */
export function inChosenDialect<Q, T, D, S>(
  { get, doubt }: ChosenDialect,
  questions: Readonly<Record<DialectName, Questions<Q, T, D, S>>>,
): Questions<Q, T, D, S> {
  async function ask<A>(question: (asked: Questions<Q, T, D, S>) => Promise<A>): Promise<A> {
    const { dialect } = await get();
    try {
      return await question(questions[dialect]);
    } catch (error) {
      if (!isNoSuchQuery(error)) throw error;
      doubt();
      const again = await get();
      if (again.dialect === dialect) throw error;
      return question(questions[again.dialect]);
    }
  }
  return {
    timeline: (query) => ask((asked) => asked.timeline(query)),
    distribution: (query) => ask((asked) => asked.distribution(query)),
    sources: (query) => ask((asked) => asked.sources(query)),
  };
}

const SAYS: Readonly<Record<DialectChoice['how'], string>> = {
  set: 'set by WAF_DIALECT',
  found: 'found by a probe',
  kept: 'found by an earlier probe',
  'for now': 'for now, because the probe could not tell; it is made again',
};

/** `events dialect, found by a probe` */
export const choiceInWords = ({ dialect, how }: DialectChoice): string => `${dialect} dialect, ${SAYS[how]}`;
