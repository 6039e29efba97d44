/**
 * The queries behind an attack in the overviews dialect: what was blocked or only logged, response codes, pages that
 * answered with an error, and single events. All of them follow from the same traffic as the totals.
 */
import { createCulprits, pathOf, type Source } from './attackers.ts';
import { hostNameOf } from './host-lists.ts';
import type { TrafficHost } from './hosts.ts';
import { bucketsOf, loggedBetween, type Window } from './statistics.ts';
import { columnsOf, type TrafficModel } from './traffic.ts';

export type DetailQuery = 'action types' | 'response codes' | 'abnormal' | 'events';

const PATHS: readonly (readonly [RegExp, DetailQuery])[] = [
  [/\/waf\/overviews\/attack\/action-types$/, 'action types'],
  [/\/waf\/overviews\/response-code\/timeline$/, 'response codes'],
  [/\/waf\/overviews\/abnormal$/, 'abnormal'],
  [/\/waf\/event$/, 'events'],
];

export function detailName(path: string): DetailQuery | undefined {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

/** Categories whose rules only log; every other one blocks. */
const LOGGED_ONLY: readonly string[] = ['illegal', 'robot', 'vuln'];

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Attacks of a window by what the firewall did with them. */
export function actionsOf(model: TrafficModel, window: Window, nowMs: number): { block: number; log: number } {
  const [, ...counts] = loggedBetween(model, window, nowMs);
  const fields = columnsOf(model).slice(1);
  const log = sum(counts.filter((_, at) => LOGGED_ONLY.includes(fields[at] ?? '')));
  return { block: sum(counts) - log, log };
}

export function actionTypes(model: TrafficModel, window: Window, nowMs: number): unknown {
  const items = Object.entries(actionsOf(model, window, nowMs)).map(([key, num]) => ({ key, num }));
  return { total: items.length, items };
}

/** Blocked requests end with 418 at the firewall; behind it most are fine, and a fixed share is not. */
const UPSTREAM_SHARES: Readonly<Record<string, number>> = { '404': 0.012, '500': 0.002, '502': 0.001 };

export function codesOf(tally: Float64Array, model: TrafficModel, source: 'WAF' | 'UPSTREAM'): Record<string, number> {
  const [requests = 0, ...counts] = tally;
  const fields = columnsOf(model).slice(1);
  const blocked = sum(counts.filter((_, at) => !LOGGED_ONLY.includes(fields[at] ?? '')));
  if (source === 'WAF') return { '418': blocked };
  const passed = requests - blocked;
  const errors = Object.entries(UPSTREAM_SHARES).map(([code, share]) => [code, Math.floor(passed * share)] as const);
  return { '200': passed - sum(errors.map(([, n]) => n)), ...Object.fromEntries(errors) };
}

export function responseCodes(model: TrafficModel, window: Window, source: 'WAF' | 'UPSTREAM', nowMs: number): unknown {
  const points = bucketsOf(model, window, 0, nowMs).map(({ endMs, intervalMs, tally }) => ({
    time: endMs - intervalMs,
    codes: codesOf(tally, model, source),
  }));
  const keys = [...new Set(points.flatMap(({ codes }) => Object.keys(codes)))];
  return keys.map((key) => ({ key, timeline: points.map(({ time, codes }) => ({ time, num: codes[key] ?? 0 })) }));
}

const PAGES: Readonly<Record<string, readonly string[]>> = {
  '404': ['/old-campaign', '/wp-admin', '/favicon.png'],
  '500': ['/cart/checkout', '/search'],
  '502': ['/api/orders'],
};

/** The pages that answered with a code most often. */
export function abnormalPages(model: TrafficModel, window: Window, code: string, top: number, nowMs: number): unknown {
  const errors = codesOf(loggedBetween(model, window, nowMs), model, 'UPSTREAM')[code] ?? 0;
  const host = hostNameOf(model.hosts[0]?.name ?? '');
  const items = (PAGES[code] ?? [])
    .map((key, at) => ({ key, num: Math.floor(errors / 2 ** (at + 1)), host }))
    .filter(({ num }) => num > 0)
    .slice(0, top);
  return { total: items.length, items };
}

const MINUTE_MS = 60_000;
/** A window that has more must be narrowed. */
const MAX_ROWS = 10_000;

interface EventFilter {
  readonly attacks: readonly string[];
  readonly page: number;
  readonly pageSize: number;
}

/** Single events, newest first. Rows hold more than anyone may show, as the real ones do. */
export function eventRows(model: TrafficModel, window: Window, filter: EventFilter, nowMs: number): unknown {
  const fields = columnsOf(model).slice(1);
  const rows: Record<string, unknown>[] = [];
  const skip = (filter.page - 1) * filter.pageSize;
  let total = 0;
  for (let toMs = window.toMs; toMs > window.fromMs; toMs -= MINUTE_MS) {
    for (const host of model.hosts) {
      if (window.hosts.length > 0 && !window.hosts.includes(host.id)) continue;
      const minute = { ...window, hosts: [host.id], fromMs: Math.max(window.fromMs, toMs - MINUTE_MS), toMs };
      const [, ...counts] = loggedBetween(model, minute, nowMs);
      const culprit = createCulprits(model, minute, nowMs);
      for (const [at, count] of counts.entries()) {
        const attack = fields[at] ?? '';
        if (filter.attacks.length > 0 && !filter.attacks.includes(attack)) continue;
        for (let n = 0; n < count; n++, total++) {
          if (total < skip || rows.length >= filter.pageSize) continue;
          rows.push(eventRow(host, attack, toMs - 1 - n * 500, total, culprit(attack, total)));
        }
      }
    }
  }
  return { total: Math.min(total, MAX_ROWS), items: rows };
}

function eventRow(host: TrafficHost, attack: string, time: number, n: number, source: Source | undefined) {
  return {
    id: `04-${time}-${n}`,
    time,
    sip: source?.ip ?? `203.0.113.${(n * 7) % 250}`,
    host: hostNameOf(host.name),
    host_id: host.id,
    url: `${source?.path ?? pathOf(attack)}?session=secret-${n}`,
    attack,
    rule: `${attack}-${100 + (n % 5)}`,
    payload_location: 'params',
    payload: 'x=1 OR 1=1',
    cookie: 'session=do-not-show',
    action: LOGGED_ONLY.includes(attack) ? 'log' : 'block',
    policyid: 'policy-1',
  };
}
