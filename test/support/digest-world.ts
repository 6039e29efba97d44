/** Everything beneath the digests, joined as the app joins it, on a store in memory and a clock held by hand. */
import type { Booking, BookingPointer } from '../../src/digests/booking.ts';
import { createLocalLeases } from '../../src/digests/delivery/lease.ts';
import { createPace } from '../../src/digests/delivery/pace.ts';
import { createDigests } from '../../src/digests/digests.ts';
import { parseSchedule } from '../../src/digests/schedule/parse.ts';
import { type Timing, timetable } from '../../src/digests/timing.ts';
import { openEngine, openStore, type Store } from '../../src/store/index.ts';
import type { Range } from '../../src/time/range.ts';
import { createFakeOutbox } from './channel.ts';
import { createManualClock, type ManualClock } from './clock.ts';
import { createRecordingLog } from './log.ts';

export interface Digest {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  readonly late: boolean;
}

export interface WorldOptions {
  readonly start?: string;
}

export async function createDigestWorld({ start = '2027-01-04T00:00:00Z' }: WorldOptions = {}) {
  const clock: ManualClock = createManualClock(start);
  const log = createRecordingLog();
  const store: Store = await openStore('memory:', { log, now: clock.now });
  const slack = createFakeOutbox<Digest>(clock.now);
  const told: Array<{ owner: string; reason: string }> = [];
  const service: { broken: boolean; asked: number; gate?: Promise<void> } = { broken: false, asked: 0 };
  const tellFaults: Error[] = [];
  const leases = createLocalLeases(clock.now);

  const compose = async (_: Booking, window: Range, { late }: { late: boolean }): Promise<Digest> => {
    service.asked += 1;
    await service.gate;
    if (service.broken) throw new Error('the service is down');
    return { text: 'digest', from: `${window.from}`, to: `${window.to}`, late };
  };
  const apologise = (_: Booking, window: Range): Digest => ({
    text: 'sorry',
    from: `${window.from}`,
    to: `${window.to}`,
    late: true,
  });

  /** A process of the bot. A second one on the same store is what comes after a crash, or another replica. */
  async function boot(owner: string) {
    const engine = await openEngine<Timing, BookingPointer>('memory:', { store, clock, timetable, log });
    const pace = createPace({ clock });
    const digests = createDigests<Digest>({
      records: store,
      leases,
      engine,
      outbox: slack.outbox,
      pace,
      clock,
      log,
      owner,
      compose,
      apologise,
      tell: async (booking, reason) => {
        const fault = tellFaults.shift();
        if (fault) throw fault;
        told.push({ owner: booking.owner, reason });
      },
    });
    await engine.reconcile(digests.desk.jobs());
    await engine.start((job, context) => digests.delivery.run(job.payload, context));
    return { ...digests, engine };
  }

  const first = await boot('first');
  return {
    clock,
    log,
    store,
    slack,
    told,
    tellFaults,
    service,
    boot,
    ...first,
    make: (words: string, channel = 'C1') =>
      first.desk.create({
        channel,
        owner: 'U1',
        zone: 'UTC',
        hosts: [],
        timing: { schedule: parseSchedule(words, 'UTC') },
      }),
    windows: () => slack.posted.map(({ message }) => `${message.text} ${message.from} – ${message.to}`),
    close: async () => {
      // Not awaited: a run that a test left hanging for good would be waited for.
      void first.engine.stop();
      await store.close();
    },
  };
}

export type DigestWorld = Awaited<ReturnType<typeof createDigestWorld>>;
