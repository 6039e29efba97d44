/**
 * A key is derived from a password slowly on purpose, once for each bot; tests start more than a thousand. Where they all
 * run in one process, the same function has its lowest cost. Unit tests, and bots in processes of their own, derive keys
 * as in production.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const derive = crypto.scrypt;

function scryptCheaply(secret: string, salt: Buffer, bytes: number, done: Parameters<typeof derive>[4]): void {
  derive(secret, salt, bytes, { cost: 2 }, done);
}

// Vitest runs this again before each file.
if (derive.name !== scryptCheaply.name) {
  Object.assign(crypto, { scrypt: scryptCheaply });
  syncBuiltinESMExports();
}
