/**
 * Answers held against the traffic that the local service was made of: what really happened in a window, by the names that
 * answers use, and the numbers of an answer that differ from it.
 */
import type { ServiceHabits } from '../../playground/service/overviews.ts';
import { loggedBetween } from '../../playground/service/statistics.ts';
import { columnsOf, type TrafficModel } from '../../playground/service/traffic.ts';
import { plainText } from '../../src/replies/phrases.ts';
import type { Line, Reply } from '../../src/replies/reply.ts';
import { canonicalCategory, categoryName } from '../../src/statistics/categories.ts';
import { compactCount, formatChange } from '../../src/statistics/format.ts';
import { parseRange, type Range } from '../../src/time/index.ts';
import { COMPARED_PART, type NamedNumber, namedNumbers } from './agreement.ts';

/** What the local service is told of its kind. */
export interface Kind {
  readonly habits?: Partial<ServiceHabits>;
  readonly hosts?: TrafficModel['hosts'];
  readonly retentionDays?: number;
  readonly loggingMs?: number;
}

/** Everything that decides what a service knows of a window. */
export interface Known {
  readonly model: TrafficModel;
  readonly kind: Kind;
  readonly nowMs: number;
  /** IDs; none for all. */
  readonly hosts: readonly string[];
}

export type Counts = ReadonlyMap<string, number>;

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const keptFromMs = ({ kind: { retentionDays }, nowMs }: Known): number =>
  retentionDays === undefined ? Number.NEGATIVE_INFINITY : nowMs - retentionDays * DAY_MS;

/** Everything the service has logged of a window. */
export function truthOf(known: Known, { from, to }: Range): Counts {
  const { model, kind, nowMs, hosts } = known;
  const [fromMs, toMs] = [Math.max(from.epochMilliseconds, keptFromMs(known)), to.epochMilliseconds];
  const truth = new Map<string, number>();
  if (fromMs >= toMs) return truth;
  const [requests = 0, ...counts] = loggedBetween(model, { fromMs, toMs, hosts }, nowMs);
  const fields = columnsOf(model).slice(1);
  for (const [at, count] of counts.entries()) {
    const field = fields[at] ?? '';
    const name = categoryName(canonicalCategory(field));
    if (!kind.habits?.unknownCategories?.includes(field)) truth.set(name, (truth.get(name) ?? 0) + count);
  }
  truth.set('requests', requests);
  truth.set('attacks', sumOf(counts));
  return truth;
}

/** The same, where attacks are the sum of the categories that are known. */
function inCategories(truth: Counts): Counts {
  const known = [...truth].filter(([name]) => name !== 'requests' && name !== 'attacks');
  return new Map([['attacks', sumOf(known.map(([, count]) => count))]]);
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Of the minutes for which the service sends points at all. */
function inPoints({ model, hosts, nowMs }: Known, { from, to }: Range, every: number): Counts {
  const truth = new Map([
    ['requests', 0],
    ['attacks', 0],
  ]);
  for (let toMs = from.epochMilliseconds + MINUTE_MS; toMs <= to.epochMilliseconds; toMs += MINUTE_MS) {
    if ((toMs / MINUTE_MS) % every === 0) continue;
    const [requests = 0, ...counts] = loggedBetween(model, { fromMs: toMs - MINUTE_MS, toMs, hosts }, nowMs);
    truth.set('requests', (truth.get('requests') ?? 0) + requests);
    truth.set('attacks', (truth.get('attacks') ?? 0) + sumOf(counts));
  }
  return truth;
}

/** Without the parts of steps at the edges. */
const inSteps = ({ from, to }: Range, minutes: number): Range => ({
  from: from.round({ smallestUnit: 'minute', roundingIncrement: minutes, roundingMode: 'ceil' }),
  to: to.round({ smallestUnit: 'minute', roundingIncrement: minutes, roundingMode: 'floor' }),
});

/** What an answer may have counted of a window, going by its notes. What is gone in part is not compared at all. */
export function truthsOf(known: Known, window: Range, notes: string): readonly Counts[] {
  const every = known.kind.habits?.missingEvery ?? 0;
  const whole = truthOf(known, window);
  const nowMinute = Math.floor(known.nowMs / MINUTE_MS) * MINUTE_MS;
  return [
    whole,
    ...(every === 0 ? [] : [inCategories(whole), inPoints(known, window, every)]),
    // Where an answer says that it counts whole steps, or up to now, that is what it must have counted.
    ...(notes.includes('in steps of') ? [5, 10, 60].map((step) => truthOf(known, inSteps(window, step))) : []),
    ...(notes.includes('still filling in')
      ? [truthOf(known, { ...window, to: Temporal.Instant.fromEpochMilliseconds(nowMinute) })]
      : []),
  ];
}

/** What is true of the two parts of the windows that an answer says it compared. */
export interface ComparedPart {
  readonly now: Counts;
  readonly before: Counts;
  readonly windows: Record<'counted' | 'against', Range>;
}

/** `null` if the whole windows were compared. The note and the reasons name the same part. */
export function comparedPart(
  known: Known,
  reply: Reply,
  { counted, against }: Record<'counted' | 'against', Range>,
  context: { readonly now: Temporal.Instant; readonly zone: string },
): ComparedPart | null {
  const [, said] = /^Compared over (.*?)(?:: |\.$)/m.exec(text(reply.notes)) ?? [];
  if (said === undefined) return null;
  const part = parseRange(said, context);
  const [, reason, earlier] = /^Counted: (.*?)\. Compared with: (.*?)(?:, |\.$)/m.exec(text(reply.why?.lines)) ?? [];
  if (reply.why !== undefined && reason !== said) throw new Error(`compared over ${said}, but counted over ${reason}`);
  const shifted = {
    from: against.from.add(counted.from.until(part.from)),
    to: against.from.add(counted.from.until(part.to)),
  };
  const before = earlier === undefined ? shifted : parseRange(earlier, context);
  return { now: truthOf(known, part), before: truthOf(known, before), windows: { counted: part, against: before } };
}

export const isGone = (known: Known, { from }: Range): boolean => from.epochMilliseconds < keptFromMs(known);

const isWritten = (value: string, count: number): boolean =>
  Number(value.replaceAll(',', '')) === count || value === compactCount(count);

export const text = (lines: readonly Line[] | undefined): string => (lines ?? []).map(plainText).join('\n');

/**
 * Numbers of an answer that differ from the truth, and how many were checked. If a part was compared, every number before
 * is of that part, and so are both in the reasons.
 */
export function heldAgainst(
  reply: Reply,
  whole: readonly Counts[],
  wholeBefore: readonly Counts[],
  part: ComparedPart | null = null,
): { readonly wrong: readonly string[]; readonly checked: number } {
  const isRates = text(reply.notes).includes('rates');
  const wrong: string[] = [];
  let checked = 0;
  const before = part === null ? wholeBefore : [part.before];
  for (const { thing, value, where } of namedNumbers(reply) as NamedNumber[]) {
    const ofPart = thing.endsWith(COMPARED_PART) ? part : null;
    const plain = thing.replace(COMPARED_PART, '');
    const isBefore = plain.endsWith(' before');
    const name = isBefore ? plain.slice(0, -' before'.length) : plain;
    const now = ofPart !== null ? [ofPart.now] : part === null ? whole : [...whole, part.now];
    const truths = (isBefore ? before : now).flatMap((counts) => counts.get(name) ?? []);
    const isNamed = [...now, ...before].some((counts) => counts.has(name));
    if (!isNamed || /[kMBT%]/.test(value.replace(/ [kMBT]$/, ''))) continue;
    checked += 1;
    // What is spread over time from rates is an estimate, and said to be.
    const isEstimate = isRates && where !== 'the heading' && where !== 'the text';
    const near = (count: number): boolean =>
      isEstimate && Math.abs(Number(value.replaceAll(',', '')) / count - 1) < 0.01;
    if (!truths.some((count) => isWritten(value, count) || near(count)))
      wrong.push(`${thing}: ${value} in ${where}, not ${truths}`);
  }
  return { wrong, checked };
}

/** `, +6 % vs the day before` in the totals of a digest. */
const CHANGE = /attacks, ([+−±][\d,]+ %|×[\d.,]+(?: [kM])?)(?: per (?:hour|day))? vs /;

/** The change that a digest names, held against the same two windows, of which one may be longer, or the compared parts. */
export function changeHeldAgainst(
  reply: Reply,
  whole: readonly Counts[],
  wholeBefore: readonly Counts[],
  windows: Record<'counted' | 'against', Range>,
  part: ComparedPart | null = null,
): { readonly wrong: readonly string[]; readonly checked: number } {
  const [, change] = CHANGE.exec(text([reply.headline ?? [], ...(reply.body ?? [])])) ?? [];
  if (change === undefined) return { wrong: [], checked: 0 };
  const [now, before] = part === null ? [whole, wholeBefore] : [[part.now], [part.before]];
  const { counted, against } = part?.windows ?? windows;
  const ratio = counted.from.until(counted.to).total('minutes') / against.from.until(against.to).total('minutes');
  const right = now.flatMap((counts, at) => {
    const [attacks, earlier] = [counts.get('attacks'), before[at]?.get('attacks')];
    return attacks === undefined || earlier === undefined ? [] : [formatChange(attacks, earlier * ratio)];
  });
  return { wrong: right.includes(change) ? [] : [`change: ${change}, not ${right}`], checked: 1 };
}
