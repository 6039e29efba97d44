/**
 * Loaded before `main.ts` by `npm start`: keeps what Node made of the source, so that the next start need not read all of
 * it again. In the home directory, where nobody else can put code, unlike in the machine's directory for temporary files.
 * Where it cannot be written, or with Node's own `NODE_DISABLE_COMPILE_CACHE=1`, the bot starts without it. Plain
 * JavaScript, because to read a single file of TypeScript Node loads a compiler first.
 *
 * Run by itself, as `npm ci` does in a checkout, it loads the parts, so that the first start is like the next ones.
 */
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

try {
  module.enableCompileCache(join(homedir(), '.cache', 'wafbot'));
} catch {
  // A user without a home.
}

if (import.meta.main) {
  for (const part of ['./main.ts', './start-playground.ts', './charts/render/draw-worker.ts']) {
    // What cannot be loaded here, for instance without the development dependencies, is no reason to fail.
    await import(part).catch(() => {});
  }
}
