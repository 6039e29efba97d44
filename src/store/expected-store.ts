/**
 * Refuses to start on an unexpectedly empty store: a volume that isn't mounted, a changed path or an emptied
 * Redis would otherwise look like a fresh installation, and every digest would be gone without a word. For SQLite, a
 * file next to the database says that there was one. Redis has no such place, so there the operator says so with a
 * setting.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { identityOf } from './create-store.ts';
import { isEmpty } from './maintenance.ts';
import type { Store } from './store.ts';

const NOTE = `wafbot stores its digests, watches and names in the database next to this file.
If that database is gone, wafbot refuses to start with an empty one. To start afresh on purpose, delete this file.
`;

interface Expectation {
  /** The SQLite file, if the store is one. */
  readonly path: string | undefined;
  /** The operator says that there is a store. */
  readonly isRequired: boolean;
  readonly log: Logger;
}

export async function assertExpectedStore(
  store: Pick<Store, 'space' | 'spaces'>,
  { path, isRequired, log }: Expectation,
): Promise<void> {
  const marker = path === undefined ? undefined : `${path}.expected`;
  const wasThere = marker !== undefined && existsSync(marker);
  if ((isRequired || wasThere) && (await isNew(store))) {
    throw new BotError('config', 'The store is empty, but there should be one.', {
      hint: `Check WAFBOT_STORE and the volume behind it, or restore a backup. To start afresh on purpose, ${wasThere ? `delete ${marker}` : 'remove WAFBOT_EXPECT_STORE'}.`,
    });
  }
  if (marker === undefined || wasThere) return;
  try {
    writeFileSync(marker, NOTE, { mode: 0o600 });
  } catch (err) {
    log.warn({ err, file: marker }, 'could not write the file that says there is a store');
  }
}

const isNew = async (store: Pick<Store, 'space' | 'spaces'>): Promise<boolean> =>
  (await identityOf(store)) === undefined && (await isEmpty(store));
