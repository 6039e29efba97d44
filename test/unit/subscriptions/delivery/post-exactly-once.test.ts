/** The order of steps that makes a post happen exactly once, on the records of a digest and of a watch alike. */
import { afterEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../src/commands/verbs/index.ts';
import { createLastVerdicts } from '../../../../src/episodes/last-verdicts.ts';
import { onlyProject } from '../../../../src/projects/project.ts';
import type { Reply } from '../../../../src/replies/reply.ts';
import type { RunOutcome } from '../../../../src/scheduler/index.ts';
import type { Statistics } from '../../../../src/statistics/statistics.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import type { Records } from '../../../../src/store/store.ts';
import { createLocalLeases, type Leases } from '../../../../src/subscriptions/delivery/lease.ts';
import type { PostRateLimiter } from '../../../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../../../src/subscriptions/digest/create-digests.ts';
import { jobIdOf, type SubscriptionRef } from '../../../../src/subscriptions/subscription.ts';
import { createWatches } from '../../../../src/subscriptions/watch/create-watches.ts';
import { createFakeOutbox } from '../../../support/channel.ts';
import { createManualClock, settle } from '../../../support/clock.ts';
import { episodeLog } from '../../../support/episodes.ts';
import { createRecordingLog } from '../../../support/log.ts';

const MINUTE_MS = 60_000;
const LEASE_MS = 30_000;
const SETTLE_MS = 3_000;
const BUSY = { retryAfterMs: expect.any(Number) };
const DUE = { at: Temporal.Instant.from('2027-01-04T04:00:00Z'), key: '2027-01-04T04:00' };
const CONTEXT = { due: DUE, previousDueAt: DUE.at.subtract({ hours: 4 }), late: false };

const scheduler = { put: async () => {}, remove: async () => {}, nextRunAt: async () => undefined };
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** What can hold a replica up at one step, as a frozen process or a full queue would. */
interface Replica {
  readonly run: (attempt?: number) => Promise<RunOutcome>;
  /** From now on slots are granted only by `grantSlot`. */
  limitRate(): void;
  grantSlot(): void;
  /** The next check of the lease never ends: the process is dead. */
  dieAtLeaseCheck(): void;
  /** The next change of the record waits for the returned function: the process is frozen there. */
  freezeAtRecord(): () => void;
  /** The same, but the change is made before. */
  freezeAfterRecord(): () => void;
}

async function stage(kind: 'digest' | 'watch') {
  const clock = createManualClock(DUE.at);
  const log = createRecordingLog();
  const store = await openStore('memory:', { log, now: clock.now });
  stores.push(store);
  let shared = createLocalLeases(clock);
  const channel = createFakeOutbox<string | Reply>(clock.now);
  const outbox = { ...channel.outbox, edit: async (_: string, ts: string) => ({ is: 'sent', ts }) as const };
  let ref: SubscriptionRef | undefined;

  async function replica(owner: string): Promise<Replica> {
    const slots: (() => void)[] = [];
    let limited = false;
    let dead = false;
    let frozen: Promise<void> | undefined;
    let frozenAfter: Promise<void> | undefined;
    const rateLimiter: PostRateLimiter = {
      slot: () => (limited ? new Promise((grant) => slots.push(grant)) : Promise.resolve()),
      hold() {},
    };
    const leases: Leases = {
      acquire: (...lease) => shared.acquire(...lease),
      renew: (...lease) => (dead ? new Promise(() => {}) : shared.renew(...lease)),
      release: (...lease) => shared.release(...lease),
    };
    const records: Records = {
      space: (name) => store.space(name),
      list: (name) => store.list(name),
      damaged: store.damaged,
      async update(name, key, change) {
        const wait = frozen;
        frozen = undefined;
        const waitAfter = frozenAfter;
        frozenAfter = undefined;
        await wait;
        const updated = await store.update(name, key, change);
        await waitAfter;
        return updated;
      },
    };
    const common = { records, leases, scheduler, rateLimiter, outbox, clock, log, owner, notifyOwner: async () => {} };
    const hosts = { entries: async () => [], set: async () => {}, delete: async () => {} };
    const statistics = surge(clock.now);
    const episodes = episodeLog(statistics, clock.now);
    const projects = onlyProject({ statistics, episodes, hosts, lastVerdicts: createLastVerdicts() });
    const digest = createDigestDelivery<string | Reply>({
      ...common,
      compose: async () => ({ message: 'digest', tail: null }),
      apologise: () => 'apology',
    });
    const watch = createWatches({ ...common, projects, commands: COMMANDS });
    if (ref === undefined && kind === 'digest') {
      const wanted = { channel: 'C1', owner: 'U1', zone: 'UTC', hosts: [], timing: { everyMs: 4 * 60 * MINUTE_MS } };
      ref = await digest.repository.create(wanted);
    } else if (ref === undefined) {
      const text = 'attacks over 200 per 5m';
      const wanted = { channel: 'C1', owner: 'U1', text, zone: 'UTC', project: null, hosts: [] };
      const { id } = await watch.watches.create(wanted);
      ref = { kind, channel: 'C1', id };
    }
    const runner = kind === 'digest' ? digest.runner : watch.runner;
    const own = ref;
    return {
      run: (attempt = 1) => runner.run(own, { ...CONTEXT, attempt }),
      limitRate() {
        limited = true;
      },
      grantSlot() {
        slots.shift()?.();
      },
      dieAtLeaseCheck() {
        dead = true;
      },
      freezeAtRecord() {
        const { promise, resolve } = Promise.withResolvers<void>();
        frozen = promise;
        return resolve;
      },
      freezeAfterRecord() {
        const { promise, resolve } = Promise.withResolvers<void>();
        frozenAfter = promise;
        return resolve;
      },
    };
  }

  /** Whether the stored record says that a message may have been posted. */
  async function isInDoubt(): Promise<boolean> {
    const job = ref === undefined ? '' : jobIdOf(ref);
    const digest = await store.space<{ open?: object }>('ledgers').get(job);
    const watch = await store.space<{ message: { sendingMs: number | null } | null }>('watch-states').get(job);
    return digest?.open !== undefined || typeof watch?.message?.sendingMs === 'number';
  }

  /** As a Redis that fails over before its replica has them. */
  function forgetLeases(): void {
    shared = createLocalLeases(clock);
  }

  const first = await replica('first');
  return { clock, channel, first, second: await replica('second'), isInDoubt, forgetLeases };
}

/** A hundred attacks a minute, always. */
function surge(now: () => Temporal.Instant): Statistics {
  return {
    async timeline({ range }) {
      const points = [];
      for (
        let endMs = range.from.epochMilliseconds + MINUTE_MS;
        endMs <= range.to.epochMilliseconds;
        endMs += MINUTE_MS
      )
        points.push({ endMs, requests: 1_000, attacks: 100 });
      const asOfMs = now().epochMilliseconds;
      const [fromMs, toMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
      return { fromMs, toMs, intervalMs: MINUTE_MS, points, settledUntilMs: asOfMs, asOfMs, stale: false };
    },
    distribution: () => Promise.reject(new Error('a count of attacks needs no categories')),
  };
}

describe.each(['digest', 'watch'] as const)('a %s', (kind) => {
  it('is posted once, and nothing is in doubt afterwards', async () => {
    const { channel, first, second, isInDoubt } = await stage(kind);
    expect(await first.run()).toBe('done');
    expect(await second.run()).toBe('done');
    expect(channel.posted).toHaveLength(1);
    expect(await isInDoubt()).toBe(false);
  });

  it('is not in doubt while it waits for its slot', async () => {
    const { channel, first, isInDoubt } = await stage(kind);
    first.limitRate();
    const running = first.run();
    await settle();
    expect(await isInDoubt()).toBe(false);
    first.grantSlot();
    expect(await running).toBe('done');
    expect(channel.posted).toHaveLength(1);
  });

  it('is not posted by a replica that lost its lease while it waited for its slot', async () => {
    const { clock, channel, first, second } = await stage(kind);
    first.limitRate();
    const running = first.run();
    await settle();
    // Frozen: not even the lease is renewed, and another takes it.
    clock.leap(LEASE_MS + 1);
    second.limitRate();
    const takenOver = second.run();
    await settle();
    first.grantSlot();
    expect(await running).toEqual(BUSY);
    expect(channel.posted).toHaveLength(0);
    second.grantSlot();
    expect(await takenOver).toBe('done');
    expect(channel.posted).toHaveLength(1);
  });

  it('is not posted by a replica whose lease the store forgot while it waited for its slot', async () => {
    const { channel, first, second, forgetLeases } = await stage(kind);
    first.limitRate();
    const running = first.run();
    await settle();
    forgetLeases();
    second.limitRate();
    const takenOver = second.run();
    await settle();
    first.grantSlot();
    expect(await running).toEqual(BUSY);
    expect(channel.posted).toHaveLength(0);
    second.grantSlot();
    expect(await takenOver).toBe('done');
    expect(channel.posted).toHaveLength(1);
  });

  it('is not posted by a replica whose lease the store forgot before the mark', async () => {
    const { channel, first, second, forgetLeases } = await stage(kind);
    first.limitRate();
    const running = first.run();
    await settle();
    const thaw = first.freezeAtRecord();
    first.grantSlot();
    await settle();
    forgetLeases();
    // The second has marked and posted it, but has no answer yet.
    channel.faults.push('hangs-after-posting');
    void second.run();
    await settle();
    thaw();
    expect(await running).toEqual(BUSY);
    expect(channel.posted).toHaveLength(1);
  });

  it('is not searched for when a wait for a slot, longer than Slack needs to show a post, ended in a crash', async () => {
    const { clock, channel, first, second } = await stage(kind);
    first.limitRate();
    void first.run();
    await settle();
    clock.leap(LEASE_MS + SETTLE_MS);
    expect(await second.run()).toBe('done');
    expect(channel.posted).toHaveLength(1);
    expect(channel.finds()).toBe(0);
  });

  it('is not in doubt after a crash between the slot and the mark', async () => {
    const { clock, channel, first, second, isInDoubt } = await stage(kind);
    first.limitRate();
    void first.run();
    await settle();
    first.dieAtLeaseCheck();
    first.grantSlot();
    await settle();
    expect(await isInDoubt()).toBe(false);
    clock.leap(LEASE_MS + 1);
    expect(await second.run()).toBe('done');
    expect(channel.posted).toHaveLength(1);
    expect(channel.finds()).toBe(0);
  });

  it('is not posted by a replica that froze between the check of its lease and the mark', async () => {
    const { clock, channel, first, second } = await stage(kind);
    first.limitRate();
    const running = first.run();
    await settle();
    const thaw = first.freezeAtRecord();
    first.grantSlot();
    await settle();
    clock.leap(LEASE_MS + 1);
    // The second has marked and posted it, but has no answer yet.
    channel.faults.push('hangs-after-posting');
    void second.run();
    await settle();
    thaw();
    expect(await running).toEqual(BUSY);
    expect(channel.posted).toHaveLength(1);
  });

  it('is not posted by a replica that froze between the mark and the sending', async () => {
    const { clock, channel, first, second, isInDoubt } = await stage(kind);
    first.limitRate();
    const running = first.run();
    await settle();
    const thaw = first.freezeAfterRecord();
    first.grantSlot();
    await settle();
    clock.leap(LEASE_MS + 1);
    // The second finds the mark, but no message.
    expect(await second.run()).toBe('done');
    thaw();
    expect(await running).toEqual(BUSY);
    expect(channel.posted).toHaveLength(1);
    expect(await isInDoubt()).toBe(false);
  });

  it('is searched for at once when the clock was set back after the answer was lost', async () => {
    const { clock, channel, first, second } = await stage(kind);
    channel.faults.push('lost-answer');
    expect(await first.run()).toEqual({ retryAfterMs: SETTLE_MS });
    clock.set(-60 * MINUTE_MS);
    await second.run();
    expect(channel.finds()).toBe(1);
    expect(channel.posted).toHaveLength(1);
  });

  it('is searched for before a second attempt when the answer to the first was lost', async () => {
    const { clock, channel, first, second, isInDoubt } = await stage(kind);
    channel.faults.push('lost-answer');
    expect(await first.run()).toEqual({ retryAfterMs: SETTLE_MS });
    expect(await isInDoubt()).toBe(true);
    // Slack gets time to show it.
    clock.leap(SETTLE_MS - 1);
    expect(await second.run()).toEqual({ retryAfterMs: 1 });
    expect(channel.finds()).toBe(0);
    clock.leap(1);
    expect(await second.run()).toBe('done');
    expect(channel.finds()).toBe(1);
    expect(channel.posted).toHaveLength(1);
    expect(await isInDoubt()).toBe(false);
  });

  it('is not sent blindly while the history does not answer, and sent when it is not there', async () => {
    const { clock, channel, first, isInDoubt } = await stage(kind);
    channel.faults.push('lost-post');
    await first.run();
    clock.leap(SETTLE_MS);
    channel.failFinds(1);
    expect(await first.run(1)).toEqual({ retryAfterMs: 5_000 });
    expect(channel.posted).toHaveLength(0);
    expect(await isInDoubt()).toBe(true);
    expect(await first.run(2)).toBe('done');
    expect(channel.posted).toHaveLength(1);
  });
});
