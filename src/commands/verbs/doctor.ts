/** `doctor`: what works and what does not, each failure with its exact fix. */

import type { CommandContext } from '../context.ts';
import type { Finding } from '../ports.ts';
import type { Action, Line, Reply } from '../replies/reply.ts';

export async function answerDoctor({ deps, question }: CommandContext): Promise<Reply> {
  const findings = await deps.doctor.examine(question.channel);
  const faults = findings.filter(({ ok }) => !ok);
  const headline: Line =
    faults.length === 0
      ? [{ bold: 'All is well.' }, ` ${findings.length} things were looked at.`]
      : [{ bold: faults.length === 1 ? '1 thing needs care.' : `${faults.length} things need care.` }];
  return {
    title: 'Doctor',
    headline,
    body: findings.map(findingLine),
    actions: [
      ...(findings.some(({ mends }) => mends === 'join') ? [INVITE] : []),
      { label: 'Look again', sentence: 'doctor', effect: 'replace' },
    ],
  };
}

/** For a channel that the bot is not in. */
export const INVITE: Action = { label: 'Invite me', sentence: 'join', effect: 'thread' };

/** The sign repeats what the words say, so nothing is lost without it. */
export function findingLine({ what, ok, says, fix }: Finding): Line {
  return [
    ok ? '✓ ' : '✗ ',
    { bold: `${what.charAt(0).toUpperCase()}${what.slice(1)}: ` },
    ok ? says : `failed. ${says}`,
    ...(fix === undefined ? [] : [' ', { italic: `Fix: ${fix}` }]),
  ];
}
