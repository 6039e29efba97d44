/** What runs by itself: the engine, the digests on it, and what they say. Joined here, used by `app.ts`. */
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Digests, HostAlias, Shelf, Statistics } from './commands/ports.ts';
import type { Reply } from './commands/reply.ts';
import { lookAt } from './commands/situation.ts';
import { verdictHeadline } from './commands/verdict-lines.ts';
import type { BookingPointer } from './digests/booking.ts';
import { createLocalLeases } from './digests/delivery/lease.ts';
import { createPace } from './digests/delivery/pace.ts';
import { createDigestBookings, reasonInWords } from './digests/digest-bookings.ts';
import { createDigests } from './digests/digests.ts';
import { apology, createReport } from './digests/report.ts';
import { type Timing, timetable } from './digests/timing.ts';
import type { Logger } from './log.ts';
import type { Outbox } from './slack/outbox.ts';
import { type JobEngine, openEngine, type Store } from './store/index.ts';
import type { Range } from './time/index.ts';

export interface JobsDependencies {
  readonly store: Store;
  readonly storeUrl: string;
  readonly statistics: Statistics;
  readonly hosts: Shelf<HostAlias>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly command: string;
  /** Known only after Slack is set up, and used only once the jobs run. */
  readonly outbox: () => Outbox;
}

export interface Jobs {
  readonly digests: Digests;
  /** Takes up what was missed and runs from now on. */
  start(): Promise<void>;
  /** Takes no new runs and waits for those under way. */
  stop(): Promise<void>;
}

/** A verdict compares hours with hours; of a longer window it would say nothing a reader could use. */
const LONGEST_JUDGED_MS = 26 * 3_600_000;

export async function createJobs(deps: JobsDependencies): Promise<Jobs> {
  const { store, storeUrl, statistics, hosts, clock, log, outbox } = deps;
  const engine: JobEngine<Timing, BookingPointer> = await openEngine(storeUrl, { store, clock, timetable, log });
  const report = createReport({
    statistics,
    hosts,
    now: clock.now,
    async verdict(range, named, zone) {
      if (lengthOf(range) > LONGEST_JUDGED_MS) return null;
      const ids = named.map(({ id }) => id);
      const { verdict } = await lookAt(statistics, { range, hosts: ids, zone, categoriesAgainst: 'hours before' });
      return verdict.level === 'not_enough_data' ? null : ['Verdict: ', ...verdictHeadline(verdict)];
    },
  });
  const { desk, delivery } = createDigests<Reply>({
    records: store,
    leases: store.exclusive ? createLocalLeases(clock.now) : store.claims,
    engine,
    outbox: {
      send: (channel, reply, runId) => outbox().send(channel, reply, runId),
      find: (channel, runId, since) => outbox().find(channel, runId, since),
    },
    pace: createPace({ clock }),
    clock,
    log,
    owner: randomUUID(),
    compose: report,
    apologise: apology,
    tell: ({ owner, channel, id, state }, reason) => {
      const since = state.is === 'paused' ? state.at : '';
      return outbox().tell(
        owner,
        pausedNote(channel, reasonInWords(reason), deps.command),
        `paused/${channel}/${id}/${since}`,
      );
    },
  });
  return {
    digests: createDigestBookings({
      desk,
      now: clock.now,
      report: (booking, window) => report(booking, window, { late: false }),
      coveredTo: (booking) => delivery.coveredTo(booking),
    }),
    async start() {
      await engine.reconcile(desk.jobs());
      await engine.start((job, context) => delivery.run(job.payload, context));
      await desk.tellOwners();
    },
    stop: () => engine.stop(),
  };
}

const lengthOf = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;

function pausedNote(channel: string, reason: string, command: string): Reply {
  return {
    title: 'Your digest is paused',
    headline: ['The digest you set up in ', { channel }, ` cannot be delivered: ${reason}.`],
    body: [['When that is put right, bring it back there with ', { code: `${command} digest resume` }, '.']],
  };
}
