import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { startPlayground } from '../../../src/start-playground.ts';

it('takes another port where the usual one is taken and none was asked for', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  // Nobody can be sure to get port 3000 itself, so a port that is held here stands for the default.
  const config = { ...readConfig({}), port: address.port };
  const log = createLogger('silent', []);
  const playground = await startPlayground(config, log);
  try {
    expect(new URL(playground.url).port).not.toBe(String(address.port));
    expect((await fetch(playground.url)).status).toBe(200);
    const asked = { ...config, given: new Set(['PORT']) };
    await expect(startPlayground(asked, log)).rejects.toThrow(`Port ${address.port} is already in use.`);
  } finally {
    await playground.stop();
    holder.close();
  }
});
