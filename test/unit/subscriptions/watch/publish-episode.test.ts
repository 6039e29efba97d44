/** Two processes never edit one message in turns: an older edit could come last. */
import { expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import type { HeldLease } from '../../../../src/subscriptions/delivery/lease.ts';
import type { Subscription } from '../../../../src/subscriptions/subscription.ts';
import { advance, pendingUpdate } from '../../../../src/subscriptions/watch/episode-lifecycle.ts';
import { createEpisodePublisher, withShown } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { createWatchStates, INITIAL_STATE, type WatchState } from '../../../../src/subscriptions/watch/watch-state.ts';
import { createRecordingLog } from '../../../support/log.ts';

const MINUTE_MS = 60_000;
const subscription: Subscription<unknown> = {
  id: 'w1',
  kind: 'watch',
  channel: 'C1',
  owner: 'U1',
  zone: 'UTC',
  hosts: [],
  timing: { everyMs: 5 * MINUTE_MS },
  createdAt: '2026-03-10T15:00:00Z',
  state: { is: 'active' },
};

/** An episode whose message is posted, and which has gone on since. */
function withPendingEdit(): WatchState {
  const seen = (atMs: number) =>
    ({ atMs, level: 'elevated', onsetMs: null, sinceMs: 0, endedMs: null, record: null }) as const;
  const begun = advance(INITIAL_STATE, seen(5 * MINUTE_MS), 5 * MINUTE_MS);
  const update = pendingUpdate(begun);
  if (update === null) throw new Error('nothing to post');
  return advance(withShown(begun, update, '1.0'), seen(10 * MINUTE_MS), 10 * MINUTE_MS);
}

it.each<[string, HeldLease, number]>([
  ['that holds its lease edits the message', { stillHeld: async () => true, hasExpired: () => false }, 1],
  ['that has lost its lease does not', { stillHeld: async () => false, hasExpired: () => true }, 0],
  [
    'that froze after it was told that it holds it does not',
    { stillHeld: async () => true, hasExpired: () => true },
    0,
  ],
])('a process %s', async (_, lease, edits) => {
  const log = createRecordingLog();
  const store = await openStore('memory:', { log, now: Temporal.Now.instant });
  const states = createWatchStates(store);
  await states.change(subscription, withPendingEdit);
  const edited: string[] = [];
  const publish = createEpisodePublisher({
    ...{ states, log },
    outbox: {
      async edit(_channel, ts) {
        edited.push(ts);
        return { is: 'sent', ts };
      },
    },
    postExactlyOnce: async () => 'done',
  });
  const reply = { title: 'Attacks', headline: [] };
  const outcome = await publish({
    ...{ lease, subscription, attempt: 1 },
    course: 'rise',
    mentions: () => [],
    render: () => reply,
    renderPlainly: () => reply,
    pause: async () => {},
  });
  expect(edited).toHaveLength(edits);
  expect(outcome === 'done').toBe(edits > 0);
  await store.close();
});
