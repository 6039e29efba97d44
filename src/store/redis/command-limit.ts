/**
 * A time limit for Redis commands. After a timeout, commands fail at once until Redis answers again: people don't wait,
 * and the silent connection stays idle, which is how the client detects that it's dead.
 */
import { nextTurn, systemClock, withTimeout } from '../../clock.ts';
import type { StoreDeps } from '../store.ts';
import { unavailable } from './connect.ts';

/** Runs one command, or a few that belong together. Fails with an error that's safe to show. */
export type RunCommand = <R>(command: () => Promise<R>) => Promise<R>;

const COMMAND_LIMIT_MS = 2_000;

class SilentRedisError extends Error {}

export function createRunCommand(onFailure: StoreDeps['onFailure']): RunCommand {
  let silent = false;

  async function answerOf<R>(command: () => Promise<R>): Promise<R> {
    if (silent) throw new SilentRedisError();
    let settled = false;
    const answer = command().finally(() => {
      settled = true;
    });
    const first = await withTimeout(
      systemClock,
      COMMAND_LIMIT_MS,
      async () => ({ value: await answer }),
      () => null,
    );
    if (first !== null) return first.value;
    // Maybe this process was blocked, not Redis: read what has arrived before calling it a timeout.
    await nextTurn();
    if (settled) return answer;
    silent = true;
    const heard = (): void => {
      silent = false;
    };
    // A broken connection counts too: from then on the client itself rejects commands.
    answer.then(heard, heard);
    throw new SilentRedisError();
  }

  return async function runCommand(command) {
    try {
      return await answerOf(command);
    } catch (error) {
      const failure = unavailable(error);
      onFailure?.(failure.reason?.is === 'storage_full' ? 'full' : 'away');
      throw failure;
    }
  };
}
