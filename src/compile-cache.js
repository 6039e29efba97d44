/**
 * Loaded first by `wafbot.js`: enables Node's compile cache. It lives in the home directory, where others can't put
 * code, unlike in the shared temporary directory. If it can't be written, or with `NODE_DISABLE_COMPILE_CACHE=1`, the bot
 * starts without it. Plain JavaScript, because loading TypeScript would load a compiler first.
 *
 * Run directly, as `npm ci` does in a checkout, it fills the cache for the first start.
 */
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

try {
  module.enableCompileCache(join(homedir(), '.cache', 'wafbot'));
} catch {
  // No home directory.
}

if (import.meta.main) {
  for (const part of ['./cli.ts', './main.ts', './start-playground.ts', './charts/render/draw-worker.ts']) {
    // Code that can't be loaded will say so when it's started.
    await import(part).catch(() => {});
  }
}
