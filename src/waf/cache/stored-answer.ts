/** Answers as they are stored: when they were requested, how long they stay good, and the shapes they must have. */
import { z } from 'zod';
import type { AttackActions, AttackEvents, ServerResponses } from '../../statistics/attack-details.ts';
import type { NamedSources } from '../../statistics/attack-sources.ts';
import { SETTLE_MS } from '../../statistics/settled.ts';
import type { AnswerLimit, Gap } from '../../statistics/timeline.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { parseJson } from '../../untrusted-input.ts';
import type { Breakdown } from '../dialects/dialect.ts';
import type { PointSeries } from '../wire/series.ts';

/** What the service said about a window, and when it was asked. */
export interface DatedAnswer<T> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
  readonly value: T;
}

/** Whether the numbers were final when they were requested. */
export function isSettled({ toMs, asOfMs }: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>): boolean {
  return toMs <= asOfMs - SETTLE_MS;
}

/** Whether asking again would bring nothing new: the numbers are final, or less than a minute old. */
export function isFresh(answer: Pick<DatedAnswer<unknown>, 'toMs' | 'asOfMs'>, nowMs: number): boolean {
  return isSettled(answer) || Math.abs(nowMs - answer.asOfMs) < MINUTE_MS;
}

/** Earlier versions stored a text, `<from> <to> <as of> <value as JSON>`, with shorter forms of the values. */
const EARLIER_ANSWER = /^(\d+) (\d+) (\d+) (.*)$/s;

function fromEarlierAnswer(stored: unknown): unknown {
  const match = typeof stored === 'string' ? EARLIER_ANSWER.exec(stored) : null;
  if (match === null) return stored;
  const [, fromMs, toMs, asOfMs, value = ''] = match;
  return { fromMs: Number(fromMs), toMs: Number(toMs), asOfMs: Number(asOfMs), value: parseJson(value) };
}

/** Wraps a schema so that it also reads a value that an earlier version stored as a list. */
const orEarlier = <T>(schema: z.ZodType<T>, convert: (list: readonly unknown[]) => unknown): z.ZodType<T> =>
  z.preprocess((stored) => (Array.isArray(stored) ? convert(stored) : stored), schema);

export const answerSchema = <T>(value: z.ZodType<T>): z.ZodType<DatedAnswer<T>> =>
  z.preprocess(fromEarlierAnswer, z.object({ fromMs: z.number(), toMs: z.number(), asOfMs: z.number(), value }));

const limitSchema = z.enum(['largest', 'groups', 'steps', 'rates'] satisfies AnswerLimit[]);
const gapSchema = z.object({
  fromMs: z.number(),
  toMs: z.number(),
  reason: z.enum(['retention', 'steps'] satisfies Gap['reason'][]),
});
/** Numbers the bot stored itself: checking each of them costs more than drawing the chart does. */
const columnSchema = z.custom<readonly (number | null)[]>(Array.isArray);

/** The first end stood for all of them if there was no gap. */
function fromEarlierSeries([intervalMs, ends, requests, attacks, limits]: readonly unknown[]): unknown {
  const isRegular = typeof ends === 'number' && typeof intervalMs === 'number' && Array.isArray(requests);
  return {
    intervalMs,
    ends: isRegular ? requests.map((_, index) => ends + index * intervalMs) : ends,
    requests,
    attacks,
    limits,
  };
}

export const seriesSchema: z.ZodType<PointSeries> = orEarlier(
  z
    .object({
      intervalMs: z.number(),
      ends: z.custom<readonly number[]>(Array.isArray),
      requests: columnSchema,
      attacks: columnSchema,
      limits: z.array(limitSchema).optional(),
      gaps: z.array(gapSchema).optional(),
      totals: z.object({ requests: z.number().nullable(), attacks: z.number().nullable() }).optional(),
    })
    .refine(({ ends, requests, attacks }) => ends.length === requests.length && ends.length === attacks.length),
  fromEarlierSeries,
);

export const breakdownSchema: z.ZodType<Breakdown> = orEarlier(
  z.object({
    counts: z.array(z.object({ category: z.string(), count: z.number() })),
    limits: z.array(limitSchema),
    unknown: z.array(z.string()).optional(),
  }),
  (counts) => ({ counts, limits: [] }),
);

const sourceSchema = z.object({ key: z.string(), count: z.number(), addresses: z.number().optional() });
const sourceListSchema = z.array(sourceSchema).nullable();

export const sourcesSchema: z.ZodType<NamedSources> = orEarlier(
  z.object({
    addresses: sourceListSchema,
    paths: sourceListSchema,
    hosts: sourceListSchema,
    countries: sourceListSchema,
  }),
  ([addresses, paths, hosts, countries]) => ({ addresses, paths, hosts, countries }),
);

export const actionsSchema: z.ZodType<AttackActions> = z.object({
  blocked: z.number(),
  logged: z.number(),
  other: z.number(),
});

export const responsesSchema: z.ZodType<ServerResponses> = z.object({
  codes: z.array(z.object({ code: z.string(), count: z.number(), path: z.string().nullable() })),
});

const wordSchema = z.string().nullable();

export const eventsSchema: z.ZodType<AttackEvents> = z.object({
  total: z.number(),
  events: z.array(
    z.object({
      atMs: z.number(),
      host: wordSchema,
      path: wordSchema,
      category: wordSchema,
      rule: wordSchema,
      action: z.enum(['blocked', 'logged', 'other']).nullable(),
      address: wordSchema,
    }),
  ),
});
