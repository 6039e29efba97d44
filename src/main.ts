/** Reads the configuration, starts the bot or the playground, stops cleanly. The only place that ends the process. */
import { existsSync } from 'node:fs';
import { startBot } from './bot.ts';
import {
  ConfigError,
  describeConfig,
  processEnvironment,
  readConfig,
  secretsOf,
  unencryptedSettings,
} from './config/config.ts';
import { BotError } from './errors.ts';
import { createLogger } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';

/** The exit code for a configuration that cannot work; a supervisor need not try again. */
const EX_CONFIG = 78;
/** Parts of a checkout; the first is not in the build, the second not in a packed tarball either. */
const PLAYGROUND = ['./start-playground.ts', '../playground'].map((part) => new URL(part, import.meta.url));
/** The exit code after a fault of the program itself; a supervisor starts it again. */
const EX_SOFTWARE = 70;
/** Native threads have been seen to hold a process back; nobody waits longer than this. */
const LONGEST_STOP_MS = 20_000;
/** After a fault nobody can say what still works, so less is waited for. Leases that are left run out by themselves. */
const LONGEST_STOP_AFTER_FAULT_MS = 5_000;

function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    console.error(`wafbot cannot start. ${error.message}`);
    for (const fault of error.faults) console.error(`  - ${fault}`);
    process.exit(EX_CONFIG);
  }
  if (error instanceof BotError) {
    console.error(`wafbot cannot start. ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`);
    process.exit(error.code === 'config' ? EX_CONFIG : 1);
  }
  throw error;
}

/** A checkout installed without development dependencies has the playground's files but not what they need. */
function playgroundFailure(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return error;
  const hint = 'Run "npm ci" without --omit=dev, or set SLACK_BOT_TOKEN and the other names of a bot.';
  return new BotError('config', 'The playground needs the development dependencies.', { hint, cause: error });
}

async function run(): Promise<void> {
  const config = readConfig(processEnvironment(), { hasPlayground: PLAYGROUND.every((part) => existsSync(part)) });
  if (process.argv.includes('--check-config')) {
    console.log(['The configuration is in order.', ...describeConfig(config)].join('\n'));
    return;
  }
  const { slack, projects } = config;
  const log = createLogger(
    slack === null && !config.given.has('WAFBOT_LOG_LEVEL') ? 'warn' : config.logLevel,
    secretsOf(config),
  );
  for (const setting of unencryptedSettings(config)) {
    log.warn({ setting }, 'an address that is not encrypted: whoever is on the way can read what is sent; use https');
  }
  const metrics = createMetrics();
  const ending = new AbortController();
  let starting: Promise<{ stop(): Promise<void> } | null> = Promise.resolve(null);
  const end = (code: number, failedCode: number, limitMs: number): void => {
    if (ending.signal.aborted) return;
    setTimeout(() => process.exit(failedCode), limitMs).unref();
    // A start that is under way closes what it has opened, its thread for charts too: ended by `process.exit` while that
    // thread is still starting, Node itself was seen to crash, once in 400 times.
    ending.abort();
    const running = starting.catch(() => null);
    running
      .then((started) => started?.stop())
      .then(
        () => process.exit(code),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(failedCode);
        },
      );
  };
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping');
    end(0, 1, LONGEST_STOP_MS);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // Rejections that nobody handles come here too. What is under way is finished and leases are given back, but the
  // process is not trusted any longer.
  process.on('uncaughtException', (error, origin) => {
    log.error({ err: error, origin }, 'a fault that nobody handled; stopping');
    metrics.unhandledFaults.inc({ origin });
    end(EX_SOFTWARE, EX_SOFTWARE, LONGEST_STOP_AFTER_FAULT_MS);
  });

  try {
    if (slack !== null && projects !== null) {
      starting = startBot({ ...config, slack, projects }, log, { metrics, signal: ending.signal });
      await starting;
      log.info({ command: config.command }, 'wafbot is ready');
    } else {
      // Loaded only here: it needs development dependencies, which a bot with tokens does without.
      const { startPlayground } = await import('./start-playground.ts').catch((error: unknown) => {
        throw playgroundFailure(error);
      });
      const playground = startPlayground(config, log);
      starting = playground;
      console.log(`wafbot playground: open ${(await playground).url}   (Ctrl-C stops it)`);
    }
  } catch (error) {
    // A start that was given up ends as it was told to, and not as a failed one.
    if (!ending.signal.aborted) throw error;
  }
}

if (import.meta.main) await run().catch(fail);
