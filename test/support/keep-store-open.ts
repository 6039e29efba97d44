/** A process that opens the SQLite store named by its argument, writes to it, says so, and waits to be killed. */

import { systemClock } from '../../src/clock.ts';
import { openStore } from '../../src/store/index.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const store = await openStore(`sqlite:${process.argv[2]}`, { log, now: systemClock.now });
await store.space('settings').set('kept', 'through kill -9');
await store.locks.acquire('lease', 'the dead', 600_000);
await store.locks.acquire('mark', 'the dead');
process.stdout.write('holding\n');
setInterval(silent, 60_000);
