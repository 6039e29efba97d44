/** `wafbot check-config`: checks the settings without starting. A start reads them and refuses them the same way. */
import { type Config, ConfigError, describeConfig, processEnvironment, readConfig } from '../config/config.ts';
import { BotError, UsageError } from '../errors.ts';

/** Exit code for an invalid configuration; restarting won't help. */
const EX_CONFIG = 78;
/** A checkout runs the sources, and a start without tokens opens the playground there. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts');

export async function checkConfig(args: readonly string[] = []): Promise<void> {
  if (args.length > 0) throw new UsageError('check-config takes no arguments. The settings come from the environment.');
  try {
    console.log(['The configuration is valid.', ...describeConfig(readStartConfig())].join('\n'));
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    cannotStart(error);
  }
}

export const readStartConfig = (): Config => readConfig(processEnvironment(), { hasPlayground: IS_CHECKOUT });

/** Prints every fault, and ends the process. */
export function cannotStart(error: BotError): never {
  console.error(`wafbot cannot start. ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`);
  if (error instanceof ConfigError) for (const fault of error.faults) console.error(`  - ${fault}`);
  process.exit(error.code === 'config' ? EX_CONFIG : 1);
}
