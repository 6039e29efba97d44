/** `compare`: two windows side by side, the most surprising changes first. */
import { timelineChart, windowInWords } from '../../charts/spec/index.ts';
import { nullIfNotOffered } from '../../errors.ts';
import { categoryName } from '../../insight/categories.ts';
import { formatCount } from '../../insight/format.ts';
import { findMovers, NOTICEABLE } from '../../insight/movers.ts';
import {
  bucketFor,
  type CategoryRow,
  hasTraffic,
  rankCategories,
  rebucket,
  summarise,
  type TimelineSummary,
} from '../../insight/summary.ts';
import type { Timeline } from '../../insight/timeline.ts';
import { type Comparison, compareLikeWithLike, type Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { categoriesCsv } from '../replies/csv.ts';
import { againActions, asCounted, csvAction, digestAction, threadAction, whyAction } from '../replies/follow-ups.ts';
import {
  againstWords,
  changeWords,
  comparisonTable,
  fillingNote,
  lengthRatio,
  limitNotes,
  moveWords,
  othersWords,
  staleNote,
  timelineNotes,
  windowWords,
  withAge,
} from '../replies/phrases.ts';
import type { Line, Reply } from '../replies/reply.ts';
import { stillFilling, withoutTraffic } from '../replies/without-numbers.ts';

export async function answerCompare(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, versus: sentence.versus, now, zone });
  if (comparison === null) return stillFilling(context, 'compare');
  const query = (window: Range) => ({ range: window, hosts: hosts.map(({ id }) => id), zone });
  const [timeline, before, distribution, distributionBefore] = await Promise.all([
    deps.statistics.timeline(query(comparison.counted)),
    deps.statistics.timeline(query(comparison.against)),
    nullIfNotOffered(deps.statistics.distribution(query(comparison.counted))),
    nullIfNotOffered(deps.statistics.distribution(query(comparison.against))),
  ]);
  const [a, b] = [summarise(timeline), summarise(before)];
  if (!hasTraffic(a)) return withoutTraffic(context, 'compare', a);
  const ratio = lengthRatio(comparison);
  const rows = distribution === null ? [] : rankCategories(distribution, b.intervals === 0 ? null : distributionBefore);
  const answers = [timeline, before, distribution, distributionBefore];
  // Both windows are told as far as they are compared: one window in one message.
  const subject = { hosts, range: comparison.counted, zone, now };
  const here = asCounted(context, comparison);
  const title = findingOf(a, b, comparison, zone);
  const { moved, rest } = findMovers(rows, NOTICEABLE, ratio);
  return {
    title,
    headline: withAge(totalsLine(a, b, comparison, zone), answers, now),
    ...(b.intervals === 0 ? {} : { body: [...movedLines(moved), ...restLines(rest, moved.length === 0)] }),
    subject,
    chart: comparisonChart(timeline, before, {
      zone,
      title,
      hosts,
      previousName: againstWords(comparison, zone),
      endMs: comparison.counted.to.epochMilliseconds,
    }),
    notes: [
      ...staleNote(answers, now),
      ...timelineNotes(timeline, { ...a, unsettled: 0 }),
      ...(distribution === null
        ? [['The service does not tell the categories of this window.']]
        : limitNotes([distribution])),
      ...fillingNote({ ...subject, range }, comparison),
    ],
    actions: [
      whyAction(here, 'compare', 'All'),
      threadAction('By category', here, 'attacks'),
      threadAction('Over time', here, 'timeline'),
      ...againActions(context, 'compare'),
      csvAction(here, 'compare'),
    ],
    why: {
      lines: [windowWords(comparison, zone)],
      table: comparisonTable(a, b.intervals === 0 ? null : b, [...moved, ...rest], ratio),
      actions: [csvAction(here, 'compare'), digestAction(context)],
    },
    ...(sentence.csv ? { attachments: [categoriesCsv(rows, comparison.counted, zone)] } : {}),
  };
}

/** Two curves of single minutes hide each other, so both are drawn in the same longer intervals. */
const MOST_POINTS = 96;

interface ComparisonWords {
  readonly zone: string;
  readonly title: string;
  readonly hosts: WindowContext['hosts'];
  readonly previousName: string;
  readonly endMs: number;
}

function comparisonChart(timeline: Timeline, before: Timeline, { endMs, ...words }: ComparisonWords) {
  const bucketMs = Math.max(bucketFor(timeline, MOST_POINTS), before.intervalMs);
  const shown = { ...rebucket(timeline, bucketMs), toMs: endMs };
  return timelineChart({ timeline: shown, previous: rebucket(before, bucketMs), ...words });
}

/** `Attacks +12 %, requests −3 % · 00:00–06:27 on both days` */
function findingOf(a: TimelineSummary, b: TimelineSummary, comparison: Comparison, zone: string): string {
  const windows = windowsInWords(comparison, zone);
  if (b.intervals === 0) return `Nothing to compare with · ${windows}`;
  const part = (what: string, now: number | null, was: number | null): string => {
    if (now === null || was === null) return `${what} not known`;
    return `${what} ${changeWords(now, was, comparison) ?? `${formatCount(was)} → ${formatCount(now)}`}`;
  };
  return `${part('Attacks', a.attacks, b.attacks)}, ${part('requests', a.requests, b.requests)} · ${windows}`;
}

function windowsInWords(comparison: Comparison, zone: string): string {
  const { counted: now, against, words } = comparison;
  if (words !== null) return `against ${words}`;
  const whole = ({ from, to }: Range): string =>
    windowInWords(from.epochMilliseconds, to.epochMilliseconds, zone, now.from.epochMilliseconds);
  const hours = ({ from, to }: Range): string | null => {
    const [start, end] = [from.toZonedDateTimeISO(zone), to.toZonedDateTimeISO(zone)];
    const clock = (at: Temporal.ZonedDateTime): string => at.toPlainTime().toString({ smallestUnit: 'minute' });
    return start.toPlainDate().equals(end.toPlainDate()) ? `${clock(start)}–${clock(end)}` : null;
  };
  const same = hours(now);
  return same !== null && same === hours(against) ? `${same} on both days` : `${whole(now)} against ${whole(against)}`;
}

function totalsLine(a: TimelineSummary, b: TimelineSummary, comparison: Comparison, zone: string): Line {
  const against = againstWords(comparison, zone);
  if (b.intervals === 0) return [`There is no data for ${against}.`];
  const part = (now: number | null, was: number | null, what: string): Line => {
    if (now === null || was === null) return [`${what} not known`];
    return [`${what} ${formatCount(was)} → `, { bold: formatCount(now) }];
  };
  return [
    `Against ${against}: `,
    ...part(a.attacks, b.attacks, 'attacks'),
    ', ',
    ...part(a.requests, b.requests, 'requests'),
    '.',
  ];
}

/** How many of a kind are told in words; the table has them all. */
const MOST_MOVERS = 3;

/** `Grew: XSS 120 → 310. New: Webshell 14. Fell: Malicious crawlers 900 → 610.` */
function movedLines(moved: readonly CategoryRow[]): Line[] {
  const kinds: [string, (row: CategoryRow) => boolean][] = [
    ['New', ({ before }) => before === 0],
    ['Grew', ({ before, count }) => before !== 0 && count > (before ?? 0)],
    ['Fell', ({ before, count }) => count > 0 && count < (before ?? 0)],
    ['Gone', ({ count }) => count === 0],
  ];
  // The kind of the most surprising one first.
  const words = kinds
    .map(([name, isSo]) => ({ name, rows: moved.filter(isSo), at: moved.findIndex(isSo) }))
    .filter(({ rows }) => rows.length > 0)
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ name, rows }): Line => [{ bold: `${name}: ` }, ...moveWords(rows.slice(0, MOST_MOVERS)), '. ']);
  return words.length === 0 ? [] : [words];
}

function restLines(rest: readonly CategoryRow[], isAll: boolean): Line[] {
  const present = rest.filter(({ count }) => count > 0);
  if (present.length === 0) return [];
  if (isAll) return [['No category stands out.']];
  const only = present.length === 1 ? present[0] : undefined;
  const words = only === undefined ? othersWords(present) : `${categoryName(only.category)} ${formatCount(only.count)}`;
  return [[`${words}, about as before.`]];
}
