/** The face of the room: phrases to ranges and back, zones, offsets. Pure; nothing here reads a clock. */
import { type Span, UsageError } from '../errors.ts';
import type { ParsedRange, TimeContext } from './parsed-range.ts';
import type { Range } from './range.ts';

export type { ParsedRange, RangeKind, TimeContext } from './parsed-range.ts';
export type { Range } from './range.ts';

const FORMS = /\b(?:last (\d+) ?h(?:ours?)?|today|yesterday)\b/i;

export function findRange(text: string, { now, zone }: TimeContext): { range: ParsedRange; spans: Span[] } | null {
  const found = FORMS.exec(text);
  if (!found) return null;
  const today = now.toZonedDateTimeISO(zone).startOfDay();
  const spans = [{ start: found.index, end: found.index + found[0].length }];
  if (found[1]) {
    const from = now.subtract({ hours: Number(found[1]) });
    return { range: { from, to: now, kind: 'rolling', zone, cut: false }, spans };
  }
  if (found[0].toLowerCase() === 'today') {
    return { range: { from: today.toInstant(), to: now, kind: 'calendar', zone, cut: true }, spans };
  }
  const from = today.subtract({ days: 1 }).toInstant();
  return { range: { from, to: today.toInstant(), kind: 'calendar', zone, cut: false }, spans };
}

export function parseRange(text: string, context: TimeContext): ParsedRange {
  const found = findRange(text, context);
  const rest = found ? text.replace(FORMS, '').trim() : text;
  if (!found || rest !== '') {
    throw new UsageError('That is not a time range I understand.', {
      text,
      span: { start: 0, end: text.length },
      example: 'last 24h',
    });
  }
  return found.range;
}

export function describeRange({ from, to }: Range, _context: TimeContext): string {
  return `${from} to ${to}`;
}

export function slackDate(instant: Temporal.Instant): string {
  const seconds = Math.floor(instant.epochMilliseconds / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time}|${instant.toString({ smallestUnit: 'minute' })}>`;
}

export function slackRange({ from, to }: Range): string {
  return `${slackDate(from)} – ${slackDate(to)}`;
}

/** The fixed offset `+HH:MM` of a zone at an instant, as the statistics service wants it. */
export function offsetAt(zone: string, instant: Temporal.Instant): string {
  return instant.toZonedDateTimeISO(zone).offset.slice(0, 6);
}

export function resolveZone(text: string): string | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text.trim()).timeZoneId;
  } catch {
    return null;
  }
}

export const isZone = (name: string): boolean => resolveZone(name) !== null;
