import { describe, expect, it } from 'vitest';
import { BotError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { isLinear } from '../../support/linear-cost.ts';

function lines(write: (log: ReturnType<typeof createLogger>) => void, secrets: string[] = []): string {
  const written: string[] = [];
  write(createLogger('debug', secrets, { write: (line: string) => void written.push(line) }));
  return written.join('');
}

describe('the logger', () => {
  it('writes an expected error as what it means, with the cause and the place, without a trace', () => {
    const cause = new BotError('upstream_unavailable', 'socket hang up');
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

  it('writes the stack of an error that nobody expected, and of its causes and parts, scrubbed', () => {
    const wrong = (secret: string): Error => new Error(`${secret} is no number`);
    const error = new AggregateError([wrong('sesame-open')], 'not closed', { cause: wrong('at https://x.example/y') });
    const text = lines((log) => log.error({ err: error }, 'a bug'), ['sesame-open']);
    const { err } = JSON.parse(text);
    for (const { stack } of [err, err.cause, err.errors[0]]) {
      expect(stack[0]).toMatch(/^at .*logger\.test\.ts:\d+:\d+\)?$/);
    }
    expect(err.errors[0].message).toBe('[redacted] is no number');
    expect(text).not.toMatch(/sesame-open|x\.example/);
  });

  it('shortens a line that a peer made long, after scrubbing it, and keeps it whole JSON', () => {
    const secret = 'sesame-open';
    const text = lines(
      (log) => log.warn({ says: `${'x'.repeat(1_995)}${secret}${'y'.repeat(80_000)}` }, 'odd'),
      [secret],
    );
    expect(text.length).toBeLessThan(4_000);
    expect(JSON.parse(text)).toMatchObject({ msg: 'odd', says: expect.stringMatching(/^x+\[redacted?…$|^x+\[re/) });
    expect(text).not.toContain('sesame');
    const many = lines((log) => log.warn({ list: Array.from({ length: 50_000 }, (_, n) => n) }, 'many'));
    expect(JSON.parse(many)).toMatchObject({ level: 40, msg: 'many', tooLong: expect.any(Number) });
  });

  it('costs no more than the length of a line', () => {
    const log = createLogger('debug', ['SECRETKEY'], { write: () => undefined });
    for (const unit of ['a.', 'x', 'xox', 'https', 'https:/', 'https://', 'https://a ', 'xoxb-']) {
      expect([unit, isLinear((text) => log.warn({ text }, 'long'), unit)]).toEqual([unit, true]);
    }
  });

  it('scrubs addresses, Slack tokens and every configured secret, wherever they stand', () => {
    const secret = 'p"ss\\word-1';
    const text = lines(
      (log) =>
        log.warn(
          { deep: [{ secret }], err: new Error('POST https://hooks.slack.com/T1/B2/xyz failed') },
          `xoxb-1-2, xwfp-1-2 and ${secret}`,
        ),
      [secret],
    );
    expect(() => JSON.parse(text)).not.toThrow();
    for (const leak of ['word-1', 'hooks.slack.com', 'xoxb-1-2', 'xwfp-1-2']) expect(text).not.toContain(leak);
    expect(text).toContain('[redacted]');
  });
});
