/** `check`: is this normal? The finding first, then its numbers and the chart; what it rests on is asked with *Why?*. */
import { timelineChart } from '../../charts/spec/index.ts';
import type { Assessment } from '../../episodes/assess.ts';
import { detectEpisode } from '../../episodes/detect-episode.ts';
import { type CountedEpisode, countEpisode } from '../../episodes/measure-episode.ts';
import type { Verdict } from '../../episodes/verdict/index.ts';
import { nullIfUnavailable } from '../../errors.ts';
import { timelineCsv } from '../../replies/csv.ts';
import { expectedWords, kindWords, usualWords } from '../../replies/episode-lines.ts';
import { sentenceFor } from '../../replies/follow-ups.ts';
import { counted, fillingNote, oldestKeptMs, timelineNotes } from '../../replies/phrases.ts';
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
} from '../../replies/verdict-lines.ts';
import { explanationOf } from '../../replies/verdict-reasons.ts';
import { readable, summarise } from '../../statistics/summary.ts';
import type { Timeline } from '../../statistics/timeline.ts';
import type { WindowContext } from '../context.ts';
import { toldEpisodes } from '../reported-episodes.ts';
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
  /** The episode in it, as a watch has told or as it was counted. */
  readonly episode: CountedEpisode | null;
}

/** What a check finds, for whoever tells of the same window. */
export async function checkWindow(context: WindowContext): Promise<CheckedWindow> {
  const { range, hosts, zone, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const query = { range, hosts: ids, zone, categoriesAgainst: 'hours before' } as const;
  const told = await toldEpisodes(context);
  const assessment = await detectEpisode(deps.statistics, query, told);
  deps.lastVerdicts.remember(ids, assessment);
  // What goes on is counted as far as there are numbers, also where a long window is judged in longer intervals.
  const counted = { ...assessment.verdict, toMs: range.to.epochMilliseconds };
  const episode = await countEpisode(deps.statistics, { hosts: ids, zone }, counted, told);
  return { assessment, episode };
}

/** What a check calls in a window that another answer is about; without a verdict where it could not be judged. */
export interface Rise {
  /** `Surge since 14:57 · 4.6× usual · led by SQL injection` */
  readonly words: string;
  /** Its own attacks, because those of the whole window stand below: `1,789 attacks since 14:57, about 392 expected.` */
  readonly counts: Line;
  /** The kind of attack that leads it. */
  readonly leading: string | null;
  readonly verdict: Verdict | null;
}

/** A longer window is not judged. */
const LONGEST_JUDGED_MS = 8 * 86_400_000;

/**
 * What leads the answer about a window whose curve gives reason to ask (`hasRise`): the same that a check of it says, so
 * that the two never differ. `null` where nothing is called.
 */
export async function riseIn(context: WindowContext): Promise<Rise | null> {
  const { from, to } = context.range;
  const isLong = to.epochMilliseconds - from.epochMilliseconds > LONGEST_JUDGED_MS;
  const checked = isLong ? null : await nullIfUnavailable(checkWindow(context));
  const verdict = checked?.assessment.verdict;
  if (checked === null || verdict === undefined || verdict.level === 'not_enough_data' || verdict.expected === null)
    return { words: '', counts: [], leading: null, verdict: null };
  if (verdict.level === 'calm' || verdict.onsetMs === null || checked.assessment.timeline.stale) return null;
  const { episode } = checked;
  const isOver = verdict.endedMs !== null && verdict.ongoing !== true;
  const strength = usualWords(episode?.figures ?? { total: verdict.observed, expected: verdict.expected });
  const kinds = kindWords(episode?.leading ?? [], isOver);
  return {
    words: [levelAndTime(verdict, context), ...strength, ...kinds].join(' · '),
    counts: riseCounts(verdict, episode, context),
    leading: episode?.leading.at(-1) ?? null,
    verdict,
  };
}

/** `1,789 attacks since 14:57, about 392 expected. Still going on.`, `1,789 attacks from 14:57 to 15:32, …` */
function riseCounts(
  { onsetMs, endedMs, ongoing }: Pick<Verdict, 'onsetMs' | 'endedMs' | 'ongoing'>,
  episode: CountedEpisode | null,
  { zone, now }: WindowContext,
): Line {
  const course = ongoing === true ? ' Still going on.' : '';
  if (episode === null || onsetMs === null) return [course.trim()];
  const { total, expected } = episode.figures;
  const when =
    endedMs === null || ongoing === true
      ? `since ${clockOf(zone, now)(onsetMs)}`
      : `from ${spanInWords(onsetMs, endedMs, zone, now).replace(' – ', ' to ')}`;
  const usually = expected === null ? '' : `, ${expectedWords(expected)}`;
  return [{ bold: counted(total, 'attack') }, ` ${when}${usually}.${course}`];
}

/** The mark, the heading and the button of an answer that such a rise leads. */
interface Led {
  readonly level: Pick<Reply, 'level'>;
  readonly heading: string;
  readonly button: readonly Action[];
}

export const NOT_LED: Led = { level: {}, heading: '', button: [] };

export function ledBy(context: WindowContext, { words, verdict }: Rise): Led {
  if (verdict === null) return NOT_LED;
  const sentence = sentenceFor(context, 'check', context.range);
  return {
    level: { level: shownLevel(verdict.level, verdict) },
    heading: words,
    button: [{ label: 'Check', sentence, effect: 'thread' }],
  };
}

export async function answerCheck(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, now, sentence } = context;
  const { assessment, episode } = await checkWindow(context);
  const { verdict, categories } = assessment;
  const timeline = countedPart(assessment);
  const keptMs = oldestKeptMs([timeline, categories]);
  const found = findingOf(verdict, { ...context, episode });
  const {
    title,
    level,
    body: [headline, ...body],
  } = keptMs === null ? found : asOfEarlier(found, keptMs, context);
  return {
    title,
    level: shownLevel(level, verdict),
    headline,
    body,
    subject: { hosts, range, zone, now },
    why: explanationOf(verdict),
    ...verdictChart(context, assessment, title),
    notes: verdictNotes(context, assessment),
    actions: verdictActions(context, 'check', assessment, level),
    ...(sentence.csv ? { attachments: [timelineCsv(timeline, context)] } : {}),
  };
}

/** The part of the timeline that the numbers of the answer are from: its chart and its file have no others. */
export function countedPart({ timeline, verdict: { toMs } }: Assessment): Timeline {
  const points = timeline.points.filter(({ endMs }) => endMs <= toMs);
  return { ...timeline, points, settledUntilMs: Math.min(timeline.settledUntilMs, toMs) };
}

/** What is missing, and until when it was counted. */
export function verdictNotes({ hosts, range, zone }: WindowContext, assessment: Assessment): Line[] {
  const { verdict } = assessment;
  const timeline = countedPart(assessment);
  const counted = { from: range.from, to: Temporal.Instant.fromEpochMilliseconds(verdict.toMs) };
  const filling = timeline.points.length === 0 ? [] : fillingNote({ hosts, range, zone }, { counted });
  return [...timelineNotes(timeline, { ...summarise(timeline), unsettled: 0 }), ...filling];
}

export function verdictChart(
  { hosts, zone }: WindowContext,
  assessment: Assessment,
  title: string,
): Pick<Reply, 'chart'> {
  const { verdict } = assessment;
  const timeline = readable(countedPart(assessment));
  const drop = leadingDrop(verdict);
  if (!timeline.points.some(({ requests, attacks }) => (requests ?? 0) > 0 || (attacks ?? 0) > 0)) return {};
  return {
    chart: timelineChart({
      timeline,
      zone,
      title,
      hosts,
      ...(verdict.band.length === 0 ? {} : { baseline: { points: verdict.band } }),
      ...marks(drop === undefined ? verdict : { onsetMs: drop.sinceMs, endedMs: drop.endedMs }, timeline.fromMs),
      ...(drop?.what === 'requests' ? { about: 'requests' } : {}),
    }),
  };
}

/** Only marks inside the chart are drawn. */
export function marks(
  { onsetMs, endedMs }: Pick<Verdict, 'onsetMs' | 'endedMs'>,
  fromMs: number,
): { onsetMs?: number; endMs?: number } {
  return {
    ...(onsetMs !== null && onsetMs >= fromMs ? { onsetMs } : {}),
    ...(endedMs !== null ? { endMs: endedMs } : {}),
  };
}
