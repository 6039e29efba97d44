/** Settles the window and the hosts of a question, and answers it about them. */
import { BotError } from '../errors.ts';
import { type Host, resolveHosts } from '../grammar/hosts.ts';
import { hostsThere } from '../projects/choose-project.ts';
import { inProject } from '../replies/in-project.ts';
import type { Reply } from '../replies/reply.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { parseRange, wholeMinutes } from '../time/index.ts';
import type { CommandContext, WindowContext } from './context.ts';
import { requestedBy } from './understand.ts';
import type { Verb } from './verb.ts';

type WindowVerb = Extract<Verb, { readonly defaultRange: string }>;

/** The sentence decides, then the channel's settings, then the verb's default. */
export async function answerAboutWindow({ answer, defaultRange }: WindowVerb, context: CommandContext): Promise<Reply> {
  const { sentence, project, settings, now, zone } = context;
  const range = sentence.range ?? { ...parseRange(defaultRange, { now, zone }), typed: defaultRange };
  const hosts = sentence.hosts.length > 0 ? sentence.hosts : resolveHosts(settings.hosts ?? [], context, 'channel');
  const { versus } = sentence;
  const aligned = versus === null || versus === 'previous' ? versus : wholeMinutes(versus);
  const reply = await answer({
    ...context,
    sentence: { ...sentence, versus: aligned },
    range: wholeMinutes(range),
    hosts,
    versusProject: await versusProject(context, hosts),
  });
  return inProject(reply, project.label, context.commands, context.versus?.project.label ?? null);
}

async function versusProject(
  { versus, question }: CommandContext,
  hosts: readonly Host[],
): Promise<WindowContext['versusProject']> {
  if (versus === null) return null;
  const { label, statistics } = versus.project;
  const there = await hostsThere(versus, hosts, question);
  return { label, statistics: failingAs(label, requestedBy(question.user, statistics)), hosts: there };
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
