/** Every failure as an answer: what went wrong, what to do next as buttons, and for usage a caret under the fault. */
import { BotError, type NextStep, UsageError } from '../errors.ts';
import { commandFor, readSubCommand, type Verb } from '../grammar/command-table.ts';
import { splitWords } from '../grammar/tokens.ts';
import { plainPunctuation } from '../time/index.ts';
import type { Action, Line, Reply } from './reply.ts';

/** Failures that only the operator, the service or Slack can end. Of the others the sentence itself is the heading. */
const TITLES: Readonly<Partial<Record<BotError['code'], string>>> = {
  upstream_timeout: '{service} is too slow',
  upstream_rate_limited: '{service} asks to slow down',
  upstream_auth: '{service} refuses the credentials of the bot',
  upstream_unavailable: '{service} does not answer',
  upstream_bad_response: '{service} gave an answer I cannot read',
  storage: 'I cannot use my storage',
  config: 'The bot is not set up right',
  internal: 'Something broke on our side',
};

interface Failure {
  /** The slash command's name, for examples that work when copied. */
  readonly command: string;
  /** In the log beside the cause; shown for failures that only the log can explain. */
  readonly reference: string;
  /** What was asked, to ask it again. */
  readonly asked?: string;
}

const DOCTOR: Action = { label: 'Doctor', sentence: 'doctor', effect: 'thread' };
const HELP: Action = { label: 'Help', sentence: 'help', effect: 'ask' };

export function errorReply(error: unknown, { command, reference, asked = '' }: Failure): Reply {
  const tryAgain: Action[] = asked.trim() === '' ? [] : [{ label: 'Try again', sentence: asked, effect: 'again' }];
  // The others of a channel rely on its watch: they are told as well.
  const common = { failed: true, quiet: !(error instanceof BotError && error.detail.blind === true) };
  if (!(error instanceof BotError)) {
    return {
      ...common,
      title: TITLES.internal ?? '',
      headline: [
        'This should not have happened. Whoever runs this bot finds it in the log under ',
        { code: reference },
        '.',
      ],
      actions: [...tryAgain, DOCTOR],
    };
  }
  const service = isOfIdentity(error) ? 'the identity service' : 'the statistics service';
  const fault = TITLES[error.code];
  // Whoever asked wanted numbers: that there are none comes first.
  const title = fault?.startsWith('{service}')
    ? `${lackingWords(error)}: ${fault.replace('{service}', service)}`
    : fault;
  const next = nextActions(error);
  const [headline, ...body] = [
    ...(title === undefined ? [] : [whatHappened(error)]),
    ...helpLines(error, command, next),
  ];
  const code = error instanceof UsageError ? caret(error) : undefined;
  return {
    ...common,
    title: title ?? error.message.replace(/\.$/, ''),
    headline,
    body,
    code,
    ...(title === undefined ? {} : { notes: [['Reference for the log: ', { code: reference }]] }),
    actions: withSomething([...next, ...(title === undefined ? [] : [...tryAgain, DOCTOR])], error),
  };
}

/** With since when, and who else goes without, where that is known. */
const lackingWords = ({ detail }: BotError): string =>
  typeof detail.lacking === 'string' ? detail.lacking : 'No numbers';

/** The one that the bot signs in at; its failures are not those of the statistics. */
const isOfIdentity = ({ detail, message }: BotError): boolean =>
  detail.service === 'identity' || message.startsWith('The identity service');

/** The heading has named the service. */
function whatHappened(error: BotError): Line {
  const says = error.message.replace(/^The (identity|statistics) service /, 'It ');
  if (isOfIdentity(error)) return [`${says} I sign in there before I can ask for numbers.`];
  return [error.code === 'upstream_unavailable' ? `${says} This says nothing about the firewall itself.` : says];
}

const NAMES_A_SETTING = /\b(WAF|NODE)_[A-Z_]+\b/;

/** What to do next, for whoever asked. While a service fails, the name of a setting helps only the operator, who has the doctor. */
export function adviceOf({ code, hint, detail }: BotError): string | undefined {
  if (hint === undefined || !code.startsWith('upstream_') || !NAMES_A_SETTING.test(hint)) return hint;
  // Sentences about something else, such as how things were last, stay.
  const rest = hint.split(/(?<=[.?]) (?=[A-Z])/).filter((sentence) => !NAMES_A_SETTING.test(sentence));
  const next =
    code === 'upstream_unavailable'
      ? detail.isLong === true
        ? 'Doctor says what to check.'
        : 'Try again in a minute. If it still fails, Doctor says what to check.'
      : 'Whoever runs this bot can put it right: the doctor command says what to check.';
  return [...rest, next].join(' ');
}

/** Whoever may not ask cannot be helped by asking. */
function withSomething(actions: readonly Action[], { code }: BotError): readonly Action[] {
  return actions.length > 0 || code === 'forbidden' ? actions : [HELP];
}

function helpLines(error: BotError, command: string, actions: readonly Action[]): Line[] {
  const lines: Line[] = [];
  if (error instanceof UsageError) {
    const isButton = actions.some(({ label }) => label === error.example);
    if (error.suggestion !== undefined) lines.push(['Did you mean ', { code: error.suggestion }, '?']);
    // An example that is a button is not said as well.
    else if (error.example !== undefined && !isButton)
      lines.push(['For example: ', { code: `${command} ${error.example}` }]);
  }
  const advice = adviceOf(error);
  if (advice !== undefined) lines.push([advice]);
  if (error.channels.length > 0) {
    const channels = error.channels.slice(0, 5);
    lines.push([
      'It can be asked about in ',
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

/** The sentence as it was meant first, then what the failure itself says would help. */
function nextActions(error: BotError): Action[] {
  const steps = error.next.map(
    ({ label, sentence, opensForm }): Action => ({ label, sentence, effect: opensForm ? 'modal' : 'again' }),
  );
  if (!(error instanceof UsageError)) return steps;
  const { corrected, example } = error;
  const asMeant: Action[] =
    corrected === undefined
      ? []
      : [{ label: shortened(corrected), sentence: corrected, effect: 'again', style: 'primary' }];
  const other =
    steps.length === 0 && corrected === undefined && example !== undefined
      ? exampleActions(example, PRIVATE.test(error.text ?? ''))
      : [];
  return [...asMeant, ...steps, ...other, HELP];
}

/** How a form for what a command changes is opened. */
const FORMS: Readonly<Partial<Record<Verb, NextStep>>> = {
  digest: { label: 'New digest', sentence: 'digest new' },
  watch: { label: 'New watch', sentence: 'watch new' },
  hosts: { label: 'Add a host', sentence: 'hosts add' },
  settings: { label: 'Settings', sentence: 'settings' },
};

const PRIVATE = /\bprivate(ly)?\b/i;

/** An example is a button only where it looks at something: what it would change, nobody has asked for. */
function exampleActions(example: string, privately: boolean): Action[] {
  const [first, ...words] = splitWords(example);
  const command = first === undefined ? undefined : commandFor(first.lower);
  if (command === undefined) return [];
  if (readSubCommand(command, first?.lower, words).effect === 'look') {
    const isAbout = privately && command.parts.includes('privately');
    return [{ label: example, sentence: isAbout ? `${example} privately` : example, effect: 'again' }];
  }
  const form = FORMS[command.verb];
  return form === undefined ? [] : [{ ...form, effect: 'modal' }];
}

const LONGEST_LABEL = 70;

const shortened = (text: string): string => (text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL)}…` : text);

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
