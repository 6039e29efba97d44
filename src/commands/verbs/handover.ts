/** `handover`: what the next shift has to know, since the last handover in the channel. */
import { usableProjects } from '../../projects/choose-project.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { handoverReply, type LastHandover } from '../../subscriptions/watch/handover.ts';
import { DAY_MS, MINUTE_MS } from '../../time-units.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

export const handover: Verb = {
  verb: 'handover',
  aliases: [],
  summary:
    'what is open and who is on it, what is snoozed, held back or ignored, and what has happened since the last handover in this channel',
  help: { group: 'What happened?', examples: ['handover'] },
  usage: ['handover [in <zone>]'],
  examples: ['handover'],
  parts: ['zone'],
  // It stores when it was requested.
  effect: 'respond',
  saidAs: /^handover\b/,
  answer: answerHandover,
};

/** Asked again this soon, it covers the same time: the answer may have been missed. */
const SAME_MS = 15 * MINUTE_MS;
const FIRST_MS = DAY_MS;
/** What happened longer ago isn't news at a shift change. */
const MAX_MS = 7 * DAY_MS;

async function answerHandover({ deps, question, zone }: CommandContext): Promise<Reply> {
  const { channel, user: by } = question;
  const now = deps.now();
  const nowMs = now.epochMilliseconds;
  const last = (await deps.handovers?.get(channel)) ?? null;
  const isSame = last !== null && nowMs - last.atMs < SAME_MS;
  const sinceMs = Math.max(isSame ? last.beforeMs : (last?.atMs ?? nowMs - FIRST_MS), nowMs - MAX_MS);
  const reply = await handoverReply(await deps.watches.handover(channel, sinceMs), {
    sinceMs,
    since: isSame ? [] : whichWords(last),
    now,
    zone,
    projects: usableProjects(deps, question),
    actions: [{ label: 'Schedule it…', sentence: 'digest new handover', effect: 'modal' }],
  });
  await deps.handovers?.set(channel, { atMs: nowMs, beforeMs: sinceMs, by });
  return reply;
}

function whichWords(last: LastHandover | null): Line {
  if (last === null) return [' (the first handover here covers 24 hours)'];
  return last.isDigest === true
    ? [', the last handover digest']
    : [', the handover by ', { user: last.by, quietly: true }];
}
