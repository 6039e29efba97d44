/** What is told with a failure of the service: since when it fails, and how things were last, where that is known. */

import { BotError } from '../errors.ts';
import { findHost } from '../grammar/hosts.ts';
import { LEVEL_NAMES } from '../replies/verdict-lines.ts';
import type { SubscriptionSummary } from '../subscriptions/subscription-summary.ts';
import { clockOrDay, zoned } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import type { CommandContext } from './context.ts';

/** What is older says nothing about now. */
const OLDEST_MS = 24 * 60 * MINUTE_MS;

export function isOutage(error: unknown): error is BotError {
  return error instanceof BotError && /^upstream_(timeout|unavailable|rate_limited)$/.test(error.code);
}

export async function withLastKnown(error: BotError, context: CommandContext): Promise<BotError> {
  const { deps, question, now, zone, project } = context;
  const sinceMs = error.reason?.is === 'outage' ? error.reason.sinceMs : undefined;
  const isLong = sinceMs !== undefined && now.epochMilliseconds - sinceMs >= MINUTE_MS;
  const since = isLong ? ` since ${clockOrDay(zoned(sinceMs, zone), now)}` : '';
  const ofChannel = async (list: Promise<readonly SubscriptionSummary[]>): Promise<SubscriptionSummary[]> => {
    const all = await list.catch(() => []);
    return all.filter((each) => each.project === project.label && each.paused === null);
  };
  const [watches, digests] = await Promise.all([
    ofChannel(deps.watches.list(question.channel)),
    ofChannel(deps.digests.list(question.channel)),
  ]);
  const blind =
    watches.length === 0 ? '' : watches.length === 1 ? ', the watch here is blind' : ', the watches here are blind';
  const late = digests.length === 0 ? undefined : 'The next digest comes late if this lasts.';
  const hint = [lastKnown(context, watches, isLong), error.hint, late].filter((part) => part !== undefined).join(' ');
  const { code, message, next, people } = error;
  const detail = { ...error.detail, isLong, blind: watches.length > 0, lacking: `No numbers${since}${blind}` };
  return new BotError(code, message, { hint, next, people, detail, cause: error });
}

/** From a check that somebody asked for, or from what this channel's watch saw, whichever is later. */
function lastKnown(
  context: CommandContext,
  watches: readonly SubscriptionSummary[],
  isLong: boolean,
): string | undefined {
  const { deps, now, zone } = context;
  const ids = hostsOf(context);
  const checked = deps.lastVerdicts.recall(ids);
  const watched = lastLook(context, watches, ids);
  const isFresh = (atMs: number): boolean => now.epochMilliseconds - atMs <= OLDEST_MS;
  if (watched !== undefined && watched.atMs > (checked?.atMs ?? 0) && isFresh(watched.atMs))
    return `The watch of this channel last looked at ${clockOrDay(zoned(watched.atMs, zone), now)}: ${watched.says}.`;
  if (checked === undefined || !isFresh(checked.atMs)) return undefined;
  const that = isLong ? ' before that' : '';
  const level = LEVEL_NAMES[checked.level].toLowerCase();
  return `The last check${that}, at ${clockOrDay(zoned(checked.atMs, zone), now)}, said ${level}; how it is now is not known.`;
}

function lastLook(context: CommandContext, watches: readonly SubscriptionSummary[], ids: readonly string[]) {
  const same = watches.filter(({ hosts }) => {
    const watched = hosts.map((name) => findHost(name, context)?.id ?? name);
    return watched.length === ids.length && watched.every((id) => ids.includes(id));
  });
  const looks = same.flatMap(({ lastRun }) =>
    lastRun?.ok ? [{ atMs: lastRun.at.epochMilliseconds, says: lastRun.says }] : [],
  );
  return looks.sort((a, b) => b.atMs - a.atMs)[0];
}

/** Domain IDs of the question, or else of the channel's settings. */
function hostsOf(context: CommandContext): string[] {
  const { sentence, settings } = context;
  if (sentence.hosts.length > 0) return sentence.hosts.map(({ id }) => id);
  return (settings.hosts ?? []).map((name) => findHost(name, context)?.id ?? name);
}
