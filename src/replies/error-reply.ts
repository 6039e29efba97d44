/** Every failure as an answer: what went wrong, what to do next as buttons, and a caret under a usage error. */
import { BotError, UsageError } from '../errors.ts';
import { plainPunctuation } from '../time/index.ts';
import type { Action, Line, Reply } from './reply.ts';

/** Failures that only the operator, the service or Slack can fix. For others the error's own sentence is the heading. */
const TITLES: Readonly<Partial<Record<BotError['code'], string>>> = {
  upstream_timeout: 'timed out',
  upstream_rate_limited: 'rate limited',
  upstream_auth: 'access denied',
  upstream_unavailable: 'unavailable',
  upstream_bad_response: 'unreadable answer',
  storage: "I can't use my storage",
  config: "The bot isn't set up correctly",
  internal: 'Something broke on our side',
};

interface Failure {
  readonly command: string;
  /** Logged with the cause, and shown for failures that only the log can explain. */
  readonly reference: string;
  /** The sentence, to ask it again. */
  readonly asked?: string;
}

const DOCTOR: Action = { label: 'Doctor', sentence: 'doctor', effect: 'thread' };
const HELP: Action = { label: 'Help', sentence: 'help', effect: 'ask' };

export function errorReply(error: unknown, { command, reference, asked = '' }: Failure): Reply {
  const tryAgain: Action[] = asked.trim() === '' ? [] : [{ label: 'Try again', sentence: asked, effect: 'again' }];
  const impact = error instanceof BotError ? error.impact : undefined;
  // The others in a channel rely on its watch, so they are notified too.
  const common = { failed: true, quiet: impact === undefined || impact.watches === 0 };
  if (!(error instanceof BotError)) {
    return {
      ...common,
      title: TITLES.internal ?? '',
      headline: [
        "This shouldn't have happened. The operator of this bot can find it in the log under ",
        { code: reference },
        '.',
      ],
      actions: [...tryAgain, DOCTOR],
    };
  }
  const title = titleOf(error);
  const next = nextActions(error);
  const [headline, ...body] = [...(title === undefined ? [] : whatHappened(error)), ...helpLines(error, command, next)];
  const code = error instanceof UsageError ? caret(error) : undefined;
  return {
    ...common,
    title: title ?? error.message.replace(/\.$/, ''),
    headline,
    body,
    code,
    notes: title === undefined ? undefined : [['Reference for the log: ', { code: reference }]],
    actions: withSomething([...next, ...laterSteps(error, title, tryAgain)], error),
  };
}

function laterSteps({ code }: BotError, title: string | undefined, tryAgain: readonly Action[]): readonly Action[] {
  if (title !== undefined) return [...tryAgain, DOCTOR];
  return code === 'stopping' ? tryAgain : [];
}

/** `Can't reach your WAF statistics since 14:05 (timed out)` */
function titleOf({ code, service, impact }: BotError): string | undefined {
  const words = TITLES[code];
  if (words === undefined || !code.startsWith('upstream_')) return words;
  const since = impact == null || impact.since === null ? '' : ` since ${impact.since}`;
  const what = service === 'identity' ? "Can't sign in to your WAF statistics" : "Can't reach your WAF statistics";
  return `${what}${since} (${words})`;
}

function whatHappened({ code, service, message, impact }: BotError): Line[] {
  const watches = impact?.watches ?? 0;
  const paused = watches === 1 ? "This channel's watch is" : `This channel's ${watches} watches are`;
  const also =
    service === 'identity'
      ? ' I have to sign in there before I can ask for numbers.'
      : code === 'upstream_unavailable'
        ? ' Your firewall itself may be fine.'
        : '';
  return [...(watches === 0 ? [] : [[`${paused} paused until they're back.`]]), [`${message}${also}`]];
}

const NAMES_A_SETTING = /\b(WAF|NODE)_[A-Z_]+\b/;

/** What to do next, for the asker. While a service fails, the name of a setting helps only the operator, who has `doctor`. */
export function adviceOf({ code, hint, impact }: BotError): string | undefined {
  if (hint === undefined || !code.startsWith('upstream_') || !NAMES_A_SETTING.test(hint)) return hint;
  // Sentences about something else, such as the last known state, are kept.
  const rest = hint.split(/(?<=[.?]) (?=[A-Z])/).filter((sentence) => !NAMES_A_SETTING.test(sentence));
  const isLong = impact != null && impact.since !== null;
  const next =
    code !== 'upstream_unavailable'
      ? 'The operator of this bot can fix it: doctor shows what to check.'
      : isLong
        ? 'Doctor shows what to check.'
        : 'Try again in a minute. If it still fails, Doctor shows what to check.';
  return [...rest, next].join(' ');
}

/** Help is no use to someone who may not ask. */
function withSomething(actions: readonly Action[], { code }: BotError): readonly Action[] {
  return actions.length > 0 || code === 'forbidden' ? actions : [HELP];
}

const listOf = (examples: readonly string[], command: string): Line =>
  examples.flatMap(
    (example, at): Line => [
      at === 0 ? '' : at === examples.length - 1 ? ' or ' : ', ',
      { code: typed(command, example) },
    ],
  );

/** As typed in Slack; programs ask without a command. */
const typed = (command: string, sentence: string): string => `${command} ${sentence}`.trimStart();

function helpLines(error: BotError, command: string, actions: readonly Action[]): Line[] {
  const lines: Line[] = [];
  if (error instanceof UsageError) {
    const isButton = actions.some(({ label }) => label === error.example);
    if (error.suggestion !== undefined) lines.push(['Did you mean ', { code: error.suggestion }, '?']);
    else if (error.examples.length > 0) lines.push(['For example: ', ...listOf(error.examples, command)]);
    // An example that is a button isn't repeated.
    else if (error.example !== undefined && !isButton)
      lines.push(['For example: ', { code: typed(command, error.example) }]);
  }
  const advice = adviceOf(error);
  if (advice !== undefined) lines.push([advice]);
  if (error.channels.length > 0) {
    const channels = error.channels.slice(0, 5);
    lines.push([
      'You can ask about it in ',
      ...channels.flatMap((channel, at): Line => [at === 0 ? '' : ', ', { channel }]),
      '.',
    ]);
  }
  if (error.people.length > 0) {
    const people = error.people.slice(0, 3);
    lines.push(['Ask ', ...people.flatMap((user, at): Line => (at === 0 ? [{ user }] : [' or ', { user }])), '.']);
  }
  return lines;
}

/** First the sentence as it was probably meant, then the steps that the failure itself suggests. */
function nextActions(error: BotError): Action[] {
  const steps = error.next.map(
    ({ label, sentence, opensForm }): Action => ({ label, sentence, effect: opensForm ? 'modal' : 'again' }),
  );
  if (!(error instanceof UsageError)) return steps;
  const { corrected } = error;
  const asMeant: Action[] =
    corrected === undefined
      ? []
      : [{ label: shortened(corrected), sentence: corrected, effect: 'again', style: 'primary' }];
  return [...asMeant, ...steps, HELP];
}

const MAX_LABEL = 70;

const shortened = (text: string): string => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text);

const MAX_WIDTH = 60;
/** How much of a long text is shown before the fault. */
const LEAD = 20;

/** The text with `^^^` under the span; a long text is cut around the fault. */
function caret({ text, span }: UsageError): string | undefined {
  if (text === undefined || span === undefined || text.trim() === '') return undefined;
  const flat = plainPunctuation(text);
  const start = Math.min(span.start, flat.length);
  const end = Math.max(start + 1, Math.min(span.end, flat.length));
  const from = untorn(flat, Math.max(0, Math.min(start - LEAD, flat.length - MAX_WIDTH)));
  const to = untorn(flat, Math.min(flat.length, from + MAX_WIDTH));
  const lead = from > 0 ? '…' : '';
  const tail = to < flat.length ? '…' : '';
  const marks = '^'.repeat(Math.max(1, Math.min(end, to) - start));
  return `${lead}${flat.slice(from, to)}${tail}\n${' '.repeat(lead.length + start - from)}${marks}`;
}

/** Moves off the middle of a surrogate pair. */
function untorn(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}
