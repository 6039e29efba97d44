/** `incident`: everything about a past window in one post, for the post-mortem. Without a window it is a check. */
import { duration, formatCount } from '../../insight/format.ts';
import { findMovers, STANDS_OUT } from '../../insight/movers.ts';
import { rankCategories, summarise } from '../../insight/summary.ts';
import type { Assessment } from '../assess.ts';
import type { WindowContext } from '../context.ts';
import { categoriesCsv, timelineCsv } from '../replies/csv.ts';
import { verdictActions } from '../replies/follow-ups.ts';
import { categoryTable, onHosts, staleNote, timelineNotes, withAge } from '../replies/phrases.ts';
import type { Line, Reply } from '../replies/reply.ts';
import { explanation, extentLine, kindLine, verdictHeadline } from '../replies/verdict-lines.ts';
import { assessAsWatched } from '../watched-times.ts';
import { answerCheck, verdictChart } from './check.ts';

export async function answerIncident(context: WindowContext): Promise<Reply> {
  if (context.sentence.range === null) return answerCheck(context);
  const { range, hosts, zone, now } = context;
  const assessment = await assessAsWatched(context, 'day before');
  const { verdict, timeline, categories, categoriesBefore, dayBefore } = assessment;
  const answers = [timeline, categories, categoriesBefore];
  const title = `Incident${onHosts(hosts)}`;
  const movers = categories === null ? null : findMovers(rankCategories(categories, categoriesBefore), STANDS_OUT);
  const rows = movers === null ? null : [...movers.moved, ...movers.rest];
  return {
    title,
    level: verdict.level,
    headline: withAge(verdictHeadline(verdict), answers, now),
    subject: { hosts, range, zone },
    body: [...extentLine(verdict, zone), ...peakLine(assessment, zone), ...kindLine(verdict)],
    why: {
      lines: explanation(verdict),
      ...(rows === null || rows.length === 0 ? {} : { table: categoryTable(rows) }),
    },
    ...(timeline.points.length === 0 ? {} : { chart: verdictChart(context, assessment, title) }),
    notes: [...staleNote(answers, now), ...timelineNotes(timeline), ...categoryNotes(assessment)],
    actions: verdictActions(context, verdict, dayBefore),
    attachments: [timelineCsv(timeline, zone), ...(rows === null ? [] : [categoriesCsv(rows, range, zone)])],
  };
}

function peakLine({ timeline }: Assessment, zone: string): Line[] {
  const { attackPeak } = summarise(timeline);
  if (attackPeak === null) return [];
  const startMs = attackPeak.point.endMs - timeline.intervalMs;
  return [
    [
      'Peak of attacks: ',
      { bold: formatCount(attackPeak.value) },
      ` in the ${duration(timeline.intervalMs, { bareOne: true })} from `,
      { instant: Temporal.Instant.fromEpochMilliseconds(startMs), zone },
      '.',
    ],
  ];
}

function categoryNotes({ categories, categoriesBefore }: Assessment): Line[] {
  if (categories === null) return [['The categories are not known: the service did not answer for them.']];
  if (categoriesBefore === null) return [['The categories of the day before are not known.']];
  return [['The change of the categories is against the same hours of the day before.']];
}
