/** A port that cannot be had is a fault of the configuration, said in one sentence whoever wanted to listen. */
import { BotError } from '../errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process',
  EACCES: 'may not be opened by this user',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const isPortTaken = (error: unknown): boolean => codeOf(error) === 'EADDRINUSE';

/** The error to throw instead: the sentence where the port is at fault, else the error as it was. */
export function listenFailure(error: unknown, port: number): unknown {
  const reason = REASONS[codeOf(error)];
  if (reason === undefined) return error;
  return new BotError('config', `Port ${port} ${reason}.`, { hint: 'Set PORT to a free one.', cause: error });
}
