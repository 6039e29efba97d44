/** `check`: is this normal? The finding first, then its numbers and the chart; *Why?* shows the reasons. */
import { timelineChart } from '../../charts/spec/index.ts';
import { type Assessment, assess } from '../../episodes/assess.ts';
import { leadOf } from '../../episodes/episode-log.ts';
import { timelineCsv } from '../../replies/csv.ts';
import { countNotes, marksOf } from '../../replies/episode-account.ts';
import {
  fillingNote,
  limitNotes,
  oldestCachedMs,
  retentionNote,
  timelineNotes,
  withGap,
} from '../../replies/phrases.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { verdictActions } from '../../replies/verdict-actions.ts';
import {
  asOfEarlier,
  type FindingContext,
  type FindingWords,
  findingOf,
  type WindowKnowledge,
} from '../../replies/verdict-finding.ts';
import { explanationOf } from '../../replies/verdict-reasons.ts';
import { withoutTimeline } from '../../replies/without-numbers.ts';
import { totalOf } from '../../statistics/categories.ts';
import { readable, summarise, type Timeline } from '../../statistics/timeline.ts';
import type { WindowContext } from '../context.ts';
import { runbooksOf, withBlocked, withHosts } from '../details.ts';
import { isWatched } from '../reported-episodes.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';

export const check: Verb = {
  verb: 'check',
  aliases: ['now', 'status'],
  summary: 'whether traffic is normal: a verdict, when it began, and the reasons behind it',
  help: { group: 'Are we under attack?', examples: ['check', 'was everything ok last night?'] },
  usage: [`check [<range>] ${usageOf(WINDOW_PARTS)}`, 'now'],
  examples: ['check', 'now', 'check last 3h', 'check yesterday 14:00-16:00'],
  parts: WINDOW_PARTS,
  defaultRange: 'last 1h',
  draws: true,
  impliedBy: 'question',
  yieldsToCategory: 'always',
  answer: answerCheck,
};

export function answerCheck(context: WindowContext): Promise<Reply> {
  return withBlocked(context, withoutTimeline(context, 'check', verdictReply(context)));
}

async function verdictReply(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const [assessment, watched] = await Promise.all([assess(deps, { range, hosts: ids, zone }), isWatched(context)]);
  deps.lastVerdicts.remember(ids, assessment);
  const { verdict, categories, episodes } = assessment;
  const timeline = countedPart(assessment);
  const cachedMs = oldestCachedMs([timeline, categories]);
  const runbooks = await runbooksOf(context, leadOf(episodes));
  return withHosts(context, leadOf(episodes), (on) => {
    const found = findingOf(verdict, { ...asOf(context, cachedMs), episodes, known: knownOf(assessment), on });
    return {
      ...replyWith(found, context, { ...assessment, on }, { verb: 'check', cachedMs, watched, runbooks: runbooks(on) }),
      notes: verdictNotes(context, assessment),
      attachments: sentence.csv ? [timelineCsv(timeline, context)] : undefined,
    };
  });
}

interface ReplyFacts {
  readonly verb: 'check' | 'incident';
  /** When the oldest numbers were cached; `null` if they are current. */
  readonly cachedMs: number | null;
  readonly watched: boolean;
  readonly runbooks: readonly Line[];
}

/** A finding with its chart, its reasons and what to do next. */
export function replyWith(
  found: FindingWords,
  context: WindowContext,
  assessment: Assessment & Required<Pick<FindingContext, 'on'>>,
  { verb, cachedMs, watched, runbooks }: ReplyFacts,
) {
  const { range, hosts, zone, now } = context;
  const { body: lines, ...finding } = cachedMs === null ? found : asOfEarlier(found, cachedMs, context);
  const [headline, ...body] = lines;
  return {
    ...finding,
    headline: withGap(headline, countedPart(assessment)),
    body,
    subject: { hosts, range, zone, now },
    why: explanationOf(assessment, context, verb, retentionNote(assessment.compared, now, zone), runbooks),
    chart: verdictChart(context, assessment, finding.title),
    actions: verdictActions(context, verb, assessment, { level: finding.level, watched }),
  };
}

/** A finding from cached numbers is worded as of then. */
export function asOf(context: WindowContext, cachedMs: number | null): WindowContext {
  return cachedMs === null ? context : { ...context, now: Temporal.Instant.fromEpochMilliseconds(cachedMs) };
}

function knownOf({ timeline: { limits = [] }, categories }: Assessment): WindowKnowledge {
  return { isOfRates: limits.includes('rates'), attacks: categories === null ? null : totalOf(categories) };
}

/** The part of the timeline that the answer counts, for its chart and its file. */
export function countedPart({ timeline, verdict: { toMs } }: Assessment): Timeline {
  const points = timeline.points.filter(({ endMs }) => endMs <= toMs);
  return { ...timeline, points, settledUntilMs: Math.min(timeline.settledUntilMs, toMs) };
}

/** What is missing, and up to when it was counted. */
export function verdictNotes({ hosts, range, zone, now }: WindowContext, assessment: Assessment): Line[] {
  const { verdict } = assessment;
  const timeline = countedPart(assessment);
  const summary = summarise(timeline);
  // If rates can't be counted, the finding has the total.
  if (summary.attacks === null && timeline.limits?.includes('rates')) return limitNotes([timeline]);
  const counted = { from: range.from, to: Temporal.Instant.fromEpochMilliseconds(verdict.toMs) };
  const filling = timeline.points.length === 0 ? [] : fillingNote({ hosts, range, zone }, { counted });
  return [
    ...timelineNotes(timeline, { ...summary, unsettled: 0 }),
    ...countNotes(leadOf(assessment.episodes)),
    ...retentionNote([assessment.timeline], now, zone),
    ...filling,
  ];
}

function verdictChart({ hosts, zone }: WindowContext, assessment: Assessment, title: string): Reply['chart'] {
  const { verdict, episodes } = assessment;
  const timeline = readable(countedPart(assessment));
  if (!timeline.points.some(({ requests, attacks }) => (requests ?? 0) > 0 || (attacks ?? 0) > 0)) return undefined;
  return timelineChart({
    timeline,
    zone,
    title,
    hosts,
    baseline: verdict.band.length === 0 ? undefined : { points: verdict.band },
    ...marksOf(episodes),
  });
}
