/** Resolves a phrase to instants. The last step, where ranges that can't be answered are refused. */
import type { Span } from '../../errors.ts';
import { addDuration } from '../grammar/duration.ts';
import { refuse, refuseFuture } from '../lexer/lexer.ts';
import type { ParsedDuration, ParsedRange, Range, RangeEnd, RangeKind, RangePhrase, TimeContext } from '../model.ts';
import { compareInstants, envOf, isSameInstant, type ResolvedEnd, resolveEnd } from './end.ts';
import { resolvePair } from './pair.ts';
import { refuseClockLikeYear } from './years-or-clocks.ts';

const HALF_HOUR: ParsedDuration = { amount: { minutes: 30 }, calendar: false };

interface LocatedRange extends Range {
  readonly kind: RangeKind;
  readonly zone: string;
}

export function resolve(phrase: RangePhrase, text: string, context: TimeContext): ParsedRange {
  const { now } = context;
  const found = locate(phrase, text, context);
  const { from, to } = found;
  if (compareInstants(from, now) >= 0) refuseFuture(text, phrase.span);
  if (compareInstants(from, to) >= 0) refuse(text, phrase.span, 'That range ends before it starts.');
  const cut = compareInstants(to, now) > 0;
  return { from, to: cut ? now : to, kind: found.kind, zone: found.zone, cut };
}

function locate(phrase: RangePhrase, text: string, context: TimeContext): LocatedRange {
  const { now } = context;
  switch (phrase.shape) {
    case 'pair':
      return { ...resolvePair(phrase, text, now, context.zone), kind: 'between' };
    case 'single':
      return single(phrase.end, text, context);
    case 'since':
    case 'after': {
      refuseClockLikeYear(phrase.end, phrase.shape === 'since', text, now);
      const { resolved, zone } = resolveIn(phrase.end, text, context, { edge: 'from', moment: true });
      return { from: phrase.shape === 'after' ? resolved.to : resolved.from, to: now, kind: 'since', zone };
    }
    case 'around':
      return around(phrase, text, context);
    case 'for':
    case 'until':
      return resolveWithDuration(phrase, text, context);
    case 'open':
      return refuse(text, phrase.span, 'That range has an end but no start.');
    case 'duration':
      return refuse(text, phrase.span, "That doesn't say when it starts.", { suggestion: lastOf(text, phrase.span) });
    case 'future':
      return refuseFuture(text, phrase.span);
  }
}

const lastOf = (text: string, { start, end }: Span): string => `last ${text.slice(start, end).replace(/^\S+\s+/, '')}`;

interface Options {
  readonly edge?: 'from';
  readonly moment?: boolean;
}

function resolveIn(end: RangeEnd, text: string, { now, zone, previous }: TimeContext, options: Options = {}) {
  const env = envOf(now, end.zone, zone, previous);
  return { resolved: resolveEnd(end, { text, env, ...options }), zone: env.zone };
}

const isPoint = ({ from, to }: ResolvedEnd): boolean => isSameInstant(from, to);

function single(end: RangeEnd, text: string, context: TimeContext): LocatedRange {
  const { resolved, zone } = resolveIn(end, text, context);
  const { instants, span } = end;
  // Date math alone is a start, as on a dashboard; any other moment could be the middle or either end.
  const isMath = end.dateMath === true && compareInstants(resolved.from, context.now) < 0;
  if (end.dateMath && compareInstants(resolved.from, context.now) > 0) refuseFuture(text, span);
  if (isMath) return { from: resolved.from, to: context.now, kind: instants?.kind ?? 'since', zone };
  if (!isPoint(resolved)) return { from: resolved.from, to: resolved.to, kind: instants?.kind ?? 'calendar', zone };
  return refuse(text, span, "That's a moment, not a range.", { suggestion: `around ${said(text, end)}` });
}

/** The end as typed, without a preposition that wouldn't fit after another. */
const said = (text: string, { span }: RangeEnd): string =>
  text.slice(span.start, span.end).replace(/^(?:(?:at|on|in|the|um|am)\s+)+/i, '');

function around(
  { end, margin }: Extract<RangePhrase, { shape: 'around' }>,
  text: string,
  context: TimeContext,
): LocatedRange {
  if (margin?.fault) refuse(text, end.span, margin.fault.message);
  const { resolved, zone } = resolveIn(end, text, context, { moment: true });
  if (!isPoint(resolved))
    refuse(text, end.span, 'Around needs a time, such as around 14:30.', { suggestion: said(text, end) });
  const each = margin ?? HALF_HOUR;
  const from = addDuration(resolved.from, each, zone, -1);
  return { from, to: addDuration(resolved.from, each, zone, 1), kind: 'around', zone };
}

function resolveWithDuration(
  phrase: Extract<RangePhrase, { duration: ParsedDuration; end: RangeEnd }>,
  text: string,
  context: TimeContext,
): LocatedRange {
  const { duration, shared } = phrase;
  if (duration.fault) refuse(text, phrase.span, duration.fault.message);
  const date = phrase.end.date ?? shared?.date;
  const end = date ? { ...phrase.end, date } : phrase.end;
  const { resolved, zone } = resolveIn(end, text, context, { edge: 'from', moment: true });
  if (phrase.shape === 'for') {
    // Two hours of a whole day could be any two.
    if (!isPoint(resolved) && !duration.calendar && !phrase.wholeDays)
      refuse(text, end.span, 'That needs a time of day.');
    return { from: resolved.from, to: addDuration(resolved.from, duration, zone, 1), kind: 'between', zone };
  }
  if (!isPoint(resolved) && !phrase.wholeDays) refuse(text, end.span, 'That needs a time of day.');
  return { from: addDuration(resolved.to, duration, zone, -1), to: resolved.to, kind: 'between', zone };
}

/**
 * Rounds to whole minutes, the finest the service counts in, so that questions asked within one minute share a window.
 * Both edges move back, which keeps the length; less than a minute becomes that whole minute.
 */
export function wholeMinutes<R extends Range>(range: R): R {
  const round = (instant: Temporal.Instant, roundingMode: 'floor' | 'ceil') =>
    instant.round({ smallestUnit: 'minute', roundingMode });
  const [from, to] = [round(range.from, 'floor'), round(range.to, 'floor')];
  return { ...range, from, to: Temporal.Instant.compare(from, to) < 0 ? to : round(range.to, 'ceil') };
}
