/** `who`: where attacks come from and what they target, the largest of each kind, and which of them are new. */
import { BotError, nullIfUnavailable, orFailure } from '../../errors.ts';
import type { HostNames } from '../../grammar/hosts.ts';
import { sourcesCsv } from '../../replies/csv.ts';
import {
  againActions,
  asCounted,
  csvAction,
  offerWholeDays,
  sentenceFor,
  threadAction,
  whyAction,
} from '../../replies/follow-ups.ts';
import { againstWords, counted, fillingNote, staleNote, windowWords, withAge } from '../../replies/phrases.ts';
import type { Action, Line, Reply, Table } from '../../replies/reply.ts';
import { stillFilling, withoutTraffic } from '../../replies/without-numbers.ts';
import {
  type AttackSources,
  newSources,
  SOURCE_KINDS,
  type SourceCount,
  type SourceKind,
} from '../../statistics/attack-sources.ts';
import { totalOf } from '../../statistics/categories.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/comparison.ts';
import { formatCount, formatShare } from '../../statistics/format.ts';
import { hasTraffic, summarise, type TimelineSummary } from '../../statistics/timeline.ts';
import type { WindowContext } from '../context.ts';
import { answerSingleEvents, hostNamesOf } from '../single-events.ts';
import { usageOf, type Verb, WINDOW_PARTS } from '../verb.ts';

const PARTS = [...WINDOW_PARTS, 'events', 'top'] as const;

export const who: Verb = {
  verb: 'who',
  aliases: ['attackers', 'sources'],
  nouns: [
    ...[
      'attacker',
      'source',
      'ip',
      'ips',
      'address',
      'addresses',
      'offender',
      'offenders',
      'talkers',
      'culprit',
      'culprits',
    ],
    ...['country', 'countries', 'origin', 'origins', 'paths', 'url', 'urls', "who's", 'whos', 'whose'],
  ],
  phrases: [
    ...['come', 'coming', 'came', 'originate', 'originated', 'where'].map((first) => ({ words: [first, 'from'] })),
    ...['from', 'by'].map((first) => ({ words: [first, 'whom'] })),
    { words: ['from', 'where'] },
    ...['ip', 'address', 'source', 'country', 'path'].flatMap((noun) => [
      { words: ['by', noun] },
      { words: ['per', noun] },
    ]),
  ],
  summary: 'where attacks come from: the top addresses, paths, hosts and countries, and which of them are new',
  help: { group: 'What happened?', examples: ['who last 1h'] },
  usage: [`who [<range>] ${usageOf(PARTS)}`, 'who is attacking us?'],
  examples: ['who', 'who last 1h', 'who yesterday on shop', 'who last 1h single events', 'who today csv'],
  parts: PARTS,
  defaultRange: 'last 1h',
  anywhere: true,
  answer: answerWho,
};

const NAMES: Readonly<Record<SourceKind, string>> = {
  addresses: 'Address',
  paths: 'Path',
  hosts: 'Host',
  countries: 'Country',
};
/** How many of each kind the answer shows; the rest is one click away. */
const MAX_SHOWN = 5;
const MAX_IN_WORDS = 3;

async function answerWho(context: WindowContext): Promise<Reply> {
  if (context.sentence.events) return answerSingleEvents(context);
  const { range, hosts, zone, sentence, deps, now } = context;
  const comparison = compareLikeWithLike({ range, now, zone });
  if (comparison === null) return stillFilling(context, 'who');
  const { statistics } = deps;
  if (statistics.sources === undefined)
    throw new BotError('limit', "These numbers don't include where attacks come from.");
  const query = { hosts: hosts.map(({ id }) => id), zone };
  const [found, foundBefore, timeline] = await Promise.all([
    orFailure(statistics.sources({ ...query, range: comparison.counted })),
    nullIfUnavailable(statistics.sources({ ...query, range: comparison.against })),
    nullIfUnavailable(statistics.timeline({ ...query, range: comparison.counted })),
  ]);
  if (found instanceof BotError) throw offerWholeDays(found, context, 'who');
  const sources = withAliases(found, context);
  const before = foundBefore === null ? null : withAliases(foundBefore, context);
  const series = timeline === null ? null : summarise(timeline);
  const named = (sources.addresses ?? []).reduce((sum, { count }) => sum + count, 0);
  if (named === 0 && series !== null && !hasTraffic(series)) return withoutTraffic(context, 'who', series);
  const largest = Math.max(0, ...SOURCE_KINDS.flatMap((kind) => sources[kind]?.map(({ count }) => count) ?? []));
  const all = await totalIn(context, comparison, series);
  // A total below one of its parts was counted differently, so shares of it would mean nothing.
  const total = all !== null && all >= largest ? all : null;
  const here = asCounted(context, comparison);
  const subject = { hosts, range, zone, now };
  const table = (most: number): Table => sourceTable(sources, before, total, most);
  const isEmpty = largest === 0;
  return {
    title: isEmpty ? 'No attacks, so no attackers' : findingOf(sources, before, total),
    headline: withAge(isEmpty ? [] : largestLine(sources, total), [found, foundBefore], now),
    body: isEmpty ? [] : [...targetLines(sources, total), newLine(sources, before, comparison, zone)],
    subject,
    table: isEmpty ? undefined : table(sentence.top ?? MAX_SHOWN),
    notes: [...staleNote([found, foundBefore], now), ...sourceNotes(sources), ...fillingNote(subject, comparison)],
    actions: whoActions(context, here, found),
    why: { lines: [windowWords(comparison, zone)], table: isEmpty ? undefined : table(Number.POSITIVE_INFINITY) },
    attachments: sentence.csv ? [sourcesCsv(sources, before, comparison.counted, context)] : undefined,
  };
}

/** Five at most: single events are the next step, so they take the place of *Over time*. */
function whoActions(context: WindowContext, here: WindowContext, { hasEvents = false }: AttackSources): Action[] {
  const again = againActions(context, 'who');
  const sentence = sentenceFor(here, 'who', here.range, { flags: ['single events'] });
  return [
    whyAction(here, 'who', 'All sources'),
    ...(hasEvents ? [{ label: 'Single events', sentence, effect: 'thread' } as const] : []),
    threadAction('By category', here, 'attacks'),
    ...(hasEvents && again.length > 0 ? [] : [threadAction('Over time', here, 'timeline')]),
    ...again,
    csvAction(here, 'who'),
  ];
}

/** All attacks of the window, by category if the timeline lacks some; `null` if that isn't known either. */
async function totalIn(
  { hosts, zone, deps }: WindowContext,
  { counted: range }: Comparison,
  series: TimelineSummary | null,
): Promise<number | null> {
  if (series === null || series.attacks === null) return null;
  if (series.missing === 0) return series.attacks;
  const query = { range, hosts: hosts.map(({ id }) => id), zone };
  const distribution = await nullIfUnavailable(deps.statistics.distribution(query));
  return distribution === null || distribution.unknownCategories !== undefined ? null : totalOf(distribution);
}

/** Hosts by the names that people added. */
function withAliases(sources: AttackSources, context: Required<HostNames>): AttackSources {
  if (sources.hosts === null || context.aliases.length === 0) return sources;
  const nameOf = hostNamesOf(context);
  return { ...sources, hosts: sources.hosts.map((host) => ({ ...host, key: nameOf(host.key) })) };
}

/** From this share on, one source is the finding; below the lower one, no source is. */
const MAJOR_SHARE = 0.25;
const MINOR_SHARE = 0.1;

function findingOf(sources: AttackSources, before: AttackSources | null, total: number | null): string {
  const { addresses, paths, countries } = sources;
  const all = total === null ? '' : ` of ${counted(total, 'attack')}`;
  const [first] = addresses ?? [];
  if (first === undefined) {
    const [most] = paths ?? countries ?? [];
    return most === undefined ? 'No sources reported' : `${most.key} leads: ${shareOrCount(most, total)}${all}`;
  }
  const many = first.addresses ?? 1;
  const isNew = newSources([first], before?.addresses ?? null).length > 0;
  const kind = isNew ? 'new ' : '';
  const who = many === 1 ? `One ${kind}address` : `${many} ${kind}addresses in one network`;
  const share = total === null ? null : first.count / total;
  if (share === null) return `${who} sent ${counted(first.count, 'attack')}`;
  if (share >= MAJOR_SHARE) return `${who} sent ${formatShare(share)}${all}`;
  if (share >= MINOR_SHARE) return `No single source leads: the largest sent ${formatShare(share)}${all}`;
  return `Attacks come from many addresses, none over ${formatShare(share)}${all}`;
}

const shareOrCount = ({ count }: SourceCount, total: number | null): string =>
  total === null ? formatCount(count) : formatShare(count / total);

const words = (list: readonly SourceCount[], total: number | null): string =>
  list
    .slice(0, MAX_IN_WORDS)
    .map((item) => `${item.key} ${shareOrCount(item, total)}`)
    .join(', ');

function largestLine({ addresses, shown }: AttackSources, total: number | null): Line {
  if (addresses === null) return ["The service doesn't provide addresses."];
  if (shown === 'no') return ['Addresses are hidden here.'];
  return addresses.length === 0 ? [] : [`Largest: ${words(addresses, total)}.`];
}

function targetLines({ paths, countries }: AttackSources, total: number | null): Line[] {
  const parts = [
    paths === null || paths.length === 0 ? '' : `Paths: ${words(paths, total)}.`,
    countries === null || countries.length === 0 ? '' : `From: ${words(countries, total)}.`,
  ].filter(Boolean);
  return parts.length === 0 ? [] : [[parts.join(' ')]];
}

function newLine(sources: AttackSources, before: AttackSources | null, comparison: Comparison, zone: string): Line {
  const against = againstWords(comparison, zone);
  if (before === null) return [`No comparison: the service didn't answer for ${against}.`];
  const fresh = SOURCE_KINDS.flatMap((kind) => newSources(sources[kind], before[kind]));
  if (fresh.length === 0) return [`Nothing new among the largest compared with ${against}.`];
  const more = fresh.length > MAX_IN_WORDS ? ` and ${fresh.length - MAX_IN_WORDS} more` : '';
  const names = fresh.slice(0, MAX_IN_WORDS).map(({ key }) => key);
  return ['New among the largest compared with ', `${against}: `, { bold: names.join(', ') }, `${more}.`];
}

function sourceNotes(sources: AttackSources): Line[] {
  const missing = SOURCE_KINDS.filter((kind) => sources[kind] === null);
  return [
    ...(sources.shown === 'masked' && sources.addresses !== null ? [['The last part of each address is hidden.']] : []),
    ['This service provides only the ten largest of each kind.'],
    ...(missing.length === 0 ? [] : [[`It doesn't provide ${missing.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`]]),
  ];
}

function sourceTable(sources: AttackSources, before: AttackSources | null, total: number | null, most: number): Table {
  const rows = SOURCE_KINDS.flatMap((kind) => {
    const then = new Map((before?.[kind] ?? []).map(({ key, count }) => [key, count]));
    return (sources[kind] ?? [])
      .slice(0, most)
      .map(({ key, count }) => [
        NAMES[kind],
        key === '' ? 'hidden' : key,
        formatCount(count),
        total === null ? '–' : formatShare(count / total),
        before?.[kind] == null || key === '' ? '?' : (formatKnown(then.get(key)) ?? 'new'),
      ]);
  });
  return {
    columns: [
      { name: 'Kind', align: 'left' },
      { name: 'What', align: 'left' },
      { name: 'Attacks', align: 'right' },
      { name: 'Share', align: 'right' },
      { name: 'Before', align: 'right' },
    ],
    rows,
  };
}

const formatKnown = (count: number | undefined): string | undefined =>
  count === undefined ? undefined : formatCount(count);
