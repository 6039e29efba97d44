/** `which-host`: which hosts an attack is on, by their share of the excess. */
import { type Assessment, assess } from '../../episodes/assess.ts';
import { type EpisodeRecord, natureOf } from '../../episodes/episode.ts';
import { leadOf } from '../../episodes/episode-log.ts';
import {
  attributeExcess,
  type CountsByHost,
  countByHost,
  type ExcessByHost,
  findHostsOf,
  type HostCount,
  type HostShare,
  inTotal,
  type LeadingHost,
  MAX_QUERIED_HOSTS,
  type UnknownHost,
} from '../../episodes/which-host.ts';
import type { Host } from '../../grammar/hosts.ts';
import { accountOf, levelOf, whenWords } from '../../replies/episode-account.ts';
import { expectedWords } from '../../replies/episode-lines.ts';
import { againActions, sentenceFor, threadAction, whyAction } from '../../replies/follow-ups.ts';
import {
  hostCountWords,
  hostTable,
  MAX_HOSTS_IN_WORDS,
  pairWords,
  UNKNOWN_HOST,
  wholePercent,
} from '../../replies/host-lines.ts';
import { counted, fillingNote } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { calmName, findingOf } from '../../replies/verdict-finding.ts';
import { LEVEL_NAMES } from '../../replies/verdict-lines.ts';
import { stillFilling, withoutTimeline } from '../../replies/without-numbers.ts';
import { categoryName } from '../../statistics/categories.ts';
import { completePart } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { WindowContext } from '../context.ts';
import { usageOf, type Verb } from '../verb.ts';

const PARTS = ['range', 'hosts', 'project', 'zone', 'privately', 'why'] as const;

/** With the plural, people may also ask for the list of hosts. */
const ATTACKED = ['attack', 'attacks', 'attacked', 'targeted', 'affected', 'hacked', 'hit', 'hammered', 'ddos'];
const phrasesOf = (noun: string, isAmbiguous: boolean) =>
  ['which', 'what', 'many'].map((first) => ({ words: [first, noun], ...(isAmbiguous && { beside: ATTACKED }) }));

export const whichHost: Verb = {
  verb: 'which-host',
  aliases: [],
  summary: 'which host is under attack: the share of each host in the excess, with what was expected of it',
  help: { group: 'Are we under attack?', examples: ['which host is under attack?'] },
  usage: [`which host [<range>] ${usageOf(PARTS)}`, 'which host is under attack?'],
  examples: ['which host is under attack?', 'which host', 'which host was under attack yesterday 02:00-04:00'],
  parts: PARTS,
  defaultRange: 'last 1h',
  phrases: [
    ...phrasesOf('host', false),
    { words: ['most', 'attacked'] },
    ...[
      ['of', 'our', 'hosts'],
      ['of', 'the', 'hosts'],
      ['of', 'hosts'],
    ].map((words) => ({ words, beside: ATTACKED })),
    ...['hosts', 'sites', 'websites', 'domains'].map((noun) => ({
      words: [noun],
      beside: ['top', 'worst', 'most', 'busiest'],
    })),
    ...['hosts', 'site', 'sites', 'website', 'websites', 'domain', 'domains'].flatMap((noun) => phrasesOf(noun, true)),
  ],
  answer: (context) => withoutTimeline(context, 'which-host', answerWhichHost(context)),
};

/** What a check says about the window. */
interface RiseOnHosts {
  readonly assessment: Assessment;
  /** The leading rise; `null` if there is none. */
  readonly rise: EpisodeRecord | null;
}

/** What a check finds on these hosts. */
async function findRise({ range, zone, deps }: WindowContext, hosts: readonly Host[]): Promise<RiseOnHosts> {
  const assessment = await assess(deps, { range, zone, hosts: hosts.map(({ id }) => id) });
  const rise = assessment.episodes.find((episode) => natureOf(episode) === 'rise' && episode.figures.expected !== null);
  return { assessment, rise: rise ?? null };
}

async function answerWhichHost(context: WindowContext): Promise<Reply> {
  const { range, hosts, now } = context;
  const settled = completePart(range, now);
  if (settled === null) return stillFilling(context, 'which-host');
  const finding = await findRise(context, hosts);
  const lead = leadOf(finding.assessment.episodes);
  if (lead?.mix !== undefined && finding.rise === null) return categoryReply(context, lead, settled);
  const fromMs = finding.rise?.onsetMs ?? settled.from.epochMilliseconds;
  const untilMs = finding.rise?.figures.untilMs ?? settled.to.epochMilliseconds;
  const span = { onsetMs: fromMs, untilMs, zone: context.zone, hosts: hosts.map(({ id }) => id) };
  const counts = await countByHost(context.deps.statistics, context.project, span);
  const common = { subject: { hosts, range, zone: context.zone, now }, notes: notesOf(context, settled, counts) };
  const { assessment, rise } = finding;
  if (rise !== null) {
    const { total: observed, expected } = rise.figures;
    const found: ExcessByHost =
      typeof counts === 'string'
        ? { is: 'unknown', why: counts }
        : attributeExcess(counts, { observed, expected: expected ?? 0 });
    return { ...common, ...riseReply(context, rise, found) };
  }
  const hidden = typeof counts === 'string' ? null : await findHidden(context, finding, counts);
  return { ...common, ...(hidden ?? restReply(context, assessment, counts)) };
}

type Answer = Omit<Reply, 'subject' | 'notes'>;

/** What was found on all hosts together, and which of them carry it. */
function riseReply(context: WindowContext, rise: EpisodeRecord, found: ExcessByHost): Answer {
  const when = whenWords(rise, context);
  const total = accountOf([rise], context)?.counts ?? [];
  const level = levelOf(rise);
  if (found.is === 'unknown') {
    const title = `${LEVEL_NAMES[rise.worst]} ${when}, but I can't tell on which host`;
    return { title, level, headline: [UNKNOWN_HOST[found.why]], body: [total], actions: actionsFor(context, null) };
  }
  return {
    title: titleOf(found.leading, rise, when),
    level,
    headline: total,
    body: [[`${hostCountWords(found.hosts)}.`]],
    table: hostTable(found.hosts, MAX_HOSTS_IN_WORDS),
    actions: actionsFor(context, found.leading[0]?.host ?? null),
    why: { lines: RULE_LINES, table: hostTable(found.hosts) },
  };
}

/** The host of a category that is unusual by its own history. */
async function categoryReply(context: WindowContext, lead: EpisodeRecord, settled: Range): Promise<Reply> {
  const { range, hosts, zone, now, deps, project } = context;
  const found = await findHostsOf(deps.statistics, project, lead, { zone, hosts: hosts.map(({ id }) => id) });
  const { title = '', counts = [], level } = accountOf([lead], context) ?? {};
  const [first] = found.is === 'known' ? found.leading : [];
  const what = `${categoryName(lead.mix ?? '')} events`;
  const host = first === undefined ? null : first.host;
  const where: Line = found.is === 'known' ? [`${hostCountWords(found.hosts, 'events')}.`] : [UNKNOWN_HOST[found.why]];
  return {
    title:
      first === undefined
        ? title
        : `${first.host.name}: ${wholePercent(first.share)} of the ${what} ${whenWords(lead, context)}`,
    level,
    headline: counts,
    body: [where],
    subject: { hosts, range, zone, now },
    notes: fillingNote({ hosts, range, zone }, { counted: settled }),
    actions: actionsFor(context, host).filter(({ label }) => label !== 'Why?'),
  };
}

/** `shop: 98 % of the excess since 14:57`, `shop (71 %) and blog (22 %) have most of the excess 14:57 – 15:12` */
function titleOf([first, second]: readonly HostShare[], { worst }: EpisodeRecord, when: string): string {
  if (first === undefined) return `No host stands out: ${LEVEL_NAMES[worst].toLowerCase()} ${when}, on many hosts`;
  if (second === undefined) return `${first.host.name}: ${wholePercent(first.share)} of the excess ${when}`;
  return `${pairWords([named(first), named(second)])} have most of the excess ${when}`;
}

const named = ({ host, share }: HostShare): LeadingHost => ({ name: host.name, share });

/** No rise: calm, or something else that a check finds. Which host stands out isn't known unless hosts were counted. */
function restReply(
  context: WindowContext,
  { verdict, episodes }: Assessment,
  counts: CountsByHost | UnknownHost,
): Answer {
  const { title, level } = findingOf(verdict, { ...context, episodes });
  const common = { level, actions: actionsFor(context, null) };
  if (typeof counts === 'string') return { ...common, title, headline: [UNKNOWN_HOST[counts]] };
  const { totals, expected } = verdict;
  const whole = expected === null ? counts.counts : inTotal(counts, { observed: totals.attacks, expected });
  const hosts = busiestFirst(whole);
  const isCalm = verdict.level === 'calm' && episodes.length === 0 && counts.failed === 0;
  const line: Line = [`${hostCountWords(hosts)}.`];
  return {
    ...common,
    title: isCalm ? `No host stands out: ${calmName(verdict).toLowerCase()}` : title,
    headline: isCalm ? [`All hosts together: ${title}.`] : line,
    body: isCalm ? [line] : [],
    table: hostTable(hosts, MAX_HOSTS_IN_WORDS),
    why: { lines: RULE_LINES, table: hostTable(hosts) },
  };
}

const busiestFirst = (counts: readonly HostCount[]): readonly HostCount[] =>
  counts.toSorted((a, b) => b.observed - a.observed);

/** A host that rises this much is worth a check of its own, although all hosts together are calm. */
const MIN_RATIO = 1.6;
const MIN_RISE = 15;
const MIN_SIGMAS = 4;

/** A rise on one host that is too small to show on all of them together, as a check of that host finds it. */
async function findHidden(
  context: WindowContext,
  { assessment }: RiseOnHosts,
  { counts }: CountsByHost,
): Promise<Answer | null> {
  if (assessment.verdict.level !== 'calm') return null;
  const surprise = ({ observed, expected }: HostCount): number =>
    (observed - expected) / Math.sqrt(Math.max(1, expected));
  const [most] = counts
    .filter(({ observed, expected }) => observed >= MIN_RATIO * expected && observed - expected >= MIN_RISE)
    .toSorted((a, b) => surprise(b) - surprise(a));
  if (most === undefined || surprise(most) < MIN_SIGMAS) return null;
  const { rise } = await findRise(context, [most.host]);
  if (rise === null) return null;
  const { total, expected } = rise.figures;
  return {
    title: `${most.host.name}: ${LEVEL_NAMES[rise.worst].toLowerCase()} ${whenWords(rise, context)}`,
    level: levelOf(rise),
    headline: [{ bold: counted(total, 'attack') }, ` on ${most.host.name}, ${expectedWords(expected ?? 0)}.`],
    body: [['All hosts together are calm.'], [`${hostCountWords(busiestFirst(counts))}.`]],
    table: hostTable(busiestFirst(counts), MAX_HOSTS_IN_WORDS),
    actions: actionsFor(context, most.host),
    why: { lines: RULE_LINES, table: hostTable(busiestFirst(counts)) },
  };
}

const RULE_LINES: readonly Line[] = [
  [
    'Each host is compared with itself: the same hours of the seven days before, the median of weekdays or weekend days.',
  ],
  [
    'The excess is what there is beyond that. If all hosts were counted, the expected numbers add up to those of a check.',
  ],
  [`At most ${MAX_QUERIED_HOSTS} hosts are counted, the busiest of the time in question.`],
];

/** What isn't counted, and hosts that are missing from the comparison. */
function notesOf({ hosts, range, zone }: WindowContext, settled: Range, counts: CountsByHost | string): Line[] {
  const filling = fillingNote({ hosts, range, zone }, { counted: settled });
  if (typeof counts === 'string') return filling;
  const { failed, isTop } = counts;
  const all = counts.counts.length + failed;
  return [
    ...(isTop ? [[`Of all hosts, the ${counted(all, 'busiest one', 'busiest')} were compared.`]] : []),
    ...(failed > 0 ? [[`The service didn't answer for ${failed} of ${counted(all, 'host')}.`]] : []),
    ...filling,
  ];
}

/** The check of the host first, or of all hosts if none leads. */
function actionsFor(context: WindowContext, host: Host | null): Action[] {
  const here = host === null ? context : { ...context, hosts: [host] };
  const label = host === null ? 'Check' : `Check ${host.name}`;
  return [
    { label: label.slice(0, MAX_LABEL), sentence: sentenceFor(here, 'check', context.range), effect: 'thread' },
    threadAction('Who?', here, 'who'),
    threadAction('By category', here, 'attacks'),
    whyAction(context, 'which-host'),
    ...againActions(context, 'which-host'),
  ];
}

const MAX_LABEL = 70;
