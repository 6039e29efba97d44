/** Loaded before the program by `--import`: SIGUSR2 is a bug that nobody expected, of the kind that `FAULT` names. */
const faults: Readonly<Record<string, () => void>> = {
  rejection: () => void Promise.reject(new Error('a rejection on purpose, https://x.example/secret')),
  exception: () => {
    throw new Error('an exception on purpose, https://x.example/secret');
  },
};

process.on('SIGUSR2', () => faults[process.env.FAULT ?? '']?.());
