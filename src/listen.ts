/** Opens the port of a server, and says what to change if that isn't possible. */
import type { Server } from 'node:http';
import { BotError } from './errors.ts';

/** Resolves to the port, which the system chooses if it was 0. */
export async function listen(server: Server, at: { readonly host: string | undefined; readonly port: number }) {
  const listening = Promise.withResolvers<void>();
  // Stays: a later error of a server must not end the process.
  server.on('error', listening.reject);
  server.listen(at, listening.resolve);
  await listening.promise;
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : at.port;
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'needs more privileges than this user has',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const isPortTaken = (error: unknown): boolean => codeOf(error) === 'EADDRINUSE';

/** The error to throw if listening failed: a configuration error if the port is the cause, otherwise `error` itself. */
export function listenFailure(error: unknown, port: number, setting: string): unknown {
  const reason = LISTEN_FAULTS[codeOf(error)];
  if (reason === undefined) return error;
  return new BotError('config', `Port ${port} ${reason}.`, { hint: `Set ${setting} to a free port.`, cause: error });
}
