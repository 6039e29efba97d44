/** Digests and watches in words: a single one, a channel's list, and a person's list on the Home tab. */

import type { Action, Line, Piece, Reply, Table } from '../replies/reply.ts';
import type { RunSummary, SubscriptionSummary } from './subscription-summary.ts';

/** What a kind of subscription is called in commands and replies. */
export interface SubscriptionWords {
  readonly verb: 'digest' | 'watch';
  /** The heading of their list. */
  readonly name: string;
  /** The plural, which is also the command that lists them: a bare `watch` would create one. */
  readonly names: 'digests' | 'watches';
  readonly example: string;
}

/** What it does, when it runs next, and its last run. */
export function subscriptionLines({
  what,
  project,
  hosts,
  owner,
  zone,
  nextRuns,
  lastRun,
  paused,
  more = [],
}: SubscriptionSummary): Line[] {
  const next: Line =
    paused !== null
      ? [
          { bold: 'Paused' },
          paused.by === null ? '' : ' by ',
          ...(paused.by === null ? [] : [{ user: paused.by, quietly: true } as const]),
          paused.reason === '' ? '' : `: ${paused.reason}`,
        ]
      : nextRuns[0] === undefined
        ? ['Next: not scheduled']
        : ['Next: ', { instant: nextRuns[0], zone }];
  return [
    [{ bold: what }, ...placeOf({ hosts, project }), ', by ', { user: owner, quietly: true }],
    [...next, '. ', ...lastRunLine(lastRun, zone)],
    ...more,
  ];
}

/** ` on shop, blog in project eu` */
export function placeOf({ hosts, project }: Pick<SubscriptionSummary, 'hosts' | 'project'>): Line {
  const on = hosts.length > 0 ? ` on ${hosts.join(', ')}` : '';
  return [`${on}${project === null ? '' : ` in project ${project}`}`];
}

function lastRunLine(run: RunSummary | null, zone: string): Line {
  return run === null
    ? ['No run yet.']
    : ['Last: ', { instant: run.at, zone }, ` ${run.says}${run.late ? ' (late)' : ''}.`];
}

export function listReply(list: readonly SubscriptionSummary[], kind: SubscriptionWords, command: string): Reply {
  const create: Action = { label: `New ${kind.verb}`, sentence: `${kind.verb} new`, effect: 'modal', style: 'primary' };
  if (list.length === 0) {
    return {
      title: kind.name,
      headline: [`This channel has no ${kind.names}. Create one with `, { code: `${command} ${kind.example}` }, '.'],
      actions: [create],
    };
  }
  return {
    title: kind.name,
    headline: [
      { bold: String(list.length) },
      list.length === 1 ? ` ${kind.verb} in this channel.` : ` ${kind.names} in this channel.`,
    ],
    entries: list.map((subscription, at) => {
      const [first = [], ...rest] = subscriptionLines(subscription);
      return { lines: [[`${at + 1}. `, ...first], ...rest], actions: subscriptionActions(subscription, kind) };
    }),
    notes: [
      [
        'You can also type ',
        { code: `${command} ${kind.verb} edit 1` },
        ', ',
        { code: 'pause 1' },
        ', ',
        { code: 'resume 1' },
        ' or ',
        { code: 'remove 1' },
        '.',
      ],
    ],
    actions: [create],
  };
}

const MAX_REMAINING = 5;

/** After a removal: what the channel still has, with the numbers that it has now. */
export function remainingReply(removed: Reply, left: readonly SubscriptionSummary[], kind: SubscriptionWords): Reply {
  if (left.length === 0) return { ...removed, body: [[`No ${kind.names} are left in this channel.`]] };
  const shown = left
    .slice(0, MAX_REMAINING)
    .map(({ what, hosts, project }, at): Line => [`${at + 1}. `, { bold: what }, ...placeOf({ hosts, project })]);
  const more = left.length - shown.length;
  return {
    ...removed,
    body: [
      [left.length === 1 ? `One ${kind.verb} is left:` : `${left.length} ${kind.names} are left:`],
      ...shown,
      ...(more > 0 ? [[`and ${more} more.`]] : []),
    ],
    actions: [{ label: 'Show them', sentence: kind.names, effect: 'thread' }],
  };
}

/** Buttons for one subscription. They use its ID, because its number in the list can change. */
export function subscriptionActions(
  subscription: SubscriptionSummary,
  { verb }: Pick<SubscriptionWords, 'verb'>,
): Action[] {
  const { id, paused, what, channel } = subscription;
  // A direct message has no channel name.
  const where: Line = channel.startsWith('D') ? [' from our direct messages'] : [' from ', { channel }];
  return [
    { label: 'Edit', sentence: `${verb} edit ${id}`, effect: 'modal' },
    paused === null
      ? { label: 'Pause', sentence: `${verb} pause ${id}`, effect: 'thread' }
      : { label: 'Resume', sentence: `${verb} resume ${id}`, effect: 'thread' },
    {
      label: 'Remove',
      sentence: `${verb} remove ${id}`,
      effect: 'thread',
      style: 'danger',
      confirm: [`This removes the ${verb} “${what}”`, ...placeOf(subscription), ...where, '.'],
    },
  ];
}

export function historyTable(runs: readonly RunSummary[], zone: string): Table {
  const time = (instant: Temporal.Instant): string =>
    instant.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
  return {
    columns: [
      { name: `Due (${zone})`, align: 'left' },
      { name: 'Finished', align: 'left' },
      { name: 'Outcome', align: 'left' },
    ],
    rows: runs.toReversed().map(({ due, at, late, says }) => [time(due), time(at), late ? `${says}, late` : says]),
  };
}

/** One entry of the Home tab: a digest or a watch that a person has set up in a channel. */
export interface HomeEntry {
  readonly channel: string;
  readonly lines: readonly Line[];
  /** Their answers go to that channel, where others see the change. */
  readonly actions: readonly Action[];
}

export function homeEntries(subscriptions: readonly SubscriptionSummary[], verb: 'digest' | 'watch'): HomeEntry[] {
  return subscriptions.map((subscription) => {
    const { channel } = subscription;
    const [what = [], state = []] = subscriptionLines(subscription);
    // A direct message has no channel name.
    const where: Piece = channel.startsWith('D') ? 'In direct messages,' : { channel };
    const lines: Line[] = [[where, ` ${verb}: `, ...what], state];
    return { channel, lines, actions: subscriptionActions(subscription, { verb }) };
  });
}
