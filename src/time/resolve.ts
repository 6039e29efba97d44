/** A phrase on the time line: the last step, and the place where a range that cannot be answered is refused. */
import type { Span } from '../errors.ts';
import { compareInstants, isSameInstant } from './instants.ts';
import { addLength, type Length } from './length.ts';
import type { End, Stretch } from './model.ts';
import type { ParsedRange, RangeKind, TimeContext } from './parsed-range.ts';
import type { Phrase } from './phrase.ts';
import { envOf, type Placed, placeEnd } from './place.ts';
import { refuse } from './reader.ts';
import { resolvePair } from './resolve-pair.ts';

const AROUND_MINUTES = 30;

interface Found extends Stretch {
  readonly kind: RangeKind;
  readonly zone: string;
}

export function resolve(phrase: Phrase, text: string, { now, zone }: TimeContext): ParsedRange {
  const found = locate(phrase, text, { now, zone });
  const { from, to } = found;
  if (compareInstants(from, now) >= 0) refuse(text, phrase.span, 'That lies in the future.');
  if (compareInstants(from, to) >= 0) refuse(text, phrase.span, 'That ends before it begins.');
  const cut = compareInstants(to, now) > 0;
  return { from, to: cut ? now : to, kind: found.kind, zone: found.zone, cut };
}

function locate(phrase: Phrase, text: string, context: TimeContext): Found {
  const { now } = context;
  switch (phrase.shape) {
    case 'pair':
      return { ...resolvePair(phrase, text, now, context.zone), kind: 'between' };
    case 'single':
      return single(phrase.end, text, context);
    case 'since':
    case 'after': {
      const { placed, zone } = placeIn(phrase.end, text, context, { edge: 'from', moment: true });
      return { from: phrase.shape === 'after' ? placed.to : placed.from, to: now, kind: 'since', zone };
    }
    case 'around':
      return around(phrase.end, text, context);
    case 'for':
    case 'until':
      return stretched(phrase, text, context);
    case 'open':
      return refuse(text, phrase.span, 'That has an end but no beginning.');
    case 'length':
      return refuse(text, phrase.span, 'That does not say from when.', { suggestion: lastOf(text, phrase.span) });
    case 'ahead':
      return refuse(text, phrase.span, 'That lies in the future.');
  }
}

const lastOf = (text: string, { start, end }: Span): string => `last ${text.slice(start, end).replace(/^\S+\s+/, '')}`;

interface Options {
  readonly edge?: 'from';
  readonly moment?: boolean;
}

function placeIn(end: End, text: string, { now, zone }: TimeContext, options: Options = {}) {
  const env = envOf(now, end.zone ?? zone);
  return { placed: placeEnd(end, { text, env, ...options }), zone: env.zone };
}

const isPoint = ({ from, to }: Placed): boolean => isSameInstant(from, to);

function single(end: End, text: string, context: TimeContext): Found {
  const { placed, zone } = placeIn(end, text, context);
  const { stretch, span } = end;
  // Date math alone is a beginning, as on a dashboard; any other moment could be the middle or either end.
  const isMath = end.math === true && compareInstants(placed.from, context.now) < 0;
  if (end.math && compareInstants(placed.from, context.now) > 0) refuse(text, span, 'That lies in the future.');
  if (isMath) return { from: placed.from, to: context.now, kind: stretch?.kind ?? 'since', zone };
  if (!isPoint(placed)) return { from: placed.from, to: placed.to, kind: stretch?.kind ?? 'calendar', zone };
  return refuse(text, span, 'That is a moment, not a range.', { suggestion: `around ${said(text, end)}` });
}

/** The end as typed, without a preposition that would not fit behind another. */
const said = (text: string, { span }: End): string =>
  text.slice(span.start, span.end).replace(/^(?:(?:at|on|in|the)\s+)+/i, '');

function around(end: End, text: string, context: TimeContext): Found {
  const { placed, zone } = placeIn(end, text, context, { moment: true });
  if (!isPoint(placed)) refuse(text, end.span, 'Around needs a time of day.', { suggestion: said(text, end) });
  const from = placed.from.subtract({ minutes: AROUND_MINUTES });
  return { from, to: placed.from.add({ minutes: AROUND_MINUTES }), kind: 'around', zone };
}

function stretched(phrase: Extract<Phrase, { length: Length; end: End }>, text: string, context: TimeContext): Found {
  const { length, shared } = phrase;
  if (length.fault) refuse(text, phrase.span, length.fault.message);
  const date = phrase.end.date ?? shared?.date;
  const end = date ? { ...phrase.end, date } : phrase.end;
  const { placed, zone } = placeIn(end, text, context, { edge: 'from', moment: true });
  if (phrase.shape === 'for') {
    // Two hours of a whole day could be any two.
    if (!isPoint(placed) && !length.calendar && !phrase.wholeDays)
      refuse(text, end.span, 'I need a time of day there.');
    return { from: placed.from, to: addLength(placed.from, length, zone, 1), kind: 'between', zone };
  }
  if (!isPoint(placed) && !phrase.wholeDays) refuse(text, end.span, 'I need a time of day there.');
  return { from: addLength(placed.to, length, zone, -1), to: placed.to, kind: 'between', zone };
}
