/**
 * Runs a watch: evaluates its rule, advances the stored state, then publishes what the channel has not seen yet. The state
 * is stored before anything is posted and says what is still pending, so the next run repairs a crash at any point.
 */
import type { Clock } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { CommandTable } from '../../grammar/command-table.ts';
import { hostNames, resolveHosts } from '../../grammar/hosts.ts';
import type { Logger } from '../../observability/logger.ts';
import { labelOf, type Project, type Projects, storedProject } from '../../projects/project.ts';
import { inProject } from '../../replies/in-project.ts';
import type { Reply } from '../../replies/reply.ts';
import type { RunContext, RunOutcome } from '../../scheduler/index.ts';
import type { HeldLease, RunUnderLease } from '../delivery/lease.ts';
import type { MessageEditor } from '../delivery/outbox.ts';
import { projectGone } from '../paused-notice.ts';
import { type FindRunnable, jobIdOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import { advance, pendingUpdate, withMeasure } from './episode-lifecycle.ts';
import { abandonedReply, episodeReply, plainEpisodeReply } from './episode-reply.ts';
import type { ResolvedWatch } from './episode-words.ts';
import {
  confirmCalm,
  type Evaluation,
  evaluate,
  evaluateDrop,
  evaluationWithoutData,
  type Measurement,
  measure,
} from './evaluate.ts';
import type { CallingBar, Observation } from './observation.ts';
import type { PublishEpisode } from './publish-episode.ts';
import { barNow, callingBar, type WatchSensitivity } from './sensitivity.ts';
import type { WatchRule } from './watch-rule.ts';
import {
  COURSES,
  type Course,
  courseOf,
  DROP_COURSES,
  GONE,
  isOpen,
  type WatchRecord,
  type WatchState,
  type WatchStates,
  withCourse,
} from './watch-state.ts';

export interface WatchDetails {
  readonly rule: WatchRule;
  /** Normal where nothing is stored, as for watches of version 0.1. */
  readonly sensitivity?: WatchSensitivity;
}

export interface WatchRunnerDeps {
  readonly states: WatchStates;
  readonly runUnderLease: RunUnderLease;
  readonly publish: PublishEpisode;
  readonly outbox: MessageEditor<Reply>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly projects: Projects;
  readonly commands: CommandTable;
  readonly findRunnable: FindRunnable<WatchDetails>;
  /** The reason is a `PauseReason` or a sentence. */
  readonly pause: (subscription: Subscription<WatchDetails>, reason: string) => Promise<void>;
}

/** The job, for the log, and the numbers of its project. */
type LookedAt = Pick<Project, 'statistics'> & { readonly job: string };

type Seen = readonly (readonly [course: Course, observation: Observation])[];

interface WatchRun {
  readonly attempt: number;
  /** False when people, not time, are the reason for the run: then the state does not advance. */
  readonly advances: boolean;
}

export function createWatchRunner(deps: WatchRunnerDeps) {
  const { states, clock, log, projects, commands } = deps;

  function projectOf(subscription: Subscription<WatchDetails>): Project {
    const project = storedProject(projects, subscription.project);
    if (project === undefined) throw projectGone(subscription);
    return project;
  }

  async function resolve(subscription: Subscription<WatchDetails>): Promise<ResolvedWatch> {
    const { id, details, hosts: names, zone } = subscription;
    const known = names.length === 0 ? { aliases: [] } : await hostNames(projectOf(subscription));
    return {
      id,
      rule: details?.rule ?? { kind: 'verdict' },
      sensitivity: details?.sensitivity ?? 'normal',
      hosts: resolveHosts(names, known, 'watch'),
      zone,
    };
  }

  /** What is seen in each course, from one evaluation. */
  async function evaluateNow(
    { job, statistics }: LookedAt,
    { rule, hosts, zone }: ResolvedWatch,
    bar: CallingBar,
    before: WatchRecord,
    now: Temporal.Instant,
  ): Promise<Seen> {
    const query = { rule, bar, hosts: hosts.map(({ id }) => id), zone, now };
    const openIn = (course: Course) => {
      const state = courseOf(before, course);
      return isOpen(state) ? state.episode : null;
    };
    // Whoever watches for a number of their own is told of that alone.
    const dropped = rule.kind === 'threshold' ? [] : DROP_COURSES;
    const dropsIn = (evaluation: Evaluation): Promise<Seen> =>
      Promise.all(
        dropped.map(async (what) => [what, await evaluateDrop(statistics, query, evaluation, what, openIn(what))]),
      );
    try {
      const evaluation = await evaluate(statistics, query);
      const observation = await confirmCalm(statistics, query, evaluation.observation, openIn('rise'));
      return [['rise', observation], ...(await dropsIn(evaluation))];
    } catch (error) {
      const level = error instanceof BotError ? 'warn' : 'error';
      log[level]({ job, error }, 'a watch gets no numbers');
      const blind = evaluationWithoutData(now);
      return [['rise', blind.observation], ...(await dropsIn(blind))];
    }
  }

  /** Counts the episode that the channel is to be told of; without numbers it is told what is known. */
  async function measureNow(
    { job, statistics }: LookedAt,
    { rule, hosts, zone }: ResolvedWatch,
    state: WatchState,
    now: Temporal.Instant,
  ): Promise<Measurement | null> {
    const { episode } = state;
    if (episode === null || pendingUpdate(state) === null) return null;
    try {
      return await measure(statistics, { rule, hosts: hosts.map(({ id }) => id), zone, now }, episode);
    } catch (error) {
      log.error({ job, error }, 'an episode cannot be counted');
      return null;
    }
  }

  async function perform(
    subscription: Subscription<WatchDetails>,
    { attempt, advances }: WatchRun,
    lease: HeldLease,
  ): Promise<RunOutcome> {
    const watch = await resolve(subscription).catch(missingHost);
    if (typeof watch === 'string') {
      await deps.pause(subscription, watch);
      return 'done';
    }
    const { statistics, label } = projectOf(subscription);
    const looked = { job: jobIdOf(subscription), statistics };
    const now = clock.now();
    const before = await states.read(subscription);
    const bar = barNow(callingBar(watch.sensitivity, before.feedback), before, now.epochMilliseconds);
    const seen = await evaluateNow(looked, watch, bar, before, now);
    const nowMs = clock.now().epochMilliseconds;
    const advanced = (record: WatchRecord): WatchRecord =>
      advances
        ? seen.reduce(
            (all, [course, each]) => withCourse(all, course, advance(courseOf(record, course), each, nowMs)),
            record,
          )
        : record;
    // Only people change the state meanwhile, and they move neither its beginning nor its end.
    const next = advanced(before);
    const counted: [Course, Measurement | null][] = [];
    for (const course of COURSES) counted.push([course, await measureNow(looked, watch, courseOf(next, course), now)]);
    const measured = (record: WatchRecord): WatchRecord =>
      counted
        .filter(([, measurement]) => measurement !== null)
        .reduce((all, [course, each]) => withCourse(all, course, withMeasure(courseOf(all, course), each)), record);
    const state = await states.change(subscription, (current) => measured(advanced(current)));
    const outcomes: RunOutcome[] = [];
    let isPaused = false;
    for (const [course, measurement] of counted) {
      const current = courseOf(state, course);
      const { episode } = current;
      if (isPaused || episode === null || pendingUpdate(current) === null) continue;
      const look = { now, measurement };
      const outcome = await deps.publish({
        lease,
        subscription,
        course,
        attempt,
        render: (shown, update) =>
          inProject(episodeReply(shown, shown.episode ?? episode, update, watch, look), label, commands),
        renderPlainly: (shown) => inProject(plainEpisodeReply(shown.episode ?? episode, watch), label, commands),
        async pause(reason) {
          isPaused = true;
          await deps.pause(subscription, reason);
        },
      });
      outcomes.push(outcome);
    }
    // One that must be tried again does not keep back the others.
    return outcomes.find((outcome) => outcome !== 'done') ?? 'done';
  }

  async function run(ref: SubscriptionRef, watchRun: WatchRun): Promise<RunOutcome> {
    const subscription = await deps.findRunnable(ref);
    if (subscription === undefined) return 'done';
    return deps.runUnderLease(jobIdOf(subscription), (lease) => perform(subscription, watchRun, lease));
  }

  return {
    /** Called by the scheduler for each due time. */
    run: (ref: SubscriptionRef, { attempt }: Pick<RunContext, 'attempt'>) => run(ref, { attempt, advances: true }),
    /** Changes the state as people ask and shows that at once; if it cannot, the next run does. */
    async change(ref: SubscriptionRef, next: (record: WatchRecord) => WatchRecord): Promise<void> {
      await states.change(ref, next);
      await run(ref, { attempt: 1, advances: false });
    },
    /** An open episode that nobody follows any more: its message must not go on saying that it goes on. */
    async abandon(
      subscription: Subscription<WatchDetails>,
      last: WatchRecord,
      why: 'paused' | 'removed',
    ): Promise<void> {
      const { channel, zone } = subscription;
      const label = labelOf(projects, subscription.project);
      for (const state of COURSES.map((course) => courseOf(last, course))) {
        const { episode, message } = state;
        if (episode === null || !isOpen(state) || !message?.ts || message.shown === GONE) continue;
        const reply = inProject(abandonedReply(episode, why, zone, clock.now()), label, commands);
        await deps.outbox.edit(channel, message.ts, reply).catch((error: unknown) => {
          log.warn({ job: jobIdOf(subscription), error }, 'the message of a watch that was stopped is left as it is');
        });
      }
    },
    state: (ref: SubscriptionRef): Promise<WatchRecord> => states.read(ref),
    forget: (ref: SubscriptionRef) => states.remove(ref),
  };
}

export type WatchRunner = ReturnType<typeof createWatchRunner>;

/** A host name that was removed is for the owner to repair. */
function missingHost(error: unknown): string {
  if (error instanceof BotError && error.code === 'not_found') return error.message;
  throw error;
}
