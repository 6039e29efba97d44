/**
 * Loaded before `main.ts` by `npm start`: keeps what Node made of the source, so that the next start need not read all of
 * it again. In the home directory, where nobody else can put code, unlike in the machine's directory for temporary files.
 * Where it cannot be written, or with Node's own `NODE_DISABLE_COMPILE_CACHE=1`, the bot starts without it.
 */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

try {
  enableCompileCache(join(homedir(), '.cache', 'wafbot'));
} catch {
  // A user without a home.
}
