/** Puts the project on an answer: on its context line, its chart, and every sentence that a button says. */
import { BotError, UsageError } from '../errors.ts';
import { type Command, commandFor, readSubCommand } from '../grammar/command-table.ts';
import { splitWords, type Word } from '../grammar/tokens.ts';
import type { Action, Reply } from './reply.ts';

/** The same sentence, whatever project the channel prefers by then. */
export function sayIn(sentence: string, label: string, versus: string | null = null): string {
  const [first, ...words] = splitWords(sentence);
  const command = first === undefined ? undefined : commandFor(first.lower);
  if (/\bproject \S/.test(sentence) || (command !== undefined && !isAboutProject(command, first?.lower, words)))
    return sentence;
  const against = versus !== null && command?.verb === 'compare' ? ` vs project ${versus}` : '';
  return `${sentence} in project ${label}${against}`;
}

/** Of digests and watches only those that are made or previewed: the others are there, and have their project. */
function isAboutProject(command: Command, verbWord: string | undefined, words: readonly Word[]): boolean {
  if (!command.parts.includes('project')) return false;
  if (command.verb !== 'digest' && command.verb !== 'watch') return true;
  const { subCommand } = readSubCommand(command, verbWord, words);
  return subCommand === 'create' || subCommand === 'preview';
}

/** `versus`: the project it is compared with. */
export function inProject(reply: Reply, label: string | null, versus: string | null = null): Reply {
  if (label === null) return reply;
  const said = (actions: readonly Action[]): Action[] =>
    actions.map((action) => ({ ...action, sentence: sayIn(action.sentence, label, versus) }));
  const { subject, chart, actions, why, notes } = reply;
  return {
    ...reply,
    // What is about no window says it below.
    ...(subject === undefined
      ? { notes: [...(notes ?? []), ['Project ', { bold: label }]] }
      : { subject: { ...subject, project: label } }),
    ...(chart === undefined ? {} : { chart: { ...chart, project: label } }),
    ...(actions === undefined ? {} : { actions: said(actions) }),
    ...(why === undefined ? {} : { why: why.actions === undefined ? why : { ...why, actions: said(why.actions) } }),
  };
}

/**
 * A failure of one project's service says whose, and the steps it offers are about the same project. `read` is what was
 * understood of the sentence, with blanks for the project where it names one.
 */
export function failureIn(error: unknown, label: string | null, typed: string, read: string): unknown {
  if (label === null || !(error instanceof BotError)) return error;
  // Of two that are compared, the one that failed.
  const whose = typeof error.detail.project === 'string' ? error.detail.project : label;
  const message = error.code.startsWith('upstream_') ? `Project ${whose}: ${error.message}` : error.message;
  const next = error.next.map((step) => ({ ...step, sentence: sayIn(step.sentence, label) }));
  if (!(error instanceof UsageError) || typed === read) return error.changed({ message, next });
  const { text, corrected } = error;
  const asMeant = corrected?.replace(/ +/g, ' ').trim();
  return error.changed({
    message,
    next,
    // The places of its faults are the same in both.
    ...(text === read ? { text: typed } : {}),
    ...(asMeant === undefined ? {} : { corrected: sayIn(asMeant, label) }),
  });
}
