/**
 * A process that migrates the store named first, with a step that marks every digest. With `stop-midway` it says so after half
 * of them and never goes on, to be killed there.
 */
import { systemClock } from '../../src/clock.ts';
import { openStore } from '../../src/store/index.ts';
import { type MigrationStep, migrateStore } from '../../src/store/layout.ts';
import { createRecordingLog } from './log.ts';

export interface MarkedDigest {
  readonly n: number;
  /** How often the step changed it. */
  readonly marked?: number;
}

/** `onMarked` is called after each record. */
export const markDigests = (onMarked: (done: number) => Promise<void> | void = () => {}): MigrationStep => ({
  to: 2,
  minVersion: 2,
  does: 'mark digests',
  async run(records) {
    let done = 0;
    for await (const [key] of records.list<MarkedDigest>('digests')) {
      await records.update<MarkedDigest>('digests', key, (digest) =>
        digest === undefined || digest.marked !== undefined ? digest : { ...digest, marked: 1 },
      );
      done += 1;
      await onMarked(done);
    }
  },
});

async function main([url = '', halfway = '0']: readonly string[]): Promise<void> {
  const log = createRecordingLog();
  const store = await openStore(url, { log, now: systemClock.now });
  const step = markDigests((done) => {
    if (done !== Number(halfway)) return;
    process.stdout.write('midway\n');
    // A timer keeps the process alive until it's killed.
    setInterval(() => {}, 1_000);
    return new Promise(() => {});
  });
  await migrateStore(store, { log, now: systemClock.now, steps: [step] });
  await store.close();
}

if (import.meta.main) await main(process.argv.slice(2));
