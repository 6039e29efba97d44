/** Answers that would be nice to have: their failure must not cost the answer itself. */
import { BotError } from '../errors.ts';

/** `null` when the service failed or does not reach back that far; a bug is not hidden. */
export async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof BotError && (error.code.startsWith('upstream_') || error.code === 'limit')) return null;
    throw error;
  }
}
