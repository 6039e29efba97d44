/** Extra lines from data that only some services have. They're queried only if shown, and no answer fails over them. */
import { systemClock, withTimeout } from '../clock.ts';
import type { EpisodeRecord } from '../episodes/episode.ts';
import { type ExcessByHost, findHostsOf, HOSTS_WAIT_MS } from '../episodes/which-host.ts';
import { BotError } from '../errors.ts';
import { blockedReason, blockedWords, responseReason, responseWords, withDetail } from '../replies/detail-lines.ts';
import { runbookLines } from '../replies/episode-lines.ts';
import { changeReply } from '../replies/follow-ups.ts';
import { hostWords } from '../replies/host-lines.ts';
import type { Explanation, Line, Reply } from '../replies/reply.ts';
import { lasting } from '../replies/verdict-lines.ts';
import { detailOf } from '../statistics/attack-details.ts';
import { compareLikeWithLike } from '../statistics/comparison.ts';
import type { StatisticsQuery } from '../statistics/statistics.ts';
import type { WindowContext } from './context.ts';

/** The query for what the answer counts; `null` if nothing is complete yet, or nobody would see the line. */
function detailQuery({ hosts, zone, range, now, sentence }: WindowContext): StatisticsQuery | null {
  const counted = compareLikeWithLike({ range, versus: sentence.versus, now, zone })?.counted;
  if (counted === undefined || sentence.csv === 'only') return null;
  return { hosts: hosts.map(({ id }) => id), zone, range: counted };
}

/** Adds a line below the others, and to *Why?* the numbers behind it or why it's missing. */
function withExtra({ why, ...reply }: Reply, words: string | null, reason: string): Reply {
  const explained = { ...reply, why: why && withReason(why, [reason]) };
  if (words === null) return explained;
  const { headline, body = [] } = reply;
  // A detail must not become the headline, which notifications show.
  if (headline === undefined) return { ...explained, body: withDetail(body, words) };
  const [first, ...rest] = withDetail([headline, ...body], words);
  return { ...explained, headline: first, body: rest };
}

/** Next to the other numbers. */
function withReason(why: Explanation, reason: Line): Explanation {
  const { more } = why;
  if (more === undefined) return { ...why, lines: [...why.lines, reason] };
  const numbers = { ...more.numbers, lines: [...more.numbers.lines, reason] };
  return { ...why, more: { ...more, numbers } };
}

/** Adds what was blocked: `91 % blocked, 9 % only logged.` It covers all categories. */
export async function withBlocked(context: WindowContext, answer: Promise<Reply>): Promise<Reply> {
  const query = context.sentence.category === null ? detailQuery(context) : null;
  if (query === null) return answer;
  const said = { what: 'what was blocked', without: "These numbers don't say what was blocked." };
  const [reply, actions] = await Promise.all([answer, detailOf(context.deps.statistics.actions?.(query), said)]);
  const words = blockedWords(actions.known);
  // The lines above are about a rise, which is a part of the window.
  const isPart = reply.level === 'elevated' || reply.level === 'surge' || reply.level === 'past';
  const { from, to } = query.range;
  const lead = isPart ? `Over the full ${lasting(to.epochMilliseconds - from.epochMilliseconds)}: ` : '';
  const line = words === null ? null : lead + words;
  return changeReply(reply, (each) => withExtra(each, line, blockedReason(actions)));
}

/** The answer with the hosts that carry the leading episode. If finding them takes long, they follow. */
export async function withHosts(
  context: WindowContext,
  lead: EpisodeRecord | undefined,
  answer: (on: ExcessByHost | null) => Reply,
): Promise<Reply> {
  const { hosts, zone, project, deps, sentence } = context;
  if (lead === undefined || sentence.csv === 'only') return answer(null);
  const finding = findHostsOf(deps.statistics, project, lead, { zone, hosts: hosts.map(({ id }) => id) });
  const inTime = await withTimeout<ExcessByHost | null>(
    systemClock,
    HOSTS_WAIT_MS,
    () => finding,
    () => null,
  );
  if (inTime !== null) return answer(inTime);
  const later = finding.then((on) => (hostWords(on) === null ? null : answer(on)));
  // Handled by whoever delivers it.
  later.catch(() => {});
  return { ...answer(null), later };
}

/** For *Why?*: the runbooks of the leading episode's category and hosts. */
export async function runbooksOf(
  { sentence, project, hosts }: WindowContext,
  lead: EpisodeRecord | undefined,
): Promise<(on: ExcessByHost | null) => readonly Line[]> {
  if (sentence.why === false || lead === undefined || project.runbooks === undefined) return () => [];
  const find = await project.runbooks.finder().catch((error: unknown) => {
    // An answer doesn't depend on the store.
    if (error instanceof BotError) return null;
    throw error;
  });
  return (on) => {
    const carrying = on?.is === 'known' ? on.leading.map(({ host }) => host) : [];
    return runbookLines(find?.(lead.leading.at(-1), [...hosts, ...carrying]) ?? []);
  };
}

/** Adds how the servers behind the firewall responded. */
export async function withResponses(context: WindowContext, answer: Promise<Reply>): Promise<Reply> {
  const query = detailQuery(context);
  if (query === null) return answer;
  const said = { what: 'how your servers responded', without: "These numbers don't say how your servers responded." };
  const [reply, responses] = await Promise.all([answer, detailOf(context.deps.statistics.responses?.(query), said)]);
  const words = responses.known === null ? null : responseWords(responses.known);
  return changeReply(reply, (each) => withExtra(each, words, responseReason(responses)));
}
