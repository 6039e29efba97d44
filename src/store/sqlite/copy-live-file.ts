/**
 * Copies a database file that another process has locked. Between two checkpoints SQLite only appends to the `-wal`
 * file, so the database file plus the first part of that file are what a crash at that moment would leave, and SQLite
 * recovers it when it opens the copy. If a checkpoint happens in between, the copy starts over.
 */
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { sleep, systemClock } from '../../clock.ts';
import { BotError } from '../../errors.ts';

const MAX_TRIES = 50;
const TRY_AGAIN_MS = 100;
/** Two writes within one tick of the system's clock have the same time, so the last one must be older than that. */
const TICK_NS = 50_000_000n;
/** Has a new salt whenever the file is written from its beginning again. */
const WAL_HEADER_BYTES = 32;

export async function copyLiveFile(from: string, to: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const before = await stateOf(from);
    if (BigInt(Date.now()) * 1_000_000n - before.changedNs > TICK_NS) {
      await copyFile(from, to);
      await copyWal(`${from}-wal`, `${to}-wal`);
      const after = await stateOf(from);
      if (after.changedNs === before.changedNs && after.wal === before.wal) return;
    }
    await sleep(systemClock, TRY_AGAIN_MS);
  }
  throw new BotError('storage', 'The database file kept changing while it was copied.', { hint: 'Try again.' });
}

async function copyWal(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to).catch(undefinedIfAbsent);
}

async function stateOf(path: string) {
  const { mtimeNs: changedNs } = await stat(path, { bigint: true });
  const file = await open(`${path}-wal`).catch(undefinedIfAbsent);
  if (file === undefined) return { changedNs, wal: '' };
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(WAL_HEADER_BYTES), 0, WAL_HEADER_BYTES, 0);
    return { changedNs, wal: buffer.toString('hex', 0, bytesRead) };
  } finally {
    await file.close();
  }
}

/** For `catch`: SQLite removes the file when the last process has closed the database. */
function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
