/** From a question to what is needed to answer it: its project, the names of the hosts there, and the sentence. */
import { UsageError } from '../errors.ts';
import { findHost, type HostNames, hostNames } from '../grammar/hosts.ts';
import { parseSentence, type Sentence } from '../grammar/sentence.ts';
import {
  chooseProject,
  type RequestedProject,
  usableProjects,
  withProjectsThatKnow,
} from '../projects/choose-project.ts';
import type { Project } from '../projects/project.ts';
import { failureIn } from '../replies/in-project.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import type { ChannelSettings, CommandContext, CommandDependencies, Question } from './context.ts';
import { COMMANDS } from './verbs/index.ts';

export async function understand(deps: CommandDependencies, question: Question): Promise<CommandContext> {
  const settings = (await deps.settings.get(question.channel)) ?? {};
  const requested = requestedProject(deps, question, settings);
  try {
    return await understandIn(requested, deps, question, settings);
  } catch (error) {
    const known =
      deps.projects.length > 1
        ? await withProjectsThatKnow(error, requested, usableProjects(deps, question), COMMANDS)
        : error;
    throw failureIn(known, requested.project.label, { typed: question.text, read: requested.text }, COMMANDS);
  }
}

/** Without a projects file the word has no meaning. */
function requestedProject(deps: CommandDependencies, question: Question, settings: ChannelSettings): RequestedProject {
  const [first] = deps.projects;
  if (first.name === '') return { project: first, versus: null, text: question.text, isOwn: true };
  return chooseProject({ ...deps, commands: COMMANDS }, question, settings);
}

async function understandIn(
  { project, versus, text, isOwn }: RequestedProject,
  deps: CommandDependencies,
  question: Question,
  preferred: ChannelSettings,
): Promise<CommandContext> {
  const { hosts: _, ...others } = preferred;
  const settings: ChannelSettings = isOwn ? preferred : others;
  const exactly = deps.now();
  // Answers are about whole minutes, so that everyone who asks for the last 24 hours within a minute gets one window.
  const now = exactly.round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const zone = settings.zone ?? question.userZone ?? deps.zone;
  const { names, sentence } = await readWithNames(project, settings.hosts ?? [], (known) =>
    parseSentence(text, { now: exactly, zone, ...known, project: project.label, commands: COMMANDS }),
  );
  if (versus !== null && !COMMANDS.of(sentence.verb).parts.includes('versusProject'))
    throw onlyCompared(question, sentence);
  const { hosts, lastVerdicts } = project;
  const services = { ...deps, statistics: requestedBy(question.user, project.statistics), hosts, lastVerdicts };
  return {
    question,
    sentence,
    project,
    versus,
    settings,
    ...names,
    now,
    zone: sentence.zone,
    deps: services,
    commands: COMMANDS,
  };
}

/** `shop.example.org` somewhere, with or without `on`. */
const HOST_NAME = /[a-z0-9-]\.[a-z0-9.-]*[a-z]{2}/i;

/**
 * Most questions need only the names that people added. If those aren't enough, the service's list is read from the
 * cache, and if that isn't either, it is requested again when due.
 */
async function readWithNames(
  project: Project,
  stored: readonly string[],
  read: (names: Required<HostNames>) => Sentence,
): Promise<{ readonly names: Required<HostNames>; readonly sentence: Sentence }> {
  const attempt = (names: Required<HostNames>) => ({ names, sentence: read(names) });
  const { listedHosts } = project;
  const added = await hostNames(project, 'added');
  if (listedHosts === undefined) return attempt(added);
  let fault: unknown;
  try {
    if (stored.every((name) => findHost(name, added) !== null)) return attempt(added);
  } catch (error) {
    fault = error;
  }
  const isUnknown = (error: unknown): boolean =>
    error instanceof UsageError && (error.reason?.is === 'unknown_host' || HOST_NAME.test(error.text ?? ''));
  const listed = await listedHosts.known();
  if (fault !== undefined && (!(fault instanceof UsageError) || (listed.length === 0 && !isUnknown(fault))))
    throw fault;
  try {
    return attempt({ ...added, listed });
  } catch (error) {
    const renewed = isUnknown(error) ? await listedHosts.renewed() : listed;
    if (renewed === listed) throw error;
    return attempt({ ...added, listed: renewed });
  }
}

/** The same statistics, requested on behalf of a person. */
export function requestedBy(asker: string, statistics: Statistics): Statistics {
  const { timeline, distribution, sources, actions, responses, events } = statistics;
  const asked = <A>(ask: (query: StatisticsQuery) => Promise<A>) => {
    return (query: StatisticsQuery): Promise<A> => ask({ ...query, asker });
  };
  return {
    timeline: asked(timeline),
    distribution: asked(distribution),
    sources: sources && asked(sources),
    actions: actions && asked(actions),
    responses: responses && asked(responses),
    events: events && asked(events),
  };
}

function onlyCompared({ text }: Question, { verb }: Sentence): UsageError {
  const { impliedBy } = COMMANDS.of(verb);
  const { verb: compare } = COMMANDS.impliedBy('versus');
  const isLikely = impliedBy === 'range' || impliedBy === 'category';
  return new UsageError(`To see two projects side by side, use ${compare}.`, {
    text,
    example: `${compare} last 24h vs project us`,
    corrected: isLikely ? `${compare} ${text.replace(new RegExp(`^\\s*${verb}\\b`, 'i'), '').trim()}` : undefined,
  });
}
