/** `check`: is this normal? The finding first, then its numbers and the chart; *Why?* shows what it rests on. */
import { timelineChart } from '../../charts/spec/index.ts';
import type { Assessment } from '../../episodes/assess.ts';
import { detectEpisode } from '../../episodes/detect-episode.ts';
import { type CountedEpisode, countEpisode } from '../../episodes/measure-episode.ts';
import type { Verdict } from '../../episodes/verdict/index.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { retentionNote } from '../../replies/compared.ts';
import { timelineCsv } from '../../replies/csv.ts';
import { expectedWords, kindWords, usualWords } from '../../replies/episode-lines.ts';
import { sentenceFor } from '../../replies/follow-ups.ts';
import { counted, fillingNote, limitNotes, oldestCachedMs, timelineNotes } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { verdictActions } from '../../replies/verdict-actions.ts';
import {
  asOfEarlier,
  clockOf,
  findingOf,
  leadingDrop,
  levelAndTime,
  shownLevel,
  spanInWords,
  type WindowKnowledge,
} from '../../replies/verdict-lines.ts';
import { explanationOf } from '../../replies/verdict-reasons.ts';
import { readable, summarise, totalOf } from '../../statistics/summary.ts';
import type { Timeline } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import type { WindowContext } from '../context.ts';
import { withBlocked } from '../details.ts';
import { reportedEpisodes } from '../reported-episodes.ts';
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
  answer: answerCheck,
};

interface CheckedWindow {
  readonly assessment: Assessment;
  /** The episode in it, as a watch has reported it or as it was counted. */
  readonly episode: CountedEpisode | null;
}

/** What a check finds, also for other answers about the same window. */
async function checkWindow(context: WindowContext): Promise<CheckedWindow> {
  const { range, hosts, zone, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const query = { range, hosts: ids, zone, categoriesAgainst: 'hours before' } as const;
  const reported = await reportedEpisodes(context);
  const assessment = await detectEpisode(deps.statistics, query, reported);
  deps.lastVerdicts.remember(ids, assessment);
  // An ongoing episode is counted up to the last number, even if a long window is judged in longer intervals.
  const counted = { ...assessment.verdict, toMs: range.to.epochMilliseconds };
  const episode = await countEpisode(deps.statistics, { hosts: ids, zone }, counted, reported);
  return { assessment, episode };
}

/** A rise that a check finds in a window. Another answer about the window leads with it, so that the two agree. */
export interface Rise {
  /** `Surge since 14:57 · 4.6× usual · led by SQL injection` */
  readonly title: string;
  readonly level: NonNullable<Reply['level']>;
  /** Its own attacks, because those of the whole window come below: `1,789 attacks since 14:57, about 392 expected.` */
  readonly counts: Line;
  /** The category that leads it. */
  readonly leading: string | null;
  readonly verdict: Verdict;
  /** To the check. */
  readonly action: Action;
}

/** Longer windows aren't judged. */
const MAX_JUDGED_MS = 8 * DAY_MS;

/** For a window whose curve rises (`hasRise`); `null` if a check finds nothing in it. */
export async function riseIn(context: WindowContext): Promise<Rise | 'unjudged' | null> {
  const { from, to } = context.range;
  if (to.epochMilliseconds - from.epochMilliseconds > MAX_JUDGED_MS) return 'unjudged';
  const checked = await nullIfUnavailable(checkWindow(context));
  const verdict = checked?.assessment.verdict;
  if (checked === null || verdict === undefined || verdict.level === 'not_enough_data' || verdict.expected === null)
    return 'unjudged';
  if (verdict.level === 'calm' || verdict.onsetMs === null || checked.assessment.timeline.stale) return null;
  const { episode } = checked;
  const isOver = verdict.endedMs !== null && verdict.ongoing !== true;
  const strength = usualWords(episode?.figures ?? { total: verdict.observed, expected: verdict.expected });
  const kinds = kindWords(episode?.leading ?? [], isOver);
  return {
    title: [levelAndTime(verdict, context), ...strength, ...kinds].join(' · '),
    level: shownLevel(verdict.level, verdict),
    counts: riseCounts(verdict, episode, context),
    leading: episode?.leading.at(-1) ?? null,
    verdict,
    action: { label: 'Check', sentence: sentenceFor(context, 'check', context.range), effect: 'thread' },
  };
}

/** `1,789 attacks since 14:57, about 392 expected. Still ongoing.`, `1,789 attacks from 14:57 to 15:32, …` */
function riseCounts(
  { onsetMs, endedMs, ongoing }: Pick<Verdict, 'onsetMs' | 'endedMs' | 'ongoing'>,
  episode: CountedEpisode | null,
  { zone, now }: WindowContext,
): Line {
  const course = ongoing === true ? ' Still ongoing.' : '';
  if (episode === null || onsetMs === null) return [course.trim()];
  const { total, expected } = episode.figures;
  const when =
    endedMs === null || ongoing === true
      ? `since ${clockOf(zone, now)(onsetMs)}`
      : `from ${spanInWords(onsetMs, endedMs, zone, now).replace(' – ', ' to ')}`;
  const usually = expected === null ? '' : `, ${expectedWords(expected)}`;
  return [{ bold: counted(total, 'attack') }, ` ${when}${usually}.${course}`];
}

export function answerCheck(context: WindowContext): Promise<Reply> {
  return withBlocked(context, verdictReply(context));
}

async function verdictReply(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, now, sentence } = context;
  const { assessment, episode } = await checkWindow(context);
  const { verdict, categories } = assessment;
  const timeline = countedPart(assessment);
  const cachedMs = oldestCachedMs([timeline, categories]);
  const found = findingOf(verdict, { ...context, episode, known: knownOf(assessment) });
  const {
    title,
    level,
    body: [headline, ...body],
  } = cachedMs === null ? found : asOfEarlier(found, cachedMs, context);
  return {
    title,
    level: shownLevel(level, verdict),
    headline,
    body,
    subject: { hosts, range, zone, now },
    why: explanationOf(verdict, retentionNote(assessment.compared, now, zone)),
    chart: verdictChart(context, assessment, title),
    notes: verdictNotes(context, assessment),
    actions: verdictActions(context, 'check', assessment, level),
    attachments: sentence.csv ? [timelineCsv(timeline, context)] : undefined,
  };
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
  // Of rates that can't be counted the finding has the total.
  if (summary.attacks === null && timeline.limits?.includes('rates')) return limitNotes([timeline]);
  const counted = { from: range.from, to: Temporal.Instant.fromEpochMilliseconds(verdict.toMs) };
  const filling = timeline.points.length === 0 ? [] : fillingNote({ hosts, range, zone }, { counted });
  return [
    ...timelineNotes(timeline, { ...summary, unsettled: 0 }),
    ...retentionNote([assessment.timeline], now, zone),
    ...filling,
  ];
}

export function verdictChart({ hosts, zone }: WindowContext, assessment: Assessment, title: string): Reply['chart'] {
  const { verdict } = assessment;
  const timeline = readable(countedPart(assessment));
  const drop = leadingDrop(verdict);
  if (!timeline.points.some(({ requests, attacks }) => (requests ?? 0) > 0 || (attacks ?? 0) > 0)) return undefined;
  return timelineChart({
    timeline,
    zone,
    title,
    hosts,
    baseline: verdict.band.length === 0 ? undefined : { points: verdict.band },
    ...marks(drop === undefined ? verdict : { onsetMs: drop.sinceMs, endedMs: drop.endedMs }, timeline.fromMs),
    about: drop?.what === 'requests' ? 'requests' : undefined,
  });
}

/** Only marks inside the chart are drawn. */
export function marks(
  { onsetMs, endedMs }: Pick<Verdict, 'onsetMs' | 'endedMs'>,
  fromMs: number,
): { onsetMs?: number; endMs?: number } {
  return { onsetMs: onsetMs !== null && onsetMs >= fromMs ? onsetMs : undefined, endMs: endedMs ?? undefined };
}
