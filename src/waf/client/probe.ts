/** For the doctor: can both services be reached, are the credentials valid, is the clock right; each with its cause. */
import { BotError } from '../../errors.ts';
import { duration } from '../../insight/numbers.ts';
import { clockSkewMs } from '../auth/access-key.ts';
import type { TokenProvider } from '../auth/token-provider.ts';
import type { AuthMethod } from '../rules.ts';
import type { HttpReply } from './failure.ts';
import type { HttpTransport } from './http.ts';
import { DISTRIBUTION_PATH } from './queries.ts';
import type { SendRequest } from './request.ts';

export interface ProbeFinding {
  readonly what: 'identity service' | 'token' | 'access key' | 'statistics service' | 'clock';
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
}

interface ProbeOptions {
  readonly method: AuthMethod;
  readonly iamUrl: string | undefined;
  readonly projectId: string;
  readonly transport: HttpTransport;
  readonly tokens: TokenProvider | undefined;
  readonly request: SendRequest;
  readonly now: () => number;
}

const TIMEOUT_MS = 5_000;
const WINDOW_MS = 5 * 60_000;
/** Queries are in whole minutes, so less than this does no harm. */
const CLOCK_TOLERANCE_MS = 60_000;

function bad(what: ProbeFinding['what'], error: unknown): ProbeFinding {
  if (!(error instanceof BotError)) throw error;
  return { what, ok: false, says: error.message, ...(error.hint === undefined ? {} : { fix: error.hint }) };
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
  const { transport, tokens, request, now, method, iamUrl } = options;

  /** Any reply will do; no credentials are sent, so nothing can be locked. */
  async function reachIdentity(signal: AbortSignal): Promise<{ finding: ProbeFinding; reply?: HttpReply }> {
    const what = 'identity service';
    const call = { service: 'identity', method: 'GET', url: `${iamUrl}/`, headers: {} } as const;
    const sent = await transport.send(call, TIMEOUT_MS, signal);
    if (!sent.ok) return { finding: bad(what, sent.failure.error) };
    return { finding: { what, ok: true, says: 'The identity service can be reached.' }, reply: sent.value };
  }

  return async function probe(signal: AbortSignal = new AbortController().signal): Promise<readonly ProbeFinding[]> {
    const findings: ProbeFinding[] = [];
    let skewMs: number | undefined;
    const timed = async (reply: HttpReply | undefined) => {
      if (reply !== undefined) skewMs = clockSkewMs(reply, now()) ?? skewMs;
    };
    const credentials = method === 'token' ? 'token' : 'access key';
    let valid = true;
    if (tokens !== undefined && iamUrl !== undefined) {
      const { finding, reply } = await reachIdentity(signal);
      findings.push(finding);
      await timed(reply);
      await tokens.get().catch((error: unknown) => {
        valid = false;
        findings.push(bad(credentials, error));
      });
    }
    if (valid) {
      const toMs = now();
      const query = [
        ['from', String(toMs - WINDOW_MS)],
        ['to', String(toMs)],
      ] as const;
      try {
        await timed(await request(`/v1/${encodeURIComponent(options.projectId)}/${DISTRIBUTION_PATH}`, query, signal));
        findings.push({ what: credentials, ok: true, says: `The ${credentials} is good.` });
        findings.push({ what: 'statistics service', ok: true, says: 'The statistics service answers.' });
      } catch (error) {
        const blamed = error instanceof BotError && error.code === 'upstream_auth';
        findings.push(bad(blamed ? credentials : 'statistics service', error));
        if (error instanceof BotError && typeof error.detail.skewMs === 'number') skewMs = error.detail.skewMs;
      }
    }
    return [...findings, clock(skewMs)];
  };
}
