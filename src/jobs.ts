/** What runs by itself: the engine, the digests on it, and what they say. Joined here, used by `app.ts`. */
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Digests, HostAlias, Shelf, Statistics, Watches } from './commands/ports.ts';
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
import { createWatches } from './watches.ts';

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
  readonly watches: Watches;
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
  const leases = store.exclusive ? createLocalLeases(clock.now) : store.claims;
  const owner = randomUUID();
  const watching = createWatches({
    store,
    leases,
    engine,
    statistics,
    hosts,
    clock,
    log,
    owner,
    outbox,
    tell: ({ owner: user, channel, id, state }, reason) => {
      const note = pausedNote('watch', channel, reasonInWords(reason), deps.command);
      return outbox().tell(user, note, `paused/watch/${channel}/${id}/${state.is === 'paused' ? state.at : ''}`);
    },
  });
  const { desk, delivery } = createDigests<Reply>({
    records: store,
    leases,
    engine,
    outbox: {
      send: (channel, reply, runId) => outbox().send(channel, reply, runId),
      find: (channel, runId, since) => outbox().find(channel, runId, since),
    },
    pace: createPace({ clock }),
    clock,
    log,
    owner,
    compose: report,
    apologise: apology,
    tell: ({ owner: user, channel, id, state }, reason) => {
      const since = state.is === 'paused' ? state.at : '';
      return outbox().tell(
        user,
        pausedNote('digest', channel, reasonInWords(reason), deps.command),
        `paused/${channel}/${id}/${since}`,
      );
    },
  });
  async function* allJobs() {
    yield* desk.jobs();
    yield* watching.desk.jobs();
  }
  return {
    watches: watching.watches,
    digests: createDigestBookings({
      desk,
      now: clock.now,
      report: (booking, window) => report(booking, window, { late: false }),
      coveredTo: (booking) => delivery.coveredTo(booking),
    }),
    async start() {
      await engine.reconcile(allJobs());
      await engine.start(({ payload }, context) =>
        payload.kind === 'watch' ? watching.runner.run(payload, context) : delivery.run(payload, context),
      );
      await desk.tellOwners();
      await watching.desk.tellOwners();
    },
    stop: () => engine.stop(),
  };
}

const lengthOf = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;

function pausedNote(kind: 'digest' | 'watch', channel: string, reason: string, command: string): Reply {
  return {
    title: `Your ${kind} is paused`,
    headline: [`The ${kind} you set up in `, { channel }, ` cannot be delivered: ${reason}.`],
    body: [['When that is put right, bring it back there with ', { code: `${command} ${kind} resume` }, '.']],
  };
}
