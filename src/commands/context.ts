/** What a command is given: the question, the sentence it was understood as, and the services to answer it with. */

import type { CommandTable } from '../grammar/command-table.ts';
import type { Host, HostNames } from '../grammar/hosts.ts';
import type { Sentence } from '../grammar/sentence.ts';
import type { Policy } from '../projects/permissions.ts';
import type { Project, Projects } from '../projects/project.ts';
import type { Doctor } from '../replies/finding.ts';
import type { KeyValueStore } from '../store/key-value-store.ts';
import type { Digests } from '../subscriptions/digest/digest-commands.ts';
import type { Watches } from '../subscriptions/watch/watch-commands.ts';
import type { TypedRange } from '../time/index.ts';

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
  /** The name of the project asked about when a sentence names none. */
  readonly project?: string;
  /** Alias names or domain IDs of that project, asked for when a sentence names none. */
  readonly hosts?: readonly string[];
  readonly privately?: boolean;
}

export interface CommandDependencies {
  readonly projects: Projects;
  readonly settings: Pick<KeyValueStore<ChannelSettings>, 'get' | 'set' | 'delete'>;
  readonly digests: Digests;
  readonly watches: Watches;
  readonly doctor: Doctor;
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

/** With what belongs to the project that is asked about. */
type ContextDependencies = CommandDependencies & Pick<Project, 'statistics' | 'hosts' | 'lastVerdicts'>;

/** With every name that a host of the project can be called by. */
export interface CommandContext extends Required<HostNames> {
  readonly question: Question;
  readonly sentence: Sentence;
  readonly project: Project;
  /** The project it is compared with, and the host there where the sentence names one. */
  readonly versus: { readonly project: Project; readonly host: string | null } | null;
  /** What the channel prefers; its hosts only where its own project is asked about. */
  readonly settings: ChannelSettings;
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly deps: ContextDependencies;
  readonly commands: CommandTable;
}

/** For questions about a window: range and hosts are settled. */
export interface WindowContext extends CommandContext {
  readonly range: TypedRange;
  readonly hosts: readonly Host[];
  /** The same window there is what it is compared with. */
  readonly versusProject: (Pick<Project, 'label' | 'statistics'> & { readonly hosts: readonly Host[] }) | null;
}

/** Whether the bot is in a channel now; or what a person has to type there. */
export type JoinOutcome =
  | { readonly is: 'joined' | 'member' }
  | { readonly is: 'refused'; readonly invitation: string };
