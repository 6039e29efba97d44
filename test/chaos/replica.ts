/** One process of the bot as far as digests go, made to be killed: `node replica.ts <options as JSON>`. */
import { systemClock } from '../../src/clock.ts';
import { reconcilePeriodically } from '../../src/scheduler/index.ts';
import { log, openReplica, type ReplicaOptions } from './assemble.ts';

const options: ReplicaOptions = JSON.parse(process.argv[2] ?? '');
const owner = `replica-${process.pid}`;
const { store, scheduler, digests } = await openReplica(options, owner);
const { jobs } = digests.service;
await scheduler.reconcile(jobs());
await scheduler.start((job, context) => digests.runner.run(job.payload, context));
reconcilePeriodically({
  scheduler,
  jobs,
  takeTurn: async (forMs) => store.exclusive || store.locks.acquire('reconcile', owner, forMs),
  clock: systemClock,
  log,
});
process.stdout.write('ready\n');
// The harness ends us; should it be gone itself, so are we.
process.stdin.on('close', () => process.exit(0)).resume();
systemClock.after(30 * 60_000, () => process.exit(2));
