/** `incident`: an episode in one post, for the post-mortem, with its numbers as files. Without a window it's a check. */

import { nextTurn } from '../../clock.ts';
import { type Assessment, assess } from '../../episodes/assess.ts';
import { type EpisodeRecord, isReportOf, natureOf, type ReportedEpisode, timesUsual } from '../../episodes/episode.ts';
import { leadOf } from '../../episodes/episode-log.ts';
import type { Part } from '../../grammar/command-table.ts';
import { categoriesCsv, timelineCsv } from '../../replies/csv.ts';
import { isPast } from '../../replies/episode-account.ts';
import { acknowledgerWords, afterWords, factorWords, heldBackWords } from '../../replies/episode-lines.ts';
import { threadAction } from '../../replies/follow-ups.ts';
import { compareCategories, counted, limitNotes, type Obstacle, oldestCachedMs } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { type FindingContext, type FindingWords, findingOf } from '../../replies/verdict-finding.ts';
import { lasting } from '../../replies/verdict-lines.ts';
import { withoutTimeline } from '../../replies/without-numbers.ts';
import { findMovers, STANDS_OUT } from '../../statistics/categories.ts';
import { duration, formatCount, lowered } from '../../statistics/format.ts';
import type { Distribution, Timeline } from '../../statistics/timeline.ts';
import { clockOf } from '../../time/index.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { WindowContext } from '../context.ts';
import { runbooksOf, withHosts, withResponses } from '../details.ts';
import { incidentDocument } from '../incident-document.ts';
import { isWatched, reportedEpisodes } from '../reported-episodes.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';
import { answerCheck, asOf, countedPart, replyWith, verdictNotes } from './check.ts';

const PARTS: readonly Part[] = [...WINDOW_PARTS, 'canvas'];

export const incident: Verb = {
  verb: 'incident',
  aliases: [],
  summary:
    'everything about a past window in one post, with a report and its numbers as files; without a window, the same as check',
  help: { group: 'What happened?', examples: ['incident last 3h'] },
  usage: [`incident <range> ${usageOf(PARTS)}`],
  examples: ['incident yesterday 14:00-16:00', 'incident last 3h', 'incident last 3h canvas'],
  parts: PARTS,
  defaultRange: 'last 1h',
  draws: true,
  anywhere: true,
  answer: answerIncident,
};

async function answerIncident(context: WindowContext): Promise<Reply> {
  if (context.sentence.range === null) return answerCheck(context);
  return withResponses(context, withoutTimeline(context, 'incident', incidentReply(context)));
}

async function incidentReply(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const [assessment, reported, watched] = await Promise.all([
    assess(deps, { hosts: ids, zone, range, withDayBefore: true }),
    reportedEpisodes(context),
    isWatched(context),
  ]);
  const { categories, categoriesBefore } = assessment;
  const timeline = countedPart(assessment);
  const cachedMs = oldestCachedMs([timeline, categories, categoriesBefore]);
  const compared = categories === null ? null : compareCategories(categories, categoriesBefore);
  const movers = compared === null ? null : findMovers(compared.rows, STANDS_OUT);
  const rows = movers === null ? null : [...movers.moved, ...movers.rest];
  const files = [timelineCsv(timeline, context), ...(rows === null ? [] : [categoriesCsv(rows, range, context)])];
  const runbooks = await runbooksOf(context, leadOf(assessment.episodes));
  await nextTurn();
  return withHosts(context, leadOf(assessment.episodes), (on) => {
    const found = reportOf({ ...assessment, on }, reported, asOf(context, cachedMs));
    const facts = { verb: 'incident', cachedMs, watched, runbooks: runbooks(on) } as const;
    const answer = replyWith(found, context, { ...assessment, on }, facts);
    const limits = [...verdictNotes(context, assessment), ...categoryNotes(categories, compared?.obstacle ?? null)];
    const reply: Reply = {
      ...answer,
      notes: [...limits, ...(context.question.withoutFiles === true ? [] : [filesNote(files.length)])],
      actions: [...answer.actions, ...canvasAction(context)],
      attachments: files,
    };
    return {
      ...reply,
      document: incidentDocument(reply, { episodes: assessment.episodes, reported, limits }, context),
    };
  });
}

/** Only five buttons are shown, so this one is offered if there's room; a watch's message has its own. */
const canvasAction = (context: WindowContext): Action[] =>
  context.sentence.canvas ? [] : [threadAction('As a canvas', context, 'incident', 'canvas')];

/** What a check says, with the course of the leading episode and who acknowledged it. */
function reportOf(
  { verdict, episodes, timeline, on }: Assessment & Pick<FindingContext, 'on'>,
  reported: readonly ReportedEpisode[],
  context: WindowContext,
): FindingWords {
  const found = findingOf(verdict, { ...context, episodes, on });
  const lead = leadOf(episodes);
  // A report says first whether there is anything to report.
  if (lead === undefined)
    return found.level === 'calm' ? { ...found, title: `No incident: ${lowered(found.title)}` } : found;
  const report = reported.find((each) => isReportOf(each, lead));
  const [counts = [], ...body] = found.body;
  return {
    ...found,
    body: [
      natureOf(lead) === 'rise' ? courseLine(lead, timeline, context) : counts,
      ...body,
      ...(report === undefined ? [] : [acknowledgement(report)]),
    ],
  };
}

/**
 * `1,789 attacks in 30 minutes so far: 60 per minute, 4.6× the usual 13, peak 73 at 15:23. Still ongoing.`, and of one
 * that is over `Then 12 per minute.`
 */
function courseLine({ onsetMs, endMs, figures }: EpisodeRecord, timeline: Timeline, context: WindowContext): Line {
  const at = clockOf(context.zone, Temporal.Instant.fromEpochMilliseconds(onsetMs));
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
  const isNow = endMs === null && !isPast(context);
  return [
    { bold: counted(total, 'attack') },
    ` in ${lasting((endMs ?? untilMs) - onsetMs)}${isNow ? ' so far' : ''}: ${rate}`,
    ...highest,
    isNow ? '. Still ongoing.' : `.${after === null ? '' : ` Then ${after} per minute.`}`,
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

/** `2.4`, `56.9`: precise enough that one of two rates is as many times the other as the text says. */
function rateWords(count: number, ms: number): string {
  const perMinute = (count * MINUTE_MS) / ms;
  return perMinute < 99.95 ? perMinute.toFixed(1).replace(/\.0$/, '') : formatCount(perMinute);
}

function acknowledgement({ acknowledged, openedMs, heldBack, firstTs }: ReportedEpisode): Line {
  if (heldBack !== undefined && firstTs === null) return [`The ${heldBackWords(heldBack)}.`];
  if (acknowledged === null) return ['Not acknowledged.'];
  const after = afterWords(acknowledged.atMs - openedMs);
  return ['Acknowledged by ', ...acknowledgerWords(acknowledged, 'quietly'), ` ${after}.`];
}

const filesNote = (count: number): Line => [
  `The report is in the thread as a Markdown file, ${count === 1 ? 'the timeline as a CSV file' : 'timeline and categories as CSV files'}.`,
];

function categoryNotes(categories: Distribution | null, obstacle: Obstacle | null): Line[] {
  if (categories === null) return [["Categories unknown: the service didn't answer for them."]];
  if (obstacle !== null) return [['Categories of the day before unknown.']];
  return limitNotes([categories]);
}
