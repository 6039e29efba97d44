/** `who … single events`: the last step of *Who?*, the latest attacks one by one, without anything a visitor sent. */
import { BotError } from '../errors.ts';
import type { HostNames } from '../grammar/hosts.ts';
import { eventsCsv } from '../replies/csv.ts';
import { asCounted, threadAction } from '../replies/follow-ups.ts';
import { counted, fillingNote, staleNote, withAge } from '../replies/phrases.ts';
import type { Reply, Table } from '../replies/reply.ts';
import { stillFilling } from '../replies/without-numbers.ts';
import { type AttackEvent, type AttackEvents, MAX_COUNTED_EVENTS } from '../statistics/attack-details.ts';
import { categoryName } from '../statistics/categories.ts';
import { compareLikeWithLike } from '../statistics/comparison.ts';
import { formatCount } from '../statistics/format.ts';
import { dayAndMonth, zoned } from '../time/index.ts';
import type { WindowContext } from './context.ts';

export async function answerSingleEvents(context: WindowContext): Promise<Reply> {
  const { range, hosts, zone, now, deps, sentence } = context;
  const comparison = compareLikeWithLike({ range, now, zone });
  if (comparison === null) return stillFilling(context, 'who');
  const query = { hosts: hosts.map(({ id }) => id), zone, range: comparison.counted };
  const found = await deps.statistics.events?.(query);
  if (found === undefined) throw new BotError('limit', "These numbers don't include single events.");
  const nameOf = hostNamesOf(context);
  const events = found.events.map((event) => ({ ...event, host: event.host === null ? null : nameOf(event.host) }));
  const here = asCounted(context, comparison);
  const isMasked = events.some(({ address }) => address !== null && /[x/]/.test(address));
  return {
    title: titleOf(found),
    headline: withAge(events.length === 0 ? [] : [`Newest first, times in ${zone}.`], [found], now),
    subject: { hosts, range, zone, now },
    table: events.length === 0 ? undefined : eventTable(events, zone),
    notes: [
      ...staleNote([found], now),
      ...(isMasked ? [['The last part of each address is hidden.']] : []),
      ...fillingNote({ hosts, range, zone }, comparison),
    ],
    actions: [threadAction('Who?', here, 'who'), threadAction('By category', here, 'attacks')],
    why: { lines: [["These are the latest. The firewall's console has all of them, with the requests themselves."]] },
    attachments: sentence.csv ? [eventsCsv(events, comparison.counted, context)] : undefined,
  };
}

/** A host by the name that people added, or else by the one the service lists. */
export function hostNamesOf({ aliases, listed }: Required<HostNames>): (name: string) => string {
  const aliasOf = new Map(aliases.map(({ id, name }) => [id, name]));
  const nameOf = new Map(listed.map(({ id, name }) => [name.toLowerCase(), aliasOf.get(id) ?? name]));
  return (name) => nameOf.get(name.toLowerCase()) ?? name;
}

function titleOf({ total, events }: AttackEvents): string {
  if (events.length === 0) return 'No attacks, so no single events';
  const all = Math.max(total, events.length);
  if (all === events.length) return all === 1 ? 'One single event' : `All ${counted(all, 'single event')}`;
  const many =
    all >= MAX_COUNTED_EVENTS ? `${formatCount(MAX_COUNTED_EVENTS)} or more attacks` : counted(all, 'attack');
  return `The latest ${events.length} of ${many}`;
}

function eventTable(events: readonly AttackEvent[], zone: string): Table {
  const days = new Set(events.map(({ atMs }) => zoned(atMs, zone).toPlainDate().toString()));
  const time = (ms: number): string => {
    const at = zoned(ms, zone);
    const clock = at.toPlainTime().toString({ smallestUnit: 'second' });
    return days.size === 1 ? clock : `${dayAndMonth(at)} ${clock}`;
  };
  return {
    columns: ['Time', 'Host', 'Path', 'Rule', 'Action', 'Address'].map((name) => ({ name, align: 'left' })),
    rows: events.map(({ atMs, host, path, rule, category, action, address }) => [
      time(atMs),
      host ?? '–',
      path ?? '–',
      rule ?? (category === null ? '–' : categoryName(category)),
      action ?? '–',
      address === '' ? 'hidden' : (address ?? '–'),
    ]),
  };
}
