/**
 * Fault injection. A fault applies to the calls it names, for a number of times or until it's removed. Faults for the
 * same call apply in the order they were injected.
 */
import type { DetailQuery } from './details.ts';
import type { HostListQuery } from './host-lists.ts';
import type { OverviewQuery } from './overviews.ts';
import type { Answer, RefusalChanges, RefusalCode } from './refusals.ts';

export type Call = 'token' | 'timeline' | 'distribution' | 'sources' | OverviewQuery | DetailQuery | HostListQuery;

export type Fault =
  /** A known refusal, optionally with another status, message or `Retry-After`. */
  | { readonly kind: 'refuse'; readonly code: RefusalCode; readonly changes?: RefusalChanges }
  /** Any answer: a proxy's HTML page, an empty body, an undocumented status. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The connection is cut before the response. */
  | { readonly kind: 'reset' }
  /** Status and half of the body, then the connection is cut. */
  | { readonly kind: 'cut' }
  /** A complete response whose JSON ends in the middle. */
  | { readonly kind: 'truncate' }
  /** No response until `until` settles: a slow service without a clock. */
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  /** A delayed response. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Times in seconds, as in the published sample. */
  | { readonly kind: 'seconds' }
  /** Points in reverse order, each of them twice. */
  | { readonly kind: 'disorder' }
  /** A changed body: fields missing, unknown or of the wrong type. */
  | { readonly kind: 'change'; readonly change: (body: Record<string, unknown>) => unknown }
  /** Status and headers, then a body that trickles endlessly until the caller disconnects. */
  | { readonly kind: 'drip'; readonly everyMs?: number }
  /** A body of this length, generated while sending; with `gzip`, compressed to almost nothing. */
  | { readonly kind: 'flood'; readonly bytes: number; readonly gzip?: boolean }
  /** Changed headers; an empty value removes the header. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> };

/** Without the host lists, which are read in the background: they fail only if a fault names them. */
export const STATISTICS_CALLS: readonly Call[] = [
  'timeline',
  'distribution',
  'sources',
  'request timeline',
  'qps timeline',
  'statistics',
  'classification',
  'action types',
  'response codes',
  'abnormal',
  'events',
];
const ALL_CALLS: readonly Call[] = ['token', ...STATISTICS_CALLS];

export interface FaultScope {
  /** The calls it applies to; all by default. */
  readonly on?: Call | readonly Call[];
  /** How many calls; unlimited by default. */
  readonly times?: number;
  /** Only calls with such parameters, for example those about one host. */
  readonly when?: (search: URLSearchParams) => boolean;
}

export function createFaults() {
  let injected: ({ fault: Fault; on: readonly Call[]; left: number } & Required<Pick<FaultScope, 'when'>>)[] = [];

  return {
    /** Returns a function that ends the fault. */
    add(fault: Fault, { on = ALL_CALLS, times = Number.POSITIVE_INFINITY, when = () => true }: FaultScope): () => void {
      const entry = { fault, on: typeof on === 'string' ? [on] : on, left: times, when };
      injected.push(entry);
      return () => {
        entry.left = 0;
      };
    },
    clear() {
      injected = [];
    },
    /** The faults for this call, each counted as used: any number of delays, and at most one other. */
    take(call: Call, search: URLSearchParams): readonly Fault[] {
      const taken: Fault[] = [];
      for (const entry of injected) {
        const mine = entry.left > 0 && entry.on.includes(call) && entry.when(search);
        if (!mine || (!isDelay(entry.fault) && taken.some((fault) => !isDelay(fault)))) continue;
        entry.left -= 1;
        taken.push(entry.fault);
      }
      return taken;
    },
  };
}

/** A fault that delays a response, and can be combined with one that changes it. */
export function isDelay(fault: Fault): fault is Extract<Fault, { readonly kind: 'wait' | 'slow' }> {
  return fault.kind === 'wait' || fault.kind === 'slow';
}

type Body = Record<string, unknown>;

const isPoint = (value: unknown): value is { time: number; num: number } =>
  typeof value === 'object' && value !== null && 'time' in value && 'num' in value;

function eachSeries(body: Body, change: (points: { time: number; num: number }[]) => unknown): Body {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? change(value.filter(isPoint)) : value]),
  );
}

/** Applies the faults that change the content of an answer rather than its transmission. */
export function distort(fault: Fault, answer: Answer): Answer {
  const body = answer.body as Body;
  switch (fault.kind) {
    case 'seconds':
      return {
        ...answer,
        body: eachSeries(body, (points) => points.map((point) => ({ ...point, time: Math.floor(point.time / 1000) }))),
      };
    case 'disorder':
      return { ...answer, body: eachSeries(body, (points) => [...points.toReversed(), ...points]) };
    case 'change':
      return { ...answer, body: fault.change(body) };
    case 'headers':
      return { ...answer, headers: { ...answer.headers, ...fault.headers } };
    default:
      return answer;
  }
}
