/** What a verb answers with: the question, the parsed sentence, and the services. */

import type { CommandTable } from '../grammar/command-table.ts';
import type { Host, HostNames } from '../grammar/hosts.ts';
import type { Sentence } from '../grammar/sentence.ts';
import type { PagerDesk } from '../pagers/page.ts';
import type { RequestedProject } from '../projects/choose-project.ts';
import type { AskedText, Policy } from '../projects/permissions.ts';
import type { Project, Projects } from '../projects/project.ts';
import type { Doctor } from '../replies/finding.ts';
import type { Mentioned } from '../replies/reply.ts';
import type { KeyValueStore } from '../store/create-store.ts';
import type { Digests } from '../subscriptions/digest/digest-commands.ts';
import type { LastHandover } from '../subscriptions/watch/handover.ts';
import type { Watches } from '../subscriptions/watch/watch-commands.ts';
import type { TypedRange } from '../time/index.ts';
import type { ChannelSettings, Conversations } from './channel-records.ts';

export interface Question extends AskedText {
  /** The asker's own zone, from their profile; `null` if unknown. */
  readonly userZone: string | null;
  /** The thread it was asked in; `null` outside of threads. Undefined where there is no conversation. */
  readonly thread?: string | null | undefined;
  /** The channel that the person is viewing: its settings apply where the question's channel has none. */
  readonly viewed?: string | undefined;
  /** How many processes ended before they had answered it. */
  readonly leftBehind?: number;
  /** Only these verbs answer it, and only if they change nothing; all do if omitted. */
  readonly verbs?: readonly string[];
  /** Asked by a program, which can't receive files. */
  readonly withoutFiles?: boolean;
  /** Called once it's understood, with its verb. */
  readonly onVerb?: (verb: string) => void;
}

export interface CommandDependencies {
  readonly projects: Projects;
  readonly settings: Pick<KeyValueStore<ChannelSettings>, 'get' | 'set' | 'delete'>;
  /** Without it, every question stands alone. */
  readonly conversations?: Conversations;
  readonly digests: Digests;
  readonly watches: Watches;
  readonly doctor: Doctor;
  /** `null` if there are none. */
  readonly pagers?: PagerDesk | null;
  /** The last handover of each channel; without it, each covers a day. */
  readonly handovers?: Pick<KeyValueStore<LastHandover>, 'get' | 'set'>;
  /** Rejects if a digest or watch could never be posted there. */
  readonly assertPostable: (channel: string) => Promise<void>;
  readonly joinChannel: (channel: string) => Promise<JoinOutcome>;
  /** The person or user group of that name or ID, without the `@`. Rejects if Slack doesn't answer. */
  readonly findMentioned: (name: string) => Promise<FoundMentioned>;
  readonly policy: Policy;
  readonly now: () => Temporal.Instant;
  /** The zone if neither the channel nor the asker has one. */
  readonly zone: string;
  /** The slash command's name, for examples that work when copied. */
  readonly command: string;
}

/** With the services of the question's project. */
type ContextDependencies = CommandDependencies & Pick<Project, 'statistics' | 'hosts' | 'lastVerdicts' | 'episodes'>;

/** With every host name of the project. */
export interface CommandContext extends Required<HostNames> {
  readonly question: Question;
  readonly sentence: Sentence;
  readonly project: Project;
  readonly versus: RequestedProject['versus'];
  /** The channel's settings; without its hosts if the question is about another project. */
  readonly settings: ChannelSettings;
  /** The channel that some of them are from, if it's another one. */
  readonly settingsFrom: string | null;
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly deps: ContextDependencies;
  readonly commands: CommandTable;
}

interface VersusSide {
  readonly is: 'project' | 'hosts';
  /** The project's name, or those of the hosts. */
  readonly label: string;
  readonly statistics: Project['statistics'];
  readonly hosts: readonly Host[];
}

/** For questions about a window: range and hosts are settled. */
export interface WindowContext extends CommandContext {
  readonly range: TypedRange;
  readonly hosts: readonly Host[];
  /** The project, or the other hosts, whose same window is the comparison. */
  readonly versusSide: VersusSide | null;
}

export type FoundMentioned =
  | Mentioned
  | {
      /** The names that are most like it. */
      readonly nearest: readonly string[];
      /** Why user groups are missing: the app may not read them, or the workspace has none. */
      readonly groups: 'listed' | 'missing_scope' | 'free_plan';
    };

/** Whether the bot is in the channel now, or what a person has to type there. */
export type JoinOutcome =
  | { readonly is: 'joined' | 'member' }
  | { readonly is: 'refused'; readonly invitation: string };
