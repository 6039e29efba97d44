/** The two queries of the statistics service, and who attacks, as every folder above `waf/` uses them. */
import type { Range } from '../time/index.ts';
import type { AttackSources } from './attack-sources.ts';
import type { Distribution, Timeline } from './timeline.ts';

export interface StatisticsQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  /** A failure rather than an earlier answer, for whoever can wait until the service is back. */
  readonly freshOnly?: boolean;
  readonly signal?: AbortSignal;
  /** Whose question it is for, so that nobody waits for the many questions of another. */
  readonly asker?: string;
}

/** The statistics service, as `waf/` offers it. */
export interface Statistics {
  timeline(query: StatisticsQuery): Promise<Timeline>;
  distribution(query: StatisticsQuery): Promise<Distribution>;
  /** Left out by numbers that cannot tell, such as recorded ones. */
  sources?(query: StatisticsQuery): Promise<AttackSources>;
}
