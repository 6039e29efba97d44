/**
 * What must hold for digests, whatever happened: every due time is covered once, by the numbers of the window that the
 * message names, and what comes late says so.
 */
import { z } from 'zod';
import { counted } from '../../src/replies/phrases.ts';
import { briefCount } from '../../src/statistics/format.ts';
import { lastSettledMinute } from '../../src/statistics/timeline.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { ServiceModel } from './service-model.ts';
import type { PostedMessage } from './slack-model.ts';
import type { StoreModel } from './store-model.ts';
import type { World } from './world.ts';

export interface CreatedDigest {
  readonly owner: string;
  readonly job: string;
  readonly timing: Recurrence;
  readonly createdMs: number;
}

/** The run that a message belongs to, as the delivery log had it when the message was posted. */
const openRun = z.object({
  open: z.object({ runId: z.string(), due: z.string(), from: z.string(), to: z.string(), apology: z.boolean() }),
});

interface DigestPost {
  readonly runId: string;
  /** When it was posted, by the clock of the machine. */
  readonly atMs: number;
  /** Who measures by that clock is misled. */
  readonly clockWasSet: 'never' | 'before' | 'just now';
  /** As it was posted: a later edit doesn't count. */
  readonly text: string;
  readonly blocks: string;
  /** `null` if the log has no such run: nothing says that it was about to be sent. */
  readonly run: z.infer<typeof openRun>['open'] | null;
}

/** Five minutes are punctual by the scheduler's own rule; composing and waiting for a turn come on top. */
const UNMARKED_MS = 7 * 60_000;
/** For this long a failing service is asked again before the digest says so. */
const APOLOGISE_AFTER_MS = 15 * 60_000 - 1_000;
const SETTLED_AFTER_MS = 3 * 60_000;
const LATE = 'This digest is late.';

export function createDigestChecks(world: World, store: StoreModel, service: ServiceModel) {
  const posts: DigestPost[] = [];

  /** Returns the violations by this message alone. */
  function seen(message: PostedMessage): string[] {
    const { id, text, blocks } = message;
    if (id === null || !id.startsWith('digest/')) return [];
    const parsed = openRun.safeParse(store.peek('ledgers', jobOf(id)));
    const run = parsed.success && parsed.data.open.runId === id ? parsed.data.open : null;
    const post = { runId: id, atMs: world.wallMs(), clockWasSet: clockWasSet(world), text, blocks, run };
    const isRepeated = posts.some(({ runId }) => runId === id);
    const before = posts.findLast(({ runId }) => jobOf(runId) === jobOf(id));
    posts.push(post);
    // A digest from before the clock was set back couldn't know everything; the next one adds what it lacked.
    const wasKnown = [post, before].every((each) => each === undefined || !isEarly(each));
    return [
      ...(isRepeated ? [`digest posted twice: ${id}`] : []),
      ...(run === null && store.emptiedMs() === null ? [`digest posted without a mark: ${id}`] : []),
      ...(wasKnown ? wrongNumbers(post, service) : []),
    ];
  }

  return {
    seen,
    posts,
    /** The violations in what was posted until the end. */
    missing: (digests: readonly CreatedDigest[], untilMs: number): string[] =>
      digests.flatMap((digest) => coverage(digest, posts, untilMs)),
  };
}

const jobOf = (runId: string): string => runId.slice(0, runId.indexOf('@'));

const isEarly = ({ atMs, run }: DigestPost): boolean => run !== null && atMs < Date.parse(run.to) + SETTLED_AFTER_MS;

function clockWasSet(world: World): DigestPost['clockWasSet'] {
  const nowMs = world.nowMs();
  if (!world.clockWasSet(0, nowMs)) return 'never';
  return world.clockWasSet(nowMs - UNMARKED_MS, nowMs) ? 'just now' : 'before';
}

function wrongNumbers({ runId, blocks, run }: DigestPost, service: ServiceModel): string[] {
  if (run === null || run.apology) return [];
  const { requests, attacks } = service.truth(Date.parse(run.from), Date.parse(run.to));
  const totals = `${briefCount(requests)} requests, *${counted(attacks, 'attack')}*`;
  const named = `timeline ${minuteOf(run.from)}/${minuteOf(run.to)} in UTC`;
  return [
    ...(blocks.includes(totals) ? [] : [`digest ${runId} with other numbers than “${totals}”: ${blocks}`]),
    ...(blocks.includes(named) ? [] : [`digest ${runId} names another window than “${named}”: ${blocks}`]),
  ];
}

/** `2027-01-04T08:57Z` */
const minuteOf = (instant: string): string => Temporal.Instant.from(instant).toString({ smallestUnit: 'minute' });

function coverage({ job, timing, createdMs }: CreatedDigest, all: readonly DigestPost[], untilMs: number): string[] {
  const found: string[] = [];
  const created = Temporal.Instant.fromEpochMilliseconds(createdMs);
  let lastDue = repeatStrategy.latest(timing, created).at;
  let coveredTo = lastSettledMinute(lastDue).toString();
  let reached = coveredTo;
  for (const { runId, run, atMs, clockWasSet, blocks } of all) {
    if (run === null || !runId.startsWith(`${job}@`)) continue;
    const due = Temporal.Instant.from(run.due);
    const previousTo = lastSettledMinute(repeatStrategy.previous(timing, due).at);
    const isBehind = Date.parse(run.from) < previousTo.epochMilliseconds;
    const isLate = isBehind || (clockWasSet !== 'just now' && atMs - due.epochMilliseconds > UNMARKED_MS);
    // The trouble began with the first due time that nothing was posted for.
    const triedMs = atMs - repeatStrategy.next(timing, lastDue).at.epochMilliseconds;
    if (run.apology && clockWasSet === 'never' && triedMs < APOLOGISE_AFTER_MS)
      found.push(`${runId} failed after only ${triedMs} ms`);
    if (run.from !== coveredTo) found.push(`${runId} covers from ${run.from}, but ${coveredTo} was reached before`);
    if (isLate && !run.apology && !blocks.includes(LATE)) found.push(`${runId} came late without saying so`);
    lastDue = due;
    // What failed is covered by the next one.
    if (!run.apology) coveredTo = run.to;
    reached = run.to;
  }
  const shouldReach = lastSettledMinute(
    repeatStrategy.latest(timing, Temporal.Instant.fromEpochMilliseconds(untilMs)).at,
  );
  if (Temporal.Instant.compare(Temporal.Instant.from(reached), shouldReach) < 0)
    found.push(`digest lost: ${job} reached ${reached}, and ${shouldReach} was due`);
  return found;
}
