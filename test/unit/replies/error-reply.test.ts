import { describe, expect, it } from 'vitest';
import { withExampleStep } from '../../../src/commands/index.ts';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { BotError, UsageError } from '../../../src/errors.ts';
import { errorReply } from '../../../src/replies/error-reply.ts';
import { plainText } from '../../../src/replies/phrases.ts';

const FAILURE = { command: '/waf', reference: 'ref12345' };
const codeOf = (text: string, start: number, end: number): string =>
  errorReply(new UsageError('No.', { text, span: { start, end } }), FAILURE).code ?? '';
/** What stands above the marks. */
function marked(code: string): string {
  const [line = '', marks = ''] = code.split('\n');
  const at = marks.indexOf('^');
  return line.slice(at, at + marks.trim().length);
}
/** As the commands pass it on: an example becomes a button. */
const passedOn = (error: unknown): unknown => (error instanceof UsageError ? withExampleStep(error, COMMANDS) : error);
/** All lines below the heading. */
function linesOf(error: unknown): string {
  const { headline = [], body = [], notes = [] } = errorReply(passedOn(error), FAILURE);
  return [headline, ...body, ...notes].map(plainText).join('\n');
}
/** `label → sentence (effect)` of each button. */
const buttonsOf = (error: unknown, asked = 'timeline today'): string[] =>
  (errorReply(passedOn(error), { ...FAILURE, asked }).actions ?? []).map(
    ({ label, sentence, effect }) => `${label} → ${sentence} (${effect})`,
  );

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
    expect(errorReply(new UsageError('No.', { text: '  ', span: { start: 0, end: 1 } }), FAILURE).code).toBeUndefined();
    expect(errorReply(new UsageError('No.', { text: 'abc' }), FAILURE).code).toBeUndefined();
  });
});

describe('a failure as an answer', () => {
  it('has what was not understood as its heading, then the nearest word or an example, a hint, and people who can help', () => {
    const error = new UsageError('No.', { suggestion: 'shop', example: 'timeline today', hint: 'Look again.' });
    expect(errorReply(error, FAILURE).title).toBe('No');
    expect(linesOf(error)).toBe('Did you mean shop?\nLook again.');
    expect(linesOf(new UsageError('No.', { example: 'watch attacks over 500 per 15m' }))).toBe(
      'For example: /waf watch attacks over 500 per 15m',
    );
    // Not both said and a button.
    expect(linesOf(new UsageError('No.', { example: 'timeline today' }))).toBe('');
    expect(linesOf(new BotError('forbidden', 'No.', { people: ['U1', 'U2', 'U3', 'U4'] }))).toBe(
      'Ask @U1 or @U2 or @U3.',
    );
  });

  it('gives a reference where only the log can explain it', () => {
    for (const code of ['upstream_timeout', 'config', 'internal'] as const)
      expect(linesOf(new BotError(code, 'No.'))).toBe('No.\nReference for the log: ref12345');
    expect(linesOf(new BotError('not_found', 'No.'))).toBe('');
  });

  it.each<[string, unknown, string[]]>([
    [
      'the sentence as it was meant',
      new UsageError('No.', { text: 'timelien today', corrected: 'timeline today', example: 'help' }),
      ['timeline today → timeline today (again)', 'Help → help (ask)'],
    ],
    [
      'what the failure knows would help, beside it',
      new UsageError('No.', {
        corrected: 'timeline on shop',
        next: [{ label: 'Add this host', sentence: 'hosts add shpo', opensForm: true }],
      }),
      ['timeline on shop → timeline on shop (again)', 'Add this host → hosts add shpo (modal)', 'Help → help (ask)'],
    ],
    [
      'an example that only looks',
      new UsageError('No.', { example: 'timeline last 24h' }),
      ['timeline last 24h → timeline last 24h (again)', 'Help → help (ask)'],
    ],
    [
      'an example as private as the question',
      new UsageError('No.', { text: 'timeline bananas privately', example: 'timeline last 24h' }),
      ['timeline last 24h → timeline last 24h privately (again)', 'Help → help (ask)'],
    ],
    [
      'a form instead of an example that changes something',
      new UsageError('No.', { example: 'watch attacks over 500 per 15m' }),
      ['New watch → watch new (modal)', 'Help → help (ask)'],
    ],
    [
      'the list of digests as it is',
      new UsageError('No.', { example: 'digests' }),
      ['digests → digests (again)', 'Help → help (ask)'],
    ],
    [
      'another try and the doctor, where the service fails',
      new BotError('upstream_unavailable', 'No.'),
      ['Try again → timeline today (again)', 'Doctor → doctor (thread)'],
    ],
    [
      'another try and the doctor, where the bot fails',
      new Error('bug'),
      ['Try again → timeline today (again)', 'Doctor → doctor (thread)'],
    ],
    [
      'another try at a post',
      new BotError('not_posted', 'No.', { next: [{ label: 'Try again', sentence: 'digest run a1' }] }),
      ['Try again → digest run a1 (again)'],
    ],
  ])('has as a button %s', (_, error, buttons) => {
    expect(buttonsOf(error)).toEqual(buttons);
  });

  it('says nothing of an error that is a bug but where to find it', () => {
    const reply = errorReply(new Error('secret at http://10.0.0.1'), FAILURE);
    expect(JSON.stringify(reply)).not.toMatch(/secret|http/);
    expect(plainText(reply.headline ?? [])).toContain('ref12345');
    expect(reply).toMatchObject({ failed: true, quiet: true });
  });
});

describe('a service that fails', () => {
  const hint = 'Check WAF_IAM_URL and the network between.';

  it('is named in the heading, without the name of a setting below it', () => {
    const error = new BotError('upstream_unavailable', 'The identity service cannot be reached.', {
      hint,
      service: 'identity',
    });
    expect(errorReply(error, FAILURE).title).toBe("Can't sign in to your WAF statistics (unavailable)");
    expect(linesOf(error)).toBe(
      'The identity service cannot be reached. I have to sign in there before I can ask for numbers.\n' +
        'Try again in a minute. If it still fails, Doctor shows what to check.\n' +
        'Reference for the log: ref12345',
    );
  });

  it('says since when, what the channel goes without, and the last known state', () => {
    const error = new BotError('upstream_timeout', 'The statistics service did not answer in time.', {
      hint: `Last check: 14:00, calm. ${hint}`,
    }).changed({ impact: { since: '14:05', watches: 1 } });
    expect(errorReply(error, FAILURE)).toMatchObject({
      title: "Can't reach your WAF statistics since 14:05 (timed out)",
      quiet: false,
    });
    expect(linesOf(error)).toMatch(/^This channel's watch is paused until they're back\.\n/);
    expect(linesOf(error)).toContain('Last check: 14:00, calm.');
    expect(linesOf(error)).not.toContain('WAF_');
  });

  it('is for the operator when only the operator can fix it', () => {
    const refused = new BotError('upstream_auth', 'The statistics service refused the token.', {
      hint: 'Check the user, its permissions and WAF_PROJECT_ID.',
    });
    expect(errorReply(refused, FAILURE).title).toBe("Can't reach your WAF statistics (access denied)");
    expect(linesOf(refused)).toContain('The operator of this bot can fix it: doctor shows what to check.');
  });
});
