/** What the commands need from other folders. Their parts have these shapes, and `bot.ts` passes them in. */

import type { AttackSources } from '../insight/attack-sources.ts';
import type { Episode } from '../insight/episode.ts';
import type { Distribution, Timeline } from '../insight/timeline.ts';
import type { Range } from '../time/index.ts';
import type { Line, Reply } from './replies/reply.ts';

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

/** Records under keys, as `store/` offers them. A store that is down throws; it never reads as empty. */
export interface KeyValueStore<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): Promise<readonly (readonly [string, T])[]>;
}

/** How one run of a digest or a watch went. */
export interface RunSummary {
  readonly due: Temporal.Instant;
  /** When it finished. */
  readonly at: Temporal.Instant;
  readonly late: boolean;
  readonly ok: boolean;
  /** The outcome in words. */
  readonly says: string;
}

/** A digest or a watch as people see it. */
export interface SubscriptionSummary {
  readonly id: string;
  /** What it does and when, in words. */
  readonly what: string;
  readonly channel: string;
  readonly owner: string;
  readonly zone: string;
  /** `null` where there is only one. */
  readonly project: string | null;
  readonly hosts: readonly string[];
  readonly nextRuns: readonly Temporal.Instant[];
  readonly lastRun: RunSummary | null;
  /** Why and by whom it is paused; `null` while it runs. */
  readonly paused: { readonly by: string | null; readonly reason: string } | null;
  /** Whether people can choose how easily it calls. */
  readonly isTunable?: boolean;
  /** What else there is to know of it. */
  readonly more?: readonly Line[];
}

/** What came of the wish for a new one. */
export interface CreatedSubscription extends SubscriptionSummary {
  /** There was one for the same already, and nothing was made; `changed` where it was set as asked. */
  readonly existed?: 'as it is' | 'changed';
}

interface SubscriptionRequest {
  readonly channel: string;
  readonly owner: string;
  /** The whole sentence with all but the verb's own words blanked out, so that spans of faults stay true. */
  readonly text: string;
  readonly zone: string;
  /** As it is stored. */
  readonly project: string | null;
  readonly hosts: readonly string[];
}

/** A channel's digests or watches, as `subscriptions/` offers them. */
export interface Subscriptions {
  create(request: SubscriptionRequest): Promise<CreatedSubscription>;
  list(channel: string): Promise<readonly SubscriptionSummary[]>;
  listOwned(owner: string): Promise<readonly SubscriptionSummary[]>;
  pause(channel: string, id: string, by: string): Promise<SubscriptionSummary>;
  resume(channel: string, id: string): Promise<SubscriptionSummary>;
  remove(channel: string, id: string): Promise<SubscriptionSummary>;
  history(channel: string, id: string): Promise<readonly RunSummary[]>;
}

export interface Digests extends Subscriptions {
  /** What the next one would say. */
  preview(channel: string, id: string): Promise<Reply>;
  /** Posts one now, for the time since the last. */
  runNow(channel: string, id: string): Promise<void>;
}

export interface Watches extends Subscriptions {
  /** Whether it has an episode that is not over. */
  isOpen(channel: string, id: string): Promise<boolean>;
  acknowledge(channel: string, id: string, by: string): Promise<SubscriptionSummary>;
  /** Nothing new is posted until then. */
  snooze(channel: string, id: string, by: string, until: Temporal.Instant): Promise<SubscriptionSummary>;
  wake(channel: string, id: string): Promise<SubscriptionSummary>;
  setSensitivity(channel: string, id: string, word: string): Promise<SubscriptionSummary>;
  /** What somebody thinks of an episode, the last one where none is named; it moves the bar. `null` takes it back. */
  answer(channel: string, id: string, answer: EpisodeAnswer): Promise<Reply>;
  /** When it, or one like it, would have called in the last days. */
  preview(request: PreviewRequest): Promise<Reply>;
  /** What the channel's watches of a project saw in that time, the oldest first. */
  episodes(channel: string, range: Range, project: string | null): Promise<readonly ReportedEpisode[]>;
}

export interface EpisodeAnswer {
  readonly says: 'expected' | 'earlier' | null;
  readonly by: string;
  readonly episode: string | null;
}

export interface PreviewRequest {
  readonly channel: string;
  /** Of a watch that is there; else one would watch for anything on these hosts. */
  readonly id: string | null;
  /** As it is stored. */
  readonly project: string | null;
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly asker: string;
}

/** An episode with where to read about it. */
export interface ReportedEpisode extends Episode {
  readonly watch: string;
  /** Where the watch is for a number, which: `attacks over 500 per 15 minutes`; `null` where it is for anything odd. */
  readonly limit: string | null;
  /** Names as the watch has them; none means all of the project. */
  readonly hosts: readonly string[];
  /** When the channel was told. */
  readonly openedMs: number;
  /** Its first message in the channel; `null` where there was none. */
  readonly firstTs: string | null;
}

/** One thing the `doctor` examined. */
export interface Finding {
  /** Whose service it is about, where there are several. */
  readonly project?: string | null;
  readonly what: string;
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
  /** The command that may put it right. */
  readonly mends?: 'join';
}

/** Whether the bot is in a channel now; or what a person has to type there. */
export type JoinOutcome =
  | { readonly is: 'joined' | 'member' }
  | { readonly is: 'refused'; readonly invitation: string };

export interface Doctor {
  examine(channel: string): Promise<readonly Finding[]>;
}
