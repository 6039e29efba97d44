import { expect, it } from 'vitest';
import { createLocalLeases, createRunUnderLease, type Leases } from '../../../../src/subscriptions/delivery/lease.ts';
import { createManualClock } from '../../../support/clock.ts';

const LEASE_MS = 30_000;

function stage(change: (leases: Leases) => Leases = (leases) => leases) {
  const clock = createManualClock();
  const leases = change(createLocalLeases(clock));
  const replica = (owner: string) => createRunUnderLease({ leases, clock, owner, leaseMs: LEASE_MS });
  return { clock, first: replica('first'), second: replica('second') };
}

it('lets one run work on a job at a time, and others on other jobs', async () => {
  const { first, second } = stage();
  const gate = Promise.withResolvers<'done'>();
  const running = first('digest/C1/a', () => gate.promise);
  expect(await second('digest/C1/a', async () => 'done')).toEqual({ retryAfterMs: 2_000 });
  expect(await second('digest/C1/b', async () => 'done')).toBe('done');
  gate.resolve('done');
  expect(await running).toBe('done');
  expect(await second('digest/C1/a', async () => 'done')).toBe('done');
});

it('is renewed for as long as the work takes, and no longer', async () => {
  const { clock, first, second } = stage();
  const gate = Promise.withResolvers<'done'>();
  const running = first('job', () => gate.promise);
  await clock.advance(10 * LEASE_MS);
  expect(await second('job', async () => 'done')).toEqual({ retryAfterMs: 2_000 });
  gate.resolve('done');
  await running;
  expect(clock.pending()).toBe(0);
});

it('is noticed when it is lost, and not taken from its new holder', async () => {
  const { clock, first, second } = stage();
  const held: boolean[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const frozen = first('job', async ({ stillHeld }) => {
    await gates[0].promise;
    held.push(await stillHeld());
    return 'done';
  });
  clock.leap(LEASE_MS + 1);
  const other = second('job', async ({ stillHeld }) => {
    await gates[1].promise;
    held.push(await stillHeld());
    return 'done';
  });
  gates[0].resolve();
  await frozen;
  gates[1].resolve();
  await other;
  expect(held).toEqual([false, true]);
});

it('leaves no timer behind when the work ends during a renewal', async () => {
  const renewal = Promise.withResolvers<boolean>();
  const { clock, first } = stage((leases) => ({ ...leases, renew: () => renewal.promise }));
  const gate = Promise.withResolvers<'done'>();
  const running = first('job', () => gate.promise);
  await clock.advance(LEASE_MS / 3);
  gate.resolve('done');
  await running;
  renewal.resolve(true);
  await clock.advance(1);
  expect(clock.pending()).toBe(0);
});
