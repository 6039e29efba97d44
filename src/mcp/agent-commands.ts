/** The commands as agents reach them: about every project, outside of any channel, with the limits of one asker. */
import { type Commands, createCommands } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Projects } from '../projects/project.ts';
import { NO_DIGESTS, NO_WATCHES } from '../subscriptions/none.ts';

interface AgentCommandOptions {
  readonly projects: Projects;
  readonly now: () => Temporal.Instant;
  readonly zone: string;
  readonly command: string;
}

const notHere = async (): Promise<never> => {
  throw new BotError('forbidden', 'Agents can only ask questions.');
};

export function createAgentCommands({ projects, ...options }: AgentCommandOptions): Commands {
  // Whoever holds the token, or the credentials of the service, may ask about everything.
  const [first, ...others] = projects;
  const everywhere = { allowedChannels: null };
  return createCommands({
    ...options,
    projects: [{ ...first, ...everywhere }, ...others.map((project) => ({ ...project, ...everywhere }))],
    digests: NO_DIGESTS,
    watches: NO_WATCHES,
    settings: { get: async () => undefined, set: notHere, delete: notHere },
    doctor: { examine: async () => [] },
    assertPostable: notHere,
    joinChannel: notHere,
    findMentioned: notHere,
    // Nobody may change anything, whatever a sentence turns out to mean.
    policy: { allowedChannels: null, admins: [] },
  });
}
