/** Answers a question: understands the sentence, checks the asker's permission, and has the verb's handler reply. */
import { BotError, type NextStep, UsageError } from '../errors.ts';
import { commandOf, type Verb } from '../grammar/command-table.ts';
import { findHost, type Host, type HostNames, hostNames, resolveHosts } from '../grammar/hosts.ts';
import { parseSentence, type Sentence } from '../grammar/sentence.ts';
import {
  type AskedProject,
  chooseProject,
  hostsThere,
  usableProjects,
  withProjectsThatKnow,
} from '../projects/choose-project.ts';
import { assertAllowed, assertMayAsk, createQuestionLimit } from '../projects/permissions.ts';
import type { Project } from '../projects/project.ts';
import { withReadAs } from '../replies/follow-ups.ts';
import { failureIn, inProject } from '../replies/in-project.ts';
import type { Reply } from '../replies/reply.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { parseRange, wholeMinutes } from '../time/index.ts';
import type { ChannelSettings, CommandContext, CommandDependencies, Question, WindowContext } from './context.ts';
import { isOutage, withLastKnown } from './outage.ts';
import { answerAttacks } from './verbs/attacks.ts';
import { answerCheck } from './verbs/check.ts';
import { answerCompare } from './verbs/compare.ts';
import { answerDigest } from './verbs/digest.ts';
import { answerDoctor } from './verbs/doctor.ts';
import { answerHelp } from './verbs/help.ts';
import { answerHosts } from './verbs/hosts.ts';
import { answerIncident } from './verbs/incident.ts';
import { answerJoin } from './verbs/join.ts';
import { answerSettings } from './verbs/settings.ts';
import { answerTimeline } from './verbs/timeline.ts';
import { answerWatch } from './verbs/watch.ts';
import { answerWho } from './verbs/who.ts';

export type { Reply } from '../replies/reply.ts';
export type { Question } from './context.ts';

export interface Commands {
  /** Throws `BotError` for everything that can be told to a person; anything else thrown is a bug. */
  answer(question: Question): Promise<Reply>;
  /** Whether the answer will be for the asker alone, without asking the service. Rejects as `answer` would. */
  isPrivate(question: Question): Promise<boolean>;
  /** What a channel prefers, for a form to be filled in with. */
  settings(channel: string): Promise<ChannelSettings>;
  /** The names of hosts for a form, where a person may ask about one project and its service lists them. */
  hostsToChoose(asker: Pick<Question, 'channel' | 'user'>): Promise<readonly string[]>;
  /** The names of the projects that a person may ask about there, the one asked by default first; none where there is one. */
  projectNames(asker: Pick<Question, 'channel' | 'user'>, settings: ChannelSettings): readonly string[];
}

type VerbHandler = (context: CommandContext) => Promise<Reply>;

const HANDLERS: Readonly<Record<Verb, VerbHandler>> = {
  timeline: withWindow(answerTimeline),
  attacks: withWindow(answerAttacks),
  compare: withWindow(answerCompare),
  check: withWindow(answerCheck),
  incident: withWindow(answerIncident),
  who: withWindow(answerWho),
  digest: answerDigest,
  watch: answerWatch,
  hosts: async (context) => inProject(await answerHosts(context), context.project.label),
  settings: answerSettings,
  doctor: answerDoctor,
  join: answerJoin,
  help: answerHelp,
};

export function createCommands(deps: CommandDependencies): Commands {
  const limit = createQuestionLimit(deps.now);
  const [first] = deps.projects;
  const severalProjects = deps.projects.length > 1;

  /** Without a file of projects the word has no meaning. */
  function projectOf(question: Question, settings: ChannelSettings): AskedProject {
    if (first.name === '') return { project: first, versus: null, text: question.text, isOwn: true };
    return chooseProject(deps, question, settings);
  }

  async function understand(question: Question): Promise<CommandContext> {
    const settings = (await deps.settings.get(question.channel)) ?? {};
    const asked = projectOf(question, settings);
    const { project } = asked;
    try {
      return await understandIn(asked, question, settings);
    } catch (error) {
      const known = severalProjects ? await withProjectsThatKnow(error, asked, usableProjects(deps, question)) : error;
      throw failureIn(known, project.label, question.text, asked.text);
    }
  }

  async function understandIn(
    { project, versus, text, isOwn }: AskedProject,
    question: Question,
    preferred: ChannelSettings,
  ): Promise<CommandContext> {
    const { hosts: _, ...others } = preferred;
    const settings: ChannelSettings = isOwn ? preferred : others;
    const askedAt = deps.now();
    // Answers are about whole minutes, so that all who ask for the last 24 hours within one ask for the same window.
    const now = askedAt.round({ smallestUnit: 'minute', roundingMode: 'floor' });
    const zone = settings.zone ?? question.userZone ?? deps.zone;
    const { names, sentence } = await readWithNames(project, settings.hosts ?? [], (known) =>
      parseSentence(text, { now: askedAt, zone, ...known, project: project.label }),
    );
    if (versus !== null && sentence.verb !== 'compare') throw onlyCompared(question, sentence);
    const { hosts, lastVerdicts } = project;
    const services = { ...deps, statistics: askedBy(question.user, project.statistics), hosts, lastVerdicts };
    return { question, sentence, project, versus, settings, ...names, now, zone: sentence.zone, deps: services };
  }
  const staysPrivate = ({ sentence, settings }: CommandContext): boolean =>
    sentence.privately || settings.privately === true;

  async function answer(question: Question): Promise<Reply> {
    assertMayAsk(deps.policy, question);
    const context = await understand(question);
    const { sentence } = context;
    assertAllowed(sentence.effect, deps.policy, question, lookingSteps(sentence.verb));
    const whole = await HANDLERS[sentence.verb](context).catch(async (error: unknown) => {
      // What is known of this project says nothing about the one it is compared with.
      const isOwn = isOutage(error) && error.detail.project === undefined;
      const told = isOwn ? await withLastKnown(error, context) : error;
      throw failureIn(told, context.project.label, question.text, sentence.text);
    });
    const part = sentence.csv === 'only' ? fileAlone(whole) : sentence.why ? reasonsAlone(whole, sentence.verb) : whole;
    const reply = withGreeting(withReadAs(part, sentence), sentence, deps.command);
    return staysPrivate(context) ? { ...reply, privately: true } : reply;
  }

  return {
    settings: async (channel) => (await deps.settings.get(channel)) ?? {},
    projectNames(asker, { project: own }) {
      const names = usableProjects(deps, asker).map(({ name }) => name);
      return severalProjects ? names.toSorted((a, b) => Number(b === own) - Number(a === own)) : [];
    },
    async hostsToChoose(asker) {
      const [project, ...others] = usableProjects(deps, asker);
      if (project === undefined || others.length > 0) return [];
      const { aliases, listed } = await hostNames(project);
      const added = new Set(aliases.map(({ id }) => id));
      return listed.length === 0
        ? []
        : [...aliases, ...listed.filter(({ id }) => !added.has(id))].map(({ name }) => name);
    },
    async isPrivate(question) {
      return staysPrivate(await understand(question));
    },
    answer: (question) => limit.run(question, () => answer(question)),
  };
}

/** `shop.example.org` somewhere, with or without `on`. */
const HOST_NAME = /[a-z0-9-]\.[a-z0-9.-]*[a-z]{2}/i;

/**
 * Most questions need no more than the names that people added. Where those are not enough, the list of the service is
 * looked into, and where that is not either, it is asked for anew if that is due.
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
    error instanceof UsageError && (error.detail.unknownHost !== undefined || HOST_NAME.test(error.text ?? ''));
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

/** Whoever only says hello may not know what to ask. */
function withGreeting(reply: Reply, { topic }: Sentence, command: string): Reply {
  if (topic !== 'greeting') return reply;
  return { ...reply, notes: [['Hello! What else I can tell: ', { code: `${command} help` }], ...(reply.notes ?? [])] };
}

/** What everyone may see of what only admins may change. */
function lookingSteps(verb: Verb): NextStep[] {
  const list = commandOf(verb).subCommands?.find(({ name }) => name === 'list')?.bareAfter?.[0];
  return list === undefined ? [] : [{ label: 'Show what is set', sentence: list }];
}

/** The same statistics, asked in the name of a person. */
function askedBy(asker: string, statistics: Statistics): Statistics {
  const { sources } = statistics;
  return {
    ...(sources === undefined ? {} : { sources: (query) => sources({ ...query, asker }) }),
    timeline: (query) => statistics.timeline({ ...query, asker }),
    distribution: (query) => statistics.distribution({ ...query, asker }),
  };
}

/** The same statistics; a failure says whose it is. */
function failingAs(project: string | null, statistics: Statistics): Statistics {
  const named = (error: unknown): never => {
    throw error instanceof BotError ? error.changed({ detail: { ...error.detail, project } }) : error;
  };
  return {
    timeline: (query) => statistics.timeline(query).catch(named),
    distribution: (query) => statistics.distribution(query).catch(named),
  };
}

/** For a button below an answer that is already there: only what is new. */
function fileAlone(reply: Reply): Reply {
  const { title, subject, attachments } = reply;
  if (attachments === undefined) return reply;
  return {
    title,
    headline: ['The numbers as a file, below.'],
    attachments,
    subject,
  };
}

/** For a button *Why?* below an answer: what it rests on, without the answer. */
function reasonsAlone(reply: Reply, verb: Verb): Reply {
  const { title, subject, why, notes } = reply;
  if (why === undefined) return reply;
  return {
    title: `${verb === 'check' || verb === 'incident' ? 'Why' : 'In detail'}: ${title}`,
    body: why.lines,
    subject,
    table: why.table,
    actions: why.actions,
    notes,
  };
}

/** What may differ between projects is the traffic; how it runs over time is one project's. */
function onlyCompared({ text }: Question, { verb }: Sentence): UsageError {
  const corrected =
    verb === 'timeline' || verb === 'attacks'
      ? { corrected: `compare ${text.replace(/^\s*(timeline|attacks)\b/i, '').trim()}` }
      : {};
  return new UsageError('Two projects are compared with compare.', {
    text,
    example: 'compare last 24h vs project us',
    ...corrected,
  });
}

async function versusIn({ versus, question }: CommandContext, hosts: readonly Host[]) {
  if (versus === null) return null;
  const { label, statistics } = versus.project;
  const there = await hostsThere(versus, hosts, question);
  return { label, statistics: failingAs(label, askedBy(question.user, statistics)), hosts: there };
}

/** Settles window and hosts from the sentence, the channel's settings and the verb's default, in that order. */
function withWindow(handler: (context: WindowContext) => Promise<Reply>): VerbHandler {
  return async (context) => {
    const { sentence, project, settings, now, zone } = context;
    const words = commandOf(sentence.verb).defaultRange ?? 'last 24h';
    const range = sentence.range ?? { ...parseRange(words, { now, zone }), typed: words };
    const hosts = sentence.hosts.length > 0 ? sentence.hosts : resolveHosts(settings.hosts ?? [], context, 'channel');
    const { versus } = sentence;
    const aligned = versus === null || versus === 'previous' ? versus : wholeMinutes(versus);
    const versusProject = await versusIn(context, hosts);
    const reply = await handler({
      ...context,
      sentence: { ...sentence, versus: aligned },
      range: wholeMinutes(range),
      hosts,
      versusProject,
    });
    return project.label === null ? reply : inProject(reply, project.label, context.versus?.project.label ?? null);
  };
}
