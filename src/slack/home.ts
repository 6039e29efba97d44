/**
 * What the Home tab shows a person: whether there is an attack, as it was found for everyone a moment ago, and their own
 * digests and watches. The service is examined only where it gave no numbers.
 */
import { type Clock, withTimeout } from '../clock.ts';
import { assess } from '../episodes/assess.ts';
import { BotError, nullIfUnavailable } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { mayAsk, mayAskAbout, type Policy } from '../projects/permissions.ts';
import type { Project, Projects } from '../projects/project.ts';
import type { Finding } from '../replies/finding.ts';
import type { Jobs } from '../subscriptions/jobs.ts';
import { type HomeEntry, homeEntries } from '../subscriptions/subscription-lines.ts';
import type { HomeContent, ProjectSituation, Situation } from './blocks/home-view.ts';

interface HomeDeps {
  readonly jobs: Pick<Jobs, 'digests' | 'watches'>;
  readonly projects: Projects;
  readonly probeService: (project: Project) => Promise<readonly Finding[]>;
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
/** What is not known is worse than calm: nobody can say that it is. */
function badness(found: ProjectSituation): number {
  if (found.is === 'unknown' || found.verdict.level === 'not_enough_data') return 1;
  const { level, ongoing } = found.verdict;
  if (level === 'calm') return 0;
  return (level === 'surge' ? 3 : 2) + (ongoing === false ? 0 : 2);
}

/** The tab belongs to no channel, so where channels are listed it is for admins. */
const NO_CHANNEL = '';

export function createHome(deps: HomeDeps) {
  const { jobs, projects, probeService, policy, clock, zone, log } = deps;
  const kept = new Map<Project, { readonly situation: Promise<ProjectSituation>; readonly atMs: number }>();

  async function look(project: Project): Promise<ProjectSituation> {
    const { statistics, lastVerdicts, label } = project;
    const now = clock.now().round({ smallestUnit: 'minute', roundingMode: 'floor' });
    const since = (hours: number) => ({ range: { from: now.subtract({ hours }), to: now }, hosts: [], zone });
    try {
      const [assessment, day] = await Promise.all([
        assess(statistics, since(1)),
        nullIfUnavailable(statistics.timeline(since(24))),
      ]);
      lastVerdicts.remember([], assessment);
      return { is: 'known', project: label, verdict: assessment.verdict, day };
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      const findings = await probeService(project);
      const last = lastVerdicts.recall([]) ?? null;
      return { is: 'unknown', project: label, why: error.message, last, faults: findings.filter(({ ok }) => !ok) };
    }
  }

  function situationOf(project: Project): Promise<ProjectSituation> {
    const nowMs = clock.now().epochMilliseconds;
    const known = kept.get(project);
    if (known !== undefined && nowMs - known.atMs < KEEP_MS) return known.situation;
    const situation = look(project);
    kept.set(project, { situation, atMs: nowMs });
    // A bug is thrown to whoever waits for it, and not kept.
    situation.catch(() => kept.delete(project));
    return situation;
  }

  /** The worst of all that a person may ask about, with how the others are. */
  async function situation(user: string): Promise<Situation | null> {
    const usable = projects.filter((project) => mayAskAbout(project, policy, { channel: NO_CHANNEL, user }));
    const found = await Promise.all(usable.map(situationOf));
    const [worst, ...others] = found.toSorted((a, b) => badness(b) - badness(a));
    return worst === undefined ? null : { ...worst, others };
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
    const found = isAllowed ? situation(user) : Promise.resolve(null);
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
