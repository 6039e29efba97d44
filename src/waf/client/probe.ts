/** For the doctor: can both services be reached, are the credentials valid, is the clock right; each with its cause. */
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { clockSkewMs } from '../auth/access-key.ts';
import type { TokenProvider } from '../auth/token-provider.ts';
import { choiceInWords, type DialectChoice } from '../dialects/choose.ts';
import type { Dialect, DialectName } from '../dialects/dialect.ts';
import type { AuthMethod, ServiceName } from '../rules.ts';
import type { HttpReply } from './failure.ts';
import type { HttpTransport, RetryPolicy } from './http.ts';

export interface ProbeFinding {
  readonly what: 'identity service' | 'token' | 'access key' | 'statistics service' | 'host names' | 'clock';
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
}

interface ProbeOptions {
  readonly method: AuthMethod;
  readonly baseUrl: string;
  readonly iamUrl: string | undefined;
  readonly transport: HttpTransport;
  readonly retries: Readonly<Record<ServiceName, RetryPolicy>>;
  readonly tokens: TokenProvider | undefined;
  readonly choose: () => Promise<DialectChoice>;
  readonly dialects: Readonly<Record<DialectName, Dialect>>;
  /** What is known of the list of hosts. */
  readonly hostNames: () => Promise<readonly ProbeFinding[]>;
  readonly now: () => number;
}

const TIMEOUT_MS = 5_000;
/** Queries are in whole minutes, so less than this does no harm. */
const CLOCK_TOLERANCE_MS = 60_000;

function bad(what: ProbeFinding['what'], error: unknown): ProbeFinding {
  if (!(error instanceof BotError)) throw error;
  return { what, ok: false, says: error.message, fix: error.hint };
}

/** The service has asked for a pause; the person who waits for numbers wants to know until when. */
function held(service: ServiceName, untilMs: number): ProbeFinding {
  const until = new Date(untilMs).toISOString().slice(11, 19);
  return {
    what: `${service} service`,
    ok: false,
    says: `The ${service} service asked for a pause, so it is asked nothing until ${until} UTC.`,
    fix: 'Nothing now; if it comes often, fewer watches and digests, or a higher limit at the service.',
  };
}

function clock(skewMs: number | undefined): ProbeFinding {
  if (skewMs === undefined) return { what: 'clock', ok: true, says: 'No service said what time it is.' };
  const off = duration(Math.abs(skewMs), { units: ['minute', 'second'], rounding: 'whole', form: 'short' });
  if (Math.abs(skewMs) <= CLOCK_TOLERANCE_MS)
    return { what: 'clock', ok: true, says: `The clock is right (${off} off).` };
  return {
    what: 'clock',
    ok: false,
    says: `The clock of this machine is ${off} ${skewMs > 0 ? 'ahead of' : 'behind'} the services.`,
    fix: 'Synchronise it; signatures more than 15 min off are refused, and "now" is wrong in every answer.',
  };
}

export function createProbe(options: ProbeOptions) {
  const { transport, retries, tokens, now, method, iamUrl, baseUrl } = options;

  /** Any reply will do; no credentials are sent, so nothing can be locked. */
  const reach = (service: ServiceName, url: string, signal: AbortSignal) =>
    transport.send({ service, method: 'GET', url: `${url}/`, headers: {} }, TIMEOUT_MS, signal);

  return async function probe(signal: AbortSignal = new AbortController().signal): Promise<readonly ProbeFinding[]> {
    const findings: ProbeFinding[] = [];
    let skewMs: number | undefined;
    /** Of two services that disagree, the one that finds more at fault is told. */
    const timed = (reply: HttpReply) => {
      const found = clockSkewMs(reply, now());
      if (found !== undefined && Math.abs(found) >= Math.abs(skewMs ?? 0)) skewMs = found;
    };
    const credentials = method === 'token' ? 'token' : 'access key';
    let valid = true;
    if (tokens !== undefined && iamUrl !== undefined) {
      const sent = await reach('identity', iamUrl, signal);
      if (sent.ok) timed(sent.value);
      const pauseUntilMs = retries.identity.heldUntilMs();
      const reached: ProbeFinding = {
        what: 'identity service',
        ok: true,
        says: 'The identity service can be reached.',
      };
      if (!sent.ok) findings.push(bad('identity service', sent.failure.error));
      else findings.push(pauseUntilMs === null ? reached : held('identity', pauseUntilMs));
      await tokens.get().catch((error: unknown) => {
        valid = false;
        findings.push(bad(credentials, error));
      });
    }
    const pauseUntilMs = retries.statistics.heldUntilMs();
    if (valid && pauseUntilMs !== null) findings.push(held('statistics', pauseUntilMs));
    else if (valid) {
      const choice = await options.choose();
      const dialect = options.dialects[choice.dialect];
      try {
        timed(await dialect.ping(now(), signal));
        const found = [`The statistics service answers (${choiceInWords(choice)}).`, ...(await dialect.findings())];
        findings.push({ what: credentials, ok: true, says: `The ${credentials} is good.` });
        findings.push({ what: 'statistics service', ok: true, says: found.join(' ') });
        findings.push(...(await options.hostNames()));
      } catch (error) {
        const blamed = error instanceof BotError && error.code === 'upstream_auth';
        findings.push(bad(blamed ? credentials : 'statistics service', error));
      }
    }
    // A refused key is not tried again for a while, but the time can be asked for without it.
    if (skewMs === undefined) {
      const sent = await reach('statistics', baseUrl, signal);
      if (sent.ok) timed(sent.value);
    }
    return [...findings, clock(skewMs)];
  };
}
