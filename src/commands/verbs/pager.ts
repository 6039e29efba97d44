/** `pager`: what the configured pagers got and didn't get, a test event, and what to do about events that were given up. */
import { BotError } from '../../errors.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import type { Word } from '../../grammar/tokens.ts';
import type { PagerDesk, PagerStatus, TestedPager } from '../../pagers/page.ts';
import type { Finding } from '../../replies/finding.ts';
import { counted } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';
import { type AnsweredSubCommand, answerSubCommand } from './choose-subscription.ts';
import { findingLine } from './doctor.ts';

const SUB_COMMANDS: readonly AnsweredSubCommand[] = [
  { name: 'list', words: ['list', 'status'], bareAfter: ['pager', 'pagers'], effect: 'look', answer: list },
  { name: 'test', words: ['test'], effect: 'change', answer: test },
  { name: 'retry', words: ['retry', 'resend'], effect: 'change', answer: retry },
  { name: 'drop', words: ['drop', 'discard'], effect: 'change', answer: drop },
];

export const pager: Verb = {
  verb: 'pager',
  aliases: ['pagers'],
  summary: 'the pagers that alerts go to: what they didn’t get, and a test event',
  help: { group: 'Set things up', examples: ['pager test'] },
  usage: ['pager', 'pager test', 'pager retry', 'pager drop'],
  examples: ['pager', 'pager test', 'pager retry', 'pager drop'],
  parts: [],
  takesWords: true,
  subCommands: SUB_COMMANDS,
  answer: (context) => answerSubCommand(context, SUB_COMMANDS, list),
};

const TEST: Action = { label: 'Send a test event', sentence: 'pager test', effect: 'thread' };
const RETRY: Action = { label: 'Send again', sentence: 'pager retry', effect: 'thread' };
const DROP: Action = { label: 'Drop them', sentence: 'pager drop', effect: 'thread' };

function deskOf({ deps, sentence }: CommandContext, args: readonly Word[]): PagerDesk {
  refuseLeftover(sentence.text, args);
  if (deps.pagers != null) return deps.pagers;
  throw new BotError('not_found', 'No pager is set up.', {
    hint: 'Whoever runs the bot can connect PagerDuty, Alertmanager or a webhook.',
  });
}

async function list(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const status = await deskOf(context, args).status();
  const dead = status.reduce((sum, each) => sum + each.dead, 0);
  const faults = pagerFindings(status).filter(({ ok }) => !ok).length;
  return {
    title: faults === 0 ? 'Pagers: all is well' : `Pagers: ${faults} of ${status.length} failing`,
    body: pagerFindings(status).map(findingLine),
    actions: [...(dead === 0 ? [] : [RETRY, DROP]), TEST],
  };
}

async function test(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const tested = await deskOf(context, args).test();
  const isWell = tested.every(({ outcome }) => outcome.is === 'sent');
  return {
    title: isWell ? 'Test event sent' : 'Test event: not every pager accepted it',
    body: tested.map(testedLine),
    actions: isWell ? [] : [TEST],
  };
}

const testedLine = ({ label, outcome }: TestedPager): Line => [
  { bold: `${label}: ` },
  outcome.is === 'sent' ? 'accepted.' : `${outcome.is === 'refused' ? 'refused' : 'failed'}, ${outcome.why}.`,
];

async function retry(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const desk = deskOf(context, args);
  const tried = await desk.sendAgain();
  if (tried === 0) return { title: 'Nothing to send again', headline: ['No event was given up.'] };
  const left = (await desk.status()).reduce((sum, { dead }) => sum + dead, 0);
  return left === 0
    ? { title: `${counted(tried, 'event')} sent again` }
    : {
        title: `${left} of ${counted(tried, 'event')} not accepted again`,
        body: pagerFindings(await desk.status()).map(findingLine),
        actions: [RETRY, DROP],
      };
}

async function drop(context: CommandContext, args: readonly Word[]): Promise<Reply> {
  const dropped = await deskOf(context, args).drop();
  if (dropped === 0) return { title: 'Nothing to drop', headline: ['No event was given up.'] };
  return { title: `${counted(dropped, 'event')} dropped`, headline: ['They won’t be sent any more.'] };
}

/** One for each pager, also for `doctor`. */
export function pagerFindings(status: readonly PagerStatus[]): readonly Finding[] {
  return status.map(({ label: what, waiting, failing, dead, deadBecause }): Finding => {
    const waits = waiting === 0 ? '' : `${counted(waiting, 'event')} waiting`;
    if (dead > 0) {
      const says = `${counted(dead, 'event')} given up, the last one because of ${deadBecause}${waits && `; ${waits}`}.`;
      return {
        what,
        ok: false,
        says,
        fix: 'correct its settings, then type pager retry, or pager drop to forget them.',
      };
    }
    if (failing !== null) {
      const says = `${waits}, the last attempt failed: ${failing}.`;
      return { what, ok: false, says, fix: 'check that it’s up and its settings; it’s retried for a day.' };
    }
    return { what, ok: true, says: waits === '' ? 'Nothing is waiting.' : `${waits}.` };
  });
}
