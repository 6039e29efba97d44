#!/usr/bin/env node
/**
 * The one entry point: `wafbot <command>`. An old Node has to be able to read this file to say that it's too old, so it's plain
 * JavaScript without a static import; everything else is loaded afterwards.
 */
const MIN_NODE = 26;

if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  console.error(`wafbot needs Node ${MIN_NODE} or newer. This is Node ${process.versions.node} (${process.execPath}).`);
  // As for a configuration that can't work: restarting won't help.
  process.exitCode = 78;
} else {
  import('./compile-cache.js')
    .then(() => import('./cli.ts'))
    .then(({ runCommand }) => runCommand(process.argv.slice(2)));
}
