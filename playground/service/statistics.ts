/**
 * The service's two answers, computed from the traffic model: what has been logged of a window so far, in buckets that
 * grow with the window. Partial minutes are split so that adjacent windows add up.
 */
import { columnsOf, hostIdsOf, sumsAt, sumsBetween, type TrafficModel, tallyBetween } from './traffic.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Attacks of a minute appear gradually, starting one minute after it began and for this long. */
const LOGGING_MS = 150_000;

const loggingMs = (model: TrafficModel): number => Math.max(1, model.loggingMs ?? LOGGING_MS);
const unsettledMs = (model: TrafficModel): number => MINUTE_MS + loggingMs(model);

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly hosts: readonly string[];
  /** Older data is gone: it counts as zero, though its intervals are still listed. */
  readonly availableFromMs?: number;
}

export interface Point {
  readonly time: number;
  readonly num: number;
}

/** 1 min up to a day, 5 min up to three, 10 min up to seven, beyond that an hour. */
export function bucketMs(windowMs: number): number {
  if (windowMs <= DAY_MS) return MINUTE_MS;
  if (windowMs <= 3 * DAY_MS) return 5 * MINUTE_MS;
  if (windowMs <= 7 * DAY_MS) return 10 * MINUTE_MS;
  return HOUR_MS;
}

/** `+05:30` → 19 800 000; `undefined` for anything else. */
export function offsetMs(timezone: string): number | undefined {
  const match = /^([+-])(\d{2}):(\d{2})$/.exec(timezone);
  if (match === null || Number(match[2]) > 14 || Number(match[3]) > 59) return undefined;
  const size = Number(match[2]) * HOUR_MS + Number(match[3]) * MINUTE_MS;
  return match[1] === '-' ? -size : size;
}

/** What the service has logged of the window at `nowMs`, in the order of `columnsOf`. */
export function loggedBetween(model: TrafficModel, window: Window, nowMs: number): Float64Array {
  const toMs = Math.min(window.toMs, nowMs);
  const fromMs = Math.min(toMs, Math.max(window.fromMs, window.availableFromMs ?? window.fromMs));
  const settledTo = Math.floor((nowMs - unsettledMs(model)) / MINUTE_MS);
  const wholeFrom = Math.ceil(fromMs / MINUTE_MS);
  const wholeTo = Math.max(wholeFrom, Math.min(Math.floor(toMs / MINUTE_MS), settledTo));
  const tally = tallyBetween(model, wholeFrom, wholeTo, window.hosts);
  const first = Math.floor(fromMs / MINUTE_MS);
  if (first < wholeFrom) addParts(tally, model, first, { ...window, fromMs, toMs }, nowMs);
  for (let minute = wholeTo; minute * MINUTE_MS < toMs; minute++) {
    addParts(tally, model, minute, { ...window, fromMs, toMs }, nowMs);
  }
  return tally;
}

/** Adds the logged part of one minute within the window. Done per host, so that hosts add up too. */
function addParts(tally: Float64Array, model: TrafficModel, minute: number, window: Window, nowMs: number): void {
  const startMs = minute * MINUTE_MS;
  const left = Math.max(0, window.fromMs - startMs) / MINUTE_MS;
  const right = Math.min(MINUTE_MS, window.toMs - startMs) / MINUTE_MS;
  if (right <= left) return;
  const logged = Math.min(1, Math.max(0, (nowMs - startMs - MINUTE_MS) / loggingMs(model)));
  for (const id of hostIdsOf(model, window.hosts)) {
    tallyBetween(model, minute, minute + 1, [id]).forEach((n, column) => {
      const known = column === 0 ? n : Math.floor(n * logged);
      tally[column] = (tally[column] ?? 0) + Math.floor(known * right) - Math.floor(known * left);
    });
  }
}

interface Bucket {
  readonly endMs: number;
  readonly intervalMs: number;
  /** In the order of `columnsOf`. */
  readonly tally: Float64Array;
}

/** Aligned to a time zone, and cut by the window and by now. */
function* partsOf(window: Window, shiftMs: number, nowMs: number) {
  const intervalMs = bucketMs(window.toMs - window.fromMs);
  let startMs = Math.floor((window.fromMs + shiftMs) / intervalMs) * intervalMs - shiftMs;
  for (; startMs < Math.min(window.toMs, nowMs); startMs += intervalMs) {
    const endMs = startMs + intervalMs;
    const part = { ...window, fromMs: Math.max(window.fromMs, startMs), toMs: Math.min(window.toMs, endMs) };
    yield { endMs, intervalMs, part };
  }
}

export function bucketsOf(model: TrafficModel, window: Window, shiftMs: number, nowMs: number): readonly Bucket[] {
  return Array.from(partsOf(window, shiftMs, nowMs), ({ part, ...bucket }) => ({
    ...bucket,
    tally: loggedBetween(model, part, nowMs),
  }));
}

/** Requests and attacks. Most queries are for whole minutes, whose sums are cached. */
function sumsOf(model: TrafficModel, part: Window, nowMs: number): readonly [requests: number, attacks: number] {
  const { fromMs, toMs, hosts } = part;
  if (isOfWholeMinutes(model, part, nowMs)) {
    const minute = fromMs / MINUTE_MS;
    const isOne = toMs - fromMs === MINUTE_MS && hosts.length === 0;
    return isOne ? sumsAt(model, minute) : sumsBetween(model, minute, toMs / MINUTE_MS, hosts);
  }
  const [requests = 0, ...categories] = loggedBetween(model, part, nowMs);
  return [requests, categories.reduce((sum, n) => sum + n, 0)];
}

/** Whether everything in it has been logged and is still available. */
function isOfWholeMinutes(model: TrafficModel, { fromMs, toMs, availableFromMs }: Window, nowMs: number): boolean {
  const isWhole = fromMs % MINUTE_MS === 0 && toMs % MINUTE_MS === 0;
  return isWhole && (availableFromMs ?? fromMs) <= fromMs && toMs <= nowMs - unsettledMs(model);
}

/** Whether it is a timeline of all hosts by the minute, without anything that is still being logged. */
function isOfStoredMinutes(model: TrafficModel, window: Window, nowMs: number): boolean {
  const { fromMs, toMs, hosts } = window;
  return hosts.length === 0 && bucketMs(toMs - fromMs) === MINUTE_MS && isOfWholeMinutes(model, window, nowMs);
}

export function timeline(
  model: TrafficModel,
  window: Window,
  shiftMs: number,
  nowMs: number,
): { requests: Point[]; attacks: Point[] } {
  const requests: Point[] = [];
  const attacks: Point[] = [];
  if (isOfStoredMinutes(model, window, nowMs)) {
    for (let minute = window.fromMs / MINUTE_MS; minute * MINUTE_MS < window.toMs; minute++) {
      const [all, attacked] = sumsAt(model, minute);
      const time = (minute + 1) * MINUTE_MS;
      requests.push({ time, num: all });
      attacks.push({ time, num: attacked });
    }
    return { requests, attacks };
  }
  for (const { endMs, part } of partsOf(window, shiftMs, nowMs)) {
    const [all, attacked] = sumsOf(model, part, nowMs);
    requests.push({ time: endMs, num: all });
    attacks.push({ time: endMs, num: attacked });
  }
  return { requests, attacks };
}

export function distribution(model: TrafficModel, window: Window, nowMs: number): Record<string, number> {
  const [, ...counts] = loggedBetween(model, window, nowMs);
  const fields = columnsOf(model).slice(1);
  return Object.fromEntries(fields.map((field, index) => [field, counts[index] ?? 0]));
}
