/**
 * Slack in memory, behind the SDK's own client class: posts, edits, history and threads, with answers that get lost, limits,
 * server errors and outages. It passes the contract suite that the SDK passes against the local Slack.
 */
import {
  type WebAPICallResult,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { z } from 'zod';
import { SlackCallError, type SlackClients } from '../../src/slack/transport/web-api.ts';
import type { Life, World } from './world.ts';

export interface PostedMessage {
  readonly channel: string;
  readonly ts: string;
  readonly atMs: number;
  readonly threadTs: string | null;
  /** For one person only; such a message is in no history. */
  readonly ephemeralFor: string | null;
  /** From its metadata. */
  readonly id: string | null;
  text: string;
  blocks: string;
  deleted: boolean;
  /** From when on the history has it. */
  readonly visibleMs: number;
}

interface SlackWeather {
  /** The share of calls that are carried out, but whose answer never arrives. */
  lostAnswers: number;
  lostRequests: number;
  /** The share that fails with a 500, carried out or not. */
  serverErrors: number;
  rateLimits: number;
  /** Nothing answers, and nothing is carried out. */
  away: boolean;
  /** For how long at most a message isn't in the history yet. */
  invisibleMs: number;
}

export interface SlackModel {
  readonly weather: SlackWeather;
  readonly messages: readonly PostedMessage[];
  clientsOf(life: Life): SlackClients;
  /** Called at the moment a message is posted. */
  onPosted: (message: PostedMessage) => void;
  /** How many faults the calls about a channel have met. */
  faultsIn(channel: string): number;
  /** A one-time address for answers to a request. */
  responseUrl(channel: string, user: string): string;
  /** What opens one form. */
  triggerId(): string;
}

export interface SlackModelOptions {
  /** A broken seam: the history of a channel is empty. */
  readonly hasNoHistory?: boolean;
}

/** How often a response_url can be used. */
const MAX_RESPONSES = 5;
/** The bot's own limit for a call. */
const CALL_LIMIT_MS = 10_000;
const MAX_ARRIVAL_MS = 700;
/** Within what `deliver-reply.ts` and `post-exactly-once.ts` wait before they search. */
const MAX_INVISIBLE_MS = 900;
const MAX_RETRY_AFTER_S = 40;

const postArguments = z.object({
  channel: z.string(),
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  metadata: z.object({ event_type: z.string(), event_payload: z.object({ id: z.string() }) }).optional(),
});
const responseArguments = z.object({
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  response_type: z.string().optional(),
});
const placeArguments = z.object({ channel: z.string(), ts: z.string() });
const rangeArguments = z.object({
  channel: z.string(),
  ts: z.string().optional(),
  oldest: z.string().optional(),
  latest: z.string().optional(),
  inclusive: z.boolean().optional(),
  limit: z.number().optional(),
  cursor: z.string().optional(),
});

/** The SDK types its results without their content. */
interface Answer extends WebAPICallResult {
  readonly [field: string]: unknown;
}

type Method = (options: unknown) => Answer;

export function createSlackModel(world: World, { hasNoHistory = false }: SlackModelOptions = {}): SlackModel {
  const weather: SlackWeather = {
    ...{ lostAnswers: 0, lostRequests: 0, serverErrors: 0, rateLimits: 0, away: false },
    invisibleMs: MAX_INVISIBLE_MS,
  };
  const messages: PostedMessage[] = [];
  const triggers = new Set<string>();
  const place: Place = { world, weather, messages, onPosted: (message) => model.onPosted(message) };
  const methods = createMethods(place, triggers);
  const { send, faultsIn } = createTransport(world, weather);
  let responses = 0;
  const asked = new Map<string, { readonly channel: string; readonly user: string; uses: number }>();

  class ModelClient extends WebClient {
    readonly #life: Life;
    constructor(life: Life) {
      super('xoxb-simulation');
      this.#life = life;
    }
    override apiCall(method: string, options: Record<string, unknown> = {}): Promise<WebAPICallResult> {
      const carryOut = hasNoHistory && method === 'conversations.history' ? () => ({ ok: true }) : methods[method];
      if (carryOut === undefined) throw new Error(`the simulated Slack has no ${method}`);
      return send(this.#life, { method, channel: String(options.channel ?? '') }, () => carryOut(options));
    }
  }

  const model: SlackModel = {
    weather,
    messages,
    onPosted: () => {},
    faultsIn,
    clientsOf(life) {
      const client = new ModelClient(life);
      return {
        read: client,
        post: client,
        async postToUrl(url, { json }) {
          const target = asked.get(url);
          if (target === undefined || target.uses >= MAX_RESPONSES) return { status: 404, text: 'no such address' };
          const { channel, user } = target;
          const { text, blocks, response_type: type } = responseArguments.parse(json);
          const ephemeralFor = type === 'in_channel' ? undefined : user;
          const answered = await send(life, { method: 'response_url', channel }, () => {
            target.uses += 1;
            return post(place, { channel, text, blocks }, ephemeralFor);
          }).catch((error: unknown) => {
            if (error instanceof WebAPIRateLimitedError) return { status: 429, text: '' };
            if (error instanceof WebAPIHTTPError) return { status: error.statusCode, text: '' };
            throw new SlackCallError({ kind: 'ambiguous', reason: 'no_answer' });
          });
          return 'status' in answered && typeof answered.status === 'number'
            ? { status: answered.status, text: '' }
            : { status: 200, text: 'ok' };
        },
        limited: () => [],
        cutOff: () => {},
      };
    },
    triggerId() {
      const trigger = `trigger-${triggers.size}-${responses}`;
      triggers.add(trigger);
      return trigger;
    },
    responseUrl(channel, user) {
      responses += 1;
      const url = `https://hooks.slack.com/commands/${responses}`;
      asked.set(url, { channel, user, uses: 0 });
      return url;
    },
  };
  return model;
}

interface Call {
  readonly method: string;
  /** Empty for calls that are about none. */
  readonly channel: string;
}

/** One call: when it arrives, what it meets there, and whether its answer comes back. */
function createTransport(world: World, weather: SlackWeather) {
  const { chance } = world;
  const faults = new Map<string, number>();

  function fault(kind: string, { method, channel }: Call): void {
    faults.set(channel, (faults.get(channel) ?? 0) + 1);
    world.fault(`Slack: ${kind}`, `${method} ${channel}`);
  }

  function send(life: Life, call: Call, carryOut: () => WebAPICallResult): Promise<WebAPICallResult> {
    const { promise, resolve, reject } = Promise.withResolvers<WebAPICallResult>();
    const arrivalMs = chance.between(20, chance.happens(0.1) ? MAX_ARRIVAL_MS : 120);
    const answerMs = chance.between(20, 120);
    const noAnswer = () => reject(new WebAPIRequestError(new Error('no answer')));
    const lost = (kind: string): void => {
      fault(kind, call);
      // The connection breaks, or nothing ever comes.
      world.after(chance.happens(0.7) ? answerMs : CALL_LIMIT_MS - arrivalMs, life, noAnswer);
    };
    const outlivesItsSender = chance.happens(0.5);
    world.stall(life);
    world.after(arrivalMs, null, () => {
      if (!life.alive && !outlivesItsSender) return;
      if (weather.away) return lost('away');
      if (chance.happens(weather.lostRequests)) return lost('request lost');
      if (chance.happens(weather.rateLimits)) {
        fault('rate limit', call);
        const error = new WebAPIRateLimitedError(chance.between(1, MAX_RETRY_AFTER_S));
        return world.after(answerMs, life, () => reject(error));
      }
      const isError = chance.happens(weather.serverErrors);
      if (isError && chance.happens(0.5)) return fails(500);
      try {
        const result = carryOut();
        if (isError) return fails(502);
        if (chance.happens(weather.lostAnswers)) return lost('answer lost');
        return world.after(answerMs, life, () => resolve(result));
      } catch (error) {
        return world.after(answerMs, life, () => reject(error));
      }
    });
    return promise;

    function fails(status: number): void {
      fault('server error', call);
      world.after(answerMs, life, () => reject(new WebAPIHTTPError(status, 'error', {})));
    }
  }
  return { send, faultsIn: (channel: string): number => faults.get(channel) ?? 0 };
}

type OnPosted = (message: PostedMessage) => void;

interface Place {
  readonly world: World;
  readonly weather: SlackWeather;
  readonly messages: PostedMessage[];
  readonly onPosted: OnPosted;
}

function post(place: Place, options: unknown, ephemeralFor?: string): Answer {
  const { world, messages, onPosted } = place;
  const { channel, text = '', blocks, thread_ts: threadTs = null, metadata } = postArguments.parse(options);
  const atMs = world.nowMs();
  const ts = `${Math.floor(atMs / 1000)}.${String(messages.length).padStart(6, '0')}`;
  const visibleMs = atMs + world.chance.between(0, place.weather.invisibleMs);
  const id = metadata?.event_payload.id ?? null;
  const message: PostedMessage = {
    ...{ channel, ts, atMs, threadTs, id, text, visibleMs },
    ephemeralFor: ephemeralFor ?? null,
    blocks: JSON.stringify(blocks ?? []),
    deleted: false,
  };
  messages.push(message);
  world.record(`Slack: posted ${ts} in ${channel}: ${titleOf(text)}`);
  onPosted(message);
  return { ok: true, ts, channel };
}

const titleOf = (text: string): string => text.slice(0, 100).replaceAll('\n', ' ');

function createMethods(place: Place, triggers: Set<string>): Record<string, Method> {
  const { world, messages } = place;
  const find = (options: unknown): PostedMessage => {
    const { channel, ts } = placeArguments.parse(options);
    const found = messages.find(
      (each) => each.channel === channel && each.ts === ts && each.ephemeralFor === null && !each.deleted,
    );
    if (found === undefined) throw platformError('message_not_found');
    return found;
  };
  return {
    'chat.postMessage': (options) => post(place, options),
    'chat.postEphemeral': (options) => {
      const { user } = postArguments.parse(options);
      return post(place, options, user ?? '');
    },
    'chat.update': (options) => {
      const { text = '', blocks } = postArguments.parse(options);
      const message = find(options);
      Object.assign(message, { text, blocks: JSON.stringify(blocks ?? []) });
      world.record(`Slack: edited ${message.ts} in ${message.channel}: ${titleOf(text)}`);
      return { ok: true, ts: message.ts, channel: message.channel };
    },
    'chat.delete': (options) => {
      const message = find(options);
      message.deleted = true;
      return { ok: true, ts: message.ts, channel: message.channel };
    },
    'chat.getPermalink': (options) => {
      const { channel, message_ts: ts } = z.object({ channel: z.string(), message_ts: z.string() }).parse(options);
      find({ channel, ts });
      return { ok: true, permalink: `https://simulation.slack.com/archives/${channel}/p${ts.replace('.', '')}` };
    },
    'conversations.history': (options) => page(world, messages, options, ({ threadTs }) => threadTs === null),
    'conversations.replies': (options) => {
      const { ts } = placeArguments.parse(options);
      return page(world, messages, options, (each) => each.threadTs === ts || each.ts === ts, 'oldest first');
    },
    'conversations.open': (options) => {
      const { users } = z.object({ users: z.string() }).parse(options);
      return { ok: true, channel: { id: `D${users}` } };
    },
    'conversations.info': () => ({ ok: true, channel: { is_member: true } }),
    'users.info': () => ({ ok: true, user: { tz: 'UTC', team_id: 'T1' } }),
    'views.open': (options) => {
      const { trigger_id: trigger } = z.object({ trigger_id: z.string() }).parse(options);
      if (!triggers.delete(trigger)) throw platformError('invalid_trigger_id');
      return { ok: true, view: { id: `V${trigger}` } };
    },
    'auth.test': () => ({ ok: true, user: 'wafbot', user_id: 'UBOT', bot_id: 'B1', team_id: 'T1' }),
  };
}

/** The newest first, as Slack lists them; threads the other way round. */
function page(
  world: World,
  messages: readonly PostedMessage[],
  options: unknown,
  isIn: (message: PostedMessage) => boolean,
  order: 'newest first' | 'oldest first' = 'newest first',
): Answer {
  const { channel, oldest = '0', latest, inclusive = false, limit = 100, cursor = '0' } = rangeArguments.parse(options);
  const [from, to] = [Number(oldest), latest === undefined ? Number.POSITIVE_INFINITY : Number(latest)];
  const inRange = (at: number): boolean => (inclusive ? at >= from && at <= to : at > from && at < to);
  const found = messages
    .filter((each) => each.channel === channel && each.ephemeralFor === null && !each.deleted && isIn(each))
    .filter((each) => each.visibleMs <= world.nowMs() && inRange(Number(each.ts)));
  const all = order === 'newest first' ? found.toReversed() : found;
  const start = Number(cursor);
  const isMore = all.length > start + limit;
  return {
    ok: true,
    has_more: isMore,
    response_metadata: { next_cursor: isMore ? String(start + limit) : '' },
    messages: all.slice(start, start + limit).map(({ ts, text, id, threadTs }) => ({
      ts,
      text,
      ...(threadTs === null ? {} : { thread_ts: threadTs }),
      ...(id === null ? {} : { metadata: { event_type: 'wafbot_message', event_payload: { id } } }),
    })),
  };
}

const platformError = (error: string): WebAPIPlatformError => new WebAPIPlatformError({ ok: false, error });
