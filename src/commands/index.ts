/** Answers a question: understands the sentence, checks the asker's permission, and has the verb reply. */
import { type NextStep, UsageError } from '../errors.ts';
import { type CommandTable, readSubCommand } from '../grammar/command-table.ts';
import { hostNames } from '../grammar/hosts.ts';
import type { Sentence } from '../grammar/sentence.ts';
import { splitWords } from '../grammar/tokens.ts';
import { usableProjects } from '../projects/choose-project.ts';
import { assertAllowed, assertMayAsk, createQuestionLimit } from '../projects/permissions.ts';
import { withReadAs } from '../replies/follow-ups.ts';
import { failureIn } from '../replies/in-project.ts';
import type { Reply } from '../replies/reply.ts';
import type { ChannelSettings, CommandContext, CommandDependencies, Question } from './context.ts';
import { isOutage, withLastKnown } from './outage.ts';
import { understand } from './understand.ts';
import { COMMANDS } from './verbs/index.ts';
import { answerAboutWindow } from './window.ts';

export type { Reply } from '../replies/reply.ts';
export type { Question } from './context.ts';

export interface Commands {
  /** Throws `BotError` for everything that can be shown to a person; anything else thrown is a bug. */
  answer(question: Question): Promise<Reply>;
  /** Whether the answer will be for the asker alone, without asking the service. Rejects as `answer` would. */
  isPrivate(question: Question): Promise<boolean>;
  /** What a channel prefers, to fill in a form. */
  settings(channel: string): Promise<ChannelSettings>;
  /** The names of hosts for a form, if the person may ask about one project only and its service lists them. */
  hostsToChoose(asker: Pick<Question, 'channel' | 'user'>): Promise<readonly string[]>;
  /** The names of the projects that a person may ask about there, the default one first; none if there is only one. */
  projectNames(asker: Pick<Question, 'channel' | 'user'>, settings: ChannelSettings): readonly string[];
}

export function createCommands(deps: CommandDependencies): Commands {
  const limit = createQuestionLimit(deps.now);
  return {
    settings: async (channel) => (await deps.settings.get(channel)) ?? {},
    projectNames(asker, { project: own }) {
      if (deps.projects.length === 1) return [];
      const names = usableProjects(deps, asker).map(({ name }) => name);
      return names.toSorted((a, b) => Number(b === own) - Number(a === own));
    },
    async hostsToChoose(asker) {
      const [project, ...others] = usableProjects(deps, asker);
      if (project === undefined || others.length > 0) return [];
      const { aliases, listed } = await hostNames(project);
      if (listed.length === 0) return [];
      const added = new Set(aliases.map(({ id }) => id));
      return [...aliases, ...listed.filter(({ id }) => !added.has(id))].map(({ name }) => name);
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

const staysPrivate = ({ sentence, settings }: CommandContext): boolean =>
  sentence.privately || settings.privately === true;

async function answer(deps: CommandDependencies, question: Question): Promise<Reply> {
  assertMayAsk(deps.policy, question);
  const context = await understand(deps, question);
  const { sentence } = context;
  assertAllowed(sentence.effect, deps.policy, question, lookingSteps(sentence.verb));
  const whole = await answerWith(context).catch(async (error: unknown) => {
    // What is known of this project says nothing about the one it is compared with.
    const isOwn = isOutage(error) && error.project === undefined;
    const failure = isOwn ? await withLastKnown(error, context) : error;
    throw failureIn(failure, context.project.label, { typed: question.text, read: sentence.text }, COMMANDS);
  });
  const part = sentence.csv === 'only' ? fileAlone(whole) : sentence.why ? reasonsAlone(whole) : whole;
  const reply = withGreeting(withReadAs(part, sentence), sentence, deps.command);
  return staysPrivate(context) ? { ...reply, privately: true } : reply;
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

/** What everyone may see of what only admins may change. */
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

/** For a button *Why?* below an answer: what it rests on, without the answer. */
function reasonsAlone(reply: Reply): Reply {
  const { title, subject, why, notes } = reply;
  if (why === undefined) return reply;
  return {
    title: `${why.heading ?? 'In detail'}: ${title}`,
    body: why.lines,
    subject,
    table: why.table,
    actions: why.actions,
    notes,
  };
}
