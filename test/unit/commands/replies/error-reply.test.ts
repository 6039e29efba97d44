import { describe, expect, it } from 'vitest';
import { errorReply } from '../../../../src/commands/replies/error-reply.ts';
import { plainText } from '../../../../src/commands/replies/phrases.ts';
import { BotError, UsageError } from '../../../../src/errors.ts';

const codeOf = (text: string, start: number, end: number): string =>
  errorReply(new UsageError('No.', { text, span: { start, end } }), '/waf', 'ref').code ?? '';
/** What stands above the marks. */
function marked(code: string): string {
  const [line = '', marks = ''] = code.split('\n');
  const at = marks.indexOf('^');
  return line.slice(at, at + marks.trim().length);
}
const bodyOf = (error: unknown): string => (errorReply(error, '/waf', 'ref12345').body ?? []).map(plainText).join('\n');

describe('the caret', () => {
  it('stands under the fault', () => {
    expect(codeOf('timeline bananas today', 9, 16)).toBe('timeline bananas today\n         ^^^^^^^');
  });

  it.each([0, 30, 75, 150, 192])('of a long text is cut around the fault at %i', (start) => {
    const text = `${'a'.repeat(start)}BANANAS${'z'.repeat(200 - start)}`;
    const code = codeOf(text, start, start + 7);
    expect(marked(code)).toBe('BANANAS');
    const [line = ''] = code.split('\n');
    expect(line.length).toBeLessThanOrEqual(62);
    expect(line.startsWith('…')).toBe(start > 20);
    expect(line.endsWith('…')).toBe(start < 192 - 40);
  });

  it('of a fault longer than the line marks what is shown of it', () => {
    const code = codeOf('x'.repeat(300), 0, 300);
    expect(code.split('\n')[1]).toBe('^'.repeat(60));
  });

  it('at the end of the text, or beyond it, has one mark', () => {
    expect(codeOf('compare today vs', 16, 16)).toBe(`compare today vs\n${' '.repeat(16)}^`);
    expect(codeOf('abc', 10, 20)).toBe('abc\n   ^');
  });

  it('keeps its place below phones’ punctuation, tabs and line ends', () => {
    expect(marked(codeOf('on\u00a0“my\tblog”\nbananas', 13, 20))).toBe('bananas');
  });

  it('tears no character in two', () => {
    expect(codeOf(`${'😀'.repeat(60)}x`, 119, 120)).not.toMatch(/(?<![\ud800-\udbff])[\udc00-\udfff]/);
  });

  it('is left out where there is nothing to point at', () => {
    expect(
      errorReply(new UsageError('No.', { text: '  ', span: { start: 0, end: 1 } }), '/waf', 'r').code,
    ).toBeUndefined();
    expect(errorReply(new UsageError('No.', { text: 'abc' }), '/waf', 'r').code).toBeUndefined();
  });
});

describe('a failure as an answer', () => {
  it('gives the nearest word, an example with the command, a hint and people who can help', () => {
    expect(bodyOf(new UsageError('No.', { suggestion: 'shop', example: 'timeline today', hint: 'Look again.' }))).toBe(
      'Did you mean shop?\nFor example: /waf timeline today\nLook again.',
    );
    expect(bodyOf(new BotError('forbidden', 'No.', { people: ['U1', 'U2', 'U3', 'U4'] }))).toBe(
      'Ask @U1 or @U2 or @U3.',
    );
  });

  it('gives a reference where only the log can explain it', () => {
    for (const code of ['upstream_timeout', 'config', 'internal'] as const)
      expect(bodyOf(new BotError(code, 'No.'))).toBe('Reference for the log: ref12345');
    expect(bodyOf(new BotError('not_found', 'No.'))).toBe('');
  });

  it('says nothing of an error that is a bug but where to find it', () => {
    const reply = errorReply(new Error('secret at http://10.0.0.1'), '/waf', 'ref12345');
    expect(JSON.stringify(reply)).not.toMatch(/secret|http/);
    expect(plainText(reply.headline)).toContain('ref12345');
    expect(reply).toMatchObject({ failed: true, quiet: true });
  });
});
