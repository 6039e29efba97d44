/**
 * Reads `weekdays at 8:30 in Europe/Berlin` and its kin. Every word must have a part to play: one that has none is
 * refused with its place, never passed over.
 */
import { UsageError } from '../../errors.ts';
import { readRhythm } from './parse-frequency.ts';
import { normalSchedule, type Schedule } from './schedule.ts';
import { type Fault, looksLikeTime, readTime, type ScheduleWord, wordsOf } from './words.ts';

const EXAMPLE = 'weekdays at 08:30';

/** Finds the IANA name for what a person wrote, or null. */
export type ResolveZone = (text: string) => string | null;

/** `zone` holds where the sentence names none. Fails with a UsageError that points at the fault. */
export function parseSchedule(text: string, zone: string, resolveZone: ResolveZone = ianaName): Schedule {
  const fault: Fault = (message, span, example = EXAMPLE) =>
    new UsageError(message, { text, span: span ?? { start: 0, end: text.length }, example });
  const all = wordsOf(text);
  if (all.length === 0) throw fault('Say when the digest should come.');
  const { named, rest } = takeZone(text, all, resolveZone, fault);
  const { rhythm, left } = readRhythm(rest, fault);
  const minutes = readTimes(left, fault);
  const inZone = named ?? zone;
  if (rhythm.kind === 'interval') {
    const stray = left[0];
    if (stray) throw fault('An interval runs around the clock, so it takes no time of day.', stray, 'every 4 hours');
    return normalSchedule({ ...rhythm, zone: inZone });
  }
  if (minutes.length === 0) throw fault('Say at what time of day the digest should come.', undefined, rhythm.example);
  const { example: _, ...days } = rhythm;
  return normalSchedule({ ...days, minutes, zone: inZone });
}

/** Takes `in <zone>` out, wherever it stands; a zone may be several words when `resolveZone` knows cities. */
function takeZone(text: string, words: readonly ScheduleWord[], resolveZone: ResolveZone, fault: Fault) {
  const at = words.findIndex((word) => word.text === 'in');
  if (at < 0) return { named: undefined, rest: words };
  for (let last = words.length - 1; last > at; last -= 1) {
    const start = words[at + 1]?.start ?? 0;
    const named = resolveZone(text.slice(start, words[last]?.end));
    if (named !== null) return { named, rest: [...words.slice(0, at), ...words.slice(last + 1)] };
  }
  const span = { start: words[at + 1]?.start ?? words[at]?.start ?? 0, end: text.trimEnd().length };
  throw fault('That is not a time zone I know.', span, `${EXAMPLE} in Europe/Berlin`);
}

/** What is left after the days are read: `at 9:00, 13:00 and 5pm`, with or without the small words. */
function readTimes(words: readonly ScheduleWord[], fault: Fault): number[] {
  const minutes: number[] = [];
  for (const word of words) {
    if (['at', 'and', '&', '@'].includes(word.text)) continue;
    const minute = readTime(word.text);
    if (minute === undefined) {
      const message = looksLikeTime(word.text) ? 'That is not a time of day.' : 'I do not understand this part.';
      throw fault(message, word);
    }
    minutes.push(minute);
  }
  return minutes;
}

function ianaName(text: string): string | null {
  // An offset such as +02:00 knows nothing of summer time, so it is no zone to schedule in.
  if (!/^[A-Za-z]/.test(text)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return null;
  }
}
