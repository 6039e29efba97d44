/** Changes an existing watch: what it watches for, how sensitive it is, how often it checks, and on which hosts. */
import { isDeepStrictEqual } from 'node:util';
import { BotError } from '../../errors.ts';
import { quoteName } from '../../grammar/hosts.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { SubscriptionService } from '../service.ts';
import type { EditableValues, SubscriptionEdit } from '../subscription-summary.ts';
import { policyValues } from './alert-policy.ts';
import { weeklyHoldsOf, withTypedHolds } from './hold-commands.ts';
import { describeRule, everyMsOf, parseWatch, type WatchRule } from './watch-rule.ts';
import type { Watch, WatchDetails, WatchRunner } from './watch-runner.ts';

interface EditWatchDeps {
  readonly service: Pick<SubscriptionService<WatchDetails>, 'edit'>;
  readonly runner: Pick<WatchRunner, 'state' | 'abandon'>;
}

const detailsOf = ({ details }: Pick<Watch, 'details'>): WatchDetails => details ?? { rule: { kind: 'verdict' } };

/** What isn't named stays as it is. A sensitivity is refused if the watch alerts at a number. */
export function editedWatch(watch: Watch, { text, zone, hosts, by }: SubscriptionEdit, now: Temporal.Instant) {
  const { rule, isRuleNamed, everyMs, isEveryNamed, sensitivity, holds } = parseWatch(text);
  const before = detailsOf(watch);
  const after: WatchRule = isRuleNamed ? rule : before.rule;
  if (after.kind === 'threshold' && sensitivity !== null) throw fixedLimit(after, watch.id);
  return {
    timing: { everyMs: isEveryNamed ? everyMs : everyMsOf(watch) },
    zone: zone ?? watch.zone,
    hosts: hosts ?? watch.hosts,
    details: {
      ...before,
      rule: after,
      sensitivity: after.kind === 'threshold' ? undefined : (sensitivity ?? before.sensitivity ?? 'normal'),
      ...(Object.keys(holds).length > 0 && {
        quiet: withTypedHolds(before.quiet ?? [], holds, { zone: zone ?? watch.zone, by, now }),
      }),
    },
  };
}

/**
 * A watch for something else starts afresh under a new ID: its episodes, people's answers to them and the buttons of its
 * messages are about what it watched before.
 */
export async function applyEdit(
  watch: Watch,
  change: ReturnType<typeof editedWatch>,
  { service, runner }: EditWatchDeps,
): Promise<{ readonly watch: Watch; readonly startsAfresh: boolean }> {
  const startsAfresh =
    !isDeepStrictEqual(watch.details?.rule ?? { kind: 'verdict' }, change.details.rule) ||
    !isDeepStrictEqual(watch.hosts.toSorted(), change.hosts.toSorted());
  const last = await runner.state(watch);
  const edited = await service.edit(watch, change, startsAfresh ? 'new' : 'same');
  if (startsAfresh) await runner.abandon(watch, last, 'changed');
  return { watch: edited, startsAfresh };
}

/** What its form shows. */
export function watchValues(watch: Watch, project: string | null): EditableValues {
  const { rule, sensitivity, quiet } = detailsOf(watch);
  const maintenance = weeklyHoldsOf(quiet, 'maintenance');
  const minutes = (ms: number): string => `${Math.round(ms / MINUTE_MS)}m`;
  return {
    ...(rule.kind === 'verdict'
      ? { what: 'anything', calls: sensitivity ?? 'normal' }
      : { what: rule.what, over: String(rule.over), per: minutes(rule.perMs) }),
    every: minutes(everyMsOf(watch)),
    quiet: weeklyHoldsOf(quiet, 'quiet'),
    ...(maintenance !== '' && { maintenance, maintenance_before: maintenance }),
    hosts: watch.hosts.map(quoteName).join(', '),
    zone: watch.zone,
    ...(project !== null && { project }),
    ...policyValues(watch.details ?? {}),
  };
}

export function fixedLimit(rule: WatchRule, id: string): BotError {
  return new BotError('usage', `This watch alerts at the number you set: ${describeRule(rule)}.`, {
    hint: 'To change the number, edit the watch.',
    next: [{ label: 'Edit', sentence: `watch edit ${id}`, opensForm: true }],
  });
}
