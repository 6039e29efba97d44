/** `handover`: what whoever takes over has to know, since the last handover in the channel. */
import { isInForce } from '../../episodes/ignored.ts';
import { counted, ignoredWords } from '../../replies/phrases.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { clockOf } from '../../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../../time-units.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

export const handover: Verb = {
  verb: 'handover',
  aliases: [],
  summary:
    'what is open and whose it is, what is snoozed, held back or ignored, and what has happened since the last handover in this channel',
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
const MAX_LINES = 8;

async function answerHandover({ deps, question, project, zone }: CommandContext): Promise<Reply> {
  const { channel, user: by } = question;
  const now = deps.now();
  const nowMs = now.epochMilliseconds;
  const last = (await deps.handovers?.get(channel)) ?? null;
  const isSame = last !== null && nowMs - last.atMs < SAME_MS;
  const sinceMs = Math.max(isSame ? last.beforeMs : (last?.atMs ?? nowMs - FIRST_MS), nowMs - MAX_MS);
  const { open, silenced: held, over } = await deps.watches.handover(channel, sinceMs);
  const ignored = (await project.ignored.list()).filter((rule) => isInForce(rule, nowMs));
  const silenced: readonly Line[] = [
    ...held,
    ...ignored.map(
      (rule): Line => [
        `Ignored: ${ignoredWords(rule)} until `,
        { instant: Temporal.Instant.fromEpochMilliseconds(rule.untilMs), zone },
        '.',
      ],
    ),
  ];
  await deps.handovers?.set(channel, { atMs: nowMs, beforeMs: sinceMs, by });
  const since = clockOf(zone, now)(sinceMs);
  const whose: Line =
    last === null ? [' (the first handover here covers 24 hours)'] : [', the handover by ', { user: last.by }];
  return {
    title: `Handover: ${open.length === 0 ? 'nothing open' : `${open.length} open`}, ${over.length} over since ${since}`,
    headline: open.length === 0 ? ['Nothing is open.'] : [`${counted(open.length, 'episode')} open:`],
    body: [
      ...shown(open),
      ...(silenced.length === 0 ? [['Nothing is snoozed, held back or ignored.']] : shown(silenced)),
      over.length === 0
        ? [`Nothing has happened since ${since}`, ...(isSame ? [] : whose), '.']
        : [`${counted(over.length, 'episode')} over since ${since}`, ...(isSame ? [] : whose), ':'],
      ...shown(over),
    ],
    actions: [
      { label: 'Check now', sentence: 'check', effect: 'thread' },
      { label: 'List watches', sentence: 'watches', effect: 'thread' },
    ],
  };
}

/** Of many, the newest. */
function shown(lines: readonly Line[]): Line[] {
  const left = lines.length - MAX_LINES;
  return [...(left > 0 ? [[`${left} earlier ones.`]] : []), ...lines.slice(-MAX_LINES)];
}
