/** Names the project of an answer: on its context line, its chart, and in every sentence that a button carries. */
import { BotError, UsageError } from '../errors.ts';
import { type CommandDefinition, type CommandTable, readSubCommand } from '../grammar/command-table.ts';
import { splitWords, type Word } from '../grammar/tokens.ts';
import type { Action, Reply } from './reply.ts';

/** The same sentence, whatever project the channel prefers by then. `versus`: the project it is compared with. */
export function sayIn(sentence: string, label: string, commands: CommandTable, versus: string | null = null): string {
  const [first, ...words] = splitWords(sentence);
  const command = first === undefined ? undefined : commands.find(first.lower);
  if (/\bproject \S/.test(sentence) || (command !== undefined && !namesProject(command, first?.lower, words)))
    return sentence;
  const against = versus !== null && command?.parts.includes('versusProject') ? ` vs project ${versus}` : '';
  return `${sentence} in project ${label}${against}`;
}

function namesProject(command: CommandDefinition, verbWord: string | undefined, words: readonly Word[]): boolean {
  if (!command.parts.includes('project')) return false;
  const { subCommand } = readSubCommand(command, verbWord, words);
  return command.subCommands?.find(({ name }) => name === subCommand)?.withoutProject !== true;
}

export function inProject(
  reply: Reply,
  label: string | null,
  commands: CommandTable,
  versus: string | null = null,
): Reply {
  if (label === null) return reply;
  const said = (actions: readonly Action[] | undefined): Action[] | undefined =>
    actions?.map((action) => ({ ...action, sentence: sayIn(action.sentence, label, commands, versus) }));
  const { subject, chart, actions, why, notes = [] } = reply;
  return {
    ...reply,
    // An answer about no window says it below.
    notes: subject === undefined ? [...notes, ['Project ', { bold: label }]] : reply.notes,
    subject: subject && { ...subject, project: label },
    chart: chart && { ...chart, project: label },
    actions: said(actions),
    why: why && { ...why, actions: said(why.actions) },
  };
}

/**
 * A failure of one project's service names it, and the steps it offers are about the same project. `read` is what was
 * understood of the sentence, with blanks for the words that name a project.
 */
export function failureIn(
  error: unknown,
  label: string | null,
  { typed, read }: { readonly typed: string; readonly read: string },
  commands: CommandTable,
): unknown {
  if (label === null || !(error instanceof BotError)) return error;
  const message = error.code.startsWith('upstream_')
    ? `Project ${error.project ?? label}: ${error.message}`
    : error.message;
  const next = error.next.map((step) => ({ ...step, sentence: sayIn(step.sentence, label, commands) }));
  if (!(error instanceof UsageError) || typed === read) return error.changed({ message, next });
  const { text, corrected } = error;
  const asMeant = corrected?.replace(/ +/g, ' ').trim();
  return error.changed({
    message,
    next,
    // Spans are the same in both.
    text: text === read ? typed : text,
    corrected: asMeant === undefined ? undefined : sayIn(asMeant, label, commands),
  });
}
