/** Checks for the doctor: are both services reachable, do the credentials and all queries work, is the clock right. */
import { type Clock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { clockSkewMs } from '../auth/access-key.ts';
import type { TokenProvider } from '../auth/token-provider.ts';
import { choiceInWords, type DialectChoice } from '../dialects/choose.ts';
import type { Dialect, DialectName, QueryNotes } from '../dialects/dialect.ts';
import type { ServiceName } from '../rules.ts';
import { type HttpReply, timedOut } from './failure.ts';
import type { Peer, RetryPolicy } from './http.ts';
import type { AskedQueries } from './queries.ts';
import {
  checkHistory,
  checkQueries,
  commonFailure,
  findingOfCheck,
  type ProbeFinding,
  type QueryCheck,
  type WithinLimit,
} from './query-checks.ts';

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
  const untilMs = retries.pausedUntilMs();
  if (untilMs === null) return undefined;
  const until = new Date(untilMs).toISOString().slice(11, 19);
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
  const deadlineMs = clock.now().epochMilliseconds + PROBE_LIMIT_MS;
  return (service, longestMs = CHECK_LIMIT_MS) =>
    (work) => {
      const leftMs = deadlineMs - clock.now().epochMilliseconds;
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
