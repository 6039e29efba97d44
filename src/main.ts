/** `wafbot start` and `wafbot playground`: read the configuration, start, and stop cleanly. */
import { parseArgs } from 'node:util';
import { type BotOptions, startBot } from './bot.ts';
import { cannotStart, checkConfig, readStartConfig } from './cli/check-config.ts';
import { type Config, processEnvironment, readConfig, secretsOf, unencryptedSettings } from './config/config.ts';
import { BotError, UsageError } from './errors.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import type { AskedNight } from './start-playground.ts';

/** Exit code after a bug; a supervisor should restart the bot. */
const EX_SOFTWARE = 70;
/** Native threads can keep a process alive; it is killed this long after it should have stopped. */
const STOP_OVERRUN_MS = 12_000;
/** Shorter after a bug, when anything may be broken. Leases expire on their own. */
const MAX_STOP_AFTER_FAULT_MS = 5_000;

/** The playground ignores tokens, services and stores that are set for a bot. */
const PLAYGROUND_SETTINGS = ['PORT', 'WAFBOT_COMMAND', 'WAFBOT_CHARTS', 'WAFBOT_ZONE', 'WAFBOT_LOG_LEVEL'];

export async function start(args: readonly string[]): Promise<void> {
  const night = readNight(args.filter((arg) => arg !== '--check-config'));
  if (night === null) {
    throw new UsageError(
      'start has no options but --check-config and, for the playground, --seed and --at. Its settings come from the environment.',
    );
  }
  if (args.includes('--check-config')) return checkConfig();
  await run(readStartConfig, night).catch(fail);
}

/** `null` if there are other options. */
function readNight(args: readonly string[]): AskedNight | null {
  try {
    return parseArgs({ args: [...args], options: { seed: { type: 'string' }, at: { type: 'string' } } }).values;
  } catch {
    return null;
  }
}

export async function play(args: readonly string[]): Promise<void> {
  const night = readNight(args);
  if (night === null) {
    throw new UsageError('playground has no options but --seed and --at, as in --seed 7. PORT says where to open it.');
  }
  const environment = processEnvironment();
  const own = Object.fromEntries(PLAYGROUND_SETTINGS.map((name) => [name, environment[name]]));
  await run(() => readConfig(own), night).catch(fail);
}

function fail(error: unknown): void {
  if (error instanceof BotError) cannotStart(error);
  // Reported like any other unhandled error, with its stack.
  queueMicrotask(() => {
    throw error;
  });
}

async function run(read: () => Config, night: AskedNight): Promise<void> {
  const config = read();
  const isPlayground = config.slack === null;
  const level = isPlayground && !config.given.has('WAFBOT_LOG_LEVEL') ? 'warn' : config.logLevel;
  const log = createLogger(level, secretsOf(config));
  for (const setting of unencryptedSettings(config)) log.warn({ setting }, 'unencrypted connection: use https');
  const metrics = createMetrics();
  const ending = new AbortController();
  let starting: Promise<Running | null> = Promise.resolve(null);
  stopOnSignals(log, metrics, ending, config.stopMs + STOP_OVERRUN_MS, () => starting);
  try {
    starting = open(config, log, { metrics, signal: ending.signal }, night);
    await starting;
  } catch (error) {
    // An aborted start exits with the code of the stop.
    if (!ending.signal.aborted) throw error;
  }
}

interface Running {
  stop(): Promise<void>;
}

async function open(config: Config, log: Logger, options: BotOptions, night: AskedNight): Promise<Running> {
  const { slack, projects } = config;
  if (slack !== null && projects !== null) {
    if (Object.keys(night).length > 0) throw new UsageError('--seed and --at are for the playground, not for a bot.');
    const bot = await startBot({ ...config, slack, projects }, log, options);
    log.info({ command: config.command }, 'wafbot is ready');
    return bot;
  }
  const { startPlayground } = await import('./start-playground.ts');
  const playground = await startPlayground(config, log, { night });
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
