/** What the digest commands do: create, list, pause, resume, remove, preview and run a channel's digests. */
import { type Clock, sleep } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import { quoteName } from '../../grammar/hosts.ts';
import { labelOf, type Projects } from '../../projects/project.ts';
import type { Reply } from '../../replies/reply.ts';
import { describePauseReason, pauseSummary, unschedulableSummary } from '../paused-notice.ts';
import { nextRuns, previousDueAt, whyUnschedulable } from '../recurrence/due-times.ts';
import { parseSchedule } from '../recurrence/parse-schedule.ts';
import { describeSchedule, type Schedule, scheduleInParts } from '../recurrence/schedule.ts';
import type { SubscriptionService, SubscriptionStatus } from '../service.ts';
import type { Subscription } from '../subscription.ts';
import type {
  EditableValues,
  RunSummary,
  SubscriptionEdit,
  SubscriptionRequest,
  SubscriptionSummary,
} from '../subscription-summary.ts';
import type { RunEntry } from './delivery-log.ts';
import { assertNoHosts, contentOf, detailsOf, takeContent } from './digest-content.ts';
import { type DigestRunner, type DigestRunnerDeps, isHandover } from './digest-runner.ts';

const SHOWN_RUNS = 3;
const RUN_NOW_ATTEMPTS = 4;

const OUTCOMES: Readonly<Record<RunEntry['outcome'], string>> = {
  sent: 'sent',
  found: 'sent',
  apologised: 'could not be created; a notice was posted instead',
  failed: 'could not be delivered',
  superseded: 'covered by a later one',
};

interface DigestCommandsDeps {
  readonly service: SubscriptionService<unknown>;
  readonly runner: Pick<DigestRunner, 'coverageAt'>;
  readonly clock: Clock;
  readonly compose: DigestRunnerDeps<Reply>['compose'];
  readonly projects: Projects;
}

type DigestStatus = SubscriptionStatus<unknown>;

export type Digests = ReturnType<typeof createDigestCommands>;

export function createDigestCommands({ service, runner, clock, compose, projects }: DigestCommandsDeps) {
  const summaryOf = (status: DigestStatus): SubscriptionSummary => summarize(status, projects, clock.now());

  async function find(channel: string, id: string): Promise<DigestStatus> {
    const found = (await service.listChannel(channel)).find(({ subscription }) => subscription.id === id);
    if (found !== undefined) return found;
    throw new BotError('not_found', 'There is no such digest in this channel.', {
      hint: 'It may have been removed.',
      next: [{ label: 'List them', sentence: 'digests' }],
    });
  }

  return {
    async create({ channel, owner, text, zone, project, hosts }: SubscriptionRequest): Promise<SubscriptionSummary> {
      const { content = 'summary', rest } = takeContent(text);
      const details = detailsOf(content);
      if (details !== undefined) assertNoHosts(hosts);
      const schedule = parseSchedule(rest, zone);
      const subscription = await service.create({
        channel,
        owner,
        timing: { schedule },
        zone: schedule.zone,
        project: project ?? undefined,
        hosts,
        sentence: text.trim().replace(/\s+/g, ' '),
        ...(details !== undefined && { details }),
      });
      return summaryOf({ subscription, lastRun: undefined });
    },
    /** A new schedule is in the zone of the old one unless it names another. */
    async edit(edit: SubscriptionEdit): Promise<SubscriptionSummary> {
      const { subscription: before } = await find(edit.channel, edit.id);
      await service.edit(before, editedDigest(before, edit), 'same');
      return summaryOf(await find(edit.channel, edit.id));
    },
    /** What its form shows. */
    async values(channel: string, id: string): Promise<EditableValues> {
      const { subscription } = await find(channel, id);
      const { zone, hosts } = subscription;
      const project = labelOf(projects, subscription.project);
      return {
        content: contentOf(subscription),
        ...scheduleInParts(scheduleOf(subscription)),
        zone,
        hosts: hosts.map(quoteName).join(', '),
        ...(project !== null && { project }),
      };
    },
    list: async (channel: string) => (await service.listChannel(channel)).map(summaryOf),
    listOwned: async (owner: string) => (await service.listOwner(owner)).map(summaryOf),
    async pause(channel: string, id: string, by: string): Promise<SubscriptionSummary> {
      await service.pause(channel, id, by);
      return summaryOf(await find(channel, id));
    },
    async resume(channel: string, id: string): Promise<SubscriptionSummary> {
      await service.resume(channel, id);
      return summaryOf(await find(channel, id));
    },
    remove: async (channel: string, id: string): Promise<SubscriptionSummary> =>
      summaryOf({ subscription: await service.remove(channel, id), lastRun: undefined }),
    async history(channel: string, id: string): Promise<RunSummary[]> {
      const { subscription } = await find(channel, id);
      return (await service.history(subscription)).map(runSummary);
    },
    async preview(channel: string, id: string): Promise<Reply> {
      const { subscription } = await find(channel, id);
      service.assertMayPost(subscription);
      const at = clock.now();
      const { window, tail } = await runner.coverageAt(subscription, at, previousDueAt(subscription.timing, at));
      const { message } = await compose(subscription, window, { late: false, tail });
      return { ...message, title: `Preview: ${message.title}` };
    },
    /** Posts a digest now, covering the time since the last one. */
    async runNow(channel: string, id: string): Promise<void> {
      const { subscription } = await find(channel, id);
      await runWithRetries(service, subscription, clock);
    },
  };
}

function editedDigest(before: Subscription, { text, zone, hosts }: SubscriptionEdit) {
  const { content = contentOf(before), rest } = takeContent(text);
  const inZone = zone ?? before.zone;
  const schedule = rest.trim() === '' ? { ...scheduleOf(before), zone: inZone } : parseSchedule(rest, inZone);
  const timing = { timing: { schedule }, zone: schedule.zone, details: detailsOf(content) };
  if (content === 'summary') return { ...timing, hosts: hosts ?? before.hosts };
  assertNoHosts(hosts ?? []);
  return { ...timing, hosts: [] };
}

async function runWithRetries(service: SubscriptionService<unknown>, digest: Subscription, clock: Clock) {
  // Every attempt uses the same instant: it identifies the run, so none of them posts a second time.
  const at = clock.now();
  for (let attempt = 1; attempt <= RUN_NOW_ATTEMPTS; attempt++) {
    const outcome = await service.runNow(digest, at, attempt);
    if (outcome === 'done') return;
    await sleep(clock, outcome.retryAfterMs);
  }
  throw new BotError('not_posted', 'The digest could not be posted just now.', {
    hint: 'Try again in a few minutes. The scheduled digest will still be posted.',
    next: [{ label: 'Try again', sentence: `digest run ${digest.id}` }],
  });
}

function summarize(
  { subscription, lastRun }: DigestStatus,
  projects: Projects,
  now: Temporal.Instant,
): SubscriptionSummary {
  const { id, channel, owner, zone, hosts, state } = subscription;
  const project = labelOf(projects, subscription.project);
  const common = { id, channel, owner, project, hosts, lastRun: lastRun === undefined ? null : runSummary(lastRun) };
  const fault = whyUnschedulable(subscription.timing);
  if (fault !== null) return { ...common, ...unschedulableSummary(subscription, fault) };
  const schedule = scheduleOf(subscription);
  return {
    ...common,
    what: `${isHandover(subscription) ? 'handover ' : ''}${describeSchedule(schedule)}`,
    zone,
    nextRuns: state.is === 'active' ? nextRuns(schedule, now, SHOWN_RUNS) : [],
    paused: pauseSummary(state),
  };
}

function scheduleOf({ timing }: Subscription): Schedule {
  if ('schedule' in timing) return timing.schedule;
  throw new Error('digest without a schedule');
}

function runSummary({ due, at, late, outcome, reason }: RunEntry): RunSummary {
  const ok = outcome === 'sent' || outcome === 'found' || outcome === 'superseded';
  const why = reason === 'service' ? 'can’t reach your WAF statistics' : describePauseReason(reason ?? '');
  const says = why === '' || ok ? OUTCOMES[outcome] : `${OUTCOMES[outcome]}: ${why}`;
  return { due: Temporal.Instant.from(due), at: Temporal.Instant.from(at), late, ok, says };
}
