/** `incident`: an episode in one post, for the post-mortem, with its numbers as files. Without a window it's a check. */
import { nextTurn } from '../../clock.ts';
import type { Assessment } from '../../episodes/assess.ts';
import { detectEpisode } from '../../episodes/detect-episode.ts';
import type { ReportedEpisode } from '../../episodes/episode.ts';
import { type EpisodeFigures, type EpisodeSpan, timesUsual } from '../../episodes/episode.ts';
import { type CountedEpisode, countEpisode } from '../../episodes/measure-episode.ts';
import type { Verdict } from '../../episodes/verdict/index.ts';
import { compareCategories, type Obstacle, retentionNote } from '../../replies/compared.ts';
import { categoriesCsv, timelineCsv } from '../../replies/csv.ts';
import { afterWords, factorWords, kindWords, risenIn, shapeLine, usualWords } from '../../replies/episode-lines.ts';
import { counted, limitNotes, oldestCachedMs } from '../../replies/phrases.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { verdictActions } from '../../replies/verdict-actions.ts';
import {
  asOfEarlier,
  clockOf,
  type FindingContext,
  type FindingWords,
  findingOf,
  lasting,
  leadingDrop,
  levelAndTime,
  shownLevel,
} from '../../replies/verdict-lines.ts';
import { explanationOf } from '../../replies/verdict-reasons.ts';
import { duration, formatCount } from '../../statistics/format.ts';
import { findMovers, STANDS_OUT } from '../../statistics/movers.ts';
import type { Distribution, Timeline } from '../../statistics/timeline.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { WindowContext } from '../context.ts';
import { withResponses } from '../details.ts';
import { reportedEpisodes } from '../reported-episodes.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { answerCheck, countedPart, verdictChart, verdictNotes } from './check.ts';

export const incident: Verb = {
  verb: 'incident',
  aliases: [],
  summary: 'everything about a past window in one post, with its numbers as files; without a window, the same as check',
  help: { group: 'What happened?', examples: ['incident last 3h'] },
  usage: [`incident <range> ${usageOf(WINDOW_PARTS)}`],
  examples: ['incident yesterday 14:00-16:00', 'incident last 3h'],
  parts: WINDOW_PARTS,
  defaultRange: 'last 1h',
  draws: true,
  answer: answerIncident,
};

async function answerIncident(context: WindowContext): Promise<Reply> {
  if (context.sentence.range === null) return answerCheck(context);
  return withResponses(context, incidentReply(context));
}

async function incidentReply(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, now, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const query = { hosts: ids, zone };
  const reported = await reportedEpisodes(context);
  const request = { ...query, range, categoriesAgainst: 'day before' } as const;
  const assessment = await detectEpisode(deps.statistics, request, reported);
  const { verdict, categories, categoriesBefore } = assessment;
  const timeline = countedPart(assessment);
  const upToEnd = { ...verdict, toMs: range.to.epochMilliseconds };
  const episode = await countEpisode(deps.statistics, query, upToEnd, reported);
  const cachedMs = oldestCachedMs([timeline, categories, categoriesBefore]);
  const found = reportOf({ verdict, timeline }, episode, reported, context);
  const {
    title,
    level,
    body: [headline, ...body],
  } = cachedMs === null ? found : asOfEarlier(found, cachedMs, context);
  const compared = categories === null ? null : compareCategories(categories, categoriesBefore);
  const movers = compared === null ? null : findMovers(compared.rows, STANDS_OUT);
  const rows = movers === null ? null : [...movers.moved, ...movers.rest];
  const files = [timelineCsv(timeline, context), ...(rows === null ? [] : [categoriesCsv(rows, range, context)])];
  await nextTurn();
  return {
    title,
    level: shownLevel(level, verdict),
    headline,
    body,
    subject: { hosts, range, zone, now },
    why: explanationOf(verdict, retentionNote(assessment.compared, now, zone)),
    chart: verdictChart(context, assessment, title),
    notes: [
      ...verdictNotes(context, assessment),
      ...categoryNotes(categories, compared?.obstacle ?? null),
      filesNote(files.length),
    ],
    actions: verdictActions(context, 'incident', assessment, level),
    attachments: files,
  };
}

/** The course and numbers of the episode as a watch reported them, or else what a check would say. */
function reportOf(
  { verdict, timeline }: Pick<Assessment, 'verdict' | 'timeline'>,
  episode: CountedEpisode | null,
  episodes: readonly ReportedEpisode[],
  context: WindowContext,
): FindingWords {
  const { level, onsetMs, endedMs: endMs, kind, visitorFactor } = verdict;
  const drop = leadingDrop(verdict);
  const known = drop === undefined ? { onsetMs } : { drop: drop.what, onsetMs: drop.sinceMs };
  const reported = episodes.find((each) => each.drop === known.drop && each.onsetMs === known.onsetMs);
  if (drop !== undefined || onsetMs === null || episode === null) {
    const found = withoutEpisode(verdict, { ...context, episode });
    return reported === undefined ? found : { ...found, body: [...found.body, acknowledgement(reported)] };
  }
  const { figures, leading } = episode;
  const isOver = endMs !== null;
  return {
    title: [levelAndTime(verdict, context), ...usualWords(figures), ...kindWords(leading, isOver)].join(' · '),
    level,
    body: [
      courseLine({ onsetMs, endMs }, figures, timeline, context),
      ...shapeLine({ kind: reported?.shape ?? kind, isOver, visitorFactor, total: figures.total }, risenIn(episode)),
      ...(reported === undefined ? [] : [acknowledgement(reported)]),
    ],
  };
}

/** A report says first whether there is anything to report. */
function withoutEpisode(verdict: Verdict, context: FindingContext): FindingWords {
  const found = findingOf(verdict, context);
  return found.level === 'calm' ? { ...found, title: `No incident: ${found.title.replace('Calm', 'calm')}` } : found;
}

/**
 * `1,789 attacks in 30 minutes so far: 60 per minute, 4.6× the usual 13, peak 73 at 15:23. Still ongoing.`, and of one
 * that is over `Then 12 per minute.`
 */
function courseLine(
  { onsetMs, endMs }: EpisodeSpan,
  figures: EpisodeFigures,
  timeline: Timeline,
  { zone }: WindowContext,
): Line {
  const at = clockOf(zone, Temporal.Instant.fromEpochMilliseconds(onsetMs));
  const { peak, total, expected, untilMs } = figures;
  const times = timesUsual(figures);
  const before = rateBetween(timeline, timeline.fromMs, onsetMs);
  const after = endMs === null ? null : rateBetween(timeline, endMs, timeline.toMs);
  const lengthMs = Math.max(MINUTE_MS, untilMs - onsetMs);
  const during = rateWords(total, lengthMs);
  const unit = peak === null || peak.intervalMs === MINUTE_MS ? '' : ` in ${duration(peak.intervalMs)}`;
  const highest: Line =
    peak === null
      ? []
      : [', peak ', { bold: formatCount(peak.count) }, `${unit} at ${at(peak.endMs - peak.intervalMs)}`];
  const rate =
    times !== null && expected !== null
      ? `${during} per minute, ${factorWords(times)}× the usual ${rateWords(expected, lengthMs)}`
      : `${before === null ? during : `from ${before} to ${during}`} per minute`;
  return [
    { bold: counted(total, 'attack') },
    ` in ${lasting((endMs ?? untilMs) - onsetMs)}${endMs === null ? ' so far' : ''}: ${rate}`,
    ...highest,
    endMs === null ? '. Still ongoing.' : `.${after === null ? '' : ` Then ${after} per minute.`}`,
  ];
}

/** Less time than this before or after says nothing about the rate there. */
const MIN_MS = 10 * MINUTE_MS;

function rateBetween({ points, intervalMs }: Timeline, fromMs: number, toMs: number): string | null {
  const counts = points.flatMap(({ endMs, attacks }) =>
    attacks === null || endMs - intervalMs < fromMs || endMs > toMs ? [] : [attacks],
  );
  const knownMs = counts.length * intervalMs;
  return knownMs < MIN_MS
    ? null
    : rateWords(
        counts.reduce((sum, count) => sum + count, 0),
        knownMs,
      );
}

/** `60`, and of few `2.4`. */
function rateWords(count: number, ms: number): string {
  const perMinute = (count * MINUTE_MS) / ms;
  return perMinute < 9.95 ? perMinute.toFixed(1).replace(/\.0$/, '') : formatCount(perMinute);
}

function acknowledgement({ acknowledged, openedMs }: ReportedEpisode): Line {
  if (acknowledged === null) return ['Nobody acknowledged it.'];
  const { by, atMs } = acknowledged;
  return ['Acknowledged by ', { user: by }, ` ${afterWords(atMs - openedMs)}.`];
}

const filesNote = (count: number): Line => [
  count === 1
    ? 'The timeline is in the thread as a CSV file.'
    : 'Timeline and categories are in the thread as CSV files.',
];

function categoryNotes(categories: Distribution | null, obstacle: Obstacle | null): Line[] {
  if (categories === null) return [["Categories unknown: the service didn't answer for them."]];
  if (obstacle !== null) return [['Categories of the day before unknown.']];
  return limitNotes([categories]);
}
