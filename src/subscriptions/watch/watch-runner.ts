/**
 * Runs a watch: evaluates its rule, advances the stored state, then publishes what the channel hasn't seen yet. The state
 * is stored before anything is posted and records what's pending, so the next run recovers from a crash at any point.
 */
import { type Clock, withTimeout } from '../../clock.ts';
import type { Acknowledgment } from '../../episodes/episode.ts';
import type { LeadingHost } from '../../episodes/which-host.ts';
import { BotError } from '../../errors.ts';
import type { CommandTable } from '../../grammar/command-table.ts';
import { hostNames, resolveHosts } from '../../grammar/hosts.ts';
import type { Logger } from '../../observability/logger.ts';
import type { JobObserver } from '../../observability/observers.ts';
import type { EpisodePage, PageQueue } from '../../pagers/page.ts';
import { labelOf, type Project, type Projects, storedProject } from '../../projects/project.ts';
import type { Runbook } from '../../projects/runbooks.ts';
import { inProject } from '../../replies/follow-ups.ts';
import type { Reply } from '../../replies/reply.ts';
import type { RunContext, RunOutcome } from '../../scheduler/index.ts';
import { undefinedIfDamaged } from '../../store/create-store.ts';
import { DAY_MS } from '../../time-units.ts';
import type { HeldLease, RunUnderLease } from '../delivery/lease.ts';
import type { MessageEditor } from '../delivery/outbox.ts';
import { projectGone } from '../paused-notice.ts';
import { type Hold, occurrencesIn, type TimeWindow } from '../recurrence/time-window.ts';
import { type FindRunnable, jobIdOf, refOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import { type AlertPolicy, pendingMentions } from './alert-policy.ts';
import { noteEvents } from './episode-history.ts';
import { acknowledge, advanceThrough, isHeldUp, pendingUpdate, withHosts, withMeasured } from './episode-lifecycle.ts';
import { abandonedReply, plainUpdateReply, updateReply } from './episode-reply.ts';
import type { ResolvedWatch } from './episode-words.ts';
import { evaluate, evaluationWithoutData, type Measurement, measure, unseenOf } from './evaluate.ts';
import { type Course, type Evaluation, type ObservedLevel, STANDING_COURSES } from './observation.ts';
import { waitsForThread } from './one-alert.ts';
import { isPagingAbout, pendingPages, withoutPages, withoutPaging, withPages } from './paging.ts';
import type { PublishEpisode } from './publish-episode.ts';
import { callingStrength, type WatchSensitivity } from './sensitivity.ts';
import { everyMsOf, type WatchRule } from './watch-rule.ts';
import {
  courseOf,
  coursesOf,
  GONE,
  INITIAL_STATE,
  inEachCourse,
  isOpen,
  type WatchRecord,
  type WatchState,
  type WatchStates,
  withCourse,
} from './watch-state.ts';

export interface WatchDetails extends AlertPolicy {
  readonly rule: WatchRule;
  /** Normal if absent, as for watches of version 0.1. */
  readonly sensitivity?: WatchSensitivity | undefined;
  /** When alerts are held back: quiet hours and maintenance. */
  readonly quiet?: readonly TimeWindow[];
}

export interface WatchRunnerDeps {
  readonly states: WatchStates;
  readonly runUnderLease: RunUnderLease;
  readonly publish: PublishEpisode;
  readonly outbox: MessageEditor<Reply>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: JobObserver | undefined;
  readonly projects: Projects;
  readonly commands: CommandTable;
  /** Missing if there are no pagers. */
  readonly pages?: PageQueue | undefined;
  readonly findRunnable: FindRunnable<WatchDetails>;
  /** The reason is a `PauseReason` or a sentence. */
  readonly pause: (subscription: Subscription<WatchDetails>, reason: string) => Promise<void>;
}

export type Watch = Subscription<WatchDetails>;

type Measurements = readonly (readonly [course: Course, measurement: Measurement | null])[];

interface WatchRun {
  readonly attempt: number;
  /** False if a person's action caused the run: the state doesn't advance then. */
  readonly advances: boolean;
}

/** What one run works on. */
interface RunSubject {
  readonly subscription: Watch;
  readonly watch: ResolvedWatch;
  readonly project: Project;
  readonly now: Temporal.Instant;
}

export type WatchRunner = ReturnType<typeof createWatchRunner>;

export function createWatchRunner(deps: WatchRunnerDeps) {
  const { states, clock, log, projects, commands } = deps;

  async function run(ref: SubscriptionRef, watchRun: WatchRun): Promise<RunOutcome> {
    const subscription = await deps.findRunnable(ref);
    if (subscription === undefined) return 'done';
    const late: LateHosts[] = [];
    const outcome = await deps.runUnderLease(jobIdOf(subscription), (lease) =>
      perform(deps, subscription, watchRun, lease, late),
    );
    for (const hosts of late) void addHosts(ref, hosts);
    return outcome;
  }

  const store = (ref: SubscriptionRef, next: (record: WatchRecord) => WatchRecord): Promise<WatchRecord> =>
    states.change(ref, (record) => noteEvents(record, next(record), clock.now().epochMilliseconds));
  const show = (ref: SubscriptionRef): Promise<RunOutcome> => run(ref, { attempt: 1, advances: false });

  /** Changes the state and shows that at once; if it can't, the next run does. */
  async function change(ref: SubscriptionRef, next: (record: WatchRecord) => WatchRecord): Promise<void> {
    await store(ref, next);
    await show(ref);
  }

  async function addHosts(ref: SubscriptionRef, { course, episode, onLater }: LateHosts): Promise<void> {
    try {
      const on = await withTimeout<readonly LeadingHost[] | null>(
        clock,
        LATE_HOSTS_LIMIT_MS,
        () => onLater,
        () => null,
      );
      if (on === null) return;
      await change(ref, (record) => withCourse(record, course, withHosts(courseOf(record, course), episode, on)));
    } catch (err) {
      log.warn({ job: jobIdOf(ref), err }, 'could not add the hosts to the message of a watch');
    }
  }

  return {
    /** Called by the scheduler for each due time. */
    run: (ref: SubscriptionRef, { attempt }: Pick<RunContext, 'attempt'>) => run(ref, { attempt, advances: true }),
    /** On a person's request. */
    change,
    /** Acknowledged in PagerDuty, which doesn't wait until it's shown. Resolves to whether the episode is open. */
    async acknowledgeElsewhere(ref: SubscriptionRef, episode: string, by: Acknowledgment): Promise<boolean> {
      // A watch that was removed has no state, and gets none.
      if ((await deps.findRunnable(ref)) === undefined) return false;
      const record = await store(ref, (current) => acknowledgedElsewhere(current, episode, by));
      show(ref).catch((err: unknown) => log.warn({ job: jobIdOf(ref), err }, 'could not show an acknowledgment yet'));
      return coursesOf(record).some((course) => {
        const state = courseOf(record, course);
        return state.episode?.id === episode && isOpen(state);
      });
    },
    /** Whether pagers will get more pages about the episode. If the watch is only paused, they do once it's resumed. */
    async isPagingAbout(ref: SubscriptionRef, episode: string): Promise<boolean> {
      const isRunning = (await deps.findRunnable(ref)) !== undefined;
      const isPaging = isPagingAbout(await states.read(ref), episode);
      if (isPaging && !isRunning) await states.change(ref, withoutPaging);
      return isPaging && isRunning;
    },
    /** Closes the messages of open episodes that nobody follows any longer. */
    async abandon(subscription: Watch, last: WatchRecord, why: 'paused' | 'removed' | 'changed'): Promise<void> {
      const { channel, zone } = subscription;
      const label = labelOf(projects, subscription.project);
      for (const state of coursesOf(last).map((course) => courseOf(last, course))) {
        const { episode, message } = state;
        if (episode === null || !isOpen(state) || !message?.ts || message.shown === GONE) continue;
        const reply = inProject(abandonedReply(episode, why, zone, clock.now()), label, commands);
        await deps.outbox.edit(channel, message.ts, reply).catch((err: unknown) => {
          log.warn({ job: jobIdOf(subscription), err }, 'could not edit the message of a stopped watch');
        });
      }
    },
    /** To show it: a damaged one counts as none, so that it affects neither lists nor digests. */
    state: async (ref: SubscriptionRef): Promise<WatchRecord> =>
      (await states.read(ref).catch(undefinedIfDamaged)) ?? INITIAL_STATE,
    forget: (ref: SubscriptionRef) => states.remove(ref),
  };
}

/** After this long, a message stays without its hosts until the next evaluation. */
const LATE_HOSTS_LIMIT_MS = 20_000;

/** Hosts of an episode that are still being found while its message goes out. */
interface LateHosts {
  readonly course: Course;
  readonly episode: string;
  readonly onLater: NonNullable<Measurement['onLater']>;
}

/** Several episodes may have begun and ended since the last run; each gets its messages before the next one begins. */
const MAX_ROUNDS = 12;

async function perform(
  deps: WatchRunnerDeps,
  subscription: Watch,
  { attempt, advances }: WatchRun,
  lease: HeldLease,
  late: LateHosts[],
): Promise<RunOutcome> {
  const { states, clock } = deps;
  const watch = await resolve(deps, subscription).catch(missingHost);
  if (typeof watch === 'string') {
    await deps.pause(subscription, watch);
    return 'done';
  }
  const subject = { subscription, watch, project: projectOf(deps, subscription), now: clock.now() };
  const evaluations = advances ? await observe(deps, subject, await states.read(subscription)) : [];
  for (let round = 0; ; round++) {
    const before = await states.read(subscription);
    const nowMs = clock.now().epochMilliseconds;
    const holds = holdsOf(subscription, Math.min(nowMs, ...evaluations.map(seenMs)), nowMs);
    const advanced = (record: WatchRecord): WatchRecord =>
      noteEvents(
        record,
        advanceThrough(record, unseenOf(evaluations, lastLookedMs(record), everyMsOf(subscription)), nowMs, {
          ...watch,
          holds,
        }),
        nowMs,
      );
    // Only people can change the state in the meantime, and they move neither its onset nor its end.
    const measurements = await measureAll(deps, subject, advanced(before));
    const paged = (each: WatchRecord): WatchRecord => withPagesOf(deps, subject, each);
    const record = await states.change(subscription, (current) =>
      // Before it advances, too: a worse level undoes an acknowledgment.
      paged(withCounts(advanced(paged(current)), measurements)),
    );
    await handOver(deps, subscription, record);
    late.push(...lateHosts(record, measurements));
    const outcome = await publishAll(deps, subject, record, { measurements, attempt, lease });
    const isUntold = round === 0 && coursesOf(record).some((course) => waitsForThread(courseOf(record, course)));
    const isWaiting = isUntold || evaluations.some((evaluation) => isHeldUp(record, evaluation));
    if (outcome !== 'done' || !isWaiting || round >= MAX_ROUNDS) return outcome;
  }
}

function withPagesOf({ pages, clock }: WatchRunnerDeps, subject: RunSubject, record: WatchRecord): WatchRecord {
  if (pages === undefined) return record;
  const { subscription, watch, project } = subject;
  const paged = { ref: refOf(subscription), watch, project: project.label, from: pages.from };
  return withPages(record, paged, clock.now().epochMilliseconds);
}

/** The pages leave the record only once the queue has them. If it can't take them, Slack still gets its message. */
async function handOver(
  { pages, states, log }: WatchRunnerDeps,
  ref: SubscriptionRef,
  record: WatchRecord,
): Promise<void> {
  const pending: readonly EpisodePage[] = pages === undefined ? [] : pendingPages(record);
  if (pages === undefined || pending.length === 0) return;
  try {
    await pages.put(pending);
    await states.change(ref, (current) => withoutPages(current, pending));
  } catch (err) {
    log.error({ job: jobIdOf(ref), err }, 'could not queue pages, will retry');
  }
}

/** Unless it got worse since, which asks for another acknowledgment. */
function acknowledgedElsewhere(record: WatchRecord, id: string, { by, atMs, via }: Acknowledgment): WatchRecord {
  return inEachCourse(record, (state) => {
    const { episode } = state;
    if (episode?.id !== id) return state;
    const isUndone = episode.history?.some((event) => event.what === 'unacknowledged' && event.atMs > atMs);
    return isUndone === true ? state : acknowledge(state, by, atMs, via);
  });
}

/** Infinite before the first evaluation. A category that couldn't be counted holds nothing up. */
const lastLookedMs = (record: WatchRecord): number =>
  Math.min(...STANDING_COURSES.flatMap((course) => Math.max(0, courseOf(record, course).lookedMs) || []));

/** The onset of the earliest ongoing episode of a category; infinite if there is none. */
const categoriesSinceMs = (record: WatchRecord): number =>
  Math.min(
    ...coursesOf(record)
      .map((course) => courseOf(record, course))
      .flatMap((state) => (isOpen(state) && state.episode?.mix !== undefined ? [state.episode.onsetMs] : [])),
  );

const seenMs = (evaluation: Evaluation): number => evaluation.get('rise')?.atMs ?? Number.POSITIVE_INFINITY;

/** Overlapping times may end up to two days later. */
const HOLDS_AHEAD_MS = 2 * DAY_MS;

/** The watch's quiet hours and maintenance around a time. */
export const holdsOf = ({ details }: Pick<Watch, 'details'>, fromMs: number, toMs: number): readonly Hold[] =>
  (details?.quiet ?? []).flatMap((window) => occurrencesIn(window, fromMs, toMs + HOLDS_AHEAD_MS));

const withCounts = (record: WatchRecord, measurements: Measurements): WatchRecord =>
  measurements.reduce(
    (all, [course, measurement]) =>
      measurement === null ? all : withCourse(all, course, withMeasured(courseOf(all, course), measurement)),
    record,
  );

function lateHosts(record: WatchRecord, measurements: Measurements): LateHosts[] {
  return measurements.flatMap(([course, measurement]) => {
    const episode = courseOf(record, course).episode?.id;
    const { onLater } = measurement ?? {};
    return episode === undefined || onLater === undefined ? [] : [{ course, episode, onLater }];
  });
}

function projectOf({ projects }: WatchRunnerDeps, subscription: Watch): Project {
  const project = storedProject(projects, subscription.project);
  if (project === undefined) throw projectGone(subscription);
  return project;
}

async function resolve(deps: WatchRunnerDeps, subscription: Watch): Promise<ResolvedWatch> {
  const { id, details, hosts: names, zone } = subscription;
  const known = names.length === 0 ? { aliases: [] } : await hostNames(projectOf(deps, subscription));
  return {
    id,
    rule: details?.rule ?? { kind: 'verdict' },
    sensitivity: details?.sensitivity ?? 'normal',
    hosts: resolveHosts(names, known, 'watch'),
    zone,
    mention: details?.mention,
    escalation: details?.escalation,
  };
}

async function observe(
  { log, observer }: WatchRunnerDeps,
  { subscription, watch, project, now }: RunSubject,
  before: WatchRecord,
): Promise<readonly Evaluation[]> {
  const { rule, sensitivity, hosts, zone } = watch;
  const bar = callingStrength(sensitivity, before.feedback);
  const lookedMs = lastLookedMs(before);
  const query = {
    ...{ rule, bar, zone, now, everyMs: everyMsOf(subscription) },
    hosts: hosts.map(({ id }) => id),
    lookedMs: Number.isFinite(lookedMs) ? lookedMs : firstMissed(subscription, now),
    categoriesSinceMs: categoriesSinceMs(before),
  };
  try {
    const evaluations = await evaluate(project, query);
    const latest = evaluations.at(-1);
    if (latest !== undefined) observer?.watchLook(worstIn(latest));
    return evaluations;
  } catch (err) {
    log[err instanceof BotError ? 'warn' : 'error']({ job: jobIdOf(subscription), err }, 'could not evaluate a watch');
    observer?.watchLook('unknown');
    return [evaluationWithoutData(now.epochMilliseconds)];
  }
}

const LEVELS = ['unknown', 'calm', 'between', 'elevated', 'surge'] as const;

function worstIn(evaluation: Evaluation): ObservedLevel {
  const levels = new Set([...evaluation.values()].map(({ level }) => level));
  return LEVELS.findLast((level) => levels.has(level)) ?? 'unknown';
}

/** A watch that has had no numbers since it was created catches up from then on; `null` if it's new. */
function firstMissed(watch: Watch, now: Temporal.Instant): number | null {
  const createdMs = Date.parse(watch.createdAt);
  return now.epochMilliseconds - createdMs > 2 * everyMsOf(watch) ? createdMs : null;
}

async function measureAll(deps: WatchRunnerDeps, subject: RunSubject, record: WatchRecord): Promise<Measurements> {
  const measured: [Course, Measurement | null][] = [];
  for (const course of coursesOf(record)) {
    measured.push([course, await measureEpisode(deps, subject, courseOf(record, course))]);
  }
  return measured;
}

/** Measures an episode that's about to be shown; without data, the message shows what's known. */
async function measureEpisode(
  { log, clock }: WatchRunnerDeps,
  { subscription, watch: { rule, hosts, zone }, project, now }: RunSubject,
  state: WatchState,
): Promise<Measurement | null> {
  const { episode } = state;
  // A summary needs no numbers of its own.
  if (episode === null || pendingUpdate({ ...state, summary: null }) === null) return null;
  try {
    return await measure({ ...project, clock }, { rule, hosts: hosts.map(({ id }) => id), zone, now }, episode);
  } catch (err) {
    log.error({ job: jobIdOf(subscription), err }, 'could not measure an episode');
    return null;
  }
}

/** A failure here must not cost the alert. */
async function runbooksFor(
  { log }: WatchRunnerDeps,
  { subscription, watch, project }: RunSubject,
  { episode }: WatchState,
): Promise<readonly Runbook[]> {
  if (project.runbooks === undefined || episode === null) return [];
  const { leading, on = [] } = episode;
  try {
    const find = await project.runbooks.finder();
    return find(leading.at(-1), [...watch.hosts, ...on]);
  } catch (err) {
    log.warn({ job: jobIdOf(subscription), err }, 'could not read the runbooks of an alert');
    return [];
  }
}

async function publishAll(
  deps: WatchRunnerDeps,
  subject: RunSubject,
  record: WatchRecord,
  run: { readonly measurements: Measurements; readonly attempt: number; readonly lease: HeldLease },
): Promise<RunOutcome> {
  const { commands } = deps;
  const { subscription, watch, now } = subject;
  const { label } = subject.project;
  const outcomes: RunOutcome[] = [];
  let isPaused = false;
  for (const [course, measurement] of run.measurements) {
    const current = courseOf(record, course);
    if (isPaused || pendingUpdate(current) === null) continue;
    const snapshot = { now, measurement, runbooks: await runbooksFor(deps, subject, current) };
    const outcome = await deps.publish({
      lease: run.lease,
      subscription,
      course,
      attempt: run.attempt,
      mentions: (state) => pendingMentions(state, watch),
      render: (state, update) => inProject(updateReply(state, update, watch, snapshot), label, commands),
      renderPlainly: (state, update) => inProject(plainUpdateReply(state, update, watch), label, commands),
      async pause(reason) {
        isPaused = true;
        await deps.pause(subscription, reason);
      },
    });
    outcomes.push(outcome);
  }
  // A course that must be retried doesn't hold up the others.
  return outcomes.find((outcome) => outcome !== 'done') ?? 'done';
}

/** If a host name was removed, the owner has to fix the watch. */
function missingHost(error: unknown): string {
  if (error instanceof BotError && error.code === 'not_found') return error.message;
  throw error;
}
