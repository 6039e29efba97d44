/** Asks about a window, or about now, in every way there is, and compares what is said with the records and the truth. */
import type { EpisodeRecord } from '../../src/episodes/episode.ts';
import { rankEpisodes } from '../../src/episodes/episode-log.ts';
import type { RecordedNumbers } from '../../src/episodes/recorded-statistics.ts';
import { answerWords } from '../../src/mcp/answer-words.ts';
import { isoInterval } from '../../src/replies/follow-ups.ts';
import type { Attachment, Reply } from '../../src/replies/reply.ts';
import { lasting } from '../../src/replies/verdict-lines.ts';
import { categoryName } from '../../src/statistics/categories.ts';
import { formatCount } from '../../src/statistics/format.ts';
import { lastSettledMinute, SETTLE_MS } from '../../src/statistics/timeline.ts';
import { callingStrength } from '../../src/subscriptions/watch/sensitivity.ts';
import { allEpisodesOf, courseOf, coursesOf } from '../../src/subscriptions/watch/watch-state.ts';
import type { Range } from '../../src/time/index.ts';
import { disagreements } from './agreement.ts';
import type { AskedSite } from './asked-site.ts';
import {
  type AskedAt,
  type Comparisons,
  compareAnswer,
  compareCounts,
  compareDigest,
  compareHeading,
  compareSpan,
  compareTable,
  compareWhat,
  compareWhy,
  comparing,
  instantOf,
  ledBy,
  spanIn,
  textOf,
} from './claims.ts';
import { DAY_MS, type Happening, HOUR_MS, MINUTE_MS } from './eventful-site.ts';

export interface Night {
  readonly site: AskedSite;
  /** What was over when it was read earlier, by its ID. */
  readonly read: Map<string, EpisodeRecord>;
  readonly numbers: RecordedNumbers;
  readonly happened: readonly Happening[];
  /** The asker's zone. */
  readonly zone: string;
  readonly into: Comparisons;
  /** To repeat it. */
  readonly name: string;
}

export interface AskedWindow {
  /** As people type it; otherwise as a button writes it. */
  readonly words: string | null;
  readonly range: Range;
}

async function listIn({ site }: Night, fromMs: number, toMs: number): Promise<readonly EpisodeRecord[]> {
  const list = await site.episodes.within({ fromMs, toMs, hosts: [] });
  if (list === null || !list.judged) throw new Error('the time could not be searched');
  return rankEpisodes(list.episodes);
}

export async function askAboutWindow(night: Night, { words, range }: AskedWindow): Promise<void> {
  const { site, zone, into } = night;
  const nowMs = site.clock.now().epochMilliseconds;
  const [fromMs, toMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
  const asked: AskedAt = { fromMs, toMs, nowMs, zone, todayMs: nowMs };
  const window = words ?? isoInterval(range);
  const of = (way: string) => comparing(into, `${night.name}: ${way} ${window} at ${site.clock.now()} in ${zone}`);
  const ranked = await listIn(night, fromMs, toMs);
  const { lead } = ledBy(ranked);
  const ask = (sentence: string): Promise<Reply> => site.ask(sentence, zone);
  const answers: Record<string, Reply> = {};
  for (const verb of ['check', 'timeline', 'attacks', 'compare', 'incident']) {
    const reply = await ask(`${verb} ${window} csv`);
    answers[verb] = reply;
    compareAnswer(of(verb), reply, ranked, asked);
    compareFiles(of(`file of ${verb}`), reply, night, range);
  }
  compareAgent(of('agent'), answers, night, range);
  compareHeading(of('agent'), agentWords(answers.check).finding, lead, asked);
  const [why, all] = [await ask(`check ${window} why`), await ask(`incident ${window} why numbers`)];
  compareWhy(of('why'), why, lead, asked);
  compareHeading(of('all numbers'), all.title, lead, asked);
  compareTable(of('all numbers'), all, lead);
  const digest = await site.digest(range, zone);
  compareDigest(of('digest'), digest, ranked, { ...asked, todayMs: toMs - 1 });
  await compareJudge(of('judge'), night, range, ranked, answers.check);
  compareTruth(of('truth'), night, ranked, { fromMs, toMs, nowMs });
}

/** What `judge` says in numbers; of what has stopped, since when. */
async function compareJudge(
  compare: ReturnType<typeof comparing>,
  { site }: Night,
  range: Range,
  ranked: readonly EpisodeRecord[],
  check: Reply | undefined,
): Promise<void> {
  const judged = await site.judge(range);
  const { lead } = ledBy(ranked.filter(({ drop }) => drop === undefined));
  compare('level', judged.level, lead?.worst ?? 'calm');
  compare('onset', judged.onsetMs, lead?.onsetMs ?? null);
  compare('end', judged.endedMs, lead?.endMs ?? null);
  compare('ongoing', judged.ongoing, lead === undefined ? null : lead.endMs === null);
  if (lead !== undefined) compare('score', judged.score, lead.strength);
  const drops = ranked.flatMap(({ drop, onsetMs }) => (drop === undefined ? [] : [`${drop} ${onsetMs}`]));
  compare('drops', judged.drops.map(({ what, since }) => `${what} ${since}`).join(), drops.join());
  // Its words are those of an answer, which may lead with what is gone instead.
  if (lead !== undefined && ledBy(ranked).lead === lead) compareCounts(compare, judged.sentence, lead);
  const said = [check?.title, textOf(check?.headline), ...(check?.body ?? []).map(textOf)].join('\n');
  const [, observed] = /(?:; |· )([\d,]+)(?: attacks?)? in the/.exec(said) ?? [];
  if (observed !== undefined) compare('observed', formatCount(judged.observed), observed);
}

/** Files cover the window, and what they add up to is in the recorded numbers. */
function compareFiles(
  compare: ReturnType<typeof comparing>,
  { attachments = [] }: Reply,
  { numbers, site, zone }: Night,
  { from, to }: Range,
): void {
  compare('has a file', attachments.length > 0, true);
  const settled = lastSettledMinute(site.clock.now());
  const counted = Temporal.Instant.compare(settled, to) < 0 ? settled : to;
  const truth = countBetween(numbers, from.epochMilliseconds, counted.epochMilliseconds);
  for (const file of attachments) {
    const { rows, column } = readCsv(file);
    const isTimeline = file.name.includes('timeline');
    const edge = (name: string, row: number): number =>
      Temporal.Instant.from(column(name)[row] ?? '1970-01-01T00:00Z').epochMilliseconds;
    compare('start of the file', edge(isTimeline ? 'interval_start' : 'window_start', 0), from.epochMilliseconds);
    compare('zone of the file', column('zone')[0], zone);
    const end = edge(isTimeline ? 'interval_end' : 'window_end', rows - 1);
    const isWhole = end === to.epochMilliseconds || end === counted.epochMilliseconds;
    compare(`end of the file (${new Date(end).toISOString()})`, isWhole, true);
    const sum = column(isTimeline ? 'attacks' : 'events').reduce((all, cell) => all + Number(cell), 0);
    // Categories of a report include what is still filling in.
    const all = countBetween(numbers, from.epochMilliseconds, end);
    compare('sum of the file', sum === truth || (!isTimeline && sum === all) ? truth : sum, truth);
  }
}

/** A check and a timeline as an agent reads them. */
const agentWords = (reply: Reply | undefined) => {
  if (reply === undefined) throw new Error('there is no answer');
  return answerWords(reply, { maxRows: 48 }).structured;
};

/** Its rows add up to what was counted, in at most as many as it asked for. */
function compareAgent(
  compare: ReturnType<typeof comparing>,
  { check, timeline }: Readonly<Record<string, Reply>>,
  { numbers, site }: Night,
  { from, to }: Range,
): void {
  compare('level', agentWords(check).level, check?.level);
  const { csv = '' } = agentWords(timeline);
  const rows = csv.split('\n').slice(1);
  compare(`has rows, and at most 48 (${rows.length})`, rows.length > 0 && rows.length <= 48, true);
  const settled = lastSettledMinute(site.clock.now());
  const counted = Temporal.Instant.compare(settled, to) < 0 ? settled : to;
  const sum = rows.reduce((all, row) => all + Number(row.split(',')[2]), 0);
  compare('sum of the rows', sum, countBetween(numbers, from.epochMilliseconds, counted.epochMilliseconds));
}

function readCsv({ content }: Attachment) {
  const [head = '', ...lines] = content.trim().split('\r\n');
  const cells = lines.map((line) => line.split(','));
  const names = head.split(',');
  const column = (name: string): string[] => {
    const at = names.indexOf(name);
    return cells.map((row) => row[at] ?? '');
  };
  return { rows: lines.length, column };
}

function countBetween({ attacks, startMs, intervalMs }: RecordedNumbers, fromMs: number, toMs: number): number {
  const part = attacks.slice(Math.ceil((fromMs - startMs) / intervalMs), Math.floor((toMs - startMs) / intervalMs));
  return part.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

const KNOWN_AFTER_MS = 20 * MINUTE_MS;
const OVER_AFTER_MS = 25 * MINUTE_MS;
const NEAR_MS = 5 * MINUTE_MS;

/** Whatever plainly happened is found, at its time; totals of a rise are those of the numbers. */
function compareTruth(
  compare: ReturnType<typeof comparing>,
  { happened, numbers }: Night,
  ranked: readonly EpisodeRecord[],
  { fromMs, toMs, nowMs }: { readonly fromMs: number; readonly toMs: number; readonly nowMs: number },
): void {
  for (const each of happened) {
    const isIn = each.isPlain && each.fromMs + NEAR_MS < toMs && each.toMs - NEAR_MS > fromMs;
    if (!isIn || nowMs - each.fromMs < KNOWN_AFTER_MS) continue;
    const what = `rise of ${each.category} by ${each.more} at ${new Date(each.fromMs).toISOString()}`;
    const found = ranked.find(
      ({ drop, mix, onsetMs, figures }) =>
        drop === undefined && mix === undefined && onsetMs < each.toMs && figures.untilMs > each.fromMs,
    );
    compare(`${what} is found`, found !== undefined, true);
    if (found === undefined) continue;
    compare(
      `${what} begins in time (${new Date(found.onsetMs).toISOString()})`,
      isNear(found.onsetMs, each.fromMs),
      true,
    );
    if (nowMs - each.toMs < OVER_AFTER_MS) continue;
    compare(`${what} is over`, found.endMs !== null, true);
    compare(
      `${what} ends in time (${new Date(found.endMs ?? 0).toISOString()})`,
      isNear(found.endMs ?? 0, each.toMs),
      true,
    );
    compare(`${what} is led by it`, found.leading.map(categoryName).join(), categoryName(each.category));
  }
  for (const { drop, mix, onsetMs, figures } of ranked) {
    if (drop !== undefined || mix !== undefined) continue;
    compare('total of a rise', figures.total, countBetween(numbers, onsetMs, figures.untilMs));
  }
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= NEAR_MS;

/** Home, the watch and its preview, which are about now. */
export async function askAboutNow(night: Night, watchedFromMs: number): Promise<void> {
  const { site, into, zone } = night;
  const nowMs = site.clock.now().epochMilliseconds;
  const of = (way: string) => comparing(into, `${night.name}: ${way} at ${site.clock.now()}`);
  const records = await listIn(night, nowMs - 3 * DAY_MS, nowMs);
  compareKept(of('records'), night, records);
  await compareHome(of('Home'), night, await listIn(night, nowMs - HOUR_MS, nowMs));
  await compareWatch(of('watch'), night, records, watchedFromMs);
  const earlier = await listIn(night, nowMs - 8 * DAY_MS, nowMs);
  comparePreview(of('watch preview'), await site.ask('watch preview', zone), earlier, { zone, nowMs });
}

const KEPT_AFTER_MS = 30 * MINUTE_MS;

/** What is over stays as it was, however much later it is read. */
function compareKept(
  compare: ReturnType<typeof comparing>,
  { site, read }: Night,
  records: readonly EpisodeRecord[],
): void {
  const nowMs = site.clock.now().epochMilliseconds;
  // Sums in another order differ in the last digits.
  const told = ({ onsetMs, endMs, figures, strength, worst, leading }: EpisodeRecord): string =>
    [onsetMs, endMs, figures.total, figures.expected?.toFixed(6), strength.toFixed(6), worst, leading].join();
  for (const [id, record] of read) {
    const now = records.find((each) => each.id === id);
    compare(`${id} later`, now === undefined ? 'gone' : told(now), told(record));
  }
  for (const record of records)
    if (record.endMs !== null && nowMs - record.endMs >= KEPT_AFTER_MS && record.onsetMs > nowMs - DAY_MS)
      read.set(record.id, record);
}

function homeAnswer(lead: EpisodeRecord | undefined): string {
  if (lead === undefined) return 'No';
  const { endMs, drop, worst } = lead;
  if (drop !== undefined) {
    const stopped = drop === 'attacks' ? 'attacks have stopped' : 'visitors are gone';
    return endMs === null ? `No, but ${stopped}` : 'No';
  }
  return endMs !== null ? 'Not anymore' : worst === 'surge' ? 'Yes' : 'Maybe';
}

const DATE = /<!date\^(\d+)\^[^>]*>/;

async function compareHome(
  compare: ReturnType<typeof comparing>,
  { site, zone }: Night,
  ranked: readonly EpisodeRecord[],
): Promise<void> {
  const [heading = '', text = ''] = await site.home();
  const { lead, others } = ledBy(ranked);
  const [, answer] = /attack\? (.*)$/.exec(heading) ?? [];
  const known = homeAnswer(lead);
  compare('answer', answer, known);
  const lines = text.split('\n');
  const spanOf = (line: string) => {
    const [first, second] = [...line.matchAll(new RegExp(DATE, 'g'))].map(([, seconds]) => Number(seconds) * 1000);
    return first === undefined ? null : { onsetMs: first, endMs: second ?? null };
  };
  const [counts = '', when = ''] = lines;
  const also = lines.slice(lead === undefined ? 1 : 2);
  if (lead !== undefined) {
    compareCounts(compare, counts.replaceAll('*', ''), lead);
    compareSpan(compare, when, spanOf(when), lead, zone);
    compareWhat(compare, `${counts}\n${when}`, lead);
  }
  compare('lines for the others', also.length, others.length);
  for (const [at, line] of also.entries()) {
    const record = others[at];
    if (record === undefined) continue;
    compareSpan(compare, line, spanOf(line), record, zone);
    compareWhat(compare, line, record);
  }
}

async function compareWatch(
  compare: ReturnType<typeof comparing>,
  night: Night,
  records: readonly EpisodeRecord[],
  watchedFromMs: number,
): Promise<void> {
  const { site } = night;
  const state = await site.watchRecord();
  const zone = site.watchZone;
  const nowMs = site.clock.now().epochMilliseconds;
  const calls = callingStrength('normal');
  const reported = allEpisodesOf(state);
  const alerting = records.filter(
    ({ steps, onsetMs }) =>
      onsetMs > watchedFromMs && steps.some(({ atMs, strength }) => strength >= calls && atMs <= nowMs - SETTLE_MS),
  );
  const ids = (some: readonly (string | undefined)[]): string => some.toSorted().join();
  compare('reported episodes', ids(reported.map(({ record }) => record)), ids(alerting.map(({ id }) => id)));
  for (const episode of reported) {
    const record = records.find(({ id }) => id === episode.record);
    if (record === undefined) continue;
    compare(`total of ${record.id}`, episode.figures?.total, record.figures.total);
    compare(`onset of ${record.id}`, episode.onsetMs, record.onsetMs);
  }
  for (const course of coursesOf(state)) {
    const { episode, message } = courseOf(state, course);
    const shown = message?.ts == null ? undefined : site.shown.get(message.ts);
    const record = records.find(({ id }) => id === episode?.record);
    if (episode === null || shown === undefined || record === undefined) continue;
    const { reply, atMs: todayMs } = shown;
    const asked = { zone, todayMs };
    const isOver = episode.closedMs !== null;
    compare(`is over by its heading (${reply.title})`, reply.title.startsWith('Over: '), isOver);
    compareSpan(compare, reply.title, spanIn(reply.title, asked), record, zone);
    compare('color of a message', isOver ? 'past' : reply.level, record.endMs === null ? episode.level : 'past');
    compareWhat(compare, reply.title, record);
    if (record.mix === undefined) compareCounts(compare, textOf(reply.headline).replace(/^[^:]*: /, ''), record);
    for (const each of disagreements(reply)) compare('within the message', each, null);
  }
  await compareSilence(compare, night, records, alerting);
}

const SILENT_MS = 30 * MINUTE_MS;

/** What goes on and isn't reported has its reason in the list of watches. */
async function compareSilence(
  compare: ReturnType<typeof comparing>,
  { site }: Night,
  records: readonly EpisodeRecord[],
  alerting: readonly EpisodeRecord[],
): Promise<void> {
  const nowMs = site.clock.now().epochMilliseconds;
  const silent = records.filter(
    (record) => record.endMs === null && nowMs - record.onsetMs >= SILENT_MS && !alerting.includes(record),
  );
  if (silent.length === 0) return;
  const { headline, body = [], entries = [] } = await site.ask('watches', site.watchZone);
  const text = [headline ?? [], ...body, ...entries.flatMap(({ lines }) => lines)].map(textOf).join('\n');
  for (const { id, onsetMs } of silent) {
    const spans = text.split('\n').map((line) => spanIn(line, { zone: site.watchZone, todayMs: nowMs }));
    compare(
      `why ${id} isn't reported (${text})`,
      spans.some((span) => span?.onsetMs === onsetMs),
      true,
    );
  }
}

/** Alerts of a watch that ran all the time, and those that its preview shows. */
export async function comparePreviewedAlerts(night: Night, openedMs: readonly number[], fromMs: number): Promise<void> {
  const { site, into } = night;
  const nowMs = site.clock.now().epochMilliseconds;
  const compare = comparing(into, `${night.name}: preview of a running watch at ${site.clock.now()}`);
  const { table } = await site.ask('watch preview', site.watchZone);
  const shown = (table?.rows ?? [])
    .filter((row) => row[4]?.includes('normal'))
    .map(([at = '']) => instantOf(at, site.watchZone, nowMs))
    .filter((ms) => ms >= fromMs);
  const times = (some: readonly number[]): string =>
    some
      .toSorted((a, b) => a - b)
      .map((ms) => new Date(ms).toISOString())
      .join();
  compare('alerts', times(shown), times(openedMs));
}

/** Whether words are about a category or about a rise as the record is: both may begin in the same minute. */
const isAbout = (words: string, { mix }: EpisodeRecord): boolean =>
  mix === undefined
    ? !/\bmore |unusually high/i.test(words)
    : words.toLowerCase().includes(categoryName(mix).toLowerCase());

/** The rows of the table, and the last alert in words. */
function comparePreview(
  compare: ReturnType<typeof comparing>,
  reply: Reply,
  records: readonly EpisodeRecord[],
  { zone, nowMs }: Pick<AskedAt, 'zone' | 'nowMs'>,
): void {
  const everyMs = 5 * MINUTE_MS;
  // The end of what a watch had seen by now.
  const seenMs = nowMs - (nowMs % everyMs) - SETTLE_MS;
  const least = callingStrength('sensitive');
  const due = records.filter(
    ({ steps, onsetMs }) =>
      onsetMs > nowMs - 7 * DAY_MS && steps.some(({ atMs, strength }) => strength >= least && atMs <= seenMs),
  );
  const rows = reply.table?.rows ?? [];
  for (const record of due) {
    const row = rows.find(
      ([, what = '', began = '']) => instantOf(began, zone, nowMs) === record.onsetMs && isAbout(what, record),
    );
    if (rows.length === 10 && row === undefined) continue;
    compare(`a row for ${record.id}`, row !== undefined, true);
    if (row === undefined || record.endMs === null || record.endMs > seenMs) continue;
    compare(`length of ${record.id}`, row[3], lasting(record.endMs - record.onsetMs));
    if (record.drop === undefined && record.mix === undefined)
      compare(`level of ${record.id}`, row[1]?.toLowerCase(), record.worst);
  }
  const recent = rows.filter(([, , began = '']) => instantOf(began, zone, nowMs) > nowMs - 7 * DAY_MS);
  if (rows.length < 10) compare(`rows (${recent.map((row) => row.join(' ')).join('; ')})`, recent.length, due.length);
  const [last] = (reply.body ?? []).map(textOf).filter((line) => line.startsWith('Last alert'));
  if (last === undefined) return;
  const span = spanIn(last.replace(/^Last alert: [^,]*, /, ''), { zone, todayMs: nowMs });
  const record = records.find((each) => each.onsetMs === span?.onsetMs && isAbout(last, each));
  if ((span?.onsetMs ?? 0) > nowMs - 7 * DAY_MS)
    compare(`the last alert is a record (${last})`, record !== undefined, true);
  if (record !== undefined && record.endMs !== null && record.endMs <= seenMs)
    compareSpan(compare, last, span, record, zone);
}
