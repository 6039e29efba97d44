/**
 * Parses when alerts are held back: `weekdays 22:00-06:00`, `once on saturday 02:00-04:00`, `tomorrow 02:00 to 04:00`,
 * `2026-11-21 02:00-04:00`, `now for 2h`, `until 18:00`. Unknown words are refused with their position.
 */
import { type Span, UsageError } from '../../errors.ts';
import { parseRange, type Range } from '../../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../../time-units.ts';
import { nextDue } from './due-times.ts';
import { readWeekdays, UNITS } from './parse-schedule.ts';
import { EVERY_DAY, MINUTES_A_DAY } from './schedule.ts';
import { type Fault, looksLikeTime, readCount, readTime, type ScheduleWord, wordsOf } from './schedule-words.ts';
import { type HoldReason, nextOccurrences, type WindowTimes } from './time-window.ts';

/** For a single time. A longer one is a reason to remove or pause the watch. */
const MAX_DAYS = 7;

const EXAMPLES: Readonly<Record<HoldReason, string>> = {
  quiet: 'quiet weekdays 22:00-06:00',
  maintenance: 'maintenance saturday 02:00-04:00',
};

interface WindowReading {
  readonly why: HoldReason;
  readonly zone: string;
  readonly now: Temporal.Instant;
}

interface Reading extends WindowReading {
  readonly words: readonly ScheduleWord[];
  readonly fault: Fault;
}

/** `text` may be a whole sentence with the other parts blanked out, so that error spans stay valid. */
export function parseTimeWindow(text: string, context: WindowReading): WindowTimes {
  const example = EXAMPLES[context.why];
  const fault: Fault = (message, span, better = example) =>
    new UsageError(message, { text, span: span ?? extentOf(text), example: better });
  const words = withoutLevel(wordsOf(text), context.why, fault);
  const [first] = words;
  if (first === undefined) throw fault('When? Name days and times.');
  const reading = { ...context, words, fault };
  if (isNow(first) || first.text === 'for' || first.text === 'until' || first.text === 'till')
    return readFromNow(reading);
  if (DATES.some((date) => date.test(text))) return readDates(text, reading);
  const day = dayNamed(first, reading);
  const isOnce = first.text === 'once';
  const [minutes, days] =
    day === null ? readWeekly(words.slice(isOnce ? 1 : 0), fault) : [readTimes(words.slice(1), fault), null];
  if (day !== null) return onDay(day, minutes, reading);
  const weekly = { weekdays: days ?? EVERY_DAY, ...minutes };
  return isOnce ? nextOf(weekly, reading) : weekly;
}

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
/** `2026-11-21`, `21.11.`, `11/21`, `21st of November`, `Nov 21` */
const DATES = [
  /\b\d{4}-\d/,
  /\b\d\d?\.\d\d?\./,
  /\b\d\d?\/\d/,
  new RegExp(`\\d(?:st|nd|rd|th)?\\.?\\s+(?:of\\s+)?(?:${MONTHS})`, 'i'),
  new RegExp(`\\b(?:${MONTHS})[a-z]*\\.?\\s+\\d`, 'i'),
];

/** Dates as in questions, which look back. One without a year is the next one, so it's read as of a year from now. */
function readDates(text: string, { zone, now, fault }: Reading): WindowTimes {
  const dates = text
    .replace(/\b(?:below|under)\s+surges?\b/i, '')
    .trim()
    .replace(/^(?:hours\s+)?(?:once\s+)?(?:on\s+)?/i, '');
  const today = now.toZonedDateTimeISO(zone).startOfDay();
  const yearAhead = today.add({ years: 1 }).toInstant().subtract({ milliseconds: 1 });
  let range: Range;
  try {
    range = parseRange(dates, { now: yearAhead, zone });
  } catch (error) {
    throw error instanceof UsageError ? fault(error.message, undefined, 'maintenance 21 Nov 02:00-04:00') : error;
  }
  const [fromMs, untilMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
  if (untilMs <= now.epochMilliseconds) throw fault('That is over already.');
  if (untilMs - fromMs > MAX_DAYS * DAY_MS) throw fault(`Say something of up to ${MAX_DAYS} days.`);
  return { fromMs, untilMs };
}

const extentOf = (text: string): Span => {
  const start = text.length - text.trimStart().length;
  return { start: Math.min(start, Math.max(0, text.length - 1)), end: Math.max(text.trimEnd().length, 1) };
};

const isNow = ({ text }: ScheduleWord): boolean => text === 'now';

/** `below surge` is what quiet hours always mean, and what maintenance never does. */
function withoutLevel(all: readonly ScheduleWord[], why: HoldReason, fault: Fault): readonly ScheduleWord[] {
  const words = all[0]?.text === 'hours' ? all.slice(1) : all;
  const at = words.findIndex(({ text }) => text === 'below' || text === 'under');
  if (at < 0) return words;
  const [below, level] = words.slice(at, at + 2);
  const span = below === undefined ? undefined : { start: below.start, end: level?.end ?? below.end };
  if (why === 'maintenance')
    throw fault('Maintenance holds back every alert.', span, 'quiet saturday 02:00-04:00 below surge');
  if (level === undefined || !/^surges?$/.test(level.text))
    throw fault('Quiet hours hold back what is below a surge.', span, 'quiet weekdays 22:00-06:00 below surge');
  return words.toSpliced(at, 2);
}

type Minutes = { readonly fromMinute: number; readonly toMinute: number };

function readWeekly(words: readonly ScheduleWord[], fault: Fault) {
  const { frequency, left } = readWeekdays(words, 0, fault);
  return [readTimes(left, fault), [...new Set(frequency.weekdays)].sort((a, b) => a - b)] as const;
}

/** `22:00-06:00`, `from 10pm to 6am`, `between 2 and 4` */
function readTimes(words: readonly ScheduleWord[], fault: Fault): Minutes {
  const times = words.filter(({ text }) => !/^(from|between|at|hours)$/.test(text));
  const [from, joint, to, ...more] = times;
  if (from === undefined || to === undefined || joint === undefined)
    throw fault('From when to when? For example 22:00-06:00.', from);
  const [fromMinute, toMinute] = [readMinute(from, fault), readMinute(to, fault)];
  if (!/^(-|to|until|till|and)$/.test(joint.text)) throw fault('I don’t understand this part.', joint);
  const [stray] = more;
  if (stray !== undefined) throw fault('I don’t understand this part.', stray);
  if (fromMinute === toMinute) throw fault('That begins and ends at the same time.', to);
  return { fromMinute, toMinute };
}

function readMinute(word: ScheduleWord, fault: Fault): number {
  if (word.text === '24:00' || word.text === '24') return 0;
  const minute = readTime(word.text);
  if (minute === undefined) {
    throw fault(looksLikeTime(word.text) ? 'That isn’t a time of day.' : 'I don’t understand this part.', word);
  }
  return minute;
}

/** The date of `today`, `tonight` or `tomorrow`; `null` for other words. */
function dayNamed({ text }: ScheduleWord, { now, zone }: Reading): Temporal.PlainDate | null {
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  if (text === 'today' || text === 'tonight') return today;
  return text === 'tomorrow' ? today.add({ days: 1 }) : null;
}

function onDay(
  day: Temporal.PlainDate,
  { fromMinute, toMinute }: Minutes,
  { zone, now, words, fault }: Reading,
): WindowTimes {
  // The first due time of that day, which a clock change may move.
  const eve = day.toZonedDateTime({ timeZone: zone }).toInstant().subtract({ nanoseconds: 1 });
  const dueAfter = (minute: number, after: Temporal.Instant): Temporal.Instant =>
    nextDue({ kind: 'weekly', weekdays: EVERY_DAY, minutes: [minute], zone }, after).at;
  const start = dueAfter(fromMinute, eve);
  const untilMs = dueAfter(toMinute, start).epochMilliseconds;
  if (untilMs <= now.epochMilliseconds) throw fault('That is over already.', words[0]);
  return { fromMs: start.epochMilliseconds, untilMs };
}

function nextOf(weekly: WindowTimes, { zone, why, now, fault }: Reading): WindowTimes {
  const [next] = nextOccurrences({ id: '', by: '', when: weekly, zone, why }, now.epochMilliseconds, 1);
  if (next === undefined) throw fault('That never comes.');
  return { fromMs: next.fromMs, untilMs: next.untilMs };
}

/** `now for 2h`, `for 90 minutes`, `until 18:00` */
function readFromNow({ words, fault, now, zone }: Reading): WindowTimes {
  const [joint, ...rest] = words[0] !== undefined && isNow(words[0]) ? words.slice(1) : words;
  const fromMs = now.epochMilliseconds;
  if (joint === undefined) throw fault('For how long? For example now for 2h.', words[0], 'maintenance now for 2h');
  if (joint.text === 'until' || joint.text === 'till') {
    const [time, stray] = rest;
    if (time === undefined) throw fault('Until when?', joint, 'maintenance now until 18:00');
    if (stray !== undefined) throw fault('I don’t understand this part.', stray);
    const minutes = [readMinute(time, fault)];
    return {
      fromMs,
      untilMs: nextDue({ kind: 'weekly', weekdays: EVERY_DAY, minutes, zone }, now).at.epochMilliseconds,
    };
  }
  if (joint.text !== 'for') throw fault('I don’t understand this part.', joint, 'maintenance now for 2h');
  return { fromMs, untilMs: fromMs + readLength(rest, joint, fault) };
}

function readLength(words: readonly ScheduleWord[], before: Span, fault: Fault): number {
  const [first, second] = words;
  const glued = /^(\d{1,4})([a-z]+)$/.exec(first?.text ?? '');
  const count = glued === null ? readCount(first?.text) : Number(glued[1]);
  const unit = glued === null ? second?.text : glued[2];
  const stray = words[glued === null ? 2 : 1];
  const minutes = /^d(ays?)?$/.test(unit ?? '') ? MINUTES_A_DAY : UNITS.get(unit ?? '');
  const span = { start: first?.start ?? before.start, end: (glued === null ? second : first)?.end ?? before.end };
  if (count === undefined || minutes === undefined) throw fault('For how long?', span, 'maintenance now for 2h');
  if (stray !== undefined) throw fault('I don’t understand this part.', stray);
  const ms = count * minutes * MINUTE_MS;
  if (ms === 0 || ms > MAX_DAYS * DAY_MS)
    throw fault(`Say something between a minute and ${MAX_DAYS} days.`, span, 'maintenance now for 2h');
  return ms;
}
