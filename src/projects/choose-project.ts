/** Which of several projects a question is about, and whether it may be asked about there. */

import { BotError, UsageError } from '../errors.ts';
import { commandFor } from '../grammar/command-table.ts';
import { findHost, type Host, hostNames, isDomainId, quoteName } from '../grammar/hosts.ts';
import { readNamedProjects } from '../grammar/named-project.ts';
import { splitWords } from '../grammar/tokens.ts';
import { sayIn } from '../replies/in-project.ts';
import { mayAskAbout, type Policy } from './permissions.ts';
import type { Project, Projects } from './project.ts';

export interface AskedProject {
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
  deps: ProjectDependencies,
  question: ProjectQuestion,
  settings: ChannelProject,
): AskedProject {
  const { projects } = deps;
  const { text } = question;
  const usable = usableProjects(deps, question);
  const [first] = splitWords(text);
  const command = first === undefined ? undefined : commandFor(first.lower);
  const otherwise = usable[0] ?? projects[0];
  const own = settings.project === undefined ? otherwise : byName(deps, settings.project);
  // Help and settings are about no project.
  if (command !== undefined && !command.parts.includes('project'))
    return { project: own ?? otherwise, versus: null, text, isOwn: own !== undefined };
  const namesOf = (some: readonly Project[]): string[] => some.map(({ name }) => name);
  const named = readNamedProjects(text, namesOf(projects), namesOf(usable));
  const asked = named.project === null ? own : byName(deps, named.project);
  if (asked === undefined) throw goneFromChannel(settings.project ?? '', question, usable);
  const other = named.versus === null ? undefined : byName(deps, named.versus.name);
  for (const project of [asked, other]) {
    if (project !== undefined && !usable.includes(project)) throw notHere(project, deps, named.text, usable);
  }
  if (other === asked) throw new UsageError('A project is compared with another one, not with itself.', { text });
  const versus = other === undefined ? null : { project: other, host: named.versus?.host ?? null };
  return { project: asked, versus, text: named.text, isOwn: asked === own };
}

const byName = ({ projects }: ProjectDependencies, name: string): Project | undefined =>
  projects.find((project) => project.name === name);

const tidy = (text: string): string => text.replace(/ +/g, ' ').trim();

function askAbout(usable: readonly Project[], text: string) {
  return usable.slice(0, 3).map(({ name }) => ({ label: `In project ${name}`, sentence: sayIn(tidy(text), name) }));
}

function notHere(
  { name, allowedChannels }: Project,
  { policy }: ProjectDependencies,
  text: string,
  usable: readonly Project[],
): BotError {
  return new BotError('forbidden', `Project ${name} is not for this channel.`, {
    hint: 'An admin of this bot can allow it.',
    people: policy.admins ?? [],
    channels: (allowedChannels ?? []).filter((channel) => !channel.startsWith('D')),
    next: askAbout(usable, text),
  });
}

function goneFromChannel(name: string, { text }: ProjectQuestion, usable: readonly Project[]): BotError {
  return new BotError(
    'not_found',
    `This channel asks about project “${name}” by default, but no project has that name any more.`,
    {
      hint: 'Choose another one in the settings of this channel.',
      next: [{ label: 'Settings', sentence: 'settings', opensForm: true }, ...askAbout(usable, text)],
    },
  );
}

/** For a host that this project does not know: the projects that do, as buttons. */
export async function withProjectsThatKnow(
  error: unknown,
  { project, text }: AskedProject,
  usable: readonly Project[],
): Promise<unknown> {
  const name = error instanceof UsageError ? error.detail.unknownHost : undefined;
  if (!(error instanceof UsageError) || typeof name !== 'string') return error;
  const others = usable.filter((each) => each !== project);
  const knowing = await Promise.all(
    others.map(async (each) => (findHost(name, await hostNames(each)) === null ? [] : [each])),
  );
  return error.changed({ next: [...askAbout(knowing.flat(), text), ...error.next] });
}

/** The same hosts by their names in the project that is compared with. */
export async function hostsThere(
  { project, host }: NonNullable<AskedProject['versus']>,
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
