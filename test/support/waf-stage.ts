/**
 * A real client against the local statistics service over loopback, with a clock that stands still until it is moved
 * and waits that are noted instead of waited for. Whatever comes out of the client — answers, errors, log lines — is
 * searched for secrets when it is closed.
 */
import { inspect } from 'node:util';
import { Keyv } from 'keyv';
import { expect } from 'vitest';
import {
  DEFAULT_KEY,
  DEFAULT_USER,
  type StatisticsService,
  type StatisticsServiceOptions,
  startStatisticsService,
} from '../../playground/service/server.ts';
import { BotError } from '../../src/errors.ts';
import { isRecord } from '../../src/untrusted-input.ts';
import { createWafClient, type WafClient, type WafClientOptions } from '../../src/waf/index.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const START = Temporal.Instant.from('2026-03-11T12:34:30Z').epochMilliseconds;

export type Way = 'token' | 'aksk';

export interface Stage {
  readonly service: StatisticsService;
  readonly clock: { nowMs: number };
  readonly tokens: Keyv;
  readonly answers: Keyv;
  /** Every wait the client would have made. */
  readonly waits: number[];
  /** Everything that came out of any client of this stage. */
  readonly said: string[];
  /** A client of its own; the same stores, so that it is a restart or a replica. */
  client(way: Way, changes?: Partial<WafClientOptions>): WafClient;
  close(): Promise<void>;
}

export async function openStage(options: StatisticsServiceOptions = {}): Promise<Stage> {
  const clock = { nowMs: START };
  const service = await startStatisticsService({ now: () => clock.nowMs, ...options });
  const tokens = new Keyv({ namespace: 'tokens' });
  const answers = new Keyv({ namespace: 'answers' });
  const waits: number[] = [];
  const said: string[] = [];
  const clients: WafClient[] = [];
  const secrets = new Set<string>();
  const note = (value: unknown) => said.push(inspect(value, { depth: 12, showHidden: true, maxStringLength: null }));
  const write = (fields: object, message: string) => void note({ ...fields, message });

  function client(way: Way, changes: Partial<WafClientOptions> = {}): WafClient {
    const { consoleOnly: _, ...user } = service.user;
    const auth = way === 'token' ? ({ kind: 'token', ...user } as const) : ({ kind: 'aksk', ...service.key } as const);
    const settings: WafClientOptions = {
      baseUrl: service.url,
      iamUrl: service.iamUrl,
      projectId: service.projectId,
      auth,
      tokens,
      answers,
      now: () => clock.nowMs,
      random: () => 0.5,
      log: { debug: write, info: write, warn: write, error: write },
      async sleep(ms) {
        waits.push(ms);
        clock.nowMs += ms;
      },
      ...changes,
    };
    for (const [name, value] of Object.entries(settings.auth)) {
      if (typeof value === 'string' && !['kind', 'username', 'domainName'].includes(name)) secrets.add(value);
    }
    const real = createWafClient(settings);
    const overheard =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        try {
          const answer = await call(...args);
          said.push(JSON.stringify(withoutRepetition(answer)) ?? '');
          return answer;
        } catch (error) {
          note(error);
          throw error;
        }
      };
    const wrapped: WafClient = {
      timeline: overheard(real.timeline),
      distribution: overheard(real.distribution),
      sources: overheard(real.sources),
      actions: overheard(real.actions),
      responses: overheard(real.responses),
      events: overheard(real.events),
      hosts: { known: overheard(real.hosts.known), renewed: overheard(real.hosts.renewed) },
      probe: overheard(real.probe),
      heldBack: real.heldBack,
      abort: real.abort,
      close: real.close,
    };
    clients.push(wrapped);
    return wrapped;
  }

  return {
    service,
    clock,
    tokens,
    answers,
    waits,
    said,
    client,
    async close() {
      for (const open of clients) await open.close();
      await service.close();
      for (const { headers } of service.requests) {
        if (typeof headers['x-auth-token'] === 'string') secrets.add(headers['x-auth-token']);
        if (typeof headers.authorization === 'string') secrets.add(headers.authorization);
      }
      const everything = said.join('\n');
      const leaked = [...secrets, 'http://'].filter((secret) => everything.includes(secret));
      expect(leaked).toEqual([]);
    },
  };
}

/** Plain data, of which weeks repeat themselves: a hundred points of each list are enough to find a secret in. */
function withoutRepetition(answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  const few = Object.entries(answer).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 100) : value]);
  return Object.fromEntries(few);
}

/** The window that ends at `toMs`, as a question. */
export function question(lengthMs: number, toMs = START, hosts: readonly string[] = [], zone = 'UTC') {
  const instant = Temporal.Instant.fromEpochMilliseconds;
  return { range: { from: instant(toMs - lengthMs), to: instant(toMs) }, hosts, zone };
}

/** The `BotError` a call ends with. */
export async function failing(promise: Promise<unknown>): Promise<BotError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BotError)) throw new Error(`expected a BotError, got ${inspect(error)}`);
  return error;
}

/** An address where nobody listens: the system gives this port to no program, none asks for it, and `fetch` allows it. */
export const NOBODY = 'http://127.0.0.1:2';

export { DEFAULT_KEY, DEFAULT_USER };
