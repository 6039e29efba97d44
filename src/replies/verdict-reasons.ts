/**
 * The reasons for a verdict, in five lines: what was expected, how rare it is, which categories, since when, and how
 * often such a finding is wrong. The rule and every number considered are one step further.
 */

import type { Assessment } from '../episodes/assess.ts';
import { type EpisodeRecord, natureOf, traitsOf } from '../episodes/episode.ts';
import { leadOf } from '../episodes/episode-log.ts';
import { BARS, type Verdict } from '../episodes/verdict/index.ts';
import type { ExcessByHost } from '../episodes/which-host.ts';
import { categoryName } from '../statistics/categories.ts';
import { formatChange, formatCount, formatShare } from '../statistics/format.ts';
import { clockOf } from '../time/index.ts';
import { DAY_MS } from '../time-units.ts';
import { fewWords, isNew, usualByNowWords, wholeShares } from './episode-lines.ts';
import { type QuestionWindow, whyAction } from './follow-ups.ts';
import { hostCountWords } from './host-lines.ts';
import { counted } from './phrases.ts';
import type { Explanation, Line, Table } from './reply.ts';
import { chanceInWords, ruleInWords } from './rule-words.ts';
import { isTooLong, TOO_LONG } from './verdict-finding.ts';
import { lasting } from './verdict-lines.ts';

/** `notes`: what else there is to say about the data. */
export function explanationOf(
  { verdict, episodes, on }: Pick<Assessment, 'verdict' | 'episodes'> & { readonly on: ExcessByHost | null },
  context: QuestionWindow,
  verb: 'check' | 'incident',
  notes: readonly Line[] = [],
  runbooks: readonly Line[] = [],
): Explanation {
  const { unjudged, confidence, completeness } = verdict;
  const lead = leadOf(episodes);
  const missing = completeness.map((each): Line => [each]);
  if (lead === undefined && verdict.expected === null)
    return { heading: 'Why', lines: [[isTooLong(context.range) ? TOO_LONG : (unjudged ?? '')], ...missing, ...notes] };
  const categories = categoriesOf(verdict, lead);
  const table = categoriesTable(categories, lead);
  return {
    heading: 'Why',
    lines: [
      expectedLine(verdict, lead),
      ...rarityLines(lead, episodes.length === 0 ? BARS.check : BARS.normal),
      ...withHosts(categoryLine(categories, lead), on),
      ...(lead === undefined ? [] : [timesLine(lead, context)]),
      ...(confidence === null ? [] : [[confidence]]),
      ...runbooks,
    ],
    actions: [
      whyAction(context, verb, 'Show the rule', 'why rule'),
      whyAction(context, verb, 'All numbers', 'why numbers'),
    ],
    more: {
      rule: { lines: [[ruleInWords()]] },
      numbers: {
        lines: [
          totalLine(categories, lead),
          ...comparedLines(verdict),
          ...missing,
          ...notes,
          ['Attacks are requests that matched a firewall rule.'],
        ],
        table: table.rows.length === 0 ? undefined : table,
      },
    },
  };
}

/** What was counted and what was expected, of the leading episode or of the window; `null` expected is unknown. */
interface Counted {
  readonly total: number;
  readonly expected: number | null;
  readonly rows: readonly CategoryShare[];
}

interface CategoryShare {
  readonly name: string;
  readonly count: number;
  readonly expected: number;
  /** As a whole number, so that a reader who adds up the column gets the total. */
  readonly shown: number;
}

function categoriesOf({ categories, totals, expected }: Verdict, lead: EpisodeRecord | undefined): Counted {
  const known =
    lead === undefined
      ? categories.map(({ name, observed: count, expected: usual }) => ({ name, count, expected: usual }))
      : lead.figures.categories.map(({ category, count, expected: usual }) => ({
          name: category,
          count,
          expected: usual,
        }));
  const rows = known.flatMap(({ expected: usual, ...row }) => (usual === null ? [] : [{ ...row, expected: usual }]));
  const all = lead === undefined ? { total: totals.attacks, expected } : lead.figures;
  const shown = wholeShares(
    rows.map((row) => row.expected),
    all.expected,
  );
  return { total: all.total, expected: all.expected, rows: rows.map((row, at) => ({ ...row, shown: shown[at] ?? 0 })) };
}

/** `Expected: about 430 attacks in 33 minutes, based on the same hours in the 4 weeks before. Counted: 1,992.` */
function expectedLine(verdict: Verdict, lead: EpisodeRecord | undefined): Line {
  const { expected, usual, totals, fromMs, toMs } = verdict;
  const by = basisWords(verdict);
  if (lead === undefined) {
    const range = usual === null ? '' : ` (${formatCount(usual.low)}–${formatCount(usual.high)} is usual)`;
    const attacks = counted(Math.round(expected ?? 0), 'attack');
    return [
      `Expected: about ${attacks} in ${lasting(toMs - fromMs)}${range}, based on ${by}. Counted: `,
      { bold: formatCount(totals.attacks) },
      '.',
    ];
  }
  const { onsetMs, mix, figures } = lead;
  if (mix !== undefined && isNew(figures.expected))
    return [
      `Expected: no ${categoryName(mix)}, based on the last 4 weeks. Counted: `,
      { bold: counted(figures.total, 'event') },
      '.',
    ];
  const length = lasting(figures.untilMs - onsetMs);
  const { unit } = traitsOf(lead);
  const of = mix === undefined ? '' : ` of ${categoryName(mix)}`;
  const expectation =
    figures.expected === null
      ? 'unknown'
      : `about ${fewWords(figures.expected)} ${Math.round(figures.expected) <= 1 ? unit : `${unit}s`}${of} in ${length}, based on ${mix === undefined ? by : 'the last 4 weeks'}`;
  return [`Expected: ${expectation}. Counted: `, { bold: formatCount(figures.total) }, '.'];
}

/** Which weeks or days the expected number is based on. */
function basisWords({ references }: Verdict): string {
  const days = references.flatMap(({ shiftMs }) => (shiftMs === null ? [] : [Math.round(shiftMs / DAY_MS)]));
  const weeks = days.filter((each) => each % 7 === 0).length;
  if (weeks >= 2) return `the same hours in the ${weeks} weeks before`;
  return days.length > 0 ? 'the same hours of the days before' : 'the level of the last day';
}

/** `below`: the strength that nothing here reaches. */
function rarityLines(lead: EpisodeRecord | undefined, below: number): Line[] {
  if (lead === undefined) return [[`Nothing here is rarer than ${chanceInWords(below)}.`]];
  if (lead.drop !== undefined) return [dropShareLine(lead.figures)];
  // How rare small categories and weak takeovers are isn't measured.
  if (lead.mix !== undefined && lead.strength <= BARS.normal) return [];
  return [['By chance alone, this happens here ', { bold: chanceInWords(lead.strength) }, '.']];
}

/** How rare a drop is wasn't measured, so only its size is stated. */
function dropShareLine({ total, expected }: EpisodeRecord['figures']): Line {
  const share = expected === null || expected === 0 ? null : formatShare(total / expected);
  return share === null ? ["What was expected isn't known."] : ['That is ', { bold: share }, ' of what was expected.'];
}

const MAX_CATEGORIES = 3;

/** `SQL injection 741 (52 expected), XSS 422 (27), 9 others 829 (351).` The numbers add up to the figures above. */
function categoryLine({ rows, total }: Counted, lead: EpisodeRecord | undefined): Line[] {
  if (rows.length === 0 || (lead !== undefined && natureOf(lead) !== 'rise')) return [];
  const ordered = lead === undefined ? rows : rows.toSorted((a, b) => b.count - b.expected - (a.count - a.expected));
  const named = ordered.slice(0, MAX_CATEGORIES);
  const others = ordered.slice(MAX_CATEGORIES);
  const sum = (of: (row: CategoryShare) => number, some: readonly CategoryShare[] = others): number =>
    some.reduce((all, row) => all + of(row), 0);
  const parts = [
    ...named.map(
      (row, at) =>
        `${categoryName(row.name)} ${formatCount(row.count)} (${usualOf(row, lead)}${at === 0 && !isNewIn(row, lead) ? ' expected' : ''})`,
    ),
    ...(others.length === 0
      ? []
      : [
          `${counted(others.length, 'other')} ${formatCount(sum((row) => row.count))} (${formatCount(sum((row) => row.shown))})`,
        ]),
  ];
  const all = sum((row) => row.count, rows);
  if (all === total) return [[`By category: ${parts.join(', ')}.`]];
  // The categories of a window include what is still filling in; *All numbers* has them.
  if (lead === undefined) return [];
  const expectedTotal = formatCount(sum((row) => row.shown, rows));
  return [
    [
      `By category, which the service counts separately: ${parts.join(', ')}; in total ${formatCount(all)} (${expectedTotal}).`,
    ],
  ];
}

/** `By host: shop 2,050 (380 expected), blog 80 (60).`, if that says something. */
function withHosts(lines: readonly Line[], on: ExcessByHost | null): readonly Line[] {
  if (on?.is !== 'known' || on.leading.length === 0) return lines;
  const hosts = `By host: ${hostCountWords(on.hosts, on.of)}.`;
  const [first] = lines;
  return first === undefined ? [[hosts]] : [[...first, ` ${hosts}`]];
}

/** Only an episode knows that there was none in the weeks before. */
const isNewIn = ({ expected }: CategoryShare, lead: EpisodeRecord | undefined): boolean =>
  lead !== undefined && isNew(expected);

const usualOf = (row: CategoryShare, lead: EpisodeRecord | undefined): string =>
  isNewIn(row, lead) ? 'new' : row.shown === 0 && row.expected > 0 ? '<1' : formatCount(row.shown);

/** `It began at 14:57 and hadn't ended by 15:27.` */
function timesLine(episode: EpisodeRecord, { zone, now }: QuestionWindow): Line {
  const { onsetMs, endMs, figures } = episode;
  const at = clockOf(zone, now);
  const began: Line = ['It began at ', { bold: at(onsetMs) }];
  if (endMs === null) return [...began, ` and hadn't ended by ${at(figures.untilMs)}.`];
  return [
    ...began,
    ' and ended at ',
    { bold: at(endMs) },
    `, ${lasting(endMs - onsetMs)} later.${usualByNowWords(episode)}`,
  ];
}

/** What the table adds up to. */
function totalLine({ total, expected, rows }: Counted, lead: EpisodeRecord | undefined): Line {
  const what = lead === undefined ? 'This window' : 'The episode';
  const expectedWords = expected === null ? 'what was expected is unknown' : `about ${formatCount(expected)} expected`;
  const [all, allExpected] = [
    rows.reduce((sum, { count }) => sum + count, 0),
    rows.reduce((sum, { shown }) => sum + shown, 0),
  ];
  const why = lead === undefined ? 'With the minutes that are still filling in' : 'Counted separately by the service';
  const table =
    rows.length === 0 || all === total
      ? ''
      : ` ${why}, the categories below add up to ${formatCount(all)}, about ${formatCount(allExpected)} expected.`;
  return [`${what}: `, { bold: formatCount(total) }, ` counted, ${expectedWords}.${table}`];
}

/** The totals of this window and of those it was compared with. */
function comparedLines({ totals, references }: Verdict): Line[] {
  const line = (name: string, { attacks, requests, knownMs }: Verdict['totals'], isEstimate = false): Line[] => {
    if (knownMs === 0) return [];
    const of = `${counted(attacks, 'attack')} among ${counted(requests, 'request')}`;
    return [[`In ${name}: ${isEstimate ? 'about ' : ''}`, { bold: of }, ` in ${lasting(knownMs)}.`]];
  };
  const compared = references.flatMap((each) => line(referenceName(each), each.totals, each.isEstimate));
  return [...line('this window', totals), ...compared];
}

function referenceName({ shiftMs }: Verdict['references'][number]): string {
  if (shiftMs === null) return 'the hours before';
  const days = Math.round(shiftMs / DAY_MS);
  if (days === 1) return 'the same hours the day before';
  return days === 7 ? 'the same hours the week before' : `the same hours ${days / 7} weeks before`;
}

/** Every category considered, the largest first. */
function categoriesTable({ rows }: Counted, lead: EpisodeRecord | undefined): Table {
  return {
    columns: [
      { name: 'Category', align: 'left' },
      { name: 'Counted', align: 'right' },
      { name: 'Expected', align: 'right' },
      { name: 'Change', align: 'right' },
    ],
    rows: rows
      .toSorted((a, b) => b.count - a.count || b.expected - a.expected)
      .map((row) => [
        categoryName(row.name),
        formatCount(row.count),
        row.shown === 0 && row.expected > 0 ? '<1' : formatCount(row.shown),
        changeOf(row, lead),
      ]),
  };
}

function changeOf(row: CategoryShare, lead: EpisodeRecord | undefined): string {
  if (row.count === 0) return 'none';
  if (row.expected === 0) return isNewIn(row, lead) ? 'new' : '–';
  // As a reader would calculate it from the columns.
  return formatChange(row.count, row.shown === 0 ? row.expected : row.shown);
}
