/** Checks for the doctor: are both services reachable, do the credentials work, is the clock right. */
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { clockSkewMs } from '../auth/access-key.ts';
import type { TokenProvider } from '../auth/token-provider.ts';
import { choiceInWords, type DialectChoice } from '../dialects/choose.ts';
import type { Dialect, DialectName } from '../dialects/dialect.ts';
import type { ServiceName } from '../rules.ts';
import type { HttpReply } from './failure.ts';
import type { Peer } from './http.ts';
import type { RetryPolicy } from './retry-policy.ts';

export interface ProbeFinding {
  readonly what: 'identity service' | 'token' | 'access key' | 'statistics service' | 'host names' | 'clock';
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
}

interface ProbeOptions {
  readonly peers: { readonly statistics: Peer; readonly identity: Peer | undefined };
  readonly retries: Readonly<Record<ServiceName, RetryPolicy>>;
  readonly tokens: TokenProvider | undefined;
  readonly choose: () => Promise<DialectChoice>;
  readonly dialects: Readonly<Record<DialectName, Dialect>>;
  /** What is known about the list of hosts. */
  readonly hostNames: () => Promise<readonly ProbeFinding[]>;
  readonly now: () => number;
}

const TIMEOUT_MS = 5_000;
/** Queries are in whole minutes, so a smaller skew does no harm. */
const CLOCK_TOLERANCE_MS = 60_000;

function bad(what: ProbeFinding['what'], error: unknown): ProbeFinding {
  if (!(error instanceof BotError)) throw error;
  return { what, ok: false, says: error.message, fix: error.hint };
}

type NoteTime = (reply: HttpReply) => void;

const REACHED: ProbeFinding = { what: 'identity service', ok: true, says: 'The identity service can be reached.' };

/** The pause that the service asked for, if there is one. */
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
const reach = (peer: Peer, signal: AbortSignal) => peer.reach({ timeoutMs: TIMEOUT_MS, signal });

export function createProbe({ peers, retries, tokens, now, ...options }: ProbeOptions) {
  const credentials = tokens === undefined ? 'access key' : 'token';

  /** Identity service and token. */
  async function probeToken(provider: TokenProvider, timed: NoteTime, signal: AbortSignal): Promise<ProbeFinding[]> {
    const findings: ProbeFinding[] = [];
    try {
      if (peers.identity !== undefined) timed(await reach(peers.identity, signal));
      findings.push(paused('identity', retries.identity) ?? REACHED);
    } catch (error) {
      findings.push(bad('identity service', error));
    }
    await provider.get().catch((error: unknown) => void findings.push(bad('token', error)));
    return findings;
  }

  /** Statistics service, credentials and host names. */
  async function probeStatistics(timed: NoteTime, signal: AbortSignal): Promise<readonly ProbeFinding[]> {
    const pause = paused('statistics', retries.statistics);
    if (pause !== undefined) return [pause];
    const choice = await options.choose();
    const dialect = options.dialects[choice.dialect];
    try {
      timed(await dialect.ping(now(), signal));
      const found = [`The statistics service answers (${choiceInWords(choice)}).`, ...(await dialect.findings())];
      return [
        { what: credentials, ok: true, says: `The ${credentials} works.` },
        { what: 'statistics service', ok: true, says: found.join(' ') },
        ...(await options.hostNames()),
      ];
    } catch (error) {
      const blamed = error instanceof BotError && error.code === 'upstream_auth';
      return [bad(blamed ? credentials : 'statistics service', error)];
    }
  }

  return async function probe(signal: AbortSignal = new AbortController().signal): Promise<readonly ProbeFinding[]> {
    let skewMs: number | undefined;
    /** Of two services that disagree, the larger skew is reported. */
    const timed: NoteTime = ({ headers }) => {
      const found = clockSkewMs(headers, now());
      if (found !== undefined && Math.abs(found) >= Math.abs(skewMs ?? 0)) skewMs = found;
    };
    const findings = tokens === undefined ? [] : await probeToken(tokens, timed, signal);
    const hasToken = findings.every(({ what }) => what !== 'token');
    if (hasToken) findings.push(...(await probeStatistics(timed, signal)));
    // A refused key is not tried again for a while, but the service tells the time without it.
    if (skewMs === undefined) await reach(peers.statistics, signal).then(timed, unlessBug);
    return [...findings, clock(skewMs)];
  };
}

function unlessBug(error: unknown): void {
  if (!(error instanceof BotError)) throw error;
}
