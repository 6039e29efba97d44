/** Which of several projects a question is about, and whether it may be asked about there. */

import { BotError, type NextStep, UsageError } from '../errors.ts';
import type { CommandTable } from '../grammar/command-table.ts';
import { findHost, type Host, hostNames, isDomainId, quoteName } from '../grammar/hosts.ts';
import { readNamedProjects } from '../grammar/named-project.ts';
import { splitWords } from '../grammar/tokens.ts';
import { sayIn } from '../replies/in-project.ts';
import { mayAskAbout, type Policy } from './permissions.ts';
import type { Project, Projects } from './project.ts';

export interface RequestedProject {
  readonly project: Project;
  /** The one it is compared with, and the host there where the sentence names one. */
  readonly versus: { readonly project: Project; readonly host: string | null } | null;
  /** The sentence with blanks for the words that name a project. */
  readonly text: string;
  /** Whether it is the one that the channel's other settings are about. */
  readonly isOwn: boolean;
}

interface ProjectDependencies {
  readonly projects: Projects;
  readonly policy: Policy;
}

interface ChoiceDependencies extends ProjectDependencies {
  readonly commands: CommandTable;
}

interface ProjectQuestion {
  readonly text: string;
  readonly user: string;
  readonly channel: string;
}

/** The name of the project that a channel asks about by default. */
interface ChannelProject {
  readonly project?: string;
}

/** Those that a person may ask about in a channel, the default first. */
export function usableProjects(
  { projects, policy }: ProjectDependencies,
  asker: Omit<ProjectQuestion, 'text'>,
): Project[] {
  return projects.filter((project) => mayAskAbout(project, policy, asker));
}

export function chooseProject(
  deps: ChoiceDependencies,
  question: ProjectQuestion,
  settings: ChannelProject,
): RequestedProject {
  const { projects, commands } = deps;
  const { text } = question;
  const usable = usableProjects(deps, question);
  const [first] = splitWords(text);
  const command = first === undefined ? undefined : commands.find(first.lower);
  const otherwise = usable[0] ?? projects[0];
  const own = settings.project === undefined ? otherwise : byName(deps, settings.project);
  // Help and settings aren't about a project.
  if (command !== undefined && !command.parts.includes('project'))
    return { project: own ?? otherwise, versus: null, text, isOwn: own !== undefined };
  const namesOf = (some: readonly Project[]): string[] => some.map(({ name }) => name);
  const named = readNamedProjects(text, namesOf(projects), namesOf(usable));
  const requested = named.project === null ? own : byName(deps, named.project);
  if (requested === undefined) throw goneFromChannel(settings.project ?? '', askAbout(usable, text, commands));
  const other = named.versus === null ? undefined : byName(deps, named.versus.name);
  for (const project of [requested, other]) {
    if (project !== undefined && !usable.includes(project))
      throw notHere(project, deps, askAbout(usable, named.text, commands));
  }
  if (other === requested) throw new UsageError('Name two different projects to compare.', { text });
  const versus = other === undefined ? null : { project: other, host: named.versus?.host ?? null };
  return { project: requested, versus, text: named.text, isOwn: requested === own };
}

const byName = ({ projects }: ProjectDependencies, name: string): Project | undefined =>
  projects.find((project) => project.name === name);

function askAbout(usable: readonly Project[], text: string, commands: CommandTable): NextStep[] {
  const sentence = text.replace(/ +/g, ' ').trim();
  return usable
    .slice(0, 3)
    .map(({ name }) => ({ label: `In project ${name}`, sentence: sayIn(sentence, name, commands) }));
}

function notHere(
  { name, allowedChannels }: Project,
  { policy }: ProjectDependencies,
  next: readonly NextStep[],
): BotError {
  return new BotError('forbidden', `Project ${name} can't be used in this channel.`, {
    hint: 'An admin of this bot can allow it.',
    people: policy.admins ?? [],
    channels: (allowedChannels ?? []).filter((channel) => !channel.startsWith('D')),
    next,
  });
}

function goneFromChannel(name: string, next: readonly NextStep[]): BotError {
  return new BotError('not_found', `This channel's default project “${name}” no longer exists.`, {
    hint: "Choose another one in the channel's settings.",
    next: [{ label: 'Settings', sentence: 'settings', opensForm: true }, ...next],
  });
}

/** For a host that this project does not know: the projects that do, as buttons. */
export async function withProjectsThatKnow(
  error: unknown,
  { project, text }: RequestedProject,
  usable: readonly Project[],
  commands: CommandTable,
): Promise<unknown> {
  if (!(error instanceof UsageError) || error.reason?.is !== 'unknown_host') return error;
  const { name } = error.reason;
  const others = usable.filter((each) => each !== project);
  const knowing = await Promise.all(
    others.map(async (each) => (findHost(name, await hostNames(each)) === null ? [] : [each])),
  );
  return error.changed({ next: [...askAbout(knowing.flat(), text, commands), ...error.next] });
}

/** The same hosts by their names in the project that is compared with. */
export async function hostsThere(
  { project, host }: NonNullable<RequestedProject['versus']>,
  hosts: readonly Host[],
  { text }: Pick<ProjectQuestion, 'text'>,
): Promise<Host[]> {
  const there = await hostNames(project);
  const names = host === null ? hosts.map(({ name }) => name) : [host];
  return names.map((name) => {
    const found = isDomainId(name) ? null : findHost(name, there);
    if (found !== null) return found;
    const known = [...there.aliases, ...there.listed].map((each) => each.name).slice(0, 10);
    const message = isDomainId(name)
      ? 'A domain ID belongs to one project; two projects are compared by names that both know.'
      : `No host is called “${name}” in project ${project.name}, so the two cannot be compared on it.`;
    throw new UsageError(message, {
      text,
      hint: known.length === 0 ? 'Nobody has added a host there yet.' : `Known there are: ${known.join(', ')}.`,
      next: isDomainId(name)
        ? []
        : [
            {
              label: 'Add this host',
              sentence: `hosts add ${quoteName(name)} in project ${project.name}`,
              opensForm: true,
            },
          ],
    });
  });
}
