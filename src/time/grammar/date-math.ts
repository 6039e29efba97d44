/**
 * The date math of dashboards: `now-6h`, `now-1d/d`, `-24h@h`, `@d`, `-1mon@mon`, and epochs. As an end, `/d` covers
 * the whole day (Grafana, Kibana, Zabbix), while `@d` is the moment it begins (Splunk).
 */
import { unitSpan } from '../calendar.ts';
import { attempt, isTight, peek, refuse, spanSince, type TokenReader, take, textAt } from '../lexer/lexer.ts';
import { UNITS, type Unit } from '../lexer/words.ts';
import type { Env, ParsedDuration, Range, RuleGroup } from '../model.ts';
import { addDuration, type EndParts, readDuration } from './duration.ts';

export const DASHBOARDS: RuleGroup = {
  title: 'Dashboards and query languages',
  about: `After \`now\`, a capital \`M\` is a month and \`/d\` as an end covers the whole day; Splunk’s \`@d\` is the
    moment the day begins. Epochs have 10 digits (seconds, perhaps with a fraction), 13, 16 or 19.`,
  examples: `
now-6h                                   => 2025-06-18 10:25:40 .. now
now-6h to now-3h                         => 2025-06-18 10:25:40 .. 2025-06-18 13:25:40
now-1d/d                                 => 2025-06-17 .. now
now-7d/d to now/d                        => 2025-06-11 .. now
now/w to now                             => 2025-06-16 .. now
now-1M/M to now-1M/M                     => 2025-05-01 .. 2025-06-01
-24h@h                                   => 2025-06-17 16:00 .. now
@d                                       => 2025-06-18 .. now
-1mon@mon                                => 2025-05-01 .. now
-12h -60m                                => 2025-06-18 04:25:40 .. 2025-06-18 15:25:40
earliest=-1d@d latest=@d                 => 2025-06-17 .. 2025-06-18
from=now-6h&to=now                       => 2025-06-18 10:25:40 .. now
1750240000 to 1750243600                 => 2025-06-18 11:46:40 .. 2025-06-18 12:46:40
since 1750240000.5                       => 2025-06-18 11:46:40.5 .. now
1750240000000000 to 1750243600000000     => 2025-06-18 11:46:40 .. 2025-06-18 12:46:40
`,
};

interface MathStep {
  /** Rounds to the edge of a unit instead of moving by a duration. */
  readonly snaps: boolean;
  readonly run: (moment: Range, env: Env) => Range;
}

/** Seconds, perhaps with a fraction, milliseconds, microseconds, nanoseconds. */
const EPOCH_DIGITS = /^(\d{10})(?:\.(\d{1,9})|(\d{3}|\d{6}|\d{9}))?$/;

export const readDateMath = (r: TokenReader): EndParts | null =>
  attempt(r, readEpoch) ?? attempt(r, readNow) ?? attempt(r, readSigned);

const point = (at: Temporal.Instant): Range => ({ from: at, to: at });

/** The number of digits gives the unit; a leading `@` is shell syntax. */
function readEpoch(r: TokenReader): EndParts | null {
  take(r, '@');
  const token = peek(r);
  const found = token?.type === 'number' ? EPOCH_DIGITS.exec(token.text) : null;
  if (!found) return null;
  r.at += 1;
  const fraction = (found[2] ?? found[3] ?? '').padEnd(9, '0');
  const instant = Temporal.Instant.fromEpochNanoseconds(BigInt(`${found[1]}${fraction}`));
  return { instants: { kind: 'since', at: () => point(instant) } };
}

function readNow(r: TokenReader): EndParts | null {
  if (take(r, 'right', 'now')) return chain([], false);
  const typed = peek(r);
  if (!typed || !take(r, 'now')) return null;
  // All in capitals, minutes and months look the same.
  const allCaps = r.text.slice(typed.start, typed.end) === 'NOW';
  return chain(readSteps(r, allCaps), false);
}

/** `-24h`, `-24h@h`, `@d`, `@d-2h`. A plus sign means the future. */
function readSigned(r: TokenReader): EndParts | null {
  const sign = textAt(r);
  if (sign === '@') return snapped(r);
  if (sign !== '-' && sign !== '+') return null;
  const step = readStep(r, false);
  if (!step) return null;
  return chain([step, ...readSteps(r, false)], sign === '+');
}

function snapped(r: TokenReader): EndParts | null {
  const snap = readSnap(r);
  return snap && chain([snap, ...readSteps(r, false)], false);
}

function chain(steps: readonly MathStep[], ahead: boolean): EndParts {
  const at = (env: Env) => steps.reduce((moment, step) => step.run(moment, env), point(env.now));
  const parts: EndParts = {
    dateMath: true,
    instants: { kind: steps.some((step) => step.snaps) ? 'since' : 'rolling', at },
  };
  return ahead ? { ...parts, future: true } : parts;
}

function readSteps(r: TokenReader, allCaps: boolean): MathStep[] {
  const steps: MathStep[] = [];
  for (let step = readAnyStep(r, allCaps); step; step = readAnyStep(r, allCaps)) steps.push(step);
  return steps;
}

const readAnyStep = (r: TokenReader, allCaps: boolean): MathStep | null =>
  attempt(r, () => (clings(r) ? readStep(r, allCaps) : null)) ??
  attempt(r, () => readRound(r, allCaps)) ??
  attempt(r, () => (isTight(r) ? readSnap(r) : null));

/** A step must touch the token before it: `-12h -60m` are two moments. */
const clings = (r: TokenReader): boolean => isTight(r) || textAt(r, -1) === 'now';

const SIGNS: ReadonlyMap<string, '-' | '+'> = new Map([
  ['-', '-'],
  ['+', '+'],
  ['minus', '-'],
  ['plus', '+'],
]);

function readStep(r: TokenReader, allCaps: boolean): MathStep | null {
  const sign = SIGNS.get(textAt(r));
  if (sign === undefined) return null;
  const first = r.at;
  r.at += 1;
  const duration = readMonths(r, allCaps) ?? readDuration(r);
  if (!duration) return null;
  const span = spanSince(r, first);
  const run: MathStep['run'] = ({ from }, { zone }) => {
    if (duration.zero) return point(from);
    if (duration.fault) refuse(r.text, span, duration.fault.message);
    return point(addDuration(from, duration, zone, sign === '-' ? -1 : 1));
  };
  return { snaps: false, run };
}

/** A capital M after `now` is a month: `now-1M`. */
function readMonths(r: TokenReader, allCaps: boolean): ParsedDuration | null {
  const number = peek(r);
  if (number?.type !== 'number' || !isCapitalM(r, 1, allCaps)) return null;
  const months = Math.min(number.value, 1200);
  r.at += 2;
  return { amount: { months }, calendar: true };
}

function isCapitalM(r: TokenReader, ahead: number, allCaps: boolean): boolean {
  const unit = peek(r, ahead);
  if (!unit || r.text.slice(unit.start, unit.end) !== 'M') return false;
  const afterNow = r.tokens.some(({ text }, index) => index < r.at && text === 'now');
  if (allCaps)
    refuse(r.text, unit, 'In capitals, M could mean minutes or months.', { suggestion: r.text.toLowerCase() });
  return afterNow;
}

function readUnit(r: TokenReader): Unit | null {
  const word = textAt(r);
  const unit = word === 'mon' ? 'month' : UNITS.get(word);
  if (unit === undefined || unit === 'weekend' || unit === 'fortnight') return null;
  r.at += 1;
  return unit;
}

/** `/d`: the start of the unit, or its end if it is the end of a range. */
function readRound(r: TokenReader, allCaps: boolean): MathStep | null {
  if (!isTight(r) || !take(r, '/')) return null;
  const month = isCapitalM(r, 0, allCaps);
  const unit = readUnit(r);
  return unit && { snaps: true, run: ({ from }, { zone }) => floor(from, zone, month ? 'month' : unit) };
}

/** `@d`: the moment the unit begins. */
function readSnap(r: TokenReader): MathStep | null {
  const unit = take(r, '@') ? readUnit(r) : null;
  return unit && { snaps: true, run: ({ from }, { zone }) => point(floor(from, zone, unit).from) };
}

function floor(from: Temporal.Instant, zone: string, unit: Unit): Range {
  const local = from.toZonedDateTimeISO(zone);
  if (unit === 'hour' || unit === 'minute' || unit === 'second') {
    const start = local.round({ smallestUnit: unit, roundingMode: 'floor' });
    return { from: start.toInstant(), to: start.add({ [`${unit}s`]: 1 }).toInstant() };
  }
  const { start, end } = unitSpan(unit, local.toPlainDate(), 0);
  return { from: start.toZonedDateTime(zone).toInstant(), to: end.toZonedDateTime(zone).toInstant() };
}
