/** `incident`: an episode in one post, for the post-mortem, with its numbers as files. Without a window it is a check. */
import { nextTurn } from '../../clock.ts';
import { findMovers, STANDS_OUT } from '../../insight/movers.ts';
import { rankCategories } from '../../insight/summary.ts';
import type { Verdict } from '../../insight/verdict/index.ts';
import type { Assessment } from '../assess.ts';
import type { WindowContext } from '../context.ts';
import { assessClosely, type EpisodeMeasure, kindsOf, measureEpisode, toldEpisodes } from '../episodes.ts';
import type { ReportedEpisode } from '../ports.ts';
import { categoriesCsv, timelineCsv } from '../replies/csv.ts';
import { afterWords, categoryLine, countLine, ratioWords } from '../replies/episode-lines.ts';
import { oldestKeptMs } from '../replies/phrases.ts';
import type { Line, Reply } from '../replies/reply.ts';
import { verdictActions } from '../replies/verdict-actions.ts';
import { asOfEarlier, type FindingWords, findingOf, kindWords, levelAndTime } from '../replies/verdict-lines.ts';
import { explanationOf } from '../replies/verdict-reasons.ts';
import { answerCheck, countedPart, verdictChart, verdictNotes } from './check.ts';

export async function answerIncident(context: WindowContext): Promise<Reply> {
  if (context.sentence.range === null) return answerCheck(context);
  const { range, hosts, zone, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const query = { hosts: ids, zone };
  const told = await toldEpisodes(context);
  const wish = { ...query, range, categoriesAgainst: 'day before' } as const;
  const assessment = await assessClosely(deps.statistics, wish, told);
  const { verdict, categories, categoriesBefore } = assessment;
  const timeline = countedPart(assessment);
  const { onsetMs, endedMs: endMs, toMs } = verdict;
  const measured = onsetMs === null ? null : await measureEpisode(deps.statistics, query, { onsetMs, endMs }, toMs);
  const keptMs = oldestKeptMs([timeline, categories, categoriesBefore]);
  const found = reportOf(verdict, measured, told, context);
  const {
    title,
    level,
    body: [headline, ...body],
  } = keptMs === null ? found : asOfEarlier(found, keptMs, context);
  const movers = categories === null ? null : findMovers(rankCategories(categories, categoriesBefore), STANDS_OUT);
  const rows = movers === null ? null : [...movers.moved, ...movers.rest];
  const files = [timelineCsv(timeline, zone), ...(rows === null ? [] : [categoriesCsv(rows, range, zone)])];
  await nextTurn();
  return {
    title,
    level,
    ...(headline === undefined ? {} : { headline }),
    body,
    subject: { hosts, range, zone },
    why: explanationOf(verdict),
    ...verdictChart(context, assessment, title),
    notes: [...verdictNotes(context, assessment), ...categoryNotes(assessment)],
    actions: verdictActions(context, 'incident', assessment, level),
    attachments: files,
  };
}

/** Of an episode its own numbers, as a watch has told them; where there is none, what a check would say. */
function reportOf(
  verdict: Verdict,
  measured: EpisodeMeasure | null,
  told: readonly ReportedEpisode[],
  context: WindowContext,
): FindingWords {
  const { level, onsetMs, endedMs: endMs, ongoing, kind } = verdict;
  const episode = told.find((each) => each.onsetMs === onsetMs);
  if (onsetMs === null || measured === null) return findingOf(verdict, { ...context, episode: episode ?? null });
  const { figures } = measured;
  const leading = episode?.leading ?? kindsOf(measured);
  const ratio = ratioWords(episode?.ratio ?? measured.ratio);
  const counts = countLine({ onsetMs, endMs }, figures, context.zone);
  return {
    title: [levelAndTime(verdict, context), ...ratio, ...kindWords(leading, ongoing !== true)].join(' · '),
    level,
    body: [
      ongoing === true ? [...counts, ' Still going on.'] : counts,
      ...categoryLine(episode?.shape ?? kind, figures.categories, leading),
      ...(episode === undefined ? [] : acknowledgement(episode)),
    ],
  };
}

function acknowledgement({ acknowledged, openedMs }: ReportedEpisode): Line[] {
  if (acknowledged === null) return [['Nobody acknowledged it.']];
  const { by, atMs } = acknowledged;
  return [['Acknowledged by ', { user: by }, ` ${afterWords(atMs - openedMs)}.`]];
}

function categoryNotes({ categories, categoriesBefore }: Assessment): Line[] {
  if (categories === null) return [['The categories are not known: the service did not answer for them.']];
  if (categoriesBefore === null) return [['The categories of the day before are not known.']];
  return [];
}
