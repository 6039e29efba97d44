/** What a command is given: the question, the sentence it was understood as, and the services to answer it with. */
import type { TypedRange } from '../time/index.ts';
import type { Host, HostAlias } from './grammar/hosts.ts';
import type { Sentence } from './grammar/sentence.ts';
import type { LastVerdicts } from './last-verdicts.ts';
import type { Policy } from './permissions.ts';
import type { Digests, Doctor, JoinOutcome, KeyValueStore, Statistics, Watches } from './ports.ts';

/** A question with everything about the asker that an answer depends on. */
export interface Question {
  readonly text: string;
  readonly user: string;
  readonly channel: string;
  /** The asker's own zone, from their profile; `null` where it is not known. */
  readonly userZone: string | null;
}

/** What a channel prefers, as it is stored. */
export interface ChannelSettings {
  readonly zone?: string;
  /** Alias names or domain IDs asked for when a sentence names none. */
  readonly hosts?: readonly string[];
  readonly privately?: boolean;
}

export interface CommandDependencies {
  readonly statistics: Statistics;
  readonly hosts: Pick<KeyValueStore<HostAlias>, 'entries' | 'set' | 'delete'>;
  readonly settings: Pick<KeyValueStore<ChannelSettings>, 'get' | 'set' | 'delete'>;
  readonly digests: Digests;
  readonly watches: Watches;
  readonly doctor: Doctor;
  readonly lastVerdicts: LastVerdicts;
  /** Rejects where a digest or watch could never be posted. */
  readonly assertPostable: (channel: string) => Promise<void>;
  readonly joinChannel: (channel: string) => Promise<JoinOutcome>;
  readonly policy: Policy;
  readonly now: () => Temporal.Instant;
  /** The zone where neither the channel nor the asker has one. */
  readonly zone: string;
  /** The slash command's name, for examples that work when copied. */
  readonly command: string;
}

export interface CommandContext {
  readonly question: Question;
  readonly sentence: Sentence;
  readonly settings: ChannelSettings;
  readonly aliases: readonly HostAlias[];
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly deps: CommandDependencies;
}

/** For questions about a window: range and hosts are settled. */
export interface WindowContext extends CommandContext {
  readonly range: TypedRange;
  readonly hosts: readonly Host[];
}
