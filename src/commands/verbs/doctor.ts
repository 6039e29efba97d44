/** `doctor`: what works and what doesn't, with the exact fix for each failure. */

import type { Finding } from '../../replies/finding.ts';
import { counted } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { capitalized } from '../../statistics/format.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

export const doctor: Verb = {
  verb: 'doctor',
  aliases: [],
  summary: 'whether every query, the token, the clock, charts and this channel are in order, with a fix for each fault',
  help: { group: 'Set things up', examples: ['doctor'] },
  usage: ['doctor [privately]'],
  examples: ['doctor'],
  parts: ['privately'],
  answer: answerDoctor,
};

async function answerDoctor({ deps, question }: CommandContext): Promise<Reply> {
  const findings = await deps.doctor.examine(question.channel);
  const faults = findings.filter(({ ok }) => !ok);
  const checks = counted(findings.length, 'check');
  return {
    title:
      faults.length === 0 ? `Doctor: all is well · ${checks} passed` : `Doctor: ${faults.length} of ${checks} failed`,
    // Failures first, because that's what people ask for.
    body: [...faults, ...findings.filter(({ ok }) => ok)].map(findingLine),
    actions: [
      ...(findings.some(({ mends }) => mends === 'join') ? [INVITE] : []),
      { label: 'Check again', sentence: 'doctor', effect: 'replace' },
    ],
  };
}

/** For a channel that the bot isn't in. */
export const INVITE: Action = { label: 'Invite me', sentence: 'join', effect: 'thread' };

/** The finding for a store that answers. */
export const storageFinding = ({ networkFileSystem }: { readonly networkFileSystem: string | null }): Finding =>
  networkFileSystem === null
    ? { what: 'Storage', ok: true, says: 'Storage is reachable.' }
    : {
        what: 'Storage',
        ok: false,
        says: `The database file is on a network file system (${networkFileSystem}), which may damage it.`,
        fix: 'move it to a local disk, or use Redis.',
      };

/** The sign only repeats the words, so nothing is lost without it. */
export function findingLine({ project, what, ok, says, fix }: Finding): Line {
  const whose = project == null ? '' : `Project ${project} · `;
  return [
    ok ? '✓ ' : '✗ ',
    { bold: `${whose}${capitalized(what)}: ` },
    ...codeSpans(ok ? says : `failed. ${says}`),
    ...(fix === undefined ? [] : [' ', { italic: `Fix: ${fix}` }]),
  ];
}

/** What is between backticks, such as a verb, as code. */
function codeSpans(text: string): Line {
  return text.split('`').map((part, at) => (at % 2 === 1 ? { code: part } : part));
}
