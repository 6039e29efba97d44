/** What pagers are told about an episode: its states as numbered pages, whose IDs stay the same in every retry. */
import { createHash } from 'node:crypto';

/** In the order in which they can follow each other; `worse` and `acknowledged` may come several times or not at all. */
export type PageState = 'begun' | 'worse' | 'acknowledged' | 'over';

export type PageLevel = 'elevated' | 'surge';

/** More attacks than usual, more of one category, or attacks or visitors missing. */
export type PageKind = 'attacks_high' | 'category_high' | 'attacks_gone' | 'visitors_gone';

/** One state of an episode. It's complete, so that it can be sent long after the watch has moved on. */
export interface EpisodePage {
  /** The same for all pages of an episode. */
  readonly key: string;
  /** From 1, without gaps. */
  readonly number: number;
  readonly state: PageState;
  /** When the watch noticed it. */
  readonly atMs: number;
  readonly channel: string;
  readonly watch: string;
  /** The watch's own ID of the episode. */
  readonly episode: string;
  /** The project's name, if there are several. */
  readonly project?: string;
  /** Those that the watch names; empty for all. */
  readonly hosts: readonly string[];
  /** The finding in one line, with its zone. */
  readonly summary: string;
  readonly kind: PageKind;
  readonly level: PageLevel;
  readonly onsetMs: number;
  readonly endMs: number | null;
  /** Attacks, events or visits so far, and how many were expected; `null` if unknown. */
  readonly total: number | null;
  readonly expected: number | null;
  /** The leading categories. */
  readonly categories: readonly string[];
  /** Who acknowledged it: a Slack user ID, or a name in PagerDuty. */
  readonly by?: { readonly name: string; readonly via: 'slack' | 'pagerduty' };
  /** Why it counts as over although that isn't known. */
  readonly reason?: 'no_longer_watched';
}

/** Letters, digits and dashes only, and short: every receiver accepts it. */
export const pageKeyOf = (job: string, episode: string, round: number): string =>
  `wafbot-${createHash('sha256').update(`${job}@${episode}@${round}`).digest('hex').slice(0, 32)}`;

/** What receivers recognize a repetition by. */
export const pageIdOf = ({ key, number }: Pick<EpisodePage, 'key' | 'number'>): string => `${key}-${number}`;

/** Where a watch leaves its pages. */
export interface PageQueue {
  /** The lowest level that pages. */
  readonly from: PageLevel;
  /** Stores them; those that are already stored change nothing. */
  put(pages: readonly EpisodePage[]): Promise<void>;
}

/**
 * The outcome of one attempt.
 * - `sent`: the pager has it
 * - `failed`: it may work later
 * - `refused`: it never will as long as nothing is corrected
 */
export type PageOutcome =
  | { readonly is: 'sent' }
  | { readonly is: 'failed'; readonly why: string; readonly retryAfterMs?: number }
  | { readonly is: 'refused'; readonly why: string };

export type PagerName = 'pagerduty' | 'alertmanager' | 'webhook';

/** One receiver. */
export interface Pager {
  readonly name: PagerName;
  /** For people. */
  readonly label: string;
  /** `first`: the episode's first page, for what must not change later. */
  send(page: EpisodePage, first: EpisodePage, now: Temporal.Instant): Promise<PageOutcome>;
  /** Sends an event that says it's a test. */
  test(id: string, now: Temporal.Instant): Promise<PageOutcome>;
  /** Whether it forgets what isn't repeated, so that the last page has to be sent again every minute. */
  readonly forgets?: boolean;
}

/** What people can see of the pagers and do about them. */
export interface PagerStatus {
  readonly label: string;
  /** Pages that are to be sent, and why the last attempt failed, if it did. */
  readonly waiting: number;
  readonly failing: string | null;
  /** Pages that were given up, and why the last one was. */
  readonly dead: number;
  readonly deadBecause: string | null;
}

export interface TestedPager {
  readonly label: string;
  readonly outcome: PageOutcome;
}

export interface PagerDesk {
  status(): Promise<readonly PagerStatus[]>;
  /** Sends a test event to each. */
  test(): Promise<readonly TestedPager[]>;
  /** Retries the pages that were given up. Resolves to how many there were. */
  sendAgain(): Promise<number>;
  /** Drops the pages that were given up. Resolves to how many there were. */
  drop(): Promise<number>;
}

/** The link that opens the channel in Slack, whatever the workspace. */
export const channelLink = (channel: string): string =>
  `https://slack.com/app_redirect?channel=${encodeURIComponent(channel)}`;

export const isoOf = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
