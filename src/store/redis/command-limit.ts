/**
 * Commands to Redis that cannot hang. One that is not answered in time fails, and until Redis shows a sign of life no other
 * is sent: people are told at once, and a silent connection stays idle, which is how the client finds that it is dead.
 */
import { nextTurn, systemClock, withTimeout } from '../../clock.ts';
import { unavailable } from './connect.ts';

/** Runs one command, or a few that belong together. Fails with the error that a person may see. */
export type RunCommand = <R>(command: () => Promise<R>) => Promise<R>;

const ANSWER_LIMIT_MS = 2_000;

class SilentRedisError extends Error {}

export function createRunCommand(limitMs = ANSWER_LIMIT_MS): RunCommand {
  let silent = false;

  async function answerOf<R>(command: () => Promise<R>): Promise<R> {
    if (silent) throw new SilentRedisError();
    let settled = false;
    const answer = command().finally(() => {
      settled = true;
    });
    const first = await withTimeout(
      systemClock,
      limitMs,
      async () => ({ value: await answer }),
      () => null,
    );
    if (first !== null) return first.value;
    // Maybe this process was held up, not Redis: whatever has arrived is read before it counts as missing.
    await nextTurn();
    if (settled) return answer;
    silent = true;
    const heard = (): void => {
      silent = false;
    };
    // A connection that breaks counts too: from then on the client refuses commands by itself.
    answer.then(heard, heard);
    throw new SilentRedisError();
  }

  return async function runCommand(command) {
    try {
      return await answerOf(command);
    } catch (error) {
      throw unavailable(error);
    }
  };
}
