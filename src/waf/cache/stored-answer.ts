/** Answers as they are stored: when they were requested, how long they stay good, and the shapes they must have. */
import { z } from 'zod';
import type { NamedSources } from '../../statistics/attack-sources.ts';
import { SETTLE_MS } from '../../statistics/settled.ts';
import type { AnswerLimit } from '../../statistics/timeline.ts';
import { MINUTE_MS } from '../../time-units.ts';
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

export const answerSchema = <T>(value: z.ZodType<T>): z.ZodType<DatedAnswer<T>> =>
  z.object({ fromMs: z.number(), toMs: z.number(), asOfMs: z.number(), value });

const limitSchema = z.enum(['largest', 'groups', 'steps', 'rates'] satisfies AnswerLimit[]);
const columnSchema = z.array(z.number().nullable());

export const seriesSchema: z.ZodType<PointSeries> = z
  .object({
    intervalMs: z.number(),
    ends: z.array(z.number()),
    requests: columnSchema,
    attacks: columnSchema,
    limits: z.array(limitSchema).optional(),
  })
  .refine(({ ends, requests, attacks }) => ends.length === requests.length && ends.length === attacks.length);

export const breakdownSchema: z.ZodType<Breakdown> = z.object({
  counts: z.array(z.object({ category: z.string(), count: z.number() })),
  limits: z.array(limitSchema),
});

const sourceSchema = z.object({ key: z.string(), count: z.number(), addresses: z.number().optional() });
const sourceListSchema = z.array(sourceSchema).nullable();

export const sourcesSchema: z.ZodType<NamedSources> = z.object({
  addresses: sourceListSchema,
  paths: sourceListSchema,
  hosts: sourceListSchema,
  countries: sourceListSchema,
});
