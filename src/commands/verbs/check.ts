/** `check`: is this normal? The verdict first, then its numbers, its rule and the chart. */
import { timelineChart } from '../../charts/spec/index.ts';
import { categoryName } from '../../insight/categories.ts';
import { formatChange, formatCount } from '../../insight/format.ts';
import type { MovedCategory, Verdict } from '../../insight/verdict/index.ts';
import type { Assessment } from '../assess.ts';
import type { WindowContext } from '../context.ts';
import { timelineCsv } from '../replies/csv.ts';
import { verdictActions } from '../replies/follow-ups.ts';
import { onHosts, staleNote, timelineNotes, withAge } from '../replies/phrases.ts';
import type { Reply, Table } from '../replies/reply.ts';
import { explanation, extentLine, kindLine, verdictHeadline } from '../replies/verdict-lines.ts';
import { assessAsWatched } from '../watched-times.ts';

export async function answerCheck(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const ids = hosts.map(({ id }) => id);
  const assessment = await assessAsWatched(context, 'hours before');
  deps.lastVerdicts.remember(ids, assessment);
  const { verdict, timeline, categories, dayBefore } = assessment;
  const answers = [timeline, categories];
  const title = `Is this normal${onHosts(hosts)}?`;
  return {
    title,
    level: verdict.level,
    headline: withAge(verdictHeadline(verdict), answers, now),
    subject: { hosts, range, zone },
    body: [...extentLine(verdict, zone), ...kindLine(verdict)],
    why: { lines: explanation(verdict), ...(verdict.moved.length === 0 ? {} : { table: movedTable(verdict.moved) }) },
    ...(timeline.points.length === 0 ? {} : { chart: verdictChart(context, assessment, title) }),
    notes: [...staleNote(answers, now), ...timelineNotes(timeline)],
    actions: verdictActions(context, verdict, dayBefore),
    ...(sentence.csv ? { attachments: [timelineCsv(timeline, zone)] } : {}),
  };
}

export function verdictChart({ hosts, zone }: WindowContext, { timeline, verdict }: Assessment, title: string) {
  return timelineChart({
    timeline,
    zone,
    title,
    hosts,
    ...(verdict.band.length === 0 ? {} : { baseline: { points: verdict.band } }),
    ...marks(verdict, timeline.fromMs),
  });
}

/** Only marks inside the chart are drawn. */
function marks({ onsetMs, endedMs }: Verdict, fromMs: number): { onsetMs?: number; endMs?: number } {
  return {
    ...(onsetMs !== null && onsetMs >= fromMs ? { onsetMs } : {}),
    ...(endedMs !== null ? { endMs: endedMs } : {}),
  };
}

function movedTable(moved: readonly MovedCategory[]): Table {
  return {
    columns: [
      { name: 'Category', align: 'left' },
      { name: 'Now', align: 'right' },
      { name: 'Usual', align: 'right' },
      { name: 'Change', align: 'right' },
    ],
    rows: moved.map(({ name, observed, expected, isNew }) => [
      categoryName(name),
      formatCount(observed),
      isNew ? '–' : formatCount(expected),
      isNew ? 'new' : formatChange(observed, expected),
    ]),
  };
}
