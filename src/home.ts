/**
 * What the Home tab shows a person: whether there is an attack, as it was found for everyone a moment ago, and their own
 * digests and watches. The service is examined only where it gave no numbers.
 */
import { type Clock, withTimeout } from './clock.ts';
import { assess } from './commands/assess.ts';
import type { LastVerdicts } from './commands/last-verdicts.ts';
import { mayAsk, type Policy } from './commands/permissions.ts';
import type { Finding, Statistics } from './commands/ports.ts';
import { type HomeEntry, homeEntries } from './commands/replies/subscription-lines.ts';
import { BotError, nullIfUnavailable } from './errors.ts';
import type { Jobs } from './jobs.ts';
import type { Logger } from './observability/logger.ts';
import type { HomeContent, Situation } from './slack/blocks/home-view.ts';

interface HomeDeps {
  readonly jobs: Pick<Jobs, 'digests' | 'watches'>;
  readonly statistics: Statistics;
  readonly lastVerdicts: LastVerdicts;
  readonly probeService: () => Promise<readonly Finding[]>;
  readonly policy: Policy;
  readonly clock: Clock;
  /** Of the operator: what everyone sees cannot be in the zone of each. */
  readonly zone: string;
  readonly log: Logger;
}

/** People open the tab in passing, so it shows what was found for somebody else a moment ago. */
const KEEP_MS = 60_000;
/** Then the tab is shown without what the service has not answered yet. */
export const HOME_WAIT_MS = 1_500;
/** The tab belongs to no channel, so where channels are listed it is for admins. */
const NO_CHANNEL = '';

export function createHome(deps: HomeDeps) {
  const { jobs, statistics, lastVerdicts, probeService, policy, clock, zone, log } = deps;
  let kept: { readonly situation: Promise<Situation>; readonly atMs: number } | undefined;

  async function look(): Promise<Situation> {
    const now = clock.now().round({ smallestUnit: 'minute', roundingMode: 'floor' });
    const since = (hours: number) => ({ range: { from: now.subtract({ hours }), to: now }, hosts: [], zone });
    try {
      const [assessment, day] = await Promise.all([
        assess(statistics, since(1)),
        nullIfUnavailable(statistics.timeline(since(24))),
      ]);
      lastVerdicts.remember([], assessment);
      return { is: 'known', verdict: assessment.verdict, day };
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      const findings = await probeService();
      const last = lastVerdicts.recall([]) ?? null;
      return { is: 'unknown', why: error.message, last, faults: findings.filter(({ ok }) => !ok) };
    }
  }

  function situation(): Promise<Situation> {
    const nowMs = clock.now().epochMilliseconds;
    if (kept === undefined || nowMs - kept.atMs >= KEEP_MS) {
      kept = { situation: look(), atMs: nowMs };
      // A bug is thrown to whoever waits for it, and not kept.
      kept.situation.catch(() => {
        kept = undefined;
      });
    }
    return kept.situation;
  }

  /** `null` when they cannot be read: the rest of the Home tab is shown all the same. */
  async function entriesOf(user: string): Promise<HomeEntry[] | null> {
    try {
      const [own, watched] = await Promise.all([jobs.digests.listOwned(user), jobs.watches.listOwned(user)]);
      const entries = [...homeEntries(own, 'digest'), ...homeEntries(watched, 'watch')];
      return entries.filter(({ channel }) => mayAsk(policy, { channel, user }));
    } catch (error) {
      log.warn({ err: error }, 'digests and watches cannot be read');
      return null;
    }
  }

  /** Twice where the service takes its time: nobody waits for it in front of an empty tab. */
  return async function* loadHome(user: string): AsyncGenerator<HomeContent> {
    const isAllowed = mayAsk(policy, { channel: NO_CHANNEL, user });
    const answersIn = isAllowed ? null : policy.allowedChannels;
    const found = isAllowed ? situation() : Promise.resolve(null);
    const entries = await entriesOf(user);
    const inTime = await withTimeout<Situation | null>(
      clock,
      HOME_WAIT_MS,
      () => found,
      () => ({ is: 'pending' }),
    );
    yield { entries, situation: inTime, answersIn };
    if (inTime?.is === 'pending') yield { entries, situation: await found, answersIn };
  };
}
