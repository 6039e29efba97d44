/** Which of several projects a question is about, and whether it can be used there. */

import { BotError, type NextStep, UsageError } from '../errors.ts';
import type { CommandTable } from '../grammar/command-table.ts';
import { findHost, type Host, type HostSources, hostNames, isDomainId, quoteName } from '../grammar/hosts.ts';
import { readNamedProjects } from '../grammar/named-project.ts';
import { splitWords } from '../grammar/tokens.ts';
import { sayIn } from '../replies/follow-ups.ts';
import { type AskedText, type Asker, mayAskAbout, type Policy } from './permissions.ts';
import type { Project } from './project.ts';

/** The part of a project that choosing one needs. */
export type NamedProject = HostSources & Pick<Project, 'name' | 'label' | 'allowedChannels'>;

export interface RequestedProject<P = Project> {
  readonly project: P;
  /** The project to compare with, and the host there if the sentence names one. */
  readonly versus: { readonly project: P; readonly host: string | null } | null;
  /** The sentence with blanks for the words that name a project. */
  readonly text: string;
  /** Whether the channel's other settings, such as its hosts, are about this project. */
  readonly isOwn: boolean;
}

interface ProjectDependencies<P = Project> {
  /** The default first. */
  readonly projects: readonly [P, ...P[]];
  readonly policy: Policy;
}

/** The projects that a person may ask about in a channel, the default first. */
export function usableProjects<P extends NamedProject>(
  { projects, policy }: ProjectDependencies<P>,
  asker: Asker,
): P[] {
  return projects.filter((project) => mayAskAbout(project, policy, asker));
}

export function chooseProject<P extends NamedProject>(
  deps: ProjectDependencies<P> & { readonly commands: CommandTable },
  question: AskedText,
  settings: { readonly project?: string },
): RequestedProject<P> {
  const { projects, commands } = deps;
  const { text } = question;
  const usable = usableProjects(deps, question);
  const [first] = splitWords(text);
  const command = first === undefined ? undefined : commands.find(first.lower);
  const otherwise = usable[0] ?? projects[0];
  const own = settings.project === undefined ? otherwise : byName(deps, settings.project);
  // Help and settings aren't about a project, but complete and list names of hosts.
  if (command !== undefined && !command.parts.includes('project')) {
    const project = usable.find((each) => each === own) ?? usable[0] ?? withoutHosts(projects[0]);
    return { project, versus: null, text, isOwn: project === own };
  }
  const namesOf = (some: readonly P[]): string[] => some.map(({ name }) => name);
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

/** Stands in where no project can be used. */
function withoutHosts<P extends NamedProject>(project: P): P {
  return { ...project, hosts: { ...project.hosts, entries: async () => [] }, listedHosts: undefined };
}

/** Throws if the person can't use any project there. */
export function assertAnyUsable(deps: ProjectDependencies<NamedProject>, asker: Asker): void {
  if (usableProjects(deps, asker).length > 0) return;
  throw new BotError('forbidden', 'No project can be used in this channel.', {
    hint: 'An admin of this bot can allow it.',
    people: deps.policy.admins ?? [],
  });
}

const byName = <P extends NamedProject>({ projects }: ProjectDependencies<P>, name: string): P | undefined =>
  projects.find((project) => project.name === name);

function askAbout(usable: readonly NamedProject[], text: string, commands: CommandTable): NextStep[] {
  const sentence = text.replace(/ +/g, ' ').trim();
  return usable
    .slice(0, 3)
    .map(({ name }) => ({ label: `In project ${name}`, sentence: sayIn(sentence, name, commands) }));
}

function notHere(
  { name, allowedChannels }: NamedProject,
  { policy }: Pick<ProjectDependencies, 'policy'>,
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

/** For a host that isn't in this project: buttons for the projects it is in. */
export async function withProjectsThatKnow(
  error: unknown,
  { project, text }: RequestedProject<NamedProject>,
  usable: readonly NamedProject[],
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

/** The same hosts by name in the project to compare with. */
export async function hostsThere(
  { project, host }: NonNullable<RequestedProject['versus']>,
  hosts: readonly Host[],
  { text }: Pick<AskedText, 'text'>,
): Promise<Host[]> {
  const there = await hostNames(project);
  const names = host === null ? hosts.map(({ name }) => name) : [host];
  return names.map((name) => {
    const found = isDomainId(name) ? null : findHost(name, there);
    if (found !== null) return found;
    const known = [...there.aliases, ...there.listed].map((each) => each.name).slice(0, 10);
    const message = isDomainId(name)
      ? 'A domain ID belongs to one project. Use a name that exists in both.'
      : `There's no host “${name}” in project ${project.name}.`;
    throw new UsageError(message, {
      text,
      hint: known.length === 0 ? 'No hosts have been added there yet.' : `Known hosts there: ${known.join(', ')}.`,
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
