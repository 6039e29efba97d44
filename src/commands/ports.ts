/** What the commands need from the rest of the house. Adapters satisfy these shapes; `app.ts` joins them. */
import type { Distribution, Timeline } from '../insight/timeline.ts';
import type { Range } from '../time/range.ts';

export interface StatisticsQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly signal?: AbortSignal;
}

/** The statistics service, as `waf/` offers it. */
export interface Statistics {
  timeline(query: StatisticsQuery): Promise<Timeline>;
  distribution(query: StatisticsQuery): Promise<Distribution>;
}

/** A place to keep records under keys, as `store/` offers it. A dead store throws; it never reads as empty. */
export interface Shelf<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): Promise<readonly (readonly [string, T])[]>;
}

/** A name that people use for a domain ID. Shared by the whole workspace. */
export interface HostAlias {
  readonly name: string;
  readonly id: string;
  readonly addedBy: string;
}

export interface ChannelSettings {
  readonly zone?: string;
  /** Alias names or domain IDs asked for when a sentence names none. */
  readonly hosts?: readonly string[];
  readonly privately?: boolean;
}

/** One thing the `doctor` looked at. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
}

export interface Doctor {
  examine(channel: string): Promise<readonly Finding[]>;
}

export interface Policy {
  /** `null`: everyone may. */
  readonly allowedChannels: readonly string[] | null;
  readonly admins: readonly string[] | null;
}
