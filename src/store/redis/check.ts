/** Looks at how Redis is set up and warns of settings under which it may lose digests. Never a reason not to start. */
import type { Logger } from '../../observability/logger.ts';
import type { RedisClient } from './connect.ts';

export async function warnOfLossySettings(client: RedisClient, log: Logger): Promise<void> {
  const info = `${await infoOf(client, 'persistence')}\n${await infoOf(client, 'memory')}`;
  const aof = field(info, 'aof_enabled');
  const policy = field(info, 'maxmemory_policy');
  if (aof === '0') {
    log.warn(
      { setting: 'appendonly' },
      'Redis keeps no append-only file: set `appendonly yes`, or a crash loses digests',
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    log.warn({ setting: 'maxmemory-policy' }, 'Redis may evict digests when full: set `maxmemory-policy noeviction`');
  }
  if (aof !== '1') return;
  const fsync = await appendFsync(client);
  if (fsync !== undefined && fsync !== 'always') {
    log.warn(
      { setting: 'appendfsync' },
      'Redis may lose its last second in a power cut: `appendfsync always` would not',
    );
  }
}

/** Managed services forbid some of these commands; what cannot be asked is not warned of. */
async function infoOf(client: RedisClient, section: string): Promise<string> {
  return client.info(section).catch(() => '');
}

async function appendFsync(client: RedisClient): Promise<string | undefined> {
  const answer: Record<string, string> = await client.configGet('appendfsync').catch(() => ({}));
  return answer.appendfsync;
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
