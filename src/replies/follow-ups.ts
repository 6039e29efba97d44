/**
 * The buttons below an answer. Each carries a sentence about the same hosts in the same zone, and in the same project: that is
 * also named on the context line and the chart.
 */

import { BotError, UsageError } from '../errors.ts';
import { type CommandDefinition, type CommandTable, readSubCommand } from '../grammar/command-table.ts';
import { type Host, namedHosts } from '../grammar/hosts.ts';
import type { Sentence } from '../grammar/sentence.ts';
import { splitWords, type Word } from '../grammar/tokens.ts';
import { type Comparison, periodBefore } from '../statistics/comparison.ts';
import { describeRange, type ParsedRange, type Range, type TypedRange } from '../time/index.ts';
import type { Action, ExplanationPart, Reply } from './reply.ts';

/** The window one length later, cut at now; `null` if it is all in the future. */
export function periodAfter({ from, to }: Range, now: Temporal.Instant): Range | null {
  if (Temporal.Instant.compare(to, now) >= 0) return null;
  const end = to.add(from.until(to));
  return { from: to, to: Temporal.Instant.compare(end, now) > 0 ? now : end };
}

/** `2026-03-01T14:00Z/2026-03-01T16:00Z`: unambiguous in every zone, to the second. */
export function isoInterval(range: Range): string {
  return `${isoInstant(range.from)}/${isoInstant(range.to)}`;
}

const isoInstant = (instant: Temporal.Instant): string =>
  instant.round({ smallestUnit: 'second', roundingMode: 'floor' }).toString().replace(/:00Z$/, 'Z');

/** The part of a question about a window that its buttons depend on. */
export interface QuestionWindow {
  readonly range: TypedRange;
  readonly hosts: readonly Host[];
  readonly zone: string;
  readonly now: Temporal.Instant;
  readonly sentence: Pick<Sentence, 'versus'> & Partial<Pick<Sentence, 'versusHosts'>>;
}

interface SentenceParts {
  readonly verb: string;
  readonly range: Range;
  readonly versus?: Range | 'previous';
  readonly hosts: readonly Host[];
  readonly versusHosts?: readonly Host[];
  readonly zone: string;
  readonly flags?: readonly string[];
}

/** A sentence that asks exactly this. */
export function writeSentence({ verb, range, versus, hosts, versusHosts, zone, flags = [] }: SentenceParts): string {
  const against = versus === undefined ? '' : ` vs ${versus === 'previous' ? versus : isoInterval(versus)}`;
  return [`${verb} ${isoInterval(range)}${against}${hostsAndOthers(hosts, versusHosts)} in ${zone}`, ...flags].join(
    ' ',
  );
}

/** ` on shop vs blog` as typed. */
const hostsAndOthers = (hosts: readonly Host[], others: readonly Host[] = []): string =>
  others.length === 0 ? namedHosts(hosts) : `${namedHosts(hosts)} vs${namedHosts(others).slice(' on'.length)}`;

type Extra = Pick<SentenceParts, 'versus' | 'versusHosts' | 'flags'>;

export function sentenceFor({ hosts, zone }: QuestionWindow, verb: string, range: Range, extra: Extra = {}): string {
  return writeSentence({ verb, range, hosts, zone, ...extra });
}

/** What the answer is compared with, so that its CSV file compares with the same. */
function versusOf({
  sentence: { versus, versusHosts },
}: QuestionWindow): Pick<SentenceParts, 'versus' | 'versusHosts'> {
  return versus === null ? { versusHosts } : { versus, versusHosts };
}

/** To the windows before and after, in place. An explicit window to compare with wouldn't fit those. */
export function stepActions(context: QuestionWindow, verb: string): Action[] {
  const extra: Extra = context.sentence.versus === 'previous' ? { versus: 'previous' } : {};
  const later = periodAfter(context.range, context.now);
  const earlier = sentenceFor(context, verb, periodBefore(context.range), extra);
  return [
    { label: 'Period before', sentence: earlier, effect: 'replace' },
    ...(later === null
      ? []
      : [{ label: 'Period after', sentence: sentenceFor(context, verb, later, extra), effect: 'replace' } as const]),
  ];
}

/** A question about exactly what was counted, so that the answers to its buttons have the same numbers. */
export function asCounted<T extends QuestionWindow>(context: T, { counted, against }: Comparison): T {
  const { range, sentence } = context;
  const { versus } = sentence;
  const other = versus === null || versus === 'previous' ? versus : { ...versus, ...against, cut: false };
  return { ...context, range: { ...range, ...counted, cut: false }, sentence: { ...sentence, versus: other } };
}

export function threadAction(label: string, context: QuestionWindow, verb: string, ...flags: string[]): Action {
  const sentence = sentenceFor(context, verb, context.range, { ...versusOf(context), flags });
  return { label, sentence, effect: 'thread' };
}

export const compareAction = (context: QuestionWindow): Action => threadAction('Compare', context, 'compare');

export const csvAction = (context: QuestionWindow, verb: string): Action =>
  threadAction('CSV', context, verb, 'csv only');

/** The reasons for the answer, in the thread. */
export const whyAction = (
  context: QuestionWindow,
  verb: string,
  label = 'Why?',
  flag: 'why' | `why ${ExplanationPart}` = 'why',
): Action => threadAction(label, context, verb, flag);

/** The same question about now; none for a window in the past, whose answer stays the same. */
export function againActions(
  { range, hosts, zone, now, sentence: { versus, versusHosts } }: QuestionWindow,
  verb: string,
): Action[] {
  if (Temporal.Instant.compare(range.to, now) < 0) return [];
  // As typed, unless by a button, which nobody could read.
  const words = (window: TypedRange): string =>
    /\d[TZ]/.test(window.typed) ? describeRange(window, { now, zone }) : (window.readAs ?? window.typed);
  const against = versus === null ? '' : ` vs ${versus === 'previous' ? versus : words(versus)}`;
  const sentence = `${verb} ${words(range)}${against}${hostsAndOthers(hosts, versusHosts)} in ${zone}`;
  return [{ label: 'Again', sentence, effect: 'replace' }];
}

/** To the check of the same window, below an answer that leads with an episode. */
export function checkActions(account: object | null, context: QuestionWindow): Action[] {
  const sentence = sentenceFor(context, 'check', context.range);
  return account === null ? [] : [{ label: 'Check', sentence, effect: 'thread' }];
}

/** A form for a digest about the same hosts. */
export function digestAction({ hosts }: QuestionWindow): Action {
  return { label: 'Create a digest', sentence: `digest new${namedHosts(hosts)}`, effect: 'modal' };
}

/** A message has five buttons, one of them for help. */
const MAX_OFFERED = 4;

/** A refusal of a service that counts whole UTC days, with the windows that it has as buttons, the nearest first. */
export function offerWholeDays(error: BotError, { range, hosts, now }: QuestionWindow, verb: string): BotError {
  if (error.reason?.is !== 'window_not_offered') return error;
  const today = now.toZonedDateTimeISO('UTC').startOfDay();
  const since = (days: number) => today.subtract({ days: days - 1 });
  const windows = [
    ...[3, 7, 30].map((days) => ({
      from: since(days),
      to: now,
      label: `Last ${days} days (UTC days)`,
      words: `since ${since(days).toPlainDate()}`,
    })),
    { from: today, to: now, label: 'Today (UTC)', words: 'today' },
    { from: since(2), to: today.toInstant(), label: 'Yesterday (UTC)', words: 'yesterday' },
  ];
  const distance = ({ from, to }: (typeof windows)[number]): number =>
    Math.abs(from.epochMilliseconds - range.from.epochMilliseconds) +
    Math.abs(to.epochMilliseconds - range.to.epochMilliseconds);
  const next = windows
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, MAX_OFFERED)
    .map(({ label, words }) => ({ label, sentence: `${verb} ${words}${namedHosts(hosts)} in UTC` }));
  return error.changed({ next });
}

const MAX_LABEL = 70;

/** Notes how misspelled words of a window were read, with the corrected sentence as a button. */
export function withReadAs(reply: Reply, { verb, range, versus, hosts, versusHosts, zone }: Sentence): Reply {
  const other = versus === 'previous' ? null : versus;
  const read = [range?.readAs, other?.readAs].filter((words) => words !== undefined).join(' vs ');
  if (range === null || read === '') return reply;
  const words = (window: ParsedRange): string => window.readAs ?? isoInterval(window);
  const against = versus === null ? '' : ` vs ${versus === 'previous' ? versus : words(versus)}`;
  const sentence = `${verb} ${words(range)}${against}${hostsAndOthers(hosts, versusHosts)} in ${zone}`;
  const label = sentence.length > MAX_LABEL ? `${sentence.slice(0, MAX_LABEL)}…` : sentence;
  return {
    ...reply,
    notes: [['Read as: ', { bold: read }], ...(reply.notes ?? [])],
    actions: [...(reply.actions ?? []).slice(0, 4), { label, sentence, effect: 'replace' }],
  };
}

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
    // An answer that isn't about a window has it below.
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

/** Changes a reply, and in the same way the one that may follow it. */
export function changeReply({ later, ...reply }: Reply, change: (reply: Reply) => Reply): Reply {
  const changed = change(reply);
  if (later === undefined) return changed;
  const next = later.then((complete) => complete && change(complete));
  // A failure is handled on delivery; without a delivery, nobody has to.
  next.catch(() => {});
  return { ...changed, later: next };
}
