/**
 * What every request from Slack passes before its listener: it is tracked until it's finished, dropped if it was
 * already handled, and refused if it comes from somebody who isn't answered; and what Slack knows about the person who
 * asks.
 *
 * Slack repeats what it thinks was lost, two sockets can both get the same envelope, and a signed request can be
 * replayed; Bolt would run the listeners each time. If the first delivery really was lost, the retry is new to us. The
 * process's own memory decides first, and alone while the store is down or slow: a request must be acknowledged within
 * three seconds, and a second answer is better than none.
 *
 * Members of the workspace or organization that installed the bot are answered. Otherwise people from another
 * organization could ask for numbers that aren't theirs in a shared channel (Slack Connect), and two bots that mention
 * each other would never stop. `WAFBOT_ALSO_ANSWER` lets either in.
 *
 * Profiles are cached for an hour. A time zone is used for a day, also after a restart, while Slack is asked again:
 * every answer names its zone. Nobody waits long for a profile, because a form has to open within seconds.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { type Clock, elapsedMsOf, withTimeout } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { errorReply } from '../replies/error-reply.ts';
import { resolveZone } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { isRecord } from '../untrusted-input.ts';
import type { DeliverReply } from './posting/deliver-reply.ts';
import type { ReplyTarget } from './posting/reply-target.ts';
import type { SlackClients } from './transport/web-api.ts';

export type AlsoAnswered = 'external' | 'bots';

/** Where the bot is installed; `null` until Slack has answered, and for what it doesn't name. */
interface Installation {
  readonly teamId: string | null;
  readonly enterpriseId: string | null;
}

interface AnsweredPeople {
  readonly alsoAnswer: readonly AlsoAnswered[];
  readonly installation: Installation;
  readonly profiles: UserProfiles;
}

interface AudienceDependencies {
  readonly alsoAnswer: readonly AlsoAnswered[];
  readonly isAnswered: IsAnswered;
  readonly deliverReply: DeliverReply;
  readonly command: string;
  readonly log: Logger;
}

interface Sender {
  readonly user: string | null;
  /** The workspace or organization the person belongs to. */
  readonly team: string | null;
  readonly isBot: boolean;
  /** Where a refusal goes; `null` outside of conversations. */
  readonly target: ReplyTarget | null;
}

/** For people of other organizations. */
export const ONLY_COLLEAGUES = new BotError(
  'forbidden',
  'I only answer members of the organization that installed me.',
  {
    hint: 'Ask one of them to run this for you.',
  },
);

/** Whether a person is answered. */
export type IsAnswered = (person: Pick<Sender, 'user' | 'team'>) => Promise<boolean>;

export function createIsAnswered({ alsoAnswer, installation, profiles }: AnsweredPeople): IsAnswered {
  return async ({ user, team }) => {
    if (alsoAnswer.includes('external')) return true;
    const { teamId, enterpriseId } = installation;
    // Slack names the team of whoever writes or clicks. Requests without one, such as an opened Home tab, are from the bot's own.
    if (team === null || team === teamId || team === enterpriseId) return true;
    // A colleague from another workspace of the same organization. People who can't be looked up aren't let in.
    return enterpriseId !== null && user !== null && (await profiles.enterpriseId(user)) === enterpriseId;
  };
}

export function createAudience(deps: AudienceDependencies): Middleware<AnyMiddlewareArgs> {
  const { alsoAnswer, isAnswered, deliverReply, command, log } = deps;
  return async function audience(args) {
    const sender = senderOf(args.body);
    if (sender.isBot) {
      if (alsoAnswer.includes('bots')) return args.next();
      return log.debug({}, 'ignoring a message from a bot');
    }
    if (await isAnswered(sender)) return args.next();
    log.info({ channel: sender.target?.channel }, 'refusing a request from another organization');
    if ('ack' in args) await args.ack?.();
    if (sender.target === null) return;
    await deliverReply({ ...errorReply(ONLY_COLLEAGUES, { command, reference: '' }), privately: true }, sender.target);
  };
}

/** Reads the payload of an event, command, button, shortcut or form. */
function senderOf(body: unknown): Sender {
  const payload = isRecord(body) ? body : {};
  return isRecord(payload.event) ? senderOfEvent(payload.event) : senderOfInteraction(payload);
}

type JsonRecord = Readonly<Record<string, unknown>>;

function senderOfEvent(event: JsonRecord): Sender {
  const [user, channel] = [textAt(event, 'user'), textAt(event, 'channel')];
  const threadTs = textAt(event, 'thread_ts') ?? undefined;
  return {
    user,
    team: textAt(event, 'user_team') ?? textAt(event, 'source_team') ?? textAt(event, 'team'),
    isBot: 'bot_id' in event || 'bot_profile' in event || event.subtype === 'bot_message' || user === 'USLACKBOT',
    target: user === null || channel === null ? null : { user, channel, threadTs },
  };
}

function senderOfInteraction(payload: JsonRecord): Sender {
  const person = isRecord(payload.user) ? payload.user : {};
  const place = isRecord(payload.channel) ? payload.channel : {};
  const user = textAt(person, 'id') ?? textAt(payload, 'user_id');
  const channel = textAt(place, 'id') ?? textAt(payload, 'channel_id');
  const responseUrl = textAt(payload, 'response_url') ?? undefined;
  return {
    user,
    // A command names the workspace it was typed in, and only its members can use it.
    team: textAt(person, 'team_id') ?? textAt(payload, 'team_id'),
    isBot: false,
    target: user === null || channel === null ? null : { user, channel, responseUrl },
  };
}

function textAt(record: JsonRecord, key: string): string | null {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

interface UserProfile {
  readonly name: string | null;
  readonly zone: string | null;
  /** The person's workspace. */
  readonly team: string | null;
  /** The Enterprise Grid organization that the person belongs to. */
  readonly enterpriseId: string | null;
}

/** Each is `null` if Slack doesn't say so in time. Never rejects. */
export interface UserProfiles {
  name(user: string): Promise<string | null>;
  zone(user: string): Promise<string | null>;
  team(user: string): Promise<string | null>;
  enterpriseId(user: string): Promise<string | null>;
}

/** Zones that outlive the process. */
export interface StoredZones {
  get(user: string): Promise<string | undefined>;
  set(user: string, zone: string, ttlMs: number): Promise<unknown>;
}

const MAX_PROFILES = 10_000;
export const PROFILE_LIMIT_MS = 1_000;
/** Memory is used as entries come: `max` would take it for all of them when the bot starts. */
const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

const UNKNOWN: UserProfile = { name: null, zone: null, team: null, enterpriseId: null };

export function createUserProfiles(
  clients: SlackClients,
  clock: Clock,
  log: Logger,
  storedZones?: StoredZones,
): UserProfiles {
  const age = { ...atMost(MAX_PROFILES), ttlResolution: 0, perf: { now: elapsedMsOf(clock) } };
  const fetched = new LRUCache<string, Promise<UserProfile>>({ ...age, ttl: HOUR_MS });
  /** Stands in while Slack doesn't answer. */
  const lastKnown = new LRUCache<string, UserProfile>({ ...age, ttl: DAY_MS });

  async function fetchProfile(id: string): Promise<UserProfile> {
    const { user } = await clients.read.users.info({ user: id });
    const profile = {
      name: user?.real_name ?? user?.name ?? null,
      // A zone that this machine doesn't know would make every question of that person fail.
      zone: user?.tz === undefined ? null : resolveZone(user.tz),
      team: user?.team_id ?? null,
      enterpriseId: user?.enterprise_user?.enterprise_id ?? null,
    };
    lastKnown.set(id, profile);
    if (profile.zone !== null) storedZones?.set(id, profile.zone, DAY_MS).catch(storeFailed);
    return profile;
  }

  const storeFailed = (error: unknown): undefined => {
    log.debug({ err: error }, 'could not read or store a time zone');
  };

  function fetchOnce(user: string): Promise<UserProfile> {
    const known = fetched.get(user);
    if (known !== undefined) return known;
    const fetching = fetchProfile(user).catch((error: unknown) => {
      log.warn({ err: error }, 'could not fetch a profile');
      // The next question tries again; the client respects Slack's limits.
      fetched.delete(user);
      return lastKnown.get(user) ?? UNKNOWN;
    });
    fetched.set(user, fetching);
    return fetching;
  }

  const profile = (user: string): Promise<UserProfile> =>
    withTimeout(
      clock,
      PROFILE_LIMIT_MS,
      () => fetchOnce(user),
      () => lastKnown.get(user) ?? UNKNOWN,
    );

  return {
    async zone(user) {
      const last = lastKnown.get(user);
      const known = last === undefined ? await storedZones?.get(user).catch(storeFailed) : last.zone;
      const current = profile(user);
      return known ?? (await current).zone;
    },
    name: async (user) => (await profile(user)).name,
    team: async (user) => (await profile(user)).team,
    enterpriseId: async (user) => (await profile(user)).enterpriseId,
  };
}

const deliveries = new AsyncLocalStorage<string>();

/** The delivery that is being handled, as Slack would repeat it. */
export const currentDelivery = (): string | undefined => deliveries.getStore();

export function dropRepeated(deduplicate: Deduplicate): Middleware<AnyMiddlewareArgs> {
  return async function drop(args) {
    const { body, context, next } = args;
    const key = deliveryKey(body, context);
    if (key === null) return next();
    if (await deduplicate(key)) return deliveries.run(key, next);
    // Unacknowledged, Slack would show a timeout or send it again. For a form, only the first delivery acknowledges,
    // because its answer may say what to correct.
    if ('ack' in args && !('view' in args)) await args.ack?.();
  };
}

/** Stays the same when Slack repeats a delivery. */
function deliveryKey(body: object, { envelopeId }: Readonly<Record<string, unknown>>): string | null {
  if ('event_id' in body && typeof body.event_id === 'string') return `event_id:${body.event_id}`;
  if ('trigger_id' in body && typeof body.trigger_id === 'string') return `trigger_id:${body.trigger_id}`;
  return typeof envelopeId === 'string' ? `envelope:${envelopeId}` : null;
}

/** Bolt doesn't wait for running listeners when it stops; this does. */
export function createRequestTracker() {
  const running = new Set<Promise<void>>();
  async function track(request: Promise<void>): Promise<void> {
    running.add(request);
    await request.finally(() => running.delete(request));
  }
  return {
    track,
    middleware: ({ next }: { next(): Promise<void> }): Promise<void> => track(next()),
    isBusy: (): boolean => running.size > 0,
    /** Resolves when the requests under way are finished. */
    async finished(): Promise<void> {
      await Promise.allSettled(running);
    },
  };
}

/** True the first time a key is seen, false after that. Never rejects. */
export type Deduplicate = (key: string) => Promise<boolean>;

/** Longer than Slack retries, and than a signature is valid: five minutes before and after its time. */
export const REMEMBER_MS = 11 * 60_000;
const MAX_KEYS = 20_000;
export const STORE_LIMIT_MS = 500;

/** `firstInStore` asks a store that outlives the process or is shared with replicas; it may fail or hang. */
export function createDeduplicate(clock: Clock, log: Logger, firstInStore?: Deduplicate): Deduplicate {
  const seen = new LRUCache<string, true>({
    ...atMost(MAX_KEYS),
    ttl: REMEMBER_MS,
    ttlResolution: 0,
    perf: { now: elapsedMsOf(clock) },
  });

  return async function deduplicate(key) {
    if (seen.has(key)) return false;
    seen.set(key, true);
    if (firstInStore === undefined) return true;
    try {
      return await withTimeout(clock, STORE_LIMIT_MS, () => firstInStore(key), storeTooSlow);
    } catch (error) {
      log.warn({ err: error }, 'could not check for a repeated request in the store, relying on this process');
      return true;
    }
  };
}

function storeTooSlow(): never {
  throw new Error('the store took too long');
}
