/** The content of a digest: the time since the one before, in the words and charts that a person gets by asking. */
import { timelineChart } from '../../charts/spec/index.ts';
import type { Clock } from '../../clock.ts';
import { assess } from '../../commands/assess.ts';
import { type Host, type HostAlias, resolveHosts } from '../../commands/grammar/hosts.ts';
import type { KeyValueStore, Statistics } from '../../commands/ports.ts';
import { writeSentence } from '../../commands/replies/follow-ups.ts';
import {
  againstWords,
  categoryTable,
  changeLine,
  counted,
  lengthRatio,
  moveWords,
  onHosts,
  timelineNotes,
} from '../../commands/replies/phrases.ts';
import type { Action, Line, Reply } from '../../commands/replies/reply.ts';
import { verdictHeadline } from '../../commands/replies/verdict-lines.ts';
import { noData } from '../../commands/replies/without-numbers.ts';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import { formatShare } from '../../insight/format.ts';
import { findMovers, STANDS_OUT } from '../../insight/movers.ts';
import {
  type CategoryRow,
  rankCategories,
  readable,
  summarise,
  summariseUntil,
  type TimelineSummary,
} from '../../insight/summary.ts';
import { type Comparison, compareLikeWithLike, type Range } from '../../time/index.ts';
import type { Subscription } from '../subscription.ts';

export interface DigestReplyDeps {
  readonly statistics: Statistics;
  readonly hosts: Pick<KeyValueStore<HostAlias>, 'entries'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The part of a subscription that its digest depends on. */
type DigestSubject = Pick<Subscription, 'id' | 'zone' | 'hosts'>;

/** A verdict compares hours with hours; of a longer window it would say nothing a reader could use. */
const LONGEST_JUDGED_MS = 26 * 3_600_000;

/** How many categories are worth a mention in words; the table has them all. */
const MOST_MOVED = 3;

export function createDigestReply({ statistics: anyStatistics, hosts: aliasStore, clock }: DigestReplyDeps) {
  // A digest can wait, so it never tells old numbers: whoever reads it later could not tell them from those of its window.
  const statistics: Statistics = {
    timeline: (query) => anyStatistics.timeline({ ...query, freshOnly: true }),
    distribution: (query) => anyStatistics.distribution({ ...query, freshOnly: true }),
  };

  async function hostsOf(names: readonly string[]): Promise<Host[]> {
    if (names.length === 0) return [];
    const aliases = (await aliasStore.entries()).map(([, alias]) => alias);
    return resolveHosts(names, aliases, 'digest');
  }

  /** Whether the window was normal, in one line; `null` where nobody can say. */
  async function verdictLine(range: Range, hosts: readonly Host[], zone: string): Promise<Line | null> {
    if (range.to.epochMilliseconds - range.from.epochMilliseconds > LONGEST_JUDGED_MS) return null;
    const ids = hosts.map(({ id }) => id);
    const { verdict } = await assess(statistics, { range, hosts: ids, zone, categoriesAgainst: 'hours before' });
    return verdict.level === 'not_enough_data' ? null : ['Verdict: ', ...verdictHeadline(verdict)];
  }

  return async function composeDigest(
    { id, zone, hosts: names }: DigestSubject,
    range: Range,
    { late }: { readonly late: boolean },
  ): Promise<Reply> {
    const hosts = await hostsOf(names);
    const ids = hosts.map((host) => host.id);
    const query = { range, hosts: ids, zone };
    const comparison = compareLikeWithLike({ range, now: clock.now(), zone });
    const before = comparison === null ? null : { ...query, range: comparison.against };
    const [timeline, distribution, timelineBefore, distributionBefore, verdict] = await Promise.all([
      statistics.timeline(query),
      statistics.distribution(query),
      before === null ? null : nullIfUnavailable(statistics.timeline(before)),
      before === null ? null : nullIfUnavailable(statistics.distribution(before)),
      nullIfUnavailable(verdictLine(range, hosts, zone)),
    ]);
    const summary = summarise(timeline);
    const title = `${late ? 'Late digest' : 'Digest'}${onHosts(hosts)}`;
    const notes = [
      ...(late ? [['This digest is late: it covers all of the time since the one before.']] : []),
      ...timelineNotes(timeline, summary),
    ];
    const common = { title, subject: { hosts, range, zone }, notes, actions: digestActions(id, range, hosts, zone) };
    if (summary.intervals === 0) return { ...common, headline: noData() };
    // A digest counts all of its time, since no other one will; only what is complete is compared.
    const changes =
      comparison === null
        ? []
        : [
            changeLine(
              summariseUntil(timeline, comparison.counted.to.epochMilliseconds),
              timelineBefore === null ? null : summarise(timelineBefore),
              comparison,
              zone,
            ),
          ];
    if (summary.attacks === 0) {
      return { ...common, headline: [{ bold: 'Quiet: ' }, ...headlineOf(summary)], body: changes };
    }
    const rows = rankCategories(distribution, distributionBefore);
    return {
      ...common,
      headline: headlineOf(summary),
      body: [...changes, ...(verdict === null ? [] : [verdict]), ...movedLines(rows, comparison, zone)],
      chart: timelineChart({
        timeline: readable(timeline),
        zone,
        title: `Requests and attacks${onHosts(hosts)}`,
        hosts,
      }),
      table: categoryTable(rows, comparison === null ? 1 : lengthRatio(comparison)),
    };
  };
}

export type DigestReply = ReturnType<typeof createDigestReply>;

/** The categories that moved, the most surprising first. */
function movedLines(rows: readonly CategoryRow[], comparison: Comparison | null, zone: string): Line[] {
  if (comparison === null) return [];
  const { moved } = findMovers(rows, STANDS_OUT, lengthRatio(comparison));
  if (moved.length === 0) return [];
  return [[`What moved against ${againstWords(comparison, zone)}: `, ...moveWords(moved.slice(0, MOST_MOVED)), '.']];
}

/** `1,903,412 requests, 18,204 attacks (1 % of requests).` */
function headlineOf({ requests, attacks, attackShare }: TimelineSummary): Line {
  const asked = requests === null ? 'requests not known' : counted(requests, 'request');
  if (attacks === null) return [`${asked}, attacks not known.`];
  const share =
    attackShare === null || attackShare > 1 || attacks === 0 ? '' : ` (${formatShare(attackShare)} of requests)`;
  return [{ bold: asked }, ', ', { bold: attacks === 0 ? 'no attacks' : counted(attacks, 'attack') }, `${share}.`];
}

function digestActions(id: string, range: Range, hosts: readonly Host[], zone: string): Action[] {
  const say = (verb: string, more = {}): string => writeSentence({ verb, range, hosts, zone, ...more });
  return [
    { label: 'Over time', sentence: say('timeline'), effect: 'thread' },
    { label: 'By category', sentence: say('attacks'), effect: 'thread' },
    { label: 'Compare', sentence: say('compare', { versus: 'previous' }), effect: 'thread' },
    { label: 'Pause this digest', sentence: `digest pause ${id}`, effect: 'thread' },
  ];
}

/** The short, honest message for a window whose digest could not be composed. */
export function apology({ zone }: DigestSubject, range: Range, error: unknown): Reply {
  const why: Line =
    error instanceof BotError
      ? [error.message, error.hint === undefined ? '' : ` ${error.hint}`]
      : ['The reason is in the log.'];
  return {
    title: 'The digest could not be made',
    headline: why,
    subject: { hosts: [], range, zone },
    body: [['It was tried again for a quarter of an hour. The next digest covers this time too.']],
    actions: [
      { label: 'Try now', sentence: writeSentence({ verb: 'timeline', range, hosts: [], zone }), effect: 'thread' },
    ],
    failed: true,
  };
}
