/** A process that keeps two records of the SQLite file named first equal, as fast as it can, in the bot's own locking mode. */
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/clock.ts';
import { openStore } from '../../src/store/index.ts';
import { createRecordingLog } from './log.ts';

const [path = ''] = process.argv.slice(2);
const store = await openStore(`sqlite:${path}`, { log: createRecordingLog(), now: systemClock.now });
await store.close();
const db = new DatabaseSync(path);
// A checkpoint every few pages instead of every thousand, so that many fall into a copy.
db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 40');
const put = db.prepare("INSERT OR REPLACE INTO entries (space, key, text) VALUES ('settings', ?, ?)");
const filler = 'x'.repeat(30_000);
// So that a copy takes long enough for writes to come in between.
for (let n = 0; n < 500; n += 1) put.run(`filler-${n}`, filler);

function write(n: number): void {
  const text = JSON.stringify({ value: { n, filler } });
  db.exec('BEGIN IMMEDIATE');
  put.run('first', text);
  put.run('second', text);
  db.exec('COMMIT');
  if (n === 1) process.stdout.write('writing\n');
  // Bursts with pauses, as questions come: some so short that the next one falls into a copy.
  const pauseMs = n % 80 === 0 ? 1_500 : n % 20 === 0 ? 80 : 1;
  setTimeout(write, pauseMs, n + 1);
}
write(1);
