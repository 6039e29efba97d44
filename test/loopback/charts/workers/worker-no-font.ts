/** A drawing thread on a machine where the font is not there. */
import { parentPort } from 'node:worker_threads';

parentPort?.postMessage({ kind: 'no-font', family: 'Wafbot Inter' });
