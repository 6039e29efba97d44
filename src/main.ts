/** Reads the configuration, starts the bot or the playground, and stops cleanly. The only place that exits the process. */
import { existsSync } from 'node:fs';
import { type BotOptions, startBot } from './bot.ts';
import {
  type Config,
  ConfigError,
  describeConfig,
  processEnvironment,
  readConfig,
  secretsOf,
  unencryptedSettings,
} from './config/config.ts';
import { BotError } from './errors.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';

/** Exit code for an invalid configuration; restarting won't help. */
const EX_CONFIG = 78;
/** Only present in a checkout. */
const PLAYGROUND = ['./start-playground.ts', '../playground'].map((part) => new URL(part, import.meta.url));
/** Exit code after a bug; a supervisor should restart the bot. */
const EX_SOFTWARE = 70;
/** Native threads can keep a process alive; it is killed this long after it should have stopped. */
const STOP_OVERRUN_MS = 12_000;
/** Shorter after a bug, when anything may be broken. Leases expire on their own. */
const MAX_STOP_AFTER_FAULT_MS = 5_000;

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

/** A checkout without development dependencies has the playground's files but not their dependencies. */
function playgroundFailure(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return error;
  const hint = 'Run "npm ci" without --omit=dev, or set SLACK_BOT_TOKEN and the other settings of a bot.';
  return new BotError('config', 'The playground needs the development dependencies.', { hint, cause: error });
}

async function run(): Promise<void> {
  const config = readConfig(processEnvironment(), { hasPlayground: PLAYGROUND.every((part) => existsSync(part)) });
  if (process.argv.includes('--check-config')) {
    console.log(['The configuration is valid.', ...describeConfig(config)].join('\n'));
    return;
  }
  const isPlayground = config.slack === null;
  const level = isPlayground && !config.given.has('WAFBOT_LOG_LEVEL') ? 'warn' : config.logLevel;
  const log = createLogger(level, secretsOf(config));
  for (const setting of unencryptedSettings(config)) log.warn({ setting }, 'unencrypted connection: use https');
  const metrics = createMetrics();
  const ending = new AbortController();
  let starting: Promise<Running | null> = Promise.resolve(null);
  stopOnSignals(log, metrics, ending, config.stopMs + STOP_OVERRUN_MS, () => starting);
  try {
    starting = start(config, log, { metrics, signal: ending.signal });
    await starting;
  } catch (error) {
    // An aborted start exits with the code of the stop.
    if (!ending.signal.aborted) throw error;
  }
}

interface Running {
  stop(): Promise<void>;
}

async function start(config: Config, log: Logger, options: BotOptions): Promise<Running> {
  const { slack, projects } = config;
  if (slack !== null && projects !== null) {
    const bot = await startBot({ ...config, slack, projects }, log, options);
    log.info({ command: config.command }, 'wafbot is ready');
    return bot;
  }
  // Loaded only here: it needs development dependencies.
  const { startPlayground } = await import('./start-playground.ts').catch((error: unknown) => {
    throw playgroundFailure(error);
  });
  const playground = await startPlayground(config, log);
  console.log(`wafbot playground: open ${playground.url}   (Ctrl-C stops it)`);
  return playground;
}

function stopOnSignals(
  log: Logger,
  metrics: Metrics,
  ending: AbortController,
  maxStopMs: number,
  starting: () => Promise<Running | null>,
): void {
  const end = async (code: number, failedCode: number, limitMs: number): Promise<void> => {
    if (ending.signal.aborted) return;
    setTimeout(() => process.exit(failedCode), limitMs).unref();
    // Aborts a start in progress and waits for it: exiting while the chart thread is starting can crash Node.
    ending.abort();
    try {
      const running = await starting().catch(() => null);
      await running?.stop();
      process.exit(code);
    } catch (error) {
      log.error({ err: error }, 'could not stop cleanly');
      process.exit(failedCode);
    }
  };
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping');
    void end(0, 1, maxStopMs);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // Also called for unhandled rejections. Work in progress is finished and leases are released before the process exits.
  process.on('uncaughtException', (error, origin) => {
    log.error({ err: error, origin }, 'unhandled error; stopping');
    metrics.unhandledFaults.inc({ origin });
    void end(EX_SOFTWARE, EX_SOFTWARE, MAX_STOP_AFTER_FAULT_MS);
  });
}

if (import.meta.main) await run().catch(fail);
