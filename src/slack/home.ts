/**
 * What the Home tab shows a person: whether there is an attack, cached for everyone for a minute, and their own digests and
 * watches. The service is diagnosed only if it returns no numbers.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, epochMsOf, withTimeout } from '../clock.ts';
import { assess } from '../episodes/assess.ts';
import { leadOf } from '../episodes/episode-log.ts';
import { BotError, nullIfUnavailable } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { mayAsk, mayAskAbout, type Policy } from '../projects/permissions.ts';
import type { Project, Projects } from '../projects/project.ts';
import type { Finding } from '../replies/finding.ts';
import { lastSettledMinute } from '../statistics/timeline.ts';
import type { Jobs } from '../subscriptions/jobs.ts';
import { type HomeEntry, homeEntries } from '../subscriptions/subscription-lines.ts';
import { MINUTE_MS } from '../time-units.ts';
import type { HomeContent, ProjectSituation, Situation } from './blocks/home-view.ts';

interface HomeDeps {
  readonly jobs: Pick<Jobs, 'digests' | 'watches'>;
  readonly projects: Projects;
  readonly probeService: (project: Project) => Promise<readonly Finding[]>;
  readonly policy: Policy;
  readonly clock: Clock;
  /** The operator's: what everyone sees can't be in each reader's own zone. */
  readonly zone: string;
  readonly log: Logger;
}

/** People open the tab in passing, so it may show what was found for someone else a moment ago. */
const CACHE_MS = MINUTE_MS;
const MAX_PROJECTS = 1_000;
/** After this, the tab is shown without what the service hasn't answered yet. */
export const HOME_WAIT_MS = 1_500;

/** Unknown ranks above calm. */
function severity(found: ProjectSituation): number {
  if (found.is === 'unknown') return 1;
  const lead = leadOf(found.episodes);
  if (lead === undefined) return found.verdict.level === 'not_enough_data' ? 1 : 0;
  return (lead.worst === 'surge' ? 3 : 2) + (lead.endMs === null ? 2 : 0);
}

/** The tab belongs to no channel, so if the bot is restricted to channels only admins see the situation. */
const NO_CHANNEL = '';

export function createHome(deps: HomeDeps) {
  const { jobs, projects, probeService, policy, clock, zone, log } = deps;
  const cached = new LRUCache<Project, Promise<ProjectSituation>>({
    max: MAX_PROJECTS,
    ttl: CACHE_MS,
    ttlResolution: 0,
    perf: { now: epochMsOf(clock) },
  });

  async function evaluate(project: Project): Promise<ProjectSituation> {
    const { statistics, episodes, lastVerdicts, label } = project;
    const now = clock.now().round({ smallestUnit: 'minute', roundingMode: 'floor' });
    const since = (hours: number) => ({ range: { from: now.subtract({ hours }), to: now }, hosts: [], zone });
    const day = since(24);
    try {
      const [assessment, counted] = await Promise.all([
        assess({ statistics, episodes }, since(1)),
        // As `timeline last 24h` counts it: up to the last minute that is settled.
        nullIfUnavailable(statistics.timeline({ ...day, range: { ...day.range, to: lastSettledMinute(now) } })),
      ]);
      // Numbers from before an outage don't show the current state.
      if (assessment.timeline.stale) throw new BotError('upstream_unavailable', 'The service doesn’t answer.');
      lastVerdicts.remember([], assessment);
      const { verdict, episodes: found } = assessment;
      return { is: 'known', project: label, verdict, episodes: found, day: counted };
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      const findings = await probeService(project);
      const last = lastVerdicts.recall([]) ?? null;
      return { is: 'unknown', project: label, why: error.message, last, faults: findings.filter(({ ok }) => !ok) };
    }
  }

  function situationOf(project: Project): Promise<ProjectSituation> {
    const known = cached.get(project);
    if (known !== undefined) return known;
    const situation = evaluate(project);
    cached.set(project, situation);
    // A bug is reported to the caller, not cached.
    situation.catch(() => cached.delete(project));
    return situation;
  }

  /** The worst of the projects that a person may ask about, and the others. */
  async function situation(user: string): Promise<Situation | null> {
    const usable = projects.filter((project) => mayAskAbout(project, policy, { channel: NO_CHANNEL, user }));
    const found = await Promise.all(usable.map(situationOf));
    const [worst, ...others] = found.toSorted((a, b) => severity(b) - severity(a));
    return worst === undefined ? null : { ...worst, others };
  }

  /** `null` if they can't be read: the rest of the tab is shown anyway. */
  async function entriesOf(user: string): Promise<HomeEntry[] | null> {
    try {
      const [own, watched] = await Promise.all([jobs.digests.listOwned(user), jobs.watches.listOwned(user)]);
      const entries = [...homeEntries(own, 'digest'), ...homeEntries(watched, 'watch')];
      return entries.filter(({ channel }) => mayAsk(policy, { channel, user }));
    } catch (error) {
      log.warn({ err: error }, 'could not read digests and watches for the Home tab');
      return null;
    }
  }

  /** Yields twice if the service is slow, so that nobody waits in front of an empty tab. */
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
