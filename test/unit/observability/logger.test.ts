import { describe, expect, it } from 'vitest';
import { BotError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/observability/logger.ts';

function lines(write: (log: ReturnType<typeof createLogger>) => void, secrets: string[] = []): string {
  const written: string[] = [];
  write(createLogger('debug', secrets, { write: (line: string) => void written.push(line) }));
  return written.join('');
}

describe('the logger', () => {
  it('writes an error as what it means, with the cause and the place, without a trace', () => {
    const cause = new Error('socket hang up');
    const error = new BotError('upstream_timeout', 'Too slow.', { cause, detail: { requestId: 'r-1' } });
    const text = lines((log) => log.error({ err: error }, 'question failed'));
    expect(JSON.parse(text)).toMatchObject({
      msg: 'question failed',
      err: {
        code: 'upstream_timeout',
        message: 'Too slow.',
        detail: { requestId: 'r-1' },
        cause: { message: 'socket hang up' },
      },
    });
    expect(JSON.parse(text).err.at).toMatch(/^test\/unit\/observability\/logger\.test\.ts:\d+$/);
    expect(text).not.toContain('    at ');
    expect(text).not.toContain('stack');
  });

  it('scrubs addresses, Slack tokens and every configured secret, wherever they stand', () => {
    const secret = 'p"ss\\word-1';
    const text = lines(
      (log) =>
        log.warn(
          { deep: [{ secret }], err: new Error('POST https://hooks.slack.com/T1/B2/xyz failed') },
          `xoxb-1-2 and ${secret}`,
        ),
      [secret],
    );
    expect(() => JSON.parse(text)).not.toThrow();
    for (const leak of ['word-1', 'hooks.slack.com', 'xoxb-1-2']) expect(text).not.toContain(leak);
    expect(text).toContain('[redacted]');
  });
});
