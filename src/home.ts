/** What the Home tab shows a person: their digests and watches, and the state of the service where they may ask for it. */
import type { Clock } from './clock.ts';
import { mayAsk, type Policy } from './commands/permissions.ts';
import type { Finding } from './commands/ports.ts';
import { type HomeEntry, homeEntries } from './commands/replies/subscription-lines.ts';
import type { Jobs } from './jobs.ts';
import type { Logger } from './observability/logger.ts';
import type { HomeContent } from './slack/blocks/home-view.ts';

interface HomeDeps {
  readonly jobs: Pick<Jobs, 'digests' | 'watches'>;
  readonly probeService: () => Promise<readonly Finding[]>;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly log: Logger;
}

/** People open the tab in passing, so it shows what was found for somebody else a moment ago. */
const KEEP_FINDINGS_MS = 60_000;
/** The tab belongs to no channel, so where channels are listed it is for admins. */
const NO_CHANNEL = '';

export function createHome({ jobs, probeService, policy, clock, log }: HomeDeps) {
  let kept: { readonly findings: Promise<readonly Finding[]>; readonly atMs: number } | undefined;

  function findings(): Promise<readonly Finding[]> {
    const nowMs = clock.now().epochMilliseconds;
    if (kept === undefined || nowMs - kept.atMs >= KEEP_FINDINGS_MS) kept = { findings: probeService(), atMs: nowMs };
    return kept.findings;
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

  return async function loadHome(user: string): Promise<HomeContent> {
    const isAllowed = mayAsk(policy, { channel: NO_CHANNEL, user });
    const [entries, service] = await Promise.all([entriesOf(user), isAllowed ? findings() : null]);
    return { entries, findings: service, answersIn: isAllowed ? null : policy.allowedChannels };
  };
}
