/** One process of the bot as far as digests go, made to be killed: `node replica.ts <store> <port of the peer>`. */
import { systemClock } from '../../src/clock.ts';
import { openReplica } from './assemble.ts';

const [store = '', port = ''] = process.argv.slice(2);
const { scheduler, digests } = await openReplica(store, Number(port), `replica-${process.pid}`);
await scheduler.reconcile(digests.service.jobs());
await scheduler.start((job, context) => digests.runner.run(job.payload, context));
process.stdout.write('ready\n');
// The harness ends us; should it be gone itself, so are we.
process.stdin.on('close', () => process.exit(0)).resume();
systemClock.after(30 * 60_000, () => process.exit(2));
