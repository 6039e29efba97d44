/** Every failure as an answer: what went wrong, what to do next, and for usage a caret under the fault. */
import { BotError, UsageError } from '../../errors.ts';
import { plainPunctuation } from '../../time/index.ts';
import type { Line, Reply } from './reply.ts';

const TITLES: Readonly<Record<BotError['code'], string>> = {
  usage: 'I did not understand that',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  limit: 'That is too much',
  upstream_timeout: 'The statistics service is too slow',
  upstream_rate_limited: 'The statistics service asks to slow down',
  upstream_auth: 'The statistics service refuses our credentials',
  upstream_unavailable: 'The statistics service does not answer',
  upstream_bad_response: 'The statistics service gave an answer I cannot read',
  storage: 'I cannot use my storage',
  config: 'The bot is not set up right',
  internal: 'Something broke on our side',
};

/** `reference` is in the log beside the cause; it is shown for failures that only the log can explain. */
export function errorReply(error: unknown, command: string, reference: string): Reply {
  if (!(error instanceof BotError)) {
    return {
      title: TITLES.internal,
      headline: [
        'This should not have happened. Whoever runs this bot finds it in the log under ',
        { code: reference },
        '.',
      ],
      failed: true,
      quiet: true,
    };
  }
  const body: Line[] = [];
  if (error instanceof UsageError) {
    if (error.suggestion !== undefined) body.push(['Did you mean ', { code: error.suggestion }, '?']);
    if (error.example !== undefined) body.push(['For example: ', { code: `${command} ${error.example}` }]);
  }
  if (error.hint !== undefined) body.push([error.hint]);
  if (error.people.length > 0) {
    body.push([
      'Ask ',
      ...error.people.slice(0, 3).flatMap((user, at): Line => (at === 0 ? [{ user }] : [' or ', { user }])),
      '.',
    ]);
  }
  if (/^(upstream_|storage$|config$|internal$)/.test(error.code))
    body.push(['Reference for the log: ', { code: reference }]);
  const code = error instanceof UsageError ? caret(error) : undefined;
  return {
    title: TITLES[error.code],
    headline: [error.message],
    body,
    ...(code === undefined ? {} : { code }),
    failed: true,
    quiet: true,
  };
}

const WIDEST = 60;
/** How much of a long text is shown before the fault. */
const LEAD = 20;

/** The text with `^^^` under the span; a long text is cut around the fault. */
function caret({ text, span }: UsageError): string | undefined {
  if (text === undefined || span === undefined || text.trim() === '') return undefined;
  const flat = plainPunctuation(text);
  const start = Math.min(span.start, flat.length);
  const end = Math.max(start + 1, Math.min(span.end, flat.length));
  const from = untorn(flat, Math.max(0, Math.min(start - LEAD, flat.length - WIDEST)));
  const to = untorn(flat, Math.min(flat.length, from + WIDEST));
  const lead = from > 0 ? '…' : '';
  const tail = to < flat.length ? '…' : '';
  const marks = '^'.repeat(Math.max(1, Math.min(end, to) - start));
  return `${lead}${flat.slice(from, to)}${tail}\n${' '.repeat(lead.length + start - from)}${marks}`;
}

/** Moves off the middle of a surrogate pair. */
function untorn(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}
