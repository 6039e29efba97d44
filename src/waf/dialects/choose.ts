/**
 * Detects the dialect of a service, unless it is configured. One probe is enough: only the overviews dialect has
 * `statistics`. If a service answers in both, the events dialect wins as long as it shows traffic. A transient failure
 * decides nothing. The result is stored, so that most starts make no call for it.
 */

import { z } from 'zod';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { parseJson } from '../../untrusted-input.ts';
import type { BestEffortCache } from '../cache.ts';
import { type HttpReply, isNoSuchQuery } from '../client/failure.ts';
import type { AskedQueries, Queries } from '../client/queries.ts';
import type { Dialect, DialectName } from './dialect.ts';

export type DialectSetting = 'auto' | DialectName;

export interface DialectChoice {
  readonly dialect: DialectName;
  /** `assumed`: the probe decided nothing and is repeated later. */
  readonly how: 'set' | 'detected' | 'stored' | 'assumed';
}

interface ChooseOptions {
  readonly setting: DialectSetting;
  readonly events: Dialect;
  /** Queries `statistics` of the last hour, without retries. */
  readonly probe: (nowMs: number) => Promise<HttpReply>;
  readonly cache: BestEffortCache;
  readonly scope: string;
  readonly now: () => number;
  readonly log: Logger;
  readonly closing: AbortSignal;
}

/** Services are extended now and then. */
const DETECT_AGAIN_MS = 7 * DAY_MS;
/** An older result is still better than nothing while the probe fails. */
const TTL_MS = 90 * DAY_MS;
/** A service that has neither dialect is not probed for every question. */
const DOUBT_AGAIN_MS = HOUR_MS;
const TRY_AGAIN_MS = 2 * MINUTE_MS;
/** A site may be quiet for a night or a weekend. */
const TRAFFIC_WITHIN_MS = 7 * DAY_MS;

/** `traffic`: the totals of the last hour are not zero, or not known. */
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
    const body = parseJson((await reply).body);
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
  /** When the last probe was made, by this process or an earlier one. */
  let probedMs = Number.NEGATIVE_INFINITY;
  let isDoubted = false;

  /** If both dialects answer; `null` while the events dialect fails. */
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
    if (answer.speaks === 'no') return 'events';
    const events = await hasTraffic(nowMs);
    // Only the probe may be down or forbidden; the other dialect's answer can still decide.
    if (answer.speaks === 'unknown')
      return events === 'no such query' ? 'overviews' : events === 'yes' ? 'events' : null;
    if (events === null) return null;
    return events === 'no such query' || (events === 'silent' && answer.traffic) ? 'overviews' : 'events';
  }

  async function choose(): Promise<DialectChoice> {
    const nowMs = now();
    const stored = await cache.get(key, storedChoiceSchema);
    if (stored !== undefined && !isDoubted && nowMs - stored.atMs < DETECT_AGAIN_MS) {
      probedMs = stored.atMs;
      tryAgainMs = null;
      return { dialect: stored.dialect, how: 'stored' };
    }
    probedMs = nowMs;
    const dialect = await decide(nowMs);
    if (dialect === null) {
      tryAgainMs = nowMs + TRY_AGAIN_MS;
      log.info({ dialect: stored?.dialect ?? 'events' }, 'could not detect the dialect, trying again later');
      return stored === undefined ? { dialect: 'events', how: 'assumed' } : { dialect: stored.dialect, how: 'stored' };
    }
    tryAgainMs = null;
    isDoubted = false;
    await cache.set(key, { dialect, atMs: nowMs }, TTL_MS);
    log.info({ dialect }, 'dialect detected');
    return { dialect, how: 'detected' };
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
    /** The service no longer has the chosen dialect: the next question probes again, at most once an hour. */
    doubt(): void {
      if (setting !== 'auto' || tryAgainMs !== null || now() - probedMs < DOUBT_AGAIN_MS) return;
      isDoubted = true;
      chosen = undefined;
    },
  };
}

export type ChosenDialect = ReturnType<typeof createDialectChoice>;

/** Sends every query in the dialect that the service has at that time, which may change. */
export function inChosenDialect(
  { get, doubt }: ChosenDialect,
  queries: Readonly<Record<DialectName, Queries>>,
): AskedQueries {
  async function ask<A>(question: (chosen: Queries) => Promise<A>): Promise<A> {
    const { dialect } = await get();
    try {
      return await question(queries[dialect]);
    } catch (error) {
      if (!isNoSuchQuery(error)) throw error;
      doubt();
      const again = await get();
      if (again.dialect === dialect) throw error;
      return question(queries[again.dialect]);
    }
  }

  return {
    timeline: (query) => ask((chosen) => chosen.timeline(query)),
    distribution: (query) => ask((chosen) => chosen.distribution(query)),
    sources: (query) => ask((chosen) => chosen.sources(query)),
    actions: (query) => ask((chosen) => chosen.actions(query)),
    responses: (query) => ask((chosen) => chosen.responses(query)),
    events: (query) => ask((chosen) => chosen.events(query)),
  };
}

const SAYS: Readonly<Record<DialectChoice['how'], string>> = {
  set: 'set by WAF_DIALECT',
  detected: 'detected by a probe',
  stored: 'detected by an earlier probe',
  assumed: 'assumed for now; the probe is repeated',
};

/** `events dialect, detected by a probe` */
export const choiceInWords = ({ dialect, how }: DialectChoice): string => `${dialect} dialect, ${SAYS[how]}`;
