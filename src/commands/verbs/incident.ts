/** `incident`: an episode in one post, for the post-mortem, with its numbers as files. Without a window it is a check. */
import { categoryName } from '../../insight/categories.ts';
import type { EpisodeFigures } from '../../insight/episode.ts';
import { formatCount } from '../../insight/format.ts';
import { findMovers, STANDS_OUT } from '../../insight/movers.ts';
import { rankCategories } from '../../insight/summary.ts';
import type { Verdict } from '../../insight/verdict/index.ts';
import type { Assessment } from '../assess.ts';
import type { WindowContext } from '../context.ts';
import { assessClosely, leadingIn, measureEpisode, toldEpisodes, usualCategories } from '../episodes.ts';
import type { ReportedEpisode } from '../ports.ts';
import { categoriesCsv, timelineCsv } from '../replies/csv.ts';
import { afterWords, categoryLine, countLine, ratioWords } from '../replies/episode-lines.ts';
import { counted, oldestKeptMs } from '../replies/phrases.ts';
import type { Line, Reply } from '../replies/reply.ts';
import { verdictActions } from '../replies/verdict-actions.ts';
import { asOfEarlier, type FindingWords, findingOf, lasting, levelAndTime } from '../replies/verdict-lines.ts';
import { explanationOf } from '../replies/verdict-reasons.ts';
import { answerCheck, verdictChart, verdictNotes } from './check.ts';

export async function answerIncident(context: WindowContext): Promise<Reply> {
  if (context.sentence.range === null) return answerCheck(context);
  const { range, hosts, zone, deps } = context;
  const ids = hosts.map(({ id }) => id);
  const query = { hosts: ids, zone };
  const told = await toldEpisodes(context);
  const wish = { ...query, range, categoriesAgainst: 'day before' } as const;
  const assessment = await assessClosely(deps.statistics, wish, told);
  const { verdict, timeline, categories, categoriesBefore } = assessment;
  const { onsetMs, endedMs: endMs, toMs } = verdict;
  const figures = onsetMs === null ? null : await measureEpisode(deps.statistics, query, { onsetMs, endMs }, toMs);
  const keptMs = oldestKeptMs([timeline, categories, categoriesBefore]);
  const found = reportOf(verdict, figures, told, context);
  const {
    title,
    level,
    body: [headline, ...body],
  } = keptMs === null ? found : asOfEarlier(found, keptMs, context);
  const movers = categories === null ? null : findMovers(rankCategories(categories, categoriesBefore), STANDS_OUT);
  const rows = movers === null ? null : [...movers.moved, ...movers.rest];
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
    attachments: [timelineCsv(timeline, zone), ...(rows === null ? [] : [categoriesCsv(rows, range, zone)])],
  };
}

/** Of an episode its own numbers, then those of the window; where there is none, what a check would say. */
function reportOf(
  verdict: Verdict,
  figures: EpisodeFigures | null,
  told: readonly ReportedEpisode[],
  context: WindowContext,
): FindingWords {
  const { level, onsetMs, endedMs: endMs, ongoing, kind, strongest } = verdict;
  if (onsetMs === null || figures === null) return findingOf(verdict, context);
  const leading = leadingIn(figures, { onsetMs, endMs }, usualCategories(verdict)).map(categoryName);
  const title = [levelAndTime(verdict, context), ...ratioWords(strongest?.ratio ?? null), ...leading];
  const counts = countLine({ onsetMs, endMs }, figures, context.zone);
  return {
    title: title.join(' · '),
    level,
    body: [
      [...counts, ongoing === true ? ' Still going on.' : '', ...acknowledgement(told, onsetMs)],
      ...categoryLine(kind, figures.categories),
      windowLine(verdict),
    ],
  };
}

function acknowledgement(told: readonly ReportedEpisode[], onsetMs: number): Line {
  const episode = told.find((each) => each.onsetMs === onsetMs);
  if (episode === undefined || episode.acknowledged === null) return [];
  const { by, atMs } = episode.acknowledged;
  return [' Acknowledged by ', { user: by }, ` ${afterWords(atMs - episode.openedMs)}.`];
}

function windowLine({ totals, expected, fromMs, toMs }: Verdict): Line {
  const usual = expected === null ? '' : `, about ${formatCount(expected)} attacks expected`;
  const of = `${counted(totals.attacks, 'attack')} of ${counted(totals.requests, 'request')}`;
  return [`In the whole window of ${lasting(toMs - fromMs)}: ${of}${usual}.`];
}

function categoryNotes({ categories, categoriesBefore }: Assessment): Line[] {
  if (categories === null) return [['The categories are not known: the service did not answer for them.']];
  if (categoriesBefore === null) return [['The categories of the day before are not known.']];
  return [];
}
