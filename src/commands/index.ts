/**
 * Answers a question: understands the sentence with its project and hosts, checks the asker's permission, settles the window,
 * and has the verb reply.
 */
import { countIgnored } from '../episodes/ignored.ts';
import { BotError, type NextStep, UsageError } from '../errors.ts';
import { type CommandTable, readSubCommand } from '../grammar/command-table.ts';
import { asRemembered } from '../grammar/conversation.ts';
import {
  distinctNames,
  findHost,
  type Host,
  type HostNames,
  type HostSources,
  hostNames,
  resolveHosts,
} from '../grammar/hosts.ts';
import { parseSentence, type Sentence } from '../grammar/sentence.ts';
import { splitWords } from '../grammar/tokens.ts';
import {
  assertAnyUsable,
  chooseProject,
  hostsThere,
  type NamedProject,
  type RequestedProject,
  usableProjects,
  withProjectsThatKnow,
} from '../projects/choose-project.ts';
import { type AskedText, assertAllowed, assertMayAsk, createQuestionLimit, mayAsk } from '../projects/permissions.ts';
import type { LinkedRunbook } from '../projects/runbooks.ts';
import { changeReply, failureIn, inProject, withReadAs } from '../replies/follow-ups.ts';
import { ignoredNotes } from '../replies/phrases.ts';
import type { ExplanationPart, Line, Reply } from '../replies/reply.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import type { EditableValues } from '../subscriptions/subscription-summary.ts';
import { parseRange, wholeMinutes } from '../time/index.ts';
import type { ChannelSettings, Conversations } from './channel-records.ts';
import type { CommandContext, CommandDependencies, Question, WindowContext } from './context.ts';
import { isOutage, withLastKnown } from './outage.ts';
import type { Verb } from './verb.ts';
import { ignoredOn } from './verbs/ignore.ts';
import { COMMANDS } from './verbs/index.ts';

export type { Reply } from '../replies/reply.ts';
export type { Question } from './context.ts';

export interface Commands {
  /** Throws `BotError` for everything that can be shown to a person; anything else thrown is a bug. */
  answer(question: Question): Promise<Reply>;
  /** Remembers an answered question for those that follow it there. */
  remember(place: Pick<Question, 'user' | 'channel' | 'thread'>, reply: Reply): Promise<void>;
  /** Whether the answer will be for the asker alone, without asking the service. Rejects as `answer` would. */
  isPrivate(question: Question): Promise<boolean>;
  /** What a form shows to a person. Rejects if they can't ask there or have asked too much, as `answer` would. */
  formChoices(question: AskedText): Promise<FormChoices>;
}

interface FormChoices {
  /** What the channel prefers. */
  readonly settings: ChannelSettings;
  /** The names of hosts, if the person may ask about one project only and its service lists them. */
  readonly hosts: readonly string[];
  /** The names of the projects that a person may ask about there, the default one first; none if there is only one. */
  readonly projects: readonly string[];
  /** What the digest or watch that `digest edit <id>` names is set to, by the name of the field; empty for other sentences. */
  readonly current: EditableValues;
  /** What is ignored on the hosts of that watch, in words. */
  readonly ignored: readonly string[];
  /** Those that are linked already; `null` if the operator allows none, or another project may be chosen. */
  readonly runbooks: readonly LinkedRunbook[] | null;
}

export function createCommands(deps: CommandDependencies): Commands {
  const limit = createQuestionLimit(deps.now);
  return {
    formChoices: (question) => limit.run(question, () => formChoices(deps, question)),
    async remember(place, { asked, privately = false }) {
      if (asked !== undefined) await deps.conversations?.remember(place, asked, privately);
    },
    async isPrivate(question) {
      return staysPrivate(await understand(deps, question));
    },
    answer: (question) =>
      limit
        .run(question, () => answer(deps, question))
        .catch((error: unknown) => {
          throw error instanceof UsageError ? withExampleStep(error, COMMANDS) : error;
        }),
  };
}

async function formChoices(deps: CommandDependencies, asker: AskedText): Promise<FormChoices> {
  assertMayAsk(deps.policy, asker);
  assertAnyUsable(deps, asker);
  const [, kind, edited] = /^(digest|watch) (?:new|edit (\S+))/.exec(asker.text) ?? [];
  if (kind !== undefined) assertAllowed('change', deps.policy, asker, lookingSteps(kind));
  const usable = usableProjects(deps, asker);
  // A form without the current settings is better than none.
  const { hosts: stored, ...settings } = (await nullIfFails(deps.settings.get(asker.channel))) ?? {};
  const { project: own } = settings;
  const isUsable = own === undefined || usable.some(({ name }) => name === own);
  const names = deps.projects.length === 1 ? [] : usable.map(({ name }) => name);
  return {
    settings: stored === undefined || !isUsable ? settings : { ...settings, hosts: stored },
    projects: names.toSorted((a, b) => Number(b === own) - Number(a === own)),
    hosts: (await nullIfFails(hostsToChoose(usable))) ?? [],
    ...(await editedChoices(deps, asker, { kind, edited })),
  };
}

/** With what belongs to the project of a watch, on its hosts. */
async function editedChoices(
  deps: CommandDependencies,
  { channel }: AskedText,
  { kind, edited }: { readonly kind: string | undefined; readonly edited: string | undefined },
): Promise<Pick<FormChoices, 'current' | 'ignored' | 'runbooks'>> {
  const set = edited === undefined ? {} : await deps[kind === 'digest' ? 'digests' : 'watches'].values(channel, edited);
  const project =
    deps.projects.length === 1 ? deps.projects[0] : deps.projects.find(({ name }) => name === set.project);
  if (kind !== 'watch' || project === undefined) return { current: set, ignored: [], runbooks: null };
  const runbooks = (await project.runbooks?.linked()) ?? null;
  if (edited === undefined) return { current: set, ignored: [], runbooks };
  const { own, words } = await ignoredOn(project, set.hosts ?? '', deps.now(), set.zone ?? deps.zone);
  const ignoring: EditableValues = own === '' ? {} : { ignore: own, ignored: own };
  return { current: { ...set, ...ignoring, hosts_before: set.hosts ?? '' }, ignored: words, runbooks };
}

async function hostsToChoose([project, ...others]: readonly HostSources[]): Promise<readonly string[]> {
  if (project === undefined || others.length > 0) return [];
  const { aliases, listed } = await hostNames(project);
  if (listed.length === 0) return [];
  const added = new Set(aliases.map(({ id }) => id));
  return distinctNames([...aliases, ...listed.filter(({ id, isEngine }) => isEngine === true || !added.has(id))]);
}

const nullIfFails = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof BotError) return null;
    throw error;
  });

const staysPrivate = ({ sentence, settings }: CommandContext): boolean =>
  sentence.privately || settings.privately === true;

const MAX_QUOTE = 200;

async function answer(deps: CommandDependencies, question: Question): Promise<Reply> {
  assertMayAsk(deps.policy, question);
  // A question that ended the process twice would end it again.
  if (question.leftBehind === 2) throw leftBehind(question, 'Ask again.');
  const context = await understand(deps, question);
  const { sentence } = context;
  question.onVerb?.(sentence.verb);
  assertAskable(question, sentence);
  assertAllowed(sentence.effect, deps.policy, question, lookingSteps(sentence.verb));
  if (question.leftBehind === 1 && sentence.effect !== 'look')
    throw leftBehind(question, 'It may have been done. Check before you ask again.', lookingSteps(sentence.verb));
  const whole = await answerWith(context).catch(async (error: unknown) => {
    // The known state of this project says nothing about the one it's compared with.
    const isOwn = isOutage(error) && error.project === undefined;
    const failure = isOwn ? await withLastKnown(error, context) : error;
    throw failureIn(failure, context.project.label, { typed: question.text, read: sentence.text }, COMMANDS);
  });
  return changeReply(whole, (each) => {
    const part = sentence.csv === 'only' ? fileAlone(each) : sentence.why ? reasonsAlone(each, sentence.why) : each;
    const shown = withViewed(withReadAs(part, sentence), context);
    const reply = withConversation(withGreeting(shown, sentence, deps.command), context);
    return staysPrivate(context) ? { ...reply, privately: true } : reply;
  });
}

/** Says which channel the settings are from, since nobody typed them. */
function withViewed(reply: Reply, { settingsFrom }: CommandContext): Reply {
  if (settingsFrom === null || reply.subject === undefined) return reply;
  const note: Line = ['Asked as in ', { channel: settingsFrom }, ', which you’re viewing: with its settings.'];
  return { ...reply, notes: [...(reply.notes ?? []), note] };
}

/** Adds what later questions can take over, and what this one took over. */
function withConversation(reply: Reply, { sentence, project }: CommandContext): Reply {
  const { carried } = sentence;
  const asked = asRemembered(sentence, COMMANDS);
  const { subject } = reply;
  return {
    ...reply,
    ...(subject !== undefined && carried.length > 0 && { subject: { ...subject, carried } }),
    ...(asked !== null && { asked: project.label === null ? asked : `${asked} in project ${project.label}` }),
  };
}

async function answerWith(context: CommandContext): Promise<Reply> {
  const verb = COMMANDS.of(context.sentence.verb);
  return verb.defaultRange === undefined ? verb.answer(context) : answerAboutWindow(verb, context);
}

/** Someone who only says hello may not know what to ask. */
function withGreeting(reply: Reply, { topic }: Sentence, command: string): Reply {
  if (topic !== 'greeting') return reply;
  return {
    ...reply,
    notes: [['Hello! See what else I can do: ', { code: `${command} help` }], ...(reply.notes ?? [])],
  };
}

function leftBehind({ text }: Question, hint: string, next: readonly NextStep[] = []): BotError {
  return new BotError('stopping', `I restarted before I could answer “${text.slice(0, MAX_QUOTE)}”.`, { hint, next });
}

/** The part that everyone may see of what only admins may change. */
function lookingSteps(verb: string): NextStep[] {
  const list = COMMANDS.of(verb).subCommands?.find(({ name }) => name === 'list')?.bareAfter?.[0];
  return list === undefined ? [] : [{ label: 'Show current', sentence: list }];
}

const PRIVATE = /\bprivate(ly)?\b/i;

/**
 * The example of a usage error as a button, unless the error offers something better. An example that would change
 * something becomes the form for it, because nobody asked for that change.
 */
export function withExampleStep(error: UsageError, commands: CommandTable): UsageError {
  const { example, corrected, next, text = '' } = error;
  if (example === undefined || corrected !== undefined || next.length > 0) return error;
  const [first, ...words] = splitWords(example);
  const command = first === undefined ? undefined : commands.find(first.lower);
  if (command === undefined) return error;
  if (readSubCommand(command, first?.lower, words).effect !== 'look')
    return command.form === undefined ? error : error.changed({ next: [{ ...command.form, opensForm: true }] });
  const isPrivate = PRIVATE.test(text) && command.parts.includes('privately');
  return error.changed({ next: [{ label: example, sentence: isPrivate ? `${example} privately` : example }] });
}

/** For a button below an answer: only what is new. */
function fileAlone(reply: Reply): Reply {
  const { title, subject, attachments } = reply;
  if (attachments === undefined) return reply;
  return { title, headline: ['The numbers are in the file below.'], attachments, subject };
}

function assertAskable({ verbs, text }: Question, { verb, effect }: Sentence): void {
  if (verbs === undefined || (verbs.includes(verb) && effect === 'look')) return;
  const examples = verbs.flatMap((each) => COMMANDS.of(each).examples.slice(0, 1));
  throw new UsageError(`“${verb}” can't be asked here, because it isn't a question about numbers.`, { text, examples });
}

const PART_NAMES: Readonly<Record<ExplanationPart, string>> = { rule: 'The rule', numbers: 'All numbers' };

/** The answer to *Why?*, *Show the rule* and *All numbers*: the explanation without the answer, or one part of it. */
function reasonsAlone(reply: Reply, part: true | ExplanationPart): Reply {
  const { title, subject, why, notes } = reply;
  if (why === undefined) return reply;
  const more = part === true ? undefined : why.more?.[part];
  if (more !== undefined)
    return {
      title: `${PART_NAMES[part === 'rule' ? part : 'numbers']}: ${title}`,
      body: more.lines,
      subject,
      table: more.table,
      notes,
    };
  return {
    title: `${why.heading ?? 'In detail'}: ${title}`,
    body: why.lines,
    subject,
    table: why.table,
    actions: why.actions,
    notes,
  };
}

type ReadingDependencies<P> = Pick<CommandDependencies, 'policy' | 'now' | 'zone'> & {
  readonly settings: Pick<CommandDependencies['settings'], 'get'>;
  readonly conversations?: Pick<Conversations, 'last'>;
  readonly projects: readonly [P, ...P[]];
};

/** A question as it was read, before any service is involved. */
interface ReadQuestion<P> extends Required<HostNames> {
  readonly project: P;
  readonly versus: RequestedProject<P>['versus'];
  /** The channel's settings; without its hosts if the question is about another project. */
  readonly settings: ChannelSettings;
  /** The channel that some of them are from, if it's another one. */
  readonly settingsFrom: string | null;
  readonly sentence: Sentence;
}

/** Reads a question with its project and hosts. Throws if it can't be understood. */
export async function readQuestion<P extends NamedProject>(
  deps: ReadingDependencies<P>,
  question: Question,
): Promise<ReadQuestion<P>> {
  const own = (await deps.settings.get(question.channel)) ?? {};
  const viewed = await viewedSettings(deps, question, own);
  const settings = { ...viewed, ...own };
  const before = (await deps.conversations?.last(question)) ?? null;
  const requested = requestedProject(deps, inSameProject(question, before), settings);
  try {
    const read = await readIn(requested, deps, question, settings, before);
    return { ...read, settingsFrom: Object.keys(viewed).length === 0 ? null : (question.viewed ?? null) };
  } catch (error) {
    const known =
      deps.projects.length > 1
        ? await withProjectsThatKnow(error, requested, usableProjects(deps, question), COMMANDS)
        : error;
    throw failureIn(known, requested.project.label, { typed: question.text, read: requested.text }, COMMANDS);
  }
}

/** Fills in the channel's missing settings from the one that the person is viewing, if they may ask there. */
async function viewedSettings<P extends NamedProject>(
  deps: ReadingDependencies<P>,
  { viewed, channel, user }: Question,
  own: ChannelSettings,
): Promise<Pick<ChannelSettings, 'zone' | 'project' | 'hosts'>> {
  if (viewed === undefined || viewed === channel) return {};
  const asker = { channel: viewed, user };
  if (!mayAsk(deps.policy, asker)) return {};
  const { zone, project: chosen, hosts } = (await deps.settings.get(viewed)) ?? {};
  const zoneThere = zone === undefined || own.zone !== undefined ? {} : { zone };
  const usable = usableProjects(deps, asker);
  const project = chosen === undefined ? usable[0] : usable.find(({ name }) => name === chosen);
  const isOpen = own.project === undefined && own.hosts === undefined;
  // Hosts belong to a project, which has to be usable here too.
  if (!isOpen || project === undefined || !usableProjects(deps, { channel, user }).includes(project)) return zoneThere;
  const named = chosen === undefined && hosts === undefined ? {} : { project: project.name };
  return { ...zoneThere, ...named, ...(hosts !== undefined && { hosts }) };
}

const IN_PROJECT = /( in project (\S+))( vs project \S+)?$/;

/** A question that names no project is about that of the previous question. */
function inSameProject(question: Question, before: string | null): Question {
  const [, words] = IN_PROJECT.exec(before ?? '') ?? [];
  return words === undefined || /\bproject\b|@/i.test(question.text)
    ? question
    : { ...question, text: `${question.text}${words}` };
}

/** `null` if it can't be read any more, such as with a host that was removed; while more names may follow, that's an unknown host. */
function readBefore(
  before: string,
  context: Parameters<typeof parseSentence>[1],
  mayKnowMore: boolean,
): Sentence | null {
  try {
    const sentence = parseSentence(before.replace(IN_PROJECT, ''), context);
    return COMMANDS.of(sentence.verb).parts.includes('range') ? sentence : null;
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    if (mayKnowMore) throw error.changed({ reason: { is: 'unknown_host', name: '' } });
    return null;
  }
}

/** Without a projects file the word has no meaning. */
function requestedProject<P extends NamedProject>(
  deps: ReadingDependencies<P>,
  question: Question,
  settings: ChannelSettings,
): RequestedProject<P> {
  const [first] = deps.projects;
  if (first.name === '') return { project: first, versus: null, text: question.text, isOwn: true };
  return chooseProject({ ...deps, commands: COMMANDS }, question, settings);
}

async function readIn<P extends NamedProject>(
  { project, versus, text, isOwn }: RequestedProject<P>,
  deps: ReadingDependencies<P>,
  question: Question,
  preferred: ChannelSettings,
  before: string | null,
): Promise<Omit<ReadQuestion<P>, 'settingsFrom'>> {
  const { hosts: _, ...others } = preferred;
  const settings: ChannelSettings = isOwn ? preferred : others;
  const zone = settings.zone ?? question.userZone ?? deps.zone;
  const { names, sentence } = await readWithNames(project, settings.hosts ?? [], (known, mayKnowMore) => {
    const context = { now: deps.now(), zone, ...known, mayKnowMore, project: project.label, commands: COMMANDS };
    return parseSentence(text, {
      ...context,
      before: before === null ? null : readBefore(before, context, mayKnowMore),
    });
  });
  if (versus !== null && !COMMANDS.of(sentence.verb).parts.includes('versusProject'))
    throw onlyCompared(question, sentence);
  return { project, versus, settings, sentence, ...names };
}

async function understand(deps: CommandDependencies, question: Question): Promise<CommandContext> {
  const read = await readQuestion(deps, question);
  const { hosts, lastVerdicts, episodes } = read.project;
  const statistics = requestedBy(question.user, read.project.statistics);
  return {
    ...read,
    question,
    // Answers are about whole minutes, so that everyone who asks for the last 24 hours within a minute gets one window.
    now: deps.now().round({ smallestUnit: 'minute', roundingMode: 'floor' }),
    zone: read.sentence.zone,
    deps: { ...deps, statistics, hosts, lastVerdicts, episodes },
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
  project: HostSources,
  stored: readonly string[],
  read: (names: Required<HostNames>, mayKnowMore: boolean) => Sentence,
): Promise<{ readonly names: Required<HostNames>; readonly sentence: Sentence }> {
  const attempt = (names: Required<HostNames>, mayKnowMore = false) => ({ names, sentence: read(names, mayKnowMore) });
  const { listedHosts } = project;
  const added = await hostNames(project, 'added');
  if (listedHosts === undefined) return attempt(added);
  let fault: unknown;
  try {
    if (stored.every((name) => findHost(name, added) !== null)) return attempt(added, true);
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
function requestedBy(asker: string, statistics: Statistics): Statistics {
  const { timeline, distribution, sources, actions, responses, events } = statistics;
  const asked = <A>(ask: (query: StatisticsQuery) => Promise<A>) => {
    return (query: StatisticsQuery): Promise<A> => ask({ asker, ...query });
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

type WindowVerb = Extract<Verb, { readonly defaultRange: string }>;

/** The sentence decides, then the channel's settings, then the verb's default. */
async function answerAboutWindow({ answer, defaultRange }: WindowVerb, context: CommandContext): Promise<Reply> {
  const { sentence, project, settings, now, zone } = context;
  const range = sentence.range ?? { ...parseRange(defaultRange, { now, zone }), typed: defaultRange };
  const isOpen = sentence.hosts.length === 0 && !sentence.allHosts;
  const hosts = isOpen ? resolveHosts(settings.hosts ?? [], context, 'channel') : sentence.hosts;
  const { versus } = sentence;
  const aligned = versus === null || versus === 'previous' ? versus : wholeMinutes(versus);
  const window = { range: wholeMinutes(range), zone };
  const side = await versusSide(context, hosts);
  const asked = { ...context, ...window, sentence: { ...sentence, versus: aligned }, hosts, versusSide: side };
  const { statistics } = context.deps;
  const [reply, counts] = await Promise.all([
    answer(asked),
    countIgnored({ statistics, ignored: project.ignored }, { ...window, hosts: hosts.map(({ id }) => id) }, now),
  ]);
  const versusLabel = context.versus?.project.label ?? null;
  return changeReply(reply, (each) => {
    // An answer about one category counts no other.
    const own = counts.filter(({ rule }) => sentence.category === null || sentence.category === rule.category);
    const notes = [...(each.notes ?? []), ...ignoredNotes(own, window)];
    return inProject({ ...each, notes }, project.label, context.commands, versusLabel);
  });
}

async function versusSide(
  { versus, question, sentence, deps }: CommandContext,
  hosts: readonly Host[],
): Promise<WindowContext['versusSide']> {
  const { versusHosts } = sentence;
  if (versusHosts.length > 0) {
    const label = distinctNames(versusHosts).join(', ');
    return { is: 'hosts', label, statistics: deps.statistics, hosts: versusHosts };
  }
  if (versus === null) return null;
  const { label, statistics } = versus.project;
  const there = await hostsThere(versus, hosts, question);
  const theirs = failingAs(label, requestedBy(question.user, statistics));
  return { is: 'project', label: label ?? '', statistics: theirs, hosts: there };
}

/** The same statistics; a failure names the project. */
function failingAs(project: string | null, statistics: Statistics): Statistics {
  const named = (error: unknown): never => {
    throw error instanceof BotError ? error.changed({ project: project ?? undefined }) : error;
  };
  return {
    timeline: (query) => statistics.timeline(query).catch(named),
    distribution: (query) => statistics.distribution(query).catch(named),
  };
}
