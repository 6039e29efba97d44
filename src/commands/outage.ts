/** What a failure of the service adds to its answer: since when it fails, and the last known state. */
import { BotError, type OutageImpact } from '../errors.ts';
import { hostsOrNames } from '../grammar/hosts.ts';
import { LEVEL_NAMES } from '../replies/verdict-lines.ts';
import type { SubscriptionSummary } from '../subscriptions/subscription-summary.ts';
import { clockOrDay, zoned } from '../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';
import type { CommandContext } from './context.ts';

/** An older state is no clue about the current one. */
const MAX_AGE_MS = DAY_MS;

export function isOutage(error: unknown): error is BotError {
  return error instanceof BotError && /^upstream_(timeout|unavailable|rate_limited)$/.test(error.code);
}

export async function withLastKnown(error: BotError, context: CommandContext): Promise<BotError> {
  const { deps, question, now, zone, project } = context;
  const sinceMs = error.reason?.is === 'outage' ? error.reason.sinceMs : now.epochMilliseconds;
  const since = now.epochMilliseconds - sinceMs >= MINUTE_MS ? clockOrDay(zoned(sinceMs, zone), now) : null;
  const active = async (list: Promise<readonly SubscriptionSummary[]>): Promise<SubscriptionSummary[]> => {
    const all = await list.catch(() => []);
    return all.filter((each) => each.project === project.label && each.paused === null);
  };
  const [watches, digests] = await Promise.all([
    active(deps.watches.list(question.channel)),
    active(deps.digests.list(question.channel)),
  ]);
  const impact: OutageImpact = { since, watches: watches.length };
  const late = digests.length === 0 ? undefined : 'The next digest will be late if this continues.';
  const hint = [lastKnown(context, watches), error.hint, late].filter((part) => part !== undefined).join(' ');
  return error.changed({ hint, impact });
}

/** From a check that somebody asked for or the last run of this channel's watch, whichever is later. */
function lastKnown(context: CommandContext, watches: readonly SubscriptionSummary[]): string | undefined {
  const { deps, now, zone } = context;
  const ids = hostsOf(context);
  const checked = deps.lastVerdicts.recall(ids);
  const watched = lastRun(context, watches, ids);
  const isRecent = (atMs: number): boolean => now.epochMilliseconds - atMs <= MAX_AGE_MS;
  if (watched !== undefined && watched.atMs > (checked?.atMs ?? 0) && isRecent(watched.atMs))
    return `Last run of this channel's watch: ${clockOrDay(zoned(watched.atMs, zone), now)}, ${watched.says}.`;
  if (checked === undefined || !isRecent(checked.atMs)) return undefined;
  return `Last check: ${clockOrDay(zoned(checked.atMs, zone), now)}, ${LEVEL_NAMES[checked.level].toLowerCase()}.`;
}

/** From the watches of exactly these hosts. */
function lastRun(context: CommandContext, watches: readonly SubscriptionSummary[], ids: readonly string[]) {
  const same = watches.filter(({ hosts }) => {
    const watched = hostsOrNames(hosts, context).map(({ id }) => id);
    return watched.length === ids.length && watched.every((id) => ids.includes(id));
  });
  const runs = same.flatMap((watch) =>
    watch.lastRun?.ok ? [{ atMs: watch.lastRun.at.epochMilliseconds, says: watch.lastRun.says }] : [],
  );
  return runs.sort((a, b) => b.atMs - a.atMs)[0];
}

/** Domain IDs of the question, or else of the channel's settings. */
function hostsOf(context: CommandContext): string[] {
  const { sentence, settings } = context;
  if (sentence.hosts.length > 0) return sentence.hosts.map(({ id }) => id);
  return hostsOrNames(settings.hosts ?? [], context).map(({ id }) => id);
}
