/** Two processes that change one record at the same time: each change builds on the other. */
import { expect, it } from 'vitest';
import { createStore } from '../../../src/store/create-store.ts';
import { openSqliteBackend } from '../../../src/store/sqlite/backend.ts';
import { createManualClock } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';

it('lose no change that another process made after they had read', async () => {
  const log = createRecordingLog();
  const backend = openSqliteBackend(':memory:', { log, now: createManualClock().now });
  const other = createStore(backend, log);
  let isFirst = true;
  const one = createStore(
    {
      ...backend,
      async read(space, key) {
        const text = await backend.read(space, key);
        if (isFirst) {
          isFirst = false;
          await other.update<string[]>('watches', 'C1', () => ['theirs']);
        }
        return text;
      },
    },
    log,
  );
  const changed = await one.update<string[]>('watches', 'C1', (current = []) => [...current, 'ours']);
  expect(changed).toEqual(['theirs', 'ours']);
  expect(await other.space('watches').get('C1')).toEqual(['theirs', 'ours']);
  await other.close();
});
