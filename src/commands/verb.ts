/** What a verb is given and what it must return. */
import type { ParsedRange } from '../time/index.ts';
import type { Host } from './grammar/hosts.ts';
import type { Sentence } from './grammar/sentence.ts';
import type {
  ChannelSettings,
  Digests,
  Doctor,
  HostAlias,
  KeyValueStore,
  Policy,
  Statistics,
  Watches,
} from './ports.ts';
import type { Question } from './question.ts';
import type { Reply } from './replies/reply.ts';

export interface CommandDependencies {
  readonly statistics: Statistics;
  readonly hosts: KeyValueStore<HostAlias>;
  readonly settings: KeyValueStore<ChannelSettings>;
  readonly digests: Digests;
  readonly watches: Watches;
  readonly doctor: Doctor;
  readonly policy: Policy;
  readonly now: () => Temporal.Instant;
  /** The zone where neither the channel nor the asker has one. */
  readonly zone: string;
  /** The slash command's name, for examples that work when copied. */
  readonly command: string;
}

/** A sentence in its surroundings. */
export interface Ask {
  readonly question: Question;
  readonly sentence: Sentence;
  readonly settings: ChannelSettings;
  readonly aliases: readonly HostAlias[];
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly deps: CommandDependencies;
}

/** A question about a window: range and hosts are settled. */
export interface WindowAsk extends Ask {
  readonly range: ParsedRange;
  readonly hosts: readonly Host[];
}

export type VerbHandler = (ask: Ask) => Promise<Reply>;
export type WindowVerbHandler = (ask: WindowAsk) => Promise<Reply>;
