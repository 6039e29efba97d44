/** fast-check with the seed of the whole run, which is printed at its start: `SEED=… npm test` repeats it. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SEED) });

export { fc };
