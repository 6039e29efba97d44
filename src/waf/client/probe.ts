/**
 * Checks for the doctor: are both services reachable, do the credentials work, is the clock right; and each query that
 * the verbs run, with what came back, what is missing and what that means.
 */
import { type Clock, elapsedMsOf, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { AttackActions, AttackEvents, ServerResponses } from '../../statistics/attack-details.ts';
import { type AttackSources, SOURCE_KINDS } from '../../statistics/attack-sources.ts';
import { categoryName, REST, totalOf } from '../../statistics/categories.ts';
import { capitalized, duration, formatCount, formatShare } from '../../statistics/format.ts';
import type { StatisticsQuery } from '../../statistics/statistics.ts';
import { type Distribution, SETTLE_MS, type Timeline } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { clockSkewMs } from '../auth/access-key.ts';
import type { TokenProvider } from '../auth/token-provider.ts';
import { choiceInWords, type DialectChoice } from '../dialects/choose.ts';
import type { Dialect, DialectName, QueryNotes } from '../dialects/dialect.ts';
import type { ServiceName } from '../rules.ts';
import type { WindowEdges } from '../wire/exchange.ts';
import { type HttpReply, ServiceFailure, timedOut } from './failure.ts';
import type { Peer, RetryPolicy } from './http.ts';
import type { AskedQueries } from './queries.ts';

interface ProbeOptions {
  readonly peers: { readonly statistics: Peer; readonly identity: Peer | undefined };
  readonly retries: Readonly<Record<ServiceName, RetryPolicy>>;
  readonly tokens: TokenProvider | undefined;
  readonly choose: () => Promise<DialectChoice>;
  readonly dialects: Readonly<Record<DialectName, Dialect>>;
  /** Queries with an empty cache. */
  readonly freshQueries: () => AskedQueries;
  readonly cached: Pick<AskedQueries, 'timeline'>;
  readonly hostNames: () => Promise<ProbeFinding>;
  readonly closing: AbortSignal;
  readonly now: () => number;
  /** For the time limits. */
  readonly clock: Clock;
}

const REACH_LIMIT_MS = 5_000;
/** As long as a question waits for one try. */
const CHECK_LIMIT_MS = 10_000;
/** For all checks: somebody waits for the doctor while things are at their worst. */
const PROBE_LIMIT_MS = 20_000;
/** Queries are in whole minutes, so a smaller skew does no harm. */
const CLOCK_TOLERANCE_MS = 60_000;

function bad(what: ProbeFinding['what'], error: unknown): ProbeFinding {
  if (!(error instanceof BotError)) throw error;
  return { what, ok: false, says: error.message, fix: error.hint };
}

type NoteTime = (reply: HttpReply) => void;

const REACHED: ProbeFinding = { what: 'identity service', ok: true, says: 'The identity service can be reached.' };

function paused(service: ServiceName, retries: RetryPolicy): ProbeFinding | undefined {
  const held = retries.heldBack();
  if (held?.why !== 'throttled') return undefined;
  const until = new Date(held.untilMs).toISOString().slice(11, 19);
  return {
    what: `${service} service`,
    ok: false,
    says: `The ${service} service asked for a pause until ${until} UTC.`,
    fix: 'Nothing to do now. If it happens often, use fewer watches and digests, or raise the limit at the service.',
  };
}

function clock(skewMs: number | undefined): ProbeFinding {
  if (skewMs === undefined)
    return { what: 'clock', ok: true, says: "The clock couldn't be checked, because no service sent its time." };
  const off = duration(Math.abs(skewMs), { units: ['minute', 'second'], rounding: 'whole', form: 'short' });
  if (Math.abs(skewMs) <= CLOCK_TOLERANCE_MS)
    return { what: 'clock', ok: true, says: `The clock is right (${off} off).` };
  return {
    what: 'clock',
    ok: false,
    says: `This machine's clock is ${off} ${skewMs > 0 ? 'ahead of' : 'behind'} the services.`,
    fix: 'Synchronize it: signatures more than 15 min off are refused, and "now" is wrong in every answer.',
  };
}

/** Any reply will do; no credentials are sent, so nothing can be locked. */
const reach = (peer: Peer, signal: AbortSignal) => peer.reach({ timeoutMs: REACH_LIMIT_MS, signal });

type LimitFor = (service: ServiceName, limitMs?: number) => WithinLimit;

/** Each check has its own limit, and all of them end with the last. */
function createLimits(clock: Clock, signal: AbortSignal): LimitFor {
  const elapsedMs = elapsedMsOf(clock);
  const deadlineMs = elapsedMs() + PROBE_LIMIT_MS;
  return (service, longestMs = CHECK_LIMIT_MS) =>
    (work) => {
      const leftMs = deadlineMs - elapsedMs();
      const limitMs = Math.max(1, Math.min(longestMs, leftMs));
      const late = (): never => {
        throw timedOut(service, limitMs);
      };
      return withTimeout(clock, limitMs, work, late, signal);
    };
}

export function createProbe({ peers, retries, tokens, now, ...options }: ProbeOptions) {
  const credentials = tokens === undefined ? 'access key' : 'token';

  async function probeToken(provider: TokenProvider, timed: NoteTime, limit: LimitFor): Promise<ProbeFinding[]> {
    const { identity } = peers;
    const findings: ProbeFinding[] = [];
    try {
      if (identity !== undefined) timed(await limit('identity', REACH_LIMIT_MS)((signal) => reach(identity, signal)));
      findings.push(paused('identity', retries.identity) ?? REACHED);
    } catch (error) {
      findings.push(bad('identity service', error));
    }
    const getToken = limit('identity')(() => provider.get());
    await getToken.catch((error: unknown) => void findings.push(bad('token', error)));
    return findings;
  }

  /** Statistics service, credentials, and each query on its own. */
  async function probeStatistics(within: WithinLimit): Promise<readonly ProbeFinding[]> {
    const pause = paused('statistics', retries.statistics);
    if (pause !== undefined) return [pause];
    const checking = { fresh: options.freshQueries(), cached: options.cached, now, within };
    const checks = await checkQueries(checking);
    const failure = commonFailure(checks);
    if (failure !== null) return [bad(failure.code === 'upstream_auth' ? credentials : 'statistics service', failure)];
    const hasTimeline = checks.some(({ what, is }) => what === 'timeline' && is === 'answered');
    const [service, history, hosts] = await Promise.all([
      probeDialect(within),
      hasTimeline ? checkHistory(checking) : null,
      within(options.hostNames).catch((error: unknown) => bad('host names', error)),
    ]);
    const { finding, notes } = service;
    const works: ProbeFinding = { what: credentials, ok: true, says: `The ${credentials} works.` };
    return [
      ...(checks.some(({ is }) => is === 'answered') ? [works, finding] : []),
      ...inOrder(checks, history).map((check) => findingOfCheck(check, notes)),
      { ...hosts, says: [hosts.says, ...notes.hosts].join(' ') },
    ];
  }

  /** How the statistics service answers, and what was learned about it. */
  async function probeDialect(within: WithinLimit): Promise<{ finding: ProbeFinding; notes: QueryNotes }> {
    const what = 'statistics service';
    try {
      return await within(async () => {
        const choice = await options.choose();
        const says = `The statistics service answers (${choiceInWords(choice)}).`;
        return { finding: { what, ok: true, says }, notes: await options.dialects[choice.dialect].notes() };
      });
    } catch (error) {
      return { finding: bad(what, error), notes: { timeline: [], categories: [], hosts: [] } };
    }
  }

  return async function probe(aborted?: AbortSignal): Promise<readonly ProbeFinding[]> {
    const signal = aborted === undefined ? options.closing : AbortSignal.any([aborted, options.closing]);
    const limit = createLimits(options.clock, signal);
    let skewMs: number | undefined;
    /** Of two services that disagree, the larger skew is reported. */
    const timed: NoteTime = ({ headers }) => {
      const found = clockSkewMs(headers, now());
      if (found !== undefined && Math.abs(found) >= Math.abs(skewMs ?? 0)) skewMs = found;
    };
    const reached = limit(
      'statistics',
      REACH_LIMIT_MS,
    )((ended) => reach(peers.statistics, ended)).then(timed, unlessBug);
    const findings = tokens === undefined ? [] : await probeToken(tokens, timed, limit);
    const hasToken = findings.every(({ what }) => what !== 'token');
    if (hasToken) findings.push(...(await probeStatistics(limit('statistics'))));
    await reached;
    return [...findings, clock(skewMs)];
  };
}

/** The history comes after the timeline that it is read from. */
const inOrder = ([timeline, ...others]: readonly QueryCheck[], history: QueryCheck | null): readonly QueryCheck[] =>
  [timeline, history, ...others].flatMap((check) => check ?? []);

function unlessBug(error: unknown): void {
  if (!(error instanceof BotError)) throw error;
}

export interface ProbeFinding {
  readonly what:
    | 'identity service'
    | 'token'
    | 'access key'
    | 'statistics service'
    | QueryName
    | 'host names'
    | 'clock';
  readonly ok: boolean;
  /** The state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
}

type QueryName =
  | 'timeline'
  | 'history'
  | 'categories'
  | 'sources'
  | 'blocked share'
  | 'server responses'
  | 'single events';

/** The result of one query. `limited`: the service doesn't offer it, which nobody can fix. */
export type QueryCheck = { readonly what: QueryName } & (
  | { readonly is: 'answered'; readonly says: readonly string[]; readonly fix?: string | undefined }
  | { readonly is: 'limited' | 'failed'; readonly error: BotError }
);

interface CheckOptions {
  /** Uncached, so that every run shows the present state. */
  readonly fresh: AskedQueries;
  /** Through the cache: weeks of history are read once a day at most. */
  readonly cached: Pick<AskedQueries, 'timeline'>;
  readonly now: () => number;
  readonly within: WithinLimit;
}

/** Runs a check with a time limit, so that a service that hangs costs seconds; its signal ends what is still under way. */
export type WithinLimit = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** More than the 30 days that many services keep, and the four weeks that a check compares with. */
const HISTORY_DAYS = 35;
const CHECKED_DAYS = 28;

/** What people miss while a query fails. */
const COSTS: Readonly<Record<QueryName, string>> = {
  timeline: '`timeline`, `check`, `compare` and digests show attacks by category only, and watches have no data.',
  history: '`check`, comparisons and watches have no earlier weeks to compare with.',
  categories: '`attacks` and `compare` show totals only, and a watch for one category has no data.',
  sources: "`who` can't show who attacks.",
  'blocked share': "`check` and `attacks` can't show it.",
  'server responses': "`incident` can't show them.",
  'single events': "`who` can't show them.",
};

const queryOf = ({ fromMs, toMs }: WindowEdges, signal: AbortSignal): StatisticsQuery => {
  const instant = Temporal.Instant.fromEpochMilliseconds;
  return { range: { from: instant(fromMs), to: instant(toMs) }, hosts: [], zone: 'UTC', freshOnly: true, signal };
};

const lastMidnight = (nowMs: number): number => Math.floor(nowMs / DAY_MS) * DAY_MS;

/** Every query once, for the last settled hour, or for yesterday if the service answers for whole days only. */
async function checkQueries({ fresh, within, now }: CheckOptions): Promise<readonly QueryCheck[]> {
  const nowMs = now();
  const toMs = Math.floor((nowMs - SETTLE_MS) / MINUTE_MS) * MINUTE_MS;
  const hour = { fromMs: toMs - HOUR_MS, toMs };
  const yesterday = { fromMs: lastMidnight(nowMs) - DAY_MS, toMs: lastMidnight(nowMs) };

  const recent = <A>(
    what: QueryName,
    ask: (query: StatisticsQuery) => Promise<A>,
    report: (answer: A, when: string) => Report,
  ): Promise<QueryCheck> =>
    check(what, within, async (signal) => {
      try {
        const answer = await ask(queryOf(hour, signal));
        return report(answer, `from ${clockTime(hour.fromMs)} to ${clockTime(hour.toMs)} UTC`);
      } catch (error) {
        if (!(error instanceof BotError) || error.reason?.is !== 'window_not_offered') throw error;
        return report(await ask(queryOf(yesterday, signal)), 'yesterday (UTC)');
      }
    });
  return Promise.all([
    recent('timeline', fresh.timeline, timelineReport),
    recent('categories', fresh.distribution, categoriesReport),
    recent('sources', fresh.sources, sourcesReport),
    recent('blocked share', fresh.actions, actionsReport),
    recent('server responses', fresh.responses, responsesReport),
    recent('single events', fresh.events, eventsReport),
  ]);
}

/** How far back the numbers go. */
function checkHistory({ cached, within, now }: CheckOptions): Promise<QueryCheck> {
  const nowMs = now();
  return check('history', within, async (signal) => {
    const daysBack = async (days: number): Promise<Report> => {
      const window = { fromMs: lastMidnight(nowMs) - days * DAY_MS, toMs: lastMidnight(nowMs) };
      return historyReport(await cached.timeline(queryOf(window, signal)), days, nowMs);
    };
    try {
      return await daysBack(HISTORY_DAYS);
    } catch (error) {
      if (!(error instanceof BotError) || error.code !== 'limit') throw error;
      return daysBack(CHECKED_DAYS);
    }
  });
}

/** The failure that all queries have in common; `null` if one was answered or they differ. */
function commonFailure(checks: readonly QueryCheck[]): BotError | null {
  if (checks.some(({ is }) => is === 'answered')) return null;
  const failures = checks.flatMap((each) => (each.is === 'failed' ? [each.error] : []));
  const kinds = new Set(failures.map(({ code, reason }) => `${code} ${reason?.is}`));
  return kinds.size === 1 ? (failures[0] ?? null) : null;
}

function findingOfCheck(check: QueryCheck, notes: QueryNotes): ProbeFinding {
  const { what } = check;
  if (check.is === 'answered') {
    const more = what === 'timeline' || what === 'categories' ? notes[what] : [];
    return { what, ok: true, says: [...check.says, ...more].join(' '), fix: check.fix };
  }
  const { error } = check;
  if (check.is === 'limited') return { what, ok: true, says: `${error.message} ${COSTS[what]}` };
  return { what, ok: false, says: `${failureWords(error)} ${COSTS[what]}`, fix: error.hint };
}

const MAX_WHY = 120;

/** `The bot's account isn't allowed to read this project's statistics (403).` */
function failureWords(error: BotError): string {
  const { message, reason } = error;
  if (reason?.is === 'unreadable_answer') return `${message.replace(/\.$/, '')}: ${reason.why.slice(0, MAX_WHY)}.`;
  const status = error instanceof ServiceFailure ? error.status : undefined;
  return status === undefined ? message : message.replace(/\.$/, ` (${status}).`);
}

interface Report {
  readonly says: readonly string[];
  readonly fix?: string | undefined;
}

async function check(
  what: QueryName,
  within: WithinLimit,
  work: (signal: AbortSignal) => Promise<Report>,
): Promise<QueryCheck> {
  try {
    return { what, is: 'answered', ...(await within(work)) };
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    return { what, is: error.code === 'limit' ? 'limited' : 'failed', error };
  }
}

const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

const amount = (count: number | null, what: string): string => {
  if (count === null) return `an unknown number of ${what}s`;
  return count === 1 ? `1 ${what}` : `${formatCount(count)} ${what}s`;
};

/** `null` if the service gave none at all. */
function sumOf({ points, totals }: Timeline, series: 'requests' | 'attacks'): number | null {
  if (totals != null) return totals[series];
  const numbers = points.flatMap((point) => point[series] ?? []);
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0);
}

function missingIntervals(timeline: Timeline): readonly string[] {
  const { fromMs, toMs, intervalMs, points, gaps = [] } = timeline;
  const goneMs = gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const expected = Math.round((toMs - fromMs - goneMs) / intervalMs);
  const missing = expected - points.filter(({ requests, attacks }) => requests !== null || attacks !== null).length;
  if (missing <= 0) return [];
  return [`${formatCount(missing)} of ${formatCount(expected)} intervals are missing: they are unknown, not zero.`];
}

function timelineReport(timeline: Timeline, when: string): Report {
  const { intervalMs, points, gaps = [] } = timeline;
  const [requests, attacks] = [sumOf(timeline, 'requests'), sumOf(timeline, 'attacks')];
  const step = duration(intervalMs, { form: 'short' });
  const isUnknown = (series: 'requests' | 'attacks'): boolean => points.every((point) => point[series] === null);
  const unknown = (['requests', 'attacks'] as const).filter(isUnknown);
  return {
    says: [
      `${capitalized(amount(requests, 'request'))} and ${amount(attacks, 'attack')} ${when}, in steps of ${step}.`,
      ...(unknown.length > 0 ? [`When the ${unknown.join(' and ')} came isn't known.`] : missingIntervals(timeline)),
      ...(gaps.some(({ reason }) => reason === 'steps')
        ? ['Steps that cross the edges of a window are left out.']
        : []),
    ],
    fix: requests === 0 ? 'If the sites have traffic, check WAF_PROJECT_ID and WAF_ENTERPRISE_PROJECT.' : undefined,
  };
}

function historyReport(timeline: Timeline, days: number, nowMs: number): Report {
  const begins = (timeline.gaps ?? []).flatMap(({ reason, toMs }) => (reason === 'retention' ? [toMs] : []));
  const missing = missingIntervals(timeline);
  if ((sumOf(timeline, 'requests') ?? 0) === 0) {
    return { says: [`No requests in the last ${days} days, so there is nothing to compare with.`] };
  }
  if (begins.length === 0) return { says: [`Numbers for the last ${days} days.`, ...missing] };
  const keptFromMs = Math.max(...begins);
  const kept = Math.round((nowMs - keptFromMs) / DAY_MS);
  const since = new Date(keptFromMs).toISOString().slice(0, 10);
  return { says: [`The service keeps ${kept} days: nothing before ${since} can be compared.`, ...missing] };
}

const MAX_NAMED = 5;

function categoriesReport(distribution: Distribution, when: string): Report {
  const { counts, limits = [], unknownCategories = [] } = distribution;
  const isGrouped = limits.includes('groups');
  const named = counts.filter(({ category, count }) => count > 0 && category !== REST).length;
  const what = isGrouped ? 'groups' : named === 1 ? 'category' : 'categories';
  const unknown = unknownCategories.slice(0, MAX_NAMED).map(categoryName).join(', ');
  const more = unknownCategories.length - MAX_NAMED;
  return {
    says: [
      `${amount(totalOf(distribution), 'attack')} in ${named} ${what} ${when}.`,
      ...(isGrouped ? ['It groups the categories into four: a single one is unknown, not zero.'] : []),
      ...(limits.includes('largest')
        ? ['It only gives the ten largest categories: any other is unknown, not zero.']
        : []),
      ...(unknown === '' ? [] : [`Not known: ${unknown}${more > 0 ? ` and ${more} more` : ''}. That isn't zero.`]),
    ],
  };
}

function sourcesReport(sources: AttackSources, when: string): Report {
  const given = SOURCE_KINDS.flatMap((kind) => {
    const list = sources[kind];
    return list === null ? [] : [`${list.length} ${kind}`];
  });
  const absent = SOURCE_KINDS.filter((kind) => sources[kind] === null);
  const missing = absent.length === 0 ? [] : [`\`who\` can't show ${absent.join(', ')}.`];
  return { says: [`The largest ${given.join(', ')} ${when}.`, ...missing] };
}

function actionsReport({ blocked, logged, other }: AttackActions, when: string): Report {
  const all = blocked + logged + other;
  const share = all === 0 ? '' : ` (${formatShare(blocked / all)})`;
  return { says: [`${formatCount(blocked)} of ${amount(all, 'attack')} blocked${share} ${when}.`] };
}

function responsesReport({ codes }: ServerResponses, when: string): Report {
  const all = codes.reduce((sum, { count }) => sum + count, 0);
  return { says: [`${amount(all, 'response')} with ${amount(codes.length, 'code')} ${when}.`] };
}

const eventsReport = ({ total, events }: AttackEvents, when: string): Report => ({
  says: [`The latest ${formatCount(events.length)} of ${amount(total, 'attack')} ${when}.`],
});
