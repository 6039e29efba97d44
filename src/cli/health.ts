/** `wafbot health`: the health check of a container. Asks the running bot whether it is ready. */
import { processEnvironment, readConfig } from '../config/config.ts';
import { BotError } from '../errors.ts';

const LIMIT_MS = 4_000;

export async function checkHealth(): Promise<void> {
  const { host, port } = readConfig(processEnvironment(), { hasPlayground: false }).health;
  const ready = await isReady(`http://${authority(host)}:${port}/readyz`);
  if (!ready) throw new BotError('upstream_unavailable', 'The bot is not ready.', { hint: 'See its log.' });
  console.log('The bot is ready.');
}

/** The bot listens on all interfaces unless configured otherwise. */
function authority(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}
