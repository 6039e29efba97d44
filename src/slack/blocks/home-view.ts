/** The Home tab as blocks. */
import type { HomeView, KnownBlock } from '@slack/types';
import { COMMANDS } from '../../commands/grammar/command-table.ts';
import type { HomeEntry } from '../../commands/home.ts';
import type { Finding } from '../../commands/ports.ts';
import type { Line } from '../../commands/replies/reply.ts';
import { findingLine } from '../../commands/verbs/doctor.ts';
import { actionsThere } from './actions-block.ts';
import { clip, LIMITS } from './limits.ts';
import { renderLine } from './mrkdwn.ts';

export interface HomeOverview {
  /** `null` when they cannot be read at the moment. */
  readonly entries: readonly HomeEntry[] | null;
  readonly findings: readonly Finding[];
}

/** A view has at most a hundred blocks; an entry takes two of them. */
const MOST_ENTRIES = 30;
const PLACES_PER_ENTRY = 10;
const MOST_FINDINGS = 15;

export function homeView({ entries, findings }: HomeOverview, command: string): HomeView {
  return {
    type: 'home',
    blocks: [
      header('Your digests and watches'),
      ...(entries === null ? [section(['They cannot be read at the moment.'])] : entryList(entries, command)),
      { type: 'divider' },
      header('The service'),
      ...findings.slice(0, MOST_FINDINGS).map((finding) => section(findingLine(finding))),
      { type: 'divider' },
      header('Things to ask'),
      ...COMMANDS.map(({ summary, examples }) => section([{ code: `${command} ${examples[0]}` }, ` ${summary}`])),
    ],
  };
}

const header = (text: string): KnownBlock => ({
  type: 'header',
  text: { type: 'plain_text', text: clip(text, LIMITS.header) },
});

function section(line: Line): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: renderLine(line, LIMITS.section), verbatim: true } };
}

function entryList(entries: readonly HomeEntry[], command: string): KnownBlock[] {
  if (entries.length === 0) {
    const [digest, watch] = [{ code: `${command} digest daily at 09:00` }, { code: `${command} watch` }];
    return [section(['Nothing yet. In a channel, try ', digest, ' or ', watch, '.'])];
  }
  const more = entries.length - MOST_ENTRIES;
  return [
    ...entries.slice(0, MOST_ENTRIES).flatMap(entryBlocks),
    ...(more > 0 ? [section([`${more} more are not shown here.`])] : []),
  ];
}

function entryBlocks({ lines, actions, channel }: HomeEntry, place: number): KnownBlock[] {
  const joined = lines.flatMap((line, index): Line => (index === 0 ? line : ['\n', ...line]));
  return [section(joined), ...actionsThere(actions, channel, place * PLACES_PER_ENTRY)];
}
